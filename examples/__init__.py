"""Examples that the documentation shows."""
