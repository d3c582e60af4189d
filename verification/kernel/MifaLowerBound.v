(** * MIFA: Proposition 5.1, a lower bound for every algorithm

    N devices, K local steps, P n rounds; all devices are heard in every P-th round, so they answer
    m = K N n times, and their mean age is (P - 1)/2. Every device has the loss (mu/2)(w - theta)^2, theta one of
    two numbers, d and -d. Asked at a point w it answers mu (w - y), where y is a or -a, a = sigma/mu, drawn
    independently with mean theta: an unbiased stochastic gradient, whose noise is at most sigma^2 in mean
    square. An [Algorithm] asks where it likes, given a seed and all answers before, and ends where it likes.

    - [oracle_mean], [oracle_noise]: the answer has the mean mu (w - theta), and noise of at most sigma^2;
    - [proposition5_1]: for one of the two theta the expected gap at the end is at least taubar sigma^2/(6 mu N K T),
      T = P n + 1, whatever the algorithm and the law of its seed: Proposition 5.1 with the constant 1/6.

    The answers tell no more than the signs of y. The two laws of m signs overlap too much for a better guess. *)
From Coq Require Import Reals Lra Psatz Lia Arith List.
From FL Require Import Chance Claims_mifa.
Import ListNotations.
Open Scope R_scope.

(** ** m independent signs, each + with chance (1 + delta)/2 *)
Definition share (delta : R) (b : bool) : R := if b then (1 + delta) / 2 else (1 - delta) / 2.

Fixpoint mean_over (delta : R) (m : nat) (F : list bool -> R) : R :=
  match m with
  | O => F []
  | S k => share delta true * mean_over delta k (fun l => F (true :: l))
           + share delta false * mean_over delta k (fun l => F (false :: l))
  end.

(** ** Algorithms *)
Record Algorithm := {
  ask : nat -> list R -> R;
  finish : nat -> list R -> R
}.

Section Game.
Variables (mu sigma : R).
Hypothesis mu_pos : 0 < mu.
Hypothesis sigma_pos : 0 < sigma.
Notation a := (sigma / mu).

Definition sign (b : bool) : R := if b then a else - a.
Definition answer (w : R) (b : bool) : R := mu * (w - sign b).

(** The answers, oldest first, if the signs are these. *)
Fixpoint answers (alg : Algorithm) (seed : nat) (signs : list bool) (told : list R) : list R :=
  match signs with
  | [] => told
  | b :: rest => answers alg seed rest (told ++ [answer (ask alg seed told) b])
  end.

Definition result (alg : Algorithm) (seed : nat) (signs : list bool) : R := finish alg seed (answers alg seed signs []).

(** f (w) - f* *)
Definition gap (theta w : R) : R := mu / 2 * (w - theta) ^ 2.

(** The expected gap at the end, if every sign has the mean theta = a delta. *)
Definition expected_gap (Q : Law) (alg : Algorithm) (m : nat) (delta : R) : R :=
  expect Q (fun seed => mean_over delta m (fun signs => gap (a * delta) (result alg seed signs))).

(** ** The oracle *)
Theorem oracle_mean delta w :
  share delta true * answer w true + share delta false * answer w false = mu * (w - a * delta).
Proof. unfold share, answer, sign. field. lra. Qed.

Theorem oracle_noise delta w : share delta true * (answer w true - mu * (w - a * delta)) ^ 2
  + share delta false * (answer w false - mu * (w - a * delta)) ^ 2 <= sigma ^ 2.
Proof.
  unfold share, answer, sign.
  replace ((1 + delta) / 2 * (mu * (w - a) - mu * (w - a * delta)) ^ 2
    + (1 - delta) / 2 * (mu * (w - - a) - mu * (w - a * delta)) ^ 2) with (sigma ^ 2 - (sigma * delta) ^ 2)
    by (field; lra). pose proof (pow2_ge_0 (sigma * delta)). lra.
Qed.

(** ** Both laws at once *)
Fixpoint weight (delta : R) (l : list bool) : R :=
  match l with [] => 1 | b :: r => share delta b * weight delta r end.

Fixpoint total (m : nat) (F : list bool -> R) : R :=
  match m with
  | O => F []
  | S k => total k (fun l => F (true :: l)) + total k (fun l => F (false :: l))
  end.

Lemma total_ext m F G : (forall l, F l = G l) -> total m F = total m G.
Proof. revert F G. induction m; intros F G E; simpl; [apply E|]. f_equal; apply IHm; intros; apply E. Qed.
Lemma total_scale m c F : total m (fun l => c * F l) = c * total m F.
Proof. revert F. induction m; intros F; simpl; [reflexivity|]. rewrite !IHm. ring. Qed.
Lemma total_add m F G : total m (fun l => F l + G l) = total m F + total m G.
Proof. revert F G. induction m; intros F G; simpl; [reflexivity|]. rewrite !IHm. ring. Qed.
Lemma total_const m c : total m (fun _ => c) = 2 ^ m * c.
Proof. induction m; simpl; [ring|]. rewrite !IHm. ring. Qed.

(** Sequences have length m. *)
Lemma total_le m F G : (forall l, length l = m -> F l <= G l) -> total m F <= total m G.
Proof.
  revert F G. induction m; intros F G E; simpl; [now apply E|].
  apply Rplus_le_compat; apply IHm; intros l Hl; apply E; simpl; now rewrite Hl.
Qed.

Lemma mean_is_total delta m F : mean_over delta m F = total m (fun l => weight delta l * F l).
Proof.
  revert F. induction m; intros F; simpl; [ring|]. rewrite !IHm, <- !total_scale.
  f_equal; apply total_ext; intros; ring.
Qed.

Lemma weights_add_up delta m : total m (weight delta) = 1.
Proof. induction m; simpl; [reflexivity|]. rewrite !total_scale, IHm. unfold share. field. Qed.

Lemma weight_pos delta l : -1 < delta < 1 -> 0 < weight delta l.
Proof.
  intros D. induction l as [|b l IH]; simpl; [lra|]. apply Rmult_lt_0_compat; [|assumption]. unfold share.
  destruct b; lra.
Qed.

Lemma overlap delta l : weight delta l * weight (- delta) l = ((1 - delta ^ 2) / 4) ^ length l.
Proof.
  induction l as [|b l IH]; [simpl; ring|]. set (u := (1 - delta ^ 2) / 4) in *.
  change (share delta b * weight delta l * (share (- delta) b * weight (- delta) l) = u * u ^ length l).
  rewrite <- IH. replace u with (share delta b * share (- delta) b) by (unfold u, share; destruct b; field). ring.
Qed.

(** A guess between two points d and -d, with weights v and w of the two, t a number of our choice. *)
Lemma guess v w o d t b : 0 < v -> 0 < w -> b ^ 2 = v * w ->
  4 * d ^ 2 * (2 * t * b - t ^ 2 * (v + w)) <= v * (o - d) ^ 2 + w * (o + d) ^ 2.
Proof.
  intros Pv Pw B. apply (Rmult_le_reg_l (v + w)); [lra|].
  replace ((v + w) * (v * (o - d) ^ 2 + w * (o + d) ^ 2))
    with (((v + w) * o - d * (v - w)) ^ 2 + 4 * d ^ 2 * (v * w)) by ring.
  rewrite <- B. pose proof (pow2_ge_0 ((v + w) * o - d * (v - w))) as S1.
  assert (S2 : 0 <= 4 * d ^ 2 * (b - t * (v + w)) ^ 2).
  { apply Rmult_le_pos; [|apply pow2_ge_0]. pose proof (pow2_ge_0 d). lra. }
  lra.
Qed.

Variables (delta : R) (m : nat).
Hypothesis delta_small : 0 <= delta < 1.

Lemma two_laws (out : list bool -> R) :
  mu * (a * delta) ^ 2 * (1 - delta ^ 2) ^ m <=
  mean_over delta m (fun l => gap (a * delta) (out l)) + mean_over (- delta) m (fun l => gap (a * - delta) (out l)).
Proof.
  set (d := a * delta). set (b := sqrt (((1 - delta ^ 2) / 4) ^ m)). set (B := 2 ^ m * b).
  assert (Pc : 0 <= ((1 - delta ^ 2) / 4) ^ m) by (apply pow_le; nra).
  assert (B2 : B ^ 2 = (1 - delta ^ 2) ^ m).
  { unfold B, b. rewrite Rpow_mult_distr, pow2_sqrt by assumption. rewrite <- pow_mult, (Nat.mul_comm m 2), pow_mult.
    rewrite <- Rpow_mult_distr. f_equal. field. }
  rewrite !mean_is_total, <- total_add.
  apply Rle_trans with (total m (fun l => mu / 2 * (4 * d ^ 2 * (2 * (B / 2) * b))
    + mu / 2 * (4 * d ^ 2 * - (B / 2) ^ 2) * (weight delta l + weight (- delta) l))).
  - rewrite total_add, total_const, total_scale, total_add, !weights_add_up. rewrite <- B2. fold d.
    replace (2 ^ m * (mu / 2 * (4 * d ^ 2 * (2 * (B / 2) * b)))) with (2 * mu * d ^ 2 * B * B) by (unfold B; field).
    right. field.
  - apply total_le. intros l Hl. pose proof (weight_pos delta l ltac:(lra)) as W1.
    pose proof (weight_pos (- delta) l ltac:(lra)) as W2.
    assert (Eb : b ^ 2 = weight delta l * weight (- delta) l) by (rewrite overlap, Hl; unfold b; now apply pow2_sqrt).
    pose proof (guess _ _ (out l) d (B / 2) b W1 W2 Eb) as G. unfold gap.
    replace (a * - delta) with (- d) by (unfold d; ring). replace (out l - - d) with (out l + d) by ring. fold d.
    apply (Rmult_le_compat_l (mu / 2)) in G; [|lra]. lra.
Qed.
End Game.

(** ** All devices heard in every P-th round *)
Lemma mean_age P n : (0 < P)%nat -> (0 < n)%nat -> avg (P * n) (fun t => INR (t mod P)) = (INR P - 1) / 2.
Proof.
  intros HP Hn. assert (E : forall k, sum (P * k) (fun t => INR (t mod P)) = INR k * (INR P * (INR P - 1) / 2)).
  { induction k.
    - rewrite Nat.mul_0_r. simpl. ring.
    - rewrite Nat.mul_succ_r, sum_split, IHk, S_INR.
      rewrite (sum_ext P (fun j => INR ((P * k + j) mod P)) INR); [rewrite sum_indices; ring|].
      intros j Hj. f_equal. rewrite Nat.add_comm, Nat.mul_comm, Nat.mod_add by lia. now apply Nat.mod_small. }
  unfold avg. rewrite E, mult_INR. pose proof (lt_0_INR P HP). pose proof (lt_0_INR n Hn). field. lra.
Qed.

Theorem proposition5_1 (mu sigma : R) (N K P n : nat) (Q : Law) (alg : Algorithm) :
  0 < mu -> 0 < sigma -> (0 < N)%nat -> (0 < K)%nat -> (0 < P)%nat -> (0 < n)%nat ->
  exists delta, -1 < delta < 1 /\
  mifa_prop5_1_right (gradient_noise := sigma) (local_steps := INR K)
    (mean_staleness := avg (P * n) (fun t => INR (t mod P))) (num_clients := INR N)
    (num_rounds := INR (P * n)) (strong_convexity := mu)
  <= expected_gap mu sigma Q alg (K * N * n) delta.
Proof.
  intros Pmu Ps HN HK HP Hn. rewrite mean_age by assumption. unfold mifa_prop5_1_right.
  set (m := (K * N * n)%nat). assert (Hm : (0 < m)%nat) by (unfold m; repeat apply Nat.mul_pos_pos; assumption).
  pose proof (lt_0_INR m Hm) as Pm. set (c := / (INR m + 1)).
  assert (Pc : 0 < c) by (apply Rinv_0_lt_compat; lra).
  assert (Ec : c * (INR m + 1) = 1) by (unfold c; field; lra).
  set (delta := sqrt c). assert (D2 : delta ^ 2 = c) by (unfold delta; apply pow2_sqrt; lra).
  assert (D0 : 0 <= delta) by apply sqrt_pos.
  assert (D1 : delta < 1).
  { assert (c < 1) by (unfold c; rewrite <- Rinv_1; apply Rinv_lt_contravar; lra). nra. }
  set (low := sigma ^ 2 / (6 * mu * (INR m + 1))).
  assert (Keep : 1 / 3 <= (1 - delta ^ 2) ^ m).
  { rewrite D2. assert (E : 1 - c = / (1 + / INR m)).
    { unfold c. field. lra. }
    rewrite E, pow_inv. pose proof (power_le_exp (/ INR m) m ltac:(left; now apply Rinv_0_lt_compat)) as G.
    replace (INR m * / INR m) with 1 in G by (field; lra). pose proof exp_le_3 as E3.
    assert (Pq : 0 < (1 + / INR m) ^ m) by (apply pow_lt; pose proof (Rinv_0_lt_compat _ Pm); lra).
    replace (1 / 3) with (/ 3) by field. apply Rinv_le_contravar; lra. }
  assert (Both : 2 * low <= expected_gap mu sigma Q alg m delta + expected_gap mu sigma Q alg m (- delta)).
  { unfold expected_gap. rewrite <- expect_add, <- (expect_const Q (2 * low)). apply expect_le. intros seed.
    eapply Rle_trans; [|apply (two_laws mu sigma Pmu delta m (conj D0 D1))].
    rewrite Rpow_mult_distr, D2. unfold low.
    apply Rle_trans with (mu * ((sigma / mu) ^ 2 * c) * (1 / 3)).
    - right. unfold c. field. lra.
    - rewrite D2 in Keep. apply Rmult_le_compat_l; [|assumption].
      apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [apply pow2_ge_0|lra]. }
  assert (Enough : sigma ^ 2 * ((INR P - 1) / 2) / (6 * mu * INR K * INR N * (INR (P * n) + 1)) <= low).
  { pose proof (lt_0_INR N HN). pose proof (lt_0_INR K HK). pose proof (lt_0_INR P HP). pose proof (lt_0_INR n Hn).
    assert (T : INR (P * n) = INR P * INR n) by apply mult_INR.
    assert (M : INR m = INR K * INR N * INR n) by (unfold m; now rewrite !mult_INR).
    assert (KN : 1 <= INR K * INR N).
    { rewrite <- mult_INR. apply (le_INR 1). pose proof (Nat.mul_pos_pos K N HK HN). lia. }
    assert (N1 : 1 <= INR n) by (apply (le_INR 1); lia).
    unfold low. rewrite T, M. apply (Rmult_le_reg_r (12 * mu * INR K * INR N * (INR P * INR n + 1)
      * (INR K * INR N * INR n + 1))).
    - assert (0 < INR P * INR n + 1) by (assert (0 < INR P * INR n) by (apply Rmult_lt_0_compat; lra); lra).
      assert (0 < INR K * INR N * INR n + 1).
      { assert (0 < INR K * INR N * INR n) by (repeat apply Rmult_lt_0_compat; lra). lra. }
      repeat apply Rmult_lt_0_compat; lra.
    - assert (PN1 : 0 < INR P * INR n) by (apply Rmult_lt_0_compat; lra).
      assert (KN1 : 0 < INR K * INR N * INR n) by (repeat apply Rmult_lt_0_compat; lra).
      replace (sigma ^ 2 * ((INR P - 1) / 2) / (6 * mu * INR K * INR N * (INR P * INR n + 1))
        * (12 * mu * INR K * INR N * (INR P * INR n + 1) * (INR K * INR N * INR n + 1)))
        with (sigma ^ 2 * ((INR P - 1) * (INR K * INR N * INR n + 1))) by (field; repeat split; lra).
      replace (sigma ^ 2 / (6 * mu * (INR K * INR N * INR n + 1))
        * (12 * mu * INR K * INR N * (INR P * INR n + 1) * (INR K * INR N * INR n + 1)))
        with (sigma ^ 2 * (2 * (INR K * INR N) * (INR P * INR n + 1))) by (field; repeat split; lra).
      apply Rmult_le_compat_l; [apply pow2_ge_0|].
      assert (A1 : 1 * (INR P * INR n) <= INR K * INR N * (INR P * INR n)) by (apply Rmult_le_compat_r; lra).
      assert (A2 : INR P * 1 <= INR P * INR n) by (apply Rmult_le_compat_l; lra).
      replace ((INR P - 1) * (INR K * INR N * INR n + 1)) with
        (INR K * INR N * (INR P * INR n) + INR P - INR K * INR N * INR n - 1) by ring. lra. }
  destruct (Rle_dec low (expected_gap mu sigma Q alg m delta)) as [Yes|No].
  - exists delta. split; [lra|]. eapply Rle_trans; [|exact Yes]. eapply Rle_trans; [|exact Enough]. right.
    pose proof (pos_INR (P * n)). field. repeat split; apply Rgt_not_eq; try (now apply lt_0_INR); lra.
  - exists (- delta). split; [lra|]. apply Rle_trans with low; [|lra]. eapply Rle_trans; [|exact Enough]. right.
    pose proof (pos_INR (P * n)). field. repeat split; apply Rgt_not_eq; try (now apply lt_0_INR); lra.
Qed.
