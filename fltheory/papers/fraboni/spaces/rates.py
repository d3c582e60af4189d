"""Where a claimed rate may fail: the exact leading terms."""

from fltheory.claims.spaces.rates import rate_spaces
from fltheory.papers.fraboni.regimes import REGIMES

SPACES = rate_spaces(REGIMES)
