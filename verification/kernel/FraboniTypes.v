(** * Fraboni et al., Lemma 7: how far a round's gradient is from the federated one

    J data types with L-smooth losses F_j that are bounded below by low j, importances r_j that add up to
    at most 1, and parts s_j >= 0 of a round's weight. Type j is represented if s_j is not 0. Then
    ([lemma7]) |sum_j r_j grad F_j - sum_j s_j grad F_j|^2 is at most
    4 L chi^2 sum_j s_j (F_j - low_j) + 4 L sum over absent types of r_j (F_j - low_j). *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Smooth Claims_fraboni.
Open Scope R_scope.

Section Types.
Context {H : Space} (J : nat) (F : nat -> H -> R) (G : nat -> H -> H) (low : nat -> R) (L : R) (r s : nat -> R) (y : H).
Hypothesis L_pos : 0 <= L.
Hypothesis losses_smooth : forall j, (j < J)%nat -> smooth L (F j) (G j).
Hypothesis above : forall j z, (j < J)%nat -> low j <= F j z.
Hypothesis importances : (forall j, 0 <= r j) /\ sum J r <= 1.
Hypothesis parts_pos : forall j, 0 <= s j.

Definition absent j : R := if Req_EM_T (s j) 0 then 1 else 0.
(** chi^2, over the represented types: a quotient by s_j = 0 does not count. *)
Definition mismatch : R := sum J (fun j => (1 - absent j) * ((r j - s j) ^ 2 / s j)).
Definition types_at_point : R := sum J (fun j => s j * (F j y - low j)).
Definition absent_types : R := sum J (fun j => absent j * (r j * (F j y - low j))).

Lemma type_gradient j : (j < J)%nat -> ‖G j y‖² <= 2 * L * (F j y - low j).
Proof. intros Hj. apply (gradient_gap L (F j) (G j)); auto. Qed.

(** |sum a_j v_j|^2 <= (sum of a_j^2/s_j) (sum of s_j |v_j|^2) over the represented types. *)
Lemma represented : ‖vsum J (fun j => ((1 - absent j) * (r j - s j)) ⊙ G j y)‖²
  <= mismatch * sum J (fun j => s j * ‖G j y‖²).
Proof.
  set (c := fun j => (1 - absent j) * ((r j - s j) ^ 2 / s j)).
  set (v := fun j => (s j / (r j - s j)) ⊙ G j y).
  assert (Pc : forall j, 0 <= c j).
  { intros j. unfold c, absent. destruct (Req_EM_T (s j) 0) as [|N]; [lra|].
    pose proof (parts_pos j). apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply pow2_ge_0|].
    left. apply Rinv_0_lt_compat. lra. }
  rewrite (same_norm _ (vsum J (fun j => c j ⊙ v j))).
  - eapply Rle_trans; [apply (norm_weighted J c v Pc)|].
    apply Rmult_le_compat_l; [apply sum_pos; intros; apply Pc|]. apply sum_le. intros j Hj.
    unfold c, v, absent. rewrite square_scale. pose proof (dot_pos (G j y)). pose proof (parts_pos j).
    destruct (Req_EM_T (s j) 0) as [Z|N]; [rewrite Z; lra|].
    destruct (Req_dec (r j - s j) 0) as [Z|N2].
    + rewrite Z. replace ((1 - 0) * (0 ^ 2 / s j) * ((s j / 0) ^ 2 * ‖G j y‖²)) with 0 by (unfold Rdiv; ring).
      now apply Rmult_le_pos.
    + right. field. auto.
  - intros z. rewrite !dot_vsum_l. apply sum_ext. intros j Hj. unfold c, v, absent. rewrite !dot_scale_l.
    destruct (Req_EM_T (s j) 0) as [Z|N]; [ring|].
    destruct (Req_dec (r j - s j) 0) as [Z|N2]; [rewrite Z; unfold Rdiv; ring|]. field. auto.
Qed.

Lemma left_out : ‖vsum J (fun j => (absent j * r j) ⊙ G j y)‖² <= sum J (fun j => absent j * (r j * ‖G j y‖²)).
Proof.
  destruct importances as [Pr Total].
  assert (Pa : forall j, 0 <= absent j <= 1) by (intros; unfold absent; destruct (Req_EM_T (s j) 0); lra).
  eapply Rle_trans; [apply (norm_weighted J (fun j => absent j * r j)); intros j; destruct (Pa j);
    now apply Rmult_le_pos|].
  assert (One : sum J (fun j => absent j * r j) <= 1).
  { eapply Rle_trans; [|exact Total]. apply sum_le. intros j _. destruct (Pa j). specialize (Pr j).
    assert (absent j * r j <= 1 * r j) by now apply Rmult_le_compat_r. lra. }
  set (S := sum J (fun j => absent j * r j * ‖G j y‖²)).
  assert (PS : 0 <= S).
  { apply sum_pos. intros j _. destruct (Pa j). apply Rmult_le_pos; [now apply Rmult_le_pos|apply dot_pos]. }
  apply Rle_trans with (1 * S); [now apply Rmult_le_compat_r|]. right. rewrite Rmult_1_l. apply sum_ext. intros. ring.
Qed.

Theorem lemma7 :
  ‖vsum J (fun j => r j ⊙ G j y) ⊖ vsum J (fun j => s j ⊙ G j y)‖² <=
  fraboni_lem7_right (absent_types := absent_types) (mismatch := mismatch) (smoothness := L)
    (types_at_point := types_at_point).
Proof.
  pose proof represented as E1. pose proof left_out as E2.
  set (u := vsum J (fun j => ((1 - absent j) * (r j - s j)) ⊙ G j y)) in *.
  set (v := vsum J (fun j => (absent j * r j) ⊙ G j y)) in *.
  rewrite (same_norm _ (u ⊕ v)).
  2: { intros z. unfold u, v. rewrite !dot_add_l, dot_scale_l, !dot_vsum_l, <- sum_scale, <- !sum_add. apply sum_ext.
       intros j _. rewrite !dot_scale_l. unfold absent. destruct (Req_EM_T (s j) 0) as [Z|N]; [rewrite Z|]; ring. }
  assert (F1 : sum J (fun j => s j * ‖G j y‖²) <= 2 * L * types_at_point).
  { unfold types_at_point. rewrite <- sum_scale. apply sum_le. intros j Hj. pose proof (type_gradient j Hj) as T.
    apply (Rmult_le_compat_l (s j)) in T; [|apply parts_pos]. lra. }
  assert (F2 : sum J (fun j => absent j * (r j * ‖G j y‖²)) <= 2 * L * absent_types).
  { unfold absent_types. rewrite <- sum_scale. apply sum_le. intros j Hj. pose proof (type_gradient j Hj) as T.
    destruct importances as [Pr _]. apply (Rmult_le_compat_l (absent j * r j)) in T; [lra|].
    apply Rmult_le_pos; [unfold absent; destruct (Req_EM_T (s j) 0); lra|apply Pr]. }
  assert (Pm : 0 <= mismatch).
  { apply sum_pos. intros j _. unfold absent. destruct (Req_EM_T (s j) 0) as [|N]; [lra|]. pose proof (parts_pos j).
    apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply pow2_ge_0|left; apply Rinv_0_lt_compat; lra]. }
  apply (Rmult_le_compat_l mismatch) in F1; [|assumption].
  eapply Rle_trans; [apply norm_add2|]. unfold fraboni_lem7_right. lra.
Qed.
End Types.
