(** * MIFA's Theorems 5.1 and 6.1 with the paper's own step sizes

    Random runs as in MifaChance.v: noise has mean zero given what came before, availability is fixed
    beforehand, everybody is there in round 0; R rounds make T = R + 1 models.

    - [theorem6_1_printed_step]: smooth losses, step sqrt (N/(K T L (1 + nubar))), T at least
      32 alpha L N K, 16 L N K and 8 K N tau^2 L. The least E |grad f|^2 of the T models is at most
      sqrt ((1 + nubar) L/(T K N)) (5.15 (f(w_1) - low) + 34 sigma^2) + 9.2 A5/T. The printed terms A4, the
      Hessian condition and bounded noise are not needed.
    - [theorem6_1_order]: hence the printed order, with one constant for all problems, traces and runs.
    - [theorem5_1_terms]: strongly convex losses, a = max(100, 40 t0)(L/mu)^1.5 and staleness at most
      t0 + t/(40 (L/mu)^1.5), t0 >= 1. The weighted mean's gap is at most 204 times the paper's first term,
      1000 times the term A2 and 2300 times A3; the printed tau_max^2 A1 is not needed. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance LocalWork Charging Mifa Convex MifaConvex MifaStronglyConvex MifaChance Claims_mifa.
Open Scope R_scope.

(** The least of f 0, ..., f n. *)
Fixpoint least (n : nat) (f : nat -> R) : R := match n with O => f O | S m => Rmin (least m f) (f (S m)) end.

Lemma least_le n f k : (k <= n)%nat -> least n f <= f k.
Proof.
  induction n as [|n IH]; intros Hk; [replace k with 0%nat by lia; simpl; lra|]. simpl.
  destruct (Nat.eq_dec k (S n)) as [->|]; [apply Rmin_r|].
  eapply Rle_trans; [apply Rmin_l|]. apply IH. lia.
Qed.

Lemma least_le_avg n f : least n f <= avg (S n) f.
Proof.
  rewrite <- (avg_const (S n) (least n f)) by lia. apply avg_le. intros k Hk. apply least_le. lia.
Qed.

(** ** What the printed step size makes of the terms *)
Lemma root x : 0 < x -> exists a, 0 < a /\ x = a * a /\ sqrt x = a.
Proof.
  intros Hx. exists (sqrt x). split; [now apply sqrt_lt_R0|]. split; [|reflexivity].
  symmetry. apply sqrt_sqrt. lra.
Qed.

Section Terms.
Variables N K L nu T eta : R.
Hypothesis positive : 0 < N /\ 1 <= K /\ 0 < L /\ 0 <= nu /\ 0 < T.
Hypothesis step_is : eta = sqrt N / (sqrt K * sqrt L * sqrt (nu + 1) * sqrt T).

Lemma step_squared : (eta * K * L) ^ 2 * ((nu + 1) * T) = N * K * L.
Proof.
  destruct positive as (PN & PK & PL & Pn & PT).
  destruct (root N PN) as (a & Pa & EN & SN). destruct (root K ltac:(lra)) as (b & Pb & EK & SK).
  destruct (root L PL) as (c & Pc & EL & SL). destruct (root (nu + 1) ltac:(lra)) as (d & Pd & Ed & Sd).
  destruct (root T PT) as (e & Pe & ET & ST). rewrite step_is, SN, SK, SL, Sd, ST, Ed, EN, EK, EL, ET. field. lra.
Qed.

Lemma conditions_follow alpha tau : 16 * K * N * L <= T -> 32 * alpha * K * N * L <= T ->
  8 * K * tau ^ 2 * N * L <= T -> 0 <= alpha ->
  4 * eta * K * L <= 1 /\ 8 * eta ^ 2 * K ^ 2 * tau ^ 2 * L ^ 2 <= 1
  /\ 32 * alpha * eta ^ 2 * K ^ 2 * L ^ 2 * (nu + 1) <= 1.
Proof.
  intros C1 C2 C3 Pal. pose proof step_squared as Sq. destruct positive as (PN & PK & PL & Pn & PT).
  set (x := eta * K * L) in *. pose proof (pow2_ge_0 x) as Px.
  assert (G : x ^ 2 * T <= N * K * L) by (pose proof (Rmult_le_pos _ _ (Rmult_le_pos _ _ Px (Rlt_le _ _ PT)) Pn); lra).
  pose proof (pow2_ge_0 tau) as Pt. repeat split.
  - assert (16 * x ^ 2 <= 1 ^ 2) by (apply (Rmult_le_reg_r T); lra).
    replace (4 * eta * K * L) with (4 * x) by (unfold x; ring). apply Rnot_lt_le. intros Hx.
    assert (1 * 1 < (4 * x) * (4 * x)) by (apply Rmult_le_0_lt_compat; lra). lra.
  - replace (8 * eta ^ 2 * K ^ 2 * tau ^ 2 * L ^ 2) with (8 * tau ^ 2 * x ^ 2) by (unfold x; ring).
    apply (Rmult_le_reg_r T); [assumption|]. apply (Rmult_le_compat_l (8 * tau ^ 2)) in G; [|lra]. lra.
  - replace (32 * alpha * eta ^ 2 * K ^ 2 * L ^ 2 * (nu + 1)) with (32 * alpha * (x ^ 2 * (nu + 1))) by (unfold x;
    ring).
    apply (Rmult_le_reg_r T); [assumption|].
    replace (32 * alpha * (x ^ 2 * (nu + 1)) * T) with (32 * alpha * (x ^ 2 * ((nu + 1) * T))) by ring. rewrite Sq. lra.
Qed.

Lemma terms_follow age beta sigma gap : 0 <= age <= nu -> 0 <= beta ->
  17 * sigma ^ 2 * eta * L * (2 * age + 1) / N + 103 * gap / (20 * eta * K * T)
    + 46 * eta ^ 2 * K ^ 2 * L ^ 2 * (beta * (K - 1) ^ 2 / K ^ 2 + sigma ^ 2 * (K - 1) / K ^ 2) / 5 <=
  46 * N * L * (beta + sigma ^ 2 / K) * (K - 1) / (5 * (nu + 1) * T)
    + sqrt L * (34 * sigma ^ 2 + 103 * gap / 20) * sqrt (nu + 1) / (sqrt K * sqrt N * sqrt T).
Proof.
  intros Ha Pb0. destruct positive as (PN & PK & PL & Pn & PT).
  destruct (root N PN) as (a & Pa & EN & SN). destruct (root K ltac:(lra)) as (b & Pb & EK & SK).
  destruct (root L PL) as (c & Pc & EL & SL). destruct (root (nu + 1) ltac:(lra)) as (d & Pd & Ed & Sd).
  destruct (root T PT) as (e & Pe & ET & ST). rewrite step_is, SN, SK, SL, Sd, ST, Ed, EN, EK, EL, ET.
  rewrite EK in PK. set (w := c / (a * b * d * e)). set (v := a ^ 2 * c ^ 2 / (d ^ 2 * e ^ 2)).
  assert (Pw : 0 <= w) by (apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; repeat apply Rmult_lt_0_compat; lra]).
  assert (Pv : 0 <= v).
  { apply Rmult_le_pos; [apply Rmult_le_pos; apply pow2_ge_0|].
    left. apply Rinv_0_lt_compat. apply Rmult_lt_0_compat; apply pow_lt; lra. }
  pose proof (pow2_ge_0 sigma) as Ps.
  replace (17 * sigma ^ 2 * (a / (b * c * d * e)) * (c * c) * (2 * age + 1) / (a * a)) with
    (17 * (sigma ^ 2 * w) * (2 * age + 1)) by (unfold w; field; lra).
  replace (c * (34 * sigma ^ 2 + 103 * gap / 20) * d / (b * a * e)) with
    (17 * (sigma ^ 2 * w) * (2 * (d * d)) + 103 * gap / (20 * (a / (b * c * d * e)) * (b * b) * (e * e)))
    by (unfold w; field; lra).
  replace (46 * (a / (b * c * d * e)) ^ 2 * (b * b) ^ 2 * (c * c) ^ 2 * (beta * (b * b - 1) ^ 2 / (b * b) ^ 2
    + sigma ^ 2 * (b * b - 1) / (b * b) ^ 2) / 5) with
    (46 / 5 * v * ((b * b - 1) * (sigma ^ 2 / (b * b) + beta * ((b * b - 1) / (b * b))))) by (unfold v; field; lra).
  replace (46 * (a * a) * (c * c) * (beta + sigma ^ 2 / (b * b)) * (b * b - 1) / (5 * (d * d) * (e * e))) with
    (46 / 5 * v * ((b * b - 1) * (sigma ^ 2 / (b * b) + beta))) by (unfold v; field; lra).
  assert (P1 : 17 * (sigma ^ 2 * w) * (2 * age + 1) <= 17 * (sigma ^ 2 * w) * (2 * (d * d))).
  { apply Rmult_le_compat_l; [pose proof (Rmult_le_pos _ _ Ps Pw); lra|lra]. }
  assert (P2 : beta * ((b * b - 1) / (b * b)) <= beta * 1).
  { apply Rmult_le_compat_l; [assumption|]. apply (Rmult_le_reg_r (b * b)); [lra|].
    replace ((b * b - 1) / (b * b) * (b * b)) with (b * b - 1) by (field; lra). lra. }
  apply (Rmult_le_compat_l (b * b - 1)) in P2; [|lra]. apply (Rmult_le_compat_l (46 / 5 * v)) in P2; lra.
Qed.
End Terms.

(** ** Theorem 6.1 *)
Section Printed.
Context (P : Law) {X : Space} (p : Problem X) (run : Mifa (expected P p)) (R tau : nat) (eta : Rdefinitions.R).
Hypothesis fair : fair_noise P (drawn run) before (noise_at run) (server run 0%nat).
Hypothesis constant : forall t, local_step run t = eta.
Hypothesis aged : age_at_most (as_reports run) tau.
Notation K := (local_steps run).
Notation N := (clients p).
Notation L := (smoothness p).
Variables (alpha : Rdefinitions.R) (beta : nat -> Rdefinitions.R) (nu : nat -> nat).
Hypothesis coefficients_pos : 0 <= alpha /\ forall i, 0 <= beta i.
Hypothesis alike : forall i y, (i < N)%nat -> ‖∇i p i y‖² <= alpha * ‖∇ p y‖² + beta i.
(** Client i is never more than nu i rounds old; nubar is the mean of the nu i. *)
Hypothesis own_ages : forall t i, (i < N)%nat -> (t <= latest run t i + nu i)%nat.
Hypothesis bends : 0 < L.

Definition least_squared_gradient : Rdefinitions.R := least R (fun t => expect P (fun w => ‖∇ p (server run t w)‖²)).
Definition mean_worst_age : Rdefinitions.R := avg N (fun i => INR (nu i)).

Lemma ages_below : 0 <= mean_age run R <= mean_worst_age.
Proof.
  split; [apply mean_age_pos|]. unfold mean_age, ages. simpl last. pose proof (clients_pos p) as PN.
  change (clients (expected P p)) with N.
  assert (S1 : sum R (fun t => sum N (fun i => INR (t - latest run t i))) <= INR R * (INR N * mean_worst_age)).
  { apply sum_le_const. intros t _. unfold mean_worst_age, avg. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    apply sum_le. intros i Hi. apply le_INR. specialize (own_ages t i Hi). lia. }
  destruct R as [|n]; [|pose proof (lt_0_INR (S n) ltac:(lia))].
  - simpl sum. unfold Rdiv. rewrite Rmult_0_l. apply avg_pos. intros. apply pos_INR.
  - apply (Rmult_le_reg_r (INR N * INR (S n))); [now apply Rmult_lt_0_compat|].
    unfold Rdiv. rewrite Rmult_assoc, Rinv_l by (apply Rgt_not_eq; now apply Rmult_lt_0_compat). lra.
Qed.

Theorem theorem6_1_printed_step :
  mifa_thm6_1_corrected_condition_step (local_step_size := eta) (local_steps := INR K)
    (mean_client_max_staleness := mean_worst_age) (num_clients := INR N) (num_rounds := INR R) (smoothness := L) ->
  mifa_thm6_1_corrected_condition_long (dissimilarity_slope := alpha) (local_steps := INR K)
    (max_staleness := INR tau) (num_clients := INR N) (num_rounds := INR R) (smoothness := L) ->
  least_squared_gradient <=
  mifa_thm6_1_corrected_right (dissimilarity_offset := avg N beta) (gradient_noise := noise_bound run)
    (initial_loss_gap := initial_gap P p run) (local_steps := INR K) (mean_client_max_staleness := mean_worst_age)
    (num_clients := INR N) (num_rounds := INR R) (smoothness := L).
Proof.
  unfold mifa_thm6_1_corrected_condition_step, mifa_thm6_1_corrected_condition_long. intros Step Long.
  destruct coefficients_pos as [Pal Pbe]. pose proof ages_below as Ages.
  assert (Pn : 0 <= mean_worst_age) by lra.
  pose proof (clients_pos p) as PN. pose proof (le_INR 1 K (some_step run)) as PK. simpl in PK.
  pose proof (pos_INR R) as PR.
  assert (Positive : 0 < INR N /\ 1 <= INR K /\ 0 < L /\ 0 <= mean_worst_age /\ 0 < INR R + 1) by (repeat split; lra).
  pose proof (Rmax_l (16 * INR K * INR N * L) (Rmax (32 * alpha * INR K * INR N * L)
    (8 * INR K * INR tau ^ 2 * INR N * L))) as M1.
  pose proof (Rmax_r (16 * INR K * INR N * L) (Rmax (32 * alpha * INR K * INR N * L)
    (8 * INR K * INR tau ^ 2 * INR N * L))) as M2.
  pose proof (Rmax_l (32 * alpha * INR K * INR N * L) (8 * INR K * INR tau ^ 2 * INR N * L)) as M3.
  pose proof (Rmax_r (32 * alpha * INR K * INR N * L) (8 * INR K * INR tau ^ 2 * INR N * L)) as M4.
  destruct (conditions_follow (INR N) (INR K) L mean_worst_age (INR R + 1) eta Positive Step alpha (INR tau)
    ltac:(lra) ltac:(lra) ltac:(lra) Pal) as (C1 & C2 & C3).
  eapply Rle_trans; [apply least_le_avg|].
  eapply Rle_trans; [apply (theorem6_1 P p run R tau eta fair constant aged alpha beta nu Pal Pbe alike own_ages C1
    C2 C3)|].
  unfold mifa_thm6_1_best_right, mifa_thm6_1_corrected_right.
  apply (terms_follow (INR N) (INR K) L mean_worst_age (INR R + 1) eta Positive Step); [exact Ages|].
  apply avg_pos. intros. apply Pbe.
Qed.
End Printed.

Theorem theorem6_1_order : exists C, forall (P : Law) (X : Space) (p : Problem X) (run : Mifa (expected P p))
  (R tau : nat) (eta alpha rho delta : Rdefinitions.R) (beta : nat -> Rdefinitions.R) (nu : nat -> nat),
  fair_noise P (drawn run) before (noise_at run) (server run 0%nat) ->
  (forall t, local_step run t = eta) -> age_at_most (as_reports run) tau ->
  0 <= alpha /\ (forall i, 0 <= beta i) -> 0 <= rho -> 0 <= delta ->
  (forall i y, (i < clients p)%nat -> ‖∇i p i y‖² <= alpha * ‖∇ p y‖² + beta i) ->
  (forall t i, (i < clients p)%nat -> (t <= latest run t i + nu i)%nat) -> 0 < smoothness p ->
  mifa_thm6_1_condition_step (local_step_size := eta) (local_steps := INR (local_steps run))
    (mean_client_max_staleness := mean_worst_age p nu) (num_clients := INR (clients p)) (num_rounds := INR R)
    (smoothness := smoothness p) ->
  mifa_thm6_1_condition_long (dissimilarity_slope := alpha) (hessian_smoothness := rho)
    (local_steps := INR (local_steps run)) (max_staleness := INR tau) (noise_bound := delta)
    (num_clients := INR (clients p)) (num_rounds := INR R) (smoothness := smoothness p) ->
  least_squared_gradient P p run R <= C *
  mifa_thm6_1_right (dissimilarity_offset := avg (clients p) beta) (dissimilarity_slope := alpha)
    (gradient_noise := noise_bound run) (hessian_smoothness := rho) (initial_loss_gap := initial_gap P p run)
    (local_steps := INR (local_steps run)) (max_staleness := INR tau)
    (mean_client_max_staleness := mean_worst_age p nu) (noise_bound := delta) (num_clients := INR (clients p))
    (num_rounds := INR R) (smoothness := smoothness p).
Proof.
  exists 34. intros P X p run R tau eta alpha rho delta beta nu Fair Const Aged Pos Pr Pdel Alike Own PL Step Long.
  unfold mifa_thm6_1_condition_long in Long.
  pose proof (clients_pos p) as PN. pose proof (le_INR 1 _ (some_step run)) as PK. simpl in PK.
  pose proof (pos_INR R) as PR. pose proof (pos_INR tau) as Pt. pose proof Pos as [Pal Pbe].
  assert (Pn : 0 <= mean_worst_age p nu) by (apply avg_pos; intros; apply pos_INR).
  set (K := INR (local_steps run)) in *. set (N := INR (clients p)) in *. set (L := smoothness p) in *.
  set (m := mean_worst_age p nu) in *. set (T := INR R + 1) in *. assert (PT : 0 < T) by (unfold T; lra).
  assert (Big : 8 * K * INR tau ^ 2 * N * L <= 8 * K * INR tau ^ 2 * N * (rho * delta + L ^ 2) / L).
  { apply (Rmult_le_reg_r L); [assumption|].
    replace (8 * K * INR tau ^ 2 * N * (rho * delta + L ^ 2) / L * L) with
      (8 * K * INR tau ^ 2 * N * L * L + 8 * (K * INR tau ^ 2 * N * (rho * delta))) by (field; lra).
    pose proof (pow2_ge_0 (INR tau)).
    assert (0 <= K * INR tau ^ 2 * N * (rho * delta)) by (repeat apply Rmult_le_pos; lra). lra. }
  assert (Long2 : mifa_thm6_1_corrected_condition_long (dissimilarity_slope := alpha) (local_steps := K)
    (max_staleness := INR tau) (num_clients := N) (num_rounds := INR R) (smoothness := L)).
  { unfold mifa_thm6_1_corrected_condition_long. eapply Rle_trans; [|exact Long].
    apply Rmax_lub; [apply Rmax_l|]. eapply Rle_trans; [|apply Rmax_r]. apply Rmax_lub; [apply Rmax_l|].
    eapply Rle_trans; [exact Big|apply Rmax_r]. }
  eapply Rle_trans; [apply (theorem6_1_printed_step P p run R tau eta Fair Const Aged alpha beta nu Pos Alike Own PL
    Step Long2)|].
  unfold mifa_thm6_1_corrected_right, mifa_thm6_1_right. fold K N L m T.
  assert (Pg : 0 <= initial_gap P p run).
  { rewrite gap_in_expectation. pose proof (bounded_below (expected P p) (server run 0%nat)) as B.
    change (lowest (expected P p)) with (lowest p) in B. fold (global (expected P p) (server run 0%nat)) in B. lra. }
  set (G := initial_gap P p run) in *. set (sigma := noise_bound run). set (b := avg (clients p) beta).
  assert (Pb : 0 <= b) by (apply avg_pos; intros; apply Pbe).
  assert (Psig : 0 <= sigma) by apply noise_bound_pos. pose proof (pow2_ge_0 sigma) as Ps2.
  pose proof (sqrt_pos b). pose proof (sqrt_pos K). pose proof (sqrt_pos N). pose proof (sqrt_pos L).
  pose proof (sqrt_pos (m + 1)). pose proof (sqrt_pos T).
  assert (Inverse : forall x, 0 <= x -> 0 <= / x).
  { intros x [Px|<-]; [left; now apply Rinv_0_lt_compat|rewrite Rinv_0; lra]. }
  assert (PK1 : 0 <= K - 1) by lra.
  assert (V : 0 <= sqrt L * sqrt (m + 1) / (sqrt K * sqrt N * sqrt T)).
  { unfold Rdiv. repeat apply Rmult_le_pos; try lra. apply Inverse. repeat apply Rmult_le_pos; lra. }
  assert (A5 : 0 <= N * L * (b + sigma ^ 2 / K) * (K - 1) / (m + 1) / T).
  { unfold Rdiv. pose proof (Inverse K ltac:(lra)). pose proof (Inverse (m + 1) ltac:(lra)).
    pose proof (Inverse T ltac:(lra)). assert (0 <= sigma ^ 2 * / K) by now apply Rmult_le_pos.
    repeat apply Rmult_le_pos; lra. }
  assert (A4 : 0 <= (sigma ^ 2 * INR tau * (rho * delta + L ^ 2) / L + K * N * L * (sqrt b * sigma * INR tau
    + alpha * sigma ^ 2 * m + sigma ^ 2 * INR tau / (sqrt K * sqrt N))) / T).
  { unfold Rdiv. pose proof (Inverse L ltac:(lra)). pose proof (Inverse (sqrt K * sqrt N) ltac:(pos)).
    pose proof (Inverse T ltac:(lra)). pose proof (pow2_ge_0 L).
    assert (0 <= rho * delta) by now apply Rmult_le_pos.
    repeat first [assumption | lra | apply Rplus_le_le_0_compat | apply Rmult_le_pos]. }
  replace (46 * N * L * (b + sigma ^ 2 / K) * (K - 1) / (5 * (m + 1) * T)) with
    (46 / 5 * (N * L * (b + sigma ^ 2 / K) * (K - 1) / (m + 1) / T)) by (field; lra).
  set (a4 := (sigma ^ 2 * INR tau * (rho * delta + L ^ 2) / L + K * N * L * (sqrt b * sigma * INR tau
    + alpha * sigma ^ 2 * m + sigma ^ 2 * INR tau / (sqrt K * sqrt N))) / T) in *.
  set (a5 := N * L * (b + sigma ^ 2 / K) * (K - 1) / (m + 1) / T) in *.
  set (v := sqrt L * sqrt (m + 1) / (sqrt K * sqrt N * sqrt T)) in *.
  apply Rle_trans with (46 / 5 * a5 + v * (34 * sigma ^ 2 + 103 * G / 20)).
  { right. unfold v, Rdiv. ring. }
  apply Rle_trans with (34 * (a4 + a5 + v * (sigma ^ 2 + G))).
  - assert (0 <= v * G) by now apply Rmult_le_pos. lra.
  - right. unfold a4, a5, v, Rdiv. ring.
Qed.

(** ** Theorem 5.1 *)
Section FallingSteps.
Context (P : Law) {X : Space} (p : Problem X) (run : Mifa (expected P p)) (R : nat) (mu a t0 : Rdefinitions.R) (best
  : X).
Notation K := (local_steps run).
Notation N := (clients p).
Notation L := (smoothness p).
Hypothesis fair : fair_noise P (drawn run) before (noise_at run) (server run 0%nat).
Hypothesis losses : convex_losses p mu.
Hypothesis optimal : same (∇ p best) zero.
(** A loss is not more convex than smooth, unless the space has no extent. *)
Hypothesis mu_range : 0 < mu <= L.
(** Round t of the paper is t + 1 here. *)
Hypothesis steps : forall t, local_step run t = 4 / (mu * INR K * (INR t + 1 + a)).
(** tau(t, i) <= t0 + t/b with b = 40 (L/mu)^1.5. *)
Hypothesis growth : forall t i, (i < N)%nat ->
  INR (t - latest run t i) <= t0 + (INR t + 1) / (40 * (L / mu * sqrt (L / mu))).

Theorem theorem5_1_terms :
  mifa_thm5_1_terms_condition_late (initial_gap := t0) ->
  mifa_thm5_1_terms_condition_offset (initial_gap := t0) (smoothness := L) (step_offset := a)
    (strong_convexity := mu) ->
  gap_of_average P p run R a best <=
  mifa_thm5_1_terms_right (dissimilarity_at_optimum := spread_at_best p best) (gradient_noise := noise_bound run)
    (initial_distance := distance_of_start P p run best) (initial_gap := t0) (local_steps := INR K)
    (mean_staleness := mean_age run R) (num_clients := INR N) (num_rounds := INR R) (smoothness := L)
    (strong_convexity := mu).
Proof.
  unfold mifa_thm5_1_terms_condition_late, mifa_thm5_1_terms_condition_offset. intros Late Offset.
  destruct mu_range as [Pm Below]. assert (PL : 0 < L) by lra.
  destruct (root L PL) as (c & Pc & EL & SL). destruct (root mu Pm) as (d & Pd & Em & Sm). rewrite SL, Sm in Offset.
  assert (Ratio : sqrt (L / mu) = c / d) by (rewrite sqrt_div, SL, Sm by lra; reflexivity).
  assert (Order : d <= c) by (apply Rnot_lt_le; intros Q; assert (c * c < d * d) by
    (apply Rmult_le_0_lt_compat; lra); lra).
  set (k := c / d) in *. assert (Pk : 1 <= k).
  { unfold k. apply (Rmult_le_reg_r d); [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Ek : L / mu = k * k) by (rewrite EL, Em; unfold k; field; lra).
  assert (Ea : a = k ^ 3 * Rmax 100 (40 * t0)) by (rewrite Offset; unfold k; field; lra).
  pose proof (Rmax_l 100 (40 * t0)) as M1. pose proof (Rmax_r 100 (40 * t0)) as M2.
  assert (M3 : Rmax 100 (40 * t0) <= 100 * t0) by (apply Rmax_lub; lra).
  set (m := Rmax 100 (40 * t0)) in *.
  assert (P2 : 1 <= k ^ 2) by (rewrite <- (pow1 2); apply pow_incr; lra).
  assert (P3 : k ^ 2 <= k ^ 3) by (pose proof (Rmult_le_compat_l (k ^ 2) 1 k ltac:(lra) Pk); lra).
  assert (Far : mifa_thm5_1_best_condition_offset (smoothness := L) (step_offset := a) (strong_convexity := mu)).
  { unfold mifa_thm5_1_best_condition_offset. replace (100 * L / mu) with (100 * (L / mu)) by (field; lra).
    rewrite Ek, Ea. assert (k ^ 2 * 100 <= k ^ 3 * m) by (apply Rmult_le_compat; lra). lra. }
  assert (Slow : forall t i, (i < N)%nat -> INR (t - latest run t i) <= (INR t + 1 + a) * mu / (40 * L)).
  { intros t i Hi. eapply Rle_trans; [now apply growth|]. rewrite Ratio, Ek. pose proof (pos_INR t) as Pt.
    replace ((INR t + 1 + a) * mu / (40 * L)) with ((INR t + 1 + a) / (40 * (L / mu))) by (field; lra). rewrite Ek.
    apply (Rmult_le_reg_r (40 * (k * k * k))); [pos; lra|].
    replace ((t0 + (INR t + 1) / (40 * (k * k * k))) * (40 * (k * k * k))) with (40 * t0 * k ^ 3 + (INR t + 1))
      by (field; lra).
    replace ((INR t + 1 + a) / (40 * (k * k)) * (40 * (k * k * k))) with ((INR t + 1 + a) * k) by (field; lra).
    assert (Q : (INR t + 1 + a) * 1 <= (INR t + 1 + a) * k).
    { apply Rmult_le_compat_l; [|lra]. rewrite Ea. assert (0 <= k ^ 3 * m) by (apply Rmult_le_pos; lra). lra. }
    assert (k ^ 3 * (40 * t0) <= k ^ 3 * m) by (apply Rmult_le_compat_l; lra). lra. }
  eapply Rle_trans; [apply (theorem5_1 P p run R mu a best fair losses optimal Pm steps Slow Far)|].
  unfold mifa_thm5_1_best_right, mifa_thm5_1_terms_right.
  set (sigma := noise_bound run). set (S0 := distance_of_start P p run best). set (D := spread_at_best p best).
  pose proof (clients_pos p) as PN. pose proof (le_INR 1 K (some_step run)) as PK. simpl in PK.
  pose proof (pos_INR R) as PR. pose proof (mean_age_pos run R) as Pag.
  assert (PD : 0 <= D) by (apply avg_pos; intros; apply dot_pos).
  pose proof (pow2_ge_0 sigma) as Ps. pose proof (pow2_ge_0 S0) as P0.
  set (T := INR R + 1). assert (PT : 0 < T) by (unfold T; lra).
  assert (Pa : 0 <= a) by (rewrite Ea; apply Rmult_le_pos; lra).
  assert (Inverse : forall x, 0 < x -> 0 <= / x) by (intros; left; now apply Rinv_0_lt_compat).
  assert (T1 : 102 * sigma ^ 2 * (2 * mean_age run R + 1) / (INR K * INR N * mu * (INR R + a + 1))
    <= 204 * sigma ^ 2 * (mean_age run R + 1) / (INR K * INR N * mu * T)).
  { assert (0 < INR K * INR N * mu) by (repeat apply Rmult_lt_0_compat; lra).
    apply Rmult_le_compat; [apply Rmult_le_pos; lra| | |].
    - apply Inverse. apply Rmult_lt_0_compat; lra.
    - assert (sigma ^ 2 * (2 * mean_age run R + 1) <= sigma ^ 2 * (2 * (mean_age run R + 1))) by
        (apply Rmult_le_compat_l; lra). lra.
    - apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|]. apply Rmult_le_compat_l; unfold T; lra. }
  assert (T2 : 23 * S0 ^ 2 * a ^ 2 * mu / (100 * T ^ 2) <= 2300 * S0 ^ 2 * t0 ^ 2 * L ^ 3 / (mu ^ 2 * T ^ 2)).
  { assert (A2 : a ^ 2 <= (k ^ 3 * (100 * t0)) ^ 2).
    { apply pow_incr. split; [assumption|]. rewrite Ea. apply Rmult_le_compat_l; lra. }
    replace (2300 * S0 ^ 2 * t0 ^ 2 * L ^ 3 / (mu ^ 2 * T ^ 2)) with
      (23 * S0 ^ 2 * mu / (100 * T ^ 2) * (k ^ 3 * (100 * t0)) ^ 2).
    2: { replace (L ^ 3) with (mu ^ 3 * (L / mu) ^ 3) by (field; lra). rewrite Ek. field. split; lra. }
    replace (23 * S0 ^ 2 * a ^ 2 * mu / (100 * T ^ 2)) with (23 * S0 ^ 2 * mu / (100 * T ^ 2) * a ^ 2) by (field; lra).
    apply Rmult_le_compat_l; [|assumption]. unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; lra|].
    apply Inverse. pose proof (pow_lt T 2 PT). lra. }
  assert (T3 : L * (750 * D * (INR K - 1) ^ 2 / INR K ^ 2 + 500 * sigma ^ 2 * (INR K - 1) / INR K ^ 2) / (mu ^ 2 * T
    ^ 2)
    <= 1000 * L * (INR K - 1) ^ 2 * (D / INR K ^ 2 + sigma ^ 2 / INR K ^ 3) / (mu ^ 2 * T ^ 2)).
  { unfold Rdiv at 1 4. apply Rmult_le_compat_r; [apply Inverse; apply Rmult_lt_0_compat; now apply pow_lt|].
    rewrite (Rmult_comm 1000 L), !(Rmult_assoc L). apply Rmult_le_compat_l; [lra|].
    assert (PK3 : 0 < INR K ^ 3) by (apply pow_lt; lra).
    apply (Rmult_le_reg_r (INR K ^ 3)); [assumption|].
    replace ((750 * D * (INR K - 1) ^ 2 / INR K ^ 2 + 500 * sigma ^ 2 * (INR K - 1) / INR K ^ 2) * INR K ^ 3) with
      (750 * (D * (INR K - 1) ^ 2 * INR K) + 500 * (sigma ^ 2 * ((INR K - 1) * INR K))) by (field; lra).
    replace (1000 * (INR K - 1) ^ 2 * (D / INR K ^ 2 + sigma ^ 2 / INR K ^ 3) * INR K ^ 3) with
      (1000 * (D * (INR K - 1) ^ 2 * INR K) + 1000 * (sigma ^ 2 * (INR K - 1) ^ 2)) by (field; lra).
    assert (0 <= D * (INR K - 1) ^ 2 * INR K) by
      (apply Rmult_le_pos; [apply Rmult_le_pos; [assumption|apply pow2_ge_0]|lra]).
    assert (W : (INR K - 1) * INR K <= 2 * (INR K - 1) ^ 2).
    { destruct (Nat.eq_dec K 1) as [->|]; [simpl; lra|]. pose proof (some_step run).
      pose proof (le_INR 2 K ltac:(lia)) as K2. simpl in K2.
      assert ((INR K - 1) * INR K <= (INR K - 1) * (2 * (INR K - 1))) by (apply Rmult_le_compat_l; lra). lra. }
    apply (Rmult_le_compat_l (sigma ^ 2)) in W; lra. }
  fold T in T1. eapply Rle_trans; [apply Rplus_le_compat; [apply Rplus_le_compat; [exact T1|exact T2]|exact T3]|].
  right. field. repeat split; lra.
Qed.
End FallingSteps.
