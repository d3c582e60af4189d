"""MIFA: Gu et al., fast federated learning in the presence of arbitrary device unavailability."""

_HYPOTHESIS = (
    "a hypothesis: it is the Assumption of that name, which the claims of the theorems carry"
)

NOT_CLAIMS = {
    "mifa.ass1": _HYPOTHESIS,
    "mifa.ass2": _HYPOTHESIS,
    "mifa.ass3": _HYPOTHESIS,
    "mifa.ass5": _HYPOTHESIS,
    "mifa.rem5.1.reference6": (
        "that the term tau_max^2 A1/T^2 matches Corollary 5 of its reference [6] needs the text of"
        " that reference, which is not at hand; the term itself is not needed (mifa.thm5.1.best)"
    ),
}
