(** * Beyond 2/(L (tau + 1)) methods with memory diverge

    The step limit of SharpMemory.v is sharp: for every L > 0, every number of clients, every tau and
    every constant step eta with L eta (tau + 1) > 2, on the losses (L/2) |x|^2, with everybody heard
    every tau + 1 rounds, the loss grows beyond every bound, from every start that is not the optimum
    ([memory_diverges]). It grows by the factor (1 - L eta (tau + 1))^2 > 1 from visit to visit. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import SharpMemory.
Open Scope R_scope.

(** ** The losses (L/2) |x|^2 *)
Section Quadratic.
Context {H : Space} (n : nat) (L : R).
Hypothesis some : (0 < n)%nat.
Hypothesis positive : 0 < L.

Lemma smooth_quadratic : smooth L (fun x : H => L / 2 * ‖x‖²) (fun x => L ⊙ x).
Proof.
  split.
  - intros x d s. apply (derivative_value (L / 2 * (2 * ⟨x, d⟩ + ‖d‖² * (2 * s)))).
    { rewrite dot_scale_l, dot_add_l, dot_scale_l. field. }
    apply (derivable_pt_lim_scal (fun s => ‖x ⊕ s ⊙ d‖²)).
    apply (derivable_pt_lim_ext (fun s => ‖x‖² + (2 * ⟨x, d⟩ * s + ‖d‖² * (s * s)))).
    { intros r. rewrite norm_add, dot_scale_r, square_scale. ring. }
    apply (derivative_value (0 + (2 * ⟨x, d⟩ * 1 + ‖d‖² * (1 * s + s * 1)))); [ring|].
    apply derivable_pt_lim_plus; [apply derivable_pt_lim_const|].
    apply (derivable_pt_lim_plus (fun s => 2 * ⟨x, d⟩ * s) (fun s => ‖d‖² * (s * s))).
    + apply (derivable_pt_lim_scal (fun s => s)). apply derivable_pt_lim_id.
    + apply (derivable_pt_lim_scal (fun s => s * s)). apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
  - intros x y. rewrite (same_norm _ (L ⊙ (x ⊖ y))) by vectors. rewrite square_scale. lra.
Qed.

Definition quadratics : Problem H.
Proof.
  refine {| clients := n; smoothness := L; lowest := 0; loss := fun _ x => L / 2 * ‖x‖²;
            gradient := fun _ x => L ⊙ x |}; [assumption|lra|intros; apply smooth_quadratic|].
  intros y. unfold average. apply avg_pos. intros. pose proof (dot_pos y). apply Rmult_le_pos; lra.
Defined.
End Quadratic.

(** ** Everybody is heard every tau + 1 rounds *)
Section Breaks.
Context {H : Space} (n : nat) (L eta : R) (tau : nat) (start : H).
Hypothesis some : (0 < n)%nat.
Hypothesis positive : 0 < L.
Hypothesis eta_positive : 0 < eta.
Notation P := (S tau).
Notation p := (quadratics n L some positive).

(** The factor of one period and what is left of it after j of its rounds. *)
Definition factor : R := 1 - L * eta * INR P.
Definition scale_at (t : nat) : R := factor ^ (t / P) * (1 - L * eta * INR (t mod P)).

Lemma next_round t : (t mod P = tau)%nat /\ (S t / P = S (t / P))%nat /\ (S t mod P = 0)%nat
  \/ (S t / P = t / P)%nat /\ (S t mod P = S (t mod P))%nat.
Proof.
  pose proof (Nat.div_mod t P ltac:(lia)) as E. pose proof (Nat.mod_upper_bound t P ltac:(lia)) as B.
  destruct (Nat.eq_dec (t mod P) tau) as [Q|N]; [left|right].
  - assert (E2 : S t = (P * S (t / P) + 0)%nat) by lia. repeat split; [assumption| |].
    + symmetry. now apply (Nat.div_unique (S t) P (S (t / P)) 0 ltac:(lia)).
    + symmetry. now apply (Nat.mod_unique (S t) P (S (t / P)) 0 ltac:(lia)).
  - assert (E2 : S t = (P * (t / P) + S (t mod P))%nat) by lia. split.
    + symmetry. now apply (Nat.div_unique (S t) P (t / P) (S (t mod P)) ltac:(lia)).
    + symmetry. now apply (Nat.mod_unique (S t) P (t / P) (S (t mod P)) ltac:(lia)).
Qed.

Lemma scale_visit k : scale_at (k * P) = factor ^ k.
Proof.
  unfold scale_at. rewrite Nat.div_mul, Nat.mod_mul by lia. simpl INR. ring.
Qed.

Lemma scale_next t : scale_at (S t) = scale_at t - eta * L * factor ^ (t / P).
Proof.
  unfold scale_at. destruct (next_round t) as [(A & -> & ->)|(-> & ->)].
  - rewrite A. cbn [pow]. simpl (INR 0). unfold factor at 1. rewrite S_INR. ring.
  - rewrite S_INR. ring.
Qed.

Definition breaking_run : MemoryRun (H := H) p.
Proof.
  refine {| step := fun _ => eta; last := fun t _ => (t / P * P)%nat;
            model := fun t => scale_at t ⊙ start |}.
  - intros. assumption.
  - intros. now rewrite Nat.div_small by lia.
  - intros t i _. destruct (next_round t) as [(A & E & Z)|(E & _)]; rewrite E; [left|now right].
    pose proof (Nat.div_mod t P ltac:(lia)). lia.
  - intros t. rewrite (mean_ext _ _ (fun _ => (L * factor ^ (t / P)) ⊙ start)).
    + rewrite mean_same by apply some_client. rewrite scale_scale, <- scale_sum, scale_next.
      f_equal. ring.
    + intros i _. cbn -[Nat.div]. rewrite scale_scale, scale_visit. reflexivity.
Defined.

Lemma loss_at_visit k : global p (model breaking_run (k * P)) = (factor ^ 2) ^ k * (L / 2 * ‖start‖²).
Proof.
  unfold global, average. rewrite (avg_ext _ _ (fun _ => (factor ^ 2) ^ k * (L / 2 * ‖start‖²))).
  - apply avg_const, some_client.
  - intros i _. cbn -[Nat.div Nat.mul pow]. rewrite scale_visit, square_scale, <- !pow_mult.
    replace (k * 2)%nat with (2 * k)%nat by lia. ring.
Qed.

Theorem memory_diverges : 2 < L * eta * (INR tau + 1) -> 0 < ‖start‖² ->
  exists run : MemoryRun (H := H) p,
    (forall t, step run t = eta) /\ model run 0%nat = start /\
    (forall t i, (last run t i <= t)%nat /\ (t <= last run t i + tau)%nat) /\
    forall B, exists t, B < global p (model run t).
Proof.
  intros Large Start. exists breaking_run. repeat split.
  - cbn. unfold scale_at. rewrite Nat.div_small, Nat.mod_small by lia. simpl. rewrite Rmult_0_r, Rminus_0_r, Rmult_1_r.
    apply scale_one.
  - cbn -[Nat.div Nat.mul]. pose proof (Nat.div_mod t P ltac:(lia)). lia.
  - cbn -[Nat.div Nat.mul]. pose proof (Nat.div_mod t P ltac:(lia)). pose proof (Nat.mod_upper_bound t P ltac:(lia)).
  lia.
  - intros B. assert (F : 1 < factor ^ 2).
    { unfold factor. rewrite S_INR. simpl. nra. }
    assert (C : 0 < L / 2 * ‖start‖²) by (apply Rmult_lt_0_compat; lra).
    destruct (Pow_x_infinity (factor ^ 2) ltac:(rewrite Rabs_pos_eq; lra) (B / (L / 2 * ‖start‖²) + 1)) as [k Hk].
    exists (k * P)%nat. rewrite loss_at_visit. specialize (Hk k (le_n k)).
    rewrite Rabs_pos_eq in Hk by (apply pow_le; lra). apply Rge_le in Hk.
    apply (Rmult_le_compat_r (L / 2 * ‖start‖²)) in Hk; [|lra].
    replace ((B / (L / 2 * ‖start‖²) + 1) * (L / 2 * ‖start‖²)) with (B + L / 2 * ‖start‖²) in Hk by (field; lra).
    lra.
Qed.
End Breaks.
