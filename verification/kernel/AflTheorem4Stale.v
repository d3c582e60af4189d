(** * Theorem 4 of AFL as printed, and without its condition (7): AFA-CS with few stale entries

    The run is that of [AflTheorem4.v]: AFA-CS for T rounds, M losses that are L-smooth, f bounded
    below, every worker's gradient within sigma_G of the global one, no entry of the memory older
    than tau rounds, at most K local steps, noise with mean zero given what was drawn before and
    variance at most sigma_L^2 per local step. In every round at least m' entries have no delay:
    their work started from the present model. Let g = eta eta_L, l = L g, q = ((M - m')/M)^2,
    v = K^2 L^2 eta_L^2, gap = E f(x_0) - low, G_t the mean of the memory in round t, and

      alpha_L = 3 l/(2M) + 5 K L^2 eta_L^2 (9 q (1 + l) + 3/2 + 3 l),
      alpha_G = 30 v (9 q (1 + l) + 3/2 + 3 l),  2 beta_0 g = 27 q (1 + l) tau^2 l^2.

    - 4: if 12 l + 540 q (1 + l) v (1 + tau) + 180 v + 320 l v < 1, 2 beta_0 g <= 1, and in every
      round (3/(2M)) sigma_L^2 <= (1/2 - beta_0 g) E |G_t|^2, then the average over the rounds of
      E |grad f(x_t)|^2 is at most 4 gap/(g T) + 4 (alpha_L sigma_L^2 + alpha_G sigma_G^2).
    - 4c: without the last condition, with 360 for 320, it is at most
      4 gap/(g T) + 4 ((alpha_L + 3/(2M)) sigma_L^2 + alpha_G sigma_G^2).

    Here beta_0 g is that of the smallest series that satisfies the paper's (5) and (6); V(x_0) -
    V( x^* ) is read as the gap. With noise, the last condition ends long runs: see 4 star. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Chance CrossSilo Claims_afl.
Open Scope R_scope.

(** 1 if the entry of worker i in round t has no delay, else 0. *)
Definition fresh {H : Space} {p : Problem H} (run : CrossSilo p) (t i : nat) : R :=
  if (start_of run (last run t i) i =? t)%nat then 1 else 0.

Section Stale.
Context {H : Space} {p : Problem H} (run : CrossSilo p) (sigmaG : R) (T m : nat).
Hypothesis Fair : unbiased_noise run.
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Hypothesis Fresh : forall t, (t < T)%nat -> INR m <= sum (clients p) (fresh run t).

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
Notation e := (A * sigma ^ 2 + B * sigmaG ^ 2).
Notation l := (L * g).
Notation q := (((INR M - INR m) / INR M) ^ 2).
Notation slope := (slope run).
Let L0 : 0 <= L := smoothness_pos p.
Let eta0 : 0 < eta := local_step_pos run.
Let K0 : (1 <= K)%nat := some_K run.

(** ** Shares of fresh and stale entries *)
Lemma fresh_bounds t i : 0 <= fresh run t i <= 1.
Proof. unfold fresh. destruct (_ =? _)%nat; lra. Qed.

Lemma few_stale t : (t < T)%nat -> sum M (fun i => 1 - fresh run t i) <= INR M - INR m.
Proof.
  intros Ht. specialize (Fresh t Ht). unfold Rminus at 1. rewrite sum_add, sum_const.
  rewrite (sum_ext M (fun i => - fresh run t i) (fun i => -1 * fresh run t i)) by (intros; ring).
  rewrite sum_scale. lra.
Qed.

Lemma stale_share : 0 <= INR M - INR m.
Proof.
  eapply Rle_trans; [|apply (few_stale 0 some_rounds)]. apply sum_pos. intros i _.
  pose proof (fresh_bounds 0 i). lra.
Qed.

(** A weighted mean of points of which each that counts has |.|^2 at most b. *)
Lemma weighted (w : nat -> R) (v : nat -> H) s b : 0 <= b -> (forall i, 0 <= w i) -> sum M w <= s ->
  (forall i, (i < M)%nat -> 0 < w i -> ‖v i‖² <= b) ->
  ‖mean M (fun i => w i ⊙ v i)‖² <= (s / INR M) ^ 2 * b.
Proof.
  intros Pb Pw Ps Each. pose proof (clients_pos p) as PM. unfold mean. rewrite square_scale.
  replace ((s / INR M) ^ 2 * b) with ((/ INR M) ^ 2 * (s * (s * b))) by (field; lra).
  apply Rmult_le_compat_l; [apply pow2_ge_0|]. eapply Rle_trans; [now apply norm_weighted|].
  assert (P0 : 0 <= sum M w) by now apply sum_pos.
  assert (W : sum M (fun i => w i * ‖v i‖²) <= sum M w * b).
  { rewrite (Rmult_comm (sum M w)), <- sum_scale. apply sum_le. intros i Hi. rewrite (Rmult_comm b).
    destruct (Rle_lt_or_eq_dec 0 (w i) (Pw i)) as [W|W]; [|rewrite <- W; lra].
    apply Rmult_le_compat_l; auto. }
  apply Rmult_le_compat; auto.
  - apply sum_pos. intros. apply Rmult_le_pos; [auto|apply dot_pos].
  - eapply Rle_trans; [exact W|]. now apply Rmult_le_compat_r.
Qed.

(** ** The update against the slope *)
Definition lag_of t : R := g ^ 2 * (INR tau * window tau (square (used run)) t).

Lemma gap_of_entry t i : (i < M)%nat -> drift_sum L eta K < 1 ->
  ‖∇i p i (x (start_of run (last run t i) i)) ⊖ job_path run (last run t i) i‖² <=
  e + B * slope (start_of run (last run t i) i).
Proof.
  intros Hi Short. pose proof (drift (job run Fair (last run t i) i Hi) Short sigmaG Apart) as P4.
  rewrite (pull run) in P4 by assumption. unfold job_path, CrossSilo.slope, start_of in *. lra.
Qed.

Lemma bias t : (t < T)%nat -> drift_sum L eta K < 1 -> 0 <= A -> 0 <= B ->
  ‖∇ p (x t) ⊖ used run t‖² <= 4 * (e + B * slope t)
    + 8 * q * (L ^ 2 * lag_of t + (e + B * window tau slope t)) + 2 * nu.
Proof.
  intros Ht Short PA PB. pose proof (slope_pos run) as PS. pose proof (clients_pos p) as PM.
  assert (Pe : 0 <= e) by pos.
  assert (PW : 0 <= window tau slope t) by now apply window_pos.
  assert (PL : 0 <= lag_of t).
  { unfold lag_of. assert (0 <= window tau (square (used run)) t) by (apply window_pos, square_pos).
    pose proof (pos_INR tau). pos. }
  set (dev := fun i => ∇i p i (x t) ⊖ job_path run (last run t i) i).
  set (F := mean M (fun i => fresh run t i ⊙ dev i)).
  set (S0 := mean M (fun i => (1 - fresh run t i) ⊙ dev i)).
  assert (Split : same (∇ p (x t) ⊖ used run t) ((F ⊕ S0) ⊕ (-1) ⊙ hums run t)).
  { intros z. pose proof (used_is run t z) as U. rewrite dot_add_l in U.
    rewrite dot_add_l, dot_scale_l, U. rewrite !dot_add_l, dot_scale_l. unfold F, S0.
    rewrite !dot_mean_l, <- avg_add. unfold global_gradient, average_gradient, paths. rewrite !dot_mean_l.
    rewrite (avg_ext M (fun i => ⟨fresh run t i ⊙ dev i, z⟩ + ⟨(1 - fresh run t i) ⊙ dev i, z⟩)
      (fun i => ⟨∇i p i (x t), z⟩ + -1 * ⟨job_path run (last run t i) i, z⟩))
      by (intros; unfold dev; expand_dots; ring).
    rewrite avg_add, avg_scale. ring. }
  rewrite (same_norm _ _ Split). eapply Rle_trans; [apply norm_add2|]. rewrite square_scale.
  pose proof (norm_add2 F S0) as Two. pose proof (hums_square run Fair t) as Nu.
  assert (HF : ‖F‖² <= e + B * slope t).
  { eapply Rle_trans; [apply (weighted _ _ (INR M) (e + B * slope t))|].
    - specialize (PS t). pos.
    - intros i. apply fresh_bounds.
    - rewrite <- (Rmult_1_r (INR M)). apply sum_le_const. intros. apply fresh_bounds.
    - intros i Hi W. unfold fresh in W. destruct (Nat.eqb_spec (start_of run (last run t i) i) t) as [E|E]; [|lra].
      pose proof (gap_of_entry t i Hi Short) as G. rewrite E in G. exact G.
    - right. field. lra. }
  assert (HS : ‖S0‖² <= q * (2 * (L ^ 2 * lag_of t + (e + B * window tau slope t)))).
  { apply weighted.
    - assert (0 <= L ^ 2 * lag_of t) by pos. assert (0 <= B * window tau slope t) by pos. lra.
    - intros i. pose proof (fresh_bounds t i). lra.
    - now apply few_stale.
    - intros i Hi W. pose proof (age_bound run t i Hi) as Age. pose proof (has_arrived run t i Hi) as Here.
      set (u := start_of run (last run t i) i). assert (U : (u < t)%nat).
      { unfold fresh in W. fold u in W. destruct (Nat.eqb_spec u t) as [E|E]; [lra|].
        unfold u, start_of in *. lia. }
      assert (Old : (t <= u + tau)%nat) by (unfold u, start_of; lia).
      assert (S2 : same (dev i)
        ((∇i p i (x t) ⊖ ∇i p i (x u)) ⊕ (∇i p i (x u) ⊖ job_path run (last run t i) i))) by (unfold dev; vectors).
      rewrite (same_norm _ _ S2). eapply Rle_trans; [apply norm_add2|]. apply Rmult_le_compat_l; [lra|].
      apply Rplus_le_compat.
      + eapply Rle_trans; [apply (client_lipschitz p i (x t) (x u) Hi)|]. apply Rmult_le_compat_l; [pos|].
        replace u with (t - (t - u))%nat by lia. apply (lag g x (used run) (serve run)); lia.
      + eapply Rle_trans; [apply (gap_of_entry t i Hi Short)|]. fold u. apply Rplus_le_compat_l.
        apply Rmult_le_compat_l; [assumption|]. now apply (window_member tau slope). }
  lra.
Qed.

(** ** All rounds *)
Lemma one_round t b : ‖∇ p (x t) ⊖ used run t‖² <= b ->
  global p (x (S t)) - global p (x t) <= - (g / 2 * (slope t + (1 - l) * square (used run) t - b)).
Proof.
  intros Hb. rewrite (serve run : forall t, x (S t) = x t ⊕ (- g) ⊙ used run t).
  pose proof (global_descent p (x t) ((- g) ⊙ used run t)) as D. rewrite dot_scale_r, square_scale in D.
  rewrite norm_sub in Hb. unfold CrossSilo.slope, square. pose proof (g_pos run) as Pg.
  apply (Rmult_le_compat_l (g / 2)) in Hb; [|lra]. lra.
Qed.

Lemma all_rounds : drift_sum L eta K < 1 -> 0 <= A -> 0 <= B -> 8 * B + 16 * q * (B * INR tau) <= 1 ->
  avg T slope <= 4 * gap / (g * INR T) + (8 + 16 * q) * e + 4 * nu
                 - 2 * (1 - l - 8 * q * (l ^ 2 * INR tau ^ 2)) * avg T (square (used run)).
Proof.
  intros Short PA PB DriftSmall. pose proof (lt_0_INR T some_rounds) as PT. pose proof (g_pos run) as Pg.
  pose proof (server_step_pos run) as Ps. pose proof (clients_pos p) as PM. pose proof (pos_INR tau) as Pt.
  assert (Pq : 0 <= q) by apply pow2_ge_0. set (qq := q) in *.
  set (b := fun t => 4 * (e + B * slope t) + 8 * qq * (L ^ 2 * lag_of t + (e + B * window tau slope t)) + 2 * nu).
  assert (Round : forall t, (t < T)%nat -> global p (x (S t)) - global p (x t) <=
    - (g / 2 * (slope t + (1 - l) * square (used run) t - b t))).
  { intros t Ht. apply one_round. now apply bias. }
  pose proof (total_descent p x _ T Round) as D. rewrite sum_scale in D.
  set (SS := sum T slope) in *. set (SG := sum T (square (used run))) in *.
  set (WS := sum T (window tau slope)). set (WG := sum T (window tau (square (used run)))).
  assert (HS : WS <= INR tau * SS) by (apply window_sum, slope_pos).
  assert (HG : WG <= INR tau * SG) by (apply window_sum, square_pos).
  assert (PSS : 0 <= SS) by (apply sum_pos; intros; apply slope_pos).
  rewrite (sum_ext T _ (fun t => (1 - 4 * B) * slope t + (1 - l) * square (used run) t
      + (- (8 * qq * B)) * window tau slope t + (- (8 * qq * l ^ 2 * INR tau)) * window tau (square (used run)) t
      + (- ((4 + 8 * qq) * e + 2 * nu)))) in D
    by (intros; unfold b, lag_of; ring).
  rewrite !sum_add, !sum_scale, sum_const in D. fold SS SG WS WG in D.
  assert (H1 : 8 * qq * B * WS <= 8 * qq * (B * INR tau) * SS).
  { replace (8 * qq * (B * INR tau) * SS) with (8 * qq * B * (INR tau * SS)) by ring.
    apply Rmult_le_compat_l; [pos|assumption]. }
  assert (H2 : 8 * qq * l ^ 2 * INR tau * WG <= 8 * qq * (l ^ 2 * INR tau ^ 2) * SG).
  { replace (8 * qq * (l ^ 2 * INR tau ^ 2) * SG) with (8 * qq * l ^ 2 * INR tau * (INR tau * SG)) by ring.
    apply Rmult_le_compat_l; [|assumption]. assert (0 <= l ^ 2) by pos. pos. }
  assert (H3 : (8 * B + 16 * qq * (B * INR tau)) * SS <= 1 * SS) by now apply Rmult_le_compat_r.
  assert (F : g / 2 * (/ 2 * SS + (1 - l - 8 * qq * (l ^ 2 * INR tau ^ 2)) * SG
                       - INR T * ((4 + 8 * qq) * e + 2 * nu)) <= gap).
  { eapply Rle_trans; [|exact D]. apply Rmult_le_compat_l; [lra|]. lra. }
  apply (Rmult_le_compat_l (4 / (g * INR T))) in F.
  - unfold avg. fold SS SG.
    replace (4 * gap / (g * INR T)) with (4 / (g * INR T) * gap) by (field; repeat split; lra).
    replace (4 / (g * INR T) * (g / 2 * (/ 2 * SS + (1 - l - 8 * qq * (l ^ 2 * INR tau ^ 2)) * SG
                       - INR T * ((4 + 8 * qq) * e + 2 * nu))))
      with (/ INR T * SS + 2 * (1 - l - 8 * qq * (l ^ 2 * INR tau ^ 2)) * (/ INR T * SG)
            - ((8 + 16 * qq) * e + 4 * nu)) in F by (field; repeat split; lra).
    lra.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.

(** ** Constants *)
Notation z := (L ^ 2 * eta ^ 2).
Notation v := (INR K ^ 2 * z).
Notation large := (9 * q * (1 + l) + 3 / 2 + 3 * l).
Notation X := (q * (l ^ 2 * INR tau ^ 2)).

Lemma q_pos : 0 <= q.
Proof. apply pow2_ge_0. Qed.

Lemma l_pos : 0 <= l.
Proof. pose proof (g_pos run). apply Rmult_le_pos; [exact L0|lra]. Qed.

Lemma short_steps c : 0 <= c ->
  c * (l * v) + 180 * v + 540 * (q * v * (INR tau + 1) * (1 + l)) + 12 * l < 1 ->
  l <= / 12 /\ avg T slope <= 4 * gap / (g * INR T) + 20 * (INR K * z) * large * sigma ^ 2
    + 120 * v * large * sigmaG ^ 2 + 4 * (sigma ^ 2 / INR M) - 2 * (1 - l - 8 * X) * avg T (square (used run)).
Proof.
  intros Pc Four. pose proof l_pos as Pl. pose proof q_pos as Pq. pose proof (pos_INR tau) as Pt.
  pose proof (K_one K K0) as K1. assert (Pz : 0 <= z) by pos. assert (Pv : 0 <= v) by pos.
  set (ll := l) in *. set (qq := q) in *.
  assert (P1 : 0 <= c * (ll * v)) by (apply Rmult_le_pos; [assumption|now apply Rmult_le_pos]).
  assert (P2 : 0 <= qq * v * (INR tau + 1)) by (apply Rmult_le_pos; [now apply Rmult_le_pos|lra]).
  assert (P3 : 0 <= qq * v * (INR tau + 1) * ll) by now apply Rmult_le_pos.
  split; [lra|]. set (late := 1 + 3 * (qq * (INR tau + 1))).
  assert (Late : 1 <= late).
  { unfold late. assert (0 <= qq * (INR tau + 1)) by (apply Rmult_le_pos; lra). lra. }
  assert (Work : INR K = 1 \/ 180 * eta ^ 2 * INR K ^ 2 * L ^ 2 * late <= 1) by (right; unfold late; lra).
  apply (short_work L eta K L0 eta0 (/ 12) 180 late) in Work; try lra.
  destruct (drift_constants L eta K L0 eta0 K0 8 (/ 12) (144 / 121) 180 late ltac:(lra) ltac:(lra)
              ltac:(field) Work ltac:(lra) ltac:(lra)) as [U [[PA UA] [[PB UB] Drift]]].
  assert (PBq : 0 <= B * qq) by now apply Rmult_le_pos.
  assert (PBt : 0 <= B * qq * INR tau) by now apply Rmult_le_pos.
  eapply Rle_trans; [apply (all_rounds U PA PB)|]; [fold qq; unfold late in Drift; lra|]. fold ll qq.
  assert (UA2 : A <= 6 / 5 * (INR K * z)) by (assert (0 <= INR K * z) by pos; lra).
  assert (UB2 : B <= 8 / 5 * v).
  { assert (KK : (INR K - 1) * (2 * INR K - 1) <= 2 * INR K ^ 2) by nra.
    apply (Rmult_le_compat_r z) in KK; [|assumption]. lra. }
  assert (Big : (8 + 16 * qq) * (8 / 5) <= 20 * (9 * qq * (1 + ll) + 3 / 2 + 3 * ll)).
  { assert (0 <= qq * ll) by now apply Rmult_le_pos. lra. }
  assert (Nu : nu <= sigma ^ 2 / INR M).
  { unfold CrossSilo.nu. pose proof (clients_pos p) as PM. pose proof (least_steps_pos run) as PF.
    apply (le_INR 1) in PF. simpl INR in PF.
    replace (sigma ^ 2 / (INR (least_steps run) * INR M)) with (/ INR (least_steps run) * (sigma ^ 2 / INR M))
      by (field; lra).
    rewrite <- (Rmult_1_l (sigma ^ 2 / INR M)) at 2. apply Rmult_le_compat_r.
    - apply Rmult_le_pos; [apply pow2_ge_0|]. left. now apply Rinv_0_lt_compat.
    - rewrite <- Rinv_1. now apply Rinv_le_contravar; lra. }
  set (big := 9 * qq * (1 + ll) + 3 / 2 + 3 * ll) in *.
  assert (EA : (8 + 16 * qq) * (A * sigma ^ 2) <= 20 * (INR K * z) * big * sigma ^ 2).
  { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply pow2_ge_0|].
    apply Rle_trans with ((8 + 16 * qq) * (8 / 5) * (INR K * z)).
    - rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|]. assert (0 <= INR K * z) by pos. lra.
    - replace (20 * (INR K * z) * big) with (20 * big * (INR K * z)) by ring.
      apply Rmult_le_compat_r; [pos|assumption]. }
  assert (EB : (8 + 16 * qq) * (B * sigmaG ^ 2) <= 120 * v * big * sigmaG ^ 2).
  { rewrite <- Rmult_assoc. apply Rmult_le_compat_r; [apply pow2_ge_0|].
    apply Rle_trans with ((8 + 16 * qq) * (8 / 5) * v).
    - rewrite Rmult_assoc. apply Rmult_le_compat_l; lra.
    - replace (120 * v * big) with (120 * big * v) by ring. apply Rmult_le_compat_r; [assumption|].
      assert (0 <= qq * ll) by now apply Rmult_le_pos. unfold big in *. lra. }
  lra.
Qed.

(** ** The theorems *)
Theorem few_stale_noisy :
  afl_thm4c_condition_four (fresh_entries := INR m) (local_step_size := eta) (local_steps := INR K)
    (max_staleness := INR tau) (num_clients := INR M) (server_step_size := server_step run) (smoothness := L) ->
  afl_thm4c_condition_series (fresh_entries := INR m) (local_step_size := eta) (max_staleness := INR tau)
    (num_clients := INR M) (server_step_size := server_step run) (smoothness := L) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm4c_right (dissimilarity := sigmaG) (fresh_entries := INR m) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_step_size := eta) (local_steps := INR K) (num_clients := INR M)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm4c_condition_four, afl_thm4c_condition_series. intros Four Series.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PM. pose proof (server_step_pos run) as Ps.
  pose proof l_pos as Pl. pose proof q_pos as Pq.
  destruct (short_steps 360 ltac:(lra)) as [Small Bound].
  { eapply Rle_lt_trans; [|exact Four]. right. field. lra. }
  assert (S1 : 27 * X * (1 + l) <= 1) by (eapply Rle_trans; [|exact Series]; right; field; lra).
  assert (PX : 0 <= X) by pos. assert (PXl : 0 <= X * l) by now apply Rmult_le_pos.
  assert (PG : 0 <= avg T (square (used run))) by (apply avg_pos; intros; apply square_pos).
  assert (Drop : 0 <= 2 * (1 - l - 8 * X) * avg T (square (used run))) by (apply Rmult_le_pos; [|assumption]; lra).
  assert (PN : 0 <= sigma ^ 2 / INR M).
  { apply Rmult_le_pos; [apply pow2_ge_0|]. left. now apply Rinv_0_lt_compat. }
  assert (PNl : 0 <= l * (sigma ^ 2 / INR M)) by now apply Rmult_le_pos.
  apply Rle_trans with (4 * gap / (g * INR T) + 20 * (INR K * z) * large * sigma ^ 2
    + 120 * v * large * sigmaG ^ 2 + 6 * (sigma ^ 2 / INR M) + 6 * (l * (sigma ^ 2 / INR M))).
  - unfold CrossSilo.slope in Bound. lra.
  - right. unfold afl_thm4c_right. field. repeat split; lra.
Qed.

Theorem few_stale_printed :
  afl_thm4_condition_four (fresh_entries := INR m) (local_step_size := eta) (local_steps := INR K)
    (max_staleness := INR tau) (num_clients := INR M) (server_step_size := server_step run) (smoothness := L) ->
  afl_thm4_condition_series (fresh_entries := INR m) (local_step_size := eta) (max_staleness := INR tau)
    (num_clients := INR M) (server_step_size := server_step run) (smoothness := L) ->
  (forall t, (t < T)%nat ->
    afl_thm4_condition_seven (fresh_entries := INR m) (gradient_noise := sigma) (local_step_size := eta)
      (max_staleness := INR tau) (num_clients := INR M) (server_step_size := server_step run) (smoothness := L)
      (squared_update := ‖used run t‖²)) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  afl_thm4_right (dissimilarity := sigmaG) (fresh_entries := INR m) (gradient_noise := sigma)
    (initial_loss_gap := gap) (local_step_size := eta) (local_steps := INR K) (num_clients := INR M)
    (num_rounds := INR T) (server_step_size := server_step run) (smoothness := L).
Proof.
  unfold afl_thm4_condition_four, afl_thm4_condition_series, afl_thm4_condition_seven. intros Four Series Seven.
  pose proof (lt_0_INR T some_rounds) as PT. pose proof (clients_pos p) as PM. pose proof (server_step_pos run) as Ps.
  pose proof l_pos as Pl. pose proof q_pos as Pq.
  destruct (short_steps 320 ltac:(lra)) as [Small Bound].
  { eapply Rle_lt_trans; [|exact Four]. right. field. lra. }
  assert (PX : 0 <= X) by pos. assert (PXl : 0 <= X * l) by now apply Rmult_le_pos.
  set (G := avg T (square (used run))) in *.
  assert (PG : 0 <= G) by (apply avg_pos; intros; apply square_pos).
  set (N := sigma ^ 2 / INR M) in *.
  assert (PN : 0 <= N) by (apply Rmult_le_pos; [apply pow2_ge_0|]; left; now apply Rinv_0_lt_compat).
  assert (PNl : 0 <= l * N) by now apply Rmult_le_pos.
  assert (Absorbed : 3 / 2 * N <= (1 / 2 - 27 / 2 * (X + X * l)) * G).
  { unfold G. rewrite <- avg_scale, <- (avg_const T (3 / 2 * N) some_rounds). apply avg_le. intros t Ht.
    specialize (Seven t Ht). unfold square.
    replace (3 / 2 * N) with (3 * sigma ^ 2 / (2 * INR M)) by (unfold N; field; lra).
    eapply Rle_trans; [exact Seven|]. right. field. lra. }
  assert (Rest : 4 / 3 * (1 - 27 * (X + X * l)) * G <= 2 * (1 - l - 8 * X) * G)
    by (apply Rmult_le_compat_r; [assumption|]; lra).
  apply Rle_trans with (4 * gap / (g * INR T) + 20 * (INR K * z) * large * sigma ^ 2
    + 120 * v * large * sigmaG ^ 2 + 6 * (l * N)).
  - unfold CrossSilo.slope in Bound. lra.
  - right. unfold afl_thm4_right, N. field. repeat split; lra.
Qed.
End Stale.

(** ** In expectation, on any finite probability space *)
Section Expected.
Context {P : Law} {E : Space} {p : Problem E} (run : CrossSilo (expected P p)) (sigmaG : R) (T m : nat).
Hypothesis Fair : fair_noise P (drawn run) (before run) (noise_of run) (model run 0%nat).
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Hypothesis Fresh : forall t, (t < T)%nat -> INR m <= sum (clients p) (fresh run t).
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem afl_thm4c :
  afl_thm4c_condition_four (fresh_entries := INR m) (local_step_size := local_step run) (local_steps := INR
    (most_steps run)) (max_staleness := INR (max_age run)) (num_clients := INR (clients p)) (server_step_size :=
    server_step run) (smoothness := smoothness p) ->
  afl_thm4c_condition_series (fresh_entries := INR m) (local_step_size := local_step run) (max_staleness := INR
    (max_age run)) (num_clients := INR (clients p)) (server_step_size := server_step run) (smoothness := smoothness
    p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm4c_right (dissimilarity := sigmaG) (fresh_entries := INR m) (gradient_noise := noise_level run)
    (initial_loss_gap := gap) (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (num_clients := INR (clients p)) (num_rounds := INR T) (server_step_size := server_step run) (smoothness :=
    smoothness p).
Proof. intros. in_expectation (few_stale_noisy run sigmaG T m). Qed.

Theorem afl_thm4 :
  afl_thm4_condition_four (fresh_entries := INR m) (local_step_size := local_step run) (local_steps := INR
    (most_steps run)) (max_staleness := INR (max_age run)) (num_clients := INR (clients p)) (server_step_size :=
    server_step run) (smoothness := smoothness p) ->
  afl_thm4_condition_series (fresh_entries := INR m) (local_step_size := local_step run) (max_staleness := INR
    (max_age run)) (num_clients := INR (clients p)) (server_step_size := server_step run) (smoothness := smoothness
    p) ->
  (forall t, (t < T)%nat ->
    afl_thm4_condition_seven (fresh_entries := INR m) (gradient_noise := noise_level run) (local_step_size :=
      local_step run) (max_staleness := INR (max_age run)) (num_clients := INR (clients p)) (server_step_size :=
      server_step run) (smoothness := smoothness p) (squared_update := expect P (fun w => ‖used run t w‖²))) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  afl_thm4_right (dissimilarity := sigmaG) (fresh_entries := INR m) (gradient_noise := noise_level run)
    (initial_loss_gap := gap) (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (num_clients := INR (clients p)) (num_rounds := INR T) (server_step_size := server_step run) (smoothness :=
    smoothness p).
Proof. intros. in_expectation (few_stale_printed run sigmaG T m). Qed.
End Expected.
