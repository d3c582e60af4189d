(** * Fraboni et al., Examples 1 and 2: clients that take turns with old models

    Example 1: the models obey x_(n+2) - x_(n+1) + phi x_n = phi x*. They converge to x* from every
    start if 0 < phi < 1 ([example1]); x* is the middle of the two data types' optima.

    Example 2: two clients are heard in turn, client 1 with weight q_1 after even rounds, client 2 with
    weight q_2 after odd ones; each has worked on a model that is one round old and went the fraction
    phi of the way to its own optimum, t_1 or t_2. With a = q_1 phi and b = q_2 phi, a b < 1 and
    (1 - a)(1 - b) > -1, the models converge from every start to two points in turn ([example2_even],
    [example2_odd]), which differ if t_1 <> t_2: the model has no limit ([example2_no_limit]), where the
    paper names one. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Claims_fraboni.
Open Scope R_scope.

(** ** Recurrences of second order *)
(** u_(n+2) = s u_(n+1) - d u_n tends to 0 from every start if |d| < 1 and |s| < 1 + d (Jury). The
    form (1 + d) u_(n+1)^2 - 2 s d u_(n+1) u_n + ((1 + d) d^2 + e) u_n^2 falls geometrically. *)
Section SecondOrder.
Variables (s d : R) (u : nat -> R).
Hypothesis det : -1 < d < 1.
Hypothesis trace : - (1 + d) < s < 1 + d.
Hypothesis next : forall n, u (S (S n)) = s * u (S n) - d * u n.

Let e := (1 - d) * ((1 + d) ^ 2 - s ^ 2) / 2.
Let A := 1 + d.
Let B := - (s * d).
Let C := (1 + d) * d ^ 2 + e.
Let form n := A * u (S n) ^ 2 + 2 * B * u (S n) * u n + C * u n ^ 2.
Let size n := u (S n) ^ 2 + u n ^ 2.

Lemma e_pos : 0 < e.
Proof.
  unfold e. assert (0 < (1 + d - s) * (1 + d + s)) by (apply Rmult_lt_0_compat; lra).
  assert (0 < (1 - d) * ((1 + d - s) * (1 + d + s))) by (apply Rmult_lt_0_compat; lra). lra.
Qed.

Lemma form_falls n : form (S n) = form n - e * size n.
Proof. unfold form, size, A, B, C, e. rewrite next. field. Qed.

Lemma size_pos n : 0 <= size n.
Proof. unfold size. pose proof (pow2_ge_0 (u (S n))). pose proof (pow2_ge_0 (u n)). lra. Qed.

(** The form is at most a multiple of the size, and the newest model at most a multiple of the form. *)
Let M := A + Rabs B + C + e.

Lemma C_pos : 0 < C.
Proof. pose proof e_pos. unfold C. assert (0 <= (1 + d) * d ^ 2) by (apply Rmult_le_pos; [lra|apply pow2_ge_0]). lra.
Qed.

Lemma form_le n : form n <= (M - e) * size n.
Proof.
  pose proof C_pos. unfold form, M, size.
  assert (2 * B * u (S n) * u n <= Rabs B * (u (S n) ^ 2 + u n ^ 2)).
  { pose proof (Rle_abs B). pose proof (Rle_abs (- B)). rewrite Rabs_Ropp in *.
    pose proof (pow2_ge_0 (u (S n) - u n)). pose proof (pow2_ge_0 (u (S n) + u n)).
    destruct (Rle_lt_dec 0 B).
    - rewrite (Rabs_pos_eq B) by assumption. assert (0 <= B * (u (S n) - u n) ^ 2) by (apply Rmult_le_pos;
      assumption). lra.
    - rewrite (Rabs_left B) by assumption. assert (0 <= - B * (u (S n) + u n) ^ 2) by (apply Rmult_le_pos; lra). lra. }
  assert (PA : 0 < A) by (unfold A; lra). pose proof (pow2_ge_0 (u (S n))). pose proof (pow2_ge_0 (u n)).
  assert (0 <= A * u n ^ 2) by (apply Rmult_le_pos; lra). assert (0 <= C * u (S n) ^ 2) by (apply Rmult_le_pos; lra).
  lra.
Qed.

Lemma newest_le n : e * (1 + d) * u n ^ 2 <= A * form n.
Proof.
  pose proof e_pos. unfold form, A.
  assert (D : A * C - B ^ 2 = d ^ 2 * ((1 + d) ^ 2 - s ^ 2) + (1 + d) * e) by (unfold A, B, C; ring).
  assert (P : 0 <= d ^ 2 * ((1 + d) ^ 2 - s ^ 2)).
  { apply Rmult_le_pos; [apply pow2_ge_0|]. assert (0 < (1 + d - s) * (1 + d + s)) by (apply Rmult_lt_0_compat; lra).
  lra. }
  replace ((1 + d) * ((1 + d) * u (S n) ^ 2 + 2 * B * u (S n) * u n + C * u n ^ 2))
    with (((1 + d) * u (S n) + B * u n) ^ 2 + (A * C - B ^ 2) * u n ^ 2) by (unfold A; ring).
  rewrite D. pose proof (pow2_ge_0 ((1 + d) * u (S n) + B * u n)). pose proof (pow2_ge_0 (u n)).
  assert (0 <= d ^ 2 * ((1 + d) ^ 2 - s ^ 2) * u n ^ 2) by (apply Rmult_le_pos; assumption). lra.
Qed.

Lemma M_large : e < M /\ 0 < M.
Proof.
  pose proof e_pos. pose proof C_pos. pose proof (Rabs_pos B). unfold M, A. split; lra.
Qed.

Lemma form_geometric n : form n <= form 0 * (1 - e / M) ^ n.
Proof.
  pose proof e_pos as Pe. destruct M_large as [Me Pm].
  assert (R0 : 0 <= 1 - e / M).
  { assert (e / M <= 1); [|lra]. apply (Rmult_le_reg_r M); [assumption|].
    replace (e / M * M) with e by (field; lra). lra. }
  induction n; [simpl; lra|]. rewrite form_falls. pose proof (form_le n) as F. pose proof (size_pos n) as Ps.
  assert (form n <= M * size n) by (assert (0 <= e * size n) by (apply Rmult_le_pos; lra); lra).
  assert (e / M * form n <= e * size n).
  { apply (Rmult_le_compat_l (e / M)) in H; [|apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]].
    replace (e / M * (M * size n)) with (e * size n) in H by (field; lra). assumption. }
  apply Rle_trans with ((1 - e / M) * form n); [lra|].
  replace (form 0 * (1 - e / M) ^ S n) with ((1 - e / M) * (form 0 * (1 - e / M) ^ n)) by (simpl; ring).
  now apply Rmult_le_compat_l.
Qed.

Theorem second_order : Un_cv u 0.
Proof.
  pose proof e_pos as Pe. destruct M_large as [Me Pm].
  assert (Hr : 0 <= 1 - e / M < 1).
  { assert (0 < e / M) by (apply Rmult_lt_0_compat; [lra|now apply Rinv_0_lt_compat]).
    assert (e / M <= 1); [|lra]. apply (Rmult_le_reg_r M); [assumption|].
    replace (e / M * M) with e by (field; lra). lra. }
  set (r := 1 - e / M) in *. intros eps He.
  assert (Pe2 : 0 < eps ^ 2 * e) by (apply Rmult_lt_0_compat; [now apply pow_lt|assumption]).
  assert (F0 : 0 <= form 0).
  { pose proof (newest_le 0) as Q. pose proof (pow2_ge_0 (u 0%nat)).
    assert (0 <= e * (1 + d) * u 0%nat ^ 2) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]).
    apply (Rmult_le_reg_l A); unfold A in *; lra. }
  destruct (pow_lt_1_zero r ltac:(rewrite Rabs_pos_eq; lra) (eps ^ 2 * e / (form 0 + 1)) ltac:(apply
    Rmult_lt_0_compat; [assumption|apply Rinv_0_lt_compat; lra])) as [n Hn].
  exists n. intros m Hm. specialize (Hn m Hm). rewrite Rabs_pos_eq in Hn by (apply pow_le; lra).
  unfold R_dist. rewrite Rminus_0_r.
  assert (Q : e * u m ^ 2 <= form m).
  { pose proof (newest_le m) as Q. unfold A in Q. apply (Rmult_le_reg_l (1 + d)); lra. }
  pose proof (form_geometric m) as Fm. fold r in Fm.
  assert (S1 : form 0 * r ^ m <= (form 0 + 1) * r ^ m) by (apply Rmult_le_compat_r; [apply pow_le; lra|lra]).
  assert (S2 : (form 0 + 1) * r ^ m < eps ^ 2 * e).
  { apply (Rmult_lt_compat_l (form 0 + 1)) in Hn; [|lra].
    replace ((form 0 + 1) * (eps ^ 2 * e / (form 0 + 1))) with (eps ^ 2 * e) in Hn by (field; lra). assumption. }
  assert (Sq : u m ^ 2 < eps ^ 2) by (apply (Rmult_lt_reg_l e); lra).
  rewrite <- (Rabs_pos_eq eps) by lra. apply Rsqr_lt_abs_0. unfold Rsqr. lra.
Qed.
End SecondOrder.

(** Limits of a sequence from those of its differences. *)
Lemma limit_shift (u : nat -> R) l : Un_cv (fun n => u n - l) 0 -> Un_cv u l.
Proof.
  intros C e He. destruct (C e He) as [n Hn]. exists n. intros m Hm. specialize (Hn m Hm).
  unfold R_dist in *. now rewrite Rminus_0_r in Hn.
Qed.

Lemma limit_constant c : Un_cv (fun _ => c) c.
Proof. intros e He. exists 0%nat. intros. unfold R_dist. rewrite Rminus_diag_eq, Rabs_R0 by reflexivity. assumption.
Qed.

(** ** Example 1 *)
Lemma converges_to_optimum (phi optimum : R) (x : nat -> R) : 0 < phi < 1 ->
  (forall n, x (S (S n)) - x (S n) + phi * x n = phi * optimum) -> Un_cv x optimum.
Proof.
  intros Hp E. apply limit_shift. apply (second_order 1 phi); [lra|lra|].
  intros n. specialize (E n). lra.
Qed.

(** The optimum of the federated loss lies in the middle between those of the two data types. *)
Theorem example1 (phi first second : R) (x : nat -> R) : 0 < phi ->
  fraboni_ex1_corrected_condition_part (local_move := phi) ->
  (forall n, x (S (S n)) - x (S n) + phi * x n = phi * ((first + second) / 2)) ->
  Un_cv x (fraboni_ex1_corrected_right (first_optimum := first) (second_optimum := second)).
Proof.
  unfold fraboni_ex1_corrected_condition_part, fraboni_ex1_corrected_right. intros P1 P2 E.
  apply (converges_to_optimum phi); [lra|]. intros n. rewrite E. field.
Qed.

(** ** Example 2 *)
Record TurnsOfTwo := {
  first_weight : R;
  second_weight : R;
  local_move : R;
  first_optimum : R;
  second_optimum : R;
  (** model n is what the server has before round n; model_before the one that came before. *)
  model : nat -> R;
  model_before : R;
  positive_weights : 0 < first_weight /\ 0 < second_weight;
  positive_move : 0 < local_move;
  first_round : model 1%nat = model 0%nat + first_weight * (local_move * (first_optimum - model_before));
  even_rounds : forall n, model (2 * S n + 1)%nat = model (2 * S n)%nat
    + first_weight * (local_move * (first_optimum - model (2 * n + 1)%nat));
  odd_rounds : forall n, model (2 * S n)%nat = model (2 * n + 1)%nat
    + second_weight * (local_move * (second_optimum - model (2 * n)%nat))
}.

Section Example2.
Variable run : TurnsOfTwo.
Notation a := (first_weight run * local_move run).
Notation b := (second_weight run * local_move run).
Notation t1 := (first_optimum run).
Notation t2 := (second_optimum run).

(** The two points between which the model ends up moving. *)
Definition even_point : R := (a * t1 + b * (1 + a) * t2) / (a + b + a * b).
Definition odd_point : R := (a * (1 + b) * t1 + b * t2) / (a + b + a * b).

Definition stable : Prop := a * b < 1 /\ -1 < (1 - a) * (1 - b).

Lemma moves_pos : 0 < a /\ 0 < b.
Proof.
  destruct (positive_weights run). pose proof (positive_move run).
  split; now apply Rmult_lt_0_compat.
Qed.

Lemma points_are : odd_point = even_point + a * (t1 - odd_point) /\ even_point = odd_point + b * (t2 - even_point).
Proof.
  destruct moves_pos. assert (0 < a * b) by now apply Rmult_lt_0_compat.
  unfold even_point, odd_point. split; field; lra.
Qed.

Lemma even_error n : model run (2 * S (S n)) - even_point =
  (1 - a - b) * (model run (2 * S n) - even_point) - a * b * (model run (2 * n) - even_point).
Proof.
  destruct points_are as [P1 P2]. pose proof (odd_rounds run (S n)) as O1. pose proof (odd_rounds run n) as O0.
  pose proof (even_rounds run n) as E0. rewrite O1, E0.
  assert (Q : model run (2 * n + 1)%nat = model run (2 * S n)%nat - b * (t2 - model run (2 * n)%nat)) by (rewrite O0;
    ring).
  rewrite Q. rewrite (Rmult_assoc (second_weight run)) in *.
  set (ev := even_point) in *. set (od := odd_point) in *.
  assert (R1 : od = ev - b * (t2 - ev)) by lra. rewrite R1 in P1. lra.
Qed.

Lemma even_limit : stable -> Un_cv (fun n => model run (2 * n)) even_point.
Proof.
  intros [S1 S2]. destruct moves_pos as [Pa Pb]. assert (Pab : 0 < a * b) by now apply Rmult_lt_0_compat.
  apply limit_shift. apply (second_order (1 - a - b) (a * b)); [lra|lra|].
  intros n. apply even_error.
Qed.

Lemma odd_limit : stable -> Un_cv (fun n => model run (2 * n + 1)) odd_point.
Proof.
  intros St. destruct points_are as [P1 P2].
  assert (C : Un_cv (fun n => model run (2 * S n)) even_point).
  { intros e He. destruct (even_limit St e He) as [n Hn]. exists n. intros m Hm. apply Hn. lia. }
  pose proof (CV_minus _ _ _ _ C (CV_mult (fun _ => b) _ b _ (limit_constant b)
    (CV_minus (fun _ => t2) _ t2 _ (limit_constant t2) (even_limit St)))) as Q.
  replace odd_point with (even_point - b * (t2 - even_point)) by lra.
  intros e He. destruct (Q e He) as [n Hn]. exists n. intros m Hm. specialize (Hn m Hm).
  rewrite (odd_rounds run m) in Hn.
  replace (model run (2 * m + 1)) with (model run (2 * m + 1) + second_weight run * (local_move run * (t2 - model run
    (2 * m)))
    - b * (t2 - model run (2 * m))) by ring. assumption.
Qed.

Lemma points_differ : t1 <> t2 -> even_point <> odd_point.
Proof.
  intros N E. destruct moves_pos as [Pa Pb]. assert (Pab : 0 < a * b) by now apply Rmult_lt_0_compat.
  apply N. assert (G : odd_point - even_point = a * b * (t1 - t2) / (a + b + a * b)) by (unfold odd_point,
    even_point; field; lra).
  rewrite E, Rminus_diag_eq in G by reflexivity.
  assert (a * b * (t1 - t2) = 0) by (replace (a * b * (t1 - t2)) with (a * b * (t1 - t2) / (a + b + a * b) * (a + b +
    a * b)) by (field; lra); rewrite <- G; ring).
  apply Rmult_integral in H. destruct H; lra.
Qed.

Theorem example2_even :
  fraboni_ex2_even_condition_product (first_weight := first_weight run) (local_move := local_move run)
    (second_weight := second_weight run) ->
  fraboni_ex2_even_condition_sum (first_weight := first_weight run) (local_move := local_move run)
    (second_weight := second_weight run) ->
  Un_cv (fun n => model run (2 * n)) (fraboni_ex2_even_right (first_optimum := t1) (first_weight := first_weight run)
    (local_move := local_move run) (second_optimum := t2) (second_weight := second_weight run)).
Proof.
  unfold fraboni_ex2_even_condition_product, fraboni_ex2_even_condition_sum. intros C1 C2.
  replace (fraboni_ex2_even_right) with even_point; [apply even_limit; split; lra|].
  destruct moves_pos as [Pa Pb]. assert (0 < a * b) by now apply Rmult_lt_0_compat.
  unfold even_point, fraboni_ex2_even_right. field. lra.
Qed.

Theorem example2_odd :
  fraboni_ex2_odd_condition_product (first_weight := first_weight run) (local_move := local_move run)
    (second_weight := second_weight run) ->
  fraboni_ex2_odd_condition_sum (first_weight := first_weight run) (local_move := local_move run)
    (second_weight := second_weight run) ->
  Un_cv (fun n => model run (2 * n + 1)) (fraboni_ex2_odd_right (first_optimum := t1) (first_weight := first_weight run)
    (local_move := local_move run) (second_optimum := t2) (second_weight := second_weight run)).
Proof.
  unfold fraboni_ex2_odd_condition_product, fraboni_ex2_odd_condition_sum. intros C1 C2.
  replace (fraboni_ex2_odd_right) with odd_point; [apply odd_limit; split; lra|].
  destruct moves_pos as [Pa Pb]. assert (0 < a * b) by now apply Rmult_lt_0_compat.
  unfold odd_point, fraboni_ex2_odd_right. field. lra.
Qed.

Theorem example2_no_limit : stable -> t1 <> t2 -> forall l, ~ Un_cv (model run) l.
Proof.
  intros St N l C. apply (points_differ N).
  assert (Sub : forall f : nat -> nat, (forall n, (n <= f n)%nat) -> Un_cv (fun n => model run (f n)) l).
  { intros f Hf e He. destruct (C e He) as [n Hn]. exists n. intros m Hm. apply Hn. specialize (Hf m). lia. }
  rewrite <- (UL_sequence _ _ _ (Sub (fun n => (2 * n)%nat) ltac:(intros; cbv beta; lia)) (even_limit St)).
  apply (UL_sequence _ _ _ (Sub (fun n => (2 * n + 1)%nat) ltac:(intros; cbv beta; lia)) (odd_limit St)).
Qed.
End Example2.
