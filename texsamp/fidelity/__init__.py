"""How faithful every part of texsamp is: one table. `--explain`, README.md and the pages of docs are made from it."""
