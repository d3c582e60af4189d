"""Campaigns: long tests that are their own commands, not part of `make test`."""
