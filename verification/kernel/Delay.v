(** * Delay: how far a model moves while an update is on its way

    A server moves its model by x_(t+1) = x_t - g u_t. After d <= tau rounds it is
    |x_t - x_(t-d)|^2 <= g^2 tau (the sum of |u|^2 over the tau rounds before t) away ([lag]). If
    u_t = D_t + N_t with |N_t|^2 <= nu, this is at most 2 g^2 (tau (the sum of |D|^2) + tau^2 nu)
    ([lag_any_noise]), and 2 g^2 (tau (the sum of |D|^2) + tau nu) if the noises of different rounds
    are orthogonal ([lag_orthogonal_noise]). Summed over the rounds, the window counts every round
    at most tau times ([window_sum] in [Sums.v]). *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Space.
Open Scope R_scope.

Section Delay.
Context {H : Space} (g : R) (x u : nat -> H).
Hypothesis serve : forall t, x (S t) = x t ⊕ (- g) ⊙ u t.

Lemma moved t d : (d <= t)%nat ->
  same (x t ⊖ x (t - d)%nat) ((- g) ⊙ vsum d (fun j => u (t - S j)%nat)).
Proof.
  induction d; intros Hd z.
  - rewrite Nat.sub_0_r, add_opp. simpl. rewrite dot_scale_l, !dot_zero_l. ring.
  - specialize (IHd ltac:(lia) z). cbn [vsum]. expand_dots. expand_dots_in IHd.
    replace (t - d)%nat with (S (t - S d)) in IHd by lia. rewrite serve in IHd. expand_dots_in IHd. lra.
Qed.

Definition square (v : nat -> H) (t : nat) : R := ‖v t‖².

Lemma square_pos v t : 0 <= square v t.
Proof. apply dot_pos. Qed.

Lemma sum_of_last (v : nat -> H) tau t d : (d <= t)%nat -> (d <= tau)%nat ->
  ‖vsum d (fun j => v (t - S j)%nat)‖² <= INR tau * window tau (square v) t.
Proof.
  intros Hd Ht. eapply Rle_trans; [apply norm_vsum|].
  assert (D : INR d <= INR tau) by (now apply le_INR). pose proof (pos_INR d).
  apply Rmult_le_compat; [assumption| |assumption|].
  - apply sum_pos. intros. apply dot_pos.
  - apply (window_part tau (square v)); auto. apply square_pos.
Qed.

Lemma lag tau t d : (d <= t)%nat -> (d <= tau)%nat ->
  ‖x t ⊖ x (t - d)%nat‖² <= g ^ 2 * (INR tau * window tau (square u) t).
Proof.
  intros Hd Ht. rewrite (same_norm _ _ (moved t d Hd)), square_scale.
  replace ((- g) ^ 2) with (g ^ 2) by ring. apply Rmult_le_compat_l; [pos|]. now apply sum_of_last.
Qed.

Section Noise.
Context (D N : nat -> H) (nu : R).
Hypothesis split : forall t, same (u t) (D t ⊕ N t).
Hypothesis noise_square : forall t, ‖N t‖² <= nu.

Lemma lag_split tau t d b : (d <= t)%nat -> (d <= tau)%nat ->
  ‖vsum d (fun j => N (t - S j)%nat)‖² <= b ->
  ‖x t ⊖ x (t - d)%nat‖² <= 2 * g ^ 2 * (INR tau * window tau (square D) t + b).
Proof.
  intros Hd Ht Hb. rewrite (same_norm _ _ (moved t d Hd)), square_scale.
  set (VD := vsum d (fun j => D (t - S j)%nat)). set (VN := vsum d (fun j => N (t - S j)%nat)) in *.
  assert (E : same (vsum d (fun j => u (t - S j)%nat)) (VD ⊕ VN)).
  { intros z. unfold VD, VN. rewrite dot_add_l, !dot_vsum_l, <- sum_add. apply sum_ext. intros.
    now rewrite split, dot_add_l. }
  rewrite (same_norm _ _ E). pose proof (norm_add2 VD VN) as Two.
  pose proof (sum_of_last D tau t d Hd Ht) as W. fold VD in W.
  replace (2 * g ^ 2 * (INR tau * window tau (square D) t + b))
    with ((- g) ^ 2 * (2 * (INR tau * window tau (square D) t + b))) by ring.
  apply Rmult_le_compat_l; [pos|]. lra.
Qed.

Lemma lag_any_noise tau t d : (d <= t)%nat -> (d <= tau)%nat ->
  ‖x t ⊖ x (t - d)%nat‖² <= 2 * g ^ 2 * (INR tau * window tau (square D) t + INR tau ^ 2 * nu).
Proof.
  intros Hd Ht. apply lag_split; auto. eapply Rle_trans; [apply norm_vsum|].
  assert (A : INR d <= INR tau) by (now apply le_INR). pose proof (pos_INR d).
  pose proof (dot_pos (N 0%nat)). pose proof (noise_square 0%nat).
  apply Rle_trans with (INR d * (INR d * nu)).
  - apply Rmult_le_compat_l; [assumption|]. apply sum_le_const. auto.
  - replace (INR tau ^ 2 * nu) with (INR tau * (INR tau * nu)) by ring.
    apply Rmult_le_compat; try lra; [pos|]. apply Rmult_le_compat_r; lra.
Qed.

Lemma lag_orthogonal_noise tau t d : (forall s r, s <> r -> ⟨N s, N r⟩ = 0) ->
  (d <= t)%nat -> (d <= tau)%nat ->
  ‖x t ⊖ x (t - d)%nat‖² <= 2 * g ^ 2 * (INR tau * window tau (square D) t + INR tau * nu).
Proof.
  intros O Hd Ht. apply lag_split; auto. rewrite norm_vsum_orthogonal by (intros; apply O; lia).
  pose proof (dot_pos (N 0%nat)). pose proof (noise_square 0%nat).
  apply Rle_trans with (INR d * nu); [now apply sum_le_const|].
  apply Rmult_le_compat_r; [lra|]. now apply le_INR.
Qed.
End Noise.
End Delay.
