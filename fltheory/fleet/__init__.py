"""A fleet's availability log: what theory says about it, and what to do."""
