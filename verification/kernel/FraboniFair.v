(** * Fraboni et al., Corollary 1: every data type has its importance in every round

    The random run of FraboniChance.v. Client i has data of type (kind i) and the loss of that type; in
    every round the clients of type j have together the part r j of the round's total weight. Then every
    round's objective is the federated loss F = sum_j r_j F_j times the round's weight, and Theorem 1 bounds
    the gap of F at the virtual models ([corollary1]): no spread of objectives is left. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance Convex Fraboni FraboniChance Claims_fraboni.
Open Scope R_scope.

Section Fair.
Context {P : Law} {X : Space} (run : RandomRounds P X).
Notation M := (crowd run).
Notation K := (steps run).
Hypothesis batches : fair_batches run.
Hypothesis weights : fair_weights run.

Variables (J : nat) (kind : nat -> nat) (r : nat -> R) (type_loss : nat -> X -> R).
Hypothesis kinds : forall i, (i < M)%nat -> (kind i < J)%nat /\ forall y, loss run i y = type_loss (kind i) y.
Hypothesis fair_rounds : forall n j, (j < J)%nat ->
  sum M (fun i => if (kind i =? j)%nat then q run n i else 0) = round_weight run n * r j.
Definition federated_loss (y : X) : R := sum J (fun j => r j * type_loss j y).

Variable best : X.
Hypothesis lowest : forall y, federated_loss best <= federated_loss y.
Variables (N : nat) (rho least kappa : R) (tau : nat).
Hypothesis some_rounds : (0 < N)%nat.
Hypothesis weight_small : forall n, (n < N)%nat -> round_weight run n <= rho.
Hypothesis weight_large : 0 < least /\ forall n, (n < N)%nat -> least <= round_weight run n.
Hypothesis aged : forall n i, (i < M)%nat -> (n <= pulled run n i + tau)%nat.
Hypothesis kappa_large : 1 <= kappa /\ forall n, (n < N)%nat -> (server_step run * round_weight run n - 1) ^ 2 <= kappa.

Lemma round_is_federated n y : round_objective run n y = round_weight run n * federated_loss y.
Proof.
  unfold round_objective, federated_loss. rewrite <- sum_scale.
  rewrite (sum_ext J _ (fun j => sum M (fun i => type_loss j y * if (kind i =? j)%nat then q run n i else 0))).
  2: { intros j Hj. rewrite sum_scale, fair_rounds by assumption. ring. }
  rewrite sum_swap. apply sum_ext. intros i Hi. destruct (kinds i Hi) as [Hk E]. rewrite E.
  rewrite (sum_single J _ (kind i) Hk); [rewrite Nat.eqb_refl; ring|].
  intros j _ Nj. destruct (Nat.eqb_spec (kind i) j); [congruence|ring].
Qed.

Lemma lowest_in_rounds n y : round_objective run n best <= round_objective run n y.
Proof.
  rewrite !round_is_federated. apply Rmult_le_compat_l; [|apply lowest].
  apply sum_pos. intros. apply q_pos.
Qed.

Definition mean_loss_gap : R := avg N (fun n => avg K (fun k =>
  expect P (fun w => federated_loss (virtual_model run n k w)) - federated_loss best)).

Lemma gap_of_rounds : least * mean_loss_gap <= mean_round_gap run (fun _ => best) N.
Proof.
  unfold mean_loss_gap, mean_round_gap. rewrite <- avg_scale. apply avg_le. intros n Hn. rewrite <- avg_scale.
  apply avg_le. intros k _. rewrite round_is_federated.
  rewrite (expect_ext P (fun w => round_objective run n (virtual_model run n k w))
    (fun w => round_weight run n * federated_loss (virtual_model run n k w))) by (intros; apply round_is_federated).
  rewrite expect_scale.
  assert (Low : federated_loss best <= expect P (fun w => federated_loss (virtual_model run n k w))).
  { rewrite <- (expect_const P (federated_loss best)). apply expect_le. intros. apply lowest. }
  destruct weight_large as [_ Large]. specialize (Large n Hn).
  apply (Rmult_le_compat_r (expect P (fun w => federated_loss (virtual_model run n k w)) - federated_loss best)) in
    Large;
    lra.
Qed.

Theorem corollary1 :
  fraboni_cor1_best_condition_c1 (local_step_size := local_step run) (local_steps := INR K) (server_factor := kappa)
    (smoothness := smoothness run) ->
  fraboni_cor1_best_condition_c2 (largest_round_weight := rho) (local_step_size := local_step run)
    (local_steps := INR K) (server_step_size := server_step run) (smoothness := smoothness run)
    (variance_excess := beta run) ->
  fraboni_cor1_best_condition_c3 (covariance_factor := alpha run) (largest_round_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run) ->
  fraboni_cor1_best_condition_round (largest_round_weight := rho) (local_step_size := local_step run)
    (local_steps := INR K) (server_step_size := server_step run) (smoothness := smoothness run) ->
  mean_loss_gap <=
  fraboni_cor1_best_right (covariance_factor := alpha run)
    (initial_distance_squared := initial_distance_squared run best) (largest_round_weight := rho)
    (least_total_weight := least) (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (num_rounds := INR N) (round_optimum_noise := round_optimum_noise run (fun _ => best) N)
    (round_optimum_noise_squared := round_optimum_noise_squared run (fun _ => best) N) (server_factor := kappa)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run).
Proof.
  intros C1 C2 C3 C4.
  pose proof (theorem1_virtual run batches weights (fun _ => best) best lowest_in_rounds N rho tau some_rounds
    weight_small
    aged kappa kappa_large C1 C2 C3 C4) as T.
  pose proof gap_of_rounds as Gp. destruct weight_large as [Pl _].
  assert (R0 : objective_spread run (fun _ => best) best N = 0).
  { unfold objective_spread, avg. rewrite sum_zero; [ring|]. intros. ring. }
  rewrite R0 in T. apply (Rmult_le_reg_l least); [assumption|]. eapply Rle_trans; [exact Gp|].
  eapply Rle_trans; [exact T|]. right. unfold fraboni_thm1_best_right, fraboni_cor1_best_right.
  pose proof (lt_0_INR K (some_steps run)). pose proof (lt_0_INR N some_rounds). destruct (step_sizes_pos run).
  field. lra.
Qed.
End Fair.
