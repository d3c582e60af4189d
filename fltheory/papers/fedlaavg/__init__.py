"""FedLaAvg: Yan et al., distributed non-convex optimization with sublinear speedup under intermittent client availability."""
