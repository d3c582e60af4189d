(** * Theorem 1 of AFL, corrected: what s of M workers cannot tell

    Let s of M workers ever participate, 0 < s <= M.

    - Lower side. For every sigma_G >= 0 and every randomized algorithm that sees the losses and
      gradients of the s participating workers only, there is a problem with M workers, all losses
      1-smooth, f bounded below and every worker's gradient within sigma_G of the global one, on
      which the output X of the algorithm has E |grad f(X)|^2 >= sigma_G^2 min(1, (M-s)/s)^2.
    - Upper side. On every such problem, for every set of s workers and at every point, the mean of
      their gradients is within sigma_G min(1, (M-s)/s) of the global gradient.

    Unlike the paper: the losses may depend on the algorithm, and the constant is named. The losses
    are x^2/2 for workers that participate, x^2/2 + c x or x^2/2 - c x for the others, with
    c = sigma_G M / max(s, M-s); the participating workers cannot tell the two apart. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Quadratic Claims_afl.
Open Scope R_scope.

(** An algorithm whose output, a random point, depends on the first s workers alone. *)
Definition sees_only {P : Law} (s : nat)
    (algorithm : (nat -> line -> R) -> (nat -> line -> line) -> random P line) : Prop :=
  forall F F' G G', (forall i, (i < s)%nat -> F i = F' i /\ G i = G' i) -> algorithm F G = algorithm F' G'.

(** ** The two instances *)
Section Instances.
Context (M s : nat) (sigmaG : R).
Hypotheses (some : (0 < s)%nat) (most : (s <= M)%nat) (sigmaG_pos : 0 <= sigmaG).

Definition tilt : R := sigmaG * INR M / Rmax (INR s) (INR M - INR s).
Definition tilt_of (sign : R) (i : nat) : line := if (i <? s)%nat then zero else at_ (sign * tilt).

Lemma s_pos : 0 < INR s.
Proof. now apply lt_0_INR. Qed.

Lemma s_le_M : INR s <= INR M.
Proof. now apply le_INR. Qed.

Lemma max_pos : 0 < Rmax (INR s) (INR M - INR s).
Proof. eapply Rlt_le_trans; [apply s_pos|apply Rmax_l]. Qed.

Lemma tilt_square sign i : sign ^ 2 = 1 -> ‖tilt_of sign i‖² <= tilt ^ 2.
Proof.
  intros E. unfold tilt_of. destruct (i <? s)%nat; [rewrite dot_zero_l; pos|]. rewrite dot_at.
  right. replace (sign * tilt * (sign * tilt)) with (sign ^ 2 * tilt ^ 2) by ring. rewrite E. ring.
Qed.

Definition instance (sign : R) (E : sign ^ 2 = 1) : Problem line.
Proof.
  refine {| clients := M; loss := fun i => quadratic 1 (tilt_of sign i);
            gradient := fun i => slope_of_quadratic 1 (tilt_of sign i);
            smoothness := 1; lowest := - tilt ^ 2 / 2 |}; [lia|lra| |].
  - intros. apply quadratic_smooth. rewrite Rabs_R1. lra.
  - intros y. unfold average. rewrite <- (avg_const M (- tilt ^ 2 / 2)) by lia. apply avg_le.
    intros i _. pose proof (quadratic_below 1 (tilt_of sign i) y Rlt_0_1) as Q.
    pose proof (tilt_square sign i E). lra.
Defined.

(** The share of the tilt that the global gradient sees. *)
Definition seen : R := tilt * (INR M - INR s) / INR M.

Lemma tilts_sum n (a : R) : sum (s + n) (fun i => if (i <? s)%nat then 0 else a) = INR n * a.
Proof.
  rewrite sum_split, sum_zero.
  - rewrite (sum_ext n _ (fun _ => a)); [rewrite sum_const; ring|]. intros i _.
    destruct (Nat.ltb_spec (s + i) s); [lia|reflexivity].
  - intros i Hi. destruct (Nat.ltb_spec i s); [reflexivity|lia].
Qed.

Lemma instance_slope sign E (y : line) : same (∇ (instance sign E) y) (y ⊕ at_ (sign * seen)).
Proof.
  intros z. pose proof s_pos. pose proof s_le_M. pose proof max_pos.
  unfold global_gradient, average_gradient. rewrite dot_mean_l, dot_add_l.
  rewrite (avg_ext M _ (fun i => ⟨y, z⟩ + (if (i <? s)%nat then 0 else ⟨at_ (sign * tilt), z⟩))).
  - rewrite avg_add, avg_const by lia. f_equal. unfold avg.
    replace (sum M) with (sum (s + (M - s))) by (f_equal; lia). rewrite tilts_sum, minus_INR by assumption.
    unfold seen. simpl. unfold at_. field. lra.
  - intros i _. change (gradient (instance sign E) i y) with (slope_of_quadratic 1 (tilt_of sign i) y).
    unfold slope_of_quadratic, tilt_of. rewrite scale_one, dot_add_l. f_equal.
    destruct (i <? s)%nat; [apply dot_zero_l|reflexivity].
Qed.

Theorem afl_thm1c_admissible sign E : dissimilarity (instance sign E) sigmaG.
Proof.
  intros i y Hi. pose proof s_pos as Ps. pose proof s_le_M as PM. pose proof max_pos as Pm.
  change (gradient (instance sign E) i y) with (slope_of_quadratic 1 (tilt_of sign i) y).
  assert (S0 : same (slope_of_quadratic 1 (tilt_of sign i) y ⊖ ∇ (instance sign E) y)
                    (tilt_of sign i ⊖ at_ (sign * seen))).
  { intros z. rewrite !dot_add_l, !dot_scale_l, (instance_slope sign E y z). unfold slope_of_quadratic.
    rewrite !dot_add_l, dot_scale_l. ring. }
  rewrite (same_norm _ _ S0). set (b := Rmax (INR s) (INR M - INR s)) in *.
  assert (B1 : INR M - INR s <= b) by apply Rmax_r. assert (B2 : INR s <= b) by apply Rmax_l.
  assert (Share : forall a, 0 <= a <= b -> (sigmaG * a / b) ^ 2 <= sigmaG ^ 2).
  { intros a Ha. assert (0 <= a / b <= 1).
    { split; [unfold Rdiv; pos|]. apply (Rmult_le_reg_r b); [assumption|].
      replace (a / b * b) with a by (field; lra). lra. }
    replace (sigmaG * a / b) with (sigmaG * (a / b)) by (field; lra). rewrite Rpow_mult_distr.
    rewrite <- (Rmult_1_r (sigmaG ^ 2)) at 2. apply Rmult_le_compat_l; [pos|]. nra. }
  unfold tilt_of. destruct (i <? s)%nat.
  - rewrite norm_sub, dot_zero_l, dot_zero_l, dot_at. unfold seen, tilt. fold b.
    eapply Rle_trans; [|apply (Share (INR M - INR s)); lra]. right.
    transitivity (sign ^ 2 * (sigmaG * (INR M - INR s) / b) ^ 2); [field; lra|rewrite E; ring].
  - rewrite norm_sub, !dot_at. unfold seen, tilt. fold b.
    eapply Rle_trans; [|apply (Share (INR s)); lra]. right.
    transitivity (sign ^ 2 * (sigmaG * INR s / b) ^ 2); [field; lra|rewrite E; ring].
Qed.

Lemma seen_square : seen ^ 2 =
  afl_thm1c_right (dissimilarity := sigmaG) (ever_participating := INR s) (num_clients := INR M).
Proof.
  pose proof s_pos. pose proof s_le_M. unfold seen, tilt, afl_thm1c_right.
  destruct (Rle_or_lt (INR M - INR s) (INR s)).
  - rewrite Rmax_left by assumption. rewrite Rmin_right; [field; lra|].
    apply (Rmult_le_reg_r (INR s)); [assumption|].
    replace ((INR M - INR s) / INR s * INR s) with (INR M - INR s) by (field; lra). lra.
  - rewrite Rmax_right by lra. rewrite Rmin_left; [field; lra|].
    apply (Rmult_le_reg_r (INR s)); [assumption|].
    replace ((INR M - INR s) / INR s * INR s) with (INR M - INR s) by (field; lra). lra.
Qed.
End Instances.

Lemma one_square : 1 ^ 2 = 1.
Proof. ring. Qed.
Lemma minus_one_square : (-1) ^ 2 = 1.
Proof. ring. Qed.

Theorem afl_thm1c {P : Law} (M s : nat) (sigmaG : R)
    (algorithm : (nat -> line -> R) -> (nat -> line -> line) -> random P line) :
  (0 < s <= M)%nat -> 0 <= sigmaG -> sees_only s algorithm ->
  exists p : Problem line,
    clients p = M /\ smoothness p = 1 /\ dissimilarity p sigmaG /\
    expect P (fun w => ‖∇ p (algorithm (loss p) (gradient p) w)‖²) >=
    afl_thm1c_right (dissimilarity := sigmaG) (ever_participating := INR s) (num_clients := INR M).
Proof.
  intros [Hs HM] HG Sees.
  set (up := instance M s sigmaG Hs HM 1 one_square). set (down := instance M s sigmaG Hs HM (-1) minus_one_square).
  assert (Same : algorithm (loss up) (gradient up) = algorithm (loss down) (gradient down)).
  { apply Sees. intros i Hi. unfold up, down. simpl. unfold tilt_of. destruct (Nat.ltb_spec i s); [now split|lia]. }
  set (X := algorithm (loss down) (gradient down)) in *.
  set (right := afl_thm1c_right (dissimilarity := sigmaG) (ever_participating := INR s) (num_clients := INR M)).
  set (e1 := expect P (fun w => ‖∇ up (X w)‖²)). set (e2 := expect P (fun w => ‖∇ down (X w)‖²)).
  assert (Sum : 2 * right <= e1 + e2).
  { unfold e1, e2. rewrite <- expect_add, <- (expect_const P (2 * right)). apply expect_le. intros w.
    unfold up, down. rewrite !(same_norm _ _ (instance_slope M s sigmaG Hs HM _ _ _)), !norm_add, !dot_at.
    pose proof (dot_pos (X w)) as PX. unfold right. rewrite <- (seen_square M s sigmaG Hs HM).
    set (a := seen M s sigmaG) in *.
    assert (N : ⟨X w, at_ (-1 * a)⟩ = - ⟨X w, at_ (1 * a)⟩) by (simpl; unfold at_; ring).
    rewrite N. lra. }
  destruct (Rle_or_lt right e1).
  - exists up. repeat split; [now apply afl_thm1c_admissible|]. rewrite Same. fold e1 right. lra.
  - exists down. repeat split; [now apply afl_thm1c_admissible|]. fold X e2 right. lra.
Qed.

(** ** Upper side *)
Section Upper.
Context {H : Space} (p : Problem H) (sigmaG : R) (takes_part : nat -> bool) (s : nat).
Notation M := (clients p).

Definition part (v : nat -> H) (b : bool) : H :=
  vsum M (fun i => if Bool.eqb (takes_part i) b then v i else zero).

Lemma parts_add v : same (part v true ⊕ part v false) (vsum M v).
Proof.
  intros z. unfold part. rewrite dot_add_l, !dot_vsum_l, <- sum_add. apply sum_ext. intros i _.
  destruct (takes_part i); simpl; rewrite dot_zero_l; ring.
Qed.

Lemma part_norm v b a k : (forall i, (i < M)%nat -> norm (v i) <= a) ->
  sum M (fun i => if Bool.eqb (takes_part i) b then 1 else 0) = k -> norm (part v b) <= k * a.
Proof.
  intros E <-. unfold part. eapply Rle_trans; [apply norm_vsum_triangle|]. rewrite Rmult_comm, <- sum_scale.
  apply sum_le. intros i Hi. specialize (E i Hi). destruct (Bool.eqb (takes_part i) b); [lra|rewrite norm_zero; lra].
Qed.

Theorem afl_thm1c_upper y :
  (0 < s)%nat -> sum M (fun i => if takes_part i then 1 else 0) = INR s -> 0 <= sigmaG ->
  dissimilarity p sigmaG ->
  norm (∇ p y ⊖ / INR s ⊙ vsum M (fun i => if takes_part i then ∇i p i y else zero)) <=
  afl_thm1c_upper_right (dissimilarity := sigmaG) (ever_participating := INR s) (num_clients := INR M).
Proof.
  intros Hs Count HG Apart. apply lt_0_INR in Hs as Ps. pose proof (clients_pos p) as PM.
  set (v := fun i => ∇i p i y ⊖ ∇ p y).
  assert (Norms : forall i, (i < M)%nat -> norm (v i) <= sigmaG).
  { intros i Hi. apply norm_le; [assumption|]. replace (sigmaG * sigmaG) with (sigmaG ^ 2) by ring. now apply Apart. }
  assert (CountT : sum M (fun i => if Bool.eqb (takes_part i) true then 1 else 0) = INR s).
  { rewrite <- Count. apply sum_ext. intros i _. now destruct (takes_part i). }
  assert (CountF : sum M (fun i => if Bool.eqb (takes_part i) false then 1 else 0) = INR M - INR s).
  { rewrite <- Count, <- (Rmult_1_r (INR M)), <- sum_const.
    assert (A : sum M (fun i => if takes_part i then 1 else 0)
                + sum M (fun i => if Bool.eqb (takes_part i) false then 1 else 0) = sum M (fun _ => 1)).
    { rewrite <- sum_add. apply sum_ext. intros i _. destruct (takes_part i); simpl; ring. } lra. }
  assert (Zero : same (vsum M v) zero).
  { intros z. rewrite dot_vsum_l, dot_zero_l. unfold v.
    rewrite (sum_ext M _ (fun i => ⟨∇i p i y, z⟩ + - ⟨∇ p y, z⟩)) by (intros; rewrite dot_add_l, dot_scale_l; ring).
    rewrite sum_add, sum_const. unfold global_gradient, average_gradient. rewrite dot_mean_l. unfold avg. field. lra. }
  assert (Opposite : same (part v true) ((-1) ⊙ part v false)).
  { intros z. pose proof (parts_add v z) as A. rewrite (Zero z), dot_add_l, dot_zero_l in A. rewrite dot_scale_l. lra. }
  assert (Bias : same (∇ p y ⊖ / INR s ⊙ vsum M (fun i => if takes_part i then ∇i p i y else zero))
                      ((- / INR s) ⊙ part v true)).
  { intros z. unfold part. rewrite dot_add_l, !dot_scale_l, !dot_vsum_l.
    rewrite (sum_ext M (fun i => ⟨if Bool.eqb (takes_part i) true then v i else zero, z⟩)
      (fun i => ⟨if takes_part i then ∇i p i y else zero, z⟩ + (- ⟨∇ p y, z⟩) * (if takes_part i then 1 else 0))).
    - rewrite sum_add, sum_scale, Count. field. lra.
    - intros i _. unfold v. destruct (takes_part i); simpl; [rewrite dot_add_l, dot_scale_l|rewrite dot_zero_l]; ring. }
  rewrite (norm_same _ _ Bias), norm_scale, Rabs_Ropp, Rabs_pos_eq by (left; now apply Rinv_0_lt_compat).
  pose proof (part_norm v true sigmaG _ Norms CountT) as B1.
  assert (B2 : norm (part v true) <= (INR M - INR s) * sigmaG).
  { rewrite (norm_same _ _ Opposite), norm_scale, (Rabs_left (-1)) by lra. replace (- -1) with 1 by ring.
    rewrite Rmult_1_l. now apply part_norm. }
  assert (I : 0 <= / INR s) by (left; now apply Rinv_0_lt_compat).
  apply (Rmult_le_compat_l _ _ _ I) in B1. apply (Rmult_le_compat_l _ _ _ I) in B2.
  unfold afl_thm1c_upper_right. unfold Rmin. destruct (Rle_dec 1 ((INR M - INR s) / INR s)).
  - eapply Rle_trans; [exact B1|]. right. field. lra.
  - eapply Rle_trans; [exact B2|]. right. field. lra.
Qed.
End Upper.
