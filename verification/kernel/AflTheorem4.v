(** * Theorem 4 and Corollary 3 of AFL: AFA-CS, whose server remembers every worker's latest update

    Let AFA-CS run for T rounds on the average f of M losses, each L-smooth, f bounded below, every
    worker's gradient within sigma_G of the global one. The memory is full from the first round on
    and never holds an update that is based on a model of more than tau rounds before; arrivals are
    otherwise arbitrary. Every update takes between K_min and K local steps. Noise has mean zero
    given what was drawn before and variance at most sigma_L^2 per local step. Let g = eta eta_L,
    l = L g, and gap = E f(x_0) - low.

    - 4 star: if 12 eta_L^2 K^2 L^2 (tau + 1) <= 1 or K = 1, and 4 l (tau + 1) <= 1, then the average
      over the rounds of E |grad f(x_t)|^2 is at most 4 gap/(g T) + 7 l (tau + 1) sigma_L^2/(K_min M)
      + 8 (K-1) L^2 eta_L^2 sigma_L^2 + (16/3) (K-1)(2K-1) L^2 eta_L^2 sigma_G^2.
    - Corollary 3 star: for K = 1 and the largest g with 4 l (tau + 1) <= 1 and 7 L (tau + 1)
      sigma_L^2 T g^2 <= 4 gap M, it is at most 4 sqrt(7 L gap sigma_L^2 (tau + 1)/(M T)) +
      16 L gap (tau + 1)/T.
    - The same bound as in 4 star holds on average over random schedules that do not depend on the noise.

    Unlike the paper: conditions (5), (6) and (7) are not needed, the noise vanishes with the step
    size, and the speedup is M/(tau + 1). *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Chance CrossSilo Claims_afl.
Open Scope R_scope.

Section Theorem4.
Context {H : Space} {p : Problem H} (run : CrossSilo p) (sigmaG : R) (T : nat).
Hypothesis Fair : unbiased_noise run.
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.

Notation L := (smoothness p).
Notation M := (clients p).
Notation x := (model run).
Notation eta := (local_step run).
Notation g := (server_step run * local_step run).
Notation sigma := (noise_level run).
Notation K := (most_steps run).
Notation tau := (max_age run).
Notation nu := (nu run).
Notation A := (driftA L eta K).
Notation B := (driftB L eta K).
Notation gap := (global p (x 0%nat) - lowest p).
Let L0 : 0 <= L := smoothness_pos p.
Let eta0 : 0 < eta := local_step_pos run.
Let K0 : (1 <= K)%nat := some_K run.

(** ** Bias of the memory *)
Definition lag_of t : R :=
  2 * g ^ 2 * (INR tau * window tau (square (paths run)) t + INR tau ^ 2 * nu).

Lemma bias t : drift_sum L eta K < 1 ->
  ‖∇ p (x t) ⊖ paths run t‖² <=
  2 * (L ^ 2 * lag_of t + (A * sigma ^ 2 + B * sigmaG ^ 2) + B * used_slope run t).
Proof.
  intros Short. unfold global_gradient, average_gradient, paths.
  assert (E : same (mean M (fun i => ∇i p i (x t)) ⊖ mean M (fun i => job_path run (last run t i) i))
                   (mean M (fun i => ∇i p i (x t) ⊖ job_path run (last run t i) i))).
  { intros z. rewrite dot_add_l, dot_scale_l, !dot_mean_l, <- avg_scale, <- avg_add. apply avg_ext. intros.
    now rewrite dot_add_l, dot_scale_l. }
  rewrite (same_norm _ _ E). eapply Rle_trans; [apply norm_mean|].
  set (e := L ^ 2 * lag_of t + (A * sigma ^ 2 + B * sigmaG ^ 2)).
  apply Rle_trans with
    (avg M (fun i => 2 * e + 2 * B * slope run (start_of run (last run t i) i))).
  - apply avg_le. intros i Hi. set (a := last run t i). set (u := x (start_of run a i)).
    assert (S2 : same (∇i p i (x t) ⊖ job_path run a i)
      ((∇i p i (x t) ⊖ ∇i p i u) ⊕ (∇i p i u ⊖ job_path run a i))) by vectors.
    rewrite (same_norm _ _ S2). eapply Rle_trans; [apply norm_add2|].
    pose proof (client_lipschitz p i (x t) u Hi) as P2.
    assert (P3 : L ^ 2 * ‖x t ⊖ u‖² <= L ^ 2 * lag_of t).
    { apply Rmult_le_compat_l; [pos|]. now apply (lag_of_memory run Fair). }
    pose proof (drift (job run Fair a i Hi) Short sigmaG Apart) as P4.
    rewrite (pull run) in P4 by assumption. fold (job_path run a i) (start_of run a i) u in P4.
    unfold e, slope. fold u. lra.
  - rewrite avg_add, avg_const, avg_scale by apply some_client. unfold used_slope, e. lra.
Qed.

(** ** All rounds *)
Lemma all_rounds : drift_sum L eta K < 1 -> 0 <= A -> 0 <= B -> 4 * B * (INR tau + 1) <= 1 ->
  4 * (L * g) * (INR tau + 1) <= 1 ->
  avg T (slope run) <= 4 * gap / (g * INR T) + 4 * (A * sigma ^ 2 + B * sigmaG ^ 2)
                       + 7 * (L * g) * (INR tau + 1) * nu.
Proof.
  intros Short PA PB DriftSmall Small. pose proof (lt_0_INR T some_rounds) as PT. pose proof (g_pos run) as Pg.
  pose proof (server_step_pos run). pose proof (nu_pos run Fair) as Pn. pose proof (pos_INR tau) as Pt.
  set (l := L * g) in *. assert (Pl : 0 <= l) by (unfold l; pos).
  set (e := A * sigma ^ 2 + B * sigmaG ^ 2) in *.
  set (W := window tau (square (paths run))). set (c := INR tau ^ 2 * l ^ 2 + INR tau * l).
  assert (Round : forall t, global p (x (S t)) - global p (x t) <=
    - (g / 2 * (slope run t + square (paths run) t - 2 * (L ^ 2 * lag_of t + e + B * used_slope run t)
                - 2 * (/ (4 * INR tau) * W t + c * nu) - l * (2 * square (paths run) t + 2 * nu)))).
  { intros t. pose proof (one_round run Fair t _ (bias t Short)) as R1.
    pose proof (noise_and_slope run Fair t) as R2. fold l W in R2. unfold square at 1 2. fold e l in R1.
    apply (Rmult_le_compat_l g) in R2; [|lra]. unfold c. lra. }
  pose proof (total_descent p x _ T (fun t _ => Round t)) as D. rewrite sum_scale in D.
  set (SS := sum T (slope run)) in *. set (SP := sum T (square (paths run))). set (SW := sum T W).
  set (SU := sum T (used_slope run)).
  assert (E : sum T (fun t => slope run t + square (paths run) t - 2 * (L ^ 2 * lag_of t + e + B * used_slope run t)
                - 2 * (/ (4 * INR tau) * W t + c * nu) - l * (2 * square (paths run) t + 2 * nu))
            = SS + (1 - 2 * l) * SP - (4 * l ^ 2 * INR tau + 2 * / (4 * INR tau)) * SW - 2 * B * SU
              - INR T * (2 * e + (4 * l ^ 2 * INR tau ^ 2 + 2 * c + 2 * l) * nu)).
  { rewrite (sum_ext T _ (fun t => slope run t + (1 - 2 * l) * square (paths run) t
      + (- (4 * l ^ 2 * INR tau + 2 * / (4 * INR tau))) * W t + (- (2 * B)) * used_slope run t
      + (- (2 * e + (4 * l ^ 2 * INR tau ^ 2 + 2 * c + 2 * l) * nu))))
      by (intros; unfold lag_of, l; fold W; ring).
    rewrite !sum_add, !sum_scale, sum_const. unfold SS, SP, SW, SU. ring. }
  rewrite E in D. clear E Round.
  assert (PS : 0 <= SS) by (apply sum_pos; intros; apply slope_pos).
  assert (PP : 0 <= SP) by (apply sum_pos; intros; apply square_pos).
  assert (PW : 0 <= SW) by (apply sum_pos; intros; apply window_pos, square_pos).
  assert (HW : SW <= INR tau * SP) by (apply window_sum, square_pos).
  assert (HU : SU <= (INR tau + 1) * SS) by apply used_slopes.
  assert (Quarter : 2 * / (4 * INR tau) * SW <= / 2 * SP).
  { destruct (Nat.eq_dec tau 0) as [Z|Z].
    - assert (SW <= 0) by (rewrite Z in HW; simpl in HW; lra). replace SW with 0 by lra. lra.
    - assert (T1 : 0 < INR tau) by (apply lt_0_INR; lia).
      apply (Rmult_le_compat_l (2 * / (4 * INR tau))) in HW; [|pos].
      eapply Rle_trans; [exact HW|]. right. field. lra. }
  set (v := l * INR tau). assert (Pv : 0 <= v) by (unfold v; pos).
  assert (V : 4 * v + 4 * l <= 1) by (unfold v; lra).
  assert (V2 : v * v <= v * / 4) by (apply Rmult_le_compat_l; lra).
  assert (LW : 4 * l ^ 2 * INR tau * SW <= 4 * (v * v) * SP).
  { apply (Rmult_le_compat_l (4 * l ^ 2 * INR tau)) in HW; [|pos]. unfold v. lra. }
  assert (LP : 4 * (v * v) * SP <= v * SP) by (apply Rmult_le_compat_r; lra).
  assert (Paths : 0 <= (1 - 2 * l) * SP - (4 * l ^ 2 * INR tau + 2 * / (4 * INR tau)) * SW).
  { assert (0 <= (1 / 2 - 2 * l - v) * SP) by (apply Rmult_le_pos; lra). lra. }
  assert (Slopes : 2 * B * SU <= / 2 * SS).
  { apply (Rmult_le_compat_l (2 * B)) in HU; [|lra].
    apply (Rmult_le_compat_r SS) in DriftSmall; [|assumption]. lra. }
  assert (Noise : (4 * l ^ 2 * INR tau ^ 2 + 2 * c + 2 * l) * nu <= 7 / 2 * l * (INR tau + 1) * nu).
  { apply Rmult_le_compat_r; [assumption|]. unfold c.
    replace (4 * l ^ 2 * INR tau ^ 2 + 2 * (INR tau ^ 2 * l ^ 2 + INR tau * l) + 2 * l)
      with (6 * (v * v) + 2 * v + 2 * l) by (unfold v; ring).
    replace (7 / 2 * l * (INR tau + 1)) with (7 / 2 * v + 7 / 2 * l) by (unfold v; ring). lra. }
  assert (F : g / 2 * (/ 2 * SS - INR T * (2 * e + 7 / 2 * l * (INR tau + 1) * nu)) <= gap).
  { eapply Rle_trans; [|exact D]. apply Rmult_le_compat_l; [lra|].
    apply (Rmult_le_compat_l (INR T)) in Noise; lra. }
  apply (Rmult_le_compat_l (4 / (g * INR T))) in F.
  - replace (4 / (g * INR T) * (g / 2 * (/ 2 * SS - INR T * (2 * e + 7 / 2 * l * (INR tau + 1) * nu))))
      with (/ INR T * SS - (4 * e + 7 * l * (INR tau + 1) * nu)) in F by (field; repeat split; lra).
    unfold avg. fold SS. replace (4 * gap / (g * INR T)) with (4 / (g * INR T) * gap) by (field; repeat split; lra).
    lra.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.

(** ** The theorems *)
Theorem cross_silo_star :
  afl_thm4star_condition_a (local_step_size := eta) (local_steps := INR K) (max_staleness := INR tau)
    (smoothness := L) ->
  afl_thm4star_condition_b (local_step_size := eta) (max_staleness := INR tau)
    (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm4star_right (num_clients := INR M) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := gap) (least_local_steps := INR (least_steps run)) (local_step_size := eta)
    (local_steps := INR K) (max_staleness := INR tau) (num_rounds := INR T)
    (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm4star_condition_a, afl_thm4star_condition_b. intros Short Small.
  pose proof (pos_INR tau) as Pt.
  pose proof (short_work L eta K L0 eta0 (7 / 24) 12 (INR tau + 1) ltac:(lra) ltac:(lra) ltac:(lra) Short) as Work.
  destruct (drift_constants L eta K L0 eta0 K0 4 (7 / 24) (576 / 289) 12 (INR tau + 1) ltac:(lra) ltac:(lra)
              ltac:(field) Work ltac:(lra) ltac:(lra)) as [U [[PA UA] [[PB UB] Drift]]].
  eapply Rle_trans; [apply (all_rounds U PA PB Drift); lra|].
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PM. pose proof (server_step_pos run) as Ps.
  pose proof (least_steps_pos run) as PF. apply lt_0_INR in PF. pose proof (K_one K K0) as K1.
  set (z := L ^ 2 * eta ^ 2) in *. assert (Pz : 0 <= z) by (unfold z; pos).
  assert (UA2 : A <= 2 * ((INR K - 1) * z)).
  { assert (0 <= (INR K - 1) * z) by pos. lra. }
  assert (UB2 : B <= 4 / 3 * ((INR K - 1) * (2 * INR K - 1) * z)).
  { assert (0 <= (INR K - 1) * (2 * INR K - 1) * z) by pos. lra. }
  apply (Rmult_le_compat_r (sigma ^ 2)) in UA2; [|pos]. apply (Rmult_le_compat_r (sigmaG ^ 2)) in UB2; [|pos].
  apply Rle_trans with (4 * gap / (g * INR T)
    + 4 * (2 * ((INR K - 1) * z) * sigma ^ 2 + 4 / 3 * ((INR K - 1) * (2 * INR K - 1) * z) * sigmaG ^ 2)
    + 7 * (L * g) * (INR tau + 1) * nu); [lra|].
  right. unfold afl_thm4star_right, CrossSilo.nu, z. field. repeat split; lra.
Qed.

Theorem cross_silo_tuned :
  afl_cor3star_condition_one (local_steps := INR K) ->
  afl_cor3star_condition_step (gradient_noise := sigma) (initial_loss_gap := gap) (local_step_size := eta)
    (max_staleness := INR tau) (num_clients := INR M) (num_rounds := INR T)
    (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_cor3star_right (num_clients := INR M) (gradient_noise := sigma) (initial_loss_gap := gap)
    (max_staleness := INR tau) (num_rounds := INR T) (smoothness := L).
Proof.
  unfold afl_cor3star_condition_one, afl_cor3star_condition_step. intros One [Small [Below Equal]].
  eapply Rle_trans; [apply cross_silo_star; [now left|unfold afl_thm4star_condition_b; lra]|].
  apply (INR_eq K 1) in One. assert (Fewest : least_steps run = 1%nat).
  { pose proof (least_steps_pos run). pose proof (some_steps run 0%nat 0%nat (some_client p)). lia. }
  unfold afl_thm4star_right, afl_cor3star_right. rewrite Fewest, One. simpl INR.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PM. pose proof (server_step_pos run) as Ps.
  pose proof (pos_INR tau) as Pt. pose proof (bounded_below p (x 0%nat)) as Pgap. fold (global p (x 0%nat)) in Pgap.
  assert (Gap : 0 <= gap) by lra. set (D := gap) in *. pose proof (noise_level_pos run) as Psig.
  pose proof (sqrt_lt_R0 (INR M) PM) as RM. pose proof (sqrt_lt_R0 (INR T) PT) as RT.
  set (r := sqrt 7 * sigma * sqrt D * sqrt L * sqrt (INR tau + 1) / (sqrt (INR M) * sqrt (INR T))).
  assert (Pr : 0 <= r).
  { unfold r, Rdiv. pose proof (sqrt_pos 7). pose proof (sqrt_pos D). pose proof (sqrt_pos L).
    pose proof (sqrt_pos (INR tau + 1)). apply Rmult_le_pos; [pos|]. left. apply Rinv_0_lt_compat.
    now apply Rmult_lt_0_compat. }
  assert (Sq : r * r = 7 * sigma ^ 2 * D * L * (INR tau + 1) / (INR M * INR T)).
  { unfold r. rewrite <- (sqrt_sqrt (INR M)), <- (sqrt_sqrt (INR T)) at 3 by lra.
    rewrite <- (sqrt_sqrt D) at 3 by lra. rewrite <- (sqrt_sqrt L) at 3 by lra.
    rewrite <- (sqrt_sqrt (INR tau + 1)) at 3 by lra. rewrite <- (sqrt_sqrt 7) at 3 by lra.
    field. lra. }
  set (u := 7 * sigma ^ 2 * eta * server_step run * L * (INR tau + 1) / INR M).
  set (v := 4 * D / (eta * INR T * server_step run)).
  assert (Pu : 0 <= u) by (unfold u, Rdiv; apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat]).
  assert (UV : u * v = 4 * (r * r)) by (rewrite Sq; unfold u, v; field; repeat split; lra).
  assert (Pw : 0 < eta * INR T * server_step run * INR M) by (repeat apply Rmult_lt_0_compat; lra).
  assert (Lower : u <= v).
  { apply (Rmult_le_reg_l (eta * INR T * server_step run * INR M)); [assumption|].
    replace (eta * INR T * server_step run * INR M * u)
      with (7 * sigma ^ 2 * eta ^ 2 * INR T * server_step run ^ 2 * L * (INR tau + 1)) by (unfold u; field; lra).
    replace (eta * INR T * server_step run * INR M * v) with (4 * D * INR M) by (unfold v; field; repeat split; lra).
    assumption. }
  assert (Half : u <= 2 * r).
  { assert (u * u <= 2 * r * (2 * r)).
    { apply Rle_trans with (u * v); [now apply Rmult_le_compat_l|]. rewrite UV. lra. }
    apply Rsqr_incr_0_var; [unfold Rsqr; lra|lra]. }
  apply Rle_trans with (u + v); [right; unfold u, v; field; repeat split; lra|].
  apply Rle_trans with (4 * r + 16 * D * L * (INR tau + 1) / INR T); [|right; unfold r; field; repeat split; lra].
  assert (P16 : 0 <= 16 * D * L * (INR tau + 1) / INR T)
    by (unfold Rdiv; apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat]).
  destruct Equal as [Largest|Balanced].
  - assert (Ev : v = 16 * D * L * (INR tau + 1) / INR T); [|lra].
    apply (Rmult_eq_reg_l (eta * INR T * server_step run)); [|nra].
    replace (eta * INR T * server_step run * (16 * D * L * (INR tau + 1) / INR T))
      with (4 * D * (4 * eta * server_step run * L * (INR tau + 1))) by (field; lra).
    rewrite Largest. unfold v. field. repeat split; lra.
  - assert (Ev : v = u); [|lra].
    apply (Rmult_eq_reg_l (eta * INR T * server_step run * INR M)); [|lra].
    replace (eta * INR T * server_step run * INR M * u)
      with (7 * sigma ^ 2 * eta ^ 2 * INR T * server_step run ^ 2 * L * (INR tau + 1)) by (unfold u; field; lra).
    rewrite Balanced. unfold v. field. repeat split; lra.
Qed.
End Theorem4.

(** ** In expectation, on any finite probability space

    [run] is a random run: its equations hold outcome by outcome. Its noise has mean zero given the
    start and all draws before ([fair_noise]). *)
Section Expected.
Context {P : Law} {E : Space} {p : Problem E} (run : CrossSilo (expected P p)) (sigmaG : R) (T : nat).
Hypothesis Fair : fair_noise P (drawn run) (before run) (noise_of run) (model run 0%nat).
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem afl_thm4star :
  afl_thm4star_condition_a (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (max_staleness := INR (max_age run)) (smoothness := smoothness p) ->
  afl_thm4star_condition_b (local_step_size := local_step run) (max_staleness := INR (max_age run))
    (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm4star_right (num_clients := INR (clients p)) (dissimilarity := sigmaG) (gradient_noise := noise_level
    run) (initial_loss_gap := gap) (least_local_steps := INR (least_steps run)) (local_step_size := local_step
    run) (local_steps := INR (most_steps run)) (max_staleness := INR (max_age run)) (num_rounds := INR T)
    (server_step_size := server_step run) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_silo_star run sigmaG T). Qed.

Theorem afl_cor3star :
  afl_cor3star_condition_one (local_steps := INR (most_steps run)) ->
  afl_cor3star_condition_step (gradient_noise := noise_level run) (initial_loss_gap := gap) (local_step_size :=
    local_step run) (max_staleness := INR (max_age run)) (num_clients := INR (clients p)) (num_rounds := INR T)
    (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_cor3star_right (num_clients := INR (clients p)) (gradient_noise := noise_level run) (initial_loss_gap :=
    gap) (max_staleness := INR (max_age run)) (num_rounds := INR T) (smoothness := smoothness p).
Proof. intros. in_expectation (cross_silo_tuned run sigmaG T). Qed.

End Expected.

(** ** Random schedules

    Who arrives when, after how many local steps and with which delay is drawn first, by the law Q, and
    does not depend on the noise: for every schedule c that may come, [runs] c is a run with noise that is
    fair given the schedule. The step sizes and the bounds on age, local steps and noise are those of all
    schedules. *)
Section RandomSchedule.
Context (Q : Law) {P : Law} {E : Space} {p : Problem E} (runs : nat -> CrossSilo (expected P p)) (sigmaG : R) (T : nat).
Context (eta eg sigma start_loss : R) (K fewest tau : nat).
Hypothesis Fair : forall c, (c < outcomes Q)%nat ->
  fair_noise P (drawn (runs c)) (before (runs c)) (noise_of (runs c)) (model (runs c) 0%nat).
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Hypothesis Steps : forall c, (c < outcomes Q)%nat -> local_step (runs c) = eta /\ server_step (runs c) = eg.
Hypothesis Bounds : forall c, (c < outcomes Q)%nat -> most_steps (runs c) = K /\ least_steps (runs c) = fewest /\
  max_age (runs c) = tau /\ noise_level (runs c) = sigma.
Hypothesis Start : forall c, (c < outcomes Q)%nat ->
  expect P (fun w => global p (model (runs c) 0%nat w)) = start_loss.

Theorem afl_thm4star_random_schedule :
  afl_thm4star_condition_a (local_step_size := eta) (local_steps := INR K) (max_staleness := INR tau)
    (smoothness := smoothness p) ->
  afl_thm4star_condition_b (local_step_size := eta) (max_staleness := INR tau) (server_step_size := eg)
    (smoothness := smoothness p) ->
  avg T (fun t => expect Q (fun c => expect P (fun w => ‖∇ p (model (runs c) t w)‖²))) <=
  afl_thm4star_right (num_clients := INR (clients p)) (dissimilarity := sigmaG) (gradient_noise := sigma)
    (initial_loss_gap := start_loss - lowest p) (least_local_steps := INR fewest) (local_step_size := eta)
    (local_steps := INR K) (max_staleness := INR tau) (num_rounds := INR T) (server_step_size := eg)
    (smoothness := smoothness p).
Proof.
  intros Short Small. apply (over_schedules Q (fun c t => expect P (fun w => ‖∇ p (model (runs c) t w)‖²))).
  intros c Hc. destruct (Steps c Hc) as [E1 E2]. destruct (Bounds c Hc) as [E3 [E4 [E5 E6]]].
  rewrite <- (Start c Hc). rewrite <- E1, <- E3, <- E5 in Short. rewrite <- E1, <- E2, <- E5 in Small.
  rewrite <- E1, <- E2, <- E3, <- E4, <- E5, <- E6. now apply (afl_thm4star (runs c) sigmaG T (Fair c Hc)).
Qed.
End RandomSchedule.
