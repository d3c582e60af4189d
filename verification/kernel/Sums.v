(** * Finite sums of real numbers

    [sum n f] is f 0 + ... + f (n-1), and [avg n f] is (1/n) (f 0 + ... + f (n-1)).
    [ago j b t] is b (t - j), what was the case j rounds before round t, or 0 if there was no such
    round. Summed over the rounds, what was the case j rounds ago is at most what was the case at
    all ([ago_sum]); so a window of tau earlier rounds counts every round at most tau times
    ([window_sum]). *)
From Coq Require Import Reals Lra Psatz Lia.
Open Scope R_scope.

Fixpoint sum (n : nat) (f : nat -> R) : R :=
  match n with O => 0 | S k => sum k f + f k end.

Definition avg (n : nat) (f : nat -> R) : R := / INR n * sum n f.

(** Proves that a product, a quotient, a power or a sum is not negative if its parts are not. *)
Ltac pos := first
  [ lra
  | apply pos_INR
  | apply pow2_ge_0
  | apply Rmult_le_pos; pos
  | apply Rplus_le_le_0_compat; pos
  | apply pow_le; pos
  | apply Rlt_le, Rinv_0_lt_compat; lra
  | unfold Rdiv; apply Rmult_le_pos; pos ].

(** ** Rules for sums *)
Lemma sum_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> sum n f = sum n g.
Proof. induction n; intros E; simpl; [reflexivity|]. rewrite IHn, E; auto. Qed.

Lemma sum_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> sum n f <= sum n g.
Proof.
  induction n; intros E; simpl; [lra|]. specialize (E n (Nat.lt_succ_diag_r n)) as En.
  assert (sum n f <= sum n g) by (apply IHn; auto). lra.
Qed.

Lemma sum_add n f g : sum n (fun i => f i + g i) = sum n f + sum n g.
Proof. induction n; simpl; lra. Qed.

Lemma sum_scale n a f : sum n (fun i => a * f i) = a * sum n f.
Proof. induction n; simpl; [ring|]. rewrite IHn; ring. Qed.

Lemma sum_const n a : sum n (fun _ => a) = INR n * a.
Proof. induction n; [simpl; ring|]. rewrite S_INR; simpl; rewrite IHn; ring. Qed.

Lemma sum_pos n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= sum n f.
Proof.
  intros E. replace 0 with (sum n (fun _ => 0)) by (rewrite sum_const; ring). now apply sum_le.
Qed.

Lemma sum_zero n f : (forall i, (i < n)%nat -> f i = 0) -> sum n f = 0.
Proof. intros E. rewrite (sum_ext n f (fun _ => 0) E), sum_const. ring. Qed.

Lemma sum_swap n m f :
  sum n (fun i => sum m (fun j => f i j)) = sum m (fun j => sum n (fun i => f i j)).
Proof. induction n; simpl; [now rewrite sum_const, Rmult_0_r|]. now rewrite IHn, sum_add. Qed.

Lemma sum_le_const n f a : (forall i, (i < n)%nat -> f i <= a) -> sum n f <= INR n * a.
Proof. intros E. rewrite <- sum_const. now apply sum_le. Qed.

(** Only one term is not zero. *)
Lemma sum_single n f k :
  (k < n)%nat -> (forall i, (i < n)%nat -> i <> k -> f i = 0) -> sum n f = f k.
Proof.
  induction n; intros Hk E; [lia|]. simpl. destruct (Nat.eq_dec k n) as [->|Hn].
  - rewrite sum_zero; [ring|]. intros i Hi; apply E; lia.
  - rewrite IHn; try lia; [rewrite (E n); [ring|lia|lia]|]. intros i Hi; apply E; lia.
Qed.

Lemma sum_member n f k :
  (k < n)%nat -> (forall i, (i < n)%nat -> 0 <= f i) -> f k <= sum n f.
Proof.
  induction n; intros Hk E; [lia|]. simpl. assert (0 <= f n) by (apply E; lia).
  assert (0 <= sum n f) by (apply sum_pos; intros; apply E; lia).
  destruct (Nat.eq_dec k n) as [->|Hn]; [lra|].
  assert (f k <= sum n f) by (apply IHn; [lia|auto]). lra.
Qed.

Lemma sum_telescope n f : sum n (fun i => f (S i) - f i) = f n - f O.
Proof. induction n; simpl; [ring|]. rewrite IHn; ring. Qed.

Lemma sum_split n m f : sum (n + m) f = sum n f + sum m (fun k => f (n + k)%nat).
Proof. induction m; [rewrite Nat.add_0_r; simpl; lra|]. rewrite Nat.add_succ_r. cbn [sum]. lra. Qed.

Lemma sum_first n f : sum (S n) f = f 0%nat + sum n (fun k => f (S k)).
Proof. change (S n) with (1 + n)%nat. rewrite sum_split. simpl. lra. Qed.

Lemma sum_le_longer n m f :
  (n <= m)%nat -> (forall i, (i < m)%nat -> 0 <= f i) -> sum n f <= sum m f.
Proof.
  induction 1 as [|m Hm IH]; intros E; [lra|]. simpl. assert (0 <= f m) by (apply E; lia).
  assert (sum n f <= sum m f) by (apply IH; intros; apply E; lia). lra.
Qed.

(** ** Averages *)
Lemma avg_ext n f g : (forall i, (i < n)%nat -> f i = g i) -> avg n f = avg n g.
Proof. intros E. unfold avg. f_equal. now apply sum_ext. Qed.

Lemma inv_INR_pos n : (0 < n)%nat -> 0 < / INR n.
Proof. intros Hn. apply Rinv_0_lt_compat, lt_0_INR, Hn. Qed.

Lemma inv_INR_nonneg n : 0 <= / INR n.
Proof.
  destruct n; [simpl; rewrite Rinv_0; lra|]. left. apply inv_INR_pos. lia.
Qed.

Lemma avg_le n f g : (forall i, (i < n)%nat -> f i <= g i) -> avg n f <= avg n g.
Proof. intros E. apply Rmult_le_compat_l; [apply inv_INR_nonneg|]. now apply sum_le. Qed.

Lemma avg_pos n f : (forall i, (i < n)%nat -> 0 <= f i) -> 0 <= avg n f.
Proof. intros E. apply Rmult_le_pos; [apply inv_INR_nonneg|]. now apply sum_pos. Qed.

Lemma avg_const n a : (0 < n)%nat -> avg n (fun _ => a) = a.
Proof. intros Hn. apply lt_0_INR in Hn. unfold avg. rewrite sum_const. field. lra. Qed.

Lemma avg_add n f g : avg n (fun i => f i + g i) = avg n f + avg n g.
Proof. unfold avg. rewrite sum_add. ring. Qed.

Lemma avg_scale n a f : avg n (fun i => a * f i) = a * avg n f.
Proof. unfold avg. rewrite sum_scale. ring. Qed.

Lemma avg_le_const n f a : (0 < n)%nat -> (forall i, (i < n)%nat -> f i <= a) -> avg n f <= a.
Proof. intros Hn E. rewrite <- (avg_const n a Hn). now apply avg_le. Qed.

(** From a bound on [c] times a sum to a bound on the average. *)
Lemma avg_from_sum n f c b : (0 < n)%nat -> 0 < c -> c * sum n f <= b -> avg n f <= b / (c * INR n).
Proof.
  intros Hn Hc E. apply lt_0_INR in Hn. unfold avg.
  apply (Rmult_le_reg_l (c * INR n)); [now apply Rmult_lt_0_compat|].
  replace (c * INR n * (/ INR n * sum n f)) with (c * sum n f) by (field; lra).
  replace (c * INR n * (b / (c * INR n))) with b by (field; lra). assumption.
Qed.

(** ** Earlier rounds *)
Definition ago (j : nat) (b : nat -> R) (t : nat) : R :=
  if (j <=? t)%nat then b (t - j)%nat else 0.

Lemma ago_sum j b n : (forall t, 0 <= b t) -> sum n (ago j b) <= sum n b.
Proof.
  intros P. assert (E : sum n (ago j b) = sum (n - j) b).
  { induction n; [reflexivity|]. cbn [sum]. unfold ago at 2. rewrite IHn.
    destruct (Nat.leb_spec j n).
    - replace (S n - j)%nat with (S (n - j)) by lia. reflexivity.
    - replace (S n - j)%nat with (n - j)%nat by lia. ring. }
  rewrite E. apply sum_le_longer; auto; lia.
Qed.

Lemma ago_pos j b t : (forall t, 0 <= b t) -> 0 <= ago j b t.
Proof. intros P. unfold ago. destruct (j <=? t)%nat; auto; lra. Qed.

Lemma ago_is j b t : (j <= t)%nat -> ago j b t = b (t - j)%nat.
Proof. intros Hj. unfold ago. destruct (Nat.leb_spec j t); [reflexivity|lia]. Qed.

(** The sum over the tau rounds before round t. *)
Definition window (tau : nat) (b : nat -> R) (t : nat) : R := sum tau (fun j => ago (S j) b t).

Lemma window_pos tau b t : (forall t, 0 <= b t) -> 0 <= window tau b t.
Proof. intros P. apply sum_pos. intros. now apply ago_pos. Qed.

Lemma window_sum tau b n : (forall t, 0 <= b t) -> sum n (window tau b) <= INR tau * sum n b.
Proof. intros P. unfold window. rewrite sum_swap. apply sum_le_const. intros. now apply ago_sum. Qed.

(** The d <= tau rounds before round t lie in its window. *)
Lemma window_part tau b t d : (forall t, 0 <= b t) -> (d <= tau)%nat -> (d <= t)%nat ->
  sum d (fun j => b (t - S j)%nat) <= window tau b t.
Proof.
  intros P H1 H2. apply Rle_trans with (sum d (fun j => ago (S j) b t)).
  - apply sum_le. intros j Hj. rewrite ago_is by lia. lra.
  - apply sum_le_longer; [assumption|]. intros. now apply ago_pos.
Qed.

(** A round that is at most tau rounds before t is round t or lies in its window. *)
Lemma window_member tau b t u : (forall t, 0 <= b t) -> (u < t)%nat -> (t <= u + tau)%nat ->
  b u <= window tau b t.
Proof.
  intros P H1 H2. replace (b u) with (ago (S (t - u - 1)) b t) by (rewrite ago_is by lia; f_equal; lia).
  apply (sum_member tau (fun j => ago (S j) b t)); [lia|]. intros. now apply ago_pos.
Qed.

Lemma window_member_or_now tau b t u : (forall t, 0 <= b t) -> (u <= t)%nat -> (t <= u + tau)%nat ->
  b u <= b t + window tau b t.
Proof.
  intros P H1 H2. pose proof (window_pos tau b t P). destruct (Nat.eq_dec u t) as [->|]; [lra|].
  pose proof (window_member tau b t u P ltac:(lia) H2). specialize (P t). lra.
Qed.

(** ** Sums with a closed form *)
Lemma sum_indices n : sum n INR = INR n * (INR n - 1) / 2.
Proof. induction n; [simpl; lra|]. cbn [sum]. rewrite IHn, S_INR. field. Qed.

Lemma sum_squares n : sum n (fun k => INR k ^ 2) = INR n * (INR n - 1) * (2 * INR n - 1) / 6.
Proof. induction n; [simpl; lra|]. cbn [sum]. rewrite IHn, S_INR. field. Qed.

Lemma power_le_exp a n : 0 <= a -> (1 + a) ^ n <= exp (INR n * a).
Proof.
  intros Ha. induction n; [simpl; rewrite Rmult_0_l, exp_0; lra|].
  rewrite S_INR, Rmult_plus_distr_r, Rmult_1_l, exp_plus. simpl. rewrite Rmult_comm.
  apply Rmult_le_compat; [apply pow_le; lra|lra|assumption|]. apply exp_ineq1_le.
Qed.
