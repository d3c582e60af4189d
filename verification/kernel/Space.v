(** * Spaces of models

    A [Space] is a real vector space with a symmetric bilinear form <x, y> such that <x, x> >= 0.
    R^d is one. So are the random vectors with <X, Y> = E[X . Y] ([Chance.v]). The form need not
    be definite, so random vectors that agree almost surely need not be identified. A theorem about
    every Space is therefore at once a theorem about deterministic runs and one about expectations
    of random runs.

    Notation: x ⊕ y is the sum, a ⊙ x the multiple, x ⊖ y the difference, ⟨x, y⟩ the form and
    ‖x‖² = ⟨x, x⟩. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Sums.
Open Scope R_scope.

Record Space := {
  point :> Type;
  zero : point;
  add : point -> point -> point;
  scale : R -> point -> point;
  dot : point -> point -> R;
  add_comm : forall x y, add x y = add y x;
  add_assoc : forall x y z, add x (add y z) = add (add x y) z;
  add_zero : forall x, add x zero = x;
  add_opp : forall x, add x (scale (-1) x) = zero;
  scale_one : forall x, scale 1 x = x;
  scale_scale : forall a b x, scale a (scale b x) = scale (a * b) x;
  scale_add : forall a x y, scale a (add x y) = add (scale a x) (scale a y);
  scale_sum : forall a b x, scale (a + b) x = add (scale a x) (scale b x);
  dot_sym : forall x y, dot x y = dot y x;
  dot_add_l : forall x y z, dot (add x y) z = dot x z + dot y z;
  dot_scale_l : forall a x y, dot (scale a x) y = a * dot x y;
  dot_pos : forall x, 0 <= dot x x
}.

Arguments zero {_}. Arguments add {_}. Arguments scale {_}. Arguments dot {_}.
Arguments add_comm {_}. Arguments add_assoc {_}. Arguments add_zero {_}. Arguments add_opp {_}.
Arguments scale_one {_}. Arguments scale_scale {_}. Arguments scale_add {_}.
Arguments scale_sum {_}. Arguments dot_sym {_}. Arguments dot_add_l {_}.
Arguments dot_scale_l {_}. Arguments dot_pos {_}.

Declare Scope space_scope.
Delimit Scope space_scope with V.
Notation "x ⊕ y" := (add x y) (at level 50, left associativity) : space_scope.
Notation "a ⊙ x" := (scale a x) (at level 40, left associativity) : space_scope.
Notation "x ⊖ y" := (add x (scale (-1) y)) (at level 50, left associativity) : space_scope.
Notation "⟨ x , y ⟩" := (dot x y) (at level 0, x at level 60, y at level 60) : space_scope.
Notation "‖ x ‖²" := (dot x x) (at level 0, x at level 60) : space_scope.
Open Scope space_scope.

Section Geometry.
Context {H : Space}.
Implicit Types x y z : H.

(** ** Vector algebra *)
Lemma dot_add_r x y z : ⟨x, y ⊕ z⟩ = ⟨x, y⟩ + ⟨x, z⟩.
Proof. rewrite dot_sym, dot_add_l, (dot_sym y), (dot_sym z). reflexivity. Qed.

Lemma dot_scale_r a x y : ⟨x, a ⊙ y⟩ = a * ⟨x, y⟩.
Proof. rewrite dot_sym, dot_scale_l, dot_sym. reflexivity. Qed.

Lemma dot_zero_l x : ⟨zero, x⟩ = 0.
Proof. rewrite <- (add_opp x), dot_add_l, dot_scale_l. ring. Qed.

Lemma dot_zero_r x : ⟨x, zero⟩ = 0.
Proof. rewrite dot_sym. apply dot_zero_l. Qed.

Lemma scale_zero x : 0 ⊙ x = zero.
Proof. replace 0 with (1 + -1) by ring. rewrite scale_sum, scale_one. apply add_opp. Qed.

Lemma add_sub x y : x ⊕ (y ⊖ x) = y.
Proof. rewrite (add_comm y), add_assoc, add_opp, add_comm, add_zero. reflexivity. Qed.

(** Points that no inner product tells apart: all that is ever needed of equality. *)
Definition same x y := forall z, ⟨x, z⟩ = ⟨y, z⟩.

Lemma same_norm x y : same x y -> ‖x‖² = ‖y‖².
Proof. intros E. now rewrite (E x), (dot_sym y x), (E y). Qed.

(** ** Inequalities *)
Lemma norm_sub x y : ‖x ⊖ y‖² = ‖x‖² - 2 * ⟨x, y⟩ + ‖y‖².
Proof. rewrite !dot_add_l, !dot_add_r, !dot_scale_l, !dot_scale_r, (dot_sym y x). ring. Qed.

Lemma norm_add x y : ‖x ⊕ y‖² = ‖x‖² + 2 * ⟨x, y⟩ + ‖y‖².
Proof. rewrite !dot_add_l, !dot_add_r, (dot_sym y x). ring. Qed.

Lemma norm_sub_sym x y : ‖x ⊖ y‖² = ‖y ⊖ x‖².
Proof. rewrite !norm_sub, (dot_sym y x). ring. Qed.

Lemma square_scale a x : ‖a ⊙ x‖² = a ^ 2 * ‖x‖².
Proof. rewrite dot_scale_l, dot_scale_r. ring. Qed.

(** 2 <x, y> <= |x|^2/a + a |y|^2 for every positive a. *)
Lemma young a x y : 0 < a -> 2 * ⟨x, y⟩ <= / a * ‖x‖² + a * ‖y‖².
Proof.
  intros Ha. pose proof (dot_pos (x ⊖ a ⊙ y)) as P. rewrite norm_sub, dot_scale_r, square_scale in P.
  assert (Q : 0 <= / a * (‖x‖² - 2 * (a * ⟨x, y⟩) + a ^ 2 * ‖y‖²)) by pos.
  replace (/ a * (‖x‖² - 2 * (a * ⟨x, y⟩) + a ^ 2 * ‖y‖²))
    with (/ a * ‖x‖² - 2 * ⟨x, y⟩ + a * ‖y‖²) in Q by (field; lra). lra.
Qed.

Lemma norm_add_young a x y : 0 < a -> ‖x ⊕ y‖² <= (1 + / a) * ‖x‖² + (1 + a) * ‖y‖².
Proof. intros Ha. pose proof (young a x y Ha). rewrite norm_add. lra. Qed.

Lemma norm_add2 x y : ‖x ⊕ y‖² <= 2 * (‖x‖² + ‖y‖²).
Proof. pose proof (norm_add_young 1 x y Rlt_0_1) as Y. rewrite Rinv_1 in Y. lra. Qed.

Lemma norm_add3 x y z : ‖(x ⊕ y) ⊕ z‖² <= 3 * (‖x‖² + ‖y‖² + ‖z‖²).
Proof.
  pose proof (young 1 x y Rlt_0_1). pose proof (young 1 x z Rlt_0_1).
  pose proof (young 1 y z Rlt_0_1). rewrite Rinv_1 in *. rewrite !norm_add, dot_add_l. lra.
Qed.

Lemma cauchy_schwarz x y : ⟨x, y⟩ * ⟨x, y⟩ <= ‖x‖² * ‖y‖².
Proof.
  pose proof (dot_pos x) as Px. pose proof (dot_pos y) as Py.
  assert (Q : forall s, 0 <= ‖x‖² - 2 * (s * ⟨x, y⟩) + s ^ 2 * ‖y‖²).
  { intros s. pose proof (dot_pos (x ⊖ s ⊙ y)) as P.
    now rewrite norm_sub, dot_scale_r, square_scale in P. }
  destruct (Rle_lt_or_eq_dec _ _ Py) as [Hy|Hy].
  - specialize (Q (⟨x, y⟩ / ‖y‖²)). apply (Rmult_le_compat_r ‖y‖²) in Q; [|lra].
    replace ((‖x‖² - 2 * (⟨x, y⟩ / ‖y‖² * ⟨x, y⟩) + (⟨x, y⟩ / ‖y‖²) ^ 2 * ‖y‖²) * ‖y‖²)
      with (‖x‖² * ‖y‖² - ⟨x, y⟩ * ⟨x, y⟩) in Q by (field; lra). lra.
  - rewrite <- Hy in *. assert (⟨x, y⟩ = 0); [|nra].
    destruct (Req_dec ⟨x, y⟩ 0) as [|N]; [assumption|exfalso].
    specialize (Q ((‖x‖² + 1) / (2 * ⟨x, y⟩))).
    replace (2 * ((‖x‖² + 1) / (2 * ⟨x, y⟩) * ⟨x, y⟩)) with (‖x‖² + 1) in Q by (field; assumption).
    lra.
Qed.

(** ** Norms *)
Definition norm x : R := sqrt ‖x‖².

Lemma norm_pos x : 0 <= norm x.
Proof. apply sqrt_pos. Qed.

Lemma norm_square x : norm x * norm x = ‖x‖².
Proof. apply sqrt_sqrt, dot_pos. Qed.

Lemma norm_le x b : 0 <= b -> ‖x‖² <= b * b -> norm x <= b.
Proof. intros Hb E. unfold norm. rewrite <- (sqrt_square b Hb). now apply sqrt_le_1_alt. Qed.

Lemma norm_le_square x b : norm x <= b -> ‖x‖² <= b * b.
Proof. intros E. rewrite <- norm_square. pose proof (norm_pos x). nra. Qed.

Lemma norm_same x y : same x y -> norm x = norm y.
Proof. intros E. unfold norm. now rewrite (same_norm _ _ E). Qed.

Lemma dot_le_norms x y : ⟨x, y⟩ <= norm x * norm y.
Proof.
  pose proof (cauchy_schwarz x y) as C. rewrite <- (norm_square x), <- (norm_square y) in C.
  pose proof (norm_pos x). pose proof (norm_pos y).
  assert (0 <= norm x * norm y) by (now apply Rmult_le_pos).
  destruct (Rle_or_lt ⟨x, y⟩ (norm x * norm y)); [assumption|exfalso]. nra.
Qed.

Lemma norm_triangle x y : norm (x ⊕ y) <= norm x + norm y.
Proof.
  pose proof (norm_pos x). pose proof (norm_pos y). apply norm_le; [lra|].
  rewrite norm_add, <- (norm_square x), <- (norm_square y). pose proof (dot_le_norms x y). nra.
Qed.

Lemma norm_scale a x : norm (a ⊙ x) = Rabs a * norm x.
Proof.
  unfold norm. rewrite dot_scale_l, dot_scale_r, <- Rmult_assoc, sqrt_mult_alt; [|nra].
  f_equal. apply sqrt_Rsqr_abs.
Qed.

Lemma norm_zero : norm (zero : H) = 0.
Proof. unfold norm. rewrite dot_zero_l. apply sqrt_0. Qed.

(** ** Sums and means of points *)
Fixpoint vsum (n : nat) (v : nat -> H) : H :=
  match n with O => zero | S k => vsum k v ⊕ v k end.

Definition mean (n : nat) (v : nat -> H) : H := / INR n ⊙ vsum n v.

Lemma dot_vsum_l n v y : ⟨vsum n v, y⟩ = sum n (fun i => ⟨v i, y⟩).
Proof. induction n; simpl; [apply dot_zero_l|]. now rewrite dot_add_l, IHn. Qed.

Lemma dot_vsum_r n v y : ⟨y, vsum n v⟩ = sum n (fun i => ⟨y, v i⟩).
Proof. rewrite dot_sym, dot_vsum_l. apply sum_ext; intros; apply dot_sym. Qed.

Lemma dot_mean_l n v y : ⟨mean n v, y⟩ = avg n (fun i => ⟨v i, y⟩).
Proof. unfold mean. now rewrite dot_scale_l, dot_vsum_l. Qed.

Lemma dot_mean_r n v y : ⟨y, mean n v⟩ = avg n (fun i => ⟨y, v i⟩).
Proof. unfold mean. now rewrite dot_scale_r, dot_vsum_r. Qed.

Lemma vsum_ext n v w : (forall i, (i < n)%nat -> v i = w i) -> vsum n v = vsum n w.
Proof. induction n; intros E; simpl; [reflexivity|]. rewrite IHn, E; auto. Qed.

Lemma mean_ext n v w : (forall i, (i < n)%nat -> v i = w i) -> mean n v = mean n w.
Proof. intros E. unfold mean. f_equal. now apply vsum_ext. Qed.

(** |sum of n|^2 <= n times the sum of the |.|^2. *)
Lemma norm_vsum n v : ‖vsum n v‖² <= INR n * sum n (fun i => ‖v i‖²).
Proof.
  rewrite dot_vsum_l.
  rewrite (sum_ext n _ (fun i => sum n (fun j => ⟨v i, v j⟩))) by (intros; apply dot_vsum_r).
  apply Rle_trans with (sum n (fun i => sum n (fun j => (1/2) * ‖v i‖² + (1/2) * ‖v j‖²))).
  - apply sum_le; intros i _. apply sum_le; intros j _.
    pose proof (young 1 (v i) (v j) Rlt_0_1). rewrite Rinv_1 in *. lra.
  - rewrite (sum_ext n _ (fun i => INR n * (1/2 * ‖v i‖²) + 1/2 * sum n (fun j => ‖v j‖²)))
      by (intros; now rewrite sum_add, sum_const, sum_scale).
    rewrite sum_add, sum_const, sum_scale, sum_scale. lra.
Qed.

(** |sum w_i v_i|^2 <= (sum w_i) (sum w_i |v_i|^2) for weights that are not negative. *)
Lemma norm_weighted n (w : nat -> R) (v : nat -> H) : (forall i, 0 <= w i) ->
  ‖vsum n (fun i => w i ⊙ v i)‖² <= sum n w * sum n (fun i => w i * ‖v i‖²).
Proof.
  intros P. rewrite dot_vsum_l.
  apply Rle_trans with
    (sum n (fun i => sum n (fun j => w i * (w j * (1/2 * ‖v i‖² + 1/2 * ‖v j‖²))))).
  - apply sum_le; intros i _. rewrite dot_vsum_r. apply sum_le; intros j _.
    rewrite dot_scale_l, dot_scale_r.
    apply Rmult_le_compat_l; [auto|]. apply Rmult_le_compat_l; [auto|].
    pose proof (young 1 (v i) (v j) Rlt_0_1). rewrite Rinv_1 in *. lra.
  - right. rewrite (sum_ext n _ (fun i => 1/2 * (sum n w * (w i * ‖v i‖²))
                                          + 1/2 * (sum n (fun j => w j * ‖v j‖²) * w i))).
    + rewrite sum_add, !sum_scale. change (fun i : nat => w i) with w. field.
    + intros i _. rewrite (sum_ext n _ (fun j => 1/2 * (w i * ‖v i‖²) * w j
                                                + 1/2 * w i * (w j * ‖v j‖²))) by (intros; ring).
      rewrite sum_add, !sum_scale. change (fun i : nat => w i) with w. field.
Qed.

(** The square of a mean is at most the mean of the squares. *)
Lemma norm_mean n v : ‖mean n v‖² <= avg n (fun i => ‖v i‖²).
Proof.
  unfold mean. rewrite square_scale.
  destruct n as [|n]; [unfold avg; simpl; rewrite dot_zero_l; lra|]. set (m := S n) in *.
  assert (Pm : 0 < INR m) by (apply lt_0_INR; unfold m; lia).
  pose proof (norm_vsum m v) as J. apply (Rmult_le_compat_l ((/ INR m) ^ 2)) in J; [|pos].
  eapply Rle_trans; [exact J|]. right. unfold avg. field. lra.
Qed.

Lemma norm_mean_le n v b : (0 < n)%nat -> (forall i, (i < n)%nat -> ‖v i‖² <= b) -> ‖mean n v‖² <= b.
Proof. intros Hn E. eapply Rle_trans; [apply norm_mean|]. now apply avg_le_const. Qed.

Lemma norm_vsum_triangle n v : norm (vsum n v) <= sum n (fun i => norm (v i)).
Proof.
  induction n; simpl; [rewrite norm_zero; lra|]. eapply Rle_trans; [apply norm_triangle|]. lra.
Qed.

(** Pairwise orthogonal points: squares add up. *)
Lemma norm_vsum_orthogonal n v :
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> ⟨v i, v j⟩ = 0) ->
  ‖vsum n v‖² = sum n (fun i => ‖v i‖²).
Proof.
  intros E. rewrite dot_vsum_l. apply sum_ext. intros i Hi. rewrite dot_vsum_r.
  apply (sum_single n (fun j => ⟨v i, v j⟩)); auto.
Qed.

Lemma norm_mean_orthogonal n v b : (0 < n)%nat ->
  (forall i j, (i < n)%nat -> (j < n)%nat -> i <> j -> ⟨v i, v j⟩ = 0) ->
  (forall i, (i < n)%nat -> ‖v i‖² <= b) -> ‖mean n v‖² <= b / INR n.
Proof.
  intros Hn O E. unfold mean. rewrite square_scale, (norm_vsum_orthogonal n v O).
  apply lt_0_INR in Hn as Pn. apply Rle_trans with ((/ INR n) ^ 2 * (INR n * b)).
  - apply Rmult_le_compat_l; [pos|]. now apply sum_le_const.
  - right. field. lra.
Qed.

(** The mean of differences from one point is the difference from the mean. *)
Lemma mean_sub n x v : (0 < n)%nat -> same (x ⊖ mean n v) (mean n (fun i => x ⊖ v i)).
Proof.
  intros Hn z. rewrite dot_mean_l, dot_add_l, dot_scale_l, dot_mean_l.
  rewrite (avg_ext n (fun i => ⟨x ⊖ v i, z⟩) (fun i => ⟨x, z⟩ + -1 * ⟨v i, z⟩))
    by (intros; now rewrite dot_add_l, dot_scale_l).
  now rewrite avg_add, avg_const, avg_scale.
Qed.

(** Sums and means of sums, as equal points. *)
Lemma vsum_plus n v w : vsum n (fun i => v i ⊕ w i) = vsum n v ⊕ vsum n w.
Proof.
  induction n; simpl; [now rewrite add_zero|]. rewrite IHn, <- !add_assoc. f_equal.
  rewrite !add_assoc. f_equal. apply add_comm.
Qed.

Lemma mean_plus n v w : mean n (fun i => v i ⊕ w i) = mean n v ⊕ mean n w.
Proof. unfold mean. rewrite vsum_plus. apply scale_add. Qed.

Lemma mean_same n v : (0 < n)%nat -> mean n (fun _ => v) = v.
Proof.
  intros Hn. apply lt_0_INR in Hn. unfold mean.
  assert (E : forall k, vsum k (fun _ : nat => v) = INR k ⊙ v).
  { induction k; [simpl; now rewrite scale_zero|]. cbn [vsum]. now rewrite IHk, S_INR, scale_sum, scale_one. }
  rewrite E, scale_scale, Rinv_l by lra. apply scale_one.
Qed.

Lemma mean_add n v w : same (mean n (fun i => v i ⊕ w i)) (mean n v ⊕ mean n w).
Proof.
  intros z. rewrite dot_add_l, !dot_mean_l, <- avg_add. apply avg_ext. intros. apply dot_add_l.
Qed.

Lemma pythagoras b x y : ⟨y, x⟩ = 0 -> ‖x ⊕ b ⊙ y‖² = ‖x‖² + b ^ 2 * ‖y‖².
Proof. intros Z. rewrite norm_add, dot_scale_r, (dot_sym x y), Z, square_scale. ring. Qed.

End Geometry.

(** Expands inner products on the left; proves that two expressions in points are the same. *)
Ltac expand_dots := repeat first
  [ rewrite dot_add_l | rewrite dot_scale_l | rewrite dot_mean_l | rewrite dot_zero_l ].
Ltac expand_dots_in Q := repeat first
  [ rewrite dot_add_l in Q | rewrite dot_scale_l in Q | rewrite dot_mean_l in Q
  | rewrite dot_zero_l in Q ].
Ltac vectors := intros ?; expand_dots; try ring.
