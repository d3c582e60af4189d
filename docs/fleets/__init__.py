"""Three example logs and their reports; `python -m docs.fleets` makes them anew."""
