(** * Convex losses

    [convex mu f g]: f lies above each of its tangents by mu/2 times the squared distance; mu = 0 is
    convexity, mu > 0 strong convexity. For L-smooth f:

    - (3P) [three_points]: -2 <grad f(y), z - x> <= -2 (f z - f x) + L |z - y|^2 - mu |y - x|^2;
    - (Co) [co_coercive]: |grad f(z) - grad f(x)|^2 <= 2 L (f z - f x - <grad f(x), z - x>).

    An average of convex losses is convex, and so is the loss as random models see it. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Smooth.
From FL Require Import Chance.
Open Scope R_scope.

Section Convex.
Context {H : Space}.
Implicit Types (f : H -> R) (g : H -> H).

Definition convex (mu : R) f g := forall x y, f y + ⟨g y, x ⊖ y⟩ + mu / 2 * ‖x ⊖ y‖² <= f x.

Lemma three_points L mu f g x y z : 0 <= L -> smooth L f g -> convex mu f g ->
  -2 * ⟨g y, z ⊖ x⟩ <= -2 * (f z - f x) + L * ‖z ⊖ y‖² - mu * ‖y ⊖ x‖².
Proof.
  intros HL S C. pose proof (descent L f g HL S y (z ⊖ y)) as D. rewrite add_sub in D.
  specialize (C x y). rewrite (norm_sub_sym x y) in C.
  assert (E : ⟨g y, z ⊖ x⟩ = ⟨g y, z ⊖ y⟩ - ⟨g y, x ⊖ y⟩).
  { rewrite !dot_add_r, !dot_scale_r. ring. }
  rewrite E. lra.
Qed.

Lemma co_coercive L f g x z : 0 <= L -> smooth L f g -> convex 0 f g ->
  ‖g z ⊖ g x‖² <= 2 * L * (f z - f x - ⟨g x, z ⊖ x⟩).
Proof.
  intros HL S C. destruct (Rle_lt_or_eq_dec _ _ HL) as [PL|Z].
  - set (r := g z ⊖ g x). set (d := (- / L) ⊙ r).
    pose proof (descent L f g HL S z d) as D. pose proof (C (z ⊕ d) x) as B.
    assert (E : ⟨g x, (z ⊕ d) ⊖ x⟩ = ⟨g x, z ⊖ x⟩ + ⟨g x, d⟩) by (rewrite !dot_add_r, !dot_scale_r; ring).
    assert (R1 : ⟨g z, d⟩ - ⟨g x, d⟩ = - (/ L * ‖r‖²)).
    { unfold d, r. rewrite !dot_scale_r, !dot_add_l, !dot_add_r, !dot_scale_l, !dot_scale_r. ring. }
    assert (R2 : L / 2 * ‖d‖² = / L * ‖r‖² / 2) by (unfold d; rewrite square_scale; field; lra).
    rewrite E in B. apply (Rmult_le_reg_l (/ L)); [now apply Rinv_0_lt_compat|].
    replace (/ L * (2 * L * (f z - f x - ⟨g x, z ⊖ x⟩))) with (2 * (f z - f x - ⟨g x, z ⊖ x⟩)) by (field; lra).
    lra.
  - destruct S as [_ Lip]. specialize (Lip z x). rewrite <- Z in *. lra.
Qed.

Lemma convex_average n mu (F : nat -> H -> R) (G : nat -> H -> H) : (0 < n)%nat ->
  (forall i, (i < n)%nat -> convex mu (F i) (G i)) -> convex mu (average n F) (average_gradient n G).
Proof.
  intros Hn C x y. unfold average, average_gradient. rewrite dot_mean_l.
  rewrite <- (avg_const n (mu / 2 * ‖x ⊖ y‖²) Hn), <- !avg_add. apply avg_le. intros i Hi. now apply C.
Qed.

(** A point where the gradient vanishes is a minimiser. *)
Lemma stationary_is_lowest mu f g x : 0 <= mu -> convex mu f g -> same (g x) zero -> forall y, f x <= f y.
Proof.
  intros Hm C Z y. specialize (C y x). rewrite (Z (y ⊖ x)), dot_zero_l in C.
  pose proof (dot_pos (y ⊖ x)). assert (0 <= mu / 2 * ‖y ⊖ x‖²) by (apply Rmult_le_pos; lra). lra.
Qed.
End Convex.

(** The clients' losses are mu-strongly convex. *)
Definition convex_losses {H : Space} (p : Problem H) (mu : R) : Prop :=
  forall i, (i < clients p)%nat -> convex mu (loss p i) (∇i p i).

Section Global.
Context {H : Space} (p : Problem H) (mu : R).
Hypothesis losses : convex_losses p mu.

Lemma global_convex : convex mu (global p) (∇ p).
Proof. apply convex_average; [apply some_client|apply losses]. Qed.

Lemma client_three_points i x y z : (i < clients p)%nat ->
  -2 * ⟨∇i p i y, z ⊖ x⟩ <= -2 * (loss p i z - loss p i x) + smoothness p * ‖z ⊖ y‖² - mu * ‖y ⊖ x‖².
Proof. intros Hi. apply three_points; [apply smoothness_pos|now apply smooth_losses|now apply losses]. Qed.

Hypothesis mu_pos : 0 <= mu.

Lemma losses_plain i : (i < clients p)%nat -> convex 0 (loss p i) (∇i p i).
Proof.
  intros Hi x y. pose proof (losses i Hi x y). pose proof (dot_pos (x ⊖ y)).
  assert (0 <= mu / 2 * ‖x ⊖ y‖²) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma client_co_coercive i x z : (i < clients p)%nat ->
  ‖∇i p i z ⊖ ∇i p i x‖² <= 2 * smoothness p * (loss p i z - loss p i x - ⟨∇i p i x, z ⊖ x⟩).
Proof. intros Hi. apply co_coercive; [apply smoothness_pos|now apply smooth_losses|now apply losses_plain]. Qed.

(** At the optimum x of the global loss the clients' gradients add up to zero; so on average over the
    clients |grad f_i(z) - grad f_i(x)|^2 is at most 2 L (f z - f x). *)
Lemma mean_co_coercive x z : same (∇ p x) zero ->
  avg (clients p) (fun i => ‖∇i p i z ⊖ ∇i p i x‖²) <= 2 * smoothness p * (global p z - global p x).
Proof.
  intros Z. apply Rle_trans with (avg (clients p) (fun i =>
    2 * smoothness p * (loss p i z + -1 * loss p i x + -1 * ⟨∇i p i x, z ⊖ x⟩))).
  - apply avg_le. intros i Hi. pose proof (client_co_coercive i x z Hi). lra.
  - rewrite avg_scale, !avg_add, !avg_scale.
    assert (E : avg (clients p) (fun i => ⟨∇i p i x, z ⊖ x⟩) = 0).
    { rewrite <- dot_mean_l. change (⟨∇ p x, z ⊖ x⟩ = 0). rewrite (Z (z ⊖ x)). apply dot_zero_l. }
    rewrite E. right. unfold global, average. ring.
Qed.
End Global.

(** ** In expectation *)
Lemma convex_expected (P : Law) {E : Space} mu (f : E -> R) (g : E -> E) : convex mu f g ->
  convex (H := random P E) mu (fun X => expect P (fun w => f (X w))) (fun X w => g (X w)).
Proof.
  intros C X Y. simpl. rewrite <- expect_scale, <- !expect_add. apply expect_le. intros w. apply C.
Qed.

Lemma convex_losses_expected (P : Law) {E : Space} (p : Problem E) mu :
  convex_losses p mu -> convex_losses (expected P p) mu.
Proof. intros C i Hi. apply (convex_expected P). now apply C. Qed.
