"""Anarchic federated learning (submission to ICLR 2022): AFA-CD and AFA-CS under chaotic worker
behaviour."""

NOT_CLAIMS = {
    "afl.alg1": (
        "a framework in words (collect, aggregate; pull, work, return) that says nothing that could"
        " be false"
    ),
}
