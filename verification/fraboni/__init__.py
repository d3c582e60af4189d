"""How the claims of Fraboni et al. are decided."""
