(** * Theorem 2 of AFL: AFA-CD under general arrivals

    Let AFA-CD run for T rounds on the average f of M losses, each L-smooth, f bounded below, every
    worker's gradient within sigma_G of the global one. In round t any m_t >= m updates arrive, from
    any workers, each started at most tau rounds earlier, each of at most K local steps. Noise has
    mean zero given everything drawn before and variance at most sigma_L^2 per local step. Let
    g = eta eta_L be the product of the step sizes, l = L g, and gap = E f(x_0) - low.

    - 2c: if 180 eta_L^2 K^2 L^2 max(tau, 1) <= 1 or K = 1, and 2 l + 3 tau^2 l^2 <= 1, then the
      average over the rounds of E |grad f(x_t)|^2 is at most the printed bound
      4 gap/(g T) + 4 (alpha_L sigma_L^2 + alpha_G sigma_G^2).
    - 2 half: the same with half the term l/m in alpha_L, under l + 3 tau^2 l^2 <= 1.
    - 2 star (the form to cite): if 16 eta_L^2 K^2 L^2 (tau + 1) <= 1 or K = 1, and
      2 l + 6 tau^2 l^2 <= 1, then it is at most 4 gap/(g T) + 4 (l + 3 tau l^2) sigma_L^2/m +
      6 sigma_G^2 and terms of local drift that vanish for K = 1: noise pays tau, not tau^2.
    - one step: for K = 1 and l + 4 tau^2 l^2 <= 1, at most 2 gap/(g T) + 2 sigma_G^2 +
      (l + 4 tau l^2) sigma_L^2/m.
    - simple: for K = 1, tau = 0 and l <= 1, at most 2 gap/(g T) + sigma_G^2 + l sigma_L^2/m.

    Unlike the paper: condition (a) has max(tau, 1) for tau (the printed one is false at tau = 0:
    [AflTheorem2Refuted.v]), arrivals are independent of the noise, and m_t may vary. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Chance CrossDevice Claims_afl.
Open Scope R_scope.

Section Theorem2.
Context {H : Space} {p : Problem H} (run : CrossDevice p) (sigmaG : R) (T : nat).
Hypothesis Fair : unbiased_noise run.
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.

Notation L := (smoothness p).
Notation x := (model run).
Notation eta := (local_step run).
Notation g := (server_step run * local_step run).
Notation sigma := (noise_level run).
Notation m := (INR (least_arrivals run)).
Notation K := (most_steps run).
Notation tau := (max_delay run).
Notation A := (driftA L eta K).
Notation B := (driftB L eta K).
Notation gap := (global p (x 0%nat) - lowest p).

Let L0 : 0 <= L := smoothness_pos p.
Let eta0 : 0 < eta := local_step_pos run.
Let K0 : (1 <= K)%nat := some_K run.

(** ** How far the model moves while updates are on their way *)
Definition lag_whole t : R := g ^ 2 * (INR tau * window tau (square (used run)) t).
Definition lag_split t : R :=
  2 * g ^ 2 * (INR tau * window tau (square (paths run)) t + INR tau * (sigma ^ 2 / m)).

Lemma moves t s : (s < arrivals run t)%nat ->
  ‖x t ⊖ pulled run t s‖² <= lag_whole t /\ ‖x t ⊖ pulled run t s‖² <= lag_split t.
Proof.
  intros Hs. destruct (delay_bound run t s Hs). split.
  - apply (lag g x (used run) (serve run)); assumption.
  - apply (lag_orthogonal_noise g x (used run) (serve run) (paths run) (hums run)); auto.
    + apply used_is.
    + now apply hums_square.
    + now apply hums_orthogonal.
Qed.

Lemma lag_whole_sum q0 n0 : (forall t, ‖used run t‖² <= q0 * ‖paths run t‖² + n0) ->
  sum T lag_whole <= g ^ 2 * INR tau ^ 2 * q0 * sum T (square (paths run))
                     + INR T * (g ^ 2 * INR tau ^ 2 * n0).
Proof.
  intros E. unfold lag_whole. rewrite !sum_scale.
  pose proof (window_sum tau (square (used run)) T (square_pos _)) as W.
  assert (U : sum T (square (used run)) <= q0 * sum T (square (paths run)) + INR T * n0).
  { rewrite <- sum_scale, <- sum_const, <- sum_add. apply sum_le. intros t _. apply E. }
  apply (Rmult_le_compat_l (INR tau)) in U; [|pos]. apply (Rle_trans _ _ _ W) in U.
  apply (Rmult_le_compat_l (g ^ 2 * INR tau)) in U; [|pos]. lra.
Qed.

Lemma lag_split_sum : sum T lag_split <= 2 * g ^ 2 * INR tau ^ 2 * sum T (square (paths run))
                                         + INR T * (2 * g ^ 2 * INR tau * (sigma ^ 2 / m)).
Proof.
  unfold lag_split. rewrite sum_scale, sum_add, sum_scale, sum_const.
  pose proof (window_sum tau (square (paths run)) T (square_pos _)) as W.
  apply (Rmult_le_compat_l (2 * g ^ 2 * INR tau)) in W; [|pos]. lra.
Qed.

(** ** Bias of what the server uses *)
Lemma bias_drift lag_of t : (forall s, (s < arrivals run t)%nat -> ‖x t ⊖ pulled run t s‖² <= lag_of t) ->
  drift_sum L eta K < 1 ->
  ‖∇ p (x t) ⊖ paths run t‖² <=
  3 * (sigmaG ^ 2 + L ^ 2 * lag_of t + (A * sigma ^ 2 + B * sigmaG ^ 2) + B * used_slope run t).
Proof.
  intros Near Short. pose proof (some_count run t) as C. unfold paths.
  rewrite (same_norm _ _ (mean_sub _ _ _ C)). eapply Rle_trans; [apply norm_mean|].
  set (e := sigmaG ^ 2 + L ^ 2 * lag_of t + (A * sigma ^ 2 + B * sigmaG ^ 2)).
  apply Rle_trans with
    (avg (arrivals run t) (fun s => 3 * e + 3 * B * slope run (t - delay run t s)%nat)).
  - apply avg_le. intros s Hs. pose proof (is_worker run t s Hs) as Hw. set (i := worker run t s) in *.
    assert (E : same (∇ p (x t) ⊖ slot_path run t s)
      (((∇ p (x t) ⊖ ∇i p i (x t)) ⊕ (∇i p i (x t) ⊖ ∇i p i (pulled run t s)))
       ⊕ (∇i p i (pulled run t s) ⊖ slot_path run t s))) by vectors.
    rewrite (same_norm _ _ E). eapply Rle_trans; [apply norm_add3|].
    pose proof (Apart i (x t) Hw) as P1. rewrite norm_sub_sym in P1.
    pose proof (client_lipschitz p i (x t) (pulled run t s) Hw) as P2.
    assert (P3 : L ^ 2 * ‖x t ⊖ pulled run t s‖² <= L ^ 2 * lag_of t)
      by (apply Rmult_le_compat_l; [pos|auto]).
    pose proof (drift (job run Fair t s Hs) Short sigmaG Apart) as P4.
    rewrite (pull run) in P4 by assumption. fold (slot_path run t s) in P4.
    unfold e, slope. fold (pulled run t s) in P4 |- *. fold i in P4. lra.
  - rewrite avg_add, avg_const, avg_scale by assumption. unfold used_slope, e. lra.
Qed.

Lemma single_path t s : K = 1%nat -> (s < arrivals run t)%nat ->
  same (slot_path run t s) (∇i p (worker run t s) (pulled run t s)).
Proof.
  intros One Hs z. pose proof (some_steps run t s Hs). unfold slot_path, path.
  replace (steps run t s) with 1%nat by lia. unfold mean, exact. simpl.
  rewrite (pull run) by assumption. fold (pulled run t s). rewrite dot_scale_l, dot_add_l, dot_zero_l. field.
Qed.

Lemma bias_one_step lag_of t : (forall s, (s < arrivals run t)%nat -> ‖x t ⊖ pulled run t s‖² <= lag_of t) ->
  K = 1%nat -> ‖∇ p (x t) ⊖ paths run t‖² <= 2 * (sigmaG ^ 2 + L ^ 2 * lag_of t + 0 + 0 * used_slope run t).
Proof.
  intros Near One. pose proof (some_count run t) as C. unfold paths.
  rewrite (same_norm _ _ (mean_sub _ _ _ C)). apply norm_mean_le; [assumption|]. intros s Hs.
  pose proof (is_worker run t s Hs) as Hw. set (i := worker run t s) in *.
  assert (E : same (∇ p (x t) ⊖ slot_path run t s)
    ((∇ p (x t) ⊖ ∇i p i (x t)) ⊕ (∇i p i (x t) ⊖ ∇i p i (pulled run t s)))).
  { intros z. rewrite dot_add_l, dot_scale_l, (single_path t s One Hs). fold i. expand_dots. ring. }
  rewrite (same_norm _ _ E). eapply Rle_trans; [apply norm_add2|].
  pose proof (Apart i (x t) Hw) as P1. rewrite norm_sub_sym in P1.
  pose proof (client_lipschitz p i (x t) (pulled run t s) Hw) as P2.
  assert (P3 : L ^ 2 * ‖x t ⊖ pulled run t s‖² <= L ^ 2 * lag_of t)
    by (apply Rmult_le_compat_l; [pos|auto]).
  lra.
Qed.

Lemma bias_synchronous t : K = 1%nat -> tau = 0%nat ->
  ‖∇ p (x t) ⊖ paths run t‖² <= 1 * (sigmaG ^ 2 + L ^ 2 * 0 + 0 + 0 * used_slope run t).
Proof.
  intros One Fresh. pose proof (some_count run t) as C. unfold paths.
  rewrite (same_norm _ _ (mean_sub _ _ _ C)). apply norm_mean_le; [assumption|]. intros s Hs.
  assert (E : same (∇ p (x t) ⊖ slot_path run t s) (∇ p (x t) ⊖ ∇i p (worker run t s) (x t))).
  { intros z. rewrite !dot_add_l, !dot_scale_l, (single_path t s One Hs). unfold pulled.
    destruct (delay_bound run t s Hs). replace (t - delay run t s)%nat with t by lia. reflexivity. }
  rewrite (same_norm _ _ E), norm_sub_sym.
  pose proof (Apart (worker run t s) (x t) (is_worker run t s Hs)). lra.
Qed.

(** ** The theorems *)

Lemma corrected_a : INR K = 1 \/ 180 * eta ^ 2 * INR K ^ 2 * L ^ 2 * Rmax 1 (INR tau) <= 1 ->
  K = 1%nat \/ INR K * (L * eta) <= 3 / 40 /\ 90 * (INR K * (L * eta)) ^ 2 * (INR tau + 1) <= 1.
Proof.
  intros Short. pose proof (Rmax_l 1 (INR tau)) as M1. pose proof (Rmax_r 1 (INR tau)) as M2.
  destruct (short_work L eta K L0 eta0 (3 / 40) 180 (Rmax 1 (INR tau)) ltac:(lra) M1 ltac:(lra) Short)
    as [|[S1 S2]]; [now left|right].
  split; [assumption|]. set (w := INR K * (L * eta)) in *. assert (0 <= w ^ 2) by pos.
  assert (w ^ 2 * (INR tau + 1) <= w ^ 2 * (2 * Rmax 1 (INR tau))) by (apply Rmult_le_compat_l; lra). lra.
Qed.

Theorem cross_device_half :
  afl_thm2_half_condition_a (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (smoothness := L) ->
  afl_thm2_half_condition_b (local_step_size := eta) (max_delay := INR tau)
    (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm2_half_right (clients_per_round := m) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm2_half_condition_a, afl_thm2_half_condition_b. intros Short Small.
  pose proof (corrected_a Short) as Work.
  destruct (drift_constants L eta K L0 eta0 K0 6 (3 / 40) (1600 / 1369) 90 (INR tau + 1) ltac:(lra) ltac:(lra)
              ltac:(field) Work
              ltac:(pose proof (pos_INR tau); lra) ltac:(lra)) as [U [[PA UA] [[PB UB] Drift]]].
  assert (ShortB : K = 1%nat \/ INR K * (L * eta) <= 1) by (destruct Work as [|[]]; [now left|right; lra]).
  assert (Squares : forall t, ‖used run t‖² <= 1 * ‖paths run t‖² + sigma ^ 2 / m).
  { intros t. pose proof (used_square run Fair t ShortB). lra. }
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (m_pos run) as Pm.
  pose proof (smoothness_pos p) as PL. pose proof (local_step_pos run) as Pe. pose proof (server_step_pos run) as Ps.
  pose proof (all_rounds run Fair 3 (A * sigma ^ 2 + B * sigmaG ^ 2) B lag_whole sigmaG ltac:(lra) PB
    (fun t => bias_drift lag_whole t (fun s Hs => proj1 (moves t s Hs)) U)
    _ _ 1 (sigma ^ 2 / m) (1 / 2) T (lag_whole_sum 1 _ Squares) Squares ltac:(lra) ltac:(lra) ltac:(lra)
    some_rounds) as Main.
  eapply Rle_trans; [exact Main|].
  pose proof (K_one K (some_K run)) as K1. set (z := L ^ 2 * eta ^ 2) in *. assert (Pz : 0 <= z) by (unfold z; pos).
  assert (UA2 : A <= 5 * (INR K * z)).
  { assert (0 <= INR K * z) by pos. apply Rle_trans with (1600 / 1369 * (INR K * z)); lra. }
  assert (UB2 : B <= 30 * (INR K ^ 2 * z)).
  { assert (KK : (INR K - 1) * (2 * INR K - 1) <= 2 * INR K ^ 2) by nra.
    apply (Rmult_le_compat_r z) in KK; [|assumption]. assert (0 <= INR K ^ 2 * z) by pos. lra. }
  apply (Rmult_le_compat_r (sigma ^ 2)) in UA2; [|pos]. apply (Rmult_le_compat_r (sigmaG ^ 2)) in UB2; [|pos].
  apply Rle_trans with (4 * gap / (g * INR T) + 6 * sigmaG ^ 2 + 6 * (L ^ 2 * (g ^ 2 * INR tau ^ 2 * (sigma ^ 2 / m)))
    + 6 * (5 * (INR K * z) * sigma ^ 2 + 30 * (INR K ^ 2 * z) * sigmaG ^ 2) + 2 * (L * g * (sigma ^ 2 / m))).
  - replace (4 * gap / (g * INR T)) with (2 * (2 * gap / (g * INR T))) by (field; repeat split; lra). lra.
  - right. unfold afl_thm2_half_right, z. field. repeat split; lra.
Qed.

Theorem cross_device_2c :
  afl_thm2c_condition_a (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (smoothness := L) ->
  afl_thm2c_condition_b (local_step_size := eta) (max_delay := INR tau)
    (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm2c_right (clients_per_round := m) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm2c_condition_a, afl_thm2c_condition_b. intros Short Small.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (m_pos run) as Pm.
  pose proof (smoothness_pos p) as PL. pose proof (local_step_pos run) as Pe. pose proof (server_step_pos run) as Ps.
  assert (P : 0 <= eta * server_step run * L) by pos.
  eapply Rle_trans; [apply cross_device_half; [exact Short|unfold afl_thm2_half_condition_b; lra]|].
  assert (Q : 0 <= 2 * sigma ^ 2 * (eta * server_step run * L) / m) by pos.
  unfold afl_thm2_half_right, afl_thm2c_right.
  apply Rminus_le. apply Rle_trans with (- (2 * sigma ^ 2 * (eta * server_step run * L) / m)); [right|lra].
  field. repeat split; lra.
Qed.

Theorem cross_device_star :
  afl_thm2star_condition_a (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (smoothness := L) ->
  afl_thm2star_condition_b (local_step_size := eta) (max_delay := INR tau)
    (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm2star_right (clients_per_round := m) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm2star_condition_a, afl_thm2star_condition_b. intros Short Small.
  pose proof (pos_INR tau) as Pt.
  pose proof (short_work L eta K L0 eta0 (1 / 4) 16 (INR tau + 1) ltac:(lra) ltac:(lra) ltac:(lra) Short) as Work.
  destruct (drift_constants L eta K L0 eta0 K0 6 (1 / 4) (16 / 9) 16 (INR tau + 1) ltac:(lra) ltac:(lra)
              ltac:(field) Work
              ltac:(lra) ltac:(lra)) as [U [[PA UA] [[PB UB] Drift]]].
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (m_pos run) as Pm.
  pose proof (smoothness_pos p) as PL. pose proof (local_step_pos run) as Pe. pose proof (server_step_pos run) as Ps.
  pose proof (all_rounds run Fair 3 (A * sigma ^ 2 + B * sigmaG ^ 2) B lag_split sigmaG ltac:(lra) PB
    (fun t => bias_drift lag_split t (fun s Hs => proj2 (moves t s Hs)) U)
    _ _ 2 (2 * (sigma ^ 2 / m)) (1 / 2) T lag_split_sum (used_square_double run Fair) ltac:(lra) ltac:(lra)
    ltac:(lra) some_rounds) as Main.
  eapply Rle_trans; [exact Main|].
  set (z := L ^ 2 * eta ^ 2) in *.
  apply (Rmult_le_compat_r (sigma ^ 2)) in UA; [|pos]. apply (Rmult_le_compat_r (sigmaG ^ 2)) in UB; [|pos].
  apply Rle_trans with (4 * gap / (g * INR T) + 6 * sigmaG ^ 2 + 6 * (L ^ 2 * (2 * g ^ 2 * INR tau * (sigma ^ 2 / m)))
    + 6 * (16 / 9 * ((INR K - 1) * z) * sigma ^ 2 + 2 / 3 * (16 / 9) * ((INR K - 1) * (2 * INR K - 1) * z) * sigmaG ^ 2)
    + 4 * (L * g * (sigma ^ 2 / m))).
  - replace (4 * gap / (g * INR T)) with (2 * (2 * gap / (g * INR T))) by (field; repeat split; lra). lra.
  - right. unfold afl_thm2star_right, z. field. repeat split; lra.
Qed.

Theorem cross_device_one_step :
  afl_thm2_onestep_condition_b (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm2_onestep_right (clients_per_round := m) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_step_size := eta) (max_delay := INR tau)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm2_onestep_condition_b. intros [One Small]. apply (INR_eq K 1) in One.
  assert (Squares : forall t, ‖used run t‖² <= 1 * ‖paths run t‖² + sigma ^ 2 / m).
  { intros t. pose proof (used_square run Fair t (or_introl One)). lra. }
  pose proof (all_rounds run Fair 2 0 0 lag_split sigmaG ltac:(lra) ltac:(lra)
    (fun t => bias_one_step lag_split t (fun s Hs => proj2 (moves t s Hs)) One)
    _ _ 1 (sigma ^ 2 / m) 0 T lag_split_sum Squares ltac:(lra) ltac:(lra) ltac:(lra) some_rounds) as Main.
  eapply Rle_trans; [exact Main|]. right. unfold afl_thm2_onestep_right.
  pose proof (lt_0_INR T some_rounds). pose proof (m_pos run). pose proof (local_step_pos run).
  pose proof (server_step_pos run). field. repeat split; lra.
Qed.

Theorem cross_device_synchronous :
  afl_thm2_simple_condition_b (local_step_size := eta) (local_steps := INR K) (max_delay := INR tau)
    (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm2_simple_right (clients_per_round := m) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_step_size := eta)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm2_simple_condition_b. intros [Fresh [One Small]].
  apply (INR_eq K 1) in One. apply (INR_eq tau 0) in Fresh.
  assert (Squares : forall t, ‖used run t‖² <= 1 * ‖paths run t‖² + sigma ^ 2 / m).
  { intros t. pose proof (used_square run Fair t (or_introl One)). lra. }
  assert (NoLag : sum T (fun _ => 0) <= 0 * sum T (square (paths run)) + INR T * 0) by (rewrite sum_const; lra).
  pose proof (all_rounds run Fair 1 0 0 (fun _ => 0) sigmaG ltac:(lra) ltac:(lra)
    (fun t => bias_synchronous t One Fresh)
    _ _ 1 (sigma ^ 2 / m) 0 T NoLag Squares ltac:(lra) ltac:(lra) ltac:(lra) some_rounds) as Main.
  eapply Rle_trans; [exact Main|]. right. unfold afl_thm2_simple_right.
  pose proof (lt_0_INR T some_rounds). pose proof (m_pos run). pose proof (local_step_pos run).
  pose proof (server_step_pos run). field. repeat split; lra.
Qed.
End Theorem2.

(** ** In expectation, on any finite probability space

    [run] is a random run: its equations hold outcome by outcome. Its noise has mean zero given the
    start and all draws before ([fair_noise]). *)
Section Expected.
Context {P : Law} {E : Space} {p : Problem E} (run : CrossDevice (expected P p)) (sigmaG : R) (T : nat).
Hypothesis Fair : fair_noise P (drawn run) before (noise_of run) (model run 0%nat).
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem afl_thm2c :
  afl_thm2c_condition_a (local_step_size := local_step run) (local_steps := INR (most_steps run)) (max_delay :=
    INR (max_delay run)) (smoothness := smoothness p) ->
  afl_thm2c_condition_b (local_step_size := local_step run) (max_delay := INR (max_delay run)) (server_step_size
    := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm2c_right (clients_per_round := INR (least_arrivals run)) (dissimilarity := sigmaG) (gradient_noise :=
    noise_level run) (initial_loss_gap := gap) (local_step_size := local_step run) (local_steps := INR
    (most_steps run)) (max_delay := INR (max_delay run)) (num_rounds := INR T) (server_step_size := server_step
    run) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_device_2c run sigmaG T). Qed.

Theorem afl_thm2_half :
  afl_thm2_half_condition_a (local_step_size := local_step run) (local_steps := INR (most_steps run)) (max_delay
    := INR (max_delay run)) (smoothness := smoothness p) ->
  afl_thm2_half_condition_b (local_step_size := local_step run) (max_delay := INR (max_delay run))
    (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm2_half_right (clients_per_round := INR (least_arrivals run)) (dissimilarity := sigmaG) (gradient_noise
    := noise_level run) (initial_loss_gap := gap) (local_step_size := local_step run) (local_steps := INR
    (most_steps run)) (max_delay := INR (max_delay run)) (num_rounds := INR T) (server_step_size := server_step
    run) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_device_half run sigmaG T). Qed.

Theorem afl_thm2star :
  afl_thm2star_condition_a (local_step_size := local_step run) (local_steps := INR (most_steps run)) (max_delay
    := INR (max_delay run)) (smoothness := smoothness p) ->
  afl_thm2star_condition_b (local_step_size := local_step run) (max_delay := INR (max_delay run))
    (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm2star_right (clients_per_round := INR (least_arrivals run)) (dissimilarity := sigmaG) (gradient_noise
    := noise_level run) (initial_loss_gap := gap) (local_step_size := local_step run) (local_steps := INR
    (most_steps run)) (max_delay := INR (max_delay run)) (num_rounds := INR T) (server_step_size := server_step
    run) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_device_star run sigmaG T). Qed.

Theorem afl_thm2_onestep :
  afl_thm2_onestep_condition_b (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (max_delay := INR (max_delay run)) (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm2_onestep_right (clients_per_round := INR (least_arrivals run)) (dissimilarity := sigmaG)
    (gradient_noise := noise_level run) (initial_loss_gap := gap) (local_step_size := local_step run) (max_delay
    := INR (max_delay run)) (num_rounds := INR T) (server_step_size := server_step run) (smoothness :=
    smoothness p).
Proof. intros. in_expectation (cross_device_one_step run sigmaG T). Qed.

Theorem afl_thm2_simple :
  afl_thm2_simple_condition_b (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (max_delay := INR (max_delay run)) (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm2_simple_right (clients_per_round := INR (least_arrivals run)) (dissimilarity := sigmaG)
    (gradient_noise := noise_level run) (initial_loss_gap := gap) (local_step_size := local_step run)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_device_synchronous run sigmaG T). Qed.

End Expected.
