"""Fraboni et al.: a general theory for federated optimization with asynchronous and heterogeneous clients updates."""
