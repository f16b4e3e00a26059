"""The logic of gapforge: pure functions over typed records, free of Luigi."""
