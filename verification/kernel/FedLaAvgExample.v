(** * FedLaAvg on Example 1: Theorem 2 with its explicit bound

    Two clients with losses (x - e_0)^2 and (x - e_1)^2 on the line take turns: client 0 alone is
    available for t1 rounds, then client 1 alone for t2 rounds, and so on. z = (e_0 + e_1)/2 is the
    optimum of the mean loss f = (x - z)^2 + const. For all e_0, e_1, starts, t1, t2 > 0 and all T,
    FedLaAvg with gamma = 1/(2 sqrt T) satisfies ([theorem2])

      (1/T) sum_(t < T) (x_t - z)^2 <= (x_0 - z)^2/sqrt T + I^2 G^2/(4T),

    I = max(t1, t2), G = max(2 |x_0 - z|, |e_0 - e_1|). The printed G, without the absolute value, is
    wrong. The same bound holds for every order in which the two clients take part, one at a time, with
    nobody's latest gradient more than I rounds old ([any_order]). No probability is involved. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Sums Staleness Claims_fedlaavg.
Open Scope R_scope.

(** FedLaAvg on two clients, numbered 0 and 1, of which one takes part in each round. *)
Record TwoClients := {
  step : R;
  optimum : nat -> R;
  selected : nat -> nat -> bool;
  stored : nat -> nat -> R;
  model : nat -> R;
  one_of_two : forall t, selected (S t) 0 = negb (selected (S t) 1);
  nothing_stored : forall i, stored 0 i = 0;
  store : forall t i, stored (S t) i =
    if selected (S t) i then 2 * (model t - optimum i) else stored t i;
  serve : forall t, model (S t) = model t - step * ((stored (S t) 0 + stored (S t) 1) / 2)
}.

(** Example 1: in the first t1 of every t1 + t2 rounds client 0 takes part, then client 1. *)
Definition in_blocks (t1 t2 : nat) (selected : nat -> nat -> bool) : Prop :=
  forall t, selected (S t) 0%nat = (t mod (t1 + t2) <? t1) /\
            selected (S t) 1%nat = negb (t mod (t1 + t2) <? t1).

Lemma abs_between a b : Rabs a <= b -> - b <= a <= b.
Proof. unfold Rabs. destruct Rcase_abs; lra. Qed.

(** ** Nobody waits longer than the longer block *)
Lemma last_at_least selected t i s : (s <= t)%nat -> selected s i = true -> (0 < s)%nat ->
  (s <= last selected t i)%nat.
Proof.
  induction t; intros Hs Sel P; [lia|]. simpl. destruct (selected (S t) i) eqn:E; [lia|].
  destruct (Nat.eq_dec s (S t)) as [->|]; [congruence|]. apply IHt; auto; lia.
Qed.

Lemma blocks_staleness t1 t2 selected : (0 < t1)%nat -> (0 < t2)%nat -> in_blocks t1 t2 selected ->
  forall t i, (i < 2)%nat -> (t <= last selected t i + Nat.max t1 t2)%nat.
Proof.
  intros P1 P2 Blocks t i Hi. destruct t as [|s]; [lia|].
  pose proof (Nat.div_mod s (t1 + t2) ltac:(lia)) as D.
  pose proof (Nat.mod_upper_bound s (t1 + t2) ltac:(lia)) as M.
  set (b := (s / (t1 + t2))%nat) in *. set (m := (s mod (t1 + t2))%nat) in *.
  assert (At : forall k c, (k < t1 + t2)%nat -> ((t1 + t2) * c + k) mod (t1 + t2) = k).
  { intros k c Hk. rewrite Nat.add_comm, Nat.mul_comm, Nat.mod_add by lia. now apply Nat.mod_small. }
  assert (Z : i = 0%nat \/ i = 1%nat) by lia. destruct (Nat.lt_ge_cases m t1) as [First|Second].
  - destruct Z as [-> | ->].
    + assert (S s <= last selected (S s) 0)%nat; [|lia]. apply last_at_least; [lia| |lia].
      rewrite (proj1 (Blocks s)). now apply Nat.ltb_lt.
    + destruct b as [|c]; [lia|].
      assert ((t1 + t2) * S c <= last selected (S s) 1)%nat; [|lia]. apply last_at_least; [lia| |nia].
      replace ((t1 + t2) * S c)%nat with (S ((t1 + t2) * c + (t1 + t2 - 1))) by nia.
      rewrite (proj2 (Blocks _)), At by lia. apply Bool.negb_true_iff, Nat.ltb_ge. lia.
  - destruct Z as [-> | ->].
    + assert ((t1 + t2) * b + t1 <= last selected (S s) 0)%nat; [|lia]. apply last_at_least; [lia| |lia].
      replace ((t1 + t2) * b + t1)%nat with (S ((t1 + t2) * b + (t1 - 1))) by lia.
      rewrite (proj1 (Blocks _)), At by lia. apply Nat.ltb_lt. lia.
    + assert (S s <= last selected (S s) 1)%nat; [|lia]. apply last_at_least; [lia| |lia].
      rewrite (proj2 (Blocks s)). now apply Bool.negb_true_iff, Nat.ltb_ge.
Qed.

(** ** The run, seen from the optimum *)
Section Run.
Context (run : TwoClients) (I : nat).
Notation x := (model run).
Notation e := (optimum run).
Notation gamma := (step run).
Notation last := (last (selected run)).
Hypothesis Fresh : forall t i, (i < 2)%nat -> (t <= last t i + I)%nat.
Hypothesis step_pos : 0 < gamma.
Hypothesis step_small : gamma <= 1 / 2.

Definition best : R := (e 0%nat + e 1%nat) / 2.
Definition y t : R := x t - best.
Definition d i : R := e i - best.
Definition G : R := Rmax (Rabs (e 0%nat - e 1%nat)) (2 * Rabs (best - x 0%nat)).

Lemma apart : d 1 = - d 0.
Proof. unfold d, best. lra. Qed.

Lemma G_pos : 0 <= G.
Proof. unfold G. eapply Rle_trans; [apply Rabs_pos|apply Rmax_l]. Qed.

Lemma optimum_near i : (i < 2)%nat -> Rabs (d i) <= G / 2.
Proof.
  intros Hi. assert (Q : Rabs (e 0%nat - e 1%nat) <= G) by apply Rmax_l.
  assert (Z : i = 0%nat \/ i = 1%nat) by lia. unfold d, best.
  destruct Z as [-> | ->]; revert Q; unfold Rabs; repeat destruct Rcase_abs; lra.
Qed.

Lemma start_near : Rabs (y 0) <= G / 2.
Proof.
  assert (Q : 2 * Rabs (best - x 0%nat) <= G) by apply Rmax_r. rewrite Rabs_minus_sym in Q. unfold y. lra.
Qed.

Lemma stored_is t i : stored run t i = match last t i with O => 0 | S s => 2 * (y s - d i) end.
Proof.
  induction t; simpl; [apply nothing_stored|]. rewrite (store run).
  destruct (selected run (S t) i); [unfold y, d; ring|assumption].
Qed.

(** One client is fresh; the other one has been heard from or not. *)
Lemma cases t : exists i j, (i < 2)%nat /\ (j < 2)%nat /\ last (S t) i = S t /\ d j = - d i /\
  y (S t) = y t - gamma * ((stored run (S t) i + stored run (S t) j) / 2).
Proof.
  pose proof (one_of_two run t) as One. pose proof (serve run t) as Serve.
  destruct (selected run (S t) 1) eqn:E; [exists 1%nat, 0%nat|exists 0%nat, 1%nat];
    rewrite apart; cbn [Staleness.last]; rewrite ?One, ?E; simpl negb; cbv iota;
    (split; [lia|split; [lia|split; [reflexivity|split; [ring|]]]]); unfold y; rewrite Serve; lra.
Qed.

(** The move of a round, by -gamma, and how far it is from twice the distance to the optimum. *)
Definition move t : R := (y t - y (S t)) / gamma.
Definition error t : R := 2 * y t - move t.

Lemma next t : y (S t) = y t - gamma * move t.
Proof. unfold move. field. lra. Qed.

Lemma round t : (exists i, (t < I)%nat /\ (i < 2)%nat /\ move t = y t - d i) \/
  (exists s, (s <= t <= s + I)%nat /\ move t = y t + y s).
Proof.
  destruct (cases t) as [i [j [Hi [Hj [Now [Opposite Step]]]]]].
  rewrite !stored_is, Now in Step. pose proof (Fresh (S t) j Hj) as F.
  pose proof (last_le (selected run) (S t) j) as Le.
  destruct (last (S t) j) as [|s].
  - left. exists i. split; [lia|]. split; [assumption|]. unfold move. rewrite Step. field. lra.
  - right. exists s. split; [lia|]. unfold move. rewrite Step, Opposite. field. lra.
Qed.

Lemma near t : Rabs (y t) <= G / 2.
Proof.
  induction t as [t IH] using lt_wf_ind. destruct t as [|t]; [apply start_near|].
  pose proof (IH t ltac:(lia)) as Yt. rewrite next.
  destruct (round t) as [[i [_ [Hi ->]]]|[s [Hs ->]]].
  - pose proof (optimum_near i Hi) as Di.
    apply Rabs_le. apply abs_between in Yt, Di. split; nra.
  - pose proof (IH s ltac:(lia)) as Ys. apply Rabs_le. apply abs_between in Yt, Ys. split; nra.
Qed.

Lemma moves t : Rabs (move t) <= G.
Proof.
  pose proof (near t) as Yt. destruct (round t) as [[i [_ [Hi ->]]]|[s [_ ->]]].
  - pose proof (optimum_near i Hi) as Di. apply Rabs_le. apply abs_between in Yt, Di. lra.
  - pose proof (near s) as Ys. apply Rabs_le. apply abs_between in Yt, Ys. lra.
Qed.

Lemma moved s k : Rabs (y (s + k) - y s) <= INR k * (gamma * G).
Proof.
  induction k; [rewrite Nat.add_0_r, Rminus_diag_eq, Rabs_R0 by reflexivity; simpl; lra|].
  rewrite Nat.add_succ_r, next, S_INR. pose proof (moves (s + k)) as M.
  replace (y (s + k) - gamma * move (s + k) - y s) with ((y (s + k) - y s) + - (gamma * move (s + k))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_Ropp, Rabs_mult, (Rabs_pos_eq gamma) by lra.
  apply (Rmult_le_compat_l gamma) in M; lra.
Qed.

Lemma square_le a b : Rabs a <= b -> a ^ 2 <= b ^ 2.
Proof. intros A. rewrite <- (pow2_abs a). apply pow_incr. split; [apply Rabs_pos|assumption]. Qed.

Lemma error_first t : error t ^ 2 <= G ^ 2.
Proof.
  apply square_le. unfold error. pose proof (near t) as Yt.
  destruct (round t) as [[i [_ [Hi ->]]]|[s [_ ->]]].
  - pose proof (optimum_near i Hi) as Di. apply Rabs_le. apply abs_between in Yt, Di. lra.
  - pose proof (near s) as Ys. apply Rabs_le. apply abs_between in Yt, Ys. lra.
Qed.

Lemma error_later t : (I <= t)%nat -> error t ^ 2 <= (INR I * (gamma * G)) ^ 2.
Proof.
  intros Ht. apply square_le. unfold error. pose proof G_pos as PG.
  destruct (round t) as [[i [F _]]|[s [Hs ->]]]; [lia|].
  replace (2 * y t - (y t + y s)) with (y t - y s) by ring.
  replace t with (s + (t - s))%nat by lia. eapply Rle_trans; [apply moved|].
  apply Rmult_le_compat_r; [pos|]. apply le_INR. lia.
Qed.

(** If the clients alternate, the error is at most the last move. *)
Lemma error_alternating t : I = 1%nat -> error (S t) ^ 2 <= gamma ^ 2 * move t ^ 2.
Proof.
  intros One. unfold error.
  destruct (round (S t)) as [[i [F _]]|[s [Hs ->]]]; [lia|].
  replace (2 * y (S t) - (y (S t) + y s)) with (y (S t) - y s) by ring.
  assert (Z : s = S t \/ s = t) by lia. destruct Z as [-> | ->].
  - replace (y (S t) - y (S t)) with 0 by ring. pose proof (pow2_ge_0 (gamma * move t)). lra.
  - rewrite next. right. ring.
Qed.

Lemma fall t : 2 * gamma * y t ^ 2 <=
  (y t ^ 2 - y (S t) ^ 2) + gamma / 2 * error t ^ 2 - gamma / 2 * (1 - 2 * gamma) * move t ^ 2.
Proof. unfold error. rewrite next. right. field. Qed.

Lemma all_rounds T : 2 * gamma * sum T (fun t => y t ^ 2) <=
  y 0 ^ 2 + gamma / 2 * sum T (fun t => error t ^ 2) - gamma / 2 * (1 - 2 * gamma) * sum T (fun t => move t ^ 2).
Proof.
  assert (A : 2 * gamma * sum T (fun t => y t ^ 2) + y T ^ 2 <=
    y 0 ^ 2 + gamma / 2 * sum T (fun t => error t ^ 2) - gamma / 2 * (1 - 2 * gamma) * sum T (fun t => move t ^ 2)).
  { induction T; [simpl; lra|]. cbn [sum]. pose proof (fall T). lra. }
  pose proof (pow2_ge_0 (y T)). lra.
Qed.

Lemma moves_pos T : 0 <= gamma / 2 * (1 - 2 * gamma) * sum T (fun t => move t ^ 2).
Proof. assert (0 <= sum T (fun t => move t ^ 2)) by (apply sum_pos; intros; apply pow2_ge_0). pos. Qed.

Lemma errors T : sum T (fun t => error t ^ 2) <= INR I * G ^ 2 + INR T * (INR I * (gamma * G)) ^ 2.
Proof.
  apply Rle_trans with (sum (I + T) (fun t => error t ^ 2)).
  - apply sum_le_longer; [lia|]. intros. apply pow2_ge_0.
  - rewrite sum_split. apply Rplus_le_compat; apply sum_le_const; intros k _;
      [apply error_first|apply error_later; lia].
Qed.

Lemma errors_alternating T : I = 1%nat -> gamma ^ 2 + 2 * gamma <= 1 ->
  sum T (fun t => error t ^ 2) <= G ^ 2 + (1 - 2 * gamma) * sum T (fun t => move t ^ 2).
Proof.
  intros One Small. destruct T as [|T]; [simpl; pose proof (pow2_ge_0 G); lra|].
  rewrite sum_first. pose proof (error_first 0).
  assert (A : sum T (fun k => error (S k) ^ 2) <= gamma ^ 2 * sum T (fun t => move t ^ 2)).
  { rewrite <- sum_scale. apply sum_le. intros k _. now apply error_alternating. }
  assert (P : 0 <= sum T (fun t => move t ^ 2)) by (apply sum_pos; intros; apply pow2_ge_0).
  cbn [sum]. pose proof (pow2_ge_0 (move T)) as Q.
  assert (gamma ^ 2 * sum T (fun t => move t ^ 2) <= (1 - 2 * gamma) * sum T (fun t => move t ^ 2))
    by (apply Rmult_le_compat_r; lra).
  assert (0 <= (1 - 2 * gamma) * move T ^ 2) by pos. lra.
Qed.

Theorem any_order T : (0 < T)%nat -> (0 < I)%nat -> gamma = 1 / (2 * sqrt (INR T)) ->
  avg T (fun t => y t ^ 2) <= y 0 ^ 2 / sqrt (INR T) + INR I ^ 2 * G ^ 2 / (4 * INR T).
Proof.
  intros HT HI Step. apply lt_0_INR in HT as PT. pose proof (sqrt_lt_R0 _ PT) as PS.
  pose proof (sqrt_sqrt (INR T) ltac:(lra)) as SS. set (r := sqrt (INR T)) in *.
  pose proof (all_rounds T) as A. pose proof (moves_pos T) as PM. pose proof (pow2_ge_0 G) as PG.
  assert (E : forall b, sum T (fun t => error t ^ 2) - (1 - 2 * gamma) * sum T (fun t => move t ^ 2) <= b ->
              b <= INR I ^ 2 * G ^ 2 ->
              avg T (fun t => y t ^ 2) <= y 0 ^ 2 / r + INR I ^ 2 * G ^ 2 / (4 * INR T)).
  { intros b B1 B2. unfold avg. apply (Rmult_le_reg_l (2 * gamma * INR T)); [apply Rmult_lt_0_compat; lra|].
    replace (2 * gamma * INR T * (/ INR T * sum T (fun t => y t ^ 2))) with (2 * gamma * sum T (fun t => y t ^ 2))
      by (field; lra).
    replace (2 * gamma * INR T * (y 0 ^ 2 / r + INR I ^ 2 * G ^ 2 / (4 * INR T)))
      with (y 0 ^ 2 + gamma / 2 * (INR I ^ 2 * G ^ 2)).
    - apply (Rmult_le_compat_l (gamma / 2)) in B1, B2; lra.
    - rewrite <- SS, Step. field. lra. }
  destruct (Nat.eq_dec I 1) as [One|More].
  - destruct (Nat.eq_dec T 1) as [->|T2].
    + unfold avg. simpl. pose proof (pow2_ge_0 (y 0)). assert (R1 : r = 1) by (unfold r; simpl; apply sqrt_1).
      rewrite R1. assert (0 <= INR I * (INR I * 1) * (G * (G * 1)) / (4 * 1)) by nra. lra.
    + apply (E (G ^ 2)).
      * pose proof (errors_alternating T One) as B.
        assert (Small : gamma ^ 2 + 2 * gamma <= 1); [|specialize (B Small); lra].
        assert (R2 : 14 / 10 <= r).
        { assert (2 <= INR T) by (change 2 with (INR 2); apply le_INR; lia).
          destruct (Rle_lt_dec (14 / 10) r) as [|Low]; [assumption|exfalso]. nra. }
        assert (gamma <= 10 / 28).
        { rewrite Step. apply (Rmult_le_reg_l (2 * r)); [lra|].
          replace (2 * r * (1 / (2 * r))) with 1 by (field; lra). lra. }
        nra.
      * rewrite One. simpl. lra.
  - assert (I2 : 2 <= INR I) by (change 2 with (INR 2); apply le_INR; lia).
    apply (E (INR I * G ^ 2 + INR T * (INR I * (gamma * G)) ^ 2)).
    + pose proof (errors T) as B. assert (0 <= (1 - 2 * gamma) * sum T (fun t => move t ^ 2)); [|lra].
      assert (0 <= sum T (fun t => move t ^ 2)) by (apply sum_pos; intros; apply pow2_ge_0). pos.
    + replace (INR T * (INR I * (gamma * G)) ^ 2) with (INR I ^ 2 / 4 * G ^ 2).
      2:{ rewrite Step, <- SS. field. lra. }
      assert (INR I + INR I ^ 2 / 4 <= INR I ^ 2) by nra. nra.
Qed.
End Run.

(** ** Example 1 *)
(** |grad f|^2 is 4 (x - z)^2, and the loss gap at the start is (x_0 - z)^2. *)
Theorem theorem2 (run : TwoClients) t1 t2 T : (0 < t1)%nat -> (0 < t2)%nat -> (0 < T)%nat ->
  in_blocks t1 t2 (selected run) ->
  fedlaavg_thm2_corrected_condition_step (local_step_size := step run) (num_rounds := INR T) ->
  fedlaavg_thm2_corrected_left
    (mean_squared_gradient := avg T (fun t => (2 * (model run t - best run)) ^ 2)) <=
  fedlaavg_thm2_corrected_right (distance_of_optima := Rabs (optimum run 0 - optimum run 1))
    (initial_loss_gap := (model run 0 - best run) ^ 2) (num_rounds := INR T) (optimum := best run)
    (staleness_bound := INR (Nat.max t1 t2)) (start := model run 0).
Proof.
  unfold fedlaavg_thm2_corrected_condition_step, fedlaavg_thm2_corrected_left, fedlaavg_thm2_corrected_right.
  intros P1 P2 HT Blocks Step. apply lt_0_INR in HT as PT. pose proof (sqrt_lt_R0 _ PT) as PS.
  assert (Half : 1 <= sqrt (INR T)).
  { rewrite <- sqrt_1. apply sqrt_le_1_alt. change 1 with (INR 1). apply le_INR. lia. }
  assert (E : step run = 1 / (2 * sqrt (INR T))) by (rewrite Step; field; lra).
  assert (Pos : 0 < step run) by (rewrite E; apply Rdiv_lt_0_compat; lra).
  assert (Small : step run <= 1 / 2).
  { rewrite E. apply (Rmult_le_reg_l (2 * sqrt (INR T))); [lra|].
    replace (2 * sqrt (INR T) * (1 / (2 * sqrt (INR T)))) with 1 by (field; lra). lra. }
  pose proof (any_order run (Nat.max t1 t2) (blocks_staleness t1 t2 _ P1 P2 Blocks) Pos Small T HT ltac:(lia) E) as B.
  rewrite (avg_ext T _ (fun t => 4 * y run t ^ 2)) by (intros; unfold y; ring). rewrite avg_scale.
  eapply Rle_trans; [|eapply Rle_trans; [exact B|]].
  - right. field.
  - right. unfold G, y. field. lra.
Qed.
