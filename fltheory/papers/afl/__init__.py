"""Anarchic federated learning (submission to ICLR 2022): AFA-CD and AFA-CS under chaotic worker behaviour."""

NOT_CLAIMS: dict[str, str] = {}
