(** * Fraboni et al., Theorem 3 without bounded gradients: balanced windows

    The rounds are those of Fraboni.v. They fall into windows of W rounds, and in each window client i has
    the same mean weight qbar_i. The objective is Lbar = sum_i qbar_i L_i, at its lowest at x. Then
    ([in_windows]), with A >= rho, alpha rho + beta, W' = W (0 if W = 1),
    y = hLA(1 + W') + D + 2 rho A h^2 L^2 (tau + W)^2 and 16 y <= 1, the mean over all rounds of
    Lbar(theta_n) - Lbar(x) is at most |theta_0 - x|^2/(hN) + (4y/L) Sigma. No gradient is bounded, and
    rounds may have objectives of their own that are far apart. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Convex Fraboni.
Open Scope R_scope.

(** ** Windows *)
Lemma sum_blocks W B f : sum (B * W) f = sum B (fun c => sum W (fun a => f (c * W + a)%nat)).
Proof.
  induction B; [reflexivity|]. replace (S B * W)%nat with (B * W + W)%nat by lia. rewrite sum_split, IHB. reflexivity.
Qed.

(** Steps j that lie between rounds a and m of a window. *)
Definition between (a m j : nat) : R :=
  (if (a <=? j)%nat then 1 else 0) * (if (j <? m)%nat then 1 else 0)
  + (if (m <=? j)%nat then 1 else 0) * (if (j <? a)%nat then 1 else 0).

Definition overlap (W : nat) : R := if (W =? 1)%nat then 0 else INR W.

Lemma count_after W j : (j < W)%nat -> sum W (fun m => if (j <? m)%nat then 1 else 0) = INR W - 1 - INR j.
Proof.
  induction W; intros Hj; [lia|]. cbn [sum]. rewrite S_INR. destruct (Nat.ltb_spec j W) as [Lt|Ge].
  - rewrite IHW by assumption. ring.
  - replace j with W by lia. rewrite sum_zero; [ring|]. intros m Hm. destruct (Nat.ltb_spec W m); [lia|reflexivity].
Qed.

Lemma count_until W j : (j < W)%nat -> sum W (fun a => if (a <=? j)%nat then 1 else 0) = INR j + 1.
Proof.
  intros Hj. replace W with (S j + (W - S j))%nat by lia. rewrite sum_split.
  rewrite (sum_ext (S j) _ (fun _ => 1)), sum_const, S_INR.
  - rewrite sum_zero; [ring|]. intros k _. destruct (Nat.leb_spec (S j + k) j); [lia|reflexivity].
  - intros k Hk. destruct (Nat.leb_spec k j); [reflexivity|lia].
Qed.

Lemma overlap_large W : (0 < W)%nat -> 2 * INR W * (INR W - 1) <= 2 * INR W * overlap W /\ 0 <= overlap W
  /\ (W = 1%nat \/ overlap W = INR W).
Proof.
  intros HW. pose proof (lt_0_INR W HW). unfold overlap. destruct (Nat.eqb_spec W 1) as [->|].
  - split; [simpl; lra|]. split; [lra|now left].
  - split; [apply Rmult_le_compat_l; lra|]. split; [lra|now right].
Qed.

Lemma partners W a j : (j < W)%nat -> sum W (fun m => between a m j)
  = (INR W - 1 - INR j) * (if (a <=? j)%nat then 1 else 0) + (INR j + 1) * (if (j <? a)%nat then 1 else 0).
Proof.
  intros Hj. unfold between. rewrite sum_add, sum_scale, count_after by assumption.
  rewrite (sum_ext W (fun i => (if (i <=? j)%nat then 1 else 0) * (if (j <? a)%nat then 1 else 0))
    (fun i => (if (j <? a)%nat then 1 else 0) * (if (i <=? j)%nat then 1 else 0))) by (intros; ring).
  rewrite sum_scale, count_until by assumption. ring.
Qed.

(** Any j lies between at most W W'/2 ordered pairs of rounds. *)
Lemma pairs_around W j : (j < W)%nat ->
  sum W (fun a => sum W (fun m => between a m j)) <= INR W * overlap W / 2.
Proof.
  intros Hj. rewrite (sum_ext W _ (fun a => (INR W - 1 - INR j) * (if (a <=? j)%nat then 1 else 0)
    + (INR j + 1) * (if (j <? a)%nat then 1 else 0))).
  - rewrite sum_add, !sum_scale, count_until, count_after by assumption.
    destruct (overlap_large W ltac:(lia)) as (_ & _ & [-> | ->]).
    + replace j with 0%nat by lia. unfold overlap. simpl. lra.
    + pose proof (pow2_ge_0 (INR W - 1 - INR j - (INR j + 1))) as Q.
      assert (4 * ((INR W - 1 - INR j) * (INR j + 1)) <= (INR W) ^ 2) by lra. lra.
  - intros a _. now apply partners.
Qed.

(** All pairs of a round a with another one: at most W W'/2 steps between them. *)
Lemma steps_around W a : (a < W)%nat ->
  sum W (fun m => sum W (fun j => between a m j)) <= INR W * overlap W / 2.
Proof.
  intros Ha. rewrite sum_swap.
  rewrite (sum_ext W _ (fun j => (INR W - 1 - INR j) * (if (a <=? j)%nat then 1 else 0)
    + (INR j + 1) * (if (j <? a)%nat then 1 else 0))).
  2: { intros j Hj. now apply partners. }
  assert (E : sum W (fun j => (INR W - 1 - INR j) * (if (a <=? j)%nat then 1 else 0)
    + (INR j + 1) * (if (j <? a)%nat then 1 else 0))
    = INR a * (INR a + 1) / 2 + (INR W - INR a) * (INR W - INR a - 1) / 2).
  { replace W with (a + (W - a))%nat at 1 by lia. rewrite sum_split.
    rewrite (sum_ext a _ (fun j => INR j + 1)).
    2: { intros j Hj. destruct (Nat.leb_spec a j); [lia|]. destruct (Nat.ltb_spec j a); [ring|lia]. }
    rewrite (sum_ext (W - a) _ (fun k => INR W - 1 - INR a + -1 * INR k)).
    2: { intros k Hk. destruct (Nat.leb_spec a (a + k)); [|lia]. destruct (Nat.ltb_spec (a + k) a); [lia|].
         rewrite plus_INR. ring. }
    rewrite !sum_add, sum_scale, !sum_const, !sum_indices, minus_INR by lia. field. }
  rewrite E. destruct (overlap_large W ltac:(lia)) as (_ & _ & [-> | ->]).
  - replace a with 0%nat by lia. unfold overlap. simpl. lra.
  - pose proof (pos_INR a) as Pa. assert (H1 : INR a + 1 <= INR W) by (rewrite <- S_INR; apply le_INR; lia).
    assert (0 <= INR a * (INR W - INR a - 1)) by (apply Rmult_le_pos; lra). lra.
Qed.

(** ** The run *)
Section Windows.
Context {H : Space} (run : Rounds H).
Notation M := (crowd run).
Notation K := (steps run).
Notation L := (smoothness run).
Notation eta := (local_step run).
Notation eg := (server_step run).
Notation h := (eg * eta * INR K).
Notation q := (q run).
Notation x := (reference run).
Notation theta := (server run).
Notation U := (aggregate run).

(** The clients' gradients; the noise of a batch at a local model, and of the losses at x, is fair. *)
Variable G : nat -> H -> H.
Hypothesis objective_smooth : forall i, (i < M)%nat -> smooth L (objective run i) (G i).
Hypothesis objective_convex : forall i, (i < M)%nat -> convex 0 (objective run i) (G i).
Hypothesis unbiased : forall n i k y, (i < M)%nat -> (k < K)%nat ->
  y = theta n \/ y = x \/ y = G i (local run n i k) -> ⟨grad run n i k, y⟩ = ⟨G i (local run n i k), y⟩.
Hypothesis seen_local : forall n i k, (i < M)%nat -> (k < K)%nat ->
  sample run n i k (local run n i k) = objective run i (local run n i k).
Hypothesis slope_fair : forall n i k y, (i < M)%nat -> (k < K)%nat -> y = x \/ y = local run n i k ->
  ⟨slope run n i k x, y⟩ = ⟨G i x, y⟩.

(** W rounds in each of B windows. *)
Variables (W B : nat) (qbar sigma : nat -> R).
Hypothesis some_window : (0 < W)%nat /\ (0 < B)%nat.
Hypothesis qbar_pos : forall i, 0 <= qbar i.
Hypothesis balanced : forall c i, (c < B)%nat -> (i < M)%nat ->
  sum W (fun a => q (c * W + a)%nat i) = INR W * qbar i.
Hypothesis optimal : same (vsum M (fun i => qbar i ⊙ G i x)) zero.
Hypothesis noise_at_optimum : forall n i, (i < M)%nat -> avg K (fun k => ‖slope run n i k x‖²) <= sigma i.
Variables (tau : nat) (rho A : R).
Hypothesis aged : forall n i, (i < M)%nat -> (n <= pulled run n i + tau)%nat.
Hypothesis weight_small : forall n, (n < B * W)%nat -> total run n <= rho.
Hypothesis A_large : rho <= A /\ alpha run * rho + beta run <= A.
Hypothesis steps_positive : 0 < eta /\ 0 < eg.
Hypothesis L_positive : 0 < L.

Definition mean_objective y : R := sum M (fun i => qbar i * objective run i y).
Definition gap_of n : R := mean_objective (theta n) - mean_objective x.
Definition direction n : H := vsum M (fun i => q n i ⊙ mean K (fun k => G i (local run n i k))).
Definition near m n : R := L * mix run n (fun i => avg K (fun k => ‖theta m ⊖ local run n i k‖²)).
Definition near_block c n : R := avg W (fun m => near (c * W + m) n).

Lemma W_pos : 0 < INR W. Proof. apply lt_0_INR, some_window. Qed.

Lemma in_block c a : (c < B)%nat -> (a < W)%nat -> (c * W + a < B * W)%nat.
Proof. intros. nia. Qed.

(** A mean over a window of what does not depend on the round is a mean with the weights qbar. *)
Lemma over_window c (f : nat -> nat -> R) : (c < B)%nat ->
  sum W (fun a => avg W (fun m => mix run (c * W + a) (fun i => f i m))) = sum W (fun m => sum M (fun i => qbar i * f
    i m)).
Proof.
  intros Hc. unfold avg. rewrite sum_scale, sum_swap, <- sum_scale. apply sum_ext. intros m _. unfold mix.
  rewrite sum_swap, <- sum_scale. apply sum_ext. intros i Hi. pose proof W_pos.
  rewrite (sum_ext W _ (fun a => f i m * q (c * W + a)%nat i)) by (intros; ring).
  rewrite sum_scale, balanced by assumption. field. lra.
Qed.

Lemma direction_dot n y : ⟨direction n, y⟩ = mix run n (fun i => avg K (fun k => ⟨G i (local run n i k), y⟩)).
Proof. unfold direction. rewrite dot_mixed. apply mix_ext. intros. apply dot_mean_l. Qed.

Lemma aggregate_dot n y : y = theta n \/ y = x -> ⟨U n, y⟩ = ⟨direction n, y⟩.
Proof.
  intros Hy. rewrite (weights_mean run n y Hy), direction_dot, dot_mixed. apply mix_ext. intros i Hi.
  rewrite dot_mean_l. apply avg_ext. intros k Hk. apply unbiased; tauto.
Qed.

Lemma one_step n : ‖theta (S n) ⊖ x‖² - ‖theta n ⊖ x‖² = -2 * h * ⟨direction n, theta n ⊖ x⟩ + h ^ 2 * ‖U n‖².
Proof.
  rewrite (serve run). rewrite (same_norm _ ((theta n ⊖ x) ⊕ (- h) ⊙ U n)) by vectors.
  rewrite norm_add, square_scale, dot_scale_r, (dot_sym (theta n ⊖ x) (U n)).
  assert (E : ⟨U n, theta n ⊖ x⟩ = ⟨direction n, theta n ⊖ x⟩).
  { rewrite !dot_add_r, !dot_scale_r, (aggregate_dot n (theta n)), (aggregate_dot n x) by auto. reflexivity. }
  rewrite E. ring.
Qed.

Lemma toward_any m n : -2 * ⟨direction n, theta m ⊖ x⟩
  <= -2 * mix run n (fun i => objective run i (theta m) - objective run i x) + near m n.
Proof.
  rewrite direction_dot. unfold near. rewrite <- !mix_scale, <- mix_add. apply mix_le. intros i Hi.
  rewrite <- !avg_scale. rewrite <- (avg_const K (-2 * (objective run i (theta m) - objective run i x)) (some_steps
    run)).
  rewrite <- avg_add. apply avg_le. intros k Hk.
  pose proof (three_points L 0 _ _ x (local run n i k) (theta m) (smoothness_pos run) (objective_smooth i Hi)
    (objective_convex i Hi)).
  lra.
Qed.

(** *** Moves within a window *)
Definition sign (a m j : nat) : R := (if (j <? m)%nat then 1 else 0) - (if (j <? a)%nat then 1 else 0).

Lemma sum_until m f : (m <= W)%nat -> sum W (fun j => (if (j <? m)%nat then 1 else 0) * f j) = sum m f.
Proof.
  intros Hm. replace W with (m + (W - m))%nat by lia. rewrite sum_split.
  transitivity (sum m f + 0); [|ring]. f_equal.
  - apply sum_ext. intros j Hj. destruct (Nat.ltb_spec j m); [ring|lia].
  - apply sum_zero. intros k _. destruct (Nat.ltb_spec (m + k) m); [lia|ring].
Qed.

Lemma window_move s a m : (a <= W)%nat -> (m <= W)%nat ->
  same (theta (s + a)%nat ⊖ theta (s + m)%nat) (vsum W (fun j => (h * sign a m j) ⊙ U (s + j)%nat)).
Proof.
  intros Ha Hm y. pose proof (server_moves run s a y) as Ea. pose proof (server_moves run s m y) as Em.
  rewrite dot_vsum_l in *.
  rewrite (sum_ext W _ (fun j => h * ((if (j <? m)%nat then 1 else 0) * ⟨U (s + j)%nat, y⟩)
    + -1 * h * ((if (j <? a)%nat then 1 else 0) * ⟨U (s + j)%nat, y⟩))).
  2: { intros j _. unfold sign. rewrite dot_scale_l. ring. }
  rewrite sum_add, !sum_scale, !sum_until by assumption.
  rewrite (sum_ext a _ (fun j => h * ⟨U (s + j)%nat, y⟩)) in Ea by (intros; apply dot_scale_l).
  rewrite (sum_ext m _ (fun j => h * ⟨U (s + j)%nat, y⟩)) in Em by (intros; apply dot_scale_l).
  rewrite sum_scale in Ea, Em. rewrite dot_add_l, dot_scale_l in *. lra.
Qed.

Lemma sign_small a m j : sign a m j ^ 2 <= 1.
Proof. unfold sign. destruct (j <? m)%nat, (j <? a)%nat; lra. Qed.

Definition moves s : R := sum W (fun j => ‖U (s + j)%nat‖²).

Lemma window_apart s a m : (a <= W)%nat -> (m <= W)%nat ->
  ‖theta (s + a)%nat ⊖ theta (s + m)%nat‖² <= h ^ 2 * INR W * moves s.
Proof.
  intros Ha Hm. rewrite (same_norm _ _ (window_move s a m Ha Hm)). eapply Rle_trans; [apply norm_vsum|].
  replace (h ^ 2 * INR W * moves s) with (INR W * (h ^ 2 * moves s)) by ring.
  apply Rmult_le_compat_l; [apply pos_INR|]. unfold moves. rewrite <- sum_scale.
  apply sum_le. intros j _. rewrite square_scale. apply Rmult_le_compat_r; [apply dot_pos|].
  pose proof (sign_small a m j) as S1. apply (Rmult_le_compat_l (h ^ 2)) in S1; [|apply pow2_ge_0]. lra.
Qed.

Lemma across s a m y : (a < W)%nat -> (m < W)%nat -> -2 * h * ⟨y, theta (s + a)%nat ⊖ theta (s + m)%nat⟩
  <= h ^ 2 * sum W (fun j => between a m j * (‖y‖² + ‖U (s + j)%nat‖²)).
Proof.
  intros Ha Hm. rewrite (dot_sym y), (window_move s a m ltac:(lia) ltac:(lia) y), dot_vsum_l, <- !sum_scale.
  apply sum_le. intros j _. rewrite dot_scale_l. set (u := U (s + j)%nat).
  pose proof (young 1 u y Rlt_0_1) as Y1. pose proof (dot_pos (u ⊕ y)) as Y2. rewrite Rinv_1 in Y1.
  rewrite norm_add in Y2.
  assert (E : - 2 * (sign a m j * ⟨u, y⟩) <= between a m j * (‖y‖² + ‖u‖²)).
  { unfold sign, between. destruct (Nat.ltb_spec j m), (Nat.ltb_spec j a), (Nat.leb_spec a j), (Nat.leb_spec m j);
      try lia; lra. }
  apply (Rmult_le_compat_l (h ^ 2)) in E; [|apply pow2_ge_0]. lra.
Qed.

(** *** One window *)
Lemma one_window c : (c < B)%nat ->
  sum W (fun a => ‖theta (S (c * W + a)) ⊖ x‖² - ‖theta (c * W + a)%nat ⊖ x‖²)
  <= h * (-2 * sum W (fun a => gap_of (c * W + a)) + sum W (fun a => near_block c (c * W + a)))
   + h ^ 2 * (overlap W / 2 * (sum W (fun a => ‖direction (c * W + a)‖²) + moves (c * W)) + moves (c * W)).
Proof.
  intros Hc. pose proof W_pos as PW. pose proof (h_pos run) as Ph. set (s := (c * W)%nat).
  set (v := fun a => ‖direction (s + a)‖²). set (u := fun j => ‖U (s + j)%nat‖²).
  apply Rle_trans with (sum W (fun a => h * (-2 * avg W (fun m => mix run (s + a)
      (fun i => objective run i (theta (s + m)%nat) - objective run i x)) + near_block c (s + a))
    + h ^ 2 / INR W * sum W (fun m => sum W (fun j => between a m j * (v a + u j))) + h ^ 2 * u a)).
  - apply sum_le. intros a Ha. rewrite one_step. unfold near_block. fold s.
    assert (E : -2 * h * ⟨direction (s + a), theta (s + a)%nat ⊖ x⟩
      = avg W (fun m => h * (-2 * ⟨direction (s + a), theta (s + m)%nat ⊖ x⟩)
        + -2 * h * ⟨direction (s + a), theta (s + a)%nat ⊖ theta (s + m)%nat⟩)).
    { rewrite <- (avg_const W (-2 * h * ⟨direction (s + a), theta (s + a)%nat ⊖ x⟩)) by apply some_window.
      apply avg_ext. intros m _. rewrite !dot_add_r, !dot_scale_r. ring. }
    rewrite E.
    apply Rle_trans with (avg W (fun m => h * (-2 * mix run (s + a) (fun i => objective run i (theta (s + m)%nat) -
      objective run i x)
      + near (s + m) (s + a)) + h ^ 2 * sum W (fun j => between a m j * (v a + u j))) + h ^ 2 * u a).
    + apply Rplus_le_compat_r, avg_le. intros m Hm. pose proof (toward_any (s + m) (s + a)) as T.
      apply (Rmult_le_compat_l h) in T; [|assumption]. pose proof (across s a m (direction (s + a)) Ha Hm) as Cr.
      fold (v a) in Cr. unfold u. lra.
    + rewrite avg_add, !avg_scale, avg_add, avg_scale. unfold avg. right. unfold Rdiv. ring.
  - rewrite !sum_add, !sum_scale, sum_add, sum_scale. unfold s at 1.
    rewrite (over_window c (fun i m => objective run i (theta (s + m)%nat) - objective run i x) Hc).
    assert (E : sum W (fun m => sum M (fun i => qbar i * (objective run i (theta (s + m)%nat) - objective run i x)))
      = sum W (fun a => gap_of (s + a))).
    { apply sum_ext. intros m _. unfold gap_of, mean_objective.
      rewrite (sum_ext M _ (fun i => qbar i * objective run i (theta (s + m)%nat) + -1 * (qbar i * objective run i x)))
        by (intros; ring). rewrite sum_add, sum_scale. ring. }
    rewrite E.
    assert (P : sum W (fun a => sum W (fun m => sum W (fun j => between a m j * (v a + u j))))
      <= INR W * overlap W / 2 * (sum W v + sum W u)).
    { apply Rle_trans with (sum W (fun a => v a * sum W (fun m => sum W (fun j => between a m j)))
        + sum W (fun j => u j * sum W (fun a => sum W (fun m => between a m j)))).
      - right. rewrite (sum_ext W (fun j => u j * sum W (fun a => sum W (fun m => between a m j)))
          (fun j => sum W (fun a => sum W (fun m => u j * between a m j)))).
        2: { intros j _. rewrite <- sum_scale. apply sum_ext. intros a _. now rewrite sum_scale. }
        rewrite (sum_swap W W (fun j a => sum W (fun m => u j * between a m j))), <- sum_add. apply sum_ext. intros a _.
        rewrite (sum_swap W W (fun j m => u j * between a m j)), <- sum_scale, <- sum_add. apply sum_ext. intros m _.
        rewrite <- sum_scale, <- sum_add. apply sum_ext. intros j _. ring.
      - rewrite Rmult_plus_distr_l, <- !sum_scale. apply Rplus_le_compat; apply sum_le; intros a Ha; rewrite Rmult_comm;
          (apply Rmult_le_compat_r; [apply dot_pos|]); [now apply steps_around|now apply pairs_around]. }
    apply (Rmult_le_compat_l (h ^ 2 / INR W)) in P.
    2: { apply Rmult_le_pos; [apply pow2_ge_0|left; now apply Rinv_0_lt_compat]. }
    replace (h ^ 2 / INR W * (INR W * overlap W / 2 * (sum W v + sum W u))) with (h ^ 2 * (overlap W / 2 * (sum W v +
      sum W u))) in P
      by (set (hh := h); field; lra).
    unfold moves. fold s. fold u. fold v. lra.
Qed.

(** *** How large reports are *)
Lemma rho_positive : 0 <= rho.
Proof.
  destruct some_window. pose proof (weight_small 0%nat ltac:(nia)). pose proof (total_pos run 0). lra.
Qed.

Lemma squares_is n : squares run n = mix run n (fun i => avg K (fun k => ‖grad run n i k‖²)).
Proof. symmetry. apply (mix_avg run n K (fun i k => ‖grad run n i k‖²)). Qed.

Lemma gradient_le n i k : (i < M)%nat -> (k < K)%nat -> ‖G i (local run n i k)‖² <= ‖grad run n i k‖².
Proof.
  intros Hi Hk. pose proof (dot_pos (grad run n i k ⊖ G i (local run n i k))) as P.
  rewrite norm_sub, (unbiased n i k (G i (local run n i k))) in P by auto. lra.
Qed.

Lemma direction_small n : (n < B * W)%nat -> ‖direction n‖² <= A * squares run n.
Proof.
  intros Hn. pose proof (squares_pos run n). destruct A_large as [A1 _].
  apply Rle_trans with (rho * squares run n); [|now apply Rmult_le_compat_r].
  unfold direction. eapply Rle_trans; [apply norm_mixed|].
  apply Rmult_le_compat; [apply total_pos|apply mix_pos; intros; apply dot_pos|now apply weight_small|].
  rewrite squares_is. apply mix_le. intros i Hi. eapply Rle_trans; [apply norm_mean|]. apply avg_le. intros k Hk.
  now apply gradient_le.
Qed.

Lemma aggregate_le n : (n < B * W)%nat -> ‖U n‖² <= A * squares run n.
Proof.
  intros Hn. pose proof (squares_pos run n) as Ps. destruct A_large as [_ A2].
  pose proof (alpha_small run) as Pa. pose proof (beta_pos run) as Pb.
  assert (R1 : mix run n (fun i => ‖report run n i‖²) <= squares run n).
  { rewrite squares_is. apply mix_le. intros i Hi. apply norm_mean. }
  assert (R2 : ‖flow run n‖² <= rho * squares run n).
  { unfold flow. eapply Rle_trans; [apply norm_mixed|].
    apply Rmult_le_compat; [apply total_pos|apply mix_pos; intros; apply dot_pos|now apply weight_small|assumption]. }
  assert (Sq : ‖U n‖² <= alpha run * ‖flow run n‖² + beta run * mix run n (fun i => ‖report run n i‖²))
    by apply (weights_square run n).
  apply (Rmult_le_compat_l (alpha run)) in R2; [|lra]. apply (Rmult_le_compat_l (beta run)) in R1; [|assumption].
  apply (Rmult_le_compat_r (squares run n)) in A2; [|assumption]. lra.
Qed.

(** *** The clients' excess losses at the optimum's tangent *)
Definition bregman i y : R := objective run i y - objective run i x - ⟨G i x, y ⊖ x⟩.

Lemma bregman_near i z y : (i < M)%nat -> bregman i y <= 2 * bregman i z + L * ‖z ⊖ y‖².
Proof.
  intros Hi. pose proof (descent L _ _ (smoothness_pos run) (objective_smooth i Hi) z (y ⊖ z)) as D.
  rewrite add_sub in D.
  pose proof (co_coercive L _ _ x z (smoothness_pos run) (objective_smooth i Hi) (objective_convex i Hi)) as C.
  pose proof (young L (G i z ⊖ G i x) (y ⊖ z) L_positive) as Y.
  apply (Rmult_le_compat_l (/ L)) in C; [|left; now apply Rinv_0_lt_compat].
  replace (/ L * (2 * L * (objective run i z - objective run i x - ⟨G i x, z ⊖ x⟩))) with (2 * bregman i z) in C
    by (unfold bregman; field; lra).
  rewrite (norm_sub_sym y z) in *. unfold bregman in *.
  rewrite (dot_add_l (G i z)), dot_scale_l, !dot_add_r, !dot_scale_r in Y. rewrite !dot_add_r, !dot_scale_r in *. lra.
Qed.

Lemma from_optimum m n i k : (i < M)%nat -> (k < K)%nat -> ‖grad run n i k ⊖ slope run n i k x‖²
  <= 2 * L * (2 * bregman i (theta m) + L * ‖theta m ⊖ local run n i k‖²).
Proof.
  intros Hi Hk. pose proof (co_coercive L _ _ x (local run n i k) (smoothness_pos run) (sample_smooth run n i k Hi Hk)
    (sample_convex run n i k Hi Hk)) as C.
  rewrite seen_local, seen_reference in C by assumption. fold (grad run n i k) in C.
  assert (E : ⟨slope run n i k x, local run n i k ⊖ x⟩ = ⟨G i x, local run n i k ⊖ x⟩).
  { rewrite !dot_add_r, !dot_scale_r, (slope_fair n i k (local run n i k)), (slope_fair n i k x) by auto. reflexivity. }
  rewrite E in C. fold (bregman i (local run n i k)) in C. pose proof (bregman_near i (theta m) (local run n i k) Hi)
    as Q.
  apply (Rmult_le_compat_l (2 * L)) in Q; [|lra]. lra.
Qed.

Lemma squares_near m n : squares run n <= 4 * L * (2 * mix run n (fun i => bregman i (theta m)) + near m n)
  + 2 * mix run n sigma.
Proof.
  rewrite squares_is. unfold near. rewrite <- !mix_scale, <- mix_add, <- !mix_scale, <- mix_add. apply mix_le.
  intros i Hi.
  pose proof (noise_at_optimum n i Hi) as Ns.
  apply Rle_trans with (avg K (fun k => 8 * L * bregman i (theta m) + 4 * L * (L * ‖theta m ⊖ local run n i k‖²)
    + 2 * ‖slope run n i k x‖²)).
  - apply avg_le. intros k Hk. pose proof (from_optimum m n i k Hi Hk) as F. set (e := slope run n i k x) in *.
    rewrite (same_norm (grad run n i k) ((grad run n i k ⊖ e) ⊕ e)) by vectors.
    eapply Rle_trans; [apply norm_add2|]. lra.
  - rewrite !avg_add, !avg_scale, avg_const by apply some_steps. lra.
Qed.

Definition Sigma : R := sum M (fun i => qbar i * sigma i).

Lemma bregman_sum y : sum M (fun i => qbar i * bregman i y) = mean_objective y - mean_objective x.
Proof.
  pose proof (optimal (y ⊖ x)) as Z. rewrite dot_zero_l, dot_vsum_l in Z. unfold bregman, mean_objective.
  rewrite (sum_ext M _ (fun i => qbar i * objective run i y + -1 * (qbar i * objective run i x) + -1 * ⟨qbar i ⊙ G i
    x, y ⊖ x⟩))
    by (intros; rewrite dot_scale_l; ring).
  rewrite !sum_add, !sum_scale, Z. ring.
Qed.

Lemma gap_of_pos n : 0 <= gap_of n.
Proof.
  unfold gap_of. rewrite <- bregman_sum. apply sum_pos. intros i Hi. apply Rmult_le_pos; [apply qbar_pos|].
  pose proof (objective_convex i Hi (theta n) x) as C. unfold bregman. lra.
Qed.

Notation rounds f := (sum (B * W) f).
Notation X := (sum B (fun c => sum W (fun a => near_block c (c * W + a)))).
Notation S := (sum (B * W) (squares run)).

Lemma squares_total : S <= 8 * L * rounds gap_of + 4 * L * X + 2 * (INR (B * W) * Sigma).
Proof.
  rewrite !sum_blocks. replace (INR (B * W) * Sigma) with (sum B (fun _ => INR W * Sigma))
    by (rewrite sum_const, mult_INR; ring).
  rewrite <- !sum_scale, <- !sum_add. apply sum_le. intros c Hc. pose proof W_pos as PW.
  apply Rle_trans with (sum W (fun a => 8 * L * avg W (fun m => mix run (c * W + a) (fun i => bregman i (theta (c * W
    + m)%nat)))
    + 4 * L * near_block c (c * W + a) + 2 * mix run (c * W + a) sigma)).
  - apply sum_le. intros a _. rewrite <- (avg_const W (squares run (c * W + a))) by apply some_window.
    rewrite <- (avg_const W (2 * mix run (c * W + a) sigma)) by apply some_window. unfold near_block.
    rewrite <- !avg_scale, <- !avg_add. apply avg_le. intros m _. pose proof (squares_near (c * W + m) (c * W + a)).
    lra.
  - rewrite !sum_add, !sum_scale, (over_window c (fun i m => bregman i (theta (c * W + m)%nat)) Hc).
    assert (E1 : sum W (fun m => sum M (fun i => qbar i * bregman i (theta (c * W + m)%nat))) = sum W (fun a =>
      gap_of (c * W + a))).
    { apply sum_ext. intros m _. apply bregman_sum. }
    assert (E2 : sum W (fun a => mix run (c * W + a) sigma) = INR W * Sigma).
    { pose proof (over_window c (fun i _ => sigma i) Hc) as O. cbv beta in O. fold Sigma in O. rewrite sum_const in O.
      rewrite <- O. apply sum_ext. intros a _. symmetry. apply avg_const, some_window. }
    rewrite E1, E2. lra.
Qed.

(** *** How far local models are from the window's models *)
Notation u := (fun j => ‖U j‖²).

Lemma far s a m i : (a < W)%nat -> (m < W)%nat -> (i < M)%nat ->
  ‖theta (s + m)%nat ⊖ theta (pulled run (s + a) i)‖²
  <= h ^ 2 * (INR tau + INR W) * (moves s + window tau u (s + a)).
Proof.
  intros Ha Hm Hi. pose proof (window_apart s m a ltac:(lia) ltac:(lia)) as E1.
  pose proof (lag run tau aged (s + a) i Hi) as E2. rewrite norm_sub_sym in E2.
  pose proof W_pos as PW. assert (Pu : forall j, 0 <= u j) by (intros; apply dot_pos).
  pose proof (window_pos tau u (s + a) Pu) as Pw. assert (Pm : 0 <= moves s) by (apply sum_pos; intros; apply dot_pos).
  pose proof (pow2_ge_0 h) as Ph.
  rewrite (same_norm _ ((theta (s + m)%nat ⊖ theta (s + a)%nat) ⊕ (theta (s + a)%nat ⊖ theta (pulled run (s + a)
    i)))) by vectors.
  destruct tau as [|tau'].
  - destruct (pull run (s + a) i Hi) as [Hp _]. pose proof (aged (s + a) i Hi).
    replace (pulled run (s + a) i) with (s + a)%nat by lia.
    rewrite (same_norm _ (theta (s + m)%nat ⊖ theta (s + a)%nat)) by vectors.
    assert (0 <= h ^ 2 * INR W * window 0 u (s + a)) by pos. simpl (INR 0). lra.
  - set (tt := Datatypes.S tau') in *. assert (Pt : 0 < INR tt) by (apply lt_0_INR; unfold tt; lia).
    eapply Rle_trans; [apply (norm_add_young (INR W / INR tt)); apply Rdiv_lt_0_compat; assumption|].
    apply (Rmult_le_compat_l (1 + / (INR W / INR tt))) in E1.
    2: { assert (0 < / (INR W / INR tt)) by (apply Rinv_0_lt_compat, Rdiv_lt_0_compat; assumption). lra. }
    apply (Rmult_le_compat_l (1 + INR W / INR tt)) in E2.
    2: { assert (0 < INR W / INR tt) by (apply Rdiv_lt_0_compat; assumption). lra. }
    set (hh := h ^ 2) in *.
    replace ((1 + / (INR W / INR tt)) * (hh * INR W * moves s)) with (hh * (INR tt + INR W) * moves s) in E1 by
      (field; lra).
    replace ((1 + INR W / INR tt) * (hh * INR tt * window tt u (s + a))) with (hh * (INR tt + INR W) * window tt u (s
      + a)) in E2
      by (field; lra). lra.
Qed.

Lemma near_small c a : (c < B)%nat -> (a < W)%nat -> near_block c (c * W + a)
  <= L * eta ^ 2 * INR K * (INR K - 1) * squares run (c * W + a)
   + 2 * L * rho * (h ^ 2 * (INR tau + INR W)) * (moves (c * W) + window tau u (c * W + a)).
Proof.
  intros Hc Ha. set (n := (c * W + a)%nat). pose proof rho_positive as Pr. pose proof (pow2_ge_0 h) as Ph.
  pose proof W_pos as PW.
  assert (Pu : forall j, 0 <= u j) by (intros; apply dot_pos). pose proof (pos_INR tau) as Pt.
  pose proof (window_pos tau u n Pu) as Pw. assert (Pm : 0 <= moves (c * W)) by (apply sum_pos; intros; apply dot_pos).
  apply avg_le_const; [apply some_window|]. intros m Hm. unfold near.
  apply Rle_trans with (L * (2 * eta ^ 2 * mix run n (fun i => avg K (fun k => ‖moved run n i k‖²))
    + 2 * mix run n (fun _ => h ^ 2 * (INR tau + INR W) * (moves (c * W) + window tau u n)))).
  - apply Rmult_le_compat_l; [lra|]. rewrite <- !mix_scale, <- mix_add. apply mix_le. intros i Hi.
    pose proof (far (c * W) a m i Ha Hm Hi) as F. fold n in F.
    apply Rle_trans with (avg K (fun k => 2 * eta ^ 2 * ‖moved run n i k‖² + 2 * ‖theta (c * W + m)%nat ⊖ theta
      (pulled run n i)‖²)).
    + apply avg_le. intros k Hk. rewrite (same_norm _ ((theta (c * W + m)%nat ⊖ theta (pulled run n i)) ⊕ eta ⊙ moved
      run n i k)).
      * eapply Rle_trans; [apply norm_add2|]. rewrite square_scale. lra.
      * intros y. rewrite !dot_add_l, !dot_scale_l, (local_is run n i k Hi ltac:(lia) y), dot_add_l, !dot_scale_l. ring.
    + rewrite avg_add, avg_scale, avg_const by apply some_steps. lra.
  - rewrite mix_const. pose proof (mix_moved_small run n) as Q. rewrite <- mix_avg in Q.
    assert (Pe : 0 <= 2 * L * eta ^ 2) by (pose proof (pow2_ge_0 eta); pos).
    apply (Rmult_le_compat_l (2 * L * eta ^ 2)) in Q; [|assumption].
    pose proof (weight_small n (in_block c a Hc Ha)) as Wn.
    apply (Rmult_le_compat_r (2 * L * (h ^ 2 * (INR tau + INR W) * (moves (c * W) + window tau u n)))) in Wn; [lra|].
    apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply Rmult_le_pos; lra|lra].
Qed.

Lemma near_total : X <= L * eta ^ 2 * INR K * (INR K - 1) * S
  + 2 * L * rho * h ^ 2 * (INR tau + INR W) ^ 2 * rounds u.
Proof.
  pose proof rho_positive as Pr. pose proof (pow2_ge_0 h) as Ph. pose proof W_pos as PW. pose proof (pos_INR tau) as Pt.
  assert (Pu : forall j, 0 <= u j) by (intros; apply dot_pos).
  apply Rle_trans with (L * eta ^ 2 * INR K * (INR K - 1) * S
    + 2 * L * rho * (h ^ 2 * (INR tau + INR W)) * (INR W * rounds u + rounds (window tau u))).
  - rewrite !sum_blocks. rewrite <- (sum_scale B (INR W)), <- sum_add, <- !sum_scale, <- sum_add. apply sum_le.
  intros c Hc.
    fold (moves (c * W)). rewrite <- (sum_const W (moves (c * W))), <- sum_add, <- !sum_scale, <- sum_add.
    apply sum_le. intros a Ha.
    now apply near_small.
  - pose proof (window_sum tau u (B * W) Pu) as Ws.
    apply (Rmult_le_compat_l (2 * L * rho * (h ^ 2 * (INR tau + INR W)))) in Ws; [lra|].
    apply Rmult_le_pos; [pos|apply Rmult_le_pos; lra].
Qed.

(** ** All windows *)
Definition share : R := h * L * A * (1 + overlap W) + eta ^ 2 * INR K * (INR K - 1) * L ^ 2
  + 2 * rho * A * h ^ 2 * L ^ 2 * (INR tau + INR W) ^ 2.

Theorem in_windows : 16 * share <= 1 ->
  avg (B * W) gap_of <= ‖theta 0%nat ⊖ x‖² / (h * INR (B * W)) + 4 * share / L * Sigma.
Proof.
  intros Small. destruct some_window as [HW HB]. destruct steps_positive as [P1 P2].
  pose proof (lt_0_INR K (some_steps run)) as PK. pose proof rho_positive as Pr. pose proof (pos_INR tau) as Pt.
  assert (Ph : 0 < h) by (apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|assumption]).
  pose proof (le_INR 1 K (some_steps run)) as K1. simpl in K1. destruct A_large as [A1 A2].
  destruct (overlap_large W HW) as (_ & Po & _).
  assert (PN : 0 < INR (B * W)) by (apply lt_0_INR; nia).
  set (V := rounds (fun n => ‖direction n‖²)). set (Us := rounds u). set (Gs := rounds gap_of).
  set (d0 := ‖theta 0%nat ⊖ x‖²).
  assert (E1 : 0 <= d0 + h * (-2 * Gs + X) + h ^ 2 * (overlap W / 2 * (V + Us) + Us)).
  { pose proof (sum_telescope (B * W) (fun n => ‖theta n ⊖ x‖²)) as T. pose proof (dot_pos (theta (B * W)%nat ⊖ x)).
    assert (Q : rounds (fun n => ‖theta (Datatypes.S n) ⊖ x‖² - ‖theta n ⊖ x‖²)
      <= h * (-2 * Gs + X) + h ^ 2 * (overlap W / 2 * (V + Us) + Us)).
    { unfold V, Us, Gs. rewrite !sum_blocks, <- (sum_scale B (-2)), <- (sum_add B _ (fun c => sum W (fun a =>
      near_block c (c * W + a)))),
        <- (sum_add B _ (fun c => sum W (fun a => ‖U (c * W + a)%nat‖²))), <- !sum_scale, <- !sum_add, <- !sum_scale,
          <- !sum_add.
      apply sum_le. intros c Hc. pose proof (one_window c Hc) as O. unfold moves in O. lra. }
    cbv beta in T. rewrite T in Q. unfold d0. lra. }
  assert (E2 : V <= A * S) by (unfold V; rewrite <- sum_scale; apply sum_le; intros; now apply direction_small).
  assert (E3 : Us <= A * S) by (unfold Us; rewrite <- sum_scale; apply sum_le; intros; now apply aggregate_le).
  pose proof squares_total as E4. fold Gs in E4. pose proof near_total as E5. fold Us in E5.
  assert (PS : 0 <= S) by (apply sum_pos; intros; apply squares_pos).
  assert (PG : 0 <= Gs) by (apply sum_pos; intros; apply gap_of_pos).
  set (hh := h) in *. set (y := share) in *. set (Xs := X) in *. set (Ss := S) in *.
  set (o := overlap W) in *. set (T2 := (INR tau + INR W) ^ 2) in *.
  assert (Ey : y = hh * L * A * (1 + o) + eta ^ 2 * INR K * (INR K - 1) * L ^ 2 + 2 * rho * A * hh ^ 2 * L ^ 2 * T2)
    by reflexivity.
  assert (PT : 0 <= T2) by apply pow2_ge_0.
  assert (E6 : L * Xs <= (eta ^ 2 * INR K * (INR K - 1) * L ^ 2 + 2 * rho * A * hh ^ 2 * L ^ 2 * T2) * Ss).
  { apply (Rmult_le_compat_l (2 * L * rho * hh ^ 2 * T2)) in E3; [|pose proof (pow2_ge_0 hh); pos].
    apply (Rmult_le_compat_l L) in E5; [|lra]. apply (Rmult_le_compat_l L) in E3; [|lra]. lra. }
  assert (E7 : 2 * hh * Gs <= d0 + hh * Xs + hh ^ 2 * ((1 + o) * A * Ss)).
  { assert (Q : o / 2 * (V + Us) + Us <= (1 + o) * A * Ss).
    { assert (o / 2 * (V + Us) <= o / 2 * (2 * (A * Ss))) by (apply Rmult_le_compat_l; lra). lra. }
    apply (Rmult_le_compat_l (hh ^ 2)) in Q; [|apply pow2_ge_0]. lra. }
  assert (E8 : 2 * (L * Gs) <= L * (d0 / hh) + y * Ss).
  { assert (Q : 2 * Gs <= d0 / hh + Xs + hh * ((1 + o) * A * Ss)).
    { apply (Rmult_le_reg_l hh); [assumption|].
      replace (hh * (d0 / hh + Xs + hh * ((1 + o) * A * Ss))) with (d0 + hh * Xs + hh ^ 2 * ((1 + o) * A * Ss)) by
        (field; lra).
      lra. }
    apply (Rmult_le_compat_l L) in Q; [|lra]. rewrite Ey. lra. }
  assert (E9 : L * Xs <= 1 / 16 * Ss).
  { assert (Q : 0 <= hh * L * A * (1 + o) * Ss) by (repeat (apply Rmult_le_pos || lra)).
    apply (Rmult_le_compat_r Ss) in Small; [|assumption]. rewrite Ey in Small. lra. }
  assert (E10 : Ss <= 16 * (L * Gs) + 4 * (INR (B * W) * Sigma)).
  { assert (0 <= L * Gs) by (apply Rmult_le_pos; lra).
    assert (PSg : 0 <= INR (B * W) * Sigma).
    { apply Rmult_le_pos; [lra|]. apply sum_pos. intros i Hi. apply Rmult_le_pos; [apply qbar_pos|].
      eapply Rle_trans; [|apply (noise_at_optimum 0%nat i Hi)]. apply avg_pos. intros. apply dot_pos. }
    lra. }
  assert (Py : 0 <= y).
  { rewrite Ey. pose proof W_pos. pose proof (pow2_ge_0 hh). pose proof (pow2_ge_0 eta). pose proof (pow2_ge_0 L).
    repeat apply Rplus_le_le_0_compat; repeat apply Rmult_le_pos; lra. }
  apply (Rmult_le_compat_l y) in E10; [|assumption].
  assert (E11 : 16 * y * (L * Gs) <= 1 * (L * Gs)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|assumption]).
  assert (E12 : L * Gs <= L * (d0 / hh) + 4 * y * (INR (B * W) * Sigma)) by lra.
  unfold avg. fold Gs. apply (Rmult_le_reg_l (L * INR (B * W))); [now apply Rmult_lt_0_compat|].
  replace (L * INR (B * W) * (/ INR (B * W) * Gs)) with (L * Gs) by (field; lra).
  replace (L * INR (B * W) * (d0 / (hh * INR (B * W)) + 4 * y / L * Sigma))
    with (L * (d0 / hh) + 4 * y * (INR (B * W) * Sigma)) by (field; lra).
  assumption.
Qed.
End Windows.
