(** * MIFA: Theorem 5.2, for all rounds and devices at once

    N clients that come by coin flips (MifaBernoulli.v), R rounds, 0 < delta <= 1. Round t is the paper's
    round t + 1. The age of client i in round t exceeds x_t = (log(N (t + 1)/delta) + 1)/p_i, for some i
    and some t < R, with chance at most

    - delta (2 + p) e^(-1 - p/2) if all chances are p ([theorem5_2_explicit]);
    - delta, whatever the chances are ([theorem5_2]): Theorem 5.2 with the constant 1.

    The proof: when the limit is first exceeded, in round t, the age is the one whole number k in
    (x_t, x_t + 1]. If the client was there in round t - k > 0, that has chance p q^k; else nobody has
    seen it since round 0, and such a t is the same for all outcomes. Over all rounds p q^k sums up to no
    more than 2, since q = 1 - p <= e^(-p - p^2/2). *)
From Coq Require Import Reals Lra Psatz Lia Arith Bool.
From FL Require Import Chance Numbers MifaBernoulli Claims_mifa.
Open Scope R_scope.

(** ** Two inequalities *)
Lemma log_second_order p : 0 <= p <= 1 -> 1 - p <= exp (- (p * (1 + p / 2))).
Proof.
  intros [P0 P1]. destruct P0 as [P0|<-]; [|rewrite Rmult_0_l, Ropp_0, exp_0; lra].
  set (f := fun x => (1 - x) * exp (x * (1 + x / 2))).
  set (f' := fun x => - 1 * exp (x * (1 + x / 2)) + (1 - x) * (exp (x * (1 + x / 2)) * (1 + x))).
  assert (D : forall c, 0 <= c <= p -> derivable_pt_lim f c (f' c)).
  { intros c _. unfold f, f'.
    apply (derivable_pt_lim_mult (fun x => 1 - x) (fun x => exp (x * (1 + x / 2)))).
    - replace (-1) with (0 - 1) by ring.
      apply (derivable_pt_lim_minus (fun _ => 1) (fun x => x));
        [apply derivable_pt_lim_const|apply derivable_pt_lim_id].
    - apply (derivable_pt_lim_comp (fun x => x * (1 + x / 2)) exp); [|apply derivable_pt_lim_exp].
      replace (1 + c) with (1 * (1 + c / 2) + c * (0 + 1 / 2)) by field.
      apply (derivable_pt_lim_mult (fun x => x) (fun x => 1 + x / 2)); [apply derivable_pt_lim_id|].
      apply (derivable_pt_lim_plus (fun _ => 1) (fun x => x / 2)); [apply derivable_pt_lim_const|].
      replace (1 / 2) with (1 * / 2) by field.
      replace (fun x : R => x / 2) with (mult_real_fct (/ 2) (fun x => x)).
      + replace (1 * / 2) with (/ 2 * 1) by ring. apply (derivable_pt_lim_scal (fun x => x)), derivable_pt_lim_id.
      + unfold mult_real_fct, Rdiv. apply FunctionalExtensionality.functional_extensionality. intros. ring. }
  destruct (MVT_cor2 f f' 0 p P0 D) as (c & E & Hc).
  assert (F0 : f 0 = 1) by (unfold f; rewrite Rmult_0_l, exp_0; ring).
  assert (Neg : f' c <= 0).
  { unfold f'. pose proof (exp_pos (c * (1 + c / 2))) as Pe.
    replace (- 1 * exp (c * (1 + c / 2)) + (1 - c) * (exp (c * (1 + c / 2)) * (1 + c)))
      with (- (c ^ 2 * exp (c * (1 + c / 2)))) by ring.
    assert (0 <= c ^ 2 * exp (c * (1 + c / 2))) by (apply Rmult_le_pos; [apply pow2_ge_0|lra]). lra. }
  assert (Small : f p <= 1).
  { assert (0 <= (- f' c) * (p - 0)) by (apply Rmult_le_pos; lra). lra. }
  unfold f in Small. pose proof (exp_pos (- (p * (1 + p / 2)))) as Pe.
  apply (Rmult_le_compat_r (exp (- (p * (1 + p / 2))))) in Small; [|lra].
  rewrite Rmult_assoc, <- exp_plus, Rplus_opp_r, exp_0 in Small. lra.
Qed.

(** x^(-1 - a) for x = 2, ..., n adds up to at most 1/a. *)
Definition falling a x : R := exp (- (a * ln x)).

Lemma falling_step a x : 0 <= a -> 1 <= x -> a * (falling a (x + 1) * / (x + 1)) <= falling a x - falling a (x + 1).
Proof.
  intros Pa Px. unfold falling. set (y := x + 1). assert (Y : 0 < y) by (unfold y; lra).
  assert (Ln : / y <= ln y - ln x).
  { assert (E : x = y * (1 - / y)) by (unfold y; field; lra).
    assert (P1 : 0 < 1 - / y) by (apply (Rmult_lt_reg_l y); [assumption|]; rewrite <- E; lra).
    rewrite E at 1. rewrite ln_mult by assumption. pose proof (exp_above (- / y)) as Q.
    assert (L : ln (1 - / y) <= - / y).
    { rewrite <- (ln_exp (- / y)). destruct (Req_dec (1 - / y) (exp (- / y))) as [->|N]; [lra|].
      left. apply ln_increasing; lra. }
    lra. }
  replace (- (a * ln x)) with (- (a * ln y) + a * (ln y - ln x)) by ring. rewrite exp_plus.
  pose proof (exp_above (a * (ln y - ln x))) as Q. pose proof (exp_pos (- (a * ln y))) as Pe.
  apply (Rmult_le_compat_l a) in Ln; [|assumption].
  apply (Rmult_le_compat_l (exp (- (a * ln y)))) in Q; [|lra].
  apply (Rmult_le_compat_l (exp (- (a * ln y)))) in Ln; [|lra]. lra.
Qed.

Lemma falling_sum a n : 0 <= a -> a * sum n (fun t => falling a (INR t + 2) * / (INR t + 2)) <= 1.
Proof.
  intros Pa. apply Rle_trans with (1 - falling a (INR n + 1)).
  - induction n.
    + simpl. unfold falling. rewrite Rplus_0_l, ln_1, Rmult_0_r, Ropp_0, exp_0. lra.
    + cbn [sum]. pose proof (falling_step a (INR n + 1) Pa ltac:(pose proof (pos_INR n); lra)) as F.
      rewrite S_INR. replace (INR n + 2) with (INR n + 1 + 1) by ring. lra.
  - unfold falling. pose proof (exp_pos (- (a * ln (INR n + 1)))). lra.
Qed.

(** ** Crossing the limit *)
Section Crossing.
Context (P : Law) (N : nat) (p : nat -> R) (there : nat -> nat -> nat -> bool) (rounds : nat).
Notation E := (expect P).
Notation age := (age there).
Hypothesis chances : forall i, (i < N)%nat -> 0 < p i <= 1.
Hypothesis everybody_first : forall i w, there 0%nat i w = true.
Hypothesis flips : forall t i f, (i < N)%nat -> (0 < t < rounds)%nat -> of_the_past there t i f ->
  E (fun w => f w * present there t i w) = p i * E f.
Variable delta : R.
Hypothesis delta_small : 0 < delta <= 1.
Hypothesis some : (0 < N)%nat.

(** x_t of client i. *)
Definition limit i t : R := (ln (INR N * INR (S t) / delta) + 1) / p i.

Section Client.
Variable i : nat.
Hypothesis Hi : (i < N)%nat.
Notation x := (limit i).
Notation q := (1 - p i).
Notation s := (1 + p i / 2).

(** Within the limit before round t; and the same of a client that is never there again. *)
Fixpoint calm t w : bool :=
  match t with O => true | S r => calm r w && (if Rle_dec (INR (age r i w)) (x r) then true else false) end.
Fixpoint early t : bool :=
  match t with O => true | S r => early r && (if Rle_dec (INR r) (x r) then true else false) end.

Definition crosses t w : R := if calm t w && (if Rlt_dec (x t) (INR (age t i w)) then true else false) then 1 else 0.

Lemma crossed_once n w : (if calm n w then 0 else 1) <= sum n (fun t => crosses t w).
Proof.
  induction n; simpl; [lra|]. unfold crosses at 2. revert IHn. destruct (calm n w); simpl; intros IHn.
  - destruct (Rle_dec _ _); destruct (Rlt_dec _ _); lra.
  - lra.
Qed.

Lemma exceeded_not_calm n w t : (t < n)%nat -> x t < INR (age t i w) -> calm n w = false.
Proof.
  intros Ht Q. induction n; [lia|]. simpl. destruct (Nat.eq_dec t n) as [->|].
  - destruct (Rle_dec _ _); [lra|]. apply andb_false_r.
  - rewrite IHn by lia. reflexivity.
Qed.

Lemma rate_pos : 0 < INR N / delta /\ 1 <= INR N / delta.
Proof.
  apply le_INR in some. simpl in some. assert (1 <= INR N / delta); [|lra].
  apply (Rmult_le_reg_r delta); [lra|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l by lra. lra.
Qed.

Lemma limit_is t : p i * x t = 1 + ln (INR N / delta) + ln (INR t + 1).
Proof.
  pose proof (chances i Hi). destruct rate_pos. unfold limit. rewrite S_INR.
  replace (INR N * (INR t + 1) / delta) with (INR N / delta * (INR t + 1)) by (field; lra).
  rewrite ln_mult; [field; lra|lra|]. pose proof (pos_INR t). lra.
Qed.

Lemma log_rate_pos : 0 <= ln (INR N / delta).
Proof.
  destruct rate_pos as [_ [A|<-]]; [|rewrite ln_1; lra]. rewrite <- ln_1. left. apply ln_increasing; lra.
Qed.

Lemma limit_pos t : 1 <= p i * x t.
Proof.
  rewrite limit_is. pose proof log_rate_pos. pose proof (pos_INR t) as Pt.
  assert (0 <= ln (INR t + 1)); [|lra]. destruct Pt as [Pt|<-]; [|rewrite Rplus_0_l, ln_1; lra].
  rewrite <- ln_1. left. apply ln_increasing; lra.
Qed.

Lemma limit_rises t : x t <= x (S t).
Proof.
  pose proof (chances i Hi) as Pc. apply (Rmult_le_reg_l (p i)); [lra|]. rewrite !limit_is, S_INR.
  pose proof (pos_INR t). assert (ln (INR t + 1) < ln (INR t + 1 + 1)) by (apply ln_increasing; lra). lra.
Qed.

(** (delta/(e N))^s *)
Definition part : R := exp (- (s * (1 + ln (INR N / delta)))).

Lemma part_pos : 0 < part. Proof. apply exp_pos. Qed.

Lemma few_survive k t : x t < INR k -> q ^ k <= part * (falling (p i / 2) (INR t + 1) * / (INR t + 1)).
Proof.
  intros Hk. pose proof (chances i Hi) as Pc. pose proof (limit_is t) as L. pose proof (pos_INR t) as Pt.
  apply Rle_trans with (exp (- (p i * s)) ^ k).
  - apply pow_incr. split; [lra|]. apply log_second_order. lra.
  - assert (Ek : exp (- (p i * s)) ^ k = exp (- (s * (p i * INR k)))).
    { clear Hk. induction k; [simpl; rewrite !Rmult_0_r, Ropp_0, exp_0; reflexivity|].
      rewrite S_INR. simpl. rewrite IHk, <- exp_plus. f_equal. ring. }
    rewrite Ek. unfold part, falling. rewrite <- (exp_ln (/ (INR t + 1))) by (apply Rinv_0_lt_compat; lra).
    rewrite ln_Rinv, <- !exp_plus by lra.
    assert (Q : s * (p i * x t) <= s * (p i * INR k)).
    { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; lra. }
    rewrite L in Q.
    replace (- (s * (1 + ln (INR N / delta))) + (- (p i / 2 * ln (INR t + 1)) + - ln (INR t + 1)))
      with (- (s * (1 + ln (INR N / delta) + ln (INR t + 1)))) by field.
    destruct Q as [Q|Q]; [left; apply exp_increasing; lra|rewrite Q; lra].
Qed.

(** Never there again after round 0: it happens once at most, and late. *)
Definition alone t : R := if early t && (if Rlt_dec (x t) (INR t) then true else false) then p i * part else 0.

Lemma alone_once n : sum n alone <= if early n then 0 else p i * part.
Proof.
  pose proof (chances i Hi). pose proof part_pos. assert (0 <= p i * part) by (apply Rmult_le_pos; lra).
  induction n; simpl; [lra|]. unfold alone at 2. revert IHn. destruct (early n); simpl; intros IHn.
  - destruct (Rle_dec _ _); destruct (Rlt_dec _ _); lra.
  - lra.
Qed.

Lemma first_age w t : age t i w = t -> forall r, (r <= t)%nat -> age r i w = r.
Proof.
  intros A. induction t as [|t IH]; intros r Hr; [now replace r with 0%nat by lia|].
  simpl in A. destruct (there (S t) i w) eqn:T; [discriminate|]. injection A as A.
  destruct (Nat.eq_dec r (S t)) as [->|]; [simpl; rewrite T; now f_equal|]. apply IH; [assumption|lia].
Qed.

Lemma calm_is_early w t : age t i w = t -> calm t w = true -> early t = true.
Proof.
  intros A. pose proof (first_age w t A) as F. clear A. induction t; [reflexivity|]. simpl. intros C.
  apply andb_true_iff in C. destruct C as [C1 C2]. rewrite IHt; [|intros; apply F; lia|assumption]. simpl.
  rewrite F in C2 by lia. exact C2.
Qed.

(** The chance of crossing first in round t. *)
Lemma crossing t : (t < rounds)%nat ->
  E (crosses t) <= alone t + p i * (part * (falling (p i / 2) (INR t + 1) * / (INR t + 1))).
Proof.
  intros Ht. pose proof (chances i Hi) as Pc. pose proof part_pos as Pp.
  assert (Px : 0 <= x t) by (apply (Rmult_le_reg_l (p i)); [lra|]; pose proof (limit_pos t); lra).
  destruct (whole_above (x t) Px) as (k & K1 & K2). pose proof (few_survive k t K2) as Few.
  set (bound := part * (falling (p i / 2) (INR t + 1) * / (INR t + 1))) in *.
  assert (Pb : 0 <= p i * bound).
  { apply Rmult_le_pos; [lra|]. eapply Rle_trans; [|exact Few]. apply pow_le. lra. }
  assert (Pa : 0 <= alone t) by (unfold alone; destruct (_ && _); [apply Rmult_le_pos|]; lra).
  (* a crossing has this age *)
  assert (Age : forall w, calm t w = true -> x t < INR (age t i w) -> age t i w = k).
  { intros w C Q. destruct t as [|r].
    - simpl in Q. simpl INR in Q. lra.
    - simpl in C. apply andb_true_iff in C. destruct C as [_ C].
      destruct (Rle_dec (INR (age r i w)) (x r)) as [Le|]; [|discriminate]. pose proof (limit_rises r) as Rise.
      assert (Up : (age (S r) i w <= S (age r i w))%nat) by (simpl; destruct (there (S r) i w); lia).
      apply le_INR in Up. rewrite S_INR in Up.
      assert (B1 : INR (age (S r) i w) < INR (S k)) by (rewrite S_INR; lra).
      assert (B2 : INR k < INR (S (age (S r) i w))) by (rewrite S_INR; lra).
      apply INR_lt in B1, B2. lia. }
  destruct (lt_eq_lt_dec k t) as [[Lt|Eq]|Gt].
  - apply Rle_trans with (p i * bound); [|lra].
    apply Rle_trans with (E (fun w => at_least k (age t i w) + -1 * at_least (S k) (age t i w))).
    + apply expect_le. intros w. unfold crosses, at_least.
      destruct (calm t w) eqn:C; cbn [andb].
      * destruct (Rlt_dec _ _) as [Q|_].
        -- rewrite (Age w C Q). destruct (Nat.leb_spec k k); [|lia]. destruct (Nat.leb_spec (S k) k); [lia|]. lra.
        -- destruct (Nat.leb_spec k (age t i w)); destruct (Nat.leb_spec (S k) (age t i w)); try lra; lia.
      * destruct (Nat.leb_spec k (age t i w)); destruct (Nat.leb_spec (S k) (age t i w)); try lra; lia.
    + rewrite expect_add, expect_scale.
      rewrite (tail_is P N p there rounds flips i k Hi t) by lia.
      rewrite (tail_is P N p there rounds flips i (S k) Hi t) by lia.
      simpl pow. replace (q ^ k + -1 * (q * q ^ k)) with (p i * q ^ k) by ring.
      apply Rmult_le_compat_l; lra.
  - subst k. destruct (early t) eqn:Et.
    + apply Rle_trans with (alone t); [|lra]. unfold alone. rewrite Et. simpl.
      destruct (Rlt_dec (x t) (INR t)) as [_|No]; [|lra].
      apply Rle_trans with (E (fun w => at_least t (age t i w))).
      * apply expect_le. intros w. unfold crosses, at_least. destruct (calm t w) eqn:C; cbn [andb].
        -- destruct (Rlt_dec _ _) as [Q|_].
           ++ rewrite (Age w C Q). destruct (Nat.leb_spec t t); [lra|lia].
           ++ destruct (_ <=? _)%nat; lra.
        -- destruct (_ <=? _)%nat; lra.
      * rewrite (tail_is P N p there rounds flips i t Hi t) by lia. eapply Rle_trans; [exact Few|].
        (* t + 1 > 1/p *)
        assert (Big : 1 <= p i * (INR t + 1)).
        { pose proof (limit_pos t). apply Rle_trans with (p i * INR t); [|lra].
          apply Rle_trans with (p i * x t); [lra|]. apply Rmult_le_compat_l; lra. }
        pose proof (pos_INR t) as Pt. unfold bound. rewrite (Rmult_comm (p i)). apply Rmult_le_compat_l; [lra|].
        assert (I1 : / (INR t + 1) <= p i).
        { apply (Rmult_le_reg_r (INR t + 1)); [lra|]. rewrite Rinv_l by lra. lra. }
        assert (F1 : falling (p i / 2) (INR t + 1) <= 1).
        { unfold falling. apply Rle_trans with (exp 0); [|rewrite exp_0; lra]. assert (0 <= ln (INR t + 1)).
          { destruct Pt as [Pt|<-]; [|rewrite Rplus_0_l, ln_1; lra]. rewrite <- ln_1. left. apply ln_increasing; lra. }
          assert (Z : 0 <= p i / 2 * ln (INR t + 1)) by (apply Rmult_le_pos; lra).
          destruct Z as [Z|Z]; [left; apply exp_increasing; lra|]. rewrite <- Z, Ropp_0. lra. }
        assert (0 < / (INR t + 1)) by (apply Rinv_0_lt_compat; lra).
        assert (falling (p i / 2) (INR t + 1) * / (INR t + 1) <= 1 * / (INR t + 1)) by (apply Rmult_le_compat_r; lra).
        lra.
    + apply Rle_trans with 0; [|lra]. rewrite <- (expect_const P 0). apply expect_le. intros w. unfold crosses.
      destruct (calm t w) eqn:C; cbn [andb]; [|lra]. destruct (Rlt_dec _ _) as [Q|_]; [|lra].
      exfalso. rewrite (calm_is_early w t (Age w C Q) C) in Et. discriminate.
  - apply Rle_trans with 0; [|lra]. rewrite <- (expect_const P 0). apply expect_le. intros w. unfold crosses.
    destruct (calm t w) eqn:C; cbn [andb]; [|lra]. destruct (Rlt_dec _ _) as [Q|_]; [|lra].
    exfalso. pose proof (Age w C Q). pose proof (never_older there t i w). lia.
Qed.

(** Of one client, in R rounds. *)
Lemma one_client R : (R <= rounds)%nat -> E (fun w => if calm R w then 0 else 1) <= (2 + p i) * part.
Proof.
  intros HR. pose proof (chances i Hi) as Pc. pose proof part_pos as Pp.
  apply Rle_trans with (E (fun w => sum R (fun t => crosses t w))); [apply expect_le; intros; apply crossed_once|].
  assert (S1 : E (fun w => sum R (fun t => crosses t w)) = sum R (fun t => E (crosses t))).
  { unfold expect. rewrite sum_swap. apply sum_ext. intros w _. now rewrite sum_scale. }
  rewrite S1. destruct R as [|R]; [simpl; apply Rmult_le_pos; lra|].
  rewrite sum_first.
  assert (First : E (crosses 0) = 0).
  { rewrite <- (expect_const P 0). apply expect_ext. intros w. unfold crosses. simpl.
    destruct (Rlt_dec _ _) as [Q|]; [|reflexivity]. exfalso. simpl INR in Q. pose proof (limit_pos 0) as L0.
    assert (p i * x 0%nat <= p i * 0) by (apply Rmult_le_compat_l; lra). lra. }
  rewrite First. pose proof (alone_once (S R)) as Al. rewrite sum_first in Al.
  assert (A0 : 0 <= alone 0) by (unfold alone; destruct (_ && _); [apply Rmult_le_pos|]; lra).
  assert (Al2 : sum R (fun k => alone (S k)) <= p i * part).
  { assert (0 <= p i * part) by (apply Rmult_le_pos; lra). destruct (early (S R)); lra. }
  pose proof (falling_sum (p i / 2) R ltac:(lra)) as F.
  assert (B : sum R (fun k => E (crosses (S k))) <= sum R (fun k => alone (S k))
    + part * (p i * sum R (fun t => falling (p i / 2) (INR t + 2) * / (INR t + 2)))).
  { rewrite <- !sum_scale, <- sum_add. apply sum_le. intros t Ht. eapply Rle_trans; [apply crossing; lia|].
    rewrite S_INR. replace (INR t + 1 + 1) with (INR t + 2) by ring. lra. }
  apply (Rmult_le_compat_l part) in F; [|lra]. lra.
Qed.

Lemma part_small : (2 + p i) * part <= delta / INR N * ((2 + p i) * exp (- 1 - p i / 2)).
Proof.
  pose proof (chances i Hi) as Pc. destruct rate_pos as [R0 R1]. pose proof log_rate_pos as L0.
  assert (PN : 0 < INR N) by now apply lt_0_INR.
  assert (Q : part <= delta / INR N * exp (- 1 - p i / 2)).
  { replace (delta / INR N) with (exp (- ln (INR N / delta))).
    - rewrite <- exp_plus. unfold part.
      assert (0 <= p i / 2 * ln (INR N / delta)) by (apply Rmult_le_pos; lra).
      destruct (Req_dec (- (s * (1 + ln (INR N / delta)))) (- ln (INR N / delta) + (- 1 - p i / 2))) as [->|];
        [lra|left; apply exp_increasing; lra].
    - rewrite exp_Ropp, exp_ln by lra. field. lra. }
  apply (Rmult_le_compat_l (2 + p i)) in Q; lra.
Qed.
End Client.

(** ** All clients *)
Variable fails : nat -> bool.

Lemma some_client : (forall w, fails w = true -> exists t i, (t < rounds)%nat /\ (i < N)%nat /\
    limit i t < INR (age t i w)) ->
  E (fun w => if fails w then 1 else 0) <= sum N (fun i => E (fun w => if calm i rounds w then 0 else 1)).
Proof.
  intros Fails.
  assert (S1 : E (fun w => sum N (fun i => if calm i rounds w then 0 else 1))
    = sum N (fun i => E (fun w => if calm i rounds w then 0 else 1))).
  { unfold expect. rewrite sum_swap. apply sum_ext. intros w _. now rewrite sum_scale. }
  rewrite <- S1. apply expect_le. intros w.
  assert (Pos : forall i, 0 <= (if calm i rounds w then 0 else 1)) by (intros i; destruct (calm i rounds w); lra).
  destruct (fails w) eqn:Fw; [|apply sum_pos; auto]. destruct (Fails w Fw) as (t & i & Ht & Hi & Q).
  pose proof (sum_member N (fun i => if calm i rounds w then 0 else 1) i Hi (fun j _ => Pos j)) as M. cbv beta in M.
  rewrite (exceeded_not_calm i Hi rounds w t Ht Q) in M. exact M.
Qed.

Theorem theorem5_2_explicit (c : R) : (forall i, (i < N)%nat -> p i = c) ->
  (forall w, fails w = true <-> exists t i, (t < rounds)%nat /\ (i < N)%nat /\
    mifa_thm5_2_explicit_condition_fails (availability_probability := p i) (confidence_gap := delta)
      (num_clients := INR N) (round := INR (S t)) (staleness := INR (age t i w))) ->
  E (fun w => if fails w then 1 else 0) <=
    mifa_thm5_2_explicit_right (availability_probability := c) (confidence_gap := delta).
Proof.
  unfold mifa_thm5_2_explicit_condition_fails, mifa_thm5_2_explicit_right. intros Same Fails.
  assert (PN : 0 < INR N) by now apply lt_0_INR.
  eapply Rle_trans; [apply some_client|].
  - intros w Fw. apply Fails in Fw. destruct Fw as (t & i & Ht & Hi & Q). exists t, i. auto.
  - apply Rle_trans with (INR N * (delta / INR N * ((2 + c) * exp (- 1 - c / 2)))).
    + apply sum_le_const. intros i Hi. eapply Rle_trans; [now apply (one_client i Hi rounds)|]. rewrite <- (Same i Hi).
      now apply part_small.
    + right.
      replace (INR N * (delta / INR N * ((2 + c) * exp (-1 - c / 2)))) with (delta * ((2 + c) * exp (-1 - c / 2)))
        by (field; lra). replace (0 - c / 2 - 1) with (-1 - c / 2) by field. ring.
Qed.

Theorem theorem5_2 :
  (forall w, fails w = true <-> exists t i, (t < rounds)%nat /\ (i < N)%nat /\
    mifa_thm5_2_condition_fails (availability_probability := p i) (confidence_gap := delta)
      (num_clients := INR N) (round := INR (S t)) (staleness := INR (age t i w))) ->
  E (fun w => if fails w then 1 else 0) <= delta.
Proof.
  unfold mifa_thm5_2_condition_fails. intros Fails.
  assert (PN : 0 < INR N) by now apply lt_0_INR.
  eapply Rle_trans; [apply some_client|].
  - intros w Fw. apply Fails in Fw. destruct Fw as (t & i & Ht & Hi & Q). exists t, i. auto.
  - apply Rle_trans with (INR N * (delta / INR N)); [|right; field; lra].
    apply sum_le_const. intros i Hi. eapply Rle_trans; [now apply (one_client i Hi rounds)|].
    eapply Rle_trans; [now apply part_small|]. pose proof (chances i Hi) as Pc.
    assert (Pd : 0 <= delta / INR N) by (apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]).
    assert (One : (2 + p i) * exp (- 1 - p i / 2) <= 1).
    { pose proof (exp_above (p i / 2)) as A1. pose proof (exp_above 1) as A2.
      pose proof (exp_pos (- 1 - p i / 2)) as Pe.
      pose proof (exp_pos 1) as P1. pose proof (exp_pos (p i / 2)) as P2.
      assert (B : 2 * (1 + p i / 2) <= exp 1 * exp (p i / 2)).
      { apply Rmult_le_compat; lra. }
      apply (Rmult_le_compat_r (exp (- 1 - p i / 2))) in B; [|lra].
      rewrite <- !exp_plus in B. replace (1 + p i / 2 + (-1 - p i / 2)) with 0 in B by ring. rewrite exp_0 in B. lra. }
    apply (Rmult_le_compat_l (delta / INR N)) in One; lra.
Qed.
End Crossing.
