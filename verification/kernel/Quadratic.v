(** * Quadratic losses: the examples on which printed theorems fail

    [quadratic h b] is the loss h/2 |y|^2 + <b, y>, with gradient h y + b. It is smooth with every
    constant L >= |h| ([quadratic_smooth]), and for h > 0 its least value is - |b|^2 / (2h)
    ([quadratic_below]). On the line ([line]), points are functions of one coordinate. *)
From Coq Require Import Reals Lra Psatz Lia FunctionalExtensionality.
From FL Require Export Chance.
Open Scope R_scope.

Section Quadratic.
Context {H : Space} (h : R) (b : H).

Definition quadratic (y : H) : R := h / 2 * ‖y‖² + ⟨b, y⟩.
Definition slope_of_quadratic (y : H) : H := h ⊙ y ⊕ b.

Lemma quadratic_along x d s :
  quadratic (x ⊕ s ⊙ d) = quadratic x + (s * ⟨slope_of_quadratic x, d⟩ + h / 2 * ‖d‖² * (s * s)).
Proof.
  unfold quadratic, slope_of_quadratic.
  rewrite norm_add, square_scale, dot_add_r, !dot_scale_r, dot_add_l, dot_scale_l. field.
Qed.

Lemma quadratic_gradient : is_gradient quadratic slope_of_quadratic.
Proof.
  intros x d s.
  apply (derivative_value (0 + (1 * ⟨slope_of_quadratic x, d⟩ + s * 0 + h / 2 * ‖d‖² * (1 * s + s * 1)))).
  { unfold slope_of_quadratic. rewrite !dot_add_l, !dot_scale_l, dot_add_l, dot_scale_l. field. }
  replace (fun s => quadratic (x ⊕ s ⊙ d)) with (fun s => (fun _ => quadratic x) s
      + ((fun s => s * ⟨slope_of_quadratic x, d⟩) s + (fun s => h / 2 * ‖d‖² * (s * s)) s))
    by (apply functional_extensionality; intros; symmetry; apply quadratic_along).
  apply (derivable_pt_lim_plus (fun _ => quadratic x)
    (fun s => s * ⟨slope_of_quadratic x, d⟩ + h / 2 * ‖d‖² * (s * s))); [apply derivable_pt_lim_const|].
  apply (derivable_pt_lim_plus (fun s => s * ⟨slope_of_quadratic x, d⟩) (fun s => h / 2 * ‖d‖² * (s * s))).
  - apply (derivable_pt_lim_mult id (fun _ => ⟨slope_of_quadratic x, d⟩));
      [apply derivable_pt_lim_id|apply derivable_pt_lim_const].
  - apply (derivable_pt_lim_scal (fun s => s * s)).
    apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id.
Qed.

Lemma quadratic_smooth L : Rabs h <= L -> smooth L quadratic slope_of_quadratic.
Proof.
  intros E. split; [apply quadratic_gradient|]. intros x y. unfold slope_of_quadratic.
  assert (S0 : same ((h ⊙ x ⊕ b) ⊖ (h ⊙ y ⊕ b)) (h ⊙ (x ⊖ y))) by vectors.
  rewrite (same_norm _ _ S0), square_scale. apply Rmult_le_compat_r; [apply dot_pos|].
  rewrite <- (pow2_abs h). pose proof (Rabs_pos h). nra.
Qed.

Lemma quadratic_below y : 0 < h -> - ‖b‖² / (2 * h) <= quadratic y.
Proof.
  intros P. unfold quadratic. pose proof (dot_pos (h ⊙ y ⊕ b)) as Q.
  rewrite norm_add, square_scale, dot_scale_l, (dot_sym y b) in Q.
  apply (Rmult_le_compat_l (/ (2 * h))) in Q; [|left; apply Rinv_0_lt_compat; lra].
  replace (/ (2 * h) * (h ^ 2 * ‖y‖² + 2 * (h * ⟨b, y⟩) + ‖b‖²))
    with (h / 2 * ‖y‖² + ⟨b, y⟩ - - ‖b‖² / (2 * h)) in Q by (field; lra). lra.
Qed.
End Quadratic.

Notation line := (euclid 1).

(** The point of the line with a given coordinate. *)
Definition at_ (a : R) : line := fun _ => a.

Lemma dot_at a b : ⟨at_ a, at_ b⟩ = a * b.
Proof. simpl. unfold at_. ring. Qed.

Lemma mean_one {H : Space} (v : nat -> H) : same (mean 1 v) (v 0%nat).
Proof. intros z. unfold mean. simpl. rewrite dot_scale_l, dot_add_l, dot_zero_l. field. Qed.
