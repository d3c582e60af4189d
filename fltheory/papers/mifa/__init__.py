"""MIFA: Gu et al., fast federated learning in the presence of arbitrary device unavailability."""

_HYPOTHESIS = (
    "a hypothesis: it is the Assumption of that name, which the claims of the theorems carry"
)

NOT_CLAIMS = {
    "mifa.ass1": _HYPOTHESIS,
    "mifa.ass2": _HYPOTHESIS,
    "mifa.ass3": _HYPOTHESIS,
    "mifa.ass5": _HYPOTHESIS,
}
