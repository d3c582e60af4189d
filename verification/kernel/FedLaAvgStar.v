(** * FedLaAvg with linear speedup (Theorems 3 star and 4 star, Corollary 1 star)

    FedLaAvg runs for T rounds on N clients, each loss L-smooth, convex or not, their average f bounded
    below; nobody's latest gradients are more than I rounds old, who takes part is arbitrary otherwise;
    noise has mean zero given what was drawn before and variance at most sigma^2. gap = E f(x_0) - low.

    - 4 star, C local steps of size gamma, E |stochastic gradient|^2 <= G^2: if 4 gamma L C (I + 1) <= 1,
      the mean over the rounds of E |grad f (x_t)|^2 at the server's models is at most 2 gap/(gamma C T)
      + (7/2) gamma L (I + 1) sigma^2/N + (2/3)(C - 1)(2C - 1) gamma^2 L^2 G^2 + 4 I G^2/T, cold start
      included.
    - 3 star, C = 1: at most 4 gap/(gamma T) + 7 gamma L (I + 1) sigma^2/N + 4 I G^2/T.
    - 3 star from a warm start (all take part in round 1): the same without the last term, and without
      any bound on gradients.
    - Corollary 1 star: with the best gamma, 4 sqrt(7 L gap sigma^2 (I + 1)/(N T)) + (16 L gap (I + 1) +
      4 I G^2)/T.

    Unlike the paper: the noise pays 1/N, as if everybody took part, where the paper has 1/sqrt N and
    asks whether that is tight; G stays in no term that does not fall with T but that of local drift. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Chance FedLaAvgRounds MemoryDescent Claims_fedlaavg.
Open Scope R_scope.

Section Star.
Context {H : Space} {p : Problem H} (run : FedLaAvgRounds p) (I T : nat).
Hypothesis Fair : unbiased_noise run.
Hypothesis Fresh : stale_at_most run I.
Hypothesis some_rounds : (0 < T)%nat.

Notation N := (clients p).
Notation L := (smoothness p).
Notation x := (model run).
Notation gamma := (step run).
Notation C := (local_steps run).
Notation sigma := (noise_level run).
Notation last := (Staleness.last (selected run)).
Notation gap := (global p (x 0%nat) - lowest p).
Notation lag := (lag (gamma * INR C) (nu run) I (paths run)).

Let gamma_pos : 0 < gamma := step_positive run.
Let L_pos : 0 <= L := smoothness_pos p.

Lemma g_pos : 0 < gamma * INR C.
Proof. pose proof (some_C run). now apply Rmult_lt_0_compat. Qed.

Lemma gap_pos : 0 <= gap.
Proof. pose proof (bounded_below p (x 0%nat)). unfold global. lra. Qed.

(** ** Bias: lag, local drift, and those who have not been heard from *)
Definition missing t : H := mean N (fun i => match last (S t) i with O => ∇i p i (x t) | S _ => zero end).

Lemma weighted_sum3 (a b c : H) : ‖(a ⊕ b) ⊕ c‖² <= 2 * ‖a‖² + 4 * ‖b‖² + 4 * ‖c‖².
Proof. rewrite <- add_assoc. pose proof (norm_add2 a (b ⊕ c)). pose proof (norm_add2 b c). lra. Qed.

Lemma client_lag t s i : (i < N)%nat -> (s <= t)%nat -> (t <= s + I)%nat ->
  ‖∇i p i (x t) ⊖ ∇i p i (x s)‖² <= L ^ 2 * lag t.
Proof.
  intros Hi H1 H2. eapply Rle_trans; [now apply client_lipschitz|]. apply Rmult_le_compat_l; [pos|].
  replace s with (t - (t - s))%nat by lia.
  apply (lag_any_noise _ x (used run) (serve_used run) (paths run) (hums run) (nu run) (used_is run)
    (hums_square run Fair)); lia.
Qed.

Section Drift.
Variable drift : R.
Hypothesis drift_pos : 0 <= drift.
Hypothesis drifts : forall t i, (i < N)%nat -> ‖∇i p i (x t) ⊖ path p i C (local run t i)‖² <= drift.

Lemma bias t : ‖∇ p (x t) ⊖ paths run t‖² <= 2 * (L ^ 2 * lag t) + (4 * drift + 4 * ‖missing t‖²).
Proof.
  set (late i := match last (S t) i with O => zero | S s => ∇i p i (x t) ⊖ ∇i p i (x s) end).
  set (local i := match last (S t) i with O => zero
                  | S s => ∇i p i (x s) ⊖ path p i C (local run s i) end).
  assert (E : same (∇ p (x t) ⊖ paths run t) ((mean N late ⊕ mean N local) ⊕ missing t)).
  { intros z. unfold global_gradient, average_gradient, paths, missing. expand_dots.
    rewrite <- avg_scale, <- !avg_add. apply avg_ext. intros i Hi. unfold late, local, path_of.
    destruct (last (S t) i); expand_dots; ring. }
  assert (Late : ‖mean N late‖² <= L ^ 2 * lag t).
  { apply norm_mean_le; [apply some_client|]. intros i Hi. unfold late.
    pose proof (Fresh (S t) i Hi) as F. pose proof (last_le (selected run) (S t) i).
    destruct (last (S t) i) as [|s]; [|apply client_lag; auto; lia].
    rewrite dot_zero_l. pose proof (client_lag t t i Hi ltac:(lia) ltac:(lia)).
    pose proof (dot_pos (∇i p i (x t) ⊖ ∇i p i (x t))). lra. }
  assert (Local : ‖mean N local‖² <= drift).
  { apply norm_mean_le; [apply some_client|]. intros i Hi. unfold local.
    destruct (last (S t) i) as [|s]; [now rewrite dot_zero_l|now apply drifts]. }
  rewrite (same_norm _ _ E). pose proof (weighted_sum3 (mean N late) (mean N local) (missing t)). lra.
Qed.

(** ** All rounds *)
Theorem star : 4 * (gamma * INR C * L) * (INR I + 1) <= 1 ->
  avg T (fun t => ‖∇ p (x t)‖²) <= 2 * gap / (gamma * INR C * INR T)
    + 7 / 2 * gamma * L * (INR I + 1) * sigma ^ 2 / INR N + 4 * drift + 4 * avg T (fun t => ‖missing t‖²).
Proof.
  intros Small. pose proof (lt_0_INR T some_rounds) as PT. pose proof (some_C run) as PC.
  pose proof (clients_pos p) as PN. pose proof g_pos as Pg.
  pose proof (memory_descent p (gamma * INR C) (nu run) I x (used run) (paths run) (hums run) Pg
    (serve_used run) (used_is run) (hums_square run Fair) (fun t => hums_meet_old_model run Fair I t Fresh)
    _ bias T ltac:(lra)) as M.
  rewrite sum_add, sum_const, sum_scale in M.
  apply (Rmult_le_compat_l (/ INR T)) in M; [|left; now apply Rinv_0_lt_compat].
  unfold avg at 1. eapply Rle_trans; [exact M|]. right. unfold avg, nu. field. lra.
Qed.
End Drift.

(** Nobody is missing after the first I rounds. *)
Lemma all_heard t i : (I <= t)%nat -> (i < N)%nat -> (0 < last (S t) i)%nat.
Proof. intros Ht Hi. pose proof (Fresh (S t) i Hi). lia. Qed.

Lemma nobody_missing t : (forall i, (i < N)%nat -> (0 < last (S t) i)%nat) -> ‖missing t‖² <= 0.
Proof.
  intros Heard. apply norm_mean_le; [apply some_client|]. intros i Hi. specialize (Heard i Hi).
  destruct (last (S t) i); [lia|]. rewrite dot_zero_l. lra.
Qed.

Section Bounded.
Context (G : R).
Hypotheses (G_pos : 0 <= G) (Bounded : second_moments run G).

Lemma few_missing : avg T (fun t => ‖missing t‖²) <= INR I * G ^ 2 / INR T.
Proof.
  pose proof (lt_0_INR T some_rounds) as PT. unfold avg.
  apply Rle_trans with (/ INR T * (INR I * G ^ 2)); [|right; field; lra].
  apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
  assert (Each : forall t, ‖missing t‖² <= G ^ 2).
  { intros t. apply norm_mean_le; [apply some_client|]. intros i Hi. destruct (last (S t) i).
    - rewrite <- (pull run t i). apply (client_gradient_square run Fair G Bounded); [assumption|apply some_steps].
    - rewrite dot_zero_l. pos. }
  apply Rle_trans with (sum (I + T) (fun t => ‖missing t‖²)).
  - apply sum_le_longer; [lia|]. intros. apply dot_pos.
  - rewrite sum_split. pose proof (sum_le_const I (fun t => ‖missing t‖²) _ (fun t _ => Each t)) as A.
    assert (B : sum T (fun k => ‖missing (I + k)%nat‖²) <= INR T * 0).
    { apply sum_le_const. intros k _. apply nobody_missing. intros i Hi. apply all_heard; [lia|assumption]. }
    lra.
Qed.

Theorem fedlaavg_rounds_star :
  fedlaavg_thm4star_condition_step (local_step_size := gamma) (local_steps := INR C) (smoothness := L)
    (staleness_bound := INR I) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  fedlaavg_thm4star_right (gradient_bound := G) (gradient_noise := sigma) (initial_loss_gap := gap)
    (local_step_size := gamma) (local_steps := INR C) (num_clients := INR N) (num_rounds := INR T)
    (smoothness := L) (staleness_bound := INR I).
Proof.
  unfold fedlaavg_thm4star_condition_step, fedlaavg_thm4star_right. intros Small.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (some_C run) as PC. pose proof (clients_pos p) as PN.
  assert (P : 0 <= stray run G).
  { pose proof (path_stray run G G_pos Bounded 0 0 (some_client p)) as S.
    pose proof (dot_pos (∇i p 0%nat (x 0%nat) ⊖ path p 0 C (local run 0%nat 0%nat))). lra. }
  eapply Rle_trans; [apply (star (stray run G) P (path_stray run G G_pos Bounded)); lra|].
  pose proof few_missing as F. apply (Rmult_le_compat_l 4) in F; [|lra].
  eapply Rle_trans; [apply Rplus_le_compat_l, F|]. right. unfold stray. field. lra.
Qed.
End Bounded.

(** ** One local step *)
Hypothesis one : C = 1%nat.

Lemma no_drift t i : ‖∇i p i (x t) ⊖ path p i C (local run t i)‖² <= 0.
Proof.
  rewrite one, (same_norm _ zero), dot_zero_l; [lra|]. unfold path, mean, exact. simpl.
  rewrite (pull run). vectors. field.
Qed.

Lemma one_step_star : 4 * (gamma * L) * (INR I + 1) <= 1 ->
  avg T (fun t => ‖∇ p (x t)‖²) <= 4 * gap / (gamma * INR T) + 7 * gamma * L * (INR I + 1) * sigma ^ 2 / INR N
    + 4 * avg T (fun t => ‖missing t‖²).
Proof.
  intros Small. pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PN.
  pose proof gap_pos as Pb. pose proof (pos_INR I) as PI.
  pose proof (star 0 (Rle_refl 0) (fun t i _ => no_drift t i)) as S. rewrite one in S. simpl INR in S.
  specialize (S ltac:(lra)). eapply Rle_trans; [exact S|].
  assert (A : 0 <= gap / (gamma * INR T)).
  { apply Rmult_le_pos; [assumption|]. left. now apply Rinv_0_lt_compat, Rmult_lt_0_compat. }
  assert (B : 0 <= gamma * L * (INR I + 1) * sigma ^ 2 / INR N).
  { apply Rmult_le_pos; [pos|]. left. now apply Rinv_0_lt_compat. }
  replace (2 * gap / (gamma * 1 * INR T)) with (2 * (gap / (gamma * INR T))) by (field; lra).
  replace (4 * gap / (gamma * INR T)) with (4 * (gap / (gamma * INR T))) by (field; lra).
  unfold Rdiv in *. lra.
Qed.

Theorem fedlaavg_star_warm : (forall i, (i < N)%nat -> selected run 1%nat i = true) ->
  fedlaavg_thm3star_warm_condition_step (local_step_size := gamma) (smoothness := L) (staleness_bound := INR I) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  fedlaavg_thm3star_warm_right (gradient_noise := sigma) (initial_loss_gap := gap) (local_step_size := gamma)
    (num_clients := INR N) (num_rounds := INR T) (smoothness := L) (staleness_bound := INR I).
Proof.
  intros Warm. unfold fedlaavg_thm3star_warm_condition_step, fedlaavg_thm3star_warm_right. intros Small.
  eapply Rle_trans; [apply one_step_star; lra|].
  assert (M : avg T (fun t => ‖missing t‖²) <= 0).
  { apply avg_le_const; [assumption|]. intros t _. apply nobody_missing. intros i Hi.
    induction t; [simpl; rewrite Warm by assumption; lia|].
    change (0 < if selected run (S (S t)) i then S (S t) else last (S t) i)%nat.
    destruct (selected run (S (S t)) i); lia. }
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PN.
  apply Rle_trans with (4 * gap / (gamma * INR T) + 7 * gamma * L * (INR I + 1) * sigma ^ 2 / INR N); [lra|].
  right. field. lra.
Qed.

Section BoundedOneStep.
Context (G : R).
Hypothesis Bounded : second_moments run G.

Theorem fedlaavg_star :
  fedlaavg_thm3star_condition_step (local_step_size := gamma) (smoothness := L) (staleness_bound := INR I) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  fedlaavg_thm3star_right (gradient_bound := G) (gradient_noise := sigma) (initial_loss_gap := gap)
    (local_step_size := gamma) (num_clients := INR N) (num_rounds := INR T) (smoothness := L)
    (staleness_bound := INR I).
Proof.
  unfold fedlaavg_thm3star_condition_step, fedlaavg_thm3star_right. intros Small.
  eapply Rle_trans; [apply one_step_star; lra|]. pose proof (few_missing G Bounded) as F.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PN.
  apply (Rmult_le_compat_l 4) in F; [|lra]. eapply Rle_trans; [apply Rplus_le_compat_l, F|].
  right. field. lra.
Qed.

Theorem fedlaavg_tuned :
  fedlaavg_cor1star_condition_step (gradient_noise := sigma) (initial_loss_gap := gap) (local_step_size := gamma)
    (num_clients := INR N) (num_rounds := INR T) (smoothness := L) (staleness_bound := INR I) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  fedlaavg_cor1star_right (gradient_bound := G) (gradient_noise := sigma) (initial_loss_gap := gap)
    (num_clients := INR N) (num_rounds := INR T) (smoothness := L) (staleness_bound := INR I).
Proof.
  unfold fedlaavg_cor1star_condition_step. intros [Small [Below Equal]].
  eapply Rle_trans; [apply fedlaavg_star; unfold fedlaavg_thm3star_condition_step; lra|].
  unfold fedlaavg_thm3star_right, fedlaavg_cor1star_right.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PN. pose proof (pos_INR I) as PI.
  pose proof gap_pos as Gap. set (D := gap) in *. pose proof (noise_level_pos run) as Psig.
  pose proof (sqrt_lt_R0 (INR N) PN) as RN. pose proof (sqrt_lt_R0 (INR T) PT) as RT.
  set (r := sqrt 7 * sigma * sqrt D * sqrt L * sqrt (INR I + 1) / (sqrt (INR N) * sqrt (INR T))).
  assert (Pr : 0 <= r).
  { unfold r, Rdiv. pose proof (sqrt_pos 7). pose proof (sqrt_pos D). pose proof (sqrt_pos L).
    pose proof (sqrt_pos (INR I + 1)). apply Rmult_le_pos; [pos|]. left. apply Rinv_0_lt_compat.
    now apply Rmult_lt_0_compat. }
  assert (Sq : r * r = 7 * sigma ^ 2 * D * L * (INR I + 1) / (INR N * INR T)).
  { unfold r. rewrite <- (sqrt_sqrt (INR N)), <- (sqrt_sqrt (INR T)) at 3 by lra.
    rewrite <- (sqrt_sqrt D) at 3 by lra. rewrite <- (sqrt_sqrt L) at 3 by lra.
    rewrite <- (sqrt_sqrt (INR I + 1)) at 3 by lra. rewrite <- (sqrt_sqrt 7) at 3 by lra. field. lra. }
  set (u := 7 * sigma ^ 2 * gamma * L * (INR I + 1) / INR N). set (v := 4 * D / (gamma * INR T)).
  assert (Pu : 0 <= u) by (unfold u, Rdiv; apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat]).
  assert (UV : u * v = 4 * (r * r)) by (rewrite Sq; unfold u, v; field; repeat split; lra).
  assert (Pw : 0 < gamma * INR T * INR N) by (repeat apply Rmult_lt_0_compat; lra).
  assert (Lower : u <= v).
  { apply (Rmult_le_reg_l (gamma * INR T * INR N)); [assumption|].
    replace (gamma * INR T * INR N * u) with (7 * sigma ^ 2 * gamma ^ 2 * INR T * L * (INR I + 1))
      by (unfold u; field; lra).
    replace (gamma * INR T * INR N * v) with (4 * D * INR N) by (unfold v; field; repeat split; lra). lra. }
  assert (Half : u <= 2 * r).
  { assert (u * u <= 2 * r * (2 * r)).
    { apply Rle_trans with (u * v); [now apply Rmult_le_compat_l|]. rewrite UV. lra. }
    apply Rsqr_incr_0_var; [unfold Rsqr; lra|lra]. }
  set (cold := 4 * G ^ 2 * INR I / INR T).
  apply Rle_trans with (u + v + cold); [right; unfold u, v, cold; field; repeat split; lra|].
  apply Rle_trans with (4 * r + 16 * D * L * (INR I + 1) / INR T + cold);
    [apply Rplus_le_compat_r|right; unfold r, cold; field; repeat split; lra].
  assert (P16 : 0 <= 16 * D * L * (INR I + 1) / INR T)
    by (unfold Rdiv; apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat]).
  destruct Equal as [Largest|Balanced].
  - assert (Ev : v = 16 * D * L * (INR I + 1) / INR T); [|lra].
    apply (Rmult_eq_reg_l (gamma * INR T)); [|nra].
    replace (gamma * INR T * (16 * D * L * (INR I + 1) / INR T)) with (4 * D * (4 * gamma * L * (INR I + 1)))
      by (field; lra).
    replace (4 * gamma * L * (INR I + 1)) with 1 by lra. unfold v. field. repeat split; lra.
  - assert (Ev : v = u); [|lra].
    apply (Rmult_eq_reg_l (gamma * INR T * INR N)); [|lra].
    replace (gamma * INR T * INR N * u) with (7 * sigma ^ 2 * gamma ^ 2 * INR T * L * (INR I + 1))
      by (unfold u; field; lra).
    replace (gamma * INR T * INR N * v) with (4 * D * INR N) by (unfold v; field; repeat split; lra). lra.
Qed.
End BoundedOneStep.
End Star.

(** ** In expectation, on any finite probability space

    [run] is a random run: its equations hold outcome by outcome. Its noise has mean zero given the
    start and all draws before. [second_moments run G]: E |stochastic gradient|^2 <= G^2. *)
Section Expected.
Context {P : Law} {X : Space} {p : Problem X} (run : FedLaAvgRounds (expected P p)) (I T : nat).
Hypothesis Fair : fair_noise P (drawn run) before (noise_of run) (model run 0%nat).
Hypothesis Fresh : stale_at_most run I.
Hypothesis some_rounds : (0 < T)%nat.
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem thm4star G : 0 <= G -> second_moments run G ->
  fedlaavg_thm4star_condition_step (local_step_size := step run) (local_steps := INR (local_steps run))
    (smoothness := smoothness p) (staleness_bound := INR I) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  fedlaavg_thm4star_right (gradient_bound := G) (gradient_noise := noise_level run) (initial_loss_gap := gap)
    (local_step_size := step run) (local_steps := INR (local_steps run)) (num_clients := INR (clients p))
    (num_rounds := INR T) (smoothness := smoothness p) (staleness_bound := INR I).
Proof. intros. in_expectation (fedlaavg_rounds_star run I T). Qed.

Theorem thm3star G : second_moments run G -> local_steps run = 1%nat ->
  fedlaavg_thm3star_condition_step (local_step_size := step run) (smoothness := smoothness p)
    (staleness_bound := INR I) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  fedlaavg_thm3star_right (gradient_bound := G) (gradient_noise := noise_level run) (initial_loss_gap := gap)
    (local_step_size := step run) (num_clients := INR (clients p)) (num_rounds := INR T)
    (smoothness := smoothness p) (staleness_bound := INR I).
Proof. intros. in_expectation (fedlaavg_star run I T). Qed.

Theorem thm3star_warm : local_steps run = 1%nat ->
  (forall i, (i < clients p)%nat -> selected run 1%nat i = true) ->
  fedlaavg_thm3star_warm_condition_step (local_step_size := step run) (smoothness := smoothness p)
    (staleness_bound := INR I) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  fedlaavg_thm3star_warm_right (gradient_noise := noise_level run) (initial_loss_gap := gap)
    (local_step_size := step run) (num_clients := INR (clients p)) (num_rounds := INR T)
    (smoothness := smoothness p) (staleness_bound := INR I).
Proof. intros. in_expectation (fedlaavg_star_warm run I T). Qed.

Theorem cor1star G : second_moments run G -> local_steps run = 1%nat ->
  fedlaavg_cor1star_condition_step (gradient_noise := noise_level run) (initial_loss_gap := gap)
    (local_step_size := step run) (num_clients := INR (clients p)) (num_rounds := INR T)
    (smoothness := smoothness p) (staleness_bound := INR I) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  fedlaavg_cor1star_right (gradient_bound := G) (gradient_noise := noise_level run) (initial_loss_gap := gap)
    (num_clients := INR (clients p)) (num_rounds := INR T) (smoothness := smoothness p)
    (staleness_bound := INR I).
Proof. intros. in_expectation (fedlaavg_tuned run I T). Qed.
End Expected.
