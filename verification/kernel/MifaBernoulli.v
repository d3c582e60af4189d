(** * MIFA: staleness when clients come by coin flips (Definition 5.2, Theorems 5.2 (2) and 5.3)

    N clients, R rounds. Everybody is there in round 0; in every later round client i is there with chance p_i,
    whatever its own earlier flips showed ([flips]: clients need not be independent of each other; [Examples.v]
    has such flips). Round t is the paper's round t + 1. The age of client i's update in round t is the number of
    rounds since it was there last.

    - [age_tail], [mean_age_is], [average_age_is]: the age is at least k <= t with chance (1 - p)^k; its mean is
      (q - q^(t+1))/p, and over all rounds q/p - q (1 - q^R)/(p^2 R), with q = 1 - p.
    - [theorem5_2_2]: with chance 1 - delta no age exceeds log(N R/delta)/p_min.
    - [theorem5_3_tail], [theorem5_3]: the mean age of all rounds reaches x mean(1/p_i) with chance at most
      x e^(1 - x), x >= 1; so with chance 1 - delta it is at most e/(e - 1) (1 + log(1/delta)) mean(1/p_i). *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance Numbers Claims_mifa.
Open Scope R_scope.

(** ** The exponential function *)
Lemma exp_above y : 1 + y <= exp y.
Proof.
  destruct (Req_dec y 0) as [->|N]; [rewrite exp_0; lra|]. left. now apply exp_ineq1.
Qed.

Lemma exp_below y : y < 1 -> (1 - y) * exp y <= 1.
Proof.
  intros Hy. pose proof (exp_above (- y)) as E. pose proof (exp_pos y) as P.
  apply (Rmult_le_compat_r (exp y)) in E; [|lra]. rewrite <- exp_plus in E.
  replace (- y + y) with 0 in E by ring. rewrite exp_0 in E. lra.
Qed.

(** Jensen's inequality: the exponential of a mean is at most the mean of the exponentials. *)
Lemma exp_of_mean n (c y : nat -> R) : (forall i, 0 <= c i) -> sum n c = 1 ->
  exp (sum n (fun i => c i * y i)) <= sum n (fun i => c i * exp (y i)).
Proof.
  intros Pc One. set (m := sum n (fun i => c i * y i)).
  apply Rle_trans with (sum n (fun i => exp m * c i + exp m * (c i * y i + - m * c i))).
  - rewrite sum_add, !sum_scale, sum_add, sum_scale, One. fold m. lra.
  - apply sum_le. intros i _. pose proof (exp_above (y i - m)) as E.
    replace (exp (y i)) with (exp m * exp (y i - m)) by (rewrite <- exp_plus; f_equal; ring).
    pose proof (exp_pos m) as Pm. assert (P : 0 <= exp m * c i) by (apply Rmult_le_pos; [lra|apply Pc]).
    apply (Rmult_le_compat_l _ _ _ P) in E. lra.
Qed.

Lemma power_below_exp q n : 0 <= 1 - q -> 0 <= q -> q ^ n <= exp (- ((1 - q) * INR n)).
Proof.
  intros Hp Hq. induction n; [simpl; rewrite Rmult_0_r, Ropp_0, exp_0; lra|].
  rewrite S_INR. replace (- ((1 - q) * (INR n + 1))) with (- (1 - q) + - ((1 - q) * INR n)) by ring.
  rewrite exp_plus. simpl. apply Rmult_le_compat; [assumption|now apply pow_le| |assumption].
  pose proof (exp_above (- (1 - q))). lra.
Qed.

(** ** Coin flips *)
Section Flips.
Context (P : Law) (N : nat) (p : nat -> R) (there : nat -> nat -> nat -> bool) (rounds : nat).
Notation E := (expect P).
(** there t i w: client i is there in round t, in the outcome w. *)
Definition present t i w : R := if there t i w then 1 else 0.
Definition of_the_past t i (f : nat -> R) : Prop :=
  forall v w, (forall s, (s < t)%nat -> there s i v = there s i w) -> f v = f w.

Hypothesis chances : forall i, (i < N)%nat -> 0 < p i <= 1.
Hypothesis everybody_first : forall i w, there 0%nat i w = true.
(** Whatever was computed from the client's earlier flips, the next one shows p_i. *)
Hypothesis flips : forall t i f, (i < N)%nat -> (0 < t < rounds)%nat -> of_the_past t i f ->
  E (fun w => f w * present t i w) = p i * E f.

Fixpoint age t i w : nat :=
  match t with O => O | S s => if there (S s) i w then O else S (age s i w) end.

Lemma age_of_the_past t i (g : nat -> R) : of_the_past (S t) i (fun w => g (age t i w)).
Proof.
  intros v w Same. f_equal. induction t as [|t IH]; [reflexivity|]. simpl.
  rewrite (Same (S t)) by lia. rewrite IH; [reflexivity|]. intros s Hs. apply Same. lia.
Qed.

(** One round: g (0) with chance p_i, and otherwise g at an age that is one more. *)
Lemma next_round t i g : (i < N)%nat -> (S t < rounds)%nat -> E (fun w => g (age (S t) i w))
  = p i * g 0%nat + (1 - p i) * E (fun w => g (S (age t i w))).
Proof.
  intros Hi Ht.
  assert (F1 : E (fun w => g 0%nat * present (S t) i w) = p i * g 0%nat).
  { rewrite (flips (S t) i (fun _ => g 0%nat) Hi); [now rewrite expect_const|lia|easy]. }
  pose proof (flips (S t) i (fun w => g (S (age t i w))) Hi ltac:(lia) (age_of_the_past t i (fun a => g (S a)))) as F2.
  rewrite (expect_ext P _ (fun w => g 0%nat * present (S t) i w
    + (g (S (age t i w)) + -1 * (g (S (age t i w)) * present (S t) i w)))).
  2: { intros w. simpl. unfold present. destruct (there (S t) i w); ring. }
  rewrite (expect_add P (fun w => g 0%nat * present (S t) i w)), F1, (expect_add P (fun w => g (S (age t i w)))),
    (expect_scale P (-1) (fun w => g (S (age t i w)) * present (S t) i w)), F2. ring.
Qed.

Definition at_least (k a : nat) : R := if (k <=? a)%nat then 1 else 0.

Lemma tail_is i k : (i < N)%nat -> forall t, (k <= t < rounds)%nat ->
  E (fun w => at_least k (age t i w)) = (1 - p i) ^ k.
Proof.
  intros Hi. induction k as [|k IH]; intros t Ht.
  - rewrite (expect_ext P _ (fun _ => 1)) by reflexivity. apply expect_const.
  - destruct t as [|t]; [lia|]. rewrite next_round by (assumption || lia).
    rewrite (expect_ext P _ (fun w => at_least k (age t i w))) by reflexivity. rewrite IH by lia.
    unfold at_least. simpl. ring.
Qed.

Lemma never_older t i w : (age t i w <= t)%nat.
Proof. induction t; simpl; [lia|]. destruct (there (S t) i w); lia. Qed.

Lemma tail_at_most t i k : (i < N)%nat -> (t < rounds)%nat -> E (fun w => at_least k (age t i w)) <= (1 - p i) ^ k.
Proof.
  intros Hi Ht. destruct (le_lt_dec k t) as [Hk|Hk]; [right; now apply tail_is|].
  rewrite (expect_ext P _ (fun _ => 0)).
  - rewrite expect_const. apply pow_le. specialize (chances i Hi). lra.
  - intros w. unfold at_least. destruct (Nat.leb_spec k (age t i w)); [|reflexivity].
    pose proof (never_older t i w). lia.
Qed.

(** *** Definition 5.2 *)
Theorem age_tail t i k : (i < N)%nat -> (k <= t < rounds)%nat ->
  E (fun w => at_least k (age t i w)) = mifa_def5_2_right (absence := INR k) (availability_probability := p i).
Proof. intros Hi Hk. unfold mifa_def5_2_right. rewrite power_nat. now apply tail_is. Qed.

Lemma mean_of_age t i : (i < N)%nat -> (t < rounds)%nat ->
  p i * E (fun w => INR (age t i w)) = (1 - p i) - (1 - p i) ^ S t.
Proof.
  intros Hi. induction t as [|t IH]; intros Ht.
  - rewrite (expect_ext P _ (fun _ => 0)) by reflexivity. rewrite expect_const. simpl. ring.
  - rewrite (next_round t i INR Hi Ht), (expect_ext P _ (fun w => INR (age t i w) + 1)) by (intros; apply S_INR).
    rewrite expect_add, expect_const, Rmult_plus_distr_l.
    replace (p i * ((1 - p i) * (E (fun w => INR (age t i w)) + 1))) with
      ((1 - p i) * (p i * E (fun w => INR (age t i w))) + p i * (1 - p i)) by ring.
    rewrite IH by lia. simpl. ring.
Qed.

Theorem mean_age_is t i : (i < N)%nat -> (t < rounds)%nat -> E (fun w => INR (age t i w)) =
  mifa_def5_2_mean_right (availability_probability := p i) (round := INR (S t)).
Proof.
  intros Hi Ht. unfold mifa_def5_2_mean_right. rewrite power_nat. pose proof (mean_of_age t i Hi Ht) as M.
  specialize (chances i Hi). apply (Rmult_eq_reg_l (p i)); [|lra]. rewrite M. field. lra.
Qed.

(** *** Averages over all rounds *)
Hypothesis some : (0 < N)%nat /\ (0 < rounds)%nat.
Definition average_age w : R := avg N (fun i => avg rounds (fun t => INR (age t i w))).

Theorem average_age_is (c : R) : (forall i, (i < N)%nat -> p i = c) ->
  E average_age = mifa_def5_2_average_right (availability_probability := c) (num_rounds := INR rounds).
Proof.
  intros Same. destruct some as [PN PR]. unfold average_age, mifa_def5_2_average_right. rewrite power_nat.
  rewrite (expect_avg P N (fun i w => avg rounds (fun t => INR (age t i w)))).
  assert (Pc : 0 < c <= 1) by (rewrite <- (Same 0%nat PN); apply chances; assumption).
  assert (Sum : forall n, sum n (fun t => (1 - c - (1 - c) ^ S t) / c)
    = INR n * ((1 - c) / c) - (1 - c) * (1 - (1 - c) ^ n) / c ^ 2).
  { induction n; [simpl; field; lra|]. cbn [sum]. rewrite IHn, S_INR. simpl. field. lra. }
  rewrite (avg_ext N _ (fun _ => avg rounds (fun t => (1 - c - (1 - c) ^ S t) / c))).
  - rewrite avg_const by assumption. unfold avg. rewrite Sum. pose proof (lt_0_INR rounds PR). field. lra.
  - intros i Hi. rewrite (expect_avg P rounds (fun t w => INR (age t i w))). apply avg_ext. intros t Ht.
    pose proof (mean_of_age t i Hi Ht) as M. rewrite (Same i Hi) in M. apply (Rmult_eq_reg_l c); [|lra].
    rewrite M. field. lra.
Qed.

(** *** Theorem 5.2 (2) *)
Lemma whole_above x : 0 <= x -> exists k, INR k - 1 <= x < INR k.
Proof.
  intros Hx. destruct (archimed x) as [A1 A2]. assert (U : (0 <= up x)%Z) by (apply le_IZR; lra).
  exists (Z.to_nat (up x)). rewrite INR_IZR_INZ, Z2Nat.id by assumption. lra.
Qed.

Lemma exceeds t i x : (i < N)%nat -> (t < rounds)%nat -> 0 <= x ->
  E (fun w => if Rlt_dec x (INR (age t i w)) then 1 else 0) <= exp (- (p i * x)).
Proof.
  intros Hi Ht Hx. destruct (whole_above x Hx) as (k & K1 & K2). pose proof (chances i Hi) as Pc.
  apply Rle_trans with (E (fun w => at_least k (age t i w))).
  - apply expect_le. intros w. unfold at_least. destruct (Rlt_dec _ _) as [Q|_]; [|destruct (_ <=? _)%nat; lra].
    destruct (Nat.leb_spec k (age t i w)) as [|L]; [lra|]. exfalso.
    assert (INR (age t i w) <= INR k - 1); [|lra]. 
    replace (INR k - 1) with (INR (k - 1)) by (rewrite minus_INR by lia; simpl; ring). apply le_INR. lia.
  - eapply Rle_trans; [now apply tail_at_most|].
    eapply Rle_trans; [apply power_below_exp; lra|]. replace (1 - (1 - p i)) with (p i) by ring.
    destruct (Req_dec (INR k) x) as [->|]; [lra|]. left. apply exp_increasing.
    assert (p i * x < p i * INR k) by (apply Rmult_lt_compat_l; lra). lra.
Qed.

Theorem theorem5_2_2 (delta least : R) (fails : nat -> bool) : 0 < delta <= 1 -> 0 < least ->
  (forall i, (i < N)%nat -> least <= p i) ->
  (forall w, fails w = true <-> exists t i, (t < rounds)%nat /\ (i < N)%nat /\
    mifa_thm5_2_2_condition_fails (availability_probability := least) (confidence_gap := delta)
      (num_clients := INR N) (num_rounds := INR rounds) (staleness := INR (age t i w))) ->
  E (fun w => if fails w then 1 else 0) <= delta.
Proof.
  unfold mifa_thm5_2_2_condition_fails. intros Pd Pl Least Fails. destruct some as [PN PR].
  pose proof (le_INR 1 N PN) as N1. pose proof (le_INR 1 rounds PR) as R1. simpl in N1, R1.
  set (a := INR N * INR rounds / delta). set (x := ln a / least).
  assert (A1 : 1 <= a).
  { unfold a. apply (Rmult_le_reg_r delta); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra.
    assert (1 * 1 <= INR N * INR rounds) by (apply Rmult_le_compat; lra). lra. }
  assert (Px : 0 <= x).
  { unfold x, Rdiv. apply Rmult_le_pos; [|left; now apply Rinv_0_lt_compat]. rewrite <- ln_1.
    destruct A1 as [A1|<-]; [left; apply ln_increasing; lra|lra]. }
  apply Rle_trans with (E (fun w =>
    sum N (fun i => sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0)))).
  - apply expect_le. intros w. assert (Pos : forall i t, 0 <= (if Rlt_dec x (INR (age t i w)) then 1 else 0)).
    { intros i t. destruct (Rlt_dec _ _); lra. }
    assert (Pos2 : forall i, 0 <= sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0)).
    { intros i. apply sum_pos. intros t _. apply Pos. }
    destruct (fails w) eqn:Fw; [|apply sum_pos; intros; apply Pos2].
    apply Fails in Fw. destruct Fw as (t & i & Ht & Hi & Q).
    apply Rle_trans with (sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0)).
    + pose proof (sum_member rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0) t) as M. cbv beta in M.
      destruct (Rlt_dec x (INR (age t i w))) as [|No].
      * apply M; auto.
      * exfalso. apply No. unfold x, a. lra.
    + apply (sum_member N (fun i => sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0)) i); auto.
  - assert (Each : forall i, (i < N)%nat ->
      E (fun w => sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0)) <= INR rounds * / a).
    { intros i Hi.
      assert (S1 : E (fun w => sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0))
        = sum rounds (fun t => E (fun w => if Rlt_dec x (INR (age t i w)) then 1 else 0))).
      { unfold expect. rewrite sum_swap. apply sum_ext. intros w _. now rewrite sum_scale. }
      rewrite S1. apply sum_le_const. intros t Ht. eapply Rle_trans; [now apply exceeds|].
      apply Rle_trans with (exp (- (least * x))).
      - specialize (Least i Hi). assert (least * x <= p i * x) by now apply Rmult_le_compat_r.
        destruct (Req_dec (least * x) (p i * x)) as [->|]; [lra|]. left. apply exp_increasing. lra.
      - replace (least * x) with (ln a) by (unfold x; field; lra). rewrite exp_Ropp, exp_ln; lra. }
    assert (S2 : E (fun w => sum N (fun i => sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0)))
      = sum N (fun i => E (fun w => sum rounds (fun t => if Rlt_dec x (INR (age t i w)) then 1 else 0)))).
    { unfold expect. rewrite sum_swap. apply sum_ext. intros w _. now rewrite sum_scale. }
    rewrite S2. apply Rle_trans with (INR N * (INR rounds * / a)); [now apply sum_le_const|].
    right. unfold a. field. lra.
Qed.

(** *** Theorem 5.3 *)
Definition mean_inverse : R := avg N (fun i => / p i).

Lemma exponential_moment t i lam : (i < N)%nat -> (t < rounds)%nat -> 0 <= lam < 1 ->
  (1 - lam) * E (fun w => exp (lam * p i * INR (age t i w))) <= 1.
Proof.
  intros Hi Ht Hl. pose proof (chances i Hi) as Pc. set (y := lam * p i).
  assert (Hy : 0 <= y) by (unfold y; apply Rmult_le_pos; lra).
  assert (Hy1 : y <= p i) by (unfold y; assert (lam * p i <= 1 * p i) by (apply Rmult_le_compat_r; lra); lra).
  assert (Hy2 : y < 1) by (unfold y; assert (lam * p i <= lam * 1) by (apply Rmult_le_compat_l; lra); lra).
  assert (Step : (1 - p i) * exp y <= 1 - p i + y).
  { pose proof (exp_below y Hy2) as B. apply (Rmult_le_reg_r (1 - y)); [lra|].
    apply (Rmult_le_compat_l (1 - p i)) in B; [|lra].
    assert (0 <= y * (p i - y)) by (apply Rmult_le_pos; lra). lra. }
  induction t as [|t IH].
  - rewrite (expect_ext P _ (fun _ => 1)) by (intros; simpl; rewrite Rmult_0_r; apply exp_0).
    rewrite expect_const. lra.
  - specialize (IH ltac:(lia)). rewrite (next_round t i (fun a => exp (y * INR a)) Hi Ht).
    rewrite (expect_ext P _ (fun w => exp y * exp (y * INR (age t i w)))).
    2: { intros w. rewrite <- exp_plus, S_INR. f_equal. ring. }
    rewrite expect_scale. simpl (INR 0). rewrite Rmult_0_r, exp_0.
    set (m := E (fun w => exp (y * INR (age t i w)))) in *.
    assert (Pm : 0 <= m).
    { unfold m. rewrite <- (expect_const P 0). apply expect_le. intros w. left. apply exp_pos. }
    apply (Rmult_le_compat_r ((1 - lam) * m)) in Step; [|apply Rmult_le_pos; lra].
    assert (T : (1 - p i + y) * ((1 - lam) * m) <= (1 - p i + y) * 1) by (apply Rmult_le_compat_l; lra).
    unfold y in T at 2. lra.
Qed.

Lemma tail_of_average x : 1 <= x ->
  E (fun w => if Rle_dec (x * mean_inverse) (average_age w) then 1 else 0) <= x * exp (1 - x).
Proof.
  intros Hx. destruct some as [PN PR]. pose proof (lt_0_INR N PN) as IN. pose proof (lt_0_INR rounds PR) as IR.
  set (lam := 1 - / x). assert (Hl : 0 <= lam < 1).
  { unfold lam. assert (0 < / x) by (apply Rinv_0_lt_compat; lra).
    assert (/ x <= 1) by (rewrite <- Rinv_1; apply Rinv_le_contravar; lra). lra. }
  assert (Lx : lam * x = x - 1) by (unfold lam; field; lra).
  assert (PM : 0 < mean_inverse).
  { unfold mean_inverse, avg. apply Rmult_lt_0_compat; [now apply Rinv_0_lt_compat|].
    assert (Inv : forall i, (i < N)%nat -> 0 < / p i) by (intros i Hi; apply Rinv_0_lt_compat; now apply chances).
    apply Rlt_le_trans with (/ p 0%nat); [now apply Inv|].
    rewrite (sum_ext N _ (fun i => if (i <? N)%nat then / p i else 0)).
    2: { intros i Hi. destruct (Nat.ltb_spec i N); [reflexivity|lia]. }
    pose proof (sum_member N (fun i => if (i <? N)%nat then / p i else 0) 0) as M. cbv beta in M.
    destruct (Nat.ltb_spec 0 N); [|lia]. apply M; [assumption|]. intros i _.
    destruct (Nat.ltb_spec i N) as [Hi|]; [left; now apply Inv|lra]. }
  set (c := fun i => / (INR N * mean_inverse) * (if (i <? N)%nat then / p i else 0)).
  assert (Pc : forall i, 0 <= c i).
  { intros i. unfold c. apply Rmult_le_pos; [left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat|].
    destruct (Nat.ltb_spec i N) as [Hi|]; [|lra]. left. apply Rinv_0_lt_compat. now apply chances. }
  assert (Sc : sum N c = 1).
  { unfold c. rewrite sum_scale, (sum_ext N _ (fun i => / p i)).
    - assert (Q : sum N (fun i => / p i) = INR N * mean_inverse) by (unfold mean_inverse, avg; field; lra).
      rewrite Q. field. split; lra.
    - intros i Hi. destruct (Nat.ltb_spec i N); [reflexivity|lia]. }
  set (S1 := fun w => sum N (fun i => c i * avg rounds (fun t => exp (lam * p i * INR (age t i w))))).
  apply Rle_trans with (exp (- (lam * x)) * E S1).
  - rewrite <- expect_scale. apply expect_le. intros w.
    assert (PS : 0 <= S1 w).
    { unfold S1. apply sum_pos. intros i _. apply Rmult_le_pos; [apply Pc|]. apply avg_pos. intros t _. left.
      apply exp_pos. }
    pose proof (exp_pos (- (lam * x))) as Pe.
    destruct (Rle_dec _ _) as [Large|_]; [|apply Rmult_le_pos; lra].
    assert (J : exp (lam * (average_age w / mean_inverse)) <= S1 w).
    { replace (lam * (average_age w / mean_inverse)) with
        (sum N (fun i => c i * avg rounds (fun t => lam * p i * INR (age t i w)))).
      - eapply Rle_trans; [now apply exp_of_mean|]. unfold S1. apply sum_le. intros i _.
        apply Rmult_le_compat_l; [apply Pc|].
        pose proof (exp_of_mean rounds (fun _ => / INR rounds) (fun t => lam * p i * INR (age t i w))) as JR.
        unfold avg. rewrite <- !sum_scale. apply JR; [intros; left; now apply Rinv_0_lt_compat|].
        rewrite sum_const. field. lra.
      - unfold average_age. transitivity (/ (INR N * mean_inverse) * (lam * sum N (fun i =>
          avg rounds (fun t => INR (age t i w))))).
        + rewrite <- !sum_scale. apply sum_ext. intros i Hi. unfold c. destruct (Nat.ltb_spec i N); [|lia].
          rewrite avg_scale. pose proof (chances i Hi). field. split; [lra|]. split; lra.
        + unfold avg at 2. field. split; lra. }
    assert (Ex : lam * x <= lam * (average_age w / mean_inverse)).
    { apply Rmult_le_compat_l; [lra|]. apply (Rmult_le_reg_r mean_inverse); [assumption|].
      unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
    apply Rle_trans with (exp (- (lam * x)) * exp (lam * x)).
    + rewrite <- exp_plus, Rplus_opp_l, exp_0. lra.
    + apply Rmult_le_compat_l; [lra|]. eapply Rle_trans; [|exact J].
      destruct Ex as [Ex|Ex]; [left; now apply exp_increasing|rewrite Ex; lra].
  - assert (Bound : E S1 <= x).
    { unfold S1.
      assert (S2 : E (fun w => sum N (fun i => c i * avg rounds (fun t => exp (lam * p i * INR (age t i w)))))
        = sum N (fun i => c i * avg rounds (fun t => E (fun w => exp (lam * p i * INR (age t i w)))))).
      { transitivity (sum N (fun i => E (fun w => c i * avg rounds (fun t => exp (lam * p i * INR (age t i w)))))).
        - unfold expect. rewrite sum_swap. apply sum_ext. intros w _. now rewrite sum_scale.
        - apply sum_ext. intros i _. rewrite expect_scale. f_equal.
          apply (expect_avg P rounds (fun t w => exp (lam * p i * INR (age t i w)))). }
      rewrite S2. apply Rle_trans with (sum N (fun i => x * c i)); [|rewrite sum_scale, Sc; lra].
      apply sum_le. intros i Hi. rewrite (Rmult_comm x). apply Rmult_le_compat_l; [apply Pc|].
      apply avg_le_const; [assumption|]. intros t Ht. pose proof (exponential_moment t i lam Hi Ht Hl) as M.
      replace (1 - lam) with (/ x) in M by (unfold lam; ring).
      apply (Rmult_le_reg_l (/ x)); [apply Rinv_0_lt_compat; lra|]. rewrite Rinv_l by lra. exact M. }
    rewrite Lx. replace (- (x - 1)) with (1 - x) by ring. rewrite Rmult_comm.
    apply Rmult_le_compat_r; [left; apply exp_pos|assumption].
Qed.

Theorem theorem5_3_tail (x : R) (reaches : nat -> bool) : 1 <= x ->
  (forall w, reaches w = true <-> x * mean_inverse <= average_age w) ->
  E (fun w => if reaches w then 1 else 0) <= mifa_thm5_3_explicit_right (level := x).
Proof.
  intros Hx Reach. unfold mifa_thm5_3_explicit_right.
  apply Rle_trans with (E (fun w => if Rle_dec (x * mean_inverse) (average_age w) then 1 else 0)).
  - apply expect_le. intros w. destruct (reaches w) eqn:Rw; destruct (Rle_dec _ _) as [|No]; try lra.
    exfalso. apply No. now apply Reach.
  - pose proof (tail_of_average x Hx). lra.
Qed.

Theorem theorem5_3 (delta : R) (fails : nat -> bool) : 0 < delta <= 1 ->
  (forall w, fails w = true <-> mifa_thm5_3_condition_fails (confidence_gap := delta)
    (mean_inverse_chance := mean_inverse) (mean_staleness := average_age w)) ->
  E (fun w => if fails w then 1 else 0) <= delta.
Proof.
  unfold mifa_thm5_3_condition_fails. intros Pd Fails. set (e := exp 1) in *.
  assert (E2 : 2 <= e) by (unfold e; pose proof (exp_above 1); lra).
  assert (Pln : 0 <= ln (1 / delta)).
  { unfold Rdiv. rewrite Rmult_1_l, ln_Rinv by lra. destruct Pd as [Pd [L| ->]]; [|rewrite ln_1; lra].
    apply ln_increasing in L; [|assumption]. rewrite ln_1 in L. lra. }
  set (x := e / (e - 1) * (1 + ln (1 / delta))).
  assert (C1 : 1 <= e / (e - 1)).
  { apply (Rmult_le_reg_r (e - 1)); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra. }
  assert (Hx : 1 <= x).
  { unfold x. assert (1 * 1 <= e / (e - 1) * (1 + ln (1 / delta))) by (apply Rmult_le_compat; lra). lra. }
  apply Rle_trans with (E (fun w => if Rle_dec (x * mean_inverse) (average_age w) then 1 else 0)).
  - apply expect_le. intros w. destruct (fails w) eqn:Fw; destruct (Rle_dec _ _) as [|No]; try lra.
    exfalso. apply No. apply Fails in Fw. unfold x.
    eapply Rle_trans; [|left; exact Fw]. right. field. lra.
  - eapply Rle_trans; [now apply tail_of_average|].
    (* x <= e^(x/e), and delta = e^(1 - x + x/e) *)
    assert (Xe : x <= exp (x / e)).
    { pose proof (exp_above (x / e - 1)) as Q. replace (1 + (x / e - 1)) with (x / e) in Q by ring.
      apply (Rmult_le_compat_l e) in Q; [|lra]. unfold e in Q at 3. rewrite <- exp_plus in Q.
      replace (1 + (x / e - 1)) with (x / e) in Q by ring. replace (e * (x / e)) with x in Q by (field; lra). exact Q. }
    assert (D : delta = exp (x / e + (1 - x))).
    { replace (x / e + (1 - x)) with (ln delta); [now rewrite exp_ln|].
      unfold x. replace (ln (1 / delta)) with (- ln delta) by (unfold Rdiv; rewrite Rmult_1_l, ln_Rinv; lra).
      field. lra. }
    rewrite D, exp_plus. apply Rmult_le_compat_r; [left; apply exp_pos|exact Xe].
Qed.
End Flips.
