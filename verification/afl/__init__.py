"""Anarchic federated learning: how each claim is decided."""
