(** * Descent with a memory

    A server moves its model by x_(t+1) = x_t - g u_t, where u_t is a mean of remembered reports:
    u_t = D_t + N_t, with |N_t|^2 <= nu. The noise N_t was drawn at models of at most tau rounds before,
    so it is orthogonal to the gradient at x_(t - tau), but not to the one at x_t. Let l = L g and
    4 l (tau + 1) <= 1. If |grad f (x_t) - D_t|^2 is at most twice the part that comes from the way
    of the model in tau rounds, plus rest_t, then the sum over T rounds of |grad f (x_t)|^2 is at
    most 2 gap/g + the sum of the rests + T (7/2) l (tau + 1) nu ([memory_descent]).

    What the noise N_t gains on the slope is paid by the descent itself ([noise_and_slope]): this is
    why no bound on gradients is needed, and why the noise term shrinks with nu. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Smooth Delay.
Open Scope R_scope.

Section MemoryDescent.
Context {H : Space} (p : Problem H) (g nu : R) (tau : nat) (x u D N : nat -> H).
Hypothesis g_pos : 0 < g.
Hypothesis serve : forall t, x (S t) = x t ⊕ (- g) ⊙ u t.
Hypothesis split : forall t, same (u t) (D t ⊕ N t).
Hypothesis noise_square : forall t, ‖N t‖² <= nu.
Hypothesis noise_is_young : forall t, ⟨∇ p (x (t - tau)%nat), N t⟩ = 0.

Notation L := (smoothness p).
Notation l := (L * g).
Notation W := (window tau (square D)).

Let nu_pos : 0 <= nu.
Proof. pose proof (dot_pos (N 0%nat)). pose proof (noise_square 0%nat). lra. Qed.

(** ** The noise of the memory against the slope of the current model *)
Lemma noise_and_slope t : - ⟨∇ p (x t), N t⟩ <=
  / (4 * INR tau) * W t + (INR tau ^ 2 * l ^ 2 + INR tau * l) * nu.
Proof.
  pose proof (smoothness_pos p) as PL. assert (Pl : 0 <= l) by pos. pose proof (pos_INR tau) as Pt.
  set (d := Nat.min tau t). set (old := x (t - d)%nat).
  assert (Old : ⟨∇ p old, N t⟩ = 0).
  { unfold old. replace (t - d)%nat with (t - tau)%nat by (unfold d; lia). apply noise_is_young. }
  set (VD := vsum d (fun j => D (t - S j)%nat)). set (VN := vsum d (fun j => N (t - S j)%nat)).
  assert (Moved : same (x t ⊖ old) ((- g) ⊙ (VD ⊕ VN))).
  { intros z. unfold old. rewrite (moved g x u serve t d ltac:(unfold d; lia) z). expand_dots. f_equal.
    unfold VD, VN. rewrite !dot_vsum_l, <- sum_add. apply sum_ext. intros. now rewrite split, dot_add_l. }
  set (n := sqrt nu). assert (Sn : n * n = nu) by (now apply sqrt_sqrt). assert (Pn : 0 <= n) by apply sqrt_pos.
  assert (Hn : forall s, norm (N s) <= n) by (intros s; apply norm_le; [assumption|rewrite Sn; apply noise_square]).
  assert (Dt : INR d <= INR tau) by (apply le_INR; unfold d; lia).
  assert (NVN : norm VN <= INR tau * n).
  { eapply Rle_trans; [apply norm_vsum_triangle|]. apply Rle_trans with (INR d * n); [now apply sum_le_const|].
    now apply Rmult_le_compat_r. }
  assert (NX : norm (x t ⊖ old) <= g * (norm VD + INR tau * n)).
  { rewrite (norm_same _ _ Moved), norm_scale, Rabs_Ropp, Rabs_pos_eq by lra.
    apply Rmult_le_compat_l; [lra|]. pose proof (norm_triangle VD VN). lra. }
  assert (NG : norm (∇ p (x t) ⊖ ∇ p old) <= l * (norm VD + INR tau * n)).
  { eapply Rle_trans; [apply (lipschitz_norm L (∇ p) _ _ PL (proj2 (global_smooth p)))|].
    rewrite Rmult_assoc. now apply Rmult_le_compat_l. }
  assert (Meet : - ⟨∇ p (x t), N t⟩ <= l * (norm VD + INR tau * n) * n).
  { pose proof (dot_le_norms ((-1) ⊙ (∇ p (x t) ⊖ ∇ p old)) (N t)) as C.
    rewrite dot_scale_l, dot_add_l, dot_scale_l, Old, norm_scale, (Rabs_left (-1)) in C by lra.
    pose proof (norm_pos (N t)). pose proof (norm_pos (∇ p (x t) ⊖ ∇ p old)).
    assert (norm (∇ p (x t) ⊖ ∇ p old) * norm (N t) <= l * (norm VD + INR tau * n) * n)
      by (apply Rmult_le_compat; auto). lra. }
  eapply Rle_trans; [exact Meet|].
  destruct (Nat.eq_dec tau 0) as [Z|Z].
  - assert (VD0 : norm VD = 0) by (unfold VD, d; rewrite Z; apply norm_zero). rewrite VD0, Z. simpl.
    assert (0 <= / (4 * 0) * window 0 (square D) t) by (unfold window; simpl; lra). lra.
  - assert (T1 : 0 < INR tau) by (apply lt_0_INR; lia).
    assert (SqD : norm VD * norm VD <= INR tau * W t).
    { rewrite norm_square. apply sum_of_last; unfold d; lia. }
    assert (Y : l * norm VD * n <= / (4 * INR tau ^ 2) * (norm VD * norm VD) + INR tau ^ 2 * l ^ 2 * nu).
    { pose proof (pow2_ge_0 (/ (2 * INR tau) * norm VD - INR tau * l * n)) as Q.
      replace ((/ (2 * INR tau) * norm VD - INR tau * l * n) ^ 2)
        with (/ (4 * INR tau ^ 2) * (norm VD * norm VD) - l * norm VD * n + INR tau ^ 2 * l ^ 2 * (n * n))
        in Q by (field; lra). rewrite Sn in Q. lra. }
    assert (V : / (4 * INR tau ^ 2) * (norm VD * norm VD) <= / (4 * INR tau) * W t).
    { apply (Rmult_le_compat_l (/ (4 * INR tau ^ 2))) in SqD; [|left; apply Rinv_0_lt_compat; nra].
      eapply Rle_trans; [exact SqD|]. right. field. lra. }
    replace (l * (norm VD + INR tau * n) * n) with (l * norm VD * n + INR tau * l * (n * n)) by ring.
    rewrite Sn. lra.
Qed.

(** ** One round *)
Section Rounds.
Variable rest : nat -> R.

(** The squared way of the model in tau rounds is at most lag. *)
Definition lag t : R := 2 * g ^ 2 * (INR tau * W t + INR tau ^ 2 * nu).
Hypothesis bias : forall t, ‖∇ p (x t) ⊖ D t‖² <= 2 * (L ^ 2 * lag t) + rest t.

Lemma one_round t : global p (x (S t)) - global p (x t) <=
  - (g / 2 * (‖∇ p (x t)‖² + (1 - 2 * l) * square D t - (4 * l ^ 2 * INR tau + 2 * / (4 * INR tau)) * W t
              - rest t - (6 * (l * INR tau) ^ 2 + 2 * (l * INR tau) + 2 * l) * nu)).
Proof.
  pose proof (global_descent p (x t) ((- g) ⊙ u t)) as De. rewrite <- serve in De.
  rewrite dot_scale_r, square_scale, (dot_sym _ (u t)), split, dot_add_l, (same_norm _ _ (split t)) in De.
  pose proof (bias t) as B. rewrite norm_sub in B. pose proof (smoothness_pos p) as PL.
  pose proof (norm_add2 (D t) (N t)) as N2. pose proof (noise_square t) as Nu. pose proof (noise_and_slope t) as NS.
  assert (U : L / 2 * ((- g) ^ 2 * ‖D t ⊕ N t‖²) <= L / 2 * ((- g) ^ 2 * (2 * ‖D t‖² + 2 * nu))).
  { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [pos|lra]. }
  rewrite (dot_sym (D t)), (dot_sym (N t)) in De. unfold lag in B. unfold square at 1.
  apply (Rmult_le_compat_l (g / 2)) in B; [|lra]. apply (Rmult_le_compat_l g) in NS; [|lra]. lra.
Qed.

(** ** All rounds *)
Theorem memory_descent T : 4 * l * (INR tau + 1) <= 1 ->
  sum T (fun t => ‖∇ p (x t)‖²) <=
  2 * (global p (x 0%nat) - lowest p) / g + sum T rest + INR T * (7 / 2 * l * (INR tau + 1) * nu).
Proof.
  intros Small. pose proof (total_descent p x _ T (fun t _ => one_round t)) as De. rewrite sum_scale in De.
  pose proof (smoothness_pos p) as PL. assert (Pl : 0 <= l) by pos. pose proof (pos_INR tau) as Pt.
  set (SS := sum T (fun t => ‖∇ p (x t)‖²)) in *. set (SP := sum T (square D)). set (SW := sum T W).
  set (v := l * INR tau) in *. set (c := 6 * v ^ 2 + 2 * v + 2 * l) in *.
  rewrite (sum_ext T _ (fun t => ‖∇ p (x t)‖² + (1 - 2 * l) * square D t
      + (- (4 * l ^ 2 * INR tau + 2 * / (4 * INR tau))) * W t + -1 * rest t + - (c * nu))) in De
    by (intros; ring).
  rewrite !sum_add, !sum_scale, sum_const in De. fold SP SW in De. change (sum T (fun t => ‖∇ p (x t)‖²)) with SS in De.
  assert (PP : 0 <= SP) by (apply sum_pos; intros; apply square_pos).
  assert (HW : SW <= INR tau * SP) by (apply window_sum, square_pos).
  assert (Quarter : 2 * / (4 * INR tau) * SW <= / 2 * SP).
  { destruct (Nat.eq_dec tau 0) as [Z|Z].
    - assert (PW : 0 <= SW) by (apply sum_pos; intros; apply window_pos, square_pos).
      rewrite Z in HW. simpl in HW. replace SW with 0 by lra. lra.
    - assert (T1 : 0 < INR tau) by (apply lt_0_INR; lia).
      apply (Rmult_le_compat_l (2 * / (4 * INR tau))) in HW; [|pos]. eapply Rle_trans; [exact HW|]. right. field. lra. }
  assert (Pv : 0 <= v) by (unfold v; pos). assert (V : 4 * v + 4 * l <= 1) by (unfold v; lra).
  assert (V2 : v * v <= v * / 4) by (apply Rmult_le_compat_l; lra).
  assert (LW : 4 * l ^ 2 * INR tau * SW <= 4 * (v * v) * SP).
  { apply (Rmult_le_compat_l (4 * l ^ 2 * INR tau)) in HW; [|pos]. unfold v. lra. }
  assert (LP : 4 * (v * v) * SP <= v * SP) by (apply Rmult_le_compat_r; lra).
  assert (Rest : 0 <= (1 / 2 - 2 * l - v) * SP) by (apply Rmult_le_pos; lra).
  assert (Noise : c * nu <= 7 / 2 * l * (INR tau + 1) * nu).
  { apply Rmult_le_compat_r; [assumption|]. unfold c.
    replace (7 / 2 * l * (INR tau + 1)) with (7 / 2 * v + 7 / 2 * l) by (unfold v; ring). lra. }
  apply (Rmult_le_compat_l (INR T)) in Noise; [|apply pos_INR].
  apply (Rmult_le_compat_l (2 / g)) in De; [|pos]. unfold Rdiv at 1 in De.
  match type of De with 2 * / g * (g / 2 * ?e) <= _ =>
    replace (2 * / g * (g / 2 * e)) with e in De by (generalize e; intros; field; lra) end.
  replace (2 * (global p (x 0%nat) - lowest p) / g) with (2 / g * (global p (x 0%nat) - lowest p))
    by (field; lra). lra.
Qed.
End Rounds.
End MemoryDescent.
