(** * Unbiased noise

    Noise is unbiased when it is orthogonal to everything that can be computed without it. What can
    be computed from given points is what comes from them by adding, scaling and taking clients'
    gradients ([computable]). In the space of random vectors, ⟨X, Y⟩ = E[X . Y], this follows from
    the usual hypothesis that the noise has mean zero given what was drawn before ([Chance.v]).

    Draws of noise are indexed by a type I, for instance by (round, worker, local step). [before]
    says which draws may be used when draw i is made; in all theorems here these are all draws that
    do not depend on draw i. *)
From Coq Require Import Reals Lra Lia.
From FL Require Export Smooth.
Open Scope R_scope.

Section Noise.
Context {H : Space} (p : Problem H).

Inductive computable (given : H -> Prop) : H -> Prop :=
| computable_given y : given y -> computable given y
| computable_zero : computable given zero
| computable_add y z : computable given y -> computable given z -> computable given (y ⊕ z)
| computable_scale a y : computable given y -> computable given (a ⊙ y)
| computable_gradient i y : (i < clients p)%nat -> computable given y ->
    computable given (∇i p i y).

Lemma computable_mean given n v : (forall i, (i < n)%nat -> computable given (v i)) ->
  computable given (mean n v).
Proof.
  intros E. apply computable_scale. induction n; simpl; [apply computable_zero|].
  apply computable_add; [apply IHn; auto|auto].
Qed.

Lemma computable_sub given y z :
  computable given y -> computable given z -> computable given (y ⊖ z).
Proof. intros Y Z. apply computable_add; [assumption|]. now apply computable_scale. Qed.

Lemma computable_global given y : computable given y -> computable given (∇ p y).
Proof. intros Y. apply computable_mean. intros. now apply computable_gradient. Qed.

(** What is computable from computable points is computable. *)
Lemma computable_through (given given' : H -> Prop) y :
  (forall z, given z -> computable given' z) -> computable given y -> computable given' y.
Proof.
  intros E Y. induction Y.
  - now apply E.
  - apply computable_zero.
  - now apply computable_add.
  - now apply computable_scale.
  - now apply computable_gradient.
Qed.

Lemma computable_weaker (given given' : H -> Prop) y :
  (forall z, given z -> given' z) -> computable given y -> computable given' y.
Proof. intros E. apply computable_through. intros. now apply computable_given, E. Qed.

Section Draws.
Context {I : Type} (drawn : I -> Prop) (before : I -> I -> Prop) (noise : I -> H) (start : H).

(** The start and the draws before draw i. *)
Definition past (i : I) (y : H) : Prop :=
  y = start \/ exists j, drawn j /\ before j i /\ y = noise j.

Definition known (i : I) : H -> Prop := computable (past i).

Definition unbiased : Prop := forall i y, drawn i -> known i y -> ⟨noise i, y⟩ = 0.

Lemma known_start i : known i start.
Proof. apply computable_given. now left. Qed.

Lemma known_noise i j : drawn j -> before j i -> known i (noise j).
Proof. intros D B. apply computable_given. right. eauto. Qed.

Lemma noise_orthogonal i j : unbiased -> drawn i -> drawn j -> before i j \/ before j i ->
  ⟨noise i, noise j⟩ = 0.
Proof.
  intros U Di Dj [B|B]; [rewrite dot_sym|]; apply U; auto; now apply known_noise.
Qed.

End Draws.
End Noise.

(** Reduces what is known to its parts. *)
Ltac known_parts := repeat first
  [ apply computable_sub | apply computable_add | apply computable_global
  | (apply computable_mean; intros) | apply computable_scale ].
