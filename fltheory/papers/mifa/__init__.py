"""MIFA: Gu et al., fast federated learning in the presence of arbitrary device unavailability."""

_HYPOTHESIS = "a hypothesis: it is the Assumption of that name, which the claims of the theorems carry"

NOT_CLAIMS = {
    "mifa.ass1": _HYPOTHESIS,
    "mifa.ass2": _HYPOTHESIS,
    "mifa.ass3": _HYPOTHESIS,
    "mifa.ass5": _HYPOTHESIS,
    "mifa.exp.toy": "a recipe for a simulation of 3000 rounds, not a statement of the paper; its exact parts are mifa.exp.2 and "
                    "mifa.thm5.1.asymptote",
}
