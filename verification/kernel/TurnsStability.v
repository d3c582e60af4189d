(** * Fraboni et al., Example 2: the two points attract the model if and only if it is stable

    Two clients take turns as in TakingTurns.v, with weights q_1, q_2 > 0 and a local move phi > 0; a = q_1 phi
    and b = q_2 phi. The models tend to the two points of Example 2, at even and at odd rounds, from every start
    exactly when a b < 1 and (1 - a)(1 - b) > -1 ([example2_stable]). The paper states no condition.

    The converse: errors at even rounds obey u_(n+2) = (1 - a - b) u_(n+1) - a b u_n. If a b >= 1, two
    solutions span an area that does not shrink, so one of them does not tend to 0; if (1 - a)(1 - b) <= -1,
    the recurrence has a root z <= -1 and the solution z^n. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import TakingTurns Claims_fraboni.
Open Scope R_scope.

(** ** Runs from any start *)
Section Start.
Variables q1 q2 phi t1 t2 : R.
Hypothesis weights_pos : 0 < q1 /\ 0 < q2.
Hypothesis move_pos : 0 < phi.
Variables before start : R.

(** The models before round 2 n - 1 and before round 2 n. *)
Fixpoint pair (n : nat) : R * R :=
  match n with
  | O => (before, start)
  | S m => let odd := snd (pair m) + q1 * (phi * (t1 - fst (pair m))) in
           (odd, odd + q2 * (phi * (t2 - snd (pair m))))
  end.
Definition models (k : nat) : R := if Nat.even k then snd (pair (Nat.div2 k)) else fst (pair (S (Nat.div2 k))).

Lemma models_even n : models (2 * n) = snd (pair n).
Proof.
  unfold models. rewrite Nat.even_mul. simpl orb. cbv iota. rewrite Nat.div2_double. reflexivity.
Qed.

Lemma models_odd n : models (2 * n + 1) = fst (pair (S n)).
Proof.
  unfold models. rewrite Nat.add_1_r, Nat.even_succ, Nat.odd_mul. simpl andb. cbv iota.
  rewrite Nat.div2_succ_double. reflexivity.
Qed.

Definition turns : TurnsOfTwo.
Proof.
  refine {| first_weight := q1; second_weight := q2; local_move := phi; first_optimum := t1; second_optimum := t2;
            model := models; model_before := before |}; try assumption.
  - reflexivity.
  - intros n. rewrite !models_odd, models_even. reflexivity.
  - intros n. rewrite models_even, models_odd, models_even. reflexivity.
Defined.
End Start.

(** ** Solutions of the recurrence that do not tend to 0 *)
Section Recurrence.
Variables (s d : R) (u v : nat -> R).
Hypothesis next_u : forall n, u (S (S n)) = s * u (S n) - d * u n.
Hypothesis next_v : forall n, v (S (S n)) = s * v (S n) - d * v n.

Lemma area n : u (S n) * v n - u n * v (S n) = d ^ n * (u 1%nat * v 0%nat - u 0%nat * v 1%nat).
Proof. induction n; [simpl; ring|]. rewrite next_u, next_v. simpl. rewrite Rmult_assoc, <- IHn. ring. Qed.

Lemma shifted w l : Un_cv w l -> Un_cv (fun n => w (S n)) l.
Proof. intros C e He. destruct (C e He) as [n Hn]. exists n. intros m Hm. apply Hn. lia. Qed.

Lemma not_both : 1 <= d -> u 0%nat = 0 -> u 1%nat = 1 -> v 0%nat = 1 -> v 1%nat = 0 -> Un_cv u 0 -> Un_cv v 0 -> False.
Proof.
  intros Hd U0 U1 V0 V1 Cu Cv.
  pose proof (CV_minus _ _ _ _ (CV_mult _ _ _ _ (shifted u 0 Cu) Cv) (CV_mult _ _ _ _ Cu (shifted v 0 Cv))) as C.
  destruct (C 1 ltac:(lra)) as [n Hn]. specialize (Hn n (le_n n)). unfold R_dist in Hn.
  rewrite area, U0, U1, V0, V1 in Hn. pose proof (pow_R1_Rle d n Hd) as P.
  replace (d ^ n * (1 * 1 - 0 * 0) - (0 * 0 - 0 * 0)) with (d ^ n) in Hn by ring.
  rewrite Rabs_pos_eq in Hn; lra.
Qed.

Lemma large_root : s <= - (1 + d) -> exists z, z <= -1 /\ z * z = s * z - d.
Proof.
  intros Hs. assert (Disc : 0 <= s * s - 4 * d).
  { destruct (Rle_lt_dec 0 (1 + d)) as [P|P].
    - assert ((1 + d) * (1 + d) <= (- s) * (- s)) by (apply Rmult_le_compat; lra).
      pose proof (Rle_0_sqr (1 - d)) as Q. unfold Rsqr in Q. lra.
    - pose proof (Rle_0_sqr s) as Q. unfold Rsqr in Q. lra. }
  set (r := sqrt (s * s - 4 * d)). assert (Er : r * r = s * s - 4 * d) by now apply sqrt_sqrt.
  assert (Pr : 0 <= r) by apply sqrt_pos.
  exists ((s - r) / 2). split; [|lra].
  (* otherwise r < s + 2, so s > -2 and r^2 < (s + 2)^2, which says 1 + s + d > 0 *)
  apply Rnot_lt_le. intros Z. assert (L : r < s + 2) by lra.
  assert (r * r < (s + 2) * (s + 2)) by (apply Rmult_le_0_lt_compat; lra). lra.
Qed.
End Recurrence.

Lemma powers_stay z : z <= -1 -> ~ Un_cv (fun n => z ^ n) 0.
Proof.
  intros Hz C. destruct (C 1 ltac:(lra)) as [n Hn]. specialize (Hn n (le_n n)). unfold R_dist in Hn.
  rewrite Rminus_0_r, <- RPow_abs in Hn.
  pose proof (pow_R1_Rle (Rabs z) n ltac:(rewrite Rabs_left; lra)). lra.
Qed.

(** ** The theorem *)
(** The models tend to the two points from every start. *)
Definition attracted (q1 q2 phi t1 t2 : R) : Prop := forall run : TurnsOfTwo,
  first_weight run = q1 -> second_weight run = q2 -> local_move run = phi ->
  first_optimum run = t1 -> second_optimum run = t2 ->
  Un_cv (fun n => model run (2 * n)) (even_point run) /\ Un_cv (fun n => model run (2 * n + 1)) (odd_point run).

Section Stability.
Variables q1 q2 phi t1 t2 : R.
Hypothesis weights_pos : 0 < q1 /\ 0 < q2.
Hypothesis move_pos : 0 < phi.
Notation a := (q1 * phi).
Notation b := (q2 * phi).

(** A run whose errors at rounds 0 and 2 are u0 and u1. *)
Definition even_limit_point : R := (a * t1 + b * (1 + a) * t2) / (a + b + a * b).
Definition run_from (u0 u1 : R) : TurnsOfTwo :=
  turns q1 q2 phi t1 t2 weights_pos move_pos
    (t1 - (u1 - u0 - b * (t2 - (even_limit_point + u0))) / a) (even_limit_point + u0).
Definition error (u0 u1 : R) (n : nat) : R := model (run_from u0 u1) (2 * n) - even_limit_point.

Lemma a_pos : 0 < a /\ 0 < b.
Proof. destruct weights_pos. split; now apply Rmult_lt_0_compat. Qed.

Lemma error_first u0 u1 : error u0 u1 0 = u0 /\ error u0 u1 1 = u1.
Proof.
  destruct a_pos as [Pa Pb]. unfold error, run_from. split.
  - unfold turns. cbn [model]. rewrite models_even. simpl. ring.
  - unfold turns. cbn [model]. rewrite models_even. simpl. set (e := even_limit_point).
    destruct weights_pos. field. lra.
Qed.

Lemma error_next u0 u1 n : error u0 u1 (S (S n)) = (1 - a - b) * error u0 u1 (S n) - a * b * error u0 u1 n.
Proof. apply (even_error (run_from u0 u1) n). Qed.

Lemma errors_vanish u0 u1 : attracted q1 q2 phi t1 t2 -> Un_cv (error u0 u1) 0.
Proof.
  intros A. destruct (A (run_from u0 u1) eq_refl eq_refl eq_refl eq_refl eq_refl) as [E _].
  change (even_point (run_from u0 u1)) with even_limit_point in E.
  replace 0 with (even_limit_point - even_limit_point) by ring.
  apply (CV_minus (fun n => model (run_from u0 u1) (2 * n)) (fun _ => even_limit_point)); [exact E|].
  apply limit_constant.
Qed.

Theorem example2_stable : attracted q1 q2 phi t1 t2 <->
  fraboni_ex2_stable_condition_product (first_weight := q1) (local_move := phi) (second_weight := q2)
  /\ fraboni_ex2_stable_condition_sum (first_weight := q1) (local_move := phi) (second_weight := q2).
Proof.
  unfold fraboni_ex2_stable_condition_product, fraboni_ex2_stable_condition_sum. split.
  - intros A. split.
    + apply Rnot_le_lt. intros Large.
      destruct (error_first 0 1) as [U0 U1]. destruct (error_first 1 0) as [V0 V1].
      apply (not_both (1 - a - b) (a * b) (error 0 1) (error 1 0)); auto using error_next, errors_vanish. lra.
    + apply Rnot_le_lt. intros Large.
      destruct (large_root (1 - a - b) (a * b) ltac:(lra)) as (z & Hz & Ez).
      apply (powers_stay z Hz). destruct (error_first 1 z) as [U0 U1].
      assert (Same : forall n, error 1 z n = z ^ n /\ error 1 z (S n) = z ^ S n).
      { induction n as [|n [I1 I2]]; [rewrite U0, U1; simpl; lra|]. split; [assumption|].
        rewrite error_next, I1, I2. simpl.
        replace (z * (z * z ^ n)) with (z * z * z ^ n) by ring. rewrite Ez. ring. }
      intros e He. destruct (errors_vanish 1 z A e He) as [n Hn]. exists n. intros m Hm.
      rewrite <- (proj1 (Same m)). now apply Hn.
  - intros [C1 C2] run E1 E2 E3 E4 E5. assert (St : stable run).
    { unfold stable. rewrite E1, E2, E3. lra. }
    split; [now apply even_limit|now apply odd_limit].
Qed.
End Stability.
