"""Measured exponents beside the claimed ones."""

from fltheory.claims.checks.rates import rate_checks
from fltheory.papers.fraboni.regimes import REGIMES

CHECKS = rate_checks(REGIMES)
