"""One file per kind of evidence; each check takes a claim and looks at the claim's own two
sides."""
