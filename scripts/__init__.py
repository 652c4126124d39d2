"""Programs that write the documentation, and measure what no study needs."""
