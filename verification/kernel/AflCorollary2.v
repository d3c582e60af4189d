(** * Corollary 2 of AFL with its constants and the horizon that it needs

    AFA-CD under uniform arrivals as in [AflTheorem3.v], run for T rounds with eta_L = 1/sqrt(T) and
    eta = sqrt(m). If T >= 20 K^2 L^2 (tau + 1) or K = 1, and T >= 36 L^2 m (tau + 1)^2, then the
    average over the rounds of E |grad f(x_t)|^2 is at most (4 gap + (15/2) L sigma_L^2)/sqrt(m T) +
    (45/2) L sigma_G^2 (M-m)/(max(1, M-1) sqrt(m T)) + (40/3)(K-1) L^2 sigma_L^2/T +
    (80/9)(K-1)(2K-1) L^2 sigma_G^2/T.

    Unlike the paper: the constants and the horizon are given. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import AflTheorem3 UniformDevice Claims_afl.
Open Scope R_scope.

Theorem afl_cor2_explicit {P : Law} {E : Space} {p : Problem E} (run : UniformDevice P p) (sigmaG : R) (T : nat) :
  uniform_run run T -> dissimilarity p sigmaG -> (0 < T)%nat ->
  afl_cor2_explicit_condition_steps (clients_per_round := INR (per_round run))
    (local_step_size := local_step run) (num_rounds := INR T) (server_step_size := server_step run) ->
  afl_cor2_explicit_condition_drift (local_steps := INR (most_steps run))
    (max_delay := INR (max_delay run)) (num_rounds := INR T) (smoothness := smoothness p) ->
  afl_cor2_explicit_condition_horizon (clients_per_round := INR (per_round run))
    (max_delay := INR (max_delay run)) (num_rounds := INR T) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_cor2_explicit_right (clients_per_round := INR (per_round run)) (num_clients := INR (clients p))
    (dissimilarity := sigmaG) (gradient_noise := noise_level run)
    (initial_loss_gap := expect P (fun w => global p (model run 0%nat w)) - lowest p)
    (local_steps := INR (most_steps run)) (num_rounds := INR T) (smoothness := smoothness p).
Proof.
  intros Fair Apart HT [Local Server] Drift Horizon. unfold afl_cor2_explicit_condition_drift in Drift.
  unfold afl_cor2_explicit_condition_horizon in Horizon.
  pose proof (lt_0_INR T HT) as PT. pose proof (m_pos run) as Pm. pose proof (smoothness_pos p) as PL.
  pose proof (pos_INR (max_delay run)) as Pt. pose proof (Rmax_l 1 (INR (clients p) - 1)) as PM.
  set (a := sqrt (INR T)) in *. set (b := sqrt (INR (per_round run))) in *.
  assert (Pa : 0 < a) by (now apply sqrt_lt_R0). assert (Pb : 0 < b) by (now apply sqrt_lt_R0).
  assert (ET : INR T = a ^ 2) by (unfold a; simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  assert (Em : INR (per_round run) = b ^ 2) by (unfold b; simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  eapply Rle_trans; [apply (afl_thm3star run sigmaG T); auto|].
  - unfold afl_thm3star_condition_a. destruct Drift as [One|Long]; [now left|right]. rewrite Local.
    apply (Rmult_le_reg_r (INR T)); [assumption|].
    replace (20 * (1 / a) ^ 2 * INR (most_steps run) ^ 2 * smoothness p ^ 2 * (INR (max_delay run) + 1) * INR T)
      with (20 * INR (most_steps run) ^ 2 * smoothness p ^ 2 * (INR (max_delay run) + 1))
      by (rewrite ET; field; lra). lra.
  - unfold afl_thm3star_condition_b. rewrite Local, Server.
    set (u := 6 * b * smoothness p * (INR (max_delay run) + 1)). assert (Pu : 0 <= u) by (unfold u; pos).
    assert (Sq : u * u <= a * a) by (rewrite Em, ET in Horizon; unfold u; lra).
    assert (U : u <= a) by (apply Rsqr_incr_0_var; [exact Sq|lra]).
    apply (Rmult_le_reg_r a); [assumption|].
    replace (6 * (1 / a) * b * smoothness p * (INR (max_delay run) + 1) * a) with u by (unfold u; field; lra). lra.
  - right. unfold afl_thm3star_right, afl_cor2_explicit_right. rewrite Local, Server. fold a b.
    rewrite ET, Em. field. lra.
Qed.
