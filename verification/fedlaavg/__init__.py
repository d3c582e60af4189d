"""How the claims of FedLaAvg are decided."""
