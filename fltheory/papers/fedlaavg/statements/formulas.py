"""The equations of Appendices B.2 and C as they are printed, in the paper's letters: T^t is the
oldest latest iteration, D the mean of the f_i' at the points of the latest gradients, g their
stochastic mean."""

EQUATIONS = {
    "21": "E f(x^t) <= E f(x^{t-1}) + (L/2) E|x^t - x^{t-1}|^2 + E<grad f(x^{t-1}), x^t - x^{t-1}>",
    "22": "E|x^t - x^{t-1}|^2 <= 2 gamma^2 sigma^2/N + 2 gamma^2 E|D|^2",
    "23": (
        "E<grad f(x^{t-1}), x^t - x^{t-1}> = -gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), g - D> -"
        " gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), D> - gamma E<grad f(x^{T^t-1}), g>"
    ),
    "24": (
        "-gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), g - D> <= gamma^2 I L G^2/(2 sqrt N) +"
        " gamma^2 I L sigma^2/(2 sqrt N)"
    ),
    "25": (
        "-gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), D> <= gamma^3 I^2 L^2 G^2/(2(1 - 2 gamma L))"
        " + (gamma (1 - 2 gamma L)/2) E|D|^2"
    ),
    "26": (
        "E<grad f(x^{T^t-1}), g> = (1/2) E|grad f(x^{T^t-1})|^2 + (1/2) E|D|^2 - (1/2) E|grad"
        " f(x^{T^t-1}) - D|^2"
    ),
    "27": "E|grad f(x^{T^t-1}) - D|^2 <= I^2 L^2 gamma^2 G^2",
    "28": (
        "E<grad f(x^{t-1}), x^t - x^{t-1}> <= gamma^2 I L G^2/(2 sqrt N) + gamma^2 I L sigma^2/(2"
        " sqrt N) + gamma^3 I^2 L^2 G^2/(2(1 - 2 gamma L)) + gamma^3 I^2 L^2 G^2/2 - gamma^2 L"
        " E|D|^2 - (gamma/2) E|grad f(x^{T^t-1})|^2"
    ),
    "29": (
        "E f(x^t) - E f(x^{t-1}) <= gamma^2 sigma^2 L/N + gamma^2 I L(G^2 + sigma^2)/(2 sqrt N) +"
        " gamma^3 I^2 L^2 G^2/(2(1 - 2 gamma L)) + gamma^3 I^2 L^2 G^2/2 - (gamma/2) E|grad"
        " f(x^{T^t-1})|^2"
    ),
    "30": (
        "E|grad f(x^{T^t-1})|^2 <= 2 gamma sigma^2 L/N + gamma I L(G^2 + sigma^2)/sqrt N + gamma^2"
        " I^2 L^2 G^2/(1 - 2 gamma L) + gamma^2 I^2 L^2 G^2 + (2/gamma)(E f(x^{t-1}) - E f(x^t))"
    ),
    "32": "E|grad f(x^{t-1})|^2 <= 2 gamma^2 I^2 L^2 G^2 + 2 E|grad f(x^{T^t-1})|^2",
    "41": "E f(x^t) <= E f(x^{t-1}) + (L/2) E|x^t - x^{t-1}|^2 + E<grad f(x^{t-1}), x^t - x^{t-1}>",
    "42": "E|x^t - x^{t-1}|^2 <= 2 gamma^2 sigma^2/N + 2 gamma^2 E|D|^2, D at the local models",
    "43": (
        "E<grad f(x^{t-1}), x^t - x^{t-1}> = -gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), g - D> -"
        " gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), D> - gamma E<grad f(x^{T^t-1}), g>"
    ),
    "44": (
        "-gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), g - D> <= gamma^2 ICL(G^2 + sigma^2)/(2 sqrt"
        " N)"
    ),
    "45": (
        "gamma E<grad f(x^{t-1}) - grad f(x^{T^t-1}), D> <= gamma^3 I^2 C^2 L^2 G^2/(2(1 - 2 gamma"
        " L)) + (gamma (1 - 2 gamma L)/2) E|D|^2"
    ),
    "46": (
        "E<grad f(x^{T^t-1}), g> = (1/2) E|grad f(x^{T^t-1})|^2 + (1/2) E|D|^2 - (1/2) I^2 L^2 C^2"
        " gamma^2 G^2"
    ),
    "47": (
        "E<grad f(x^{t-1}), x^t - x^{t-1}> <= gamma^2 ICL(G^2 + sigma^2)/(2 sqrt N) + gamma^3 I^2"
        " C^2 L^2 G^2/(2(1 - 2 gamma L)) + gamma^3 I^2 C^2 L^2 G^2/2 - gamma^2 L E|D|^2 - (gamma/2)"
        " E|grad f(x^{T^t-1})|^2"
    ),
    "48": (
        "E f(x^t) - E f(x^{t-1}) <= gamma^2 sigma^2 L/N + gamma^2 ICL(G^2 + sigma^2)/(2 sqrt N) +"
        " gamma^3 I^2 C^2 L^2 G^2/(2(1 - 2 gamma L)) + gamma^3 I^2 C^2 L^2 G^2/2 - (gamma/2) E|grad"
        " f(x^{T^t-1})|^2"
    ),
    "49": (
        "E|grad f(x^{T^t-1})|^2 <= 2 gamma sigma^2 L/N + gamma ICL(G^2 + sigma^2)/sqrt N + gamma^2"
        " I^2 C^2 L^2 G^2/(1 - 2 gamma L) + gamma^2 I^2 C^2 L^2 G^2 + (2/gamma)(E f(x^{t-1}) - E"
        " f(x^t))"
    ),
    "51": (
        "E|grad f(x^{rC-1})|^2 <= 2 gamma^2 (I + 1)^2 C^2 L^2 G^2 + (2/C) sum over the round of"
        " E|grad f(x^{T^t-1})|^2"
    ),
}
