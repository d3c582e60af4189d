(** * Corollary 1 of AFL with its constants and the horizon that it needs

    AFA-CD as in [AflTheorem2.v], run for T rounds with eta_L = 1/sqrt(T) and eta = sqrt(m). If
    T >= 180 K^2 L^2 max(tau, 1) or K = 1, and T >= m L^2 (1 + sqrt(1 + 3 tau^2))^2, then the average
    over the rounds of E |grad f(x_t)|^2 is at most 4 gap/sqrt(m T) + 4 (L/sqrt(m T) +
    3 tau^2 L^2/(2T) + 15 K L^2/(2T)) sigma_L^2 + 4 (3/2 + 45 K^2 L^2/T) sigma_G^2.

    Unlike the paper: the constants and the horizon are given. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import AflTheorem2 Chance CrossDevice Claims_afl.
Open Scope R_scope.

Section Corollary1.
Context {H : Space} {p : Problem H} (run : CrossDevice p) (sigmaG : R) (T : nat).
Hypothesis Fair : unbiased_noise run.
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.

Notation L := (smoothness p).
Notation x := (model run).
Notation eta := (local_step run).
Notation sigma := (noise_level run).
Notation m := (INR (least_arrivals run)).
Notation K := (most_steps run).
Notation tau := (max_delay run).
Notation gap := (global p (x 0%nat) - lowest p).

Theorem cross_device_rate :
  afl_cor1_explicit_condition_steps (clients_per_round := m) (local_step_size := eta) (num_rounds := INR T)
    (server_step_size := server_step run) ->
  afl_cor1_explicit_condition_drift (local_steps := INR K) (max_delay := INR tau) (num_rounds := INR T)
    (smoothness := L) ->
  afl_cor1_explicit_condition_horizon (clients_per_round := m) (max_delay := INR tau) (num_rounds := INR T)
    (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_cor1_explicit_right (clients_per_round := m) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_steps := INR K) (max_delay := INR tau) (num_rounds := INR T)
    (smoothness := L).
Proof.
  intros [Local Server] Drift Horizon. unfold afl_cor1_explicit_condition_drift in Drift.
  unfold afl_cor1_explicit_condition_horizon in Horizon.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (m_pos run) as Pm. pose proof (smoothness_pos p) as PL.
  set (a := sqrt (INR T)) in *. set (b := sqrt m) in *.
  assert (Pa : 0 < a) by (now apply sqrt_lt_R0). assert (Pb : 0 < b) by (now apply sqrt_lt_R0).
  assert (ET : INR T = a ^ 2) by (unfold a; simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  assert (Em : m = b ^ 2) by (unfold b; simpl; rewrite Rmult_1_r, sqrt_sqrt; lra).
  eapply Rle_trans; [apply (cross_device_2c run sigmaG T); auto|].
  - unfold afl_thm2c_condition_a. destruct Drift as [One|Long]; [now left|right]. rewrite Local.
    apply (Rmult_le_reg_r (INR T)); [assumption|].
    replace (180 * (1 / a) ^ 2 * INR K ^ 2 * L ^ 2 * Rmax 1 (INR tau) * INR T)
      with (180 * INR K ^ 2 * L ^ 2 * Rmax 1 (INR tau)) by (rewrite ET; field; lra). lra.
  - unfold afl_thm2c_condition_b. rewrite Local, Server.
    set (s := sqrt (3 * INR tau ^ 2 + 1)) in *. assert (Ps : 0 <= s) by apply sqrt_pos.
    assert (Es : s * s = 3 * INR tau ^ 2 + 1) by (apply sqrt_sqrt; pose proof (pow2_ge_0 (INR tau)); lra).
    set (l := L * b / a). assert (Pl : 0 <= l) by (unfold l, Rdiv; pos).
    assert (Small : l * (s + 1) <= 1).
    { assert (Sq : (b * L * (s + 1)) ^ 2 <= a ^ 2).
      { rewrite <- ET. rewrite Em in Horizon. lra. }
      assert (b * L * (s + 1) <= a) by nra.
      unfold l. apply (Rmult_le_reg_r a); [assumption|].
      replace (L * b / a * (s + 1) * a) with (b * L * (s + 1)) by (field; lra). lra. }
    replace (3 * (1 / a) ^ 2 * INR tau ^ 2 * b ^ 2 * L ^ 2 + 2 * (1 / a) * b * L)
      with (3 * INR tau ^ 2 * (l * l) + 2 * l) by (unfold l; field; lra).
    replace (3 * INR tau ^ 2) with (s * s - 1) by lra.
    assert (Q : (l * s) * (l * s) <= (1 - l) * (1 - l)) by (apply Rmult_le_compat; try pos; lra). lra.
  - right. unfold afl_thm2c_right, afl_cor1_explicit_right. rewrite Local, Server. fold a b.
    rewrite ET, Em. field. lra.
Qed.
End Corollary1.

(** ** In expectation, on any finite probability space

    [run] is a random run: its equations hold outcome by outcome. Its noise has mean zero given the
    start and all draws before ([fair_noise]). *)
Section Expected.
Context {P : Law} {E : Space} {p : Problem E} (run : CrossDevice (expected P p)) (sigmaG : R) (T : nat).
Hypothesis Fair : fair_noise P (drawn run) before (noise_of run) (model run 0%nat).
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem afl_cor1_explicit :
  afl_cor1_explicit_condition_steps (clients_per_round := INR (least_arrivals run)) (local_step_size :=
    local_step run) (num_rounds := INR T) (server_step_size := server_step run) ->
  afl_cor1_explicit_condition_drift (local_steps := INR (most_steps run)) (max_delay := INR (max_delay run))
    (num_rounds := INR T) (smoothness := smoothness p) ->
  afl_cor1_explicit_condition_horizon (clients_per_round := INR (least_arrivals run)) (max_delay := INR
    (max_delay run)) (num_rounds := INR T) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_cor1_explicit_right (clients_per_round := INR (least_arrivals run)) (dissimilarity := sigmaG)
    (gradient_noise := noise_level run) (initial_loss_gap := gap) (local_steps := INR (most_steps run))
    (max_delay := INR (max_delay run)) (num_rounds := INR T) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_device_rate run sigmaG T). Qed.

End Expected.
