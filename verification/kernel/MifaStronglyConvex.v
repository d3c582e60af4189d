(** * MIFA on strongly convex losses (Theorem 5.1 in a right form)

    The run is that of Mifa.v with the steps of the paper, K eta_t = 4 / (mu s_t), s_t = t + 1 + a in
    round t = 0, 1, ... The losses are L-smooth and mu-strongly convex, x* is the optimum, d_0 = x_0 - x*,
    D = mean |grad f_i (x star)|^2, q = (K - 1)/K. Let a >= 100 L/mu, and let nobody's remembered update
    be older than s_t mu / (40 L) in round t; so staleness may grow with time. For the weighted mean wbar
    of the T = R + 1 models with weights (s_t - 1)(s_t - 2), [mifa_strongly_convex]: f (wbar) - f (x star)
    is at most

      (23/100) mu a^2 |d_0|^2 / T^2 + 102 (2 taubar + 1) sigma^2 / (mu N K (T + a))
      + L (750 q^2 D + 500 q sigma^2 / K) / (mu^2 T^2).

    No term with the largest staleness is left; with K = 1 none with D. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import LocalWork Charging Mifa Convex MifaConvex.
Open Scope R_scope.

(** ** Windows that grow with time *)
(** The number of t < n after k with y (t - k) <= z is at most z / y. *)
Definition follows (y z : R) (k t : nat) : R :=
  if (k <? t)%nat then if Rle_dec (y * INR (t - k)) z then 1 else 0 else 0.

Lemma follows_range y z k t : 0 <= follows y z k t <= 1.
Proof. unfold follows. destruct (k <? t)%nat; [destruct (Rle_dec _ _)|]; lra. Qed.

Lemma follows_count y z k n : 0 <= y -> 0 <= z -> y * sum n (follows y z k) <= z.
Proof.
  intros Py Pz. assert (A : y * sum n (follows y z k) <= z /\ sum n (follows y z k) <= INR (n - 1 - k)); [|apply A].
  induction n as [|n [IH1 IH2]]; [simpl; lra|]. cbn [sum]. unfold follows at 2 4.
  destruct (Nat.ltb_spec k n) as [Hk|Hk].
  - replace (S n - 1 - k)%nat with (S (n - 1 - k)) by lia. rewrite S_INR.
    destruct (Rle_dec (y * INR (n - k)) z) as [Near|_]; [|split; [lra|pose proof (pos_INR (n - 1 - k)); lra]].
    split; [|lra]. replace (n - k)%nat with (S (n - 1 - k)) in Near by lia. rewrite S_INR in Near.
    apply (Rmult_le_compat_l y) in IH2; lra.
  - rewrite !Rplus_0_r. split; [assumption|]. replace (S n - 1 - k)%nat with (n - 1 - k)%nat by lia. assumption.
Qed.

(** Reversed sums. *)
Lemma sum_reverse d f : sum d (fun j => f (d - S j)%nat) = sum d f.
Proof.
  induction d; [reflexivity|]. rewrite sum_first. cbn [sum].
  replace (S d - 1)%nat with d by lia. rewrite (sum_ext d _ (fun j => f (d - S j)%nat)) by (intros; f_equal; lia).
  rewrite IHd. ring.
Qed.

Lemma sum_backwards f t d : (d <= t)%nat -> sum d (fun j => f (t - S j)%nat) = sum d (fun k => f (t - d + k)%nat).
Proof.
  intros Hd. rewrite <- (sum_reverse d (fun k => f (t - d + k)%nat)). apply sum_ext. intros j Hj. f_equal. lia.
Qed.

(** A sum over the rounds from p to t - 1, as a sum over all rounds before t with a weight. *)
Lemma sum_since f (seen : nat -> R) t d : (d <= t)%nat -> (forall k, 0 <= f k) -> (forall k, 0 <= seen k) ->
  (forall k, (t - d <= k < t)%nat -> seen k = 1) ->
  sum d (fun j => f (t - S j)%nat) <= sum t (fun k => seen k * f k).
Proof.
  intros Hd Pf Ps S1. rewrite sum_backwards by assumption. set (p := (t - d)%nat) in *.
  replace t with (p + d)%nat by (unfold p; lia). rewrite sum_split.
  assert (0 <= sum p (fun k => seen k * f k)) by (apply sum_pos; intros; apply Rmult_le_pos; auto).
  rewrite (sum_ext d (fun k => seen (p + k)%nat * f (p + k)%nat) (fun k => f (p + k)%nat)); [lra|].
  intros k Hk. rewrite S1 by (unfold p in *; lia). ring.
Qed.

Section StronglyConvex.
Context {H : Space} {p : Problem H} (run : Mifa p) (best : H) (mu a : R).
Notation N := (clients p).
Notation L := (smoothness p).
Notation K := (local_steps run).
Notation sigma := (noise_bound run).
Notation w := (server run).
Notation reports := (as_reports run).
Notation q := (q run).
Notation h := (round_step run).

(** Time on the clock of the step sizes. *)
Definition s (t : nat) : R := INR t + 1 + a.

Hypothesis fair : unbiased_noise run.
Hypothesis losses : convex_losses p mu.
Hypothesis optimal : same (∇ p best) zero.
Hypothesis fixed_best : forall d, drawn run d -> ⟨noise_at run d, best⟩ = 0.
Hypothesis mu_pos : 0 < mu.
Hypothesis mu_below : mu <= L.
Hypothesis steps : forall t, h t = 4 / (mu * s t).
Hypothesis offset : 100 * L <= mu * a.
Hypothesis slow : forall t i, (i < N)%nat -> 40 * L * INR (t - latest run t i) <= mu * s t.
Variable R0 : nat.

Notation z := (z reports R0).
Notation D := (direction reports).
Notation charge := (charge reports R0).
Notation v := (sigma ^ 2 / INR K).
Notation B := (B reports R0 v).
Notation within := (reports_within run fair).
Notation gap := (gap run best R0).
Notation reach := (reach run R0).
Notation spread := (spread (p := p) best).

Let plain : convex_losses p 0 := fun i Hi => losses_plain p mu losses (Rlt_le _ _ mu_pos) i Hi.

Lemma L_pos : 0 < L.
Proof. lra. Qed.

Lemma a_large : 100 <= a.
Proof. apply (Rmult_le_reg_l mu); [assumption|]. lra. Qed.

Lemma s_large t : 101 <= s t.
Proof. unfold s. pose proof a_large. pose proof (pos_INR t). lra. Qed.

Lemma s_next t : s (S t) = s t + 1.
Proof. unfold s. rewrite S_INR. ring. Qed.

Lemma s_later k t : (k <= t)%nat -> s t = s k + INR (t - k).
Proof. intros Hk. unfold s. rewrite minus_INR by assumption. ring. Qed.

Lemma h_pos t : 0 < h t.
Proof. apply round_step_pos. Qed.

Lemma mu_s_h t : mu * s t * h t = 4.
Proof. rewrite steps. pose proof (s_large t). field. lra. Qed.

Lemma hL_small t : 25 * (h t * L) <= 1.
Proof.
  pose proof (mu_s_h t) as E. pose proof (h_pos t). pose proof (pos_INR t).
  assert (A : 100 * L <= mu * s t) by (unfold s; assert (0 <= mu * (INR t + 1)) by (apply Rmult_le_pos; lra); lra).
  apply (Rmult_le_compat_r (h t)) in A; lra.
Qed.

(** ** One round *)
Lemma strong_gap t : mu / 2 * ‖z t ⊖ best‖² <= gap t.
Proof.
  pose proof (global_convex p mu losses (z t) best) as C. rewrite (optimal (z t ⊖ best)), dot_zero_l in C.
  unfold MifaConvex.gap. lra.
Qed.

Lemma towards_best t : -2 * ⟨D t, z t ⊖ best⟩ <=
  - (3 / 2) * gap t - 3 / 4 * mu * ‖z t ⊖ best‖² + 2 * L * reach t.
Proof.
  rewrite (direction_is run t), <- avg_scale. set (x := ‖z t ⊖ best‖²).
  assert (A : avg N (fun i => -2 * avg K (fun k => ⟨∇i p i (local run (latest run t i) i k), z t ⊖ best⟩))
    <= avg N (fun i => -2 * (loss p i (z t) + -1 * loss p i best) + - (mu / 2 * x)
        + (L + mu) * avg K (fun k => ‖z t ⊖ local run (latest run t i) i k‖²))).
  { apply avg_le. intros i Hi. rewrite <- avg_scale.
    rewrite <- (avg_const K (-2 * (loss p i (z t) + -1 * loss p i best) + - (mu / 2 * x)) (some_step run)).
    rewrite <- avg_scale, <- avg_add. apply avg_le. intros k Hk. set (y := local run (latest run t i) i k).
    pose proof (client_three_points p mu losses i best y (z t) Hi) as T.
    assert (X : x <= 2 * (‖z t ⊖ y‖² + ‖y ⊖ best‖²)).
    { unfold x. rewrite (same_norm _ ((z t ⊖ y) ⊕ (y ⊖ best))) by vectors. apply norm_add2. }
    apply (Rmult_le_compat_l (mu / 2)) in X; lra. }
  eapply Rle_trans; [exact A|]. rewrite !avg_add, !avg_scale, avg_add, avg_scale, avg_const by apply some_client.
  fold (reach t). pose proof (strong_gap t) as G. fold x in G.
  pose proof (reach_pos run R0 t) as Pr.
  assert (0 <= (L - mu) * reach t) by (apply Rmult_le_pos; lra).
  assert (E : avg N (fun i => loss p i (z t)) + -1 * avg N (fun i => loss p i best) = gap t)
    by (unfold MifaConvex.gap, global, average; ring).
  rewrite E. change (avg N (fun i => avg K (fun k => ‖z t ⊖ local run (latest run t i) i k‖²))) with (reach t).
  lra.
Qed.

Lemma one_round t : (t < R0)%nat -> ‖z (S t) ⊖ best‖² <= (1 - 3 / s t) * ‖z t ⊖ best‖²
  - 59 / 50 * h t * gap t + 54 / 25 * h t * (L * reach t) + 2 * B t.
Proof.
  intros Ht. pose proof (h_pos t) as Ph. pose proof L_pos as PL. pose proof (hL_small t) as Small.
  set (d := h t ⊙ D t ⊕ charge t).
  assert (E : same (z (S t) ⊖ best) ((z t ⊖ best) ⊕ (-1) ⊙ d)).
  { intros y. pose proof (charged_step reports R0 t Ht y) as C. simpl step in C. revert C. unfold d.
    rewrite !dot_add_l, !dot_scale_l, !dot_add_l, !dot_scale_l. intros. lra. }
  rewrite (same_norm _ _ E), norm_add, square_scale, dot_scale_r.
  assert (Z : ⟨charge t, z t ⊖ best⟩ = 0).
  { rewrite dot_add_r, dot_scale_r, (charge_meets_best run best fixed_best R0 t).
    rewrite (charge_orthogonal reports R0 (reports_fresh run fair) t (z t)) by (apply older_z; lia). ring. }
  assert (X : ⟨z t ⊖ best, d⟩ = h t * ⟨D t, z t ⊖ best⟩).
  { rewrite dot_sym. unfold d. rewrite dot_add_l, dot_scale_l, Z. ring. }
  rewrite X. pose proof (towards_best t) as T. pose proof (direction_square run best plain optimal R0 t) as Sq.
  assert (D2 : ‖d‖² <= 2 * (h t ^ 2 * ‖D t‖² + B t)).
  { unfold d. eapply Rle_trans; [apply norm_add2|]. rewrite square_scale.
    pose proof (charge_small reports R0 (reports_fresh run fair) _ (reports_separate run fair) within t). lra. }
  apply (Rmult_le_compat_l (h t)) in T; [|lra].
  apply (Rmult_le_compat_l (2 * h t ^ 2)) in Sq; [|pose proof (pow2_ge_0 (h t)); lra].
  assert (E3 : 3 / s t = 3 / 4 * (h t * mu)) by (rewrite steps; pose proof (s_large t); field; lra).
  rewrite E3. pose proof (gap_pos run best plain optimal R0 t). pose proof (reach_pos run R0 t).
  assert (0 <= (8 / 25 - 8 * (h t * L)) * (h t * gap t)) by (apply Rmult_le_pos; [lra|pos]).
  assert (0 <= (4 / 25 - 4 * (h t * L)) * (h t * (L * reach t))) by (apply Rmult_le_pos; [lra|pos]). lra.
Qed.

Lemma last_round : 48 / 25 * h R0 * gap R0 <= (1 - 3 / s R0) * ‖z R0 ⊖ best‖².
Proof.
  pose proof (h_pos R0) as Ph. set (g := ∇ p (z R0)). set (x := z R0 ⊖ best).
  pose proof (dot_pos (x ⊖ h R0 ⊙ g)) as Q. rewrite norm_sub, dot_scale_r, square_scale in Q.
  pose proof (global_convex p mu losses best (z R0)) as C. fold g in C.
  assert (E : ⟨g, best ⊖ z R0⟩ = - ⟨x, g⟩).
  { rewrite (dot_sym x). unfold x. rewrite !dot_add_r, !dot_scale_r. ring. }
  rewrite E, (norm_sub_sym best) in C. fold x in C.
  assert (E2 : ‖g‖² <= 2 * L * gap R0).
  { pose proof (co_coercive L (global p) (∇ p) best (z R0) (smoothness_pos p) (global_smooth p)
      (global_convex p 0 plain)) as G. rewrite (optimal (z R0 ⊖ best)), dot_zero_l in G. fold g in G.
    rewrite norm_sub, (dot_sym g (∇ p best)), (optimal g), (same_norm _ _ optimal), !dot_zero_l in G.
    unfold MifaConvex.gap. lra. }
  assert (G : gap R0 + mu / 2 * ‖x‖² <= ⟨x, g⟩) by (unfold MifaConvex.gap; lra).
  apply (Rmult_le_compat_l (h R0 ^ 2)) in E2; [|apply pow2_ge_0]. apply (Rmult_le_compat_l (2 * h R0)) in G; [|lra].
  assert (E3 : 3 / s R0 = 3 / 4 * (h R0 * mu)) by (rewrite steps; pose proof (s_large R0); field; lra).
  rewrite E3. pose proof (dot_pos x). pose proof (gap_pos run best plain optimal R0 R0) as Pg.
  pose proof (hL_small R0). assert (0 <= (2 / 25 - 2 * (h R0 * L)) * (h R0 * gap R0)) by (apply Rmult_le_pos;
    [lra|pos]).
  assert (0 <= h R0 * mu * ‖x‖²) by pos. lra.
Qed.

(** ** Weights *)
Definition weight t : R := (s t - 1) * (s t - 2).
Definition cubic (x : R) : R := x * (x - 1) * (x - 2).
(** c_t = s_t (s_t - 1) (s_t - 2), and c_t h_t = 4 weight / mu. *)
Definition c t : R := cubic (s t).

Lemma weight_pos t : 0 < weight t.
Proof. pose proof (s_large t). unfold weight. apply Rmult_lt_0_compat; lra. Qed.

Lemma c_pos t : 0 < c t.
Proof. pose proof (s_large t). unfold c, cubic. repeat apply Rmult_lt_0_compat; lra. Qed.

Lemma c_h t : c t * h t = 4 / mu * weight t.
Proof. rewrite steps. pose proof (s_large t). unfold c, cubic, weight. field. lra. Qed.

Lemma c_before t : c t * (1 - 3 / s t) = cubic (s t - 1).
Proof. pose proof (s_large t). unfold c, cubic. field. lra. Qed.

Definition total (f : nat -> R) : R := sum R0 (fun t => weight t * f t).
Definition noise : R := sum R0 (fun t => c t * B t).

Lemma all_steps : 59 / 50 * (4 / mu) * (total gap + weight R0 * gap R0) <=
  cubic a * ‖w 0%nat ⊖ best‖² + 54 / 25 * (4 / mu) * total (fun t => L * reach t) + 2 * noise.
Proof.
  assert (A : forall n, (n <= R0)%nat -> cubic (s n - 1) * ‖z n ⊖ best‖² + 59 / 50 * (4 / mu) * sum n (fun t =>
    weight t * gap t)
     <= cubic a * ‖w 0%nat ⊖ best‖² + 54 / 25 * (4 / mu) * sum n (fun t => weight t * (L * reach t)) + 2 * sum n (fun
       t => c t * B t)).
  { induction n; intros Hn.
    - simpl sum. rewrite (same_norm (z 0%nat ⊖ best) (w 0%nat ⊖ best)).
      + replace (s 0 - 1) with a by (unfold s; simpl; ring). lra.
      + intros y. rewrite !dot_add_l, (nothing_owed_first reports R0 y). reflexivity.
    - specialize (IHn ltac:(lia)). pose proof (one_round n ltac:(lia)) as O. cbn [sum].
      apply (Rmult_le_compat_l (c n)) in O; [|left; apply c_pos].
      replace (s (S n) - 1) with (s n) by (rewrite s_next; ring). fold (c n).
      replace (c n * ((1 - 3 / s n) * ‖z n ⊖ best‖² - 59 / 50 * h n * gap n + 54 / 25 * h n * (L * reach n) + 2 * B n))
        with (c n * (1 - 3 / s n) * ‖z n ⊖ best‖² - 59 / 50 * (c n * h n) * gap n + 54 / 25 * (c n * h n) * (L *
          reach n)
              + 2 * (c n * B n)) in O by ring.
      rewrite c_before, c_h in O. lra. }
  specialize (A R0 (Nat.le_refl _)). pose proof last_round as La.
  apply (Rmult_le_compat_l (c R0)) in La; [|left; apply c_pos].
  replace (c R0 * (48 / 25 * h R0 * gap R0)) with (48 / 25 * (c R0 * h R0) * gap R0) in La by ring.
  replace (c R0 * ((1 - 3 / s R0) * ‖z R0 ⊖ best‖²)) with (c R0 * (1 - 3 / s R0) * ‖z R0 ⊖ best‖²) in La by ring.
  rewrite c_before, c_h in La. unfold total, noise.
  pose proof (gap_pos run best plain optimal R0 R0) as Pg. pose proof (weight_pos R0) as Pw.
  assert (0 <= 4 / mu * (weight R0 * gap R0)).
  { apply Rmult_le_pos; [unfold Rdiv; apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|pos]. }
  lra.
Qed.
(** ** Windows *)
(** [near b k t]: round t comes after round k, and within the time in which b times L per round stays
    below mu s_t. Reports are taken from rounds that are near with b = 40. *)
Definition near (b : R) (k t : nat) : R :=
  if (k <? t)%nat then if Rle_dec (b * L * INR (t - k)) (mu * s t) then 1 else 0 else 0.

Lemma near_pos b k t : 0 <= near b k t.
Proof. unfold near. destruct (k <? t)%nat; [destruct (Rle_dec _ _)|]; lra. Qed.

Lemma near_is b k t : (k < t)%nat -> b * L * INR (t - k) <= mu * s t -> near b k t = 1.
Proof.
  intros Hk E. unfold near. destruct (Nat.ltb_spec k t); [|lia]. destruct (Rle_dec _ _); [reflexivity|contradiction].
Qed.

Lemma near_one b k t : near b k t <> 0 -> near b k t = 1 /\ (k < t)%nat /\ b * L * INR (t - k) <= mu * s t.
Proof.
  unfold near. destruct (Nat.ltb_spec k t); [|lra]. destruct (Rle_dec _ _); [|lra]. intros _. auto.
Qed.

(** In such a round time has hardly grown since round k. *)
Lemma near_time b k t : 1 < b -> near b k t <> 0 -> (k < t)%nat /\ (b - 1) * L * INR (t - k) <= mu * s k.
Proof.
  intros Hb E. unfold near in E. destruct (Nat.ltb_spec k t) as [Hk|]; [|lra].
  destruct (Rle_dec _ _) as [Q|]; [|lra]. split; [assumption|]. rewrite (s_later k t ltac:(lia)) in Q.
  pose proof (pos_INR (t - k)). assert (mu * INR (t - k) <= L * INR (t - k)) by (apply Rmult_le_compat_r; lra). lra.
Qed.

Lemma near_follows b k t : 1 < b -> near b k t <= follows ((b - 1) * L) (mu * s k) k t.
Proof.
  intros Hb. pose proof (follows_range ((b - 1) * L) (mu * s k) k t) as F.
  destruct (Req_dec (near b k t) 0) as [->|Ne]; [lra|]. destruct (near_time b k t Hb Ne) as [Hk Q].
  unfold follows. destruct (Nat.ltb_spec k t); [|lia]. destruct (Rle_dec _ _); [|contradiction].
  unfold near. destruct (Nat.ltb_spec k t); [destruct (Rle_dec _ _)|]; lra.
Qed.

(** L h_k times the number of rounds near round k is at most 4 / (b - 1). *)
Lemma near_count b k n : 1 < b -> (b - 1) * (L * h k) * sum n (near b k) <= 4.
Proof.
  intros Hb. pose proof L_pos as PL. pose proof (h_pos k) as Ph. pose proof (mu_s_h k) as E. pose proof (s_large k).
  assert (F : (b - 1) * L * sum n (follows ((b - 1) * L) (mu * s k) k) <= mu * s k).
  { apply follows_count; [apply Rmult_le_pos; lra|apply Rmult_le_pos; lra]. }
  assert (G : sum n (near b k) <= sum n (follows ((b - 1) * L) (mu * s k) k)) by (apply sum_le; intros;
    now apply near_follows).
  apply (Rmult_le_compat_l ((b - 1) * (L * h k))) in G; [|apply Rmult_le_pos; [lra|pos]].
  apply (Rmult_le_compat_r (h k)) in F; [|lra]. lra.
Qed.

Lemma near_weight_40 k t : near 40 k t <> 0 -> weight t <= 10531 / 10000 * weight k.
Proof.
  intros E. destruct (near_time 40 k t ltac:(lra) E) as [Hk Q]. pose proof (s_large k) as Sk. pose proof (s_large t).
  rewrite (s_later k t ltac:(lia)) in *. set (d := INR (t - k)) in *. pose proof L_pos.
  assert (39 * d <= s k).
  { apply (Rmult_le_reg_l L); [assumption|]. assert (mu * s k <= L * s k) by (apply Rmult_le_compat_r; lra). lra. }
  assert (0 <= d) by apply pos_INR. unfold weight. rewrite (s_later k t ltac:(lia)). fold d.
  apply Rle_trans with (10262 / 10000 * (s k - 1) * (10262 / 10000 * (s k - 2))).
  - apply Rmult_le_compat; lra.
  - assert (0 <= (s k - 1) * (s k - 2)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma near_weight_20 k t : near 20 k t <> 0 -> weight t <= 11106 / 10000 * weight k.
Proof.
  intros E. destruct (near_time 20 k t ltac:(lra) E) as [Hk Q]. pose proof (s_large k) as Sk. pose proof (s_large t).
  rewrite (s_later k t ltac:(lia)) in *. set (d := INR (t - k)) in *. pose proof L_pos.
  assert (19 * d <= s k).
  { apply (Rmult_le_reg_l L); [assumption|]. assert (mu * s k <= L * s k) by (apply Rmult_le_compat_r; lra). lra. }
  assert (0 <= d) by apply pos_INR. unfold weight. rewrite (s_later k t ltac:(lia)). fold d.
  apply Rle_trans with (10538 / 10000 * (s k - 1) * (10538 / 10000 * (s k - 2))).
  - apply Rmult_le_compat; lra.
  - assert (0 <= (s k - 1) * (s k - 2)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** What the rounds near round k see of f (k), summed with weights. *)
Lemma window_total b r f : 1 < b -> 0 <= r -> (forall k t, near b k t <> 0 -> weight t <= r * weight k) ->
  (forall k, 0 <= f k) -> 4 / mu * (L * total (fun t => sum t (fun k => near b k t * f k)))
  <= 4 * r / (b - 1) * sum R0 (fun k => c k * f k).
Proof.
  intros Hb Hr Ratio Pf. pose proof L_pos as PL.
  assert (P4 : 0 < 4 / mu) by (unfold Rdiv; apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
  assert (A : total (fun t => sum t (fun k => near b k t * f k)) <= sum R0 (fun k => r * weight k * f k * sum R0
    (near b k))).
  { unfold total. apply Rle_trans with (sum R0 (fun t => sum R0 (fun k => r * weight k * f k * near b k t))).
    - apply sum_le. intros t Ht. rewrite <- sum_scale.
      apply Rle_trans with (sum t (fun k => r * weight k * f k * near b k t)).
      + apply sum_le. intros k Hk. pose proof (near_pos b k t) as Pn. specialize (Pf k).
        destruct (Req_dec (near b k t) 0) as [->|Ne]; [lra|]. specialize (Ratio k t Ne).
        assert (P : 0 <= near b k t * f k) by pos. apply (Rmult_le_compat_r _ _ _ P) in Ratio. lra.
      + apply sum_le_longer; [lia|]. intros k Hk. pose proof (weight_pos k). specialize (Pf k).
      pose proof (near_pos b k t).
        apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]|assumption].
    - rewrite sum_swap. right. apply sum_ext. intros k _. now rewrite sum_scale. }
  apply (Rmult_le_compat_l (4 / mu * L)) in A; [|apply Rmult_le_pos; lra].
  apply Rle_trans with (4 / mu * L * sum R0 (fun k => r * weight k * f k * sum R0 (near b k))); [lra|].
  rewrite <- !sum_scale. apply sum_le. intros k Hk. pose proof (near_count b k R0 Hb) as Q.
  specialize (Pf k). pose proof (c_pos k) as Pc. pose proof (c_h k) as Ch.
  replace (4 / mu * L * (r * weight k * f k * sum R0 (near b k)))
    with (r * f k * (L * (4 / mu * weight k) * sum R0 (near b k))) by ring.
  rewrite <- Ch. apply (Rmult_le_reg_l (b - 1)); [lra|].
  replace ((b - 1) * (4 * r / (b - 1) * (c k * f k))) with (r * f k * c k * 4) by (field; lra).
  replace ((b - 1) * (r * f k * (L * (c k * h k) * sum R0 (near b k))))
    with (r * f k * c k * ((b - 1) * (L * h k) * sum R0 (near b k))) by ring.
  apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [apply Rmult_le_pos; assumption|lra].
Qed.

Lemma B_pos t : 0 <= B t.
Proof. apply (Charging.B_pos reports R0 v within). Qed.

Lemma last_near t i : (i < N)%nat -> (latest run t i < t)%nat -> near 40 (latest run t i) t = 1.
Proof. intros Hi Hl. apply near_is; [assumption|]. now apply slow. Qed.

Lemma owed_near t : (t <= R0)%nat -> ‖owed reports R0 t‖² <= sum t (fun k => near 40 k t * B k).
Proof.
  intros Ht. apply (owed_in reports R0 (reports_fresh run fair) v (reports_separate run fair) within); [assumption| |].
  - intros. apply near_pos.
  - intros i Hi Hl. now apply last_near.
Qed.

(** ** How far the gradients were taken from the virtual model *)
Definition apart t : R := avg N (fun i => ‖z t ⊖ w (latest run t i)‖²).
Definition drift_part : R := 3 / 2 * (q ^ 2 * spread) + q * sigma ^ 2 / INR K.

Lemma h_before t i : (i < N)%nat -> h (latest run t i) <= 40 / 39 * h t.
Proof.
  intros Hi. pose proof (last_le reports t i Hi) as Hl. simpl in Hl. pose proof (slow t i Hi) as Q.
  rewrite !steps. pose proof (s_large t) as St. pose proof (s_large (latest run t i)) as Sp. pose proof L_pos.
  pose proof (s_later (latest run t i) t Hl) as E. set (d := INR (t - latest run t i)) in *.
  assert (40 * d <= s t).
  { apply (Rmult_le_reg_l L); [assumption|]. assert (mu * s t <= L * s t) by (apply Rmult_le_compat_r; lra). lra. }
  set (p0 := s (latest run t i)) in *.
  apply (Rmult_le_reg_r (mu * p0 * s t)); [repeat apply Rmult_lt_0_compat; lra|].
  replace (4 / (mu * p0) * (mu * p0 * s t)) with (4 * s t) by (field; lra).
  replace (40 / 39 * (4 / (mu * s t)) * (mu * p0 * s t)) with (160 / 39 * p0) by (field; lra). lra.
Qed.

Lemma reach_small t : L * reach t <= (2 + 300 / 13689) * (L * apart t) + 600 / 13689 * gap t
  + h t ^ 2 * L * (62500 / 27378 * drift_part).
Proof.
  pose proof L_pos as PL. pose proof (h_pos t) as Ph. pose proof (q_range run) as Hq. pose proof (hL_small t) as Small.
  set (cc := 625 / 576 * (40 / 39 * h t) ^ 2).
  assert (Pc : 0 <= cc) by (unfold cc; pose proof (pow2_ge_0 (40 / 39 * h t)); lra).
  assert (Q2 : 0 <= q ^ 2 <= 1) by (split; [apply pow2_ge_0|rewrite <- (pow1 2); apply pow_incr; lra]).
  assert (CL : cc * L ^ 2 <= 25 / 13689).
  { unfold cc. assert ((h t * L) ^ 2 <= (1 / 25) ^ 2) by (apply pow_incr; split; [pos|lra]). lra. }
  assert (Pa : 0 <= apart t) by (apply avg_pos; intros; apply dot_pos).
  pose proof (gap_pos run best plain optimal R0 t) as Pgap.
  set (e := avg N (fun i => ‖∇i p i (z t) ⊖ ∇i p i best‖²)).
  assert (He : e <= 2 * L * gap t) by (apply (mean_co_coercive p 0 plain ltac:(lra)); assumption).
  assert (Pe : 0 <= e) by (apply avg_pos; intros; apply dot_pos).
  assert (Psn : 0 <= q * sigma ^ 2 / INR K).
  { unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|]. left.
  apply Rinv_0_lt_compat, lt_0_INR, some_step. }
  assert (A : reach t <= 2 * apart t + 2 * cc * (q ^ 2 * (6 * L ^ 2 * apart t + 6 * e + 3 / 2 * spread) + q * sigma ^
    2 / INR K)).
  { apply Rle_trans with (avg N (fun i => 2 * ‖z t ⊖ w (latest run t i)‖²
      + 2 * cc * (q ^ 2 * (6 * L ^ 2 * ‖z t ⊖ w (latest run t i)‖² + 6 * ‖∇i p i (z t) ⊖ ∇i p i best‖²
                          + 3 / 2 * ‖∇i p i best‖²) + q * sigma ^ 2 / INR K))).
    - apply avg_le. intros i Hi. set (u := latest run t i).
      assert (G : ‖∇i p i (w u)‖² <= 6 * L ^ 2 * ‖z t ⊖ w u‖² + 6 * ‖∇i p i (z t) ⊖ ∇i p i best‖² + 3 / 2 * ‖∇i p i
        best‖²).
      { rewrite (same_norm _ (((∇i p i (w u) ⊖ ∇i p i (z t)) ⊕ (∇i p i (z t) ⊖ ∇i p i best)) ⊕ ∇i p i best)) by vectors.
        pose proof (norm_add_young (1 / 2) ((∇i p i (w u) ⊖ ∇i p i (z t)) ⊕ (∇i p i (z t) ⊖ ∇i p i best)) (∇i p i
          best) ltac:(lra)) as Y.
        pose proof (norm_add2 (∇i p i (w u) ⊖ ∇i p i (z t)) (∇i p i (z t) ⊖ ∇i p i best)) as Y2.
        pose proof (client_lipschitz p i (w u) (z t) Hi) as Lip. rewrite (norm_sub_sym (w u)) in Lip.
        replace (1 + / (1 / 2)) with 3 in Y by field. lra. }
      pose proof (path_distance run fair u i Hi (hL_small u)) as Pd.
      assert (Hc : 625 / 576 * h u ^ 2 <= cc).
      { unfold cc. apply Rmult_le_compat_l; [lra|]. apply pow_incr. split; [left; apply h_pos|now apply h_before]. }
      assert (Pin : 0 <= q ^ 2 * ‖∇i p i (w u)‖² + q * sigma ^ 2 / INR K).
      { apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [lra|apply dot_pos]|assumption]. }
      apply (Rmult_le_compat_r _ _ _ Pin) in Hc.
      apply Rle_trans with (avg K (fun k => 2 * ‖z t ⊖ w u‖² + 2 * ‖w u ⊖ local run u i k‖²)).
      + apply avg_le. intros k Hk.
        rewrite (same_norm _ ((z t ⊖ w u) ⊕ (w u ⊖ local run u i k))) by vectors. apply Rle_trans with
          (2 * (‖z t ⊖ w u‖² + ‖w u ⊖ local run u i k‖²)); [apply norm_add2|lra].
      + rewrite avg_add, !avg_scale, avg_const by apply some_step.
        assert (P3 : 0 <= cc * q ^ 2) by (apply Rmult_le_pos; [exact Pc|apply pow2_ge_0]).
        apply (Rmult_le_compat_l _ _ _ P3) in G. lra.
    - right. unfold apart, e, MifaConvex.spread. rewrite avg_add, avg_scale.
      rewrite (avg_ext N (fun i => 2 * cc * _) (fun i => 2 * cc * q ^ 2 * 6 * L ^ 2 * ‖z t ⊖ w (latest run t i)‖²
        + 2 * cc * q ^ 2 * 6 * ‖∇i p i (z t) ⊖ ∇i p i best‖² + 2 * cc * q ^ 2 * (3 / 2) * ‖∇i p i best‖²
        + 2 * cc * (q * sigma ^ 2 / INR K))) by (intros; ring).
      rewrite !avg_add, !avg_scale, (avg_const N _ (some_client p)). ring. }
  apply (Rmult_le_compat_l L) in A; [|lra].
  assert (T1 : 12 * (cc * L ^ 2) * (q ^ 2 * (L * apart t)) <= 12 * (25 / 13689) * (1 * (L * apart t))).
  { apply Rmult_le_compat; [pose proof (pow2_ge_0 L); pos|pos|lra|apply Rmult_le_compat_r; [pos|lra]]. }
  assert (T2 : 12 * cc * L * (q ^ 2 * e) <= 24 * (25 / 13689) * gap t).
  { apply Rle_trans with (12 * cc * L * (1 * (2 * L * gap t))).
    - apply Rmult_le_compat_l; [pos|]. apply Rmult_le_compat; lra.
    - apply (Rmult_le_compat_r (24 * gap t)) in CL; lra. }
  unfold drift_part. unfold cc in *. lra.
Qed.
Lemma apart_small t : (t <= R0)%nat -> L * apart t <= 2 * (L * sum t (fun k => near 20 k t * B k))
  + sum t (fun k => near 40 k t * (8 / 39 * h k * ‖D k‖²)).
Proof.
  intros Ht. pose proof L_pos as PL. unfold apart. rewrite <- avg_scale.
  apply avg_le_const; [apply some_client|]. intros i Hi. pose proof (last_le reports t i Hi) as Hl. simpl in Hl.
  pose proof (slow t i Hi) as Sl. pose proof (distance_parts reports R0 (reports_fresh run fair) v
    (reports_separate run fair) within t i Hi Ht) as Dist. simpl last in Dist. simpl step in Dist. simpl model in Dist.
  set (p0 := latest run t i) in *. set (d := (t - p0)%nat) in *.
  assert (Noise : ‖owed reports R0 p0‖² + sum d (fun j => B (t - S j)%nat) <= sum t (fun k => near 20 k t * B k)).
  { pose proof (owed_near p0 ltac:(lia)) as O. rewrite (sum_backwards B t d) by (unfold d; lia).
    replace (t - d)%nat with p0 by (unfold d; lia).
    assert (E : sum t (fun k => near 20 k t * B k) = sum p0 (fun k => near 20 k t * B k)
                + sum d (fun k => near 20 (p0 + k) t * B (p0 + k)%nat)).
    { rewrite <- sum_split. f_equal. unfold d. lia. }
    rewrite E. apply Rplus_le_compat.
    - eapply Rle_trans; [exact O|]. apply sum_le. intros k Hk. apply Rmult_le_compat_r; [apply B_pos|].
      pose proof (near_pos 20 k t). destruct (Req_dec (near 40 k p0) 0) as [->|Ne]; [assumption|].
      destruct (near_one 40 k p0 Ne) as (One & Hkp & Q). rewrite One, near_is; [lra|lia|].
      rewrite (s_later p0 t Hl) in Sl |- *. change (t - p0)%nat with d in Sl |- *.
      replace (INR (t - k)) with (INR (p0 - k) + INR d) by (rewrite <- plus_INR; f_equal; unfold d; lia).
      pose proof (pos_INR d). assert (0 <= mu * INR d) by (apply Rmult_le_pos; lra). lra.
    - apply sum_le. intros k Hk. rewrite near_is; [lra|unfold d in Hk; lia|].
      assert (INR (t - (p0 + k)) <= INR d) by (apply le_INR; unfold d; lia).
      apply (Rmult_le_compat_l (20 * L)) in H0; [|lra]. pose proof (pos_INR d).
      assert (0 <= 20 * L * INR d) by (apply Rmult_le_pos; lra). lra. }
  assert (Moved : L * (2 * ‖vsum d (fun j => h (t - S j)%nat ⊙ D (t - S j)%nat)‖²)
                  <= sum t (fun k => near 40 k t * (8 / 39 * h k * ‖D k‖²))).
  { pose proof (norm_vsum d (fun j => h (t - S j)%nat ⊙ D (t - S j)%nat)) as V.
    rewrite (sum_ext d _ (fun j => h (t - S j)%nat ^ 2 * ‖D (t - S j)%nat‖²)) in V by (intros; apply square_scale).
    assert (F : L * (2 * (INR d * sum d (fun j => h (t - S j)%nat ^ 2 * ‖D (t - S j)%nat‖²)))
                <= sum d (fun j => 8 / 39 * h (t - S j)%nat * ‖D (t - S j)%nat‖²)).
    { rewrite <- !sum_scale. apply sum_le. intros j Hj. set (k := (t - S j)%nat).
      assert (Hk : (p0 <= k < t)%nat) by (unfold k, d in *; lia). pose proof (h_pos k) as Phk.
      pose proof (mu_s_h k) as E. pose proof (dot_pos (D k)) as Pd.
      assert (Ld : 39 * (L * INR d) <= mu * s k).
      { rewrite (s_later k t ltac:(lia)) in Sl. assert (INR (t - k) <= INR d) by (apply le_INR; unfold d; lia).
        pose proof (pos_INR (t - k)). assert (mu * INR (t - k) <= L * INR d) by (apply Rmult_le_compat; lra). lra. }
      apply (Rmult_le_compat_r (h k)) in Ld; [|lra].
      assert (X : L * INR d * h k <= 4 / 39) by lra.
      assert (P : 0 <= 2 * h k * ‖D k‖²) by (apply Rmult_le_pos; lra).
      apply (Rmult_le_compat_r _ _ _ P) in X. lra. }
    apply Rle_trans with (sum d (fun j => 8 / 39 * h (t - S j)%nat * ‖D (t - S j)%nat‖²)).
    - eapply Rle_trans; [|exact F]. apply Rmult_le_compat_l; lra.
    - apply (sum_since (fun k => 8 / 39 * h k * ‖D k‖²)); [unfold d; lia| | |].
      + intros k. pose proof (h_pos k). pose proof (dot_pos (D k)). apply Rmult_le_pos; lra.
      + intros. apply near_pos.
      + intros k Hk. apply near_is; [unfold d in Hk; lia|].
        assert (Hd : INR (t - k) <= INR d) by (apply le_INR; unfold d; unfold d in Hk; lia).
        apply (Rmult_le_compat_l (40 * L)) in Hd; [|lra]. fold d in Sl. lra. }
  apply (Rmult_le_compat_l L) in Dist; [|lra]. apply (Rmult_le_compat_l (2 * L)) in Noise; [|lra]. lra.
Qed.

(** ** All rounds *)
Definition drifts : R := sum R0 (fun t => weight t * (h t ^ 2 * L * (62500 / 27378 * drift_part))).

Lemma total_le f g : (forall t, (t < R0)%nat -> f t <= g t) -> total f <= total g.
Proof. intros E. apply sum_le. intros t Ht. apply Rmult_le_compat_l; [left; apply weight_pos|auto]. Qed.

Lemma total_sum f g : total (fun t => f t + g t) = total f + total g.
Proof. unfold total. rewrite <- sum_add. apply sum_ext. intros; ring. Qed.

Lemma total_scale r f : total (fun t => r * f t) = r * total f.
Proof. unfold total. rewrite <- sum_scale. apply sum_ext. intros; ring. Qed.

Lemma reaches_small : let r := 4 / mu * total (fun t => L * reach t) in
  9104 / 10000 * r <= 9455 / 10000 * noise + 22303 / 100000 * (4 / mu * total gap) + 4 / mu * drifts.
Proof.
  intros r. pose proof L_pos as PL.
  assert (P4 : 0 < 4 / mu) by (unfold Rdiv; apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
  set (V := 4 / mu * total (fun t => L * apart t)). set (G := 4 / mu * total gap).
  assert (R1 : r <= (2 + 300 / 13689) * V + 600 / 13689 * G + 4 / mu * drifts).
  { pose proof (total_le (fun t => L * reach t) (fun t => ((2 + 300 / 13689) * (L * apart t) + 600 / 13689 * gap t)
      + h t ^ 2 * L * (62500 / 27378 * drift_part)) (fun t _ => reach_small t)) as T.
    rewrite !total_sum, (total_scale (2 + 300 / 13689)), (total_scale (600 / 13689)) in T.
    apply (Rmult_le_compat_l (4 / mu)) in T; [|lra].
    unfold r, V, G. change (total (fun t => h t ^ 2 * L * (62500 / 27378 * drift_part))) with drifts in T. lra. }
  set (E2 := sum R0 (fun k => c k * (8 / 39 * h k * ‖D k‖²))).
  assert (V1 : V <= 2 * (4 * (11106 / 10000) / (20 - 1) * noise)
                   + 4 / mu * total (fun t => sum t (fun k => near 40 k t * (8 / 39 * h k * ‖D k‖²)))).
  { pose proof (total_le (fun t => L * apart t) (fun t => 2 * (L * sum t (fun k => near 20 k t * B k))
      + sum t (fun k => near 40 k t * (8 / 39 * h k * ‖D k‖²))) (fun t Ht => apart_small t ltac:(lia))) as T.
    rewrite total_sum, (total_scale 2), (total_scale L (fun t => sum t _)) in T.
    apply (Rmult_le_compat_l (4 / mu)) in T; [|lra].
    pose proof (window_total 20 (11106 / 10000) B ltac:(lra) ltac:(lra) near_weight_20 B_pos) as W. fold noise in W.
    unfold V. lra. }
  assert (V2 : L * (4 / mu * total (fun t => sum t (fun k => near 40 k t * (8 / 39 * h k * ‖D k‖²))))
               <= 4 * (10531 / 10000) / (40 - 1) * E2).
  { pose proof (window_total 40 (10531 / 10000) (fun k => 8 / 39 * h k * ‖D k‖²) ltac:(lra) ltac:(lra)
    near_weight_40) as W.
    assert (P : forall k, 0 <= 8 / 39 * h k * ‖D k‖²).
    { intros k. pose proof (h_pos k). pose proof (dot_pos (D k)). apply Rmult_le_pos; lra. }
    specialize (W P). cbv beta in W. fold E2 in W. lra. }
  assert (E3 : E2 = 8 / 39 * (4 / mu * total (fun k => ‖D k‖²))).
  { unfold E2, total. rewrite <- !sum_scale. apply sum_ext. intros k _. rewrite <- (Rmult_assoc (4 / mu)), <- c_h.
  ring. }
  assert (E4 : 4 / mu * total (fun k => ‖D k‖²) <= L * (2 * r + 4 * G)).
  { pose proof (total_le (fun k => ‖D k‖²) (fun k => 2 * L * (L * reach k) + 4 * L * gap k)) as T.
    rewrite total_sum, (total_scale (2 * L)), (total_scale (4 * L)) in T. unfold r, G.
    apply Rle_trans with (4 / mu * (2 * L * total (fun t => L * reach t) + 4 * L * total gap)).
    - apply Rmult_le_compat_l; [lra|]. apply T. intros k _. pose proof (direction_square run best plain optimal R0
      k). lra.
    - right. ring. }
  assert (V3 : 4 / mu * total (fun t => sum t (fun k => near 40 k t * (8 / 39 * h k * ‖D k‖²)))
               <= 4 * (10531 / 10000) / 39 * (8 / 39) * (2 * r + 4 * G)).
  { apply (Rmult_le_reg_l L); [assumption|]. rewrite E3 in V2. lra. }
  assert (PG : 0 <= G).
  { unfold G. apply Rmult_le_pos; [lra|]. apply sum_pos. intros t _. pose proof (weight_pos t).
    pose proof (gap_pos run best plain optimal R0 t). apply Rmult_le_pos; lra. }
  assert (PN : 0 <= noise) by (apply sum_pos; intros t _; pose proof (c_pos t); pose proof (B_pos t);
    apply Rmult_le_pos; lra).
  assert (Pr : 0 <= r).
  { unfold r. apply Rmult_le_pos; [lra|]. apply sum_pos. intros t _. pose proof (weight_pos t).
    pose proof (reach_pos run R0 t). apply Rmult_le_pos; [lra|pos]. }
  lra.
Qed.

(** ** The weighted mean of the models *)
Definition all_weights : R := sum (S R0) weight.
Definition weighted_mean : H := / all_weights ⊙ vsum (S R0) (fun t => weight t ⊙ w t).
Definition excess t : R := global p (w t) - global p best.

Lemma all_weights_pos : 0 < all_weights.
Proof.
  unfold all_weights. cbn [sum]. pose proof (weight_pos R0).
  assert (0 <= sum R0 weight) by (apply sum_pos; intros; left; apply weight_pos). lra.
Qed.

Lemma jensen : all_weights * (global p weighted_mean - global p best) <= sum (S R0) (fun t => weight t * excess t).
Proof.
  pose proof all_weights_pos as PW. set (m := weighted_mean).
  assert (Z : sum (S R0) (fun t => weight t * ⟨∇ p m, w t ⊖ m⟩) = 0).
  { rewrite (sum_ext (S R0) _ (fun t => ⟨∇ p m, weight t ⊙ w t⟩ + - ⟨∇ p m, m⟩ * weight t))
      by (intros; rewrite dot_add_r, !dot_scale_r; ring).
    rewrite sum_add, sum_scale, <- dot_vsum_r. fold all_weights.
    assert (E : ⟨∇ p m, m⟩ = / all_weights * ⟨∇ p m, vsum (S R0) (fun t => weight t ⊙ w t)⟩) by (unfold m at 2,
      weighted_mean; apply dot_scale_r).
    rewrite E. field. lra. }
  assert (A : sum (S R0) (fun t => weight t * (global p m - global p best) + weight t * ⟨∇ p m, w t ⊖ m⟩)
              <= sum (S R0) (fun t => weight t * excess t)).
  { apply sum_le. intros t _. pose proof (global_convex p 0 plain (w t) m) as C. pose proof (weight_pos t).
    rewrite <- Rmult_plus_distr_l. apply Rmult_le_compat_l; [lra|]. unfold excess. lra. }
  rewrite sum_add, Z in A.
  rewrite (sum_ext (S R0) (fun t => weight t * (global p m - global p best)) (fun t => (global p m - global p best) *
    weight t)) in A
    by (intros; ring).
  rewrite sum_scale in A. fold all_weights in A. lra.
Qed.

Lemma excess_sum : 4 / mu * sum (S R0) (fun t => weight t * excess t)
  <= 5 / 4 * (4 / mu * (total gap + weight R0 * gap R0)) + 5 / 2 * (4 * (10531 / 10000) / 39 * noise).
Proof.
  pose proof L_pos as PL.
  assert (P4 : 0 < 4 / mu) by (unfold Rdiv; apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
  assert (Last : ‖owed reports R0 R0‖² = 0).
  { assert (E : same (owed reports R0 R0) zero).
    { intros y. pose proof (nothing_owed_last reports R0 y) as Q. unfold Charging.z in Q.
    rewrite dot_add_l, dot_scale_l in Q.
      rewrite dot_zero_l. lra. }
    rewrite (same_norm _ _ E). apply dot_zero_l. }
  pose proof (models_from_virtual run best plain optimal R0) as M.
  assert (A : total excess <= 5 / 4 * total gap + 5 / 2 * (L * total (fun t => sum t (fun k => near 40 k t * B k)))).
  { apply Rle_trans with (total (fun t => 5 / 4 * gap t + 5 / 2 * (L * sum t (fun k => near 40 k t * B k)))).
    - apply total_le. intros t Ht. eapply Rle_trans; [apply (M t); lia|].
      pose proof (owed_near t ltac:(lia)) as O. apply (Rmult_le_compat_l (5 / 2 * L)) in O; lra.
    - rewrite total_sum, (total_scale (5 / 4)), (total_scale (5 / 2)), (total_scale L). lra. }
  pose proof (M R0 ltac:(lia)) as MR. rewrite Last in MR. fold (excess R0) in MR.
  pose proof (weight_pos R0) as Pw. apply (Rmult_le_compat_l (weight R0)) in MR; [|lra].
  pose proof (window_total 40 (10531 / 10000) B ltac:(lra) ltac:(lra) near_weight_40 B_pos) as W. fold noise in W.
  replace (40 - 1) with 39 in W by ring.
  cbn [sum]. change (sum R0 (fun t => weight t * excess t)) with (total excess).
  apply (Rmult_le_compat_l (4 / mu)) in A; [|lra]. apply (Rmult_le_compat_l (4 / mu)) in MR; [|lra]. lra.
Qed.

Lemma in_terms_of_start : 4 / mu * (all_weights * (global p weighted_mean - global p best))
  <= 1921 / 1000 * (cubic a * ‖w 0%nat ⊖ best‖²) + 842 / 100 * noise + 4557 / 1000 * (4 / mu * drifts).
Proof.
  assert (P4 : 0 < 4 / mu) by (unfold Rdiv; apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
  pose proof jensen as J. pose proof excess_sum as E. pose proof all_steps as A. pose proof reaches_small as R1.
  cbv zeta in R1.
  apply (Rmult_le_compat_l (4 / mu)) in J; [|lra].
  assert (PG : 0 <= 4 / mu * (weight R0 * gap R0)).
  { pose proof (weight_pos R0). pose proof (gap_pos run best plain optimal R0 R0). pos. }
  assert (PT : 0 <= 4 / mu * total gap).
  { apply Rmult_le_pos; [lra|]. apply sum_pos. intros t _. pose proof (weight_pos t).
    pose proof (gap_pos run best plain optimal R0 t). apply Rmult_le_pos; lra. }
  assert (PN : 0 <= noise) by (apply sum_pos; intros t _; pose proof (c_pos t); pose proof (B_pos t);
    apply Rmult_le_pos; lra).
  assert (PC : 0 <= cubic a * ‖w 0%nat ⊖ best‖²).
  { pose proof a_large. apply Rmult_le_pos; [|apply dot_pos]. unfold cubic. apply Rmult_le_pos;
    [apply Rmult_le_pos|]; lra. }
  assert (PD : 0 <= 4 / mu * drifts).
  { apply Rmult_le_pos; [lra|]. apply sum_pos. intros t _. pose proof (weight_pos t). pose proof L_pos.
  pose proof (h_pos t).
    apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [pos|]. apply Rmult_le_pos; [lra|]. unfold drift_part.
    pose proof (q_range run). pose proof (spread_pos (p := p) best). apply Rplus_le_le_0_compat;
      [pose proof (pow2_ge_0 q); pos|].
    unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|]. left.
    apply Rinv_0_lt_compat, lt_0_INR, some_step. }
  lra.
Qed.

(** ** Closed forms *)
Notation T := (INR (S R0)).

Lemma all_weights_are : 3 * all_weights = T * (T ^ 2 + 3 * T * (a - 1) + 3 * a ^ 2 - 6 * a + 2).
Proof.
  unfold all_weights. assert (E : forall n, 3 * sum n weight
    = INR n * (INR n ^ 2 + 3 * INR n * (a - 1) + 3 * a ^ 2 - 6 * a + 2)).
  { induction n; [simpl; ring|]. cbn [sum]. rewrite Rmult_plus_distr_l, IHn, S_INR. unfold weight, s. ring. }
  apply E.
Qed.

Lemma noise_small : noise <= 16 / mu ^ 2 * (T + a) * (v / INR N) * INR R0 * (2 * mean_age run R0 + 1).
Proof.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK. pose proof a_large as Pa.
  assert (Pv : 0 <= v) by (unfold Rdiv; apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]).
  assert (Pm : 0 < / mu ^ 2) by (apply Rinv_0_lt_compat, pow_lt; assumption).
  set (g := 16 / mu ^ 2 * (T + a)).
  assert (Each : forall t, (t < R0)%nat -> c t * B t <= g * (v / INR N ^ 2) * sum N (fun i => times_used reports R0 t
    i ^ 2)).
  { intros t Ht. pose proof (s_large t) as St. pose proof (h_pos t) as Ph. unfold Charging.B.
    assert (Bs : sum N (fun i => born reports R0 t i ^ 2) <= h t ^ 2 * sum N (fun i => times_used reports R0 t i ^ 2)).
    { rewrite <- sum_scale. apply sum_le. intros i Hi. rewrite <- Rpow_mult_distr. apply pow_incr.
      split; [apply born_pos|]. apply born_le_times. intros r Hr. simpl step. rewrite !steps.
      unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; [apply Rmult_lt_0_compat; lra|].
      apply Rmult_le_compat_l; [lra|]. unfold s. apply le_INR in Hr. lra. }
    assert (Pp : 0 <= v / INR N ^ 2) by (unfold Rdiv at 1; apply Rmult_le_pos; [assumption|left;
      now apply Rinv_0_lt_compat, pow_lt]).
    assert (Pu : 0 <= sum N (fun i => times_used reports R0 t i ^ 2)) by (apply sum_pos; intros; apply pow2_ge_0).
    assert (Cg : c t * h t ^ 2 <= g).
    { replace (c t * h t ^ 2) with (c t * h t * h t) by ring. rewrite c_h, steps. unfold g, weight.
      assert (Tt : s t <= T + a) by (unfold s; assert (INR t + 1 <= T) by (rewrite <- S_INR; apply le_INR; lia); lra).
      replace (4 / mu * ((s t - 1) * (s t - 2)) * (4 / (mu * s t))) with (16 * / mu ^ 2 * ((s t - 1) * (s t - 2) / s
        t)) by (field; lra).
      replace (16 / mu ^ 2 * (T + a)) with (16 * / mu ^ 2 * (T + a)) by (unfold Rdiv; ring).
      apply Rmult_le_compat_l; [lra|]. apply Rle_trans with (s t); [|assumption].
      apply (Rmult_le_reg_r (s t)); [lra|]. replace ((s t - 1) * (s t - 2) / s t * s t) with ((s t - 1) * (s t - 2))
        by (field; lra). lra. }
    apply Rle_trans with (c t * h t ^ 2 * (v / INR N ^ 2) * sum N (fun i => times_used reports R0 t i ^ 2)).
    - replace (c t * h t ^ 2 * (v / INR N ^ 2) * sum N (fun i => times_used reports R0 t i ^ 2))
        with (c t * (v / INR N ^ 2 * (h t ^ 2 * sum N (fun i => times_used reports R0 t i ^ 2)))) by ring.
      apply Rmult_le_compat_l; [left; apply c_pos|]. now apply Rmult_le_compat_l.
    - apply Rmult_le_compat_r; [assumption|]. now apply Rmult_le_compat_r. }
  unfold noise. eapply Rle_trans; [apply sum_le; exact Each|]. rewrite sum_scale, (uses_total reports R0).
  right. unfold g, mean_age. destruct (Nat.eq_dec R0 0) as [Z|Z].
  - unfold ages. rewrite Z. cbn [sum]. change (INR 0) with 0. unfold Rdiv. ring.
  - pose proof (lt_0_INR R0 ltac:(lia)). field. repeat split; lra.
Qed.

Lemma drifts_small : drifts <= INR R0 * (16 / mu ^ 2 * L * (62500 / 27378 * drift_part)).
Proof.
  pose proof L_pos as PL.
  assert (Pd : 0 <= drift_part).
  { unfold drift_part. pose proof (q_range run). pose proof (spread_pos (p := p) best).
    apply Rplus_le_le_0_compat; [pose proof (pow2_ge_0 q); pos|].
    unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|]. left.
    apply Rinv_0_lt_compat, lt_0_INR, some_step. }
  apply sum_le_const. intros t Ht. pose proof (s_large t) as St.
  replace (weight t * (h t ^ 2 * L * (62500 / 27378 * drift_part))) with (weight t * h t ^ 2 * (L * (62500 / 27378 *
    drift_part))) by ring.
  rewrite (Rmult_assoc (16 / mu ^ 2)). apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|].
  rewrite steps. unfold weight.
  replace ((s t - 1) * (s t - 2) * (4 / (mu * s t)) ^ 2) with (16 / mu ^ 2 * ((s t - 1) * (s t - 2) / s t ^ 2)) by
    (field; lra).
  rewrite <- (Rmult_1_r (16 / mu ^ 2)) at 2. apply Rmult_le_compat_l.
  - unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, pow_lt. assumption.
  - apply (Rmult_le_reg_r (s t ^ 2)); [apply pow_lt; lra|].
    replace ((s t - 1) * (s t - 2) / s t ^ 2 * s t ^ 2) with ((s t - 1) * (s t - 2)) by (field; lra). lra.
Qed.

Lemma start_ratio : 1921 / 1000 * cubic a * T ^ 2 <= 4 * (23 / 100) * a ^ 2 * all_weights.
Proof.
  pose proof a_large as Pa. pose proof (lt_0_INR (S R0) ltac:(lia)) as PT. pose proof all_weights_are as E.
  apply (Rmult_le_reg_l 3); [lra|].
  replace (3 * (4 * (23 / 100) * a ^ 2 * all_weights)) with (4 * (23 / 100) * a ^ 2 * (3 * all_weights)) by ring.
  rewrite E.
  set (b := a - 1). assert (Pb : 99 <= b) by (unfold b; lra). replace a with (b + 1) by (unfold b; ring). unfold cubic.
  set (x := INR (S R0)) in *. clearbody x b.
  assert (P1 : 0 <= (b + 1) * (x - 173 / 100 * b) ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]).
  assert (P2 : 0 <= (b + 1) * (71 / 10000 * b ^ 2 - 1)).
  { apply Rmult_le_pos; [lra|]. assert (99 ^ 2 <= b ^ 2) by (apply pow_incr; lra). lra. }
  assert (P3 : 0 <= b ^ 2 * x) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]).
  assert (P4 : 0 <= b * x) by (apply Rmult_le_pos; lra).
  assert (Core : 3 * (1921 / 1000) * b * (b - 1) * x <= 4 * (23 / 100) * (b + 1) * (x ^ 2 + 3 * x * b + 3 * b ^ 2 -
    1)) by lra.
  apply (Rmult_le_compat_l ((b + 1) * x)) in Core; [|apply Rmult_le_pos; lra]. lra.
Qed.

Lemma long_ratio : T * (T + a) ^ 2 <= 3 * all_weights /\ T ^ 3 <= 3 * all_weights.
Proof.
  pose proof a_large as Pa. pose proof (lt_0_INR (S R0) ltac:(lia)) as PT. rewrite all_weights_are.
  set (x := INR (S R0)) in *. clearbody x.
  assert (P1 : 0 <= x * (x * (a - 3))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (P2 : 0 <= x * (a * (a - 6))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (P3 : 0 <= x * (a * a)) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]).
  assert (P4 : 0 <= x * x) by (apply Rmult_le_pos; lra).
  assert (P5 : 0 <= x * (x * (a - 1))) by (apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]). split; lra.
Qed.

Theorem mifa_strongly_convex :
  global p weighted_mean - global p best <=
  23 / 100 * mu * a ^ 2 * ‖w 0%nat ⊖ best‖² / T ^ 2
  + 102 * (2 * mean_age run R0 + 1) * sigma ^ 2 / (mu * INR N * INR K * (T + a))
  + L * (750 * (q ^ 2 * spread) + 500 * (q * sigma ^ 2 / INR K)) / (mu ^ 2 * T ^ 2).
Proof.
  pose proof L_pos as PL. pose proof a_large as Pa. pose proof (lt_0_INR (S R0) ltac:(lia)) as PT.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK. pose proof all_weights_pos as PW.
  pose proof in_terms_of_start as M. pose proof noise_small as Ns. pose proof drifts_small as Ds.
  pose proof start_ratio as R1. destruct long_ratio as [R2 R3]. pose proof (mean_age_pos run R0) as Pm.
  pose proof (dot_pos (w 0%nat ⊖ best)) as Pd. set (d2 := ‖w 0%nat ⊖ best‖²) in *. set (W := all_weights) in *.
  assert (RT : INR R0 <= T) by (apply le_INR; lia). pose proof (pos_INR R0) as PR.
  assert (P4 : 0 < mu / (4 * W)) by (unfold Rdiv; apply Rmult_lt_0_compat; [assumption|apply Rinv_0_lt_compat; lra]).
  assert (Pv : 0 <= v) by (unfold Rdiv; apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]).
  apply (Rmult_le_compat_l (mu / (4 * W))) in M; [|lra].
  replace (mu / (4 * W) * (4 / mu * (W * (global p weighted_mean - global p best))))
    with (global p weighted_mean - global p best) in M by (field; lra).
  eapply Rle_trans; [exact M|]. rewrite Rmult_plus_distr_l, (Rmult_plus_distr_l (mu / (4 * W)) (1921 / 1000 * _)).
  apply Rplus_le_compat; [apply Rplus_le_compat|].
  - apply (Rmult_le_compat_r (mu * d2 / (4 * W * T ^ 2))) in R1.
    + replace (mu / (4 * W) * (1921 / 1000 * (cubic a * d2))) with (1921 / 1000 * cubic a * T ^ 2 * (mu * d2 / (4 * W
      * T ^ 2))) by (field; lra).
      eapply Rle_trans; [exact R1|]. right. field. lra.
    + unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; lra|]. left. apply Rinv_0_lt_compat.
      apply Rmult_lt_0_compat; [lra|now apply pow_lt].
  - set (y := v / INR N * (2 * mean_age run R0 + 1)).
    assert (Py : 0 <= y).
    { unfold y. apply Rmult_le_pos; [|lra]. unfold Rdiv at 1. apply Rmult_le_pos; [assumption|left;
      now apply Rinv_0_lt_compat]. }
    assert (N2 : noise <= 16 / mu ^ 2 * (T + a) * T * y).
    { eapply Rle_trans; [exact Ns|].
      replace (16 / mu ^ 2 * (T + a) * (v / INR N) * INR R0 * (2 * mean_age run R0 + 1))
        with (16 / mu ^ 2 * (T + a) * y * INR R0) by (unfold y; ring).
      replace (16 / mu ^ 2 * (T + a) * T * y) with (16 / mu ^ 2 * (T + a) * y * T) by ring.
      apply Rmult_le_compat_l; [|assumption]. apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; [|lra].
      unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, pow_lt. assumption. }
    replace (102 * (2 * mean_age run R0 + 1) * sigma ^ 2 / (mu * INR N * INR K * (T + a)))
      with (102 * y / (mu * (T + a))) by (unfold y; field; lra).
    apply Rle_trans with (mu / (4 * W) * (842 / 100 * (16 / mu ^ 2 * (T + a) * T * y))).
    { apply Rmult_le_compat_l; [lra|]. lra. }
    replace (mu / (4 * W) * (842 / 100 * (16 / mu ^ 2 * (T + a) * T * y)))
      with (4 * (842 / 100) * y / (mu * W * (T + a)) * (T * (T + a) ^ 2)) by (field; lra).
    assert (Pc : 0 <= 4 * (842 / 100) * y / (mu * W * (T + a))).
    { unfold Rdiv at 1. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; lra. }
    apply Rle_trans with (4 * (842 / 100) * y / (mu * W * (T + a)) * (3 * W)); [now apply Rmult_le_compat_l|].
    replace (4 * (842 / 100) * y / (mu * W * (T + a)) * (3 * W)) with (10104 / 100 * (y / (mu * (T + a)))) by (field;
      lra).
    replace (102 * y / (mu * (T + a))) with (102 * (y / (mu * (T + a)))) by (field; lra).
    apply Rmult_le_compat_r; [|lra]. unfold Rdiv. apply Rmult_le_pos; [assumption|]. left.
    apply Rinv_0_lt_compat, Rmult_lt_0_compat; lra.
  - set (Y := 750 * (q ^ 2 * spread) + 500 * (q * sigma ^ 2 / INR K)).
    pose proof (q_range run) as Hq. pose proof (spread_pos (p := p) best) as Psp.
    assert (Pqs : 0 <= q ^ 2 * spread) by (apply Rmult_le_pos; [apply pow2_ge_0|assumption]).
    assert (Psn : 0 <= q * sigma ^ 2 / INR K).
    { unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|]. left. now apply Rinv_0_lt_compat. }
    assert (Dp : 48 * (4557 / 1000) * (62500 / 27378 * drift_part) <= Y) by (unfold drift_part, Y; lra).
    assert (Pdp : 0 <= 62500 / 27378 * drift_part) by (unfold drift_part; lra).
    set (e := 62500 / 27378 * drift_part) in *.
    assert (D2 : drifts <= T * (16 / mu ^ 2 * L * e)).
    { eapply Rle_trans; [exact Ds|]. apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [|assumption].
      apply Rmult_le_pos; [|lra]. unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, pow_lt.
      assumption. }
    apply Rle_trans with (mu / (4 * W) * (4557 / 1000 * (4 / mu * (T * (16 / mu ^ 2 * L * e))))).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [|assumption].
      unfold Rdiv. apply Rmult_le_pos; [lra|]. left. now apply Rinv_0_lt_compat. }
    replace (mu / (4 * W) * (4557 / 1000 * (4 / mu * (T * (16 / mu ^ 2 * L * e)))))
      with (16 * (4557 / 1000) * L * e / (mu ^ 2 * W * T ^ 2) * T ^ 3) by (field; lra).
    assert (Pc : 0 <= 16 * (4557 / 1000) * L * e / (mu ^ 2 * W * T ^ 2)).
    { unfold Rdiv at 1. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|assumption]|]. left. apply Rinv_0_lt_compat.
      repeat apply Rmult_lt_0_compat; try lra; apply pow_lt; lra. }
    apply Rle_trans with (16 * (4557 / 1000) * L * e / (mu ^ 2 * W * T ^ 2) * (3 * W)); [now apply Rmult_le_compat_l|].
    replace (16 * (4557 / 1000) * L * e / (mu ^ 2 * W * T ^ 2) * (3 * W))
      with (L / (mu ^ 2 * T ^ 2) * (48 * (4557 / 1000) * e)) by (field; lra).
    replace (L * Y / (mu ^ 2 * T ^ 2)) with (L / (mu ^ 2 * T ^ 2) * Y) by (field; lra).
    apply Rmult_le_compat_l; [|assumption]. unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat.
    apply Rmult_lt_0_compat; now apply pow_lt.
Qed.
End StronglyConvex.
