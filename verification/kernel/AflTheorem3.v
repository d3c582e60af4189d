(** * Theorem 3 of AFL: AFA-CD under uniform arrivals

    Let AFA-CD run for T rounds on the average f of M losses, each L-smooth, f bounded below, every
    worker's gradient within sigma_G of the global one. Every round hears from m of the M workers,
    uniformly at random (as far as singles and pairs go), whatever happened before. Updates are at
    most tau rounds old and of at most K local steps; noise has mean zero given what was drawn before
    and variance at most sigma_L^2 per local step. Let g = eta eta_L, l = L g, gap = E f(x_0) - low
    and rho = (M-m)/(m max(1, M-1)).

    - 3 star: if 20 eta_L^2 K^2 L^2 (tau + 1) <= 1 or K = 1, and 6 l (tau + 1) <= 1, then the average
      over the rounds of E |grad f(x_t)|^2 is at most 4 gap/(g T) + (15/2) l (sigma_L^2/m +
      3 rho sigma_G^2) + (40/3)(K-1) L^2 eta_L^2 sigma_L^2 + (80/9)(K-1)(2K-1) L^2 eta_L^2 sigma_G^2.

    Unlike the paper: two conditions in place of three, and no term in tau^2. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import UniformDevice Claims_afl.
Open Scope R_scope.

Section Theorem3.
Context {P : Law} {E : Space} {p : Problem E} (run : UniformDevice P p) (sigmaG : R) (T : nat).
Hypothesis Fair : uniform_run run T.
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.

Notation pp := (expected P p).
Notation L := (smoothness pp).
Notation M := (clients p).
Notation m := (INR (per_round run)).
Notation x := (model run).
Notation eta := (local_step run).
Notation g := (server_step run * local_step run).
Notation sigma := (noise_level run).
Notation K := (most_steps run).
Notation tau := (max_delay run).
Notation rho := (rho run).
Notation A := (driftA L eta K).
Notation B := (driftB L eta K).
Notation gap := (global pp (x 0%nat) - lowest pp).
Notation n := (sigma ^ 2 / m).
Let L0 : 0 <= L := smoothness_pos pp.
Let eta0 : 0 < eta := local_step_pos run.

Lemma K0 : (1 <= K)%nat.
Proof. pose proof (some_steps run 0%nat 0%nat (some_client p)). lia. Qed.

Lemma g_pos : 0 < g.
Proof. apply Rmult_lt_0_compat; [apply server_step_pos|apply local_step_pos]. Qed.

(** ** How far the model moves *)
Definition rest_bound t : R := 2 * rho * spread run t + 2 * n.
Definition lag_of t : R :=
  2 * g ^ 2 * (INR tau * window tau (square (paths run)) t + window tau rest_bound t).

Lemma spread_pos t : 0 <= spread run t.
Proof. unfold spread. pose proof (norm_mean M (slot_path run t)). unfold paths. lra. Qed.

Lemma rest_bound_pos t : 0 <= rest_bound t.
Proof.
  pose proof (spread_pos t). destruct (rho_range run) as [[R0 _] _]. pose proof (m_pos run). unfold rest_bound, Rdiv.
  pos.
Qed.

Lemma moves t i : (t < T)%nat -> (i < M)%nat -> ‖x t ⊖ x (t - delay run t i)%nat‖² <= lag_of t.
Proof.
  intros HtT Hi. destruct (delay_bound run t i Hi) as [D1 D2].
  apply (lag_split g x (used run) (serve run) (paths run) (rest run)); auto.
  - intros s. unfold rest. vectors.
  - rewrite norm_vsum_orthogonal by (intros; apply (rests_orthogonal run T Fair); lia).
    eapply Rle_trans; [|apply (window_part tau rest_bound t (delay run t i)); auto; apply rest_bound_pos].
    apply sum_le. intros j Hj. apply (rest_square run T Fair). lia.
Qed.

(** ** Bias and variance of the workers' paths *)
Definition slope t : R := ‖∇ pp (x t)‖².
Definition used_slope t : R := avg M (fun i => slope (t - delay run t i)%nat).
Notation e0 := (A * sigma ^ 2 + B * sigmaG ^ 2).

Lemma slope_pos t : 0 <= slope t.
Proof. apply dot_pos. Qed.

Hypothesis Short : drift_sum L eta K < 1.

Lemma one_path t i : (t < T)%nat -> (i < M)%nat ->
  ‖∇i pp i (x t) ⊖ slot_path run t i‖² <= 2 * (L ^ 2 * lag_of t + (e0 + B * slope (t - delay run t i)%nat)) /\
  ‖∇ pp (x t) ⊖ slot_path run t i‖² <= 3 * (sigmaG ^ 2 + L ^ 2 * lag_of t + (e0 + B * slope (t - delay run t i)%nat)).
Proof.
  intros HtT Hi. set (u := x (t - delay run t i)%nat).
  pose proof (client_lipschitz pp i (x t) u Hi) as P2.
  assert (P3 : L ^ 2 * ‖x t ⊖ u‖² <= L ^ 2 * lag_of t) by (apply Rmult_le_compat_l; [pos|now apply moves]).
  pose proof (expected_dissimilarity P p sigmaG Apart) as Ap.
  pose proof (drift (job run T Fair t i HtT Hi) Short sigmaG Ap) as P4.
  rewrite (pull run) in P4 by assumption. fold (slot_path run t i) u in P4. unfold slope. fold u.
  pose proof (Ap i (x t) Hi) as P1. rewrite norm_sub_sym in P1. split.
  - assert (S2 : same (∇i pp i (x t) ⊖ slot_path run t i)
      ((∇i pp i (x t) ⊖ ∇i pp i u) ⊕ (∇i pp i u ⊖ slot_path run t i))) by vectors.
    rewrite (same_norm _ _ S2). eapply Rle_trans; [apply norm_add2|]. lra.
  - assert (S3 : same (∇ pp (x t) ⊖ slot_path run t i)
      (((∇ pp (x t) ⊖ ∇i pp i (x t)) ⊕ (∇i pp i (x t) ⊖ ∇i pp i u)) ⊕ (∇i pp i u ⊖ slot_path run t i))) by vectors.
    rewrite (same_norm _ _ S3). eapply Rle_trans; [apply norm_add3|]. lra.
Qed.

Lemma bias t : (t < T)%nat -> ‖∇ pp (x t) ⊖ paths run t‖² <= 2 * (L ^ 2 * lag_of t + (e0 + B * used_slope t)).
Proof.
  intros HtT. assert (S0 : same (∇ pp (x t) ⊖ paths run t) (mean M (fun i => ∇i pp i (x t) ⊖ slot_path run t i))).
  { intros z. unfold paths, global_gradient, average_gradient.
    rewrite dot_add_l, dot_scale_l, !dot_mean_l, <- avg_scale, <- avg_add. apply avg_ext. intros.
    now rewrite dot_add_l, dot_scale_l. }
  rewrite (same_norm _ _ S0). eapply Rle_trans; [apply norm_mean|].
  eapply Rle_trans; [apply avg_le; intros i Hi; apply (proj1 (one_path t i HtT Hi))|].
  right. rewrite avg_scale. f_equal. rewrite !avg_add, !avg_const, avg_scale by apply some_client. reflexivity.
Qed.

Lemma spread_bound t : (t < T)%nat -> spread run t <= 3 * (sigmaG ^ 2 + L ^ 2 * lag_of t + (e0 + B * used_slope t)).
Proof.
  intros HtT.
  apply Rle_trans with (avg M (fun i => ‖∇ pp (x t) ⊖ slot_path run t i‖²)).
  - rewrite (avg_ext M _ (fun i => slope t + (-2 * ⟨slot_path run t i, ∇ pp (x t)⟩ + ‖slot_path run t i‖²)))
      by (intros; rewrite norm_sub, (dot_sym (∇ pp (x t)) (slot_path run t i)); unfold slope; ring).
    rewrite !avg_add, avg_const, avg_scale by apply some_client.
    rewrite <- (dot_mean_l M (slot_path run t)). fold (paths run t).
    pose proof (dot_pos (∇ pp (x t) ⊖ paths run t)) as Q. rewrite norm_sub, (dot_sym (∇ pp (x t)) (paths run t)) in Q.
    unfold spread, slope. lra.
  - eapply Rle_trans; [apply avg_le; intros i Hi; apply (proj2 (one_path t i HtT Hi))|].
    right. rewrite avg_scale. f_equal. rewrite !avg_add, !avg_const, avg_scale by apply some_client. reflexivity.
Qed.

(** A model is used in at most tau + 1 rounds. *)
Lemma used_slopes : sum T used_slope <= (INR tau + 1) * sum T slope.
Proof.
  apply Rle_trans with (sum T (fun t => slope t + window tau slope t)).
  - apply sum_le. intros t _. apply avg_le_const; [apply some_client|]. intros i Hi.
    destruct (delay_bound run t i Hi). apply (window_member_or_now tau slope); [apply slope_pos|lia|lia].
  - rewrite sum_add. pose proof (window_sum tau slope T slope_pos). lra.
Qed.

(** ** One round *)
Lemma one_round t : (t < T)%nat -> global pp (x (S t)) - global pp (x t) <=
  - (g / 2 * (slope t + ‖paths run t‖² - 2 * (L ^ 2 * lag_of t + (e0 + B * used_slope t))
              - L * g * (2 * (‖paths run t‖² + rho * spread run t) + 2 * n))).
Proof.
  intros HtT. rewrite (serve run : forall t, x (S t) = x t ⊕ (- g) ⊙ used run t).
  pose proof (global_descent pp (x t) ((- g) ⊙ used run t)) as D.
  rewrite dot_scale_r, square_scale, (rest_meets_slope run T Fair t HtT) in D.
  pose proof (bias t HtT) as Bi. rewrite norm_sub in Bi. fold (slope t) in Bi.
  pose proof g_pos as Pg. pose proof (used_square run T Fair t HtT) as U.
  apply (Rmult_le_compat_l (g / 2)) in Bi; [|lra].
  apply (Rmult_le_compat_l (L / 2 * (- g) ^ 2)) in U; [|pos]. lra.
Qed.

(** ** All rounds *)
Hypothesis PA : 0 <= A.
Hypothesis PB : 0 <= B.
Hypothesis DriftSmall : 84 / 11 * B * (INR tau + 1) <= 1.
Hypothesis Small : 6 * (L * g) * (INR tau + 1) <= 1.

Lemma all_rounds : avg T slope <=
  4 * gap / (g * INR T) + 84 / 11 * e0 + 80 / 11 * (L * g) * (3 * rho * sigmaG ^ 2 + n).
Proof.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof g_pos as Pg. pose proof (server_step_pos run) as Psv.
  pose proof (pos_INR tau) as Pt. destruct (rho_range run) as [[R0 R1] _]. pose proof (m_pos run) as Pm.
  assert (Pn : 0 <= n) by (unfold Rdiv; pos). assert (Pe : 0 <= e0) by pos.
  set (l := L * g) in *. assert (Pl : 0 <= l) by (unfold l; pos).
  set (v := l * INR tau). assert (Pv : 0 <= v) by (unfold v; pos). assert (V : 6 * l + 6 * v <= 1) by (unfold v; lra).
  pose proof (total_descent pp x _ T one_round) as D. rewrite sum_scale in D.
  set (SE := sum T slope) in *. set (SZ := sum T (square (paths run))). set (SV := sum T (spread run)).
  set (SL := sum T lag_of). set (SU := sum T used_slope).
  set (X := L ^ 2 * SL). set (w := rho * SV). set (N := INR T * n). set (G := INR T * sigmaG ^ 2).
  set (Dr := INR T * e0 + B * SU).
  assert (E1 : sum T (fun t => slope t + ‖paths run t‖² - 2 * (L ^ 2 * lag_of t + (e0 + B * used_slope t))
                - l * (2 * (‖paths run t‖² + rho * spread run t) + 2 * n))
            = SE + SZ - 2 * X - 2 * Dr - 2 * l * SZ - 2 * (l * (w + N))).
  { rewrite (sum_ext T _ (fun t => slope t + (1 - 2 * l) * square (paths run) t + (-2 * L ^ 2) * lag_of t
      + (- (2 * B)) * used_slope t + (- (2 * l * rho)) * spread run t + (- (2 * e0 + 2 * l * n))))
      by (intros; unfold square; ring).
    rewrite !sum_add, !sum_scale, sum_const. unfold SE, SZ, SV, SL, SU, X, w, N, Dr. fold SE SZ SV SL SU. ring. }
  fold l in D. rewrite E1 in D. clear E1.
  assert (PSE : 0 <= SE) by (apply sum_pos; intros; apply slope_pos).
  assert (PSZ : 0 <= SZ) by (apply sum_pos; intros; apply square_pos).
  assert (PSV : 0 <= SV) by (apply sum_pos; intros; apply spread_pos).
  assert (PSU : 0 <= SU) by (apply sum_pos; intros; apply avg_pos; intros; apply slope_pos).
  assert (Pw : 0 <= w) by (unfold w; pos). assert (PN : 0 <= N) by (unfold N; pos).
  assert (PG : 0 <= G) by (unfold G; pos). assert (PDr : 0 <= Dr) by (unfold Dr; pos).
  assert (F1 : X <= 2 * (v * v) * SZ + 4 * (v * l) * (w + N)).
  { assert (HL : SL <= 2 * g ^ 2 * (INR tau * (INR tau * SZ) + INR tau * (2 * w + 2 * N))).
    { unfold SL, lag_of. rewrite sum_scale. apply Rmult_le_compat_l; [pos|]. rewrite sum_add, sum_scale.
      pose proof (window_sum tau (square (paths run)) T (square_pos (paths run))) as W1. fold SZ in W1.
      pose proof (window_sum tau rest_bound T rest_bound_pos) as W2.
      assert (ER : sum T rest_bound = 2 * w + 2 * N).
      { unfold rest_bound. rewrite sum_add, sum_scale, sum_const. fold SV. unfold w, N. ring. }
      rewrite ER in W2. apply (Rmult_le_compat_l (INR tau)) in W1; [|assumption]. lra. }
    apply (Rmult_le_compat_l (L ^ 2)) in HL; [|pos]. unfold X. eapply Rle_trans; [exact HL|].
    right. unfold v, l. ring. }
  assert (F2 : w <= 3 * rho * (G + X + Dr)).
  { assert (HV : SV <= 3 * (G + X + Dr)).
    { apply Rle_trans with (sum T (fun t => 3 * (sigmaG ^ 2 + L ^ 2 * lag_of t + (e0 + B * used_slope t))));
        [apply sum_le; intros; now apply spread_bound|right].
      rewrite sum_scale, !sum_add, !sum_const, !sum_scale. fold SL SU. unfold G, X, Dr. ring. }
    apply (Rmult_le_compat_l rho) in HV; [|assumption]. unfold w. lra. }
  assert (F4 : 84 / 11 * (B * SU) <= SE).
  { pose proof used_slopes as HU. fold SU SE in HU. apply (Rmult_le_compat_l (84 / 11 * B)) in HU; [|pos].
    apply (Rmult_le_compat_r SE) in DriftSmall; [|assumption]. lra. }
  (* products of small numbers *)
  set (y := w + N) in *. assert (Py : 0 <= y) by (unfold y; lra).
  assert (VL : v * l <= / 144).
  { pose proof (pow2_ge_0 (l - v)). assert ((6 * l + 6 * v) * (6 * l + 6 * v) <= 1 * 1) by (apply Rmult_le_compat; lra).
    lra. }
  assert (VLy : (v * l) * y <= / 144 * y) by (now apply Rmult_le_compat_r).
  assert (VLy2 : 6 * ((v * l) * y) <= l * y).
  { assert (6 * (v * l) <= l).
    { assert (Q : (6 * v) * l <= 1 * l) by (apply Rmult_le_compat_r; lra). lra. }
    apply (Rmult_le_compat_r y) in H; lra. }
  assert (VVS : 6 * (v * v * SZ) <= v * SZ).
  { assert (6 * (v * v) <= v).
    { assert (Q : (6 * v) * v <= 1 * v) by (apply Rmult_le_compat_r; lra). lra. }
    apply (Rmult_le_compat_r SZ) in H; lra. }
  assert (PvS : 0 <= v * SZ) by pos. assert (PlS : 0 <= l * SZ) by pos.
  assert (LVS : 6 * (l * (v * SZ)) <= v * SZ).
  { assert (6 * l <= 1) by lra. apply (Rmult_le_compat_r (v * SZ)) in H; lra. }
  assert (SS : 6 * (l * SZ) + 6 * (v * SZ) <= SZ).
  { apply (Rmult_le_compat_r SZ) in V; lra. }
  assert (F5 : 11 / 12 * y <= 3 * rho * (G + Dr) + v * SZ + N).
  { assert (RX : rho * X <= rho * (2 * (v * v) * SZ + 4 * (v * l) * y)) by (now apply Rmult_le_compat_l).
    assert (PQ : 0 <= 2 * (v * v) * SZ + 4 * (v * l) * y) by pos.
    assert (RQ : rho * (2 * (v * v) * SZ + 4 * (v * l) * y) <= 1 * (2 * (v * v) * SZ + 4 * (v * l) * y))
      by (now apply Rmult_le_compat_r).
    unfold y in *. lra. }
  assert (F6 : l * y <= 12 / 11 * (3 * (l * rho * (G + Dr)) + l * (v * SZ) + l * N)).
  { apply (Rmult_le_compat_l l) in F5; [|assumption]. lra. }
  assert (LR : l * rho * Dr <= / 6 * Dr).
  { apply Rmult_le_compat_r; [assumption|]. apply Rle_trans with (/ 6 * 1); [|lra].
    apply Rmult_le_compat; lra. }
  assert (Final : g / 2 * (/ 2 * SE - INR T * (42 / 11 * e0 + 40 / 11 * l * (3 * rho * sigmaG ^ 2 + n))) <= gap).
  { eapply Rle_trans; [|exact D]. apply Rmult_le_compat_l; [lra|].
    assert (EDr : 42 / 11 * Dr <= 42 / 11 * (INR T * e0) + / 2 * SE) by (unfold Dr; lra).
    assert (EG : INR T * (40 / 11 * l * (3 * rho * sigmaG ^ 2 + n)) = 40 / 11 * (3 * (l * rho * G) + l * N))
      by (unfold G, N; ring). lra. }
  apply (Rmult_le_compat_l (4 / (g * INR T))) in Final.
  - replace (4 / (g * INR T) * (g / 2 * (/ 2 * SE - INR T * (42 / 11 * e0 + 40 / 11 * l * (3 * rho * sigmaG ^ 2 + n)))))
      with (/ INR T * SE - (84 / 11 * e0 + 80 / 11 * l * (3 * rho * sigmaG ^ 2 + n))) in Final
      by (field; repeat split; lra).
    unfold avg. fold SE. replace (4 * gap / (g * INR T)) with (4 / (g * INR T) * gap) by (field; repeat split; lra).
    lra.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.
End Theorem3.

(** ** The theorem, in expectation *)
Theorem afl_thm3star {P : Law} {E : Space} {p : Problem E} (run : UniformDevice P p) (sigmaG : R) (T : nat) :
  uniform_run run T -> dissimilarity p sigmaG -> (0 < T)%nat ->
  afl_thm3star_condition_a (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (max_delay := INR (max_delay run)) (smoothness := smoothness p) ->
  afl_thm3star_condition_b (local_step_size := local_step run) (max_delay := INR (max_delay run))
    (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm3star_right (clients_per_round := INR (per_round run)) (num_clients := INR (clients p))
    (dissimilarity := sigmaG) (gradient_noise := noise_level run)
    (initial_loss_gap := expect P (fun w => global p (model run 0%nat w)) - lowest p)
    (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := smoothness p).
Proof.
  intros Fair Apart HT. unfold afl_thm3star_condition_a, afl_thm3star_condition_b. intros Short Small.
  set (K := most_steps run) in *. set (eta := local_step run) in *. set (L := smoothness p) in *.
  set (sigma := noise_level run) in *. set (m := INR (per_round run)) in *. set (M := INR (clients p)) in *.
  set (tau := max_delay run) in *. set (gap := expect P (fun w => global p (model run 0%nat w)) - lowest p).
  pose proof (smoothness_pos p : 0 <= L) as L0. pose proof (local_step_pos run : 0 < eta) as eta0.
  pose proof (K0 run T HT : (1 <= K)%nat) as K1. pose proof (pos_INR tau) as Pt.
  pose proof (short_work L eta K L0 eta0 (9 / 40) 20 (INR tau + 1) ltac:(lra) ltac:(lra) ltac:(lra) Short) as Work.
  destruct (drift_constants L eta K L0 eta0 K1 (84 / 11) (9 / 40) (1600 / 961) 20 (INR tau + 1) ltac:(lra)
    ltac:(lra) ltac:(field) Work ltac:(lra) ltac:(lra)) as [U [[PA UA] [[PB UB] Drift]]].
  pose proof (all_rounds run sigmaG T Fair Apart HT U PA PB Drift) as Main.
  rewrite expected_global in Main.
  rewrite (avg_ext T _ (fun t => expect P (fun w => ‖∇ p (model run t w)‖²))) in Main
    by (intros; apply expected_square).
  change (smoothness (expected P p)) with L in Main. change (lowest (expected P p)) with (lowest p) in Main.
  fold gap eta K sigma m M tau in Main. eapply Rle_trans; [apply Main; lra|]. clear Main.
  pose proof (lt_0_INR T HT) as PT. pose proof (server_step_pos run) as Ps. pose proof (m_pos run : 0 < m) as Pm.
  destruct (rho_range run) as [[R0 _] _]. pose proof (K_one K K1) as K2. pose proof (Rmax_l 1 (M - 1)) as PM.
  set (z := L ^ 2 * eta ^ 2) in *. assert (Pz : 0 <= z) by (unfold z; pos).
  assert (UA2 : 84 / 11 * driftA L eta K <= 40 / 3 * ((INR K - 1) * z)).
  { assert (0 <= (INR K - 1) * z) by pos. lra. }
  assert (UB2 : 84 / 11 * driftB L eta K <= 80 / 9 * ((INR K - 1) * (2 * INR K - 1) * z)).
  { assert (0 <= (INR K - 1) * (2 * INR K - 1) * z) by pos. lra. }
  apply (Rmult_le_compat_r (sigma ^ 2)) in UA2; [|pos]. apply (Rmult_le_compat_r (sigmaG ^ 2)) in UB2; [|pos].
  assert (Noise : 0 <= L * (server_step run * eta) * (3 * rho run * sigmaG ^ 2 + sigma ^ 2 / m)).
  { assert (0 <= sigma ^ 2 / m) by (unfold Rdiv; pos). pos. }
  apply Rle_trans with (4 * gap / (server_step run * eta * INR T)
    + (40 / 3 * ((INR K - 1) * z) * sigma ^ 2 + 80 / 9 * ((INR K - 1) * (2 * INR K - 1) * z) * sigmaG ^ 2)
    + 15 / 2 * (L * (server_step run * eta) * (3 * rho run * sigmaG ^ 2 + sigma ^ 2 / m))); [lra|].
  right. unfold afl_thm3star_right, UniformDevice.rho, z. fold m M. field. repeat split; lra.
Qed.
