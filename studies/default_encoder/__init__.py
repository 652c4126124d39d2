"""How the table of the encoder ``default`` was made, and how it was measured."""
