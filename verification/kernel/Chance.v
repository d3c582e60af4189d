(** * Random runs: expectations over finite probability spaces

    A [Law] has finitely many outcomes w with probabilities. [random P E] is the Space of random
    points of E: a random point is a function of the outcome, sums and multiples are taken outcome
    by outcome, and ⟨X, Y⟩ = E[X . Y]. [expected P p] is the problem p as random models see it: the
    loss of a random model X is E[f (X)], its gradient is the random point w -> grad f (X w). It has
    the same smoothness, lower bound and dissimilarity as p ([expected_dissimilarity]).

    So a run of an algorithm in [random P E] on [expected P p] is a random run on p: its equations
    hold outcome by outcome. A theorem about all Spaces, applied to it, is about expectations:
    ‖∇ (expected P p) X‖² = E |∇ p X|^2 ([expected_square]).

    Information is a label of the outcomes: outcomes with the same label cannot be told apart.
    [fair label N]: given the label, N has mean zero. Noise that is fair given a label is orthogonal
    to everything that the label determines ([fair_orthogonal]), so noise that is fair given what
    was drawn before is unbiased in the sense of [Noise.v] ([fair_unbiased]). *)
From Coq Require Import Reals Lra Psatz Lia FunctionalExtensionality.
From FL Require Export Noise.
Open Scope R_scope.

(** ** R^d *)
Definition euclid (d : nat) : Space.
Proof.
  refine {| point := nat -> R; zero := fun _ => 0; add := fun x y j => x j + y j;
            scale := fun a x j => a * x j; dot := fun x y => sum d (fun j => x j * y j) |};
  try (intros; apply functional_extensionality; intros; ring); intros.
  - apply sum_ext; intros; ring.
  - rewrite <- sum_add. apply sum_ext; intros; ring.
  - rewrite <- sum_scale. apply sum_ext; intros; ring.
  - apply sum_pos; intros. nra.
Defined.

(** ** Random points *)
Record Law := {
  outcomes : nat;
  chance : nat -> R;
  chance_pos : forall w, 0 <= chance w;
  chance_total : sum outcomes chance = 1
}.

Section Random.
Context (P : Law) {E : Space}.

Definition expect (h : nat -> R) : R := sum (outcomes P) (fun w => chance P w * h w).

Definition random : Space.
Proof.
  refine {| point := nat -> E; zero := fun _ => zero; add := fun X Y w => X w ⊕ Y w;
            scale := fun a X w => a ⊙ X w; dot := fun X Y => expect (fun w => ⟨X w, Y w⟩) |};
  try (intros; apply functional_extensionality; intros; apply E); intros; unfold expect.
  - apply sum_ext; intros. now rewrite dot_sym.
  - rewrite <- sum_add. apply sum_ext; intros. rewrite dot_add_l. ring.
  - rewrite <- sum_scale. apply sum_ext; intros. rewrite dot_scale_l. ring.
  - apply sum_pos; intros. apply Rmult_le_pos; [apply chance_pos|apply dot_pos].
Defined.

Lemma expect_le h k : (forall w, h w <= k w) -> expect h <= expect k.
Proof.
  intros Hb. apply sum_le. intros w _. apply Rmult_le_compat_l; [apply chance_pos|apply Hb].
Qed.

Lemma expect_const b : expect (fun _ => b) = b.
Proof.
  unfold expect. rewrite (sum_ext _ _ (fun w => b * chance P w)) by (intros; ring).
  rewrite sum_scale, chance_total. ring.
Qed.

Lemma expect_add h k : expect (fun w => h w + k w) = expect h + expect k.
Proof. unfold expect. rewrite <- sum_add. apply sum_ext; intros; ring. Qed.

Lemma expect_scale a h : expect (fun w => a * h w) = a * expect h.
Proof. unfold expect. rewrite <- sum_scale. apply sum_ext; intros; ring. Qed.

Lemma expect_ext h k : (forall w, h w = k w) -> expect h = expect k.
Proof. intros Q. apply sum_ext; intros. now rewrite Q. Qed.

Lemma expect_avg n (h : nat -> nat -> R) :
  expect (fun w => avg n (fun i => h i w)) = avg n (fun i => expect (h i)).
Proof.
  unfold expect, avg. rewrite sum_swap, <- sum_scale. apply sum_ext; intros. rewrite sum_scale. ring.
Qed.

(** ** Losses of random models *)
Lemma smooth_expected L (F : E -> R) (G : E -> E) : smooth L F G ->
  smooth (H := random) L (fun X => expect (fun w => F (X w))) (fun X w => G (X w)).
Proof.
  intros [D Lip]. split.
  - intros X d s.
    apply (derivable_sum (outcomes P) (fun w s => chance P w * F (X w ⊕ s ⊙ d w))
             (fun w s => chance P w * ⟨G (X w ⊕ s ⊙ d w), d w⟩)).
    intros w _. apply (derivable_pt_lim_scal (fun s => F (X w ⊕ s ⊙ d w))). apply D.
  - intros X Y. simpl. change (L * (L * 1)) with (L ^ 2). rewrite <- expect_scale.
    apply expect_le. intros w. apply Lip.
Qed.

Lemma vsum_at n (v : nat -> random) w : vsum n v w = vsum n (fun i => v i w).
Proof. induction n; simpl; [reflexivity|]. now rewrite <- IHn. Qed.

Lemma mean_at n (v : nat -> random) w : mean n v w = mean n (fun i => v i w).
Proof. unfold mean. simpl. now rewrite vsum_at. Qed.

Definition expected (p : Problem E) : Problem random.
Proof.
  refine {| clients := clients p; smoothness := smoothness p; lowest := lowest p;
            loss := fun i (X : random) => expect (fun w => loss p i (X w));
            gradient := fun i (X : random) w => gradient p i (X w) |}.
  - apply some_client.
  - apply smoothness_pos.
  - intros i Hi. apply smooth_expected. now apply (smooth_losses p).
  - intros X. unfold average.
    rewrite <- (expect_avg (clients p) (fun i w => loss p i (X w))), <- (expect_const (lowest p)).
    apply expect_le. intros w. apply (bounded_below p).
Defined.

Lemma expected_global p (X : random) : global (expected p) X = expect (fun w => global p (X w)).
Proof.
  unfold global, average. simpl. symmetry. apply (expect_avg (clients p) (fun i w => loss p i (X w))).
Qed.

Lemma expected_gradient p (X : random) : ∇ (expected p) X = (fun w => ∇ p (X w)).
Proof.
  apply functional_extensionality. intros w. unfold global_gradient, average_gradient.
  now rewrite mean_at.
Qed.

Lemma expected_square p (X : random) : ‖∇ (expected p) X‖² = expect (fun w => ‖∇ p (X w)‖²).
Proof. now rewrite expected_gradient. Qed.

Lemma expected_dissimilarity p sigma : dissimilarity p sigma -> dissimilarity (expected p) sigma.
Proof.
  intros A i Y Hi. rewrite expected_gradient, <- (expect_const (sigma ^ 2)).
  apply expect_le. intros w. now apply A.
Qed.

(** ** Information *)
Definition determined (label : nat -> nat) (Y : random) : Prop :=
  forall v w, (v < outcomes P)%nat -> (w < outcomes P)%nat -> label v = label w -> Y v = Y w.

Definition fair (label : nat -> nat) (N : random) : Prop := forall a z,
  sum (outcomes P) (fun w => if (label w =? a)%nat then chance P w * ⟨N w, z⟩ else 0) = 0.

Lemma largest (label : nat -> nat) k : exists A, forall w, (w < k)%nat -> (label w < A)%nat.
Proof.
  induction k as [|k [A HA]]; [exists 0%nat; lia|]. exists (A + S (label k))%nat. intros w Hw.
  destruct (Nat.eq_dec w k) as [->|]; [lia|]. specialize (HA w ltac:(lia)). lia.
Qed.

Lemma some_or_none (label : nat -> nat) a k :
  (exists v, (v < k)%nat /\ label v = a) \/ forall w, (w < k)%nat -> label w <> a.
Proof.
  induction k as [|k [[v [Hv Ev]]|No]]; [right; lia|left; exists v; split; [lia|assumption]|].
  destruct (Nat.eq_dec (label k) a) as [Ek|Nk]; [left; exists k; split; [lia|assumption]|right].
  intros w Hw. destruct (Nat.eq_dec w k) as [->|]; [assumption|apply No; lia].
Qed.

(** An expectation is the sum over the labels of what each label contributes. *)
Lemma expect_by_label (label : nat -> nat) h : exists A, expect h
  = sum A (fun a => sum (outcomes P) (fun w => if (label w =? a)%nat then chance P w * h w else 0)).
Proof.
  destruct (largest label (outcomes P)) as [A HA]. exists A. rewrite sum_swap. unfold expect.
  apply sum_ext. intros w Hw.
  rewrite (sum_single A _ (label w)); [now rewrite Nat.eqb_refl|now apply HA|].
  intros a _ Na. destruct (Nat.eqb_spec (label w) a); [congruence|reflexivity].
Qed.

Lemma fair_orthogonal label (N Y : random) : fair label N -> determined label Y -> ⟨N, Y⟩ = 0.
Proof.
  intros Fair Det. simpl. destruct (expect_by_label label (fun w => ⟨N w, Y w⟩)) as [A ->].
  apply sum_zero. intros a Ha.
  destruct (some_or_none label a (outcomes P)) as [[v [Hv Ev]]|No].
  - etransitivity; [|apply (Fair a (Y v))]. apply sum_ext. intros w Hw.
    destruct (Nat.eqb_spec (label w) a) as [Ew|]; [|reflexivity].
    rewrite (Det w v); auto. congruence.
  - apply sum_zero. intros w Hw. destruct (Nat.eqb_spec (label w) a) as [Ew|]; [|reflexivity].
    now destruct (No w Hw).
Qed.

(** Everything that can be computed from what a label determines is determined. *)
Lemma computable_determined p label (given : random -> Prop) Y :
  (forall Z, given Z -> determined label Z) -> computable (expected p) given Y ->
  determined label Y.
Proof.
  intros G K. induction K as [Y HY| |Y Z _ IHY _ IHZ|a Y _ IH|i Y Hi _ IH]; intros v w Hv Hw Ev.
  - now apply (G Y HY).
  - reflexivity.
  - simpl. now rewrite (IHY v w), (IHZ v w).
  - simpl. now rewrite (IH v w).
  - simpl. now rewrite (IH v w).
Qed.

(** Assumption of the papers, in words: given the start and all earlier draws, a draw of noise has
    mean zero. The labels say what is known before each draw. *)
Definition fair_noise {I : Type} (drawn : I -> Prop) (before : I -> I -> Prop) (noise : I -> random)
  (start : random) : Prop := exists label : I -> nat -> nat, forall i, drawn i ->
    fair (label i) (noise i) /\ determined (label i) start /\
    forall j, drawn j -> before j i -> determined (label i) (noise j).

Lemma fair_unbiased {I : Type} p (drawn : I -> Prop) before (noise : I -> random) start :
  fair_noise drawn before noise start -> unbiased (expected p) drawn before noise start.
Proof.
  intros [label Fair] i Y Di K. destruct (Fair i Di) as [F [S0 Past]].
  apply (fair_orthogonal (label i)); [assumption|].
  apply (computable_determined p _ _ _) with (2 := K). intros Z [->|[j [Dj [B ->]]]]; auto.
Qed.

End Random.

Arguments random P E : clear implicits.

(** Proves a statement in expectation by the theorem about every Space, whose first hypotheses are
    unbiased noise and dissimilarity. *)
Ltac in_expectation M :=
  rewrite <- ?expected_global in *;
  erewrite avg_ext; [apply M | intros; symmetry; apply expected_square];
  first [assumption | now apply fair_unbiased | now apply expected_dissimilarity].

(** A random schedule that does not depend on the noise: it is drawn first, by the law Q, and then a
    run with that schedule. A bound that holds for every schedule holds on average. *)
Lemma over_schedules (Q : Law) (h : nat -> nat -> R) T b :
  (forall c, (c < outcomes Q)%nat -> avg T (h c) <= b) ->
  avg T (fun t => expect Q (fun c => h c t)) <= b.
Proof.
  intros Each. rewrite <- expect_avg, <- (expect_const Q b). apply sum_le. intros c Hc.
  apply Rmult_le_compat_l; [apply chance_pos|now apply Each].
Qed.
