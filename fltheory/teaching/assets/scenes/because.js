// Why the numbers of scenes 2 to 4 are what they are: short derivations, with the numbers of the moment.

import { ONE, parse, whole } from "../core/fraction.js";
import { equalTo, exactMath } from "../view/dom.js";
import { line } from "../view/line.js";

const PAIRS = [
  ["Two rounds back. Each pair works on the model from before the other pair's delivery and holds both types, so it moves the model by ",
    line("$φ (θ^* − θ_n)$"), ": ", line("$θ_{n+2} = θ_{n+1} − φ (θ_n − θ^*)$.")],
  line("Its roots. The distance to $θ^*$ goes like powers of the roots of $z^2 − z + φ = 0$. Their product is φ: from $φ = {1|4}$ on " +
    "they are a pair of modulus $√{φ}$, below it both are real and below 1. So the model settles exactly for $0 < φ < 1$."),
  line("Six. At $φ = 1$ the roots are a sixth of a turn, and $z^6 = 1$: after six rounds everything is as it was, for ever."),
];

const turns = (settings, { curves: { turns: found } }) => [
  line("Two equations. Client 1 works on the model a that its own last delivery made, client 2 on its b. Where these repeat, " +
    "$a = b − q_1 φ (a − e_1)$ and $b = a − q_2 φ (b − e_2)$."),
  ["Two points. With ", line("$a = b$"), " both clients would have to be content at the same point, so where their optima differ the " +
    "two points do: ", ...(found.cycle ? [line("$a$ "), equalTo(found.cycle[1]), line(", $b$ "), equalTo(found.cycle[0]), "."] : ["."])],
  line("Their mean. Both equations summed give $q_1 (a − e_1) + q_2 (b − e_2) = 0$: the weights decide on a mean of the two points, not " +
    "on one limit."),
];

const CLOCKS = [
  line("How often. In the same time client i delivers in proportion to ${1|τ_i}$: its share of the deliveries is " +
    "${1|τ_i} / ∑ {1|τ_j}$. In FedFix it is heard in every $⌈τ_i / Δt⌉$-th window."),
  line("How strongly. Share times weight $d_i$ is the client's mean weight $q_i$. Asking for $q_i = p_i$, the same for all, gives " +
    "$d_i = (∑ {1|τ_j}) τ_i p_i$, for FedFix $d_i = ⌈τ_i / Δt⌉ p_i$; with $d_i = 1$ the fast clients weigh more."),
  line("Where to. A delivery moves the model by $d_i φ (e_i − y)$, where y is the model that the client worked on. Over a period of the " +
    "cycle the moves sum to 0, so $∑ q_i (e_i − m_i) = 0$ for the means $m_i$ of those models: with fair weights these means average to " +
    "the optimum. The cycle's own mean only comes near it, the nearer the smaller the step."),
];

export const becauseClocks = (settings, numbers) => ({ pairs: () => PAIRS, turns, clocks: () => CLOCKS })[settings.mode](settings, numbers);

export const becauseStragglers = (settings, numbers) => [
  [...line("Waiting. All of a sample A have been seen within t rounds with chance $∏ (1 − (1 − p_i)^t)$. The mean wait is the sum over " +
    "t of the chance that they have not; multiplied out, $∑ {± 1 | 1 − ∏ (1 − p_i)}$ over the subsets of A, plus for odd ones. " +
    "Over all samples of this size the mean is "), exactMath(numbers.expectedWait), "."],
  line("Memory. A client was last there k rounds ago with chance $p_i (1 − p_i)^k$, so its word is ${1|p_i} − 1$ rounds old on " +
    "average. Waiting feels the largest of such times, MIFA's rate in the long run the mean over the clients."),
  [...line("Forgetting. A round moves x towards the mean optimum of whoever is there, whatever x is. So the mean of x tends to the mean " +
    "of the optima in which client i has as its weight the mean of ${1|n}$, if n clients are there and it is one of them, else 0: "),
  exactMath(numbers.biasedLimit), ", not 0 unless the chances balance."],
];

export function becauseAnarchic(settings, numbers) {
  const rare = whole(Number(settings.rare));
  const least = rare.n ? parse(numbers.dissimilarity).mul(ONE.sub(whole(2).div(rare)).pow(2)) : parse(numbers.dissimilarity);
  return [
    line("Two worlds. The gradient is $2 x$ in world A and $2 (x + 2 G)$ in world B. Where worker 2 never comes, the same x comes out in " +
      "both, and as the two gradients differ by $4 G$, one of them is at least $2 G$: squared, $4 G^2 = σ_G^2$."),
    [...line("Averaging. A round of AFA-CD moves the model by a fixed part of $e_i − x$, where x is the model that the work began from. " +
      "Over a period of its cycle the moves sum to 0, so its mean is that of the optima of whoever arrives. With worker 2 in every r-th " +
      "round that is $G (1 − {2|r})$ away from the optimum, in either world and at every step size that settles: the mean of " +
      "$∣∇ f∣^2$ cannot be below $σ_G^2 (1 − {2|r})^2$"), ...(rare.n ? [" ", equalTo(least.toString())] : []), "."],
    line("Memory. AFA-CS moves along the mean of both workers' last words. At the optimum of its world these cancel, whoever comes, so " +
      "it is a point of rest."),
  ];
}
