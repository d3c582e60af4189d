"""Forged certificates, proofs and counterexamples of false statements: none may be accepted."""
