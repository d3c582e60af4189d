(** * Corollary 3 of AFL, corrected, with its constants and the horizon that it needs

    AFA-CS as in [AflTheorem4.v], run for T rounds with eta_L = 1/sqrt(T) and eta = sqrt(M). If
    T >= 12 K^2 L^2 (tau + 1) or K = 1, and T >= 16 L^2 M (tau + 1)^2, then the average over the
    rounds of E |grad f(x_t)|^2 is at most (4 gap + 7 L (tau + 1) sigma_L^2/K_min)/sqrt(M T) +
    8 (K-1) L^2 sigma_L^2/T + (16/3)(K-1)(2K-1) L^2 sigma_G^2/T.

    Unlike the paper: the noise pays tau + 1, so the speedup is M/(tau + 1); the constants and the
    horizon are given. [afl_cor3star] in [AflTheorem4.v] has the step size that balances both terms. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import AflTheorem4 Chance CrossSilo Claims_afl.
Open Scope R_scope.

Section Corollary3.
Context {H : Space} {p : Problem H} (run : CrossSilo p) (sigmaG : R) (T : nat).
Hypothesis Fair : unbiased_noise run.
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.

Notation L := (smoothness p).
Notation M := (clients p).
Notation x := (model run).
Notation eta := (local_step run).
Notation sigma := (noise_level run).
Notation K := (most_steps run).
Notation tau := (max_age run).
Notation gap := (global p (x 0%nat) - lowest p).

Theorem cross_silo_rate :
  afl_cor3_explicit_condition_steps (local_step_size := eta) (num_clients := INR M) (num_rounds := INR T)
    (server_step_size := server_step run) ->
  afl_cor3_explicit_condition_drift (local_steps := INR K) (max_staleness := INR tau) (num_rounds := INR T)
    (smoothness := L) ->
  afl_cor3_explicit_condition_horizon (max_staleness := INR tau) (num_clients := INR M) (num_rounds := INR T)
    (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_cor3_explicit_right (num_clients := INR M) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (least_local_steps := INR (least_steps run)) (local_steps := INR K)
    (max_staleness := INR tau) (num_rounds := INR T) (smoothness := L).
Proof.
  intros [Local Server] Drift Horizon. unfold afl_cor3_explicit_condition_drift in Drift.
  unfold afl_cor3_explicit_condition_horizon in Horizon.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as Pm. pose proof (smoothness_pos p) as PL.
  pose proof (pos_INR tau) as Pt. pose proof (least_steps_pos run) as PF. apply lt_0_INR in PF.
  set (a := sqrt (INR T)) in *. set (b := sqrt (INR M)) in *.
  assert (Pa : 0 < a) by (now apply sqrt_lt_R0). assert (Pb : 0 < b) by (now apply sqrt_lt_R0).
  assert (ET : INR T = a ^ 2) by (unfold a; simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  assert (Em : INR M = b ^ 2) by (unfold b; simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  eapply Rle_trans; [apply (cross_silo_star run sigmaG T); auto|].
  - unfold afl_thm4star_condition_a. destruct Drift as [One|Long]; [now left|right]. rewrite Local.
    apply (Rmult_le_reg_r (INR T)); [assumption|].
    replace (12 * (1 / a) ^ 2 * INR K ^ 2 * L ^ 2 * (INR tau + 1) * INR T)
      with (12 * INR K ^ 2 * L ^ 2 * (INR tau + 1)) by (rewrite ET; field; lra). lra.
  - unfold afl_thm4star_condition_b. rewrite Local, Server.
    set (u := 4 * b * L * (INR tau + 1)). assert (Pu : 0 <= u) by (unfold u; pos).
    assert (Sq : u * u <= a * a) by (rewrite Em, ET in Horizon; unfold u; lra).
    assert (U : u <= a) by (apply Rsqr_incr_0_var; [exact Sq|lra]).
    apply (Rmult_le_reg_r a); [assumption|].
    replace (4 * (1 / a) * b * L * (INR tau + 1) * a) with u by (unfold u; field; lra). lra.
  - right. unfold afl_thm4star_right, afl_cor3_explicit_right. rewrite Local, Server. fold a b.
    rewrite ET, Em. field. repeat split; lra.
Qed.
End Corollary3.

(** ** In expectation, on any finite probability space

    [run] is a random run: its equations hold outcome by outcome. Its noise has mean zero given the
    start and all draws before ([fair_noise]). *)
Section Expected.
Context {P : Law} {E : Space} {p : Problem E} (run : CrossSilo (expected P p)) (sigmaG : R) (T : nat).
Hypothesis Fair : fair_noise P (drawn run) (before run) (noise_of run) (model run 0%nat).
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem afl_cor3_explicit :
  afl_cor3_explicit_condition_steps (local_step_size := local_step run) (num_clients := INR (clients p))
    (num_rounds := INR T) (server_step_size := server_step run) ->
  afl_cor3_explicit_condition_drift (local_steps := INR (most_steps run)) (max_staleness := INR (max_age run))
    (num_rounds := INR T) (smoothness := smoothness p) ->
  afl_cor3_explicit_condition_horizon (max_staleness := INR (max_age run)) (num_clients := INR (clients p))
    (num_rounds := INR T) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_cor3_explicit_right (num_clients := INR (clients p)) (dissimilarity := sigmaG) (gradient_noise :=
    noise_level run) (initial_loss_gap := gap) (least_local_steps := INR (least_steps run)) (local_steps := INR
    (most_steps run)) (max_staleness := INR (max_age run)) (num_rounds := INR T) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_silo_rate run sigmaG T). Qed.

End Expected.
