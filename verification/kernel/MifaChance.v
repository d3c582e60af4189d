(** * MIFA in expectation, in the words of the ledger

    The theorems of Mifa.v and MifaConvex.v about random runs on a finite probability space: given the
    start, all noise of earlier rounds, that of other clients in the same round and its own earlier
    steps, the noise of a local step has mean zero. Availability is fixed beforehand (if it is random
    but does not depend on the noise, condition on it); everybody is there in round 0. The step is
    constant, h = K eta; R rounds make R + 1 models; tau_max, taubar and nubar are the largest age of a
    remembered update, its mean over clients and rounds, and the mean over clients of their largest.

    - [theorem6_1]: smooth losses, any K;
    - [theorem6_1_one_step]: K = 1, no assumption on how the clients differ;
    - [theorem5_1_convex]: convex losses, gap of the loss above its least value;
    - [theorem5_1]: strongly convex losses with the paper's falling steps, gap of the weighted mean. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance LocalWork Charging Mifa Convex MifaConvex MifaStronglyConvex Claims_mifa.
Open Scope R_scope.

(** A point as a random point that is always the same. *)
Definition always {P : Law} {X : Space} (best : X) : random P X := fun _ => best.

Section Expected.
Context (P : Law) {X : Space} (p : Problem X) (run : Mifa (expected P p)) (R tau : nat) (eta : Rdefinitions.R).
Hypothesis fair : fair_noise P (drawn run) before (noise_at run) (server run 0%nat).
Hypothesis constant : forall t, local_step run t = eta.
Hypothesis aged : age_at_most (as_reports run) tau.
Notation K := (local_steps run).
Notation N := (clients p).

Definition mean_squared_gradient_of_models : Rdefinitions.R :=
  avg (S R) (fun t => expect P (fun w => ‖∇ p (server run t w)‖²)).
Definition initial_gap : Rdefinitions.R := expect P (fun w => global p (server run 0%nat w)) - lowest p.

Lemma in_expectation :
  mean_squared_gradient_of_models = avg (S R) (fun t => ‖∇ (expected P p) (server run t)‖²).
Proof. apply avg_ext. intros t _. symmetry. apply expected_square. Qed.

Lemma gap_in_expectation : initial_gap = global (expected P p) (server run 0%nat) - lowest p.
Proof. unfold initial_gap. now rewrite expected_global. Qed.

Let noise_unbiased : unbiased_noise run := fair_unbiased P p _ _ _ _ fair.

Lemma steps_pos : 0 < INR K /\ 0 < eta /\ 0 < INR N /\ 0 < INR R + 1.
Proof.
  pose proof (local_step_pos run 0) as E. rewrite constant in E. pose proof (pos_INR R).
  repeat split; [apply lt_0_INR, some_step|assumption|apply clients_pos|lra].
Qed.

(** What the server's noise and the local drift contribute is not negative. *)
Lemma noise_term_pos : 0 <= INR K * eta * smoothness p * (2 * mean_age run R + 1) * noise_bound run ^ 2 / (INR N *
  INR K).
Proof.
  destruct steps_pos as (A & B & C & _). pose proof (mean_age_pos run R). pose proof (smoothness_pos p).
  unfold Rdiv. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat].
  apply Rmult_le_pos; [|apply pow2_ge_0]. apply Rmult_le_pos; [pos|lra].
Qed.

Lemma gap_term_pos : 0 <= initial_gap / (INR K * eta * (INR R + 1)).
Proof.
  destruct steps_pos as (A & B & _ & D). rewrite gap_in_expectation.
  pose proof (bounded_below (expected P p) (server run 0%nat)) as L. fold (global (expected P p) (server run 0%nat))
    in L.
  change (lowest (expected P p)) with (lowest p) in L. unfold Rdiv. apply Rmult_le_pos; [lra|].
  left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; assumption.
Qed.

Theorem theorem6_1_one_step :
  mifa_thm6_1_best_one_step_condition_i (local_step_size := eta) (local_steps := INR K) (smoothness := smoothness p) ->
  mifa_thm6_1_best_one_step_condition_ii (local_step_size := eta) (local_steps := INR K) (max_staleness := INR tau)
    (smoothness := smoothness p) ->
  mifa_thm6_1_best_one_step_condition_one_step (local_steps := INR K) ->
  mean_squared_gradient_of_models <=
  mifa_thm6_1_best_one_step_right (gradient_noise := noise_bound run) (initial_loss_gap := initial_gap)
    (local_step_size := eta) (local_steps := INR K) (mean_staleness := mean_age run R)
    (num_clients := INR N) (num_rounds := INR R) (smoothness := smoothness p).
Proof.
  unfold mifa_thm6_1_best_one_step_condition_i, mifa_thm6_1_best_one_step_condition_ii,
    mifa_thm6_1_best_one_step_condition_one_step. intros C1 C2 C3.
  assert (One : K = 1%nat) by (apply INR_eq; exact C3). rewrite in_expectation.
  pose proof (mifa_one_step run noise_unbiased eta constant R tau aged) as B.
  change (smoothness (expected P p)) with (smoothness p) in B. change (clients (expected P p)) with N in B.
  change (lowest (expected P p)) with (lowest p) in B. rewrite <- gap_in_expectation, S_INR in B.
  specialize (B ltac:(lra) ltac:(lra) One). eapply Rle_trans; [exact B|].
  destruct steps_pos as (P1 & P2 & P3 & P4). pose proof noise_term_pos as Pn. unfold mifa_thm6_1_best_one_step_right.
  apply Rle_trans with (4 * initial_gap / (INR K * eta * (INR R + 1))
    + 7 * (INR K * eta * smoothness p * (2 * mean_age run R + 1) * noise_bound run ^ 2 / (INR N * INR K))).
  - lra.
  - right. field. lra.
Qed.

(** The condition on the clients' gradients, as random models see it. *)
Lemma alike_expected alpha beta :
  (forall i y, (i < N)%nat -> ‖∇i p i y‖² <= alpha * ‖∇ p y‖² + beta i) ->
  forall i (Y : random P X), (i < N)%nat -> ‖∇i (expected P p) i Y‖² <= alpha * ‖∇ (expected P p) Y‖² + beta i.
Proof.
  intros A i Y Hi. rewrite expected_square. simpl. rewrite <- (expect_scale P), <- (expect_const P (beta i)) at 1.
  rewrite <- (expect_add P). apply expect_le. intros w. now apply A.
Qed.

Theorem theorem6_1 (alpha : Rdefinitions.R) (beta : nat -> Rdefinitions.R) (nu : nat -> nat) : 0 <= alpha ->
  (forall i, 0 <= beta i) -> (forall i y, (i < N)%nat -> ‖∇i p i y‖² <= alpha * ‖∇ p y‖² + beta i) ->
  (forall t i, (i < N)%nat -> (t <= latest run t i + nu i)%nat) ->
  mifa_thm6_1_best_condition_i (local_step_size := eta) (local_steps := INR K) (smoothness := smoothness p) ->
  mifa_thm6_1_best_condition_ii (local_step_size := eta) (local_steps := INR K) (max_staleness := INR tau)
    (smoothness := smoothness p) ->
  mifa_thm6_1_best_condition_iii (dissimilarity_slope := alpha) (local_step_size := eta) (local_steps := INR K)
    (mean_client_max_staleness := avg N (fun i => INR (nu i))) (smoothness := smoothness p) ->
  mean_squared_gradient_of_models <=
  mifa_thm6_1_best_right (dissimilarity_offset := avg N beta) (gradient_noise := noise_bound run)
    (initial_loss_gap := initial_gap) (local_step_size := eta) (local_steps := INR K)
    (mean_staleness := mean_age run R) (num_clients := INR N) (num_rounds := INR R) (smoothness := smoothness p).
Proof.
  unfold mifa_thm6_1_best_condition_i, mifa_thm6_1_best_condition_ii, mifa_thm6_1_best_condition_iii.
  intros Pa Pb Alike Own C1 C2 C3. rewrite in_expectation.
  pose proof (mifa_local_steps run noise_unbiased eta constant R tau aged) as B.
  change (smoothness (expected P p)) with (smoothness p) in B. change (clients (expected P p)) with N in B.
  change (lowest (expected P p)) with (lowest p) in B. rewrite <- gap_in_expectation, S_INR in B.
  specialize (B ltac:(lra) ltac:(lra) alpha beta nu Pa Pb (alike_expected alpha beta Alike) Own ltac:(lra)).
  eapply Rle_trans; [exact B|]. destruct steps_pos as (P1 & P2 & P3 & P4).
  pose proof noise_term_pos as Pn. pose proof gap_term_pos as Pg. pose proof (local_part_pos run beta Pb) as Pl.
  unfold local_part in Pl. change (clients (expected P p)) with N in Pl.
  assert (Px : 0 <= (INR K * eta * smoothness p) ^ 2
    * (q run ^ 2 * avg N beta + q run * noise_bound run ^ 2 / INR K)) by (apply Rmult_le_pos;
      [apply pow2_ge_0|assumption]).
  unfold mifa_thm6_1_best_right.
  apply Rle_trans with (103 / 20 * (initial_gap / (INR K * eta * (INR R + 1)))
    + 17 * (INR K * eta * smoothness p * (2 * mean_age run R + 1) * noise_bound run ^ 2 / (INR N * INR K))
    + 46 / 5 * ((INR K * eta * smoothness p) ^ 2
      * (q run ^ 2 * avg N beta + q run * noise_bound run ^ 2 / INR K))).
  - lra.
  - right. unfold q. field. lra.
Qed.

(** ** Convex losses *)
Section Convex.
Variable best : X.
Hypothesis losses : convex_losses p 0.
Hypothesis optimal : same (∇ p best) zero.

Definition mean_model_gap : Rdefinitions.R :=
  avg (S R) (fun t => expect P (fun w => global p (server run t w)) - global p best).
(** The root of E |w_0 - w star|^2, and the clients' mean squared gradient at the optimum. *)
Definition initial_distance : Rdefinitions.R := sqrt (expect P (fun w => ‖server run 0%nat w ⊖ best‖²)).
Definition dissimilarity_at_optimum : Rdefinitions.R := avg N (fun i => ‖∇i p i best‖²).


Lemma noise_misses_best d : drawn run d -> ⟨noise_at run d, always best⟩ = 0.
Proof.
  intros Dr. destruct fair as [label Fair]. destruct (Fair d Dr) as [F _].
  apply (fair_orthogonal P (label d)); [assumption|]. intros v w _ _ _. reflexivity.
Qed.

Lemma always_optimal : same (∇ (expected P p) (always best)) zero.
Proof.
  intros Y. rewrite (expected_gradient P p (always best)). simpl. apply (expect_ext P). intros w. apply optimal.
Qed.

Theorem theorem5_1_convex :
  mifa_thm5_1_convex_condition_step (local_step_size := eta) (local_steps := INR K) (smoothness := smoothness p) ->
  mifa_thm5_1_convex_condition_stale (local_step_size := eta) (local_steps := INR K) (max_staleness := INR tau)
    (smoothness := smoothness p) ->
  mean_model_gap <=
  mifa_thm5_1_convex_right (dissimilarity_at_optimum := dissimilarity_at_optimum) (gradient_noise := noise_bound run)
    (initial_distance := initial_distance) (local_step_size := eta) (local_steps := INR K)
    (mean_staleness := mean_age run R) (num_clients := INR N) (num_rounds := INR R) (smoothness := smoothness p).
Proof.
  unfold mifa_thm5_1_convex_condition_step, mifa_thm5_1_convex_condition_stale. intros C1 C2.
  pose proof (mifa_convex run (always best) noise_unbiased (convex_losses_expected P p 0 losses) always_optimal
    noise_misses_best R eta constant tau aged) as B.
  change (smoothness (expected P p)) with (smoothness p) in B. change (clients (expected P p)) with N in B.
  specialize (B ltac:(lra) ltac:(lra)). rewrite S_INR in B.
  assert (L : mean_model_gap = avg (S R) (fun t => global (expected P p) (server run t) - global (expected P p)
    (always best))).
  { apply avg_ext. intros t _. rewrite !expected_global. unfold always. now rewrite expect_const. }
  assert (D0 : initial_distance ^ 2 = ‖server run 0%nat ⊖ always best‖²).
  { unfold initial_distance. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. rewrite <- (expect_const P 0).
    apply expect_le. intros w. apply dot_pos. }
  assert (Sp : spread (p := expected P p) (always best) = dissimilarity_at_optimum).
  { apply avg_ext. intros i _. simpl. unfold always. apply expect_const. }
  rewrite Sp, <- D0 in B. rewrite L. eapply Rle_trans; [exact B|]. destruct steps_pos as (P1 & P2 & P3 & P4).
  right. unfold mifa_thm5_1_convex_right, q. field. lra.
Qed.
End Convex.
End Expected.

(** ** Strongly convex losses, falling steps *)
Section FallingSteps.
Context (P : Law) {X : Space} (p : Problem X) (run : Mifa (expected P p)) (R : nat) (mu a : Rdefinitions.R) (best : X).
Notation K := (local_steps run).
Notation N := (clients p).
Notation L := (smoothness p).
Hypothesis fair : fair_noise P (drawn run) before (noise_at run) (server run 0%nat).
Hypothesis losses : convex_losses p mu.
Hypothesis optimal : same (∇ p best) zero.
Hypothesis mu_pos : 0 < mu.
(** Round t of the paper is t + 1 here. *)
Hypothesis steps : forall t, local_step run t = 4 / (mu * INR K * (INR t + 1 + a)).
Hypothesis slow : forall t i, (i < N)%nat ->
  INR (t - latest run t i) <= (INR t + 1 + a) * mu / (40 * L).

(** E f(wbar) - f(x star), wbar the mean of the R + 1 models with weights (t + a - 1)(t + a - 2). *)
Definition gap_of_average : Rdefinitions.R :=
  expect P (fun w => global p (weighted_mean run a R w)) - global p best.
Definition distance_of_start : Rdefinitions.R := sqrt (expect P (fun w => ‖server run 0%nat w ⊖ best‖²)).
Definition spread_at_best : Rdefinitions.R := avg N (fun i => ‖∇i p i best‖²).

Lemma bound_pos : 0 <= a -> 0 <=
  mifa_thm5_1_best_right (dissimilarity_at_optimum := spread_at_best) (gradient_noise := noise_bound run)
    (initial_distance := distance_of_start) (local_steps := INR K) (mean_staleness := mean_age run R)
    (num_clients := INR N) (num_rounds := INR R) (smoothness := L) (step_offset := a) (strong_convexity := mu).
Proof.
  intros Pa. pose proof (smoothness_pos p). pose proof (clients_pos p) as PN. pose proof (pos_INR R) as PR.
  pose proof (le_INR 1 K (some_step run)) as PK. simpl in PK. pose proof (mean_age_pos run R).
  assert (Ps : 0 <= spread_at_best) by (apply avg_pos; intros; apply dot_pos).
  unfold mifa_thm5_1_best_right.
  assert (Inverse : forall x, 0 < x -> 0 <= / x) by (intros; left; now apply Rinv_0_lt_compat).
  assert (T2 : 0 < (INR R + 1) ^ 2) by (apply pow_lt; lra).
  pose proof (pow2_ge_0 distance_of_start). pose proof (pow2_ge_0 (noise_bound run)). pose proof (pow2_ge_0 a).
  pose proof (pow2_ge_0 (INR K - 1)). pose proof (pow_lt (INR K) 2 ltac:(lra)). pose proof (pow_lt mu 2 mu_pos).
  unfold Rdiv. repeat first
    [ assumption | lra | (apply Inverse; repeat apply Rmult_lt_0_compat; lra)
    | apply Rplus_le_le_0_compat | apply Rmult_le_pos ].
Qed.

Theorem theorem5_1 :
  mifa_thm5_1_best_condition_offset (smoothness := L) (step_offset := a) (strong_convexity := mu) ->
  gap_of_average <=
  mifa_thm5_1_best_right (dissimilarity_at_optimum := spread_at_best) (gradient_noise := noise_bound run)
    (initial_distance := distance_of_start) (local_steps := INR K) (mean_staleness := mean_age run R)
    (num_clients := INR N) (num_rounds := INR R) (smoothness := L) (step_offset := a) (strong_convexity := mu).
Proof.
  unfold mifa_thm5_1_best_condition_offset. intros Far. pose proof (smoothness_pos p) as PL.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK.
  assert (Offset : 100 * L <= mu * a).
  { apply (Rmult_le_compat_l mu) in Far; [|lra]. replace (mu * (100 * L / mu)) with (100 * L) in Far by (field; lra).
  lra. }
  assert (Pa : 0 <= a) by (apply (Rmult_le_reg_l mu); [assumption|]; lra).
  destruct (Rle_lt_dec mu L) as [Below|Above].
  - assert (L0 : 0 < L) by lra.
    assert (Fix : forall d, drawn run d -> ⟨noise_at run d, always best⟩ = 0).
    { intros d Dr. destruct fair as [label Fair]. destruct (Fair d Dr) as [F _].
      apply (fair_orthogonal P (label d)); [assumption|]. intros v w _ _ _. reflexivity. }
    assert (Opt : same (∇ (expected P p) (always (P := P) best)) zero).
    { intros Y. rewrite (expected_gradient P p (always best)). simpl. apply (expect_ext P). intros w. apply optimal. }
    pose proof (mifa_strongly_convex run (always best) mu a (fair_unbiased P p _ _ _ _ fair)
      (convex_losses_expected P p mu losses) Opt Fix mu_pos Below) as B.
    assert (St : forall t, round_step run t = 4 / (mu * s a t)).
    { intros t. unfold round_step. rewrite steps. unfold s. pose proof (pos_INR t). field. lra. }
    assert (Sl : forall t i, (i < N)%nat -> 40 * L * INR (t - latest run t i) <= mu * s a t).
    { intros t i Hi. pose proof (slow t i Hi) as Q. apply (Rmult_le_compat_l (40 * L)) in Q; [|lra].
      replace (40 * L * ((INR t + 1 + a) * mu / (40 * L))) with (mu * (INR t + 1 + a)) in Q by (field; lra). exact Q. }
    specialize (B St Offset Sl R).
    change (smoothness (expected P p)) with L in B. change (clients (expected P p)) with N in B. rewrite S_INR in B.
    assert (G : gap_of_average = global (expected P p) (weighted_mean run a R) - global (expected P p) (always best)).
    { unfold gap_of_average. rewrite !expected_global. unfold always. now rewrite expect_const. }
    assert (D0 : distance_of_start ^ 2 = ‖server run 0%nat ⊖ always best‖²).
    { unfold distance_of_start. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. rewrite <- (expect_const P 0).
      apply expect_le. intros w. apply dot_pos. }
    assert (Sp : spread (p := expected P p) (always best) = spread_at_best).
    { apply avg_ext. intros i _. simpl. unfold always. apply expect_const. }
    rewrite Sp, <- D0 in B. rewrite G. eapply Rle_trans; [exact B|]. pose proof (pos_INR R).
    right. unfold mifa_thm5_1_best_right, q. field. lra.
  - (* a loss that is more convex than smooth lives on a space without extent *)
    apply Rle_trans with 0; [|now apply bound_pos].
    assert (Flat : forall x y : X, ‖x ⊖ y‖² = 0).
    { intros x y. pose proof (global_convex p mu losses x y) as C. pose proof (global_descent p y (x ⊖ y)) as D.
      rewrite add_sub in D. pose proof (dot_pos (x ⊖ y)) as Q.
      assert ((mu - L) * ‖x ⊖ y‖² <= 0) by lra. assert (0 <= (mu - L) * ‖x ⊖ y‖²) by (apply Rmult_le_pos; lra).
      destruct (Rmult_integral (mu - L) ‖x ⊖ y‖² ltac:(lra)); lra. }
    assert (Le : forall w, global p (weighted_mean run a R w) <= global p best).
    { intros w. pose proof (global_descent p best (weighted_mean run a R w ⊖ best)) as D. rewrite add_sub in D.
      rewrite (optimal (weighted_mean run a R w ⊖ best)), dot_zero_l, Flat in D. lra. }
    pose proof (expect_le P _ (fun _ => global p best) Le) as E. rewrite expect_const in E. unfold gap_of_average. lra.
Qed.
End FallingSteps.
