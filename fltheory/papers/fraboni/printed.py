"""What the paper prints, claim by claim: its formula in its own letters, how an informal sentence
is read, and how bad it is where a claim is false."""

from fltheory.claims.claim import Severity

FORMULAS = {
    "W.tau": "by construction, we have W >= tau",
    "alg1": "Algorithm 1, lines 1 to 6",
    "app.biased": "m clients selected by a deterministic criterion: alpha = 1 with beta = 0",
    "app.centralized": "no gradient delay (tau = 1)",
    "app.unbiased": (
        "eps = O(1/(eta_g eta_l K N)) + O(eta_g eta_l alpha Sigma/M) + O(eta_l^2 (K-1)^2 Sigma)"
        " + O(eta_g eta_l beta Sigma)"
    ),
    "app.unbiased.alpha": "alpha <= 1 is proportional to m, the amount of sampled clients",
    "app.unbiased.beta": (
        "1 >= beta > 0 is inversely proportional to m, with p_i = 1/M (Section 4.1)"
    ),
    "ass5": "there exists alpha in (0,1) such that E[omega_i(n) omega_j(n)] = alpha q_i(n) q_j(n)",
    "ass6": "by definition of q_i, Assumption 6 is always satisfied with W = N",
    "async.ratio": "at least M times more aggregations than with synchronous FedAvg",
    "cor1": "(1/NK) sum [E L(theta^{n,k}) - L(theta*)] <= eps_F + eps_K + eps_alpha + eps_beta",
    "cor2": "W = o(N), tau = o(N), and max(a,b) < c < 1",
    "def.L": "Lbar(theta) = sum_i q_i L_i(theta) = (1/N) sum_n L^n(theta)",
    "def.P": "P = O((1/N) sum_n chi_n^2 sum_{j in W_n} s_j(n) [F_j(thetabar^n) - F_j(theta_j*)])",
    "def.R": "R = (1/N) sum_n [L^n(thetabar) - L^n(thetabar^n)]",
    "def.S": "S_n = {i : T_i^n <= Delta t^n}",
    "def.Sigma": "Sigma null only when clients have the same loss function and perform GD steps",
    "def.Tn": "T_i^n = T_i - (t^n - t^{rho_i(n)})",
    "def.U": "U = O((1/NK) sum_{n,k} sum_{j not in W_n} r_j [E F_j(theta^{n,k}) - F_j(theta_j*)])",
    "def.W": "(1/W) sum_{n=sW}^{(s+1)W-1} q_i(n) = q_i for all s",
    "def.agg": "theta^{n+1} = theta^n + eta_g sum_i omega_i(n) Delta_i(rho_i(n))",
    "def.beta": "beta = max{d_i(n) - alpha q_i(n)}; FedFix: beta = 0",
    "def.chi": "chi_n^2 = sum_{j in W_n} (r_j - s_j(n))^2/s_j(n)",
    "def.q": "q_i(n) = E[omega_i(n)], q_i = (1/N) sum_n q_i(n)",
    "def.tau": "tau = max (n - rho_i(n))",
    "def.types": "s_j(n) = sum_{i in Q_j} q_i(n)",
    "def.types.normalised": "s~_j(n) = s_j(n)/(sum_{i=1}^M s_j(n))",
    "def.virtual": "theta^{n,k+1} = theta^{n,k} - eta_g eta_l sum_i omega_i(n) grad L_i(., xi_i)",
    "eq10": "sum q_i E[L_i] <= sum q_i(n) [E[Lbar] + eta_g eta_l K (W-1) B^2]",
    "eq11": "|theta^0 - theta*|^2/sqrt(KN) + O((K-1) Sigma/N) + O(Sigma/(M sqrt(KN)))",
    "eq12": "d_i = [sum_j 1/tau_j] tau_i p_i",
    "eq13": (
        "|theta^0 - theta*|^2/sqrt(KN) + O((K-1) Sigma/N) + O((tau_M/tau_0) [R + Sigma]/sqrt(KN)) +"
        " O((tau_M/tau_0)^3 (K/N) M^2 [R + Sigma]) + O((W-1)/sqrt(KN))"
    ),
    "eq14": "d_i = ceil(tau_i/Delta t) p_i",
    "eq15": (
        "E|theta^0 - x|^2/sqrt(KN) + O((K-1) [R + Sigma]/N) + O([1/sqrt(KN) + (K/N)"
        " ceil(tau_m/Delta t)^2] [R + ceil(tau_m/Delta t) Sigma/M]) + O((W-1)/sqrt(KN))"
    ),
    "eq16": "E|sum omega_i x_i|^2 = sum E[omega_i^2] |x_i|^2 + alpha sum q_i q_j <x_i, x_j>",
    "eq17": "sum_{i /= j} q_i q_j <x_i, x_j> = |sum q_i x_i|^2 - sum q_i^2 |x_i|^2",
    "eq18": "the expansion of E|theta^{n,k+1} - x|^2",
    "eq19": "the bound on |theta_i^{rho,k} - theta^{n,k}|^2",
    "eq20": "the bound on phi(n,k) by the earlier gradients",
    "eq21": "the split of g_i into three parts",
    "eq22": "S(n,k) <= 3 L^2 phi(n,k) + 6 L q^{-1}(n) Z(n,k) + 3 sigma_1(n)",
    "eq24": "R(n,k) <= a(n,k) + b(n,k) + c(n,k)",
    "eq25": "a(n,k) <= 3 L^2 phi(n,k)",
    "eq26": "b(n,k) <= 12 L max q~_i(n) [...] + 6 sigma_2(n)",
    "eq27": "c(n,k) <= 6 L q^{-1}(n) Z(n,k)",
    "eq28": "the bound on Q(n)/(rho eta~^2 K^2)",
    "eq29": "sum of the last tau terms, averaged over n",
    "eq30": "the mean of Xi(n) and R({L^n})",
    "eq31": "O(...) of the explicit bound of A.4",
    "eq32": "Sigma_2 <= max q_i(n) Sigma_1",
    "eq32.optimum": "Sigma_1 <= 4 L R({L^n}) + 2 Sigma",
    "eq33": "|theta^0 - theta*|^2/(eta_l K N) + O(eta_l E|grad|^2)",
    "eq34": "eps = eps_FedAvg + O(eta_g eta_l (W-1) K)",
    "eq8": "theta^{n+2} - theta^{n+1} + phi theta^n = phi theta*",
    "eq9": "E[L_i(theta^{n+1})] - E[L_i(theta^n)] <= eta_g eta_l q(n) B^2 K",
    "ex1": "solving equation (8) proves FL asymptotic convergence to the optimum theta*",
    "ex1.phi": "theta_i^{n+1} - theta^n = phi (theta_i* - theta^n), phi = 1 - (1 - eta_l)^K",
    "ex1.weights": "q_2^{2n} = 1/2 and q_2^{2n} = 0 in one list",
    "ex2": "theta^n -> (q_1 theta_1* + q_2 theta_2*)/(q_1 + q_2)",
    "ex2.iff": "converges to the optimum if and only if (1/2)[q~_i^{2n} + q~_i^{2n+1}] = p_i",
    "exp.f80": "clients communicate with the server up to 5 more times than the slowest one",
    "exp.fig3.rate": "eta_l = 0.005 (caption), eta_l = 0.0005 (text)",
    "exp.fig4.hardware": (
        "synchronous FL always outperforms asynchronous FL when clients have heterogeneous hardware"
        " (F0)"
    ),
    "exp.weights": "slow clients have higher weights d_i > 1",
    "exp.weights.fast": "fast clients are given lower aggregation weights d_i < 1",
    "exponential.async": "the derivation of d_i still holds for T_i ~ exp(1/tau_i)",
    "exponential.fedfix": "the derivation of d_i still holds for T_i ~ exp(1/tau_i)",
    "fedfix.async": "asynchronous FedAvg when Delta t >= tau_M",
    "fedfix.rate": "N = T/Delta t aggregations against T/tau_M",
    "fedfix.sync": "when Delta t >= tau_M, we retrieve synchronous FL",
    "fedfix.tau": "tau = ceil(tau_m/Delta t) = O(1)",
    "fedfix.tau.bound": "tau between 0 and floor(tau_m/tau_0)",
    "lem1": "E|sum omega_i x_i|^2 = sum gamma_i(n) |x_i|^2 + alpha |sum q_i(n) x_i|^2",
    "lem1.excess": "gamma_i(n) <= beta q_i(n)",
    "lem1.remark": "the cross terms are bounded below by Jensen's inequality",
    "lem1.sign": "gamma_i(n) >= 0",
    "lem2": "Delta(x,n) <= -2 eta~ D(x,n) + eta~^2 alpha q^2(n) R(n) + eta~^2 beta q(n) S(n)",
    "lem2.display": "+ 2 eta~ E<...> in the display of the proof",
    "lem2.local_steps": "the same for every k < K",
    "lem3": (
        "phi(n) <= 4 q(n) tau sum_s Q(n-s) + 4 (D/L) q^{-1}(n) Z(n) + 6 eta_l^2 (K-1)^2 sigma_1(n)"
    ),
    "lem3.gradients": "S(n) <= 12 q(n) L^2 tau sum_s Q(n-s) + 12 L q^{-1}(n) Z(n) + 6 sigma_1(n)",
    "lem3.q": "4 q(n) tau sum_s Q(n-s)",
    "lem3.virtual": "4 (D/L) q^{-1}(n) Z(n) + 6 eta_l^2 (K-1)^2 sigma_1(n)",
    "lem4": "-2 D(x,n) <= -2 Xi(n) + 4 L q(n) tau sum_s Q(n-s) + 4 D Z(n) + ...",
    "lem5": "R(n) <= 12 L^2 tau sum_s Q(n-s) + 24 L q^{-1}(n) Z(n) + 3 D sigma_1(n) + 6 sigma_2(n)",
    "lem6": "Qbar(N) <= 24 rho [2 alpha + beta] eta~^2 K^2 L Zbar(N) + ...",
    "lem7": "|grad L - grad L~|^2 <= 4 L chi_n^2 [...] + 4 L sum_{j not in W_n} r_j [...]",
    "lit": "with M = O(sqrt N), then we have O(1/sqrt N)",
    "lit.stich": "when eta_l = O(1/(tau sqrt(KN))), we retrieve tau/N + 1/sqrt N",
    "lit.zinkevich": "W = O(tau) and eta_l ~ 1/sqrt(tau N): sqrt(tau/N)",
    "lr": "eta_l <= (1/48KL) min(1, 1/(3 rho^2 eta_g (tau+1))) satisfies the conditions above",
    "lr.beta": "we note that alpha <= 1, and beta <= 1",
    "lr.c1": "D = 6 eta_l^2 (K-1)^2 L^2 <= 1/2",
    "lr.c2": "12 rho^2 [alpha + beta] eta~^2 K^2 tau^2 L^2 <= 1/2",
    "lr.c3": "3 rho [alpha + beta] eta~ L <= 1",
    "lr.c4": "2 - 4 D - 12 rho [2 alpha + beta] [eta~ + nu eta~^2 K^2 tau^2] L >= 1",
    "lr.c5": "3 rho^2 eta~ L <= 1",
    "lr.c6": "48 rho^3 eta~^2 K^2 tau^2 L^2 <= 1",
    "tab2.N.async": "N = sum_i T/tau_i",
    "tab2.N.fedfix": "N = T/Delta t",
    "tab2.N.sync": "N = T/tau_M",
    "tab2.R.async": "R = (1/M) sum_i [L_i(theta*) - L_i(theta_i*)]",
    "tab2.R.fedfix": "R <= (1/M) sum_i [L_i(theta*) - L_i(theta_i*)]",
    "tab2.R.sync": "R = 0",
    "tab2.W.async": "W = sum_i nu/tau_i",
    "tab2.W.async.lower": "W = Omega(M)",
    "tab2.W.async.table": "W = O(M (tau_M)^M)",
    "tab2.W.async.upper": "W = O(M (tau_M)^{M-1})",
    "tab2.W.fedfix": "W = lcm({N_i'})",
    "tab2.W.fedfix.table": "W between 1 and M ceil(tau_m/tau_0)^M",
    "tab2.W.sync": "W = 1",
    "tab2.alpha.async": "alpha = 0",
    "tab2.alpha.fedfix": "alpha = 1",
    "tab2.alpha.sync": "alpha = 1",
    "tab2.beta.async": "beta = max_i d_i",
    "tab2.beta.bound": "beta = max_i d_i <= tau_M/tau_0, with p_i = 1/M (Section 4.1)",
    "tab2.beta.fedfix": "beta = 0",
    "tab2.beta.sync": "beta = 0",
    "tab2.d.async": "d_i = [sum_j 1/tau_j] tau_i p_i",
    "tab2.d.fedfix": "d_i = ceil(tau_i/Delta t) p_i",
    "tab2.d.sync": "d_i = p_i",
    "tab2.dt.async": "Delta t = min T_i^n",
    "tab2.dt.sync": "Delta t = max T_i^n",
    "tab2.tau.async": "tau = O((tau_M/tau_0)(M-1))",
    "tab2.tau.async.lower": "tau = Omega(M)",
    "tab2.tau.async.sharp": "up to ceil(tau_M/tau_i) updates while the slowest client works",
    "tab2.tau.sync": "tau = 0",
    "thm1": (
        "(1/NK) sum [E L^n(theta^{n,k}) - L^n(thetabar^n)] <= R + eps_F + eps_K + eps_alpha"
        " + eps_beta"
    ),
    "thm1.hidden_rho": "O accounts for numerical constants and the smoothness L",
    "thm2": (
        "(1/NK) sum E|grad L(theta^{n,k})|^2 <= O(R + P + U + eps_F + eps_K + eps_alpha + eps_beta)"
    ),
    "thm2.display": "the bound on |grad L|^2 by Jensen and Lemma 7",
    "thm2.remark": "if a client is poorly represented, then R > 0 and P > 0",
    "thm3": (
        "(1/NK) sum [E Lbar(theta^{n,k}) - Lbar(thetabar)] <= eps,"
        " eps_W = O(eta_g eta_l (W-1) K)"
    ),
    "thm3.gradient": (
        "(1/NK) sum E|grad L(theta^{n,k})|^2 <= eps + O(chi^2 [Lbar(thetabar) - sum s_j F_j*])"
    ),
    "thm3.one_round": "equivalent when W = 1, where we retrieve eps_W = 0",
    "thm1.one_step": "when K = 1 ... we retrieve eps_K = 0",
    "order.last_terms": "the last two terms are smaller for FedFix than for asynchronous FedAvg",
    "order.sync": "similarly, these two terms are larger with FedFix than with synchronous FedAvg",
    "order.first_terms": (
        "the first two elements of (15) are identical for FedFix, synchronous and asynchronous"
        " FedAvg"
    ),
}  # fmt: skip
"""By the claim's id without the paper's key."""

READINGS: dict[str, tuple[str, tuple[str, ...]]] = {
    "W.finite": (
        "`the smallest window W satisfies W = sum nu/tau_i`, also for a run that stops",
        ("for runs without end it is true: tab2.W.async",),
    ),
    "ass7": (
        "`E|grad L_i(x)| <= B`, then E|theta^{n+1} - theta^n| <= eta_g eta_l q(n) K B: of the exact"
        " gradients, as it is printed",
        ("of the stochastic gradients, as clipping bounds them: true, ass7.corrected",),
    ),
    "eq23": (
        "the inner sums end at K - 1, as the text at hand has them, which was read by a machine",
        (
            "they end at k - 1, as in eq. (19) and (20) and as the next step uses them: true,"
            " eq23.corrected",
        ),
    ),
    "fedfix.independence": (
        "`T_i^n and T_j^n are independent, which gives alpha = 1 and beta = 0`: of update times"
        " that are random",
        ("of the fixed update times of Section 4.1 it is true: tab2.beta.fedfix",),
    ),
    "ass5.diagonal": (
        "Assumption 5 as it is printed, without i /= j",
        ("for different clients only, as the proofs use it",),
    ),
    "async.ties": (
        "clients that finish together deliver in one round, as S_n in Algorithm 1 says",
        ("one after another, in rounds of duration 0: W, N, tau and alpha of Table 2 are right",),
    ),
    "cor2.window": (
        "`no learning rate can be chosen such that the process converges`: of the process itself",
        ("of the bound of Theorem 3 it is true: cor2",),
    ),
    "eq13.heterogeneity": (
        "eq. (13) as the order of Theorem 3's right side in tau_M/tau_0, with nothing hidden",
        ("with rho among the constants that the O hides it is true",),
    ),
    "exponential.delay": (
        "`this derivation still holds for exponential times`: the delay as well as the weights",
        ("of the weights of asynchronous FedAvg it is true: exponential.async",),
    ),
    "fedfix.empty": (
        "q~_i(n) = q_i(n)/q(n) is defined in every round",
        ("rounds without deliveries are dropped from the normalised quantities",),
    ),
    "exp.fig2": ("`better minima on the federated problem`: on quadratic surrogates", ()),
    "exp.fig2.surrogate": ("`better performances on the surrogate problem`: on quadratics", ()),
    "exp.fig3": ("the run of Figure 3 as an instance of Theorem 3, with evenly spaced times", ()),
    "exp.fig4.small_steps": (
        "`with a small enough learning rate ... FedFix outperforms synchronous FL`: the federated"
        " loss of quadratic clients after the same time",
        (),
    ),
    "exp.fig4.small_steps.async": (
        "`with a small enough learning rate asynchronous FedAvg outperforms FedFix`: the federated"
        " loss of quadratic clients after the same time",
        (),
    ),
    "exp.fig3.variance": (
        "`the variance strictly increases with K`: the width of the limit cycle of two clients",
        (),
    ),
    "exp.sec523": (
        "`behaves as asynchronous FL`: one client per round",
        ("with clients of equal speed delivering together it is the same run",),
    ),
    "thm1.sampling": (
        "Theorem 1 applied to sampled clients, as Appendix C.2 does, with the constants of A.4",
        ("with K beta for beta and under the conditions of thm1.best it is true",),
    ),
}

OURS = (
    "def.T", "def.dt", "def.omega", "def.rho", "def.alpha", "def.alpha.multinomial", "def.aux"
)  # fmt: skip
"""Consequences and self-tests of definitions, which the paper does not spell out."""

SEVERITIES = {
    Severity.THEOREM: "app.unbiased ex2 lem2.local_steps thm1.sampling",
    Severity.HYPOTHESIS: (
        "app.biased eq19 eq20 eq22 eq25 eq26 eq28 eq31 eq32.optimum ex1"
        " fedfix.tau.bound lem2 lem3 lem3.virtual lem4 lem5 lem6 lr lr.beta"
        " tab2.W.fedfix.table thm1 thm1.hidden_rho thm2 thm3"
    ),
    Severity.SLIP: (
        "W.tau app.centralized app.unbiased.alpha ass5 cor1 def.Sigma def.beta"
        " def.types.normalised eq10 eq13 eq15 eq32 eq33 eq34 ex1.weights ex2.iff exp.fig3.rate"
        " exp.fig4.hardware"
        " exponential.fedfix fedfix.async fedfix.tau lem1.remark lem2.display lem3.gradients"
        " lem3.q lit lit.stich order.first_terms thm2.display thm2.remark thm3.gradient"
    ),
    Severity.READING: (
        "W.finite ass5.diagonal ass7 async.ties cor2.window eq13.heterogeneity eq23"
        " exponential.delay exp.sec523 fedfix.empty fedfix.independence"
    ),
}
GRADES = {name: grade for grade, names in SEVERITIES.items() for name in names.split()}
