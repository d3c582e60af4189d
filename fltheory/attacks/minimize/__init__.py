"""Make a counterexample smaller and simpler."""
