(** * MIFA on convex losses, with a constant step

    The run is that of Mifa.v; the losses are L-smooth and convex, x* is an optimum, d_0 = x_0 - x*,
    h = K eta, D = mean |grad f_i (x star)|^2, q = (K - 1)/K. If h L <= 1/25 and nobody is more than tau
    rounds old with h L tau <= 1/10, then ([mifa_convex]) the mean over the T = R + 1 models of
    f (x_t) - f (x star) is at most

      |d_0|^2 / (h T) + 3 h (2 taubar + 1) sigma^2 / (N K) + h^2 L (4 q^2 D + 3 q sigma^2 / K).

    No tau_max stands in the bound; with one local step and no noise the optimum is a fixed point. The
    noise must have mean zero given the optimum too, which is a fixed point and so always true. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import LocalWork Charging Mifa Convex.
Open Scope R_scope.

Section Convex.
Context {H : Space} {p : Problem H} (run : Mifa p) (best : H).
Notation N := (clients p).
Notation L := (smoothness p).
Notation K := (local_steps run).
Notation sigma := (noise_bound run).
Notation w := (server run).
Notation reports := (as_reports run).
Notation q := (q run).

Hypothesis fair : unbiased_noise run.
Hypothesis losses : convex_losses p 0.
Hypothesis optimal : same (∇ p best) zero.
(** The optimum is no random point: the noise is orthogonal to it. *)
Hypothesis fixed_best : forall d, drawn run d -> ⟨noise_at run d, best⟩ = 0.

(** How far a client goes in its local steps. *)
Lemma path_distance t i : (i < N)%nat -> 25 * (round_step run t * L) <= 1 ->
  avg K (fun k => ‖w t ⊖ local run t i k‖²)
  <= 625 / 576 * round_step run t ^ 2 * (q ^ 2 * ‖∇i p i (w t)‖² + q * sigma ^ 2 / INR K).
Proof.
  intros Hi Small. unfold round_step in *. set (eta := local_step run t) in *.
  pose proof (le_INR 1 K (some_step run)) as K1.
  simpl in K1. pose proof (local_step_pos run t) as Pe. fold eta in Pe.
  pose proof (smoothness_pos p) as PL. assert (Pel : 0 <= eta * L) by pos.
  set (u := drift_sum L eta K). assert (U : u <= 1 / 25) by (unfold u, drift_sum; lra).
  set (g := ‖∇i p i (w t)‖²). assert (Pg : 0 <= g) by apply dot_pos.
  set (c := 2 * eta ^ 2 / (1 - u) ^ 2).
  assert (Inv : / (1 - u) ^ 2 <= 625 / 576).
  { replace (625 / 576) with (/ (24 / 25) ^ 2) by field. apply Rinv_le_contravar; [lra|]. apply pow_incr. lra. }
  assert (Pi : 0 <= / (1 - u) ^ 2) by (left; apply Rinv_0_lt_compat, pow_lt; lra).
  apply Rle_trans with (avg K (fun k => c * (g * INR k ^ 2 + sigma ^ 2 * INR k))).
  - apply avg_le. intros k Hk. pose proof (drift_square (job run fair t i Hi)) as Dr. fold eta in Dr.
    specialize (Dr ltac:(fold u; lra) k Hk). rewrite pull in Dr by assumption. fold u g in Dr. unfold c. lra.
  - rewrite avg_scale, avg_add, !avg_scale. unfold avg. rewrite sum_squares, sum_indices.
    replace (/ INR K * (INR K * (INR K - 1) * (2 * INR K - 1) / 6)) with ((INR K - 1) * (2 * INR K - 1) / 6) by
      (field; lra).
    replace (/ INR K * (INR K * (INR K - 1) / 2)) with ((INR K - 1) / 2) by (field; lra).
    assert (Q : (INR K - 1) * (2 * INR K - 1) / 3 <= (INR K - 1) ^ 2).
    { destruct (Nat.eq_dec K 1) as [->|N1]; [simpl; lra|].
      pose proof (le_INR 2 K ltac:(pose proof (some_step run); lia)) as K2. simpl in K2.
      assert (0 <= (INR K - 1) * (INR K - 2)) by (apply Rmult_le_pos; lra). lra. }
    assert (In : g * ((INR K - 1) * (2 * INR K - 1) / 6) + sigma ^ 2 * ((INR K - 1) / 2)
                 <= ((INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2) / 2).
    { apply (Rmult_le_compat_r g) in Q; [lra|assumption]. }
    assert (P1 : 0 <= (INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2).
    { apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply pow2_ge_0|assumption]|].
      apply Rmult_le_pos; [lra|apply pow2_ge_0]. }
    assert (P2 : 0 <= eta ^ 2) by apply pow2_ge_0.
    apply Rle_trans with (c * (((INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2) / 2)).
    { apply Rmult_le_compat_l; [|assumption]. unfold c, Rdiv. apply Rmult_le_pos; lra. }
    apply Rle_trans with (eta ^ 2 * (625 / 576) * ((INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2)).
    + replace (c * (((INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2) / 2))
        with (eta ^ 2 * / (1 - u) ^ 2 * ((INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2)) by (unfold c, Rdiv; field;
          lra).
      apply Rmult_le_compat_r; [assumption|]. now apply Rmult_le_compat_l.
    + right. unfold Mifa.q. field. lra.
Qed.

(** ** The virtual model, whatever the steps *)
Section Rounds.
Variable R0 : nat.
Notation z := (z reports R0).
Notation D := (direction reports).
Notation charge := (charge reports R0).
Notation B := (B reports R0 (sigma ^ 2 / INR K)).
Notation within := (reports_within run fair).

(** Gap of the virtual model, and how far from it the gradients in use were taken. *)
Definition gap t : R := global p (z t) - global p best.
Definition reach t : R := avg N (fun i => avg K (fun k => ‖z t ⊖ local run (latest run t i) i k‖²)).
Definition spread : R := avg N (fun i => ‖∇i p i best‖²).

Lemma gap_pos t : 0 <= gap t.
Proof.
  unfold gap. pose proof (stationary_is_lowest 0 (global p) (∇ p) best ltac:(lra)
    (global_convex p 0 losses) optimal (z t)). lra.
Qed.

Lemma reach_pos t : 0 <= reach t.
Proof. apply avg_pos. intros. apply avg_pos. intros. apply dot_pos. Qed.

Lemma direction_is t y : ⟨D t, y⟩ =
  avg N (fun i => avg K (fun k => ⟨∇i p i (local run (latest run t i) i k), y⟩)).
Proof. unfold direction. rewrite dot_mean_l. apply avg_ext. intros i _. simpl. unfold path_of, path.
apply dot_mean_l. Qed.

(** Three points: the direction points at the optimum, but for the distance of the gradients. *)
Lemma towards_best t : -2 * ⟨D t, z t ⊖ best⟩ <= -2 * gap t + L * reach t.
Proof.
  rewrite direction_is, <- avg_scale.
  apply Rle_trans with (avg N (fun i => -2 * (loss p i (z t) + -1 * loss p i best)
    + L * avg K (fun k => ‖z t ⊖ local run (latest run t i) i k‖²))).
  - apply avg_le. intros i Hi. rewrite <- avg_scale.
    rewrite <- (avg_const K (-2 * (loss p i (z t) + -1 * loss p i best)) (some_step run)).
    rewrite <- avg_scale, <- avg_add. apply avg_le. intros k Hk.
    pose proof (client_three_points p 0 losses i best (local run (latest run t i) i k) (z t) Hi).
    pose proof (dot_pos (local run (latest run t i) i k ⊖ best)). lra.
  - rewrite avg_add, !avg_scale, avg_add, avg_scale. unfold gap, reach, global, average. right. ring.
Qed.

Lemma direction_square t : ‖D t‖² <= 2 * L ^ 2 * reach t + 4 * L * gap t.
Proof.
  set (e := ∇ p (z t) ⊖ D t).
  assert (E1 : ‖e‖² <= L ^ 2 * reach t).
  { unfold e, direction, global_gradient, average_gradient, reach. simpl. rewrite <- avg_scale.
    rewrite (same_norm _ (mean N (fun i => ∇i p i (z t) ⊖ path_of run (latest run t i) i))).
    - eapply Rle_trans; [apply norm_mean|]. apply avg_le. intros i Hi. unfold path_of, path.
      rewrite (same_norm _ _ (mean_sub K _ _ (some_step run))). eapply Rle_trans; [apply norm_mean|].
      rewrite <- avg_scale. apply avg_le. intros k Hk. now apply client_lipschitz.
    - vectors. rewrite <- avg_scale, <- avg_add. apply avg_ext. intros. now rewrite dot_add_l, dot_scale_l. }
  assert (E2 : ‖∇ p (z t)‖² <= 2 * L * gap t).
  { pose proof (co_coercive L (global p) (∇ p) best (z t) (smoothness_pos p) (global_smooth p)
      (global_convex p 0 losses)) as C. rewrite (optimal (z t ⊖ best)), dot_zero_l in C.
    rewrite norm_sub, (dot_sym (∇ p (z t)) (∇ p best)), (optimal (∇ p (z t))), (same_norm _ _ optimal), !dot_zero_l
      in C.
    unfold gap. lra. }
  rewrite (same_norm (D t) (∇ p (z t) ⊕ (-1) ⊙ e)) by (unfold e; vectors).
  eapply Rle_trans; [apply norm_add2|]. rewrite square_scale. lra.
Qed.

Lemma charge_meets_best t : ⟨charge t, best⟩ = 0.
Proof.
  unfold Charging.charge. rewrite dot_mean_l. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
  rewrite dot_scale_l. simpl. unfold hum_of, LocalWork.hum. rewrite dot_mean_l. unfold avg.
  rewrite sum_zero; [ring|]. intros k Hk. now apply (fixed_best (t, i, k)).
Qed.

Lemma models_from_virtual t : (t <= R0)%nat ->
  global p (w t) - global p best <= 5 / 4 * gap t + 5 / 2 * (L * ‖owed reports R0 t‖²).
Proof.
  intros Ht. pose proof (smoothness_pos p) as PL. set (e := owed reports R0 t).
  assert (E : same (w t ⊖ z t) e) by (unfold Charging.z, e; simpl; vectors).
  pose proof (global_descent p (z t) (w t ⊖ z t)) as Q. rewrite add_sub in Q.
  rewrite (dot_sym _ (w t ⊖ z t)), (E (∇ p (z t))), (same_norm _ _ E) in Q.
  pose proof (co_coercive L (global p) (∇ p) best (z t) (smoothness_pos p) (global_smooth p)
    (global_convex p 0 losses)) as C. rewrite (optimal (z t ⊖ best)), dot_zero_l in C.
  rewrite norm_sub, (dot_sym (∇ p (z t)) (∇ p best)), (optimal (∇ p (z t))), (same_norm _ _ optimal), !dot_zero_l in C.
  fold (gap t) in C. unfold gap in *. destruct (Rle_lt_or_eq_dec _ _ PL) as [Lp|Z].
  - rewrite (dot_sym e) in Q. pose proof (young (4 * L) (∇ p (z t)) e ltac:(lra)) as Y.
    assert (G : / (4 * L) * ‖∇ p (z t)‖² <= / (4 * L) * (2 * L * (global p (z t) - global p best))).
    { apply Rmult_le_compat_l; [left; apply Rinv_0_lt_compat; lra|lra]. }
    replace (/ (4 * L) * (2 * L * (global p (z t) - global p best)))
      with ((global p (z t) - global p best) / 2) in G by (field; lra).
    lra.
  - rewrite <- Z in *. assert (G0 : ‖∇ p (z t)‖² = 0) by (pose proof (dot_pos (∇ p (z t))); lra).
    pose proof (cauchy_schwarz e (∇ p (z t))) as CS. rewrite G0, Rmult_0_r in CS.
    assert (D0 : ⟨e, ∇ p (z t)⟩ = 0).
    { pose proof (Rle_0_sqr ⟨e, ∇ p (z t)⟩) as P. unfold Rsqr in P.
      destruct (Rmult_integral ⟨e, ∇ p (z t)⟩ ⟨e, ∇ p (z t)⟩); lra. }
    pose proof (gap_pos t) as P. unfold gap in P. lra.
Qed.

(** ** A constant step *)
Section Constant.
Variable eta : R.
Hypothesis constant : forall t, local_step run t = eta.
Notation h := (INR K * eta).
Variable tau : nat.
Hypothesis aged : age_at_most reports tau.
Hypothesis step_small : 25 * (h * L) <= 1.
Hypothesis age_small : 10 * (h * L * INR tau) <= 1.

(** ** One round *)
Lemma one_round t : (t < R0)%nat -> ‖z (S t) ⊖ best‖² <= ‖z t ⊖ best‖²
  - h * (2 - 8 * (h * L)) * gap t + h * (1 + 4 * (h * L)) * (L * reach t) + 2 * B t.
Proof.
  intros Ht. pose proof (h_pos run eta constant) as Ph. pose proof (smoothness_pos p) as PL.
  set (d := h ⊙ D t ⊕ charge t).
  assert (E : same (z (S t) ⊖ best) ((z t ⊖ best) ⊕ (-1) ⊙ d)).
  { intros y. pose proof (charged_step reports R0 t Ht y) as C. simpl step in C.
  rewrite (step_is run eta constant) in C. revert C. unfold d.
    rewrite !dot_add_l, !dot_scale_l, !dot_add_l, !dot_scale_l. intros. lra. }
  rewrite (same_norm _ _ E), norm_add, square_scale, dot_scale_r.
  assert (Z : ⟨charge t, z t ⊖ best⟩ = 0).
  { rewrite dot_add_r, dot_scale_r, charge_meets_best.
    rewrite (charge_orthogonal reports R0 (reports_fresh run fair) t (z t)) by (apply older_z; lia). ring. }
  assert (X : ⟨z t ⊖ best, d⟩ = h * ⟨D t, z t ⊖ best⟩).
  { rewrite dot_sym. unfold d. rewrite dot_add_l, dot_scale_l, Z. ring. }
  rewrite X. pose proof (towards_best t) as T. pose proof (direction_square t) as Sq.
  assert (D2 : ‖d‖² <= 2 * (h ^ 2 * ‖D t‖² + B t)).
  { unfold d. eapply Rle_trans; [apply norm_add2|]. rewrite square_scale.
    pose proof (charge_small reports R0 (reports_fresh run fair) _ (reports_separate run fair) within t). lra. }
  apply (Rmult_le_compat_l h) in T; [|lra].
  apply (Rmult_le_compat_l (2 * h ^ 2)) in Sq; [|pose proof (pow2_ge_0 h); lra].
  lra.
Qed.

(** One more step from the last model, in which nothing is stale. *)
Lemma last_round : h * (2 - 2 * (h * L)) * gap R0 <= ‖z R0 ⊖ best‖².
Proof.
  pose proof (h_pos run eta constant) as Ph. set (g := ∇ p (z R0)). set (x := z R0 ⊖ best).
  pose proof (dot_pos (x ⊖ h ⊙ g)) as Q. rewrite norm_sub, dot_scale_r, square_scale in Q.
  pose proof (global_convex p 0 losses best (z R0)) as C. fold g in C.
  assert (E : ⟨g, best ⊖ z R0⟩ = - ⟨x, g⟩).
  { rewrite (dot_sym x). unfold x. rewrite !dot_add_r, !dot_scale_r. ring. }
  rewrite E in C. pose proof (dot_pos (best ⊖ z R0)).
  assert (E2 : ‖g‖² <= 2 * L * gap R0).
  { pose proof (co_coercive L (global p) (∇ p) best (z R0) (smoothness_pos p) (global_smooth p)
      (global_convex p 0 losses)) as G. rewrite (optimal (z R0 ⊖ best)), dot_zero_l in G. fold g in G.
    rewrite norm_sub, (dot_sym g (∇ p best)), (optimal g), (same_norm _ _ optimal), !dot_zero_l in G. unfold gap. lra. }
  assert (gap R0 <= ⟨x, g⟩) by (unfold gap; lra).
  apply (Rmult_le_compat_l (h ^ 2)) in E2; [|apply pow2_ge_0]. apply (Rmult_le_compat_l (2 * h)) in H1; [|lra]. lra.
Qed.
(** ** How far from the virtual model the gradients were taken *)
Definition apart t : R := avg N (fun i => ‖z t ⊖ w (latest run t i)‖²).
Definition local_noise : R := 625 / 576 * (3 * (q ^ 2 * spread) + 2 * (q * sigma ^ 2 / INR K)).

Lemma spread_pos : 0 <= spread.
Proof. apply avg_pos. intros. apply dot_pos. Qed.

Lemma reach_small t : L * reach t <= 97 / 48 * (L * apart t) + gap t / 24 + h ^ 2 * L * local_noise.
Proof.
  pose proof (smoothness_pos p) as PL. pose proof (h_pos run eta constant) as Ph. pose proof (q_range run) as Hq.
  set (c := 625 / 576 * h ^ 2). assert (Pc : 0 <= c) by (unfold c; pose proof (pow2_ge_0 h); lra).
  assert (Q2 : 0 <= q ^ 2 <= 1) by (split; [apply pow2_ge_0|rewrite <- (pow1 2); apply pow_incr; lra]).
  assert (CL : c * L ^ 2 <= 1 / 576).
  { unfold c. assert ((h * L) ^ 2 <= (1 / 25) ^ 2) by (apply pow_incr; split; [pos|lra]). lra. }
  assert (Pa : 0 <= apart t) by (apply avg_pos; intros; apply dot_pos). pose proof (gap_pos t) as Pgap.
  set (e := avg N (fun i => ‖∇i p i (z t) ⊖ ∇i p i best‖²)).
  assert (He : e <= 2 * L * gap t) by (apply (mean_co_coercive p 0 losses ltac:(lra)); assumption).
  assert (Pe : 0 <= e) by (apply avg_pos; intros; apply dot_pos).
  assert (A : reach t <= 2 * apart t + 2 * c * (q ^ 2 * (6 * L ^ 2 * apart t + 6 * e + 3 / 2 * spread) + q * sigma ^
    2 / INR K)).
  { apply Rle_trans with (avg N (fun i => 2 * ‖z t ⊖ w (latest run t i)‖²
      + 2 * c * (q ^ 2 * (6 * L ^ 2 * ‖z t ⊖ w (latest run t i)‖² + 6 * ‖∇i p i (z t) ⊖ ∇i p i best‖²
                          + 3 / 2 * ‖∇i p i best‖²) + q * sigma ^ 2 / INR K))).
    - apply avg_le. intros i Hi. set (s := latest run t i).
      assert (G : ‖∇i p i (w s)‖² <= 6 * L ^ 2 * ‖z t ⊖ w s‖² + 6 * ‖∇i p i (z t) ⊖ ∇i p i best‖² + 3 / 2 * ‖∇i p i
        best‖²).
      { rewrite (same_norm _ (((∇i p i (w s) ⊖ ∇i p i (z t)) ⊕ (∇i p i (z t) ⊖ ∇i p i best)) ⊕ ∇i p i best)) by vectors.
        pose proof (norm_add_young (1 / 2) ((∇i p i (w s) ⊖ ∇i p i (z t)) ⊕ (∇i p i (z t) ⊖ ∇i p i best)) (∇i p i
          best) ltac:(lra)) as Y.
        pose proof (norm_add2 (∇i p i (w s) ⊖ ∇i p i (z t)) (∇i p i (z t) ⊖ ∇i p i best)) as Y2.
        pose proof (client_lipschitz p i (w s) (z t) Hi) as Lip. rewrite (norm_sub_sym (w s)) in Lip.
        replace (1 + / (1 / 2)) with 3 in Y by field. lra. }
      pose proof (path_distance s i Hi) as Pd. rewrite (step_is run eta constant) in Pd.
      specialize (Pd step_small). fold c in Pd.
      apply Rle_trans with (avg K (fun k => 2 * ‖z t ⊖ w s‖² + 2 * ‖w s ⊖ local run s i k‖²)).
      + apply avg_le. intros k Hk.
        rewrite (same_norm _ ((z t ⊖ w s) ⊕ (w s ⊖ local run s i k))) by vectors.
        pose proof (norm_add2 (z t ⊖ w s) (w s ⊖ local run s i k)). lra.
      + rewrite avg_add, !avg_scale, avg_const by apply some_step.
        assert (P3 : 0 <= c * q ^ 2) by (apply Rmult_le_pos; [exact Pc|apply pow2_ge_0]).
        apply (Rmult_le_compat_l _ _ _ P3) in G. lra.
    - right. unfold apart, e, spread. rewrite avg_add, avg_scale.
      rewrite (avg_ext N (fun i => 2 * c * _) (fun i => 2 * c * q ^ 2 * 6 * L ^ 2 * ‖z t ⊖ w (latest run t i)‖²
        + 2 * c * q ^ 2 * 6 * ‖∇i p i (z t) ⊖ ∇i p i best‖² + 2 * c * q ^ 2 * (3 / 2) * ‖∇i p i best‖²
        + 2 * c * (q * sigma ^ 2 / INR K))) by (intros; ring).
      rewrite !avg_add, !avg_scale, (avg_const N _ (some_client p)). ring. }
  apply (Rmult_le_compat_l L) in A; [|assumption].
  assert (T1 : 12 * (c * L ^ 2) * (q ^ 2 * (L * apart t)) <= 12 * (1 / 576) * (1 * (L * apart t))).
  { apply Rmult_le_compat; [pose proof (pow2_ge_0 L); pos|pos|lra|apply Rmult_le_compat_r; [pos|lra]]. }
  assert (T2 : 12 * c * L * (q ^ 2 * e) <= 24 * (1 / 576) * gap t).
  { apply Rle_trans with (12 * c * L * (1 * (2 * L * gap t))).
    - apply Rmult_le_compat_l; [pos|]. apply Rmult_le_compat; lra.
    - apply (Rmult_le_compat_r (24 * gap t)) in CL; lra. }
  unfold local_noise. unfold c in *. lra.
Qed.

(** ** All rounds *)
Definition gaps : R := sum R0 gap.
Definition reaches : R := sum R0 (fun t => L * reach t).
Notation charges := (charges run R0).

Lemma all_steps : 42 / 25 * h * (gaps + gap R0) <= ‖w 0%nat ⊖ best‖² + 29 / 25 * h * reaches + 2 * charges.
Proof.
  pose proof (h_pos run eta constant) as Ph. pose proof (smoothness_pos p) as PL. assert (PhL : 0 <= h * L) by pos.
  assert (A : forall n, (n <= R0)%nat -> ‖z n ⊖ best‖² + 42 / 25 * h * sum n gap
     <= ‖w 0%nat ⊖ best‖² + 29 / 25 * h * sum n (fun t => L * reach t) + 2 * sum n B).
  { induction n; intros Hn.
    - simpl sum. rewrite (same_norm (z 0%nat ⊖ best) (w 0%nat ⊖ best)); [lra|].
      intros y. rewrite !dot_add_l, (nothing_owed_first reports R0 y). reflexivity.
    - specialize (IHn ltac:(lia)). pose proof (one_round n ltac:(lia)) as O. cbn [sum].
      pose proof (gap_pos n). pose proof (reach_pos n).
      assert (0 <= (8 / 25 - 8 * (h * L)) * (h * gap n)) by (apply Rmult_le_pos; [lra|pos]).
      assert (0 <= (4 / 25 - 4 * (h * L)) * (h * (L * reach n))) by (apply Rmult_le_pos; [lra|pos]). lra. }
  specialize (A R0 (Nat.le_refl _)). pose proof last_round as La. pose proof (gap_pos R0).
  assert (0 <= (2 / 25 - 2 * (h * L)) * (h * gap R0)) by (apply Rmult_le_pos; [lra|pos]).
  assert (0 <= h * gap R0) by pos. unfold gaps, reaches, Mifa.charges. lra.
Qed.

Lemma reaches_small : 919 / 1000 * h * reaches <= 97 / 120 * charges + 61 / 300 * h * gaps + h * (INR R0 * (h ^ 2 * L
  * local_noise)).
Proof.
  pose proof (h_pos run eta constant) as Ph. pose proof (smoothness_pos p) as PL.
  pose proof (distances_small run fair eta constant R0 tau aged) as Di. fold apart in Di.
  change (distances run R0) with (sum R0 apart) in Di.
  assert (R1 : reaches <= 97 / 48 * (L * sum R0 apart) + gaps / 24 + INR R0 * (h ^ 2 * L * local_noise)).
  { unfold reaches, gaps.
    apply Rle_trans with (sum R0 (fun t => 97 / 48 * L * apart t + / 24 * gap t + h ^ 2 * L * local_noise)).
    - apply sum_le. intros t _. pose proof (reach_small t). lra.
    - rewrite !sum_add, sum_const, !sum_scale. lra. }
  assert (En : energy run R0 <= 2 * L * reaches + 4 * L * gaps).
  { unfold energy, reaches, gaps. apply Rle_trans with (sum R0 (fun t => 2 * L * (L * reach t) + 4 * L * gap t)).
    - apply sum_le. intros t _. pose proof (direction_square t). lra.
    - rewrite sum_add, !sum_scale. lra. }
  assert (PR : 0 <= reaches) by (apply sum_pos; intros t _; pose proof (reach_pos t); pos).
  assert (PG : 0 <= gaps) by (apply sum_pos; intros; apply gap_pos).
  pose proof (charges_pos run fair R0) as PC. pose proof (pos_INR tau) as Pt.
  set (s := h * L * INR tau) in *. assert (Ps : 0 <= s) by (unfold s; pos).
  assert (S2 : s ^ 2 <= (1 / 10) ^ 2) by (apply pow_incr; lra).
  assert (PLh : 0 <= L * (2 * (h * INR tau) ^ 2)) by (pose proof (pow2_ge_0 (h * INR tau)); pos).
  apply (Rmult_le_compat_l _ _ _ PLh) in En.
  apply (Rmult_le_compat_l (h * L)) in Di; [|pos]. apply (Rmult_le_compat_l h) in En; [|lra].
  apply (Rmult_le_compat_l h) in R1; [|lra].
  assert (T1 : 4 * s * charges <= 4 * (1 / 10) * charges) by (apply Rmult_le_compat_r; lra).
  assert (T2 : s ^ 2 * (h * reaches) <= (1 / 10) ^ 2 * (h * reaches)) by (apply Rmult_le_compat_r; [pos|assumption]).
  assert (T3 : s ^ 2 * (h * gaps) <= (1 / 10) ^ 2 * (h * gaps)) by (apply Rmult_le_compat_r; [pos|assumption]).
  assert (Phr : 0 <= h * reaches) by pos. assert (Phg : 0 <= h * gaps) by pos.
  unfold s in *. lra.
Qed.

Theorem mifa_convex :
  avg (S R0) (fun t => global p (w t) - global p best) <=
  ‖w 0%nat ⊖ best‖² / (h * INR (S R0))
  + 3 * h * (2 * mean_age run R0 + 1) * sigma ^ 2 / (INR N * INR K)
  + h ^ 2 * L * (4 * (q ^ 2 * spread) + 3 * (q * sigma ^ 2 / INR K)).
Proof.
  pose proof (h_pos run eta constant) as Ph. pose proof (smoothness_pos p) as PL. pose proof (pos_INR tau) as Pt.
  pose proof all_steps as All. pose proof reaches_small as Re. pose proof (charges_pos run fair R0) as PC.
  pose proof (charges_are run eta constant R0) as Ch. pose proof (mean_age_pos run R0) as Pm.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK.
  pose proof (q_range run) as Hq. pose proof spread_pos as Psp. pose proof (local_step_pos run 0) as Peta.
  rewrite constant in Peta.
  assert (Psn : 0 <= q * sigma ^ 2 / INR K).
  { unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|]. left. now apply Rinv_0_lt_compat. }
  assert (Pqs : 0 <= q ^ 2 * spread) by (apply Rmult_le_pos; [apply pow2_ge_0|assumption]).
  assert (PG : 0 <= gaps) by (apply sum_pos; intros; apply gap_pos). pose proof (gap_pos R0) as PGR.
  assert (Ow : h * sum (S R0) (fun t => global p (w t) - global p best)
               <= 5 / 4 * h * (gaps + gap R0) + 1 / 4 * charges).
  { assert (Last : ‖owed reports R0 R0‖² = 0).
    { assert (E : same (owed reports R0 R0) zero).
      { intros y. pose proof (nothing_owed_last reports R0 y) as Q. unfold Charging.z in Q.
      rewrite dot_add_l, dot_scale_l in Q.
        rewrite dot_zero_l. lra. }
      rewrite (same_norm _ _ E). apply dot_zero_l. }
    assert (P : forall t, 0 <= B t) by (intros; apply (B_pos reports R0 _ within)).
    pose proof (window_sum tau B R0 P) as W. change (sum R0 B) with charges in W.
    assert (S1 : sum R0 (fun t => global p (w t) - global p best) <= 5 / 4 * gaps + 5 / 2 * L * (INR tau * charges)).
    { apply Rle_trans with (sum R0 (fun t => 5 / 4 * gap t + 5 / 2 * L * window tau B t)).
      - apply sum_le. intros t Ht. eapply Rle_trans; [apply (models_from_virtual t); lia|].
        pose proof (owed_small reports R0 (reports_fresh run fair) _ (reports_separate run fair) within tau aged t
          ltac:(lia)) as O.
        apply (Rmult_le_compat_l (5 / 2 * L)) in O; lra.
      - rewrite sum_add, !sum_scale. fold gaps. apply (Rmult_le_compat_l (5 / 2 * L)) in W; lra. }
    pose proof (models_from_virtual R0 ltac:(lia)) as S2. rewrite Last in S2. cbn [sum].
    apply (Rmult_le_compat_l h) in S1; [|lra]. apply (Rmult_le_compat_l h) in S2; [|lra].
    assert (h * L * INR tau * charges <= 1 / 10 * charges) by (apply Rmult_le_compat_r; lra). lra. }
  set (m := (2 * mean_age run R0 + 1) * (sigma ^ 2 / INR K) / INR N).
  assert (Pm2 : 0 <= m).
  { unfold m, Rdiv. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. apply Rmult_le_pos; [lra|].
    apply Rmult_le_pos; [apply pow2_ge_0|]. left. now apply Rinv_0_lt_compat. }
  assert (Cm : charges = h ^ 2 * INR R0 * m) by (rewrite Ch; unfold m; field; lra).
  set (Y := 4 * (q ^ 2 * spread) + 3 * (q * sigma ^ 2 / INR K)).
  assert (X : local_noise <= 25 / 28 * Y) by (unfold local_noise, Y; lra).
  assert (PRX : 0 <= INR R0 * (h ^ 2 * L)) by (pose proof (pos_INR R0); pose proof (pow2_ge_0 h); pos).
  apply (Rmult_le_compat_l _ _ _ PRX) in X. apply (Rmult_le_compat_l h) in X; [|lra].
  assert (Phg : 0 <= h * gaps) by pos. assert (Phr : 0 <= h * gap R0) by pos.
  pose proof (dot_pos (w 0%nat ⊖ best)) as Pd.
  assert (PY : 0 <= h * (INR R0 * (h ^ 2 * L) * Y)) by (apply Rmult_le_pos; [lra|]; apply Rmult_le_pos;
    [assumption|unfold Y; lra]).
  assert (Main : h * sum (S R0) (fun t => global p (w t) - global p best)
    <= ‖w 0%nat ⊖ best‖² + 3 * charges + h * (INR R0 * (h ^ 2 * L) * Y)) by lra.
  pose proof (lt_0_INR (S R0) ltac:(lia)) as PT.
  eapply Rle_trans; [apply (avg_from_sum (S R0) _ h _ ltac:(lia) Ph Main)|].
  rewrite Cm. replace (3 * h * (2 * mean_age run R0 + 1) * sigma ^ 2 / (INR N * INR K)) with (3 * h * m) by (unfold
    m; field; lra).
  apply (Rmult_le_reg_l (h * INR (S R0))); [now apply Rmult_lt_0_compat|].
  replace (h * INR (S R0) * ((‖w 0%nat ⊖ best‖² + 3 * (h ^ 2 * INR R0 * m) + h * (INR R0 * (h ^ 2 * L) * Y)) / (h *
    INR (S R0))))
    with (‖w 0%nat ⊖ best‖² + (3 * h * m + h ^ 2 * L * Y) * (h * INR R0)) by (field; lra).
  replace (h * INR (S R0) * (‖w 0%nat ⊖ best‖² / (h * INR (S R0)) + 3 * h * m + h ^ 2 * L * Y))
    with (‖w 0%nat ⊖ best‖² + (3 * h * m + h ^ 2 * L * Y) * (h * INR (S R0))) by (field; lra).
  rewrite S_INR. assert (0 <= (3 * h * m + h ^ 2 * L * Y) * h); [|lra].
  apply Rmult_le_pos; [|lra]. assert (0 <= h * m) by pos.
  assert (0 <= h ^ 2 * L * Y) by (apply Rmult_le_pos; [pose proof (pow2_ge_0 h); pos|unfold Y; lra]). lra.
Qed.
End Constant.
End Rounds.
End Convex.
