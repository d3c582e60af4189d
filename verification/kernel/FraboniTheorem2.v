(** * Fraboni et al., Theorem 2: the federated gradient when data types are misrepresented

    J data types with L-smooth losses F_j >= low_j and importances r_j; client i has the loss of its type (kind i).
    In round n type j has the part s_j(n) of the total weight q(n), absent if 0. The federated loss is sum_j r_j F_j.

    - At any point ([gradient_at_point]), with b a minimiser of the round's objective L_n:
      |grad|^2 <= (8 chi^2 + 4) L/q (L_n(y) - L_n(b)) + 8 L chi^2 sum_j s_j (F_j(b) - low_j)
                  + 8 L sum over absent types of r_j (F_j(y) - low_j).
    - For the random run of FraboniChance.v ([theorem2]): under Theorem 1's conditions the mean of
      E |grad|^2 over the virtual models is at most (8 chi^2 + 4) L/(least q) times Theorem 1's right side
      plus 8 L (P + U), P and U the means of the last two sums.

    The paper prints 4 L and the order of the first factor without the least q: false for light rounds. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance Convex Fraboni FraboniChance FraboniTypes Claims_fraboni.
Open Scope R_scope.

(** ** At a point *)
Section Point.
Context {H : Space} (J : nat) (F : nat -> H -> R) (G : nat -> H -> H) (low : nat -> R) (L : R) (r s : nat -> R).
Hypothesis L_pos : 0 <= L.
Hypothesis losses_smooth : forall j, (j < J)%nat -> smooth L (F j) (G j).
Hypothesis above : forall j z, (j < J)%nat -> low j <= F j z.
Hypothesis importances : (forall j, 0 <= r j) /\ sum J r <= 1.
Hypothesis parts : (forall j, 0 <= s j) /\ sum J s = 1.
Variables (total : R) (best : H).
Hypothesis total_pos : 0 < total.
Definition mixed_loss (y : H) : R := sum J (fun j => s j * F j y).
Definition mixed_gradient (y : H) : H := vsum J (fun j => s j ⊙ G j y).
Definition objective_of_round (y : H) : R := total * mixed_loss y.
Hypothesis lowest_there : forall z, objective_of_round best <= objective_of_round z.

Lemma mixed_smooth : smooth L mixed_loss mixed_gradient.
Proof.
  destruct parts as [Ps One]. split.
  - intros x d t. unfold mixed_loss, mixed_gradient. rewrite dot_vsum_l.
    apply (derivable_sum J (fun j t => s j * F j (x ⊕ t ⊙ d)) (fun j t => ⟨s j ⊙ G j (x ⊕ t ⊙ d), d⟩)).
    intros j Hj. rewrite dot_scale_l. apply (derivable_pt_lim_scal (fun t => F j (x ⊕ t ⊙ d))). now apply losses_smooth.
  - intros x y. rewrite (same_norm _ (vsum J (fun j => s j ⊙ (G j x ⊖ G j y)))).
    2: { intros z. unfold mixed_gradient. rewrite dot_add_l, dot_scale_l, !dot_vsum_l, <- sum_scale, <- sum_add.
         apply sum_ext. intros j _. rewrite !dot_scale_l, dot_add_l, dot_scale_l. ring. }
    eapply Rle_trans; [apply (norm_weighted J s _ Ps)|]. rewrite One, Rmult_1_l.
    apply Rle_trans with (sum J (fun j => L ^ 2 * ‖x ⊖ y‖² * s j)).
    + apply sum_le. intros j Hj. rewrite Rmult_comm. apply Rmult_le_compat_r; [apply Ps|]. now apply losses_smooth.
    + rewrite sum_scale, One. lra.
Qed.

Lemma lowest_mixed z : mixed_loss best <= mixed_loss z.
Proof. apply (Rmult_le_reg_l total); [assumption|]. apply lowest_there. Qed.

Lemma mismatch_pos : 0 <= mismatch J r s.
Proof.
  apply sum_pos. intros j _. unfold absent. destruct (Req_EM_T (s j) 0) as [|N]; [lra|].
  destruct parts as [Ps _]. specialize (Ps j). apply Rmult_le_pos; [lra|].
  apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra].
Qed.

Theorem gradient_at_point (y : H) :
  ‖vsum J (fun j => r j ⊙ G j y)‖² <=
  fraboni_thm2_display_corrected_right (absent_types := absent_types J F low r s y) (mismatch := mismatch J r s)
    (round_excess := objective_of_round y - objective_of_round best) (smoothness := L) (total_weight := total)
    (types_at_optimum := types_at_point J F low s best).
Proof.
  set (g := vsum J (fun j => r j ⊙ G j y)).
  pose proof (lemma7 J F G low L r s y L_pos losses_smooth above importances (proj1 parts)) as D.
  unfold fraboni_lem7_right in D. fold g in D. change (vsum J (fun j => s j ⊙ G j y)) with (mixed_gradient y) in D.
  pose proof (gradient_gap L mixed_loss mixed_gradient (mixed_loss best) L_pos mixed_smooth lowest_mixed y) as E.
  rewrite (same_norm g (mixed_gradient y ⊕ (g ⊖ mixed_gradient y))) by vectors.
  pose proof (norm_add2 (mixed_gradient y) (g ⊖ mixed_gradient y)) as T.
  assert (Split : types_at_point J F low s y = (mixed_loss y - mixed_loss best) + types_at_point J F low s best).
  { unfold types_at_point, mixed_loss.
    assert (X : forall z, sum J (fun j => s j * (F j z - low j))
      = sum J (fun j => s j * F j z) - sum J (fun j => s j * low j)).
    { intros z. rewrite (sum_ext J _ (fun j => s j * F j z + -1 * (s j * low j))) by (intros; ring).
      rewrite sum_add, sum_scale. ring. }
    rewrite !X. ring. }
  rewrite Split in D. unfold fraboni_thm2_display_corrected_right, objective_of_round.
  replace (total * mixed_loss y - total * mixed_loss best) with (total * (mixed_loss y - mixed_loss best)) by ring.
  set (e := mixed_loss y - mixed_loss best) in *.
  apply Rle_trans with (4 * L * e + 8 * L * mismatch J r s * (e + types_at_point J F low s best)
    + 8 * L * absent_types J F low r s y); [lra|]. right. field. lra.
Qed.
End Point.

(** ** Over the random run *)
Section Run.
Context {P : Law} {X : Space} (run : RandomRounds P X).
Notation M := (crowd run).
Notation K := (steps run).
Notation L := (smoothness run).
Hypothesis batches : fair_batches run.
Hypothesis weights : fair_weights run.

Variables (J : nat) (kind : nat -> nat) (r low : nat -> R) (F : nat -> X -> R) (G : nat -> X -> X).
Hypothesis kinds : forall i, (i < M)%nat -> (kind i < J)%nat /\ forall y, loss run i y = F (kind i) y.
Hypothesis types_smooth : forall j, (j < J)%nat -> smooth L (F j) (G j).
Hypothesis types_above : forall j z, (j < J)%nat -> low j <= F j z.
Hypothesis importances : (forall j, 0 <= r j) /\ sum J r <= 1.

Variables (best : nat -> X) (reference : X) (N : nat) (rho least kappa chi : R) (tau : nat).
Hypothesis lowest : forall n y, round_objective run n (best n) <= round_objective run n y.
Hypothesis some_rounds : (0 < N)%nat.
Hypothesis weight_small : forall n, (n < N)%nat -> round_weight run n <= rho.
Hypothesis weight_large : 0 < least /\ forall n, (n < N)%nat -> least <= round_weight run n.
Hypothesis aged : forall n i, (i < M)%nat -> (n <= pulled run n i + tau)%nat.
Hypothesis kappa_large : 1 <= kappa /\ forall n, (n < N)%nat -> (server_step run * round_weight run n - 1) ^ 2 <= kappa.

(** s_j(n): the part of type j in the weight of round n. *)
Definition part (n j : nat) : R := sum M (fun i => if (kind i =? j)%nat then q run n i else 0) / round_weight run n.
Hypothesis chi_large : forall n, (n < N)%nat -> mismatch J r (part n) <= chi.

Definition federated_gradient (y : X) : X := vsum J (fun j => r j ⊙ G j y).
Definition mean_squared_gradient : R :=
  avg N (fun n => avg K (fun k => expect P (fun w => ‖federated_gradient (virtual_model run n k w)‖²))).
(** P and U. *)
Definition misrepresentation : R :=
  avg N (fun n => mismatch J r (part n) * types_at_point J F low (part n) (best n)).
Definition unrepresented : R :=
  avg N (fun n => avg K (fun k => expect P (fun w => absent_types J F low r (part n) (virtual_model run n k w)))).

Lemma parts_fit n : (n < N)%nat -> (forall j, 0 <= part n j) /\ sum J (part n) = 1.
Proof.
  intros Hn. destruct weight_large as [Pl Large]. specialize (Large n Hn). split.
  - intros j. unfold part, Rdiv. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; lra].
    apply sum_pos. intros i _. destruct (kind i =? j)%nat; [apply q_pos|lra].
  - unfold part. rewrite (sum_ext J _ (fun j => / round_weight run n * sum M (fun i =>
      if (kind i =? j)%nat then q run n i else 0))) by (intros; unfold Rdiv; ring).
    rewrite sum_scale, sum_swap. rewrite (sum_ext M _ (q run n)).
    + unfold round_weight in *. field. lra.
    + intros i Hi. destruct (kinds i Hi) as [Hk _].
      rewrite (sum_single J _ (kind i) Hk); [now rewrite Nat.eqb_refl|].
      intros j _ Nj. destruct (Nat.eqb_spec (kind i) j); [congruence|reflexivity].
Qed.

Lemma objective_is n y : (n < N)%nat -> round_objective run n y
  = objective_of_round J F (part n) (round_weight run n) y.
Proof.
  intros Hn. destruct weight_large as [Pl Large]. specialize (Large n Hn).
  unfold objective_of_round, mixed_loss, part. rewrite <- sum_scale.
  rewrite (sum_ext J _ (fun j => sum M (fun i => F j y * if (kind i =? j)%nat then q run n i else 0))).
  2: { intros j _. rewrite sum_scale. field. lra. }
  rewrite sum_swap. unfold round_objective. apply sum_ext. intros i Hi. destruct (kinds i Hi) as [Hk E].
  rewrite (sum_single J _ (kind i) Hk); [rewrite Nat.eqb_refl, E; ring|].
  intros j _ Nj. destruct (Nat.eqb_spec (kind i) j); [congruence|ring].
Qed.

(** What Theorem 1 bounds, in round n at local step k. *)
Definition excess n k : R :=
  expect P (fun w => round_objective run n (virtual_model run n k w)) - round_objective run n (best n).

Lemma excess_pos n k : 0 <= excess n k.
Proof.
  unfold excess. rewrite <- (expect_const P (round_objective run n (best n))) at 1.
  assert (E : expect P (fun _ => round_objective run n (best n))
    <= expect P (fun w => round_objective run n (virtual_model run n k w))) by (apply expect_le; intros; apply lowest).
  rewrite expect_const in *. lra.
Qed.

Lemma one_model n k : (n < N)%nat -> expect P (fun w => ‖federated_gradient (virtual_model run n k w)‖²)
  <= (8 * chi + 4) * L / least * excess n k
     + 8 * L * (mismatch J r (part n) * types_at_point J F low (part n) (best n)
                + expect P (fun w => absent_types J F low r (part n) (virtual_model run n k w))).
Proof.
  intros Hn. pose proof (parts_fit n Hn) as Parts. pose proof (smoothness_pos run) as PL.
  destruct weight_large as [Pl Large]. specialize (Large n Hn). set (Q := round_weight run n) in *.
  set (m := mismatch J r (part n)). assert (Pm : 0 <= m) by (apply mismatch_pos; assumption).
  assert (Hm : m <= chi) by now apply chi_large.
  apply Rle_trans with (expect P (fun w => (8 * m + 4) * L / Q * (round_objective run n (virtual_model run n k w)
    + -1 * round_objective run n (best n)) + 8 * L * (m * types_at_point J F low (part n) (best n)
    + absent_types J F low r (part n) (virtual_model run n k w)))).
  - apply expect_le. intros w.
    assert (Low : forall z, objective_of_round J F (part n) Q (best n) <= objective_of_round J F (part n) Q z).
    { intros z. unfold Q. rewrite <- !objective_is by assumption. apply lowest. }
    pose proof (gradient_at_point J F G low L r (part n) PL types_smooth types_above importances Parts Q (best n)
      ltac:(lra) Low (virtual_model run n k w)) as D.
    unfold fraboni_thm2_display_corrected_right in D. unfold Q in D at 1 2. rewrite <- !objective_is in D by assumption.
    fold Q in D. fold m in D. unfold federated_gradient. eapply Rle_trans; [exact D|]. right. field. lra.
  - rewrite expect_add, !expect_scale, !expect_add, !expect_const. fold (excess n k).
    assert (B : (8 * m + 4) * L / Q * excess n k <= (8 * chi + 4) * L / least * excess n k).
    { apply Rmult_le_compat_r; [apply excess_pos|]. unfold Rdiv.
      apply Rmult_le_compat; [pos|left; apply Rinv_0_lt_compat; lra| |apply Rinv_le_contravar; assumption].
      apply Rmult_le_compat_r; lra. }
    replace (expect P (fun w => round_objective run n (virtual_model run n k w)) + -1 * round_objective run n (best n))
      with (excess n k) by (unfold excess; ring). lra.
Qed.

Lemma all_models : mean_squared_gradient <=
  (8 * chi + 4) * L / least * mean_round_gap run best N + 8 * L * (misrepresentation + unrepresented).
Proof.
  unfold mean_squared_gradient, mean_round_gap, misrepresentation, unrepresented.
  rewrite <- avg_add, <- !avg_scale, <- avg_add. apply avg_le. intros n Hn.
  rewrite <- (avg_const K (mismatch J r (part n) * types_at_point J F low (part n) (best n)) (some_steps run)).
  rewrite <- avg_add, <- !avg_scale, <- avg_add. apply avg_le. intros k _. now apply one_model.
Qed.

Theorem theorem2 :
  fraboni_thm2_best_condition_c1 (local_step_size := local_step run) (local_steps := INR K) (server_factor := kappa)
    (smoothness := L) ->
  fraboni_thm2_best_condition_c2 (largest_round_weight := rho) (local_step_size := local_step run)
    (local_steps := INR K) (server_step_size := server_step run) (smoothness := L) (variance_excess := beta run) ->
  fraboni_thm2_best_condition_c3 (covariance_factor := alpha run) (largest_round_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (server_step_size := server_step run) (smoothness := L) (variance_excess := beta run) ->
  fraboni_thm2_best_condition_round (largest_round_weight := rho) (local_step_size := local_step run)
    (local_steps := INR K) (server_step_size := server_step run) (smoothness := L) ->
  mean_squared_gradient <=
  fraboni_thm2_best_right (covariance_factor := alpha run)
    (initial_distance_squared := initial_distance_squared run reference) (largest_mismatch := chi)
    (largest_round_weight := rho) (least_total_weight := least) (local_step_size := local_step run)
    (local_steps := INR K) (max_staleness := INR tau) (misrepresentation := misrepresentation) (num_rounds := INR N)
    (objective_spread := objective_spread run best reference N)
    (round_optimum_noise := round_optimum_noise run best N)
    (round_optimum_noise_squared := round_optimum_noise_squared run best N) (server_factor := kappa)
    (server_step_size := server_step run) (smoothness := L) (unrepresented := unrepresented)
    (variance_excess := beta run).
Proof.
  intros C1 C2 C3 C4.
  pose proof (theorem1_virtual run batches weights best reference lowest N rho tau some_rounds weight_small aged kappa
    kappa_large C1 C2 C3 C4) as T.
  pose proof (smoothness_pos run) as PL. destruct weight_large as [Pl Large].
  assert (Pc : 0 <= chi).
  { apply Rle_trans with (mismatch J r (part 0)); [|now apply chi_large]. apply mismatch_pos. now apply parts_fit. }
  eapply Rle_trans; [apply all_models|].
  assert (Pf : 0 <= (8 * chi + 4) * L / least).
  { apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat]. }
  apply (Rmult_le_compat_l _ _ _ Pf) in T.
  apply Rle_trans with ((8 * chi + 4) * L / least * fraboni_thm1_best_right (covariance_factor := alpha run)
    (initial_distance_squared := initial_distance_squared run reference) (largest_round_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau) (num_rounds := INR N)
    (objective_spread := objective_spread run best reference N) (round_optimum_noise := round_optimum_noise run best N)
    (round_optimum_noise_squared := round_optimum_noise_squared run best N) (server_factor := kappa)
    (server_step_size := server_step run) (smoothness := L) (variance_excess := beta run)
    + 8 * L * (misrepresentation + unrepresented)); [lra|].
  right. unfold fraboni_thm1_best_right, fraboni_thm2_best_right.
  pose proof (lt_0_INR K (some_steps run)). pose proof (lt_0_INR N some_rounds). destruct (step_sizes_pos run).
  field. lra.
Qed.
End Run.
