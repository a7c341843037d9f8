"""What one runs: the build of both languages, its measures, the canary, the coverage of the reference."""
