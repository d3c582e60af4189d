(** * MIFA on strongly convex losses with a constant step

    The run is that of Mifa.v; h = K eta is constant, the losses are L-smooth and mu-strongly convex, x* is the
    optimum, D = mean |grad f_i (x star)|^2, q = (K - 1)/K. If h L <= 1/25 and nobody is more than tau rounds old
    with h L tau <= 1/10, then after R rounds ([mifa_constant_step], in expectation [theorem5_1_constant_step])

      E |x_R - x*|^2 <= (1 - 3 h mu/4)^R |x_0 - x*|^2 + 6 h (tau + 1) sigma^2 / (mu N K)
                        + (L/mu) h^2 (11 q^2 D + 7 q sigma^2 / K).

    The last model comes linearly as near as noise, staleness and local drift allow. Not in the paper. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance LocalWork Charging Mifa Convex MifaConvex MifaStronglyConvex MifaChance Claims_mifa
  Numbers.
Open Scope R_scope.

(** ** Discounted sums: the sum over t < n of g^(n - 1 - t) f t *)
Section Discount.
Variable g : R.
Hypothesis g_range : 0 <= g <= 1.

Fixpoint discounted (n : nat) (f : nat -> R) : R := match n with O => 0 | S m => g * discounted m f + f m end.

Lemma discounted_sum n f : discounted n f = sum n (fun t => g ^ (n - 1 - t) * f t).
Proof.
  induction n; [reflexivity|]. cbn [discounted sum]. rewrite IHn, <- sum_scale.
  replace (S n - 1 - n)%nat with 0%nat by lia. rewrite pow_O, Rmult_1_l. f_equal. apply sum_ext. intros t Ht.
  replace (S n - 1 - t)%nat with (S (n - 1 - t)) by lia. simpl. ring.
Qed.

Lemma discounted_le n f k : (forall t, (t < n)%nat -> f t <= k t) -> discounted n f <= discounted n k.
Proof.
  induction n; intros E; [simpl; lra|]. cbn [discounted]. pose proof (E n ltac:(lia)).
  pose proof (Rmult_le_compat_l g _ _ (proj1 g_range) (IHn (fun t Ht => E t (Nat.lt_lt_succ_r _ _ Ht)))). lra.
Qed.

Lemma discounted_add n f k : discounted n (fun t => f t + k t) = discounted n f + discounted n k.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.

Lemma discounted_scale n a f : discounted n (fun t => a * f t) = a * discounted n f.
Proof. induction n; simpl; [ring|]. rewrite IHn. ring. Qed.

Lemma discounted_pos n f : (forall t, 0 <= f t) -> 0 <= discounted n f.
Proof.
  intros P. induction n; simpl; [lra|]. specialize (P n).
  assert (0 <= g * discounted n f) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma discounted_many n d (f : nat -> nat -> R) :
  discounted n (fun t => sum d (fun j => f j t)) = sum d (fun j => discounted n (f j)).
Proof.
  induction d as [|d IH]; simpl.
  - induction n; simpl; [reflexivity|]. rewrite IHn. ring.
  - now rewrite discounted_add, IH.
Qed.

(** A sequence that falls by the factor g, but for f. *)
Lemma unrolled n (u f : nat -> R) : (forall t, (t < n)%nat -> u (S t) <= g * u t + f t) ->
  u n <= g ^ n * u 0%nat + discounted n f.
Proof.
  induction n; intros E; [simpl; lra|]. pose proof (E n ltac:(lia)) as En.
  assert (IH : u n <= g ^ n * u 0%nat + discounted n f) by (apply IHn; intros; apply E; lia).
  apply (Rmult_le_compat_l g) in IH; [|lra]. simpl. lra.
Qed.

Lemma discounted_ago n j b : discounted n (ago j b) = discounted (n - j) b.
Proof.
  induction n; [reflexivity|]. cbn [discounted]. rewrite IHn. destruct (le_lt_dec j n) as [Hj|Hj].
  - rewrite ago_is by assumption. replace (S n - j)%nat with (S (n - j)) by lia. reflexivity.
  - replace (n - j)%nat with 0%nat by lia. replace (S n - j)%nat with 0%nat by lia. unfold ago.
    destruct (Nat.leb_spec j n); [lia|]. simpl. ring.
Qed.

Lemma discounted_shift n j b : (forall t, 0 <= b t) -> g ^ j * discounted (n - j) b <= discounted n b.
Proof.
  intros P. destruct (le_lt_dec j n) as [Hj|Hj].
  - replace n with (j + (n - j))%nat at 2 by lia. set (m := (n - j)%nat). clearbody m. clear Hj.
    induction j; [simpl; lra|]. cbn [Nat.add discounted pow]. specialize (P (j + m)%nat).
    apply (Rmult_le_compat_l g) in IHj; [|lra]. lra.
  - replace (n - j)%nat with 0%nat by lia. cbn [discounted]. rewrite Rmult_0_r. now apply discounted_pos.
Qed.

(** A window of d rounds is seen at most d times, and the discount grows at most by rho over it. *)
Lemma discounted_window rho n d b : (forall t, 0 <= b t) -> 0 <= rho -> (forall j, (j <= d)%nat -> 1 <= rho * g ^ j) ->
  discounted n (window d b) <= rho * INR d * discounted n b.
Proof.
  intros P Pr Growth. unfold window. rewrite (discounted_many n d (fun j => ago (S j) b)).
  apply Rle_trans with (INR d * (rho * discounted n b)); [|lra]. apply sum_le_const. intros j Hj.
  rewrite discounted_ago. pose proof (discounted_shift n (S j) b P) as Sh. specialize (Growth (S j) ltac:(lia)).
  pose proof (discounted_pos (n - S j) b P) as Pd.
  apply (Rmult_le_compat_l rho) in Sh; [|assumption]. apply (Rmult_le_compat_r (discounted (n - S j) b)) in Growth; lra.
Qed.

Lemma discounted_ones n : (1 - g) * discounted n (fun _ => 1) <= 1.
Proof.
  induction n; simpl; [lra|]. apply (Rmult_le_compat_l g) in IHn; lra.
Qed.
End Discount.

(** Bernoulli's inequality. *)
Lemma power_at_least x n : 0 <= x <= 1 -> 1 - INR n * x <= (1 - x) ^ n.
Proof.
  intros Hx. induction n; [simpl; lra|]. rewrite S_INR. simpl.
  apply (Rmult_le_compat_l (1 - x)) in IHn; [|lra]. pose proof (pos_INR n).
  assert (0 <= INR n * (x * x)) by (apply Rmult_le_pos; [assumption|apply Rmult_le_pos; lra]). lra.
Qed.

(** ** The run *)
Section ConstantStep.
Context {H : Space} {p : Problem H} (run : Mifa p) (best : H) (mu eta : R).
Notation N := (clients p).
Notation L := (smoothness p).
Notation K := (local_steps run).
Notation sigma := (noise_bound run).
Notation w := (server run).
Notation reports := (as_reports run).
Notation q := (q run).
Notation h := (INR K * eta).
Notation v := (sigma ^ 2 / INR K).

Hypothesis fair : unbiased_noise run.
Hypothesis losses : convex_losses p mu.
Hypothesis optimal : same (∇ p best) zero.
Hypothesis fixed_best : forall d, drawn run d -> ⟨noise_at run d, best⟩ = 0.
Hypothesis mu_range : 0 < mu <= L.
Hypothesis constant : forall t, local_step run t = eta.
Variables R0 tau : nat.
Hypothesis aged : age_at_most reports tau.
Hypothesis step_small : 25 * (h * L) <= 1.
Hypothesis age_small : 10 * (h * L * INR tau) <= 1.

Notation z := (z reports R0).
Notation D := (direction reports).
Notation charge := (charge reports R0).
Notation B := (B reports R0 v).
Notation within := (reports_within run fair).
Notation gap := (gap run best R0).
Notation reach := (reach run R0).
Notation apart := (MifaConvex.apart run R0).
Notation spread := (spread (p := p) best).
Notation drift := (local_noise run best).

Let plain : convex_losses p 0 := fun i Hi => losses_plain p mu losses (Rlt_le _ _ (proj1 mu_range)) i Hi.

(** The factor of one round. *)
Definition factor : R := 1 - 3 / 4 * (h * mu).
Notation total := (discounted factor R0).

Lemma h_pos : 0 < h.
Proof. apply (Mifa.h_pos run eta constant). Qed.

Lemma hmu : 0 <= h * mu <= 1 / 25 /\ h * mu * INR tau <= 1 / 10.
Proof.
  pose proof h_pos as Ph. pose proof mu_range as [Pm Le]. pose proof (pos_INR tau) as Pt.
  apply (Rmult_le_compat_l h) in Le; [|lra]. assert (0 <= h * mu) by pos. repeat split; [assumption|lra|].
  apply (Rmult_le_compat_r (INR tau)) in Le; lra.
Qed.

Lemma factor_range : 0 <= factor <= 1.
Proof. destruct hmu as [A _]. unfold factor. lra. Qed.

Lemma growth d rho : (d <= 2 * tau)%nat -> 1 <= rho * (1 - INR d * (3 / 4 * (h * mu))) -> 0 <= rho ->
  forall j, (j <= d)%nat -> 1 <= rho * factor ^ j.
Proof.
  intros Hd Hr Pr j Hj. destruct hmu as [A _].
  pose proof (power_at_least (3 / 4 * (h * mu)) j ltac:(lra)) as P. fold factor in P.
  assert (Q : INR j * (3 / 4 * (h * mu)) <= INR d * (3 / 4 * (h * mu))).
  { apply Rmult_le_compat_r; [lra|]. now apply le_INR. }
  apply Rle_trans with (rho * (1 - INR d * (3 / 4 * (h * mu)))); [assumption|]. apply Rmult_le_compat_l; lra.
Qed.

Lemma growth_once : forall j, (j <= tau)%nat -> 1 <= 40 / 37 * factor ^ j.
Proof. destruct hmu as [_ A]. apply growth; [lia| |lra]. lra. Qed.

Lemma growth_twice : forall j, (j <= 2 * tau)%nat -> 1 <= 20 / 17 * factor ^ j.
Proof. destruct hmu as [_ A]. apply growth; [lia| |lra]. rewrite mult_INR. simpl (INR 2). lra. Qed.

Lemma one_round t : (t < R0)%nat -> ‖z (S t) ⊖ best‖² <= factor * ‖z t ⊖ best‖²
  + (- (59 / 50) * (h * gap t) + 54 / 25 * (h * (L * reach t)) + 2 * B t).
Proof.
  intros Ht. pose proof h_pos as Ph. pose proof mu_range as [Pm Below]. assert (PL : 0 < L) by lra.
  set (d := h ⊙ D t ⊕ charge t).
  assert (E : same (z (S t) ⊖ best) ((z t ⊖ best) ⊕ (-1) ⊙ d)).
  { intros y. pose proof (charged_step reports R0 t Ht y) as C. simpl step in C.
    rewrite (step_is run eta constant) in C. revert C. unfold d.
    rewrite !dot_add_l, !dot_scale_l, !dot_add_l, !dot_scale_l. intros. lra. }
  rewrite (same_norm _ _ E), norm_add, square_scale, dot_scale_r.
  assert (Z : ⟨charge t, z t ⊖ best⟩ = 0).
  { rewrite dot_add_r, dot_scale_r, (charge_meets_best run best fixed_best R0 t).
    rewrite (charge_orthogonal reports R0 (reports_fresh run fair) t (z t)) by (apply older_z; lia). ring. }
  assert (X : ⟨z t ⊖ best, d⟩ = h * ⟨D t, z t ⊖ best⟩).
  { rewrite dot_sym. unfold d. rewrite dot_add_l, dot_scale_l, Z. ring. }
  rewrite X. pose proof (towards_best run best mu losses optimal Pm Below R0 t) as T.
  pose proof (direction_square run best plain optimal R0 t) as Sq.
  assert (D2 : ‖d‖² <= 2 * (h ^ 2 * ‖D t‖² + B t)).
  { unfold d. eapply Rle_trans; [apply norm_add2|]. rewrite square_scale.
    pose proof (charge_small reports R0 (reports_fresh run fair) _ (reports_separate run fair) within t). lra. }
  apply (Rmult_le_compat_l h) in T; [|lra].
  apply (Rmult_le_compat_l (2 * h ^ 2)) in Sq; [|pose proof (pow2_ge_0 h); lra].
  pose proof (gap_pos run best plain optimal R0 t). pose proof (reach_pos run R0 t).
  assert (0 <= (8 / 25 - 8 * (h * L)) * (h * gap t)) by (apply Rmult_le_pos; [lra|pos]).
  assert (0 <= (4 / 25 - 4 * (h * L)) * (h * (L * reach t))) by (apply Rmult_le_pos; [lra|pos]).
  unfold factor. lra.
Qed.

(** How old the models are from which the gradients in use were taken. *)
Lemma apart_small t : (t < R0)%nat -> apart t <= 2 * window (2 * tau) B t
  + 2 * (INR tau * h ^ 2) * window tau (fun t => ‖D t‖²) t.
Proof.
  intros Ht. assert (PD : forall t, 0 <= ‖D t‖²) by (intros; apply dot_pos).
  apply avg_le_const; [apply some_client|]. intros i Hi.
  pose proof (last_le reports t i Hi) as Hl. pose proof (aged t i Hi) as Ha. simpl in Hl, Ha.
  eapply Rle_trans; [apply (distance_to_report reports R0 (reports_fresh run fair) _ (reports_separate run fair) within
    tau aged t i Hi); lia|].
  simpl last. set (d := (t - latest run t i)%nat). apply Rplus_le_compat_l. rewrite !Rmult_assoc.
  apply Rmult_le_compat_l; [lra|].
  eapply Rle_trans; [apply norm_vsum|].
  assert (St : forall j, step reports j = h) by apply (step_is run eta constant).
  rewrite (sum_ext d _ (fun j => h ^ 2 * ‖D (t - S j)%nat‖²)) by (intros; rewrite St; apply square_scale).
  rewrite sum_scale. apply Rmult_le_compat; [apply pos_INR| |apply le_INR; unfold d; lia|].
  - apply Rmult_le_pos; [apply pow2_ge_0|]. apply sum_pos. intros. apply dot_pos.
  - apply Rmult_le_compat_l; [apply pow2_ge_0|].
    apply (window_part tau (fun t => ‖D t‖²) t d PD); unfold d; lia.
Qed.

Lemma reaches_small :
  912 / 1000 * (h * total (fun t => L * reach t)) <= 952 / 1000 * total B + 217 / 1000 * (h * total gap)
    + h ^ 3 * L * drift * total (fun _ => 1).
Proof.
  pose proof h_pos as Ph. pose proof factor_range as Fr. assert (PL : 0 < L) by (pose proof mu_range; lra).
  assert (PB : forall t, 0 <= B t) by (intros; apply (Charging.B_pos reports R0 _ within)).
  assert (PD : forall t, 0 <= ‖D t‖²) by (intros; apply dot_pos).
  set (r := total (fun t => L * reach t)). set (G := total gap). set (n := total B). set (one := total (fun _ => 1)).
  assert (R1 : r <= 97 / 48 * (L * total apart) + / 24 * G + h ^ 2 * L * drift * one).
  { unfold r, G, one. rewrite <- !(discounted_scale factor R0), <- !discounted_add. apply discounted_le; [assumption|].
    intros t Ht. pose proof (MifaConvex.reach_small run best fair plain optimal R0 eta constant step_small t). lra. }
  assert (R2 : total apart <= 2 * (20 / 17 * (2 * INR tau) * n) + 2 * (INR tau * h ^ 2)
    * (40 / 37 * INR tau * total (fun t => ‖D t‖²))).
  { eapply Rle_trans; [apply discounted_le; [assumption|exact apart_small]|].
    rewrite discounted_add, !discounted_scale.
    pose proof (discounted_window factor Fr (20 / 17) R0 (2 * tau) B PB ltac:(lra) growth_twice) as W1.
    pose proof (discounted_window factor Fr (40 / 37) R0 tau (fun t => ‖D t‖²) PD ltac:(lra) growth_once) as W2.
    rewrite mult_INR in W1. simpl (INR 2) in W1. fold n in W1.
    assert (0 <= INR tau * h ^ 2) by (apply Rmult_le_pos; [apply pos_INR|apply pow2_ge_0]).
    apply (Rmult_le_compat_l (2 * (INR tau * h ^ 2))) in W2; lra. }
  assert (R3 : total (fun t => ‖D t‖²) <= 2 * L * r + 4 * L * G).
  { unfold r, G. rewrite <- !(discounted_scale factor R0), <- discounted_add. apply discounted_le; [assumption|].
    intros t Ht. pose proof (direction_square run best plain optimal R0 t). lra. }
  assert (Pr : 0 <= r) by (apply discounted_pos; [assumption|]; intros; pose proof (reach_pos run R0 t); pos).
  assert (PG : 0 <= G) by (apply discounted_pos; [assumption|]; intros; apply (gap_pos run best plain optimal)).
  assert (Pn : 0 <= n) by (now apply discounted_pos).
  pose proof (pos_INR tau) as Pt. set (x := h * L * INR tau) in *. assert (Px : 0 <= x) by (unfold x; pos).
  assert (X2 : x ^ 2 <= (1 / 10) ^ 2) by (apply pow_incr; lra).
  apply (Rmult_le_compat_l (2 * (INR tau * h ^ 2) * (40 / 37 * INR tau))) in R3.
  2: { apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [assumption|apply pow2_ge_0]. }
  apply (Rmult_le_compat_l (h * L)) in R2; [|pos]. apply (Rmult_le_compat_l (h * L)) in R3; [|pos].
  apply (Rmult_le_compat_l h) in R1; [|lra].
  assert (T1 : x * n <= 1 / 10 * n) by (apply Rmult_le_compat_r; lra).
  assert (T2 : x ^ 2 * (h * r) <= (1 / 10) ^ 2 * (h * r)) by (apply Rmult_le_compat_r; [pos|assumption]).
  assert (T3 : x ^ 2 * (h * G) <= (1 / 10) ^ 2 * (h * G)) by (apply Rmult_le_compat_r; [pos|assumption]).
  assert (Phr : 0 <= h * r) by pos. assert (PhG : 0 <= h * G) by pos.
  set (e := total (fun t => ‖D t‖²)) in *. set (ap := total apart) in *. set (de := drift) in *.
  unfold x in T1, T2, T3. lra.
Qed.

(** *** The noise *)
Definition uses_now (r t i : nat) : R := if (latest run r i =? t)%nat then 1 else 0.

Lemma tally_few i t d : (i < N)%nat -> forall r, tally reports t i r d <= INR (t + tau + 1 - r).
Proof.
  intros Hi. induction d; intros r; cbn [tally]; [apply pos_INR|]. specialize (IHd (S r)).
  destruct (Nat.eqb_spec (last reports r i) t) as [E|_].
  - pose proof (aged r i Hi) as Ha. rewrite E in Ha.
    replace (t + tau + 1 - r)%nat with (S (t + tau + 1 - S r)) by lia. rewrite S_INR. lra.
  - assert (INR (t + tau + 1 - S r) <= INR (t + tau + 1 - r)) by (apply le_INR; lia). lra.
Qed.

Lemma tally_is_sum i t d : forall r, tally reports t i r d = sum d (fun k => uses_now (r + k) t i).
Proof.
  induction d; intros r; [reflexivity|]. rewrite sum_first. cbn [tally]. rewrite IHd. f_equal.
  - unfold uses_now. now rewrite Nat.add_0_r.
  - apply sum_ext. intros k _. f_equal. lia.
Qed.

Lemma times_used_few t i : (i < N)%nat -> 0 <= times_used reports R0 t i <= INR tau + 1.
Proof.
  intros Hi. pose proof (pos_INR tau) as Pt. unfold times_used.
  destruct (last reports t i =? t)%nat; [|lra]. split; [apply tally_pos|].
  eapply Rle_trans; [now apply tally_few|]. rewrite <- S_INR. apply le_INR. lia.
Qed.

Lemma times_used_sum t i : (t < R0)%nat -> times_used reports R0 t i <= sum R0 (fun r => uses_now r t i).
Proof.
  intros Ht. assert (P : forall r, 0 <= uses_now r t i) by (intros; unfold uses_now; destruct (_ =? _)%nat; lra).
  unfold times_used. destruct (last reports t i =? t)%nat.
  - rewrite tally_is_sum. replace R0 with (t + (R0 - t))%nat at 2 by lia. rewrite sum_split.
    assert (0 <= sum t (fun r => uses_now r t i)) by (apply sum_pos; auto). lra.
  - apply sum_pos. auto.
Qed.

Lemma uses_discounted i : (i < N)%nat -> total (fun t => times_used reports R0 t i) <= total (fun _ => 1).
Proof.
  intros Hi. pose proof factor_range as Fr. rewrite !discounted_sum.
  apply Rle_trans with (sum R0 (fun t => sum R0 (fun r => factor ^ (R0 - 1 - r) * uses_now r t i))).
  - apply sum_le. intros t Ht. apply Rle_trans with (factor ^ (R0 - 1 - t) * sum R0 (fun r => uses_now r t i)).
    + apply Rmult_le_compat_l; [apply pow_le; lra|now apply times_used_sum].
    + rewrite <- sum_scale. apply sum_le. intros r Hr. unfold uses_now.
      destruct (Nat.eqb_spec (latest run r i) t) as [E|_]; [|lra]. rewrite !Rmult_1_r.
      pose proof (last_le reports r i Hi) as Hl. simpl in Hl. rewrite E in Hl.
      replace (R0 - 1 - t)%nat with ((r - t) + (R0 - 1 - r))%nat by lia. rewrite pow_add.
      rewrite <- (Rmult_1_l (factor ^ (R0 - 1 - r))) at 2. apply Rmult_le_compat_r; [apply pow_le; lra|].
      rewrite <- (pow1 (r - t)). apply pow_incr. lra.
  - rewrite sum_swap. apply sum_le. intros r Hr. rewrite sum_scale. apply Rmult_le_compat_l; [apply pow_le; lra|].
    rewrite (sum_single R0 _ (latest run r i)).
    + unfold uses_now. rewrite Nat.eqb_refl. lra.
    + pose proof (last_le reports r i Hi) as Hl. simpl in Hl. lia.
    + intros t _ Nt. unfold uses_now. destruct (Nat.eqb_spec (latest run r i) t); [congruence|reflexivity].
Qed.

Lemma noise_small : total B <= v / INR N * h ^ 2 * (INR tau + 1) * total (fun _ => 1).
Proof.
  pose proof factor_range as Fr. pose proof h_pos as Ph. pose proof (clients_pos p) as PN.
  pose proof (lt_0_INR _ (some_step run)) as PK. set (one := total (fun _ => 1)).
  assert (Pv : 0 <= v / INR N ^ 2).
  { unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow2_ge_0|]|]; left; apply Rinv_0_lt_compat;
      [assumption|now apply pow_lt]. }
  assert (Each : total (fun t => sum N (fun i => born reports R0 t i ^ 2)) <= INR N * (h ^ 2 * (INR tau + 1) * one)).
  { rewrite (discounted_many factor R0 N (fun i t => born reports R0 t i ^ 2)). apply sum_le_const. intros i Hi.
    apply Rle_trans with (total (fun t => h ^ 2 * (INR tau + 1) * times_used reports R0 t i)).
    - apply discounted_le; [assumption|]. intros t Ht.
      destruct (times_used_few t i Hi) as [P1 P2].
      assert (Bt : born reports R0 t i <= h * times_used reports R0 t i).
      { apply born_le_times. intros r _. simpl step. rewrite (step_is run eta constant). lra. }
      apply Rle_trans with ((h * times_used reports R0 t i) ^ 2).
      + apply pow_incr. split; [apply born_pos|assumption].
      + pose proof (pow2_ge_0 h) as P3.
        assert (times_used reports R0 t i * times_used reports R0 t i <= (INR tau + 1) * times_used reports R0 t i) by
          now apply Rmult_le_compat_r.
        apply (Rmult_le_compat_l (h ^ 2)) in H0; lra.
    - rewrite discounted_scale. apply Rmult_le_compat_l; [|now apply uses_discounted].
      apply Rmult_le_pos; [apply pow2_ge_0|]. pose proof (pos_INR tau). lra. }
  unfold Charging.B. rewrite discounted_scale. apply (Rmult_le_compat_l _ _ _ Pv) in Each.
  eapply Rle_trans; [exact Each|]. right. field. lra.
Qed.

Theorem mifa_constant_step :
  ‖w R0 ⊖ best‖² <= factor ^ R0 * ‖w 0%nat ⊖ best‖²
  + 6 * h * (INR tau + 1) * sigma ^ 2 / (mu * INR N * INR K)
  + L / mu * h ^ 2 * (11 * (q ^ 2 * spread) + 7 * (q * sigma ^ 2 / INR K)).
Proof.
  pose proof factor_range as Fr. pose proof h_pos as Ph. pose proof mu_range as [Pm Below]. assert (PL : 0 < L) by lra.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK.
  pose proof (unrolled factor Fr R0 (fun t => ‖z t ⊖ best‖²) _ one_round) as U. cbv beta in U.
  rewrite !discounted_add, !discounted_scale in U.
  assert (E0 : ‖z 0%nat ⊖ best‖² = ‖w 0%nat ⊖ best‖²).
  { apply same_norm. intros y. rewrite !dot_add_l, (nothing_owed_first reports R0 y). reflexivity. }
  assert (ER : ‖z R0 ⊖ best‖² = ‖w R0 ⊖ best‖²).
  { apply same_norm. intros y. rewrite !dot_add_l, (nothing_owed_last reports R0 y). reflexivity. }
  rewrite E0, ER, <- (discounted_scale factor R0 L) in U. eapply Rle_trans; [exact U|].
  pose proof reaches_small as Re. pose proof noise_small as No.
  pose proof (discounted_ones factor Fr R0) as One. fold (total (fun _ => 1)) in One.
  pose proof (discounted_pos factor Fr R0 (fun _ => 1) ltac:(intros; lra)) as Pone.
  set (one := total (fun _ => 1)) in *. set (n := total B) in *. set (G := total gap) in *.
  set (r := total (fun t => L * reach t)) in *.
  assert (PG : 0 <= h * G).
  { assert (0 <= G); [|pos]. apply discounted_pos; [assumption|]. intros. apply (gap_pos run best plain optimal). }
  assert (Pn : 0 <= n).
  { apply discounted_pos; [assumption|]. intros. apply (Charging.B_pos reports R0 _ within). }
  assert (One2 : h * one <= 4 / (3 * mu)).
  { apply (Rmult_le_reg_r (3 / 4 * mu)); [lra|]. replace (4 / (3 * mu) * (3 / 4 * mu)) with 1 by (field; lra).
    unfold factor in One. lra. }
  pose proof (q_range run) as Hq. pose proof (spread_pos (p := p) best) as Psp.
  assert (Psn : 0 <= q * sigma ^ 2 / INR K).
  { unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|]. left. now apply Rinv_0_lt_compat. }
  assert (Pqs : 0 <= q ^ 2 * spread) by (apply Rmult_le_pos; [apply pow2_ge_0|assumption]).
  set (Y := 11 * (q ^ 2 * spread) + 7 * (q * sigma ^ 2 / INR K)).
  assert (DY : 54 / 25 * (1000 / 912) * drift * (4 / 3) <= Y) by (unfold local_noise, Y; lra).
  assert (Pd : 0 <= drift) by (unfold local_noise; lra).
  assert (Main : - (59 / 50) * (h * G) + 54 / 25 * (h * r) + 2 * n <= 9 / 2 * n
    + 54 / 25 * (1000 / 912) * (h ^ 3 * L * drift * one)) by lra.
  eapply Rle_trans; [apply Rplus_le_compat_l; exact Main|]. rewrite (Rplus_assoc (factor ^ R0 * _)).
  apply Rplus_le_compat_l. apply Rplus_le_compat.
  - set (c := v / INR N * h * (INR tau + 1)).
    assert (Pc : 0 <= c).
    { unfold c, Rdiv. pose proof (pos_INR tau). apply Rmult_le_pos; [|lra]. apply Rmult_le_pos; [|lra].
      apply Rmult_le_pos; [apply Rmult_le_pos; [apply pow2_ge_0|]|]; left; now apply Rinv_0_lt_compat. }
    apply Rle_trans with (9 / 2 * (c * (h * one))); [unfold c; lra|].
    apply (Rmult_le_compat_l c) in One2; [|assumption].
    apply Rle_trans with (9 / 2 * (c * (4 / (3 * mu)))); [lra|]. right. unfold c. field. lra.
  - apply Rle_trans with (54 / 25 * (1000 / 912) * (h ^ 2 * L * drift * (4 / (3 * mu)))).
    + apply Rmult_le_compat_l; [lra|]. replace (h ^ 3 * L * drift * one) with (h ^ 2 * L * drift * (h * one)) by ring.
      apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; [apply
        pow2_ge_0|lra].
    + replace (54 / 25 * (1000 / 912) * (h ^ 2 * L * drift * (4 / (3 * mu)))) with
        (L / mu * h ^ 2 * (54 / 25 * (1000 / 912) * drift * (4 / 3))) by (field; lra).
      apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [|apply pow2_ge_0].
      unfold Rdiv. apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat.
Qed.
End ConstantStep.

(** ** In expectation, in the words of the ledger *)
Section Expected.
Context (P : Law) {X : Space} (p : Problem X) (run : Mifa (expected P p)) (R tau : nat) (mu eta : Rdefinitions.R)
  (best : X).
Notation K := (local_steps run).
Notation N := (clients p).
Notation L := (smoothness p).
Hypothesis fair : fair_noise P (drawn run) before (noise_at run) (server run 0%nat).
Hypothesis losses : convex_losses p mu.
Hypothesis optimal : same (∇ p best) zero.
(** A loss is not more convex than smooth, unless the space has no extent. *)
Hypothesis mu_range : 0 < mu <= L.
Hypothesis constant : forall t, local_step run t = eta.
Hypothesis aged : age_at_most (as_reports run) tau.

Definition last_squared_distance : Rdefinitions.R := expect P (fun w => ‖server run R w ⊖ best‖²).

Theorem theorem5_1_constant_step :
  mifa_thm5_1_constant_step_condition_step (local_step_size := eta) (local_steps := INR K) (smoothness := L) ->
  mifa_thm5_1_constant_step_condition_stale (local_step_size := eta) (local_steps := INR K) (max_staleness := INR tau)
    (smoothness := L) ->
  last_squared_distance <=
  mifa_thm5_1_constant_step_right (dissimilarity_at_optimum := spread_at_best p best)
    (gradient_noise := noise_bound run) (initial_distance := distance_of_start P p run best) (local_step_size := eta)
    (local_steps := INR K) (max_staleness := INR tau) (num_clients := INR N) (num_rounds := INR R) (smoothness := L)
    (strong_convexity := mu).
Proof.
  unfold mifa_thm5_1_constant_step_condition_step, mifa_thm5_1_constant_step_condition_stale. intros C1 C2.
  assert (Fix : forall d, drawn run d -> ⟨noise_at run d, always best⟩ = 0).
  { intros d Dr. destruct fair as [label Fair]. destruct (Fair d Dr) as [F _].
    apply (fair_orthogonal P (label d)); [assumption|]. intros v w _ _ _. reflexivity. }
  assert (Opt : same (∇ (expected P p) (always (P := P) best)) zero).
  { intros Y. rewrite (expected_gradient P p (always best)). simpl. apply (expect_ext P). intros w. apply optimal. }
  pose proof (mifa_constant_step run (always best) mu eta (fair_unbiased P p _ _ _ _ fair)
    (convex_losses_expected P p mu losses) Opt Fix mu_range constant R tau aged) as B.
  change (smoothness (expected P p)) with L in B. change (clients (expected P p)) with N in B.
  specialize (B ltac:(lra) ltac:(lra)).
  assert (D0 : distance_of_start P p run best ^ 2 = ‖server run 0%nat ⊖ always best‖²).
  { unfold distance_of_start. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. rewrite <- (expect_const P 0).
    apply expect_le. intros w. apply dot_pos. }
  assert (Sp : spread (p := expected P p) (always best) = spread_at_best p best).
  { apply avg_ext. intros i _. simpl. unfold always. apply expect_const. }
  rewrite Sp, <- D0 in B. unfold last_squared_distance, mifa_thm5_1_constant_step_right. rewrite power_nat.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK. destruct mu_range as [Pm _].
  eapply Rle_trans; [exact B|]. unfold factor, q.
  replace (1 - 3 / 4 * (INR K * eta * mu)) with (1 - 3 * eta * INR K * mu / 4) by field. right. field. lra.
Qed.
End Expected.
