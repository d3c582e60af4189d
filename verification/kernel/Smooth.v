(** * Smooth losses and federated problems

    A loss f with gradient g is [smooth] with constant L if g is the derivative of f along every
    line and |g x - g y| <= L |x - y|. Three facts are derived:

    - descent lemma: f (x + d) <= f x + <g x, d> + (L/2) |d|^2 ([descent]);
    - a bounded loss has small gradients: |g x|^2 <= 2 L (f x - low) ([gradient_gap]);
    - the average of smooth losses is smooth ([smooth_average]).

    A [Problem] is what all papers here minimise: the plain average f of the clients' losses, each
    L-smooth, f bounded below. [∇ p] is the gradient of f and [∇i p i] that of client i's loss. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Space.
Open Scope R_scope.

Section Smooth.
Context {H : Space}.
Implicit Types (x y d : H) (f : H -> R) (g : H -> H).

Definition lipschitz (L : R) g := forall x y, ‖g x ⊖ g y‖² <= L ^ 2 * ‖x ⊖ y‖².

Definition is_gradient f g := forall x d s,
  derivable_pt_lim (fun s => f (x ⊕ s ⊙ d)) s ⟨g (x ⊕ s ⊙ d), d⟩.

Definition smooth (L : R) f g := is_gradient f g /\ lipschitz L g.

Definition average (n : nat) (F : nat -> H -> R) x : R := avg n (fun i => F i x).
Definition average_gradient (n : nat) (G : nat -> H -> H) x : H := mean n (fun i => G i x).

Lemma lipschitz_norm L g x y : 0 <= L -> lipschitz L g -> norm (g x ⊖ g y) <= L * norm (x ⊖ y).
Proof.
  intros HL E. pose proof (norm_pos (x ⊖ y)). apply norm_le; [nra|].
  pose proof (E x y). pose proof (norm_square (x ⊖ y)). nra.
Qed.

Lemma derivative_value a b (h : R -> R) s : a = b -> derivable_pt_lim h s a -> derivable_pt_lim h s b.
Proof. now intros ->. Qed.

(** ** Descent lemma *)
Lemma descent L f g : 0 <= L -> smooth L f g ->
  forall x d, f (x ⊕ d) <= f x + ⟨g x, d⟩ + L / 2 * ‖d‖².
Proof.
  intros HL [D E] x d.
  set (h := fun s => f (x ⊕ s ⊙ d) - s * ⟨g x, d⟩ - L / 2 * ‖d‖² * (s * s)).
  set (h' := fun s => ⟨g (x ⊕ s ⊙ d), d⟩ - ⟨g x, d⟩ - L * ‖d‖² * s).
  assert (Dh : forall s, derivable_pt_lim h s (h' s)).
  { intros s. unfold h, h'.
    apply derivable_pt_lim_minus; [apply derivable_pt_lim_minus|]; [apply D| |].
    - apply (derivative_value (1 * ⟨g x, d⟩ + s * 0)); [ring|].
      apply (derivable_pt_lim_mult id (fun _ => ⟨g x, d⟩));
        [apply derivable_pt_lim_id|apply derivable_pt_lim_const].
    - apply (derivative_value (L / 2 * ‖d‖² * (1 * s + s * 1))); [field|].
      apply (derivable_pt_lim_scal (fun s => s * s)).
      apply (derivable_pt_lim_mult id id); apply derivable_pt_lim_id. }
  destruct (MVT_cor2 h h' 0 1 Rlt_0_1) as [c [Ec [c0 c1]]]; [intros; apply Dh|].
  assert (N : h' c <= 0).
  { unfold h'. pose proof (dot_le_norms (g (x ⊕ c ⊙ d) ⊖ g x) d) as C.
    pose proof (lipschitz_norm L g (x ⊕ c ⊙ d) x HL E) as Q.
    assert (S : norm ((x ⊕ c ⊙ d) ⊖ x) = c * norm d).
    { rewrite (add_comm x), <- add_assoc, add_opp, add_zero, norm_scale, Rabs_pos_eq; lra. }
    rewrite S, dot_add_l, dot_scale_l in *. pose proof (norm_pos d) as Pd.
    rewrite <- (norm_square d).
    assert (norm (g (x ⊕ c ⊙ d) ⊖ g x) * norm d <= L * (c * norm d) * norm d)
      by (now apply Rmult_le_compat_r).
    lra. }
  unfold h in Ec. rewrite !scale_one, scale_zero, add_zero in Ec. lra.
Qed.

(** One gradient step of length 1/L shows how far below f can go. *)
Lemma gradient_gap L f g low : 0 <= L -> smooth L f g -> (forall y, low <= f y) ->
  forall x, ‖g x‖² <= 2 * L * (f x - low).
Proof.
  intros HL S Low x. pose proof (dot_pos (g x)) as P. destruct (Rle_lt_or_eq_dec _ _ HL) as [PL|Z].
  - pose proof (descent L f g HL S x ((- / L) ⊙ g x)) as D. rewrite dot_scale_r, square_scale in D.
    pose proof (Low (x ⊕ (- / L) ⊙ g x)) as B.
    apply (Rmult_le_reg_l (/ (2 * L))); [apply Rinv_0_lt_compat; lra|].
    replace (/ (2 * L) * (2 * L * (f x - low))) with (f x - low) by (field; lra).
    replace (- / L * ‖g x‖²) with (- 2 * (/ (2 * L) * ‖g x‖²)) in D by (field; lra).
    replace (L / 2 * ((- / L) ^ 2 * ‖g x‖²)) with (/ (2 * L) * ‖g x‖²) in D by (field; lra). lra.
  - subst L. rewrite Rmult_0_r, Rmult_0_l.
    destruct (Rle_lt_or_eq_dec _ _ P) as [Pg|]; [exfalso|lra].
    set (s := - ((f x - low + 1) / ‖g x‖²)).
    pose proof (descent 0 f g (Rle_refl 0) S x (s ⊙ g x)) as D. rewrite dot_scale_r in D.
    pose proof (Low (x ⊕ s ⊙ g x)) as B. unfold s in D at 2.
    replace (- ((f x - low + 1) / ‖g x‖²) * ‖g x‖²) with (- (f x - low + 1)) in D by (field; lra).
    lra.
Qed.

(** ** Averages of smooth losses *)
Lemma derivable_sum n (F F' : nat -> R -> R) s :
  (forall i, (i < n)%nat -> derivable_pt_lim (F i) s (F' i s)) ->
  derivable_pt_lim (fun s => sum n (fun i => F i s)) s (sum n (fun i => F' i s)).
Proof.
  induction n; intros E; simpl; [apply derivable_pt_lim_const|].
  apply (derivable_pt_lim_plus (fun s => sum n (fun i => F i s)) (F n)); auto.
Qed.

Lemma smooth_average n L F G : (0 < n)%nat -> (forall i, (i < n)%nat -> smooth L (F i) (G i)) ->
  smooth L (average n F) (average_gradient n G).
Proof.
  intros Hn S. split.
  - intros x d s. unfold average, average_gradient. rewrite dot_mean_l. unfold avg.
    apply (derivable_pt_lim_scal (fun s => sum n (fun i => F i (x ⊕ s ⊙ d)))).
    apply (derivable_sum n (fun i s => F i (x ⊕ s ⊙ d)) (fun i s => ⟨G i (x ⊕ s ⊙ d), d⟩)).
    intros i Hi. now apply S.
  - intros x y. unfold average_gradient.
    rewrite (same_norm _ (mean n (fun i => G i x ⊖ G i y))).
    + apply norm_mean_le; [assumption|]. intros i Hi. now apply S.
    + vectors. rewrite <- avg_scale, <- avg_add. apply avg_ext. intros.
      now rewrite dot_add_l, dot_scale_l.
Qed.

End Smooth.

(** ** Problems *)
Record Problem (H : Space) := {
  clients : nat;
  loss : nat -> H -> R;
  gradient : nat -> H -> H;
  smoothness : R;
  lowest : R;
  some_client : (0 < clients)%nat;
  smoothness_pos : 0 <= smoothness;
  smooth_losses : forall i, (i < clients)%nat -> smooth smoothness (loss i) (gradient i);
  bounded_below : forall y, lowest <= average clients loss y
}.

Arguments clients {H}. Arguments loss {H}. Arguments gradient {H}. Arguments smoothness {H}.
Arguments lowest {H}. Arguments some_client {H}. Arguments smoothness_pos {H}.
Arguments smooth_losses {H}. Arguments bounded_below {H}.

Section Problem.
Context {H : Space} (p : Problem H).

(** The global loss f, its gradient, and how far apart the clients' gradients are from it. *)
Definition global (x : H) : R := average (clients p) (loss p) x.
Definition global_gradient (x : H) : H := average_gradient (clients p) (gradient p) x.
Definition dissimilarity (sigma : R) : Prop :=
  forall i y, (i < clients p)%nat -> ‖gradient p i y ⊖ global_gradient y‖² <= sigma ^ 2.

Lemma clients_pos : 0 < INR (clients p).
Proof. apply lt_0_INR, some_client. Qed.

Lemma global_smooth : smooth (smoothness p) global global_gradient.
Proof. apply smooth_average; apply p. Qed.

Lemma global_lipschitz x y :
  ‖global_gradient x ⊖ global_gradient y‖² <= smoothness p ^ 2 * ‖x ⊖ y‖².
Proof. apply global_smooth. Qed.

Lemma client_lipschitz i x y : (i < clients p)%nat ->
  ‖gradient p i x ⊖ gradient p i y‖² <= smoothness p ^ 2 * ‖x ⊖ y‖².
Proof. intros Hi. now apply (smooth_losses p i Hi). Qed.

Lemma global_descent x d :
  global (x ⊕ d) <= global x + ⟨global_gradient x, d⟩ + smoothness p / 2 * ‖d‖².
Proof. apply descent; [apply smoothness_pos|apply global_smooth]. Qed.

Lemma global_gap x : ‖global_gradient x‖² <= 2 * smoothness p * (global x - lowest p).
Proof. apply gradient_gap; [apply smoothness_pos|apply global_smooth|apply bounded_below]. Qed.

(** Summed over the rounds, the loss falls by at most what there is to fall. *)
Lemma total_descent (x : nat -> H) (fall : nat -> R) T :
  (forall t, (t < T)%nat -> global (x (S t)) - global (x t) <= - fall t) ->
  sum T fall <= global (x 0%nat) - lowest p.
Proof.
  intros E. pose proof (bounded_below p (x T)) as B. fold (global (x T)) in B.
  pose proof (sum_telescope T (fun t => global (x t))) as Tel. cbn beta in Tel.
  assert (sum T (fun t => global (x (S t)) - global (x t)) <= sum T (fun t => -1 * fall t)).
  { apply sum_le. intros t Ht. specialize (E t Ht). lra. }
  rewrite sum_scale in *. lra.
Qed.

End Problem.

Notation "'∇' p" := (global_gradient p) (at level 9, p at level 9) : space_scope.
Notation "'∇i' p" := (gradient p) (at level 9, p at level 9) : space_scope.
