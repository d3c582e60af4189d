(** * Fraboni et al., Theorem 3 without bounded gradients, in expectation and in the words of the ledger

    The random run of FraboniChance.v whose rounds fall into B windows of W rounds, in each of which client
    i has the same mean weight qbar i. The clients' losses are convex and L-smooth, best lowers their sum
    with the weights qbar, and client i's batches have there a mean squared gradient of at most sigma i.
    With a short step the server's models come close to best: [theorem3_in_windows]. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance Convex Fraboni FraboniWindows FraboniChance Claims_fraboni.
Open Scope R_scope.

Section Windows.
Context {P : Law} {X : Space} (run : RandomRounds P X).
Notation M := (crowd run).
Notation K := (steps run).

Hypothesis batches : fair_batches run.
Hypothesis weights : fair_weights run.
Hypothesis losses_convex : forall i, (i < M)%nat -> convex 0 (loss run i) (gradient run i).
(** Every round's objective is lowest somewhere. *)
Variable lowest_of_round : nat -> X.
Hypothesis lowest : forall n y, round_objective run n (lowest_of_round n) <= round_objective run n y.

Variables (W B : nat) (qbar sigma : nat -> R) (best : X).
Hypothesis some_window : (0 < W)%nat /\ (0 < B)%nat.
Hypothesis qbar_pos : forall i, 0 <= qbar i.
Hypothesis balanced : forall c i, (c < B)%nat -> (i < M)%nat ->
  sum W (fun a => q run (c * W + a)%nat i) = INR W * qbar i.
Definition objective_of_windows (y : X) : R := sum M (fun i => qbar i * loss run i y).
Hypothesis best_of_windows : forall y, objective_of_windows best <= objective_of_windows y.
Hypothesis noise_at_best : forall n i, (i < M)%nat ->
  avg K (fun k => expect P (fun w => ‖batch_gradient run n i k w best‖²)) <= sigma i.

Variables (tau : nat) (rho : R).
Hypothesis aged : forall n i, (i < M)%nat -> (n <= pulled run n i + tau)%nat.
Hypothesis weight_small : forall n, (n < B * W)%nat -> round_weight run n <= rho.
Hypothesis L_positive : 0 < smoothness run.

Definition mean_server_objective_gap : R := avg (B * W) (fun n =>
  expect P (fun w => objective_of_windows (server run n w)) - objective_of_windows best).
Definition optimum_noise : R := sum M (fun i => qbar i * sigma i).

Theorem theorem3_in_windows :
  fraboni_thm3_windows_condition_short (balance_period := INR W) (covariance_factor := alpha run)
    (largest_round_weight := rho) (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run)
    (window_overlap := overlap W) ->
  mean_server_objective_gap <=
  fraboni_thm3_windows_right (balance_period := INR W) (covariance_factor := alpha run)
    (initial_distance_squared := initial_distance_squared run best) (largest_round_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (num_rounds := INR (B * W)) (optimum_noise := optimum_noise) (server_step_size := server_step run)
    (smoothness := smoothness run) (variance_excess := beta run) (window_overlap := overlap W).
Proof.
  unfold fraboni_thm3_windows_condition_short. intros Short.
  set (rr := as_rounds run batches weights lowest_of_round best lowest).
  set (G := fun i (Y : random P X) => (fun w => gradient run i (Y w)) : random P X).
  assert (Gs : forall i, (i < M)%nat -> smooth (smoothness run) (mean_loss run i) (G i)).
  { intros i Hi. apply (smooth_random P (smoothness run) (fun _ => loss run i) (fun _ => gradient run i)).
    intros _. now apply (losses_smooth run). }
  assert (Gc : forall i, (i < M)%nat -> convex 0 (mean_loss run i) (G i)).
  { intros i Hi. apply (convex_random P 0 (fun _ => loss run i) (fun _ => gradient run i)). intros _.
  now apply losses_convex. }
  assert (Known : forall n i k, (i < M)%nat -> (k < K)%nat -> knows_draw run n i k (local run n i k))
    by (intros; now apply local_known).
  assert (Un : forall n i k (y : random P X), (i < M)%nat -> (k < K)%nat ->
    y = server run n \/ y = always best \/ y = G i (local run n i k) ->
    ⟨slope_at run n i k (local run n i k), y⟩ = ⟨G i (local run n i k), y⟩).
  { intros n i k y Hi Hk Hy. apply (fair_gradient run batches n i k (local run n i k) y Hi Hk (Known n i k Hi Hk)).
    destruct Hy as [-> | [-> | ->]]; [apply server_known|apply always_known|].
    intros label S0 Wt Bt. apply (det_through P label (gradient run i)). now apply (Known n i k Hi Hk label). }
  assert (Seen : forall n i k, (i < M)%nat -> (k < K)%nat ->
    mean_batch run n i k (local run n i k) = mean_loss run i (local run n i k)).
  { intros n i k Hi Hk. apply (seen run batches n i k); auto. }
  assert (Sf : forall n i k (y : random P X), (i < M)%nat -> (k < K)%nat ->
    y = always best \/ y = local run n i k -> ⟨slope_at run n i k (always best), y⟩ = ⟨G i (always best), y⟩).
  { intros n i k y Hi Hk Hy. apply (fair_gradient run batches n i k (always best) y Hi Hk); [apply always_known|].
    destruct Hy as [-> | ->]; [apply always_known|auto]. }
  pose proof (in_windows rr G Gs Gc Un Seen Sf W B qbar sigma some_window qbar_pos balanced
    (stationary_always run qbar best qbar_pos best_of_windows) noise_at_best tau rho
    (Rmax rho (alpha run * rho + beta run)) aged weight_small
    (conj (Rmax_l _ _) (Rmax_r _ _)) (step_sizes_pos run) L_positive) as T.
  assert (Ey : share rr W tau rho (Rmax rho (alpha run * rho + beta run)) =
    server_step run * local_step run * INR K * smoothness run * Rmax rho (alpha run * rho + beta run) * (1 + overlap W)
    + local_step run ^ 2 * INR K * (INR K - 1) * smoothness run ^ 2
    + 2 * rho * Rmax rho (alpha run * rho + beta run) * (server_step run * local_step run * INR K) ^ 2
      * smoothness run ^ 2 * (INR tau + INR W) ^ 2) by reflexivity.
  rewrite Ey in T. specialize (T ltac:(lra)).
  replace mean_server_objective_gap with (avg (B * W) (gap_of rr qbar)).
  2: { apply avg_ext. intros n _. unfold gap_of, mean_objective, mean_server_objective_gap.
       change (Fraboni.crowd rr) with M. change (Fraboni.objective rr) with (mean_loss run).
       change (Fraboni.server rr n) with (server run n). change (Fraboni.reference rr) with (always (P := P) best).
       unfold mean_loss. rewrite !expect_sum. f_equal. f_equal.
       exact (expect_const P (objective_of_windows best)). }
  eapply Rle_trans; [exact T|]. right.
  change (‖Fraboni.server rr 0 ⊖ Fraboni.reference rr‖²) with (initial_distance_squared run best).
  change (Fraboni.server_step rr) with (server_step run). change (Fraboni.local_step rr) with (local_step run).
  change (Fraboni.steps rr) with K. change (Fraboni.smoothness rr) with (smoothness run).
  change (Sigma rr qbar sigma) with optimum_noise.
  unfold fraboni_thm3_windows_right. pose proof (lt_0_INR K (some_steps run)).
  assert (0 < INR (B * W)) by (apply lt_0_INR; destruct some_window; nia).
  destruct (step_sizes_pos run). field. lra.
Qed.
End Windows.
