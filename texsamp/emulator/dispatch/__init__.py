"""Commands that start threads: which, in what order, with what payload."""
