"""The test suite; a package so that helpers are imported by name (`tests.strategies`)."""
