(** * Expectations, label by label

    Information is a label of the outcomes (Chance.v). [within label a h] is what the outcomes with
    label a contribute to the expectation of h. What holds within every label holds in expectation
    ([by_label], [by_label_zero]), also at a random point that the label determines ([at_known]).
    [determined] points add, scale and go through functions. *)
From Coq Require Import Reals Lra Psatz Lia Arith FunctionalExtensionality.
From FL Require Import Chance Convex.
Open Scope R_scope.

Section Labels.
Context (P : Law).

(** What the outcomes with label a contribute to an expectation. *)
Definition within (label : nat -> nat) (a : nat) (h : nat -> R) : R :=
  sum (outcomes P) (fun w => if (label w =? a)%nat then chance P w * h w else 0).

Lemma within_ext label a h k : (forall w, (w < outcomes P)%nat -> label w = a -> h w = k w) ->
  within label a h = within label a k.
Proof. intros E. apply sum_ext. intros w Hw. destruct (Nat.eqb_spec (label w) a); [now rewrite E|reflexivity]. Qed.

Lemma within_scale label a c h : within label a (fun w => c * h w) = c * within label a h.
Proof. unfold within. rewrite <- sum_scale. apply sum_ext. intros w _. destruct (label w =? a)%nat; ring. Qed.

Lemma within_add label a h k : within label a (fun w => h w + k w) = within label a h + within label a k.
Proof. unfold within. rewrite <- sum_add. apply sum_ext. intros w _. destruct (label w =? a)%nat; ring. Qed.

Lemma within_sum label a n (h : nat -> nat -> R) :
  within label a (fun w => sum n (fun i => h i w)) = sum n (fun i => within label a (h i)).
Proof.
  induction n; simpl; [|now rewrite within_add, IHn].
  unfold within. apply sum_zero. intros w _. destruct (label w =? a)%nat; ring.
Qed.

Lemma by_label label h : (forall v, (v < outcomes P)%nat -> within label (label v) h <= 0) -> expect P h <= 0.
Proof.
  intros E. destruct (expect_by_label P label h) as [A ->].
  apply Rle_trans with (INR A * 0); [|lra]. apply sum_le_const. intros a _.
  destruct (some_or_none label a (outcomes P)) as [[v [Hv <-]]|No]; [now apply E|].
  right. apply sum_zero. intros w Hw. destruct (Nat.eqb_spec (label w) a) as [Ew|];
    [now destruct (No w Hw)|reflexivity].
Qed.

Lemma by_label_zero label h : (forall v, (v < outcomes P)%nat -> within label (label v) h = 0) -> expect P h = 0.
Proof.
  intros E. apply Rle_antisym; [apply (by_label label); intros; rewrite E by assumption; lra|].
  assert (Q : expect P (fun w => -1 * h w) <= 0) by (apply (by_label label); intros;
    rewrite within_scale, E by assumption; lra).
  rewrite expect_scale in Q. lra.
Qed.

Lemma expect_sum n (a : nat -> R) (h : nat -> nat -> R) :
  sum n (fun i => a i * expect P (h i)) = expect P (fun w => sum n (fun i => a i * h i w)).
Proof.
  induction n; simpl; [now rewrite expect_const|]. now rewrite IHn, expect_add, expect_scale.
Qed.

Context {E : Space}.
Notation det := (determined P (E := E)).

Lemma det_add label X Y : det label X -> det label Y -> det label (fun w => X w ⊕ Y w).
Proof. intros A B v w Hv Hw Ev. now rewrite (A v w), (B v w). Qed.
Lemma det_scale label a X : det label X -> det label (fun w => a ⊙ X w).
Proof. intros A v w Hv Hw Ev. now rewrite (A v w). Qed.
Lemma det_const label (y : E) : det label (fun _ => y).
Proof. intros v w _ _ _. reflexivity. Qed.
Lemma det_vsum label n (X : nat -> nat -> E) : (forall i, (i < n)%nat -> det label (X i)) ->
  det label (fun w => vsum n (fun i => X i w)).
Proof. intros A v w Hv Hw Ev. apply vsum_ext. intros i Hi. now apply A. Qed.
Lemma det_through label (F : E -> E) X : det label X -> det label (fun w => F (X w)).
Proof. intros A v w Hv Hw Ev. now rewrite (A v w). Qed.

(** What a random function of a point does within every label, it does at a point that is known. *)
Lemma at_known label (f : nat -> E -> R) Y : (forall a y, within label a (fun w => f w y) <= 0) -> det label Y ->
  expect P (fun w => f w (Y w)) <= 0.
Proof.
  intros F D. apply (by_label label). intros v Hv. rewrite (within_ext _ _ _ (fun w => f w (Y v))); [apply F|].
  intros w Hw Ew. now rewrite (D w v Hw Hv Ew).
Qed.

(** A random loss that is smooth in every outcome. *)
Lemma smooth_random L (F : nat -> E -> R) (G : nat -> E -> E) : (forall w, smooth L (F w) (G w)) ->
  smooth (H := random P E) L (fun X => expect P (fun w => F w (X w))) (fun X w => G w (X w)).
Proof.
  intros Sm. split.
  - intros X d s. apply (derivable_sum (outcomes P) (fun w s => chance P w * F w (X w ⊕ s ⊙ d w))
      (fun w s => chance P w * ⟨G w (X w ⊕ s ⊙ d w), d w⟩)).
    intros w _. apply (derivable_pt_lim_scal (fun s => F w (X w ⊕ s ⊙ d w))). apply Sm.
  - intros X Y. simpl. change (L * (L * 1)) with (L ^ 2). rewrite <- expect_scale. apply expect_le. intros w. apply Sm.
Qed.

Lemma convex_random mu (F : nat -> E -> R) (G : nat -> E -> E) : (forall w, convex mu (F w) (G w)) ->
  convex (H := random P E) mu (fun X => expect P (fun w => F w (X w))) (fun X w => G w (X w)).
Proof. intros C X Y. simpl. rewrite <- expect_scale, <- !expect_add. apply expect_le. intros w. apply C. Qed.
End Labels.
