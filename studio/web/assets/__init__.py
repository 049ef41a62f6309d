"""The files of the front end: their addresses, hashes and bundles."""
