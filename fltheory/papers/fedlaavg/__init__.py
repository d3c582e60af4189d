"""FedLaAvg: Yan et al., distributed non-convex optimization with sublinear speedup under
intermittent client availability."""

NOT_CLAIMS = {
    "fedlaavg.fig1": (
        "an illustration of the latest participations for one client per iteration; its text has no"
        " numbers"
    ),
}
