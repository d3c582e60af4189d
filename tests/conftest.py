"""One Hypothesis profile for all tests: no clock, no luck."""

from hypothesis import HealthCheck, settings

settings.register_profile("exact", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("exact")
