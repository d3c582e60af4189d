(** * Noise charged at birth: methods with memory and stochastic gradients

    A method with memory moves in round t by -h_t times the mean of the clients' latest reports, where
    report + hum of client i is what it computed from the model of its last visit (report: gradients,
    hum: noise). A noise is used again in every round until the client's next visit, so the noise in
    use is not fresh. The remedy is to charge all uses of a noise to the round of its birth. The
    virtual model z_t, from which the charges are taken at once, obeys

      z_0 = x_0,  z_(t+1) = z_t - h_t (mean report) - M_t,

    where M_t has only noise that is born in round t ([charged_step]). The difference x_t - z_t is what
    is paid already but not used yet ([owed]). With B_t the bound of |M_t|^2, both are small:
    |x_t - z_t|^2 is at most the sum of B over the last tau rounds ([owed_small]), and for a client
    whose report comes from x_p ([distance_to_report]):

      |z_t - x_p|^2 <= 2 (sum of B over the last 2 tau rounds) + 2 |sum of h_k report_k, p <= k < t|^2.

    If [ages] is the sum over clients and rounds of the age of the report in use, the charges of R
    rounds with a constant step h add up to h^2 (variance / N^2) (2 ages + N R) ([charges_total]). *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Export Noise.
Open Scope R_scope.

Record Reports {H : Space} (p : Problem H) := {
  step : nat -> R;
  last : nat -> nat -> nat;
  model : nat -> H;
  report : nat -> nat -> H;
  hum : nat -> nat -> H;
  step_pos : forall t, 0 < step t;
  heard_first : forall i, (i < clients p)%nat -> last 0 i = 0%nat;
  visit_or_wait : forall t i, (i < clients p)%nat -> last (S t) i = S t \/ last (S t) i = last t i;
  serve : forall t, model (S t) = model t ⊕ (- step t) ⊙
            mean (clients p) (fun i => report (last t i) i ⊕ hum (last t i) i)
}.

Arguments step {H p}. Arguments last {H p}. Arguments model {H p}. Arguments report {H p}.
Arguments hum {H p}. Arguments step_pos {H p}. Arguments heard_first {H p}.
Arguments visit_or_wait {H p}. Arguments serve {H p}.

Section Charging.
Context {H : Space} {p : Problem H} (run : Reports p).
Notation x := (model run).
Notation N := (clients p).
Notation h := (step run).
Notation last := (last run).

(** What exists before round t: the start, and reports and noise of earlier rounds. *)
Definition older (t : nat) (y : H) : Prop :=
  y = x 0%nat \/ exists u j, (u < t)%nat /\ (j < N)%nat /\ (y = report run u j \/ y = hum run u j).

Definition fresh_noise : Prop := forall t i y, (i < N)%nat -> computable p (older t) y ->
  ⟨hum run t i, y⟩ = 0.
Definition separate_noise : Prop := forall t i j, (i < N)%nat -> (j < N)%nat -> i <> j ->
  ⟨hum run t i, hum run t j⟩ = 0.
Definition noise_within (v : R) : Prop := forall t i, (i < N)%nat -> ‖hum run t i‖² <= v.
Definition age_at_most (tau : nat) : Prop := forall t i, (i < N)%nat -> (t <= last t i + tau)%nat.

Lemma last_le t i : (i < N)%nat -> (last t i <= t)%nat.
Proof.
  intros Hi. induction t; [now rewrite heard_first|].
  destruct (visit_or_wait run t i Hi) as [E|E]; lia.
Qed.

Lemma visited t i : (i < N)%nat -> last (last t i) i = last t i.
Proof.
  intros Hi. induction t; [now rewrite !heard_first by (try rewrite heard_first; assumption)|].
  destruct (visit_or_wait run t i Hi) as [E|E]; rewrite E; assumption.
Qed.

Lemma last_grows t u i : (i < N)%nat -> (t <= u)%nat -> (last t i <= last u i)%nat.
Proof.
  intros Hi Hu. induction Hu as [|u Hu IH]; [lia|].
  pose proof (last_le u i Hi). destruct (visit_or_wait run u i Hi) as [E|E]; lia.
Qed.

(** ** Uses *)
(** The steps of the d rounds from t on that use the report of client i's visit s. *)
Fixpoint uses (s i t d : nat) : R :=
  match d with
  | O => 0
  | S d => (if (last t i =? s)%nat then h t else 0) + uses s i (S t) d
  end.

Lemma uses_pos s i t d : 0 <= uses s i t d.
Proof.
  revert t. induction d; intros t; simpl; [lra|]. specialize (IHd (S t)). pose proof (step_pos run t).
  destruct (last t i =? s)%nat; lra.
Qed.

Lemma uses_over s i t d : (i < N)%nat -> (s < last t i)%nat -> uses s i t d = 0.
Proof.
  intros Hi. revert t. induction d; intros t Hs; simpl; [reflexivity|].
  destruct (Nat.eqb_spec (last t i) s) as [|_]; [lia|].
  rewrite IHd; [ring|]. pose proof (last_grows t (S t) i Hi ltac:(lia)). lia.
Qed.

Lemma uses_fall s i t k d : uses s i (t + k) d <= uses s i t (k + d).
Proof.
  revert t. induction k; intros t; [rewrite Nat.add_0_r; simpl; lra|].
  rewrite Nat.add_succ_r. change (S k + d)%nat with (S (k + d)). simpl.
  specialize (IHk (S t)). simpl in IHk. pose proof (step_pos run t).
  destruct (last t i =? s)%nat; lra.
Qed.

Section Horizon.
Variable R0 : nat.

(** The uses up to the horizon of a report that is born in round t, and of one that is older. *)
Definition born (t i : nat) : R := if (last t i =? t)%nat then uses t i t (R0 - t) else 0.
Definition still (t i : nat) : R := if (last t i =? t)%nat then 0 else uses (last t i) i t (R0 - t).

Definition charge t : H := mean N (fun i => born t i ⊙ hum run t i).
Definition owed t : H := mean N (fun i => still t i ⊙ hum run (last t i) i).
Definition z t : H := x t ⊖ owed t.
Definition direction t : H := mean N (fun i => report run (last t i) i).

Lemma still_next t i : (i < N)%nat -> (t < R0)%nat ->
  still (S t) i ⊙ hum run (last (S t) i) i = still (S t) i ⊙ hum run (last t i) i /\
  still (S t) i + h t = still t i + born t i.
Proof.
  intros Hi Ht. pose proof (last_le t i Hi). unfold still, born.
  replace (R0 - t)%nat with (S (R0 - S t)) by lia. cbn [uses].
  destruct (visit_or_wait run t i Hi) as [E|E]; rewrite E.
  - rewrite Nat.eqb_refl. split; [now rewrite !scale_zero|].
    assert (Z : uses (last t i) i (S t) (R0 - S t) = 0) by (apply uses_over; [assumption|lia]).
    destruct (Nat.eqb_spec (last t i) t) as [Q|Q].
    + rewrite Q in Z. rewrite Z. ring.
    + rewrite Nat.eqb_refl, Z. ring.
  - destruct (Nat.eqb_spec (last t i) (S t)) as [|_]; [lia|]. split; [reflexivity|].
    destruct (Nat.eqb_spec (last t i) t) as [Q|Q]; [rewrite Q; ring|rewrite Nat.eqb_refl; ring].
Qed.

Lemma charged_step t : (t < R0)%nat ->
  same (z (S t)) (z t ⊕ ((- h t) ⊙ direction t ⊕ (-1) ⊙ charge t)).
Proof.
  intros Ht y. unfold z, owed, charge, direction. rewrite (serve run). expand_dots.
  assert (E : avg N (fun i => ⟨still (S t) i ⊙ hum run (last (S t) i) i, y⟩)
              = avg N (fun i => ⟨still t i ⊙ hum run (last t i) i, y⟩)
                + avg N (fun i => ⟨born t i ⊙ hum run t i, y⟩)
                + - h t * avg N (fun i => ⟨hum run (last t i) i, y⟩)).
  { rewrite <- avg_scale, <- !avg_add. apply avg_ext. intros i Hi.
    destruct (still_next t i Hi Ht) as [-> Q]. rewrite !dot_scale_l.
    assert (B : born t i * ⟨hum run t i, y⟩ = born t i * ⟨hum run (last t i) i, y⟩).
    { unfold born. destruct (Nat.eqb_spec (last t i) t) as [->|]; ring. }
    rewrite B. replace (still (S t) i) with (still t i + born t i - h t) by lra. ring. }
  rewrite E. rewrite (avg_ext N (fun i => ⟨report run (last t i) i ⊕ hum run (last t i) i, y⟩)
    (fun i => ⟨report run (last t i) i, y⟩ + ⟨hum run (last t i) i, y⟩)) by (intros; apply dot_add_l).
  rewrite avg_add. ring.
Qed.

Lemma nothing_owed_first : same (z 0%nat) (x 0%nat).
Proof.
  intros y. unfold z, owed. expand_dots. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
  unfold still. rewrite (heard_first run i Hi). simpl. rewrite scale_zero. apply dot_zero_l.
Qed.

Lemma nothing_owed_last : same (z R0) (x R0).
Proof.
  intros y. unfold z, owed. expand_dots. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
  unfold still. rewrite Nat.sub_diag. simpl. destruct (last R0 i =? R0)%nat; rewrite scale_zero; apply dot_zero_l.
Qed.

(** ** What is known *)
Lemma older_model t s : (s <= t)%nat -> computable p (older t) (x s).
Proof.
  induction s; intros Hs; [apply computable_given; now left|]. rewrite (serve run).
  apply computable_add; [apply IHs; lia|]. apply computable_scale, computable_mean. intros i Hi.
  pose proof (last_le s i Hi).
  apply computable_add; apply computable_given; right; exists (last s i), i; repeat split; try lia; auto.
Qed.

Lemma older_hum t s i : (i < N)%nat -> (s < t)%nat -> computable p (older t) (hum run s i).
Proof. intros Hi Hs. apply computable_given. right. exists s, i. auto. Qed.

Lemma older_owed t s : (s <= t)%nat -> computable p (older t) (owed s).
Proof.
  intros Hs. apply computable_mean. intros i Hi. unfold still. pose proof (last_le s i Hi).
  destruct (Nat.eqb_spec (last s i) s); [rewrite scale_zero; apply computable_zero|].
  apply computable_scale, older_hum; [assumption|lia].
Qed.

Lemma older_z t s : (s <= t)%nat -> computable p (older t) (z s).
Proof. intros Hs. apply computable_sub; [now apply older_model|now apply older_owed]. Qed.

Lemma older_charge t s : (s < t)%nat -> computable p (older t) (charge s).
Proof. intros Hs. apply computable_mean. intros i Hi. apply computable_scale. now apply older_hum. Qed.

Hypothesis fresh : fresh_noise.

Lemma charge_orthogonal t y : computable p (older t) y -> ⟨charge t, y⟩ = 0.
Proof.
  intros K. unfold charge. rewrite dot_mean_l. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
  rewrite dot_scale_l, (fresh t i y Hi K). ring.
Qed.

(** ** Sizes *)
Variable v : R.
Hypothesis separate : separate_noise.
Hypothesis within : noise_within v.
Variable tau : nat.
Hypothesis aged : age_at_most tau.

Definition B t : R := v / INR N ^ 2 * sum N (fun i => born t i ^ 2).

Lemma v_pos : 0 <= v.
Proof.
  apply Rle_trans with ‖hum run 0%nat 0%nat‖²; [apply dot_pos|apply within, some_client].
Qed.

Lemma part_pos : 0 <= v / INR N ^ 2.
Proof.
  pose proof (clients_pos p). apply Rmult_le_pos; [apply v_pos|]. left. apply Rinv_0_lt_compat, pow_lt. assumption.
Qed.

Lemma B_pos t : 0 <= B t.
Proof. apply Rmult_le_pos; [apply part_pos|]. apply sum_pos. intros. apply pow2_ge_0. Qed.

(** The square of a mean of orthogonal noises with weights. *)
Lemma weighted_square (w : nat -> R) (s : nat -> nat) :
  (forall i j, (i < N)%nat -> (j < N)%nat -> i <> j -> ⟨hum run (s i) i, hum run (s j) j⟩ = 0) ->
  ‖mean N (fun i => w i ⊙ hum run (s i) i)‖² <= v / INR N ^ 2 * sum N (fun i => w i ^ 2).
Proof.
  intros O. pose proof (clients_pos p) as PN. unfold mean. rewrite square_scale, norm_vsum_orthogonal.
  - apply Rle_trans with ((/ INR N) ^ 2 * sum N (fun i => v * w i ^ 2)).
    + apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply sum_le. intros i Hi. rewrite square_scale.
      pose proof (within (s i) i Hi) as W. pose proof (pow2_ge_0 (w i)).
      apply (Rmult_le_compat_l (w i ^ 2)) in W; lra.
    + rewrite sum_scale. right. field. lra.
  - intros i j Hi Hj Nij. rewrite dot_scale_l, dot_scale_r, O by assumption. ring.
Qed.

Lemma hum_hum s i u j : (i < N)%nat -> (j < N)%nat -> i <> j -> ⟨hum run s i, hum run u j⟩ = 0.
Proof.
  intros Hi Hj Nij. destruct (Nat.lt_trichotomy s u) as [L|[->|L]].
  - rewrite dot_sym. apply (fresh u j); [assumption|]. now apply older_hum.
  - now apply separate.
  - apply (fresh s i); [assumption|]. now apply older_hum.
Qed.

Lemma charge_small t : ‖charge t‖² <= B t.
Proof. apply (weighted_square (born t) (fun _ => t)). intros. now apply hum_hum. Qed.

Lemma still_le_born t i : (i < N)%nat -> (t <= R0)%nat -> last t i <> t ->
  0 <= still t i <= born (last t i) i.
Proof.
  intros Hi Ht Old. pose proof (last_le t i Hi). unfold still, born. rewrite (visited t i Hi), Nat.eqb_refl.
  destruct (Nat.eqb_spec (last t i) t); [contradiction|]. split; [apply uses_pos|].
  replace t with (last t i + (t - last t i))%nat at 2 by lia.
  replace (R0 - last t i)%nat with ((t - last t i) + (R0 - t))%nat by lia. apply uses_fall.
Qed.

(** What is owed in round t comes from the births of the rounds in which clients were last heard:
    [seen k] is 1 for these rounds, and not negative for others. *)
Lemma owed_in (seen : nat -> R) t : (t <= R0)%nat -> (forall k, 0 <= seen k) ->
  (forall i, (i < N)%nat -> (last t i < t)%nat -> seen (last t i) = 1) ->
  ‖owed t‖² <= sum t (fun k => seen k * B k).
Proof.
  intros Ht Ps Seen. eapply Rle_trans.
  { apply (weighted_square (still t) (fun i => last t i)). intros. now apply hum_hum. }
  pose proof part_pos as Pp. set (c := v / INR N ^ 2) in *.
  assert (E : sum t (fun k => seen k * B k) = sum N (fun i => sum t (fun k => seen k * (c * born k i ^ 2)))).
  { rewrite sum_swap. apply sum_ext. intros k _. unfold B. fold c. now rewrite !sum_scale. }
  rewrite E, <- sum_scale. apply sum_le. intros i Hi. pose proof (last_le t i Hi) as Hl.
  assert (P : forall k, 0 <= seen k * (c * born k i ^ 2)).
  { intros k. apply Rmult_le_pos; [auto|]. apply Rmult_le_pos; [assumption|apply pow2_ge_0]. }
  destruct (Nat.eq_dec (last t i) t) as [New|Old].
  - unfold still. rewrite New, Nat.eqb_refl. replace (c * 0 ^ 2) with 0 by ring. apply sum_pos. auto.
  - destruct (still_le_born t i Hi Ht Old) as [S0 S1].
    apply Rle_trans with (seen (last t i) * (c * born (last t i) i ^ 2)).
    + rewrite Seen by (auto; lia). rewrite Rmult_1_l. apply Rmult_le_compat_l; [assumption|]. now apply pow_incr.
    + apply (sum_member t (fun k => seen k * (c * born k i ^ 2))); [lia|auto].
Qed.

Lemma window_swap (b : nat -> nat -> R) n t :
  sum n (fun i => window tau (b i) t) = window tau (fun t => sum n (fun i => b i t)) t.
Proof.
  unfold window. rewrite sum_swap. apply sum_ext. intros j _. unfold ago.
  destruct (S j <=? t)%nat; [reflexivity|]. apply sum_zero. reflexivity.
Qed.

Lemma owed_small t : (t <= R0)%nat -> ‖owed t‖² <= window tau B t.
Proof.
  intros Ht. eapply Rle_trans.
  { apply (weighted_square (still t) (fun i => last t i)). intros. now apply hum_hum. }
  unfold B. assert (E : window tau (fun t => v / INR N ^ 2 * sum N (fun i => born t i ^ 2)) t
                        = sum N (fun i => window tau (fun t => v / INR N ^ 2 * born t i ^ 2) t)).
  { rewrite window_swap. unfold window. apply sum_ext. intros j _. unfold ago.
    destruct (S j <=? t)%nat; [now rewrite sum_scale|reflexivity]. }
  rewrite E, <- sum_scale. apply sum_le. intros i Hi. pose proof part_pos as Pp.
  assert (P : forall s, 0 <= v / INR N ^ 2 * born s i ^ 2) by (intros; apply Rmult_le_pos;
    [assumption|apply pow2_ge_0]).
  destruct (Nat.eq_dec (last t i) t) as [New|Old].
  - unfold still. rewrite New, Nat.eqb_refl. pose proof (window_pos tau _ t P). lra.
  - pose proof (last_le t i Hi). destruct (still_le_born t i Hi Ht Old) as [S0 S1].
    apply Rle_trans with (v / INR N ^ 2 * born (last t i) i ^ 2).
    + apply Rmult_le_compat_l; [assumption|]. now apply pow_incr.
    + apply (window_member tau (fun s => v / INR N ^ 2 * born s i ^ 2) t (last t i) P); [lia|].
      now apply aged.
Qed.
(** ** How far the virtual model is from where a report was computed *)
Lemma z_moved t d : (t <= R0)%nat -> (d <= t)%nat ->
  same (z t ⊖ z (t - d)%nat) ((-1) ⊙ (vsum d (fun j => h (t - S j)%nat ⊙ direction (t - S j)%nat)
                                      ⊕ vsum d (fun j => charge (t - S j)%nat))).
Proof.
  intros Ht. induction d; intros Hd y.
  - rewrite Nat.sub_0_r. cbn [vsum]. expand_dots. ring.
  - specialize (IHd ltac:(lia) y). pose proof (charged_step (t - S d) ltac:(lia) y) as E.
    replace (S (t - S d)) with (t - d)%nat in E by lia. cbn [vsum].
    revert IHd E. rewrite !dot_add_l, !dot_scale_l, !dot_add_l, !dot_scale_l. intros. lra.
Qed.

(** What is owed at the visit p and the charges of the rounds since lie in one window of 2 tau rounds. *)
Lemma two_windows (b : nat -> R) t q : (forall s, 0 <= b s) -> (q <= t)%nat -> (t <= q + tau)%nat ->
  window tau b q + sum (t - q) (fun j => b (t - S j)%nat) <= window (2 * tau) b t.
Proof.
  intros P H1 H2. set (d := (t - q)%nat).
  assert (E1 : window tau b q = sum tau (fun j => ago (S (d + j)) b t)).
  { apply sum_ext. intros j _. unfold ago.
    destruct (Nat.leb_spec (S j) q), (Nat.leb_spec (S (d + j)) t); try (unfold d in *; lia); [|reflexivity].
    f_equal. unfold d. lia. }
  assert (E2 : sum d (fun j => b (t - S j)%nat) = sum d (fun j => ago (S j) b t)).
  { apply sum_ext. intros j Hj. rewrite ago_is by (unfold d in *; lia). reflexivity. }
  rewrite E1, E2. rewrite Rplus_comm, <- (sum_split d tau (fun j => ago (S j) b t)).
  apply sum_le_longer; [unfold d; lia|]. intros. now apply ago_pos.
Qed.

(** The distance consists of what is owed since the visit, later charges, and the directions. *)
Lemma distance_parts t i : (i < N)%nat -> (t <= R0)%nat ->
  ‖z t ⊖ x (last t i)‖² <= 2 * (‖owed (last t i)‖² + sum (t - last t i) (fun j => B (t - S j)%nat))
    + 2 * ‖vsum (t - last t i) (fun j => h (t - S j)%nat ⊙ direction (t - S j)%nat)‖².
Proof.
  intros Hi Ht. pose proof (last_le t i Hi) as Hl.
  set (q := last t i) in *. set (d := (t - q)%nat).
  set (D := vsum d (fun j => h (t - S j)%nat ⊙ direction (t - S j)%nat)).
  set (M := vsum d (fun j => charge (t - S j)%nat)).
  assert (E : same (z t ⊖ x q) ((-1) ⊙ ((owed q ⊕ M) ⊕ D))).
  { intros y. pose proof (z_moved t d Ht ltac:(unfold d; lia) y) as Z.
    replace (t - d)%nat with q in Z by (unfold d; lia). fold D M in Z. unfold z at 2 in Z.
    revert Z. rewrite !dot_add_l, !dot_scale_l, !dot_add_l, !dot_scale_l. intros. lra. }
  rewrite (same_norm _ _ E), square_scale. replace ((-1) ^ 2) with 1 by ring. rewrite Rmult_1_l.
  eapply Rle_trans; [apply norm_add2|].
  assert (Noise : ‖owed q ⊕ M‖² <= ‖owed q‖² + sum d (fun j => B (t - S j)%nat)); [|lra].
  rewrite norm_add.
  assert (Z1 : ⟨owed q, M⟩ = 0).
  { unfold M. rewrite dot_vsum_r. apply sum_zero. intros j Hj. rewrite dot_sym.
    apply charge_orthogonal, older_owed. unfold d in Hj. lia. }
  assert (M2 : ‖M‖² <= sum d (fun j => B (t - S j)%nat)).
  { unfold M. rewrite norm_vsum_orthogonal.
    - apply sum_le. intros. apply charge_small.
    - intros j k Hj Hk Njk. unfold d in *. destruct (Nat.lt_ge_cases j k).
      + apply charge_orthogonal, older_charge. lia.
      + rewrite dot_sym. apply charge_orthogonal, older_charge. lia. }
  lra.
Qed.

Lemma distance_to_report t i : (i < N)%nat -> (t <= R0)%nat ->
  ‖z t ⊖ x (last t i)‖² <= 2 * window (2 * tau) B t
    + 2 * ‖vsum (t - last t i) (fun j => h (t - S j)%nat ⊙ direction (t - S j)%nat)‖².
Proof.
  intros Hi Ht. pose proof (last_le t i Hi) as Hl. pose proof (aged t i Hi) as Ha.
  pose proof (distance_parts t i Hi Ht). pose proof (owed_small (last t i) ltac:(lia)).
  pose proof (two_windows B t (last t i) B_pos Hl ltac:(lia)). lra.
Qed.

(** ** How often reports are used *)
(** The rounds among the d rounds from t on that use the report of client i's visit s. *)
Fixpoint tally (s i t d : nat) : R :=
  match d with
  | O => 0
  | S d => (if (last t i =? s)%nat then 1 else 0) + tally s i (S t) d
  end.

Lemma tally_pos s i t d : 0 <= tally s i t d.
Proof.
  revert t. induction d; intros t; simpl; [lra|]. specialize (IHd (S t)). destruct (last t i =? s)%nat; lra.
Qed.

Lemma tally_over s i t d : (i < N)%nat -> (s < last t i)%nat -> tally s i t d = 0.
Proof.
  intros Hi. revert t. induction d; intros t Hs; simpl; [reflexivity|].
  destruct (Nat.eqb_spec (last t i) s) as [|_]; [lia|].
  rewrite IHd; [ring|]. pose proof (last_grows t (S t) i Hi ltac:(lia)). lia.
Qed.

Lemma uses_le_tally s i t d eta : (forall r, (t <= r)%nat -> h r <= eta) -> uses s i t d <= eta * tally s i t d.
Proof.
  revert t. induction d; intros t E; simpl; [lra|].
  specialize (IHd (S t) ltac:(intros; apply E; lia)). pose proof (E t ltac:(lia)).
  destruct (last t i =? s)%nat; lra.
Qed.

Lemma uses_are_tally s i t d eta : (forall r, h r = eta) -> uses s i t d = eta * tally s i t d.
Proof.
  intros E. revert t. induction d; intros t; simpl; [ring|]. rewrite IHd, E. destruct (last t i =? s)%nat; ring.
Qed.

Definition times_used t i : R := if (last t i =? t)%nat then tally t i t (R0 - t) else 0.

Fixpoint births (i t d : nat) : R :=
  match d with
  | O => 0
  | S d => (if (last t i =? t)%nat then tally t i t (S d) ^ 2 else 0) + births i (S t) d
  end.
Fixpoint odd_ages (i t d : nat) : R :=
  match d with O => 0 | S d => 2 * INR (t - last t i) + 1 + odd_ages i (S t) d end.

(** A report that is used g times has the ages 0, 1, ..., g - 1, and g^2 is the sum of 2 age + 1. *)
Lemma births_and_ages i d t : (i < N)%nat -> odd_ages i t (S d) =
  (INR (t - last t i) + tally (last t i) i t (S d)) ^ 2 - INR (t - last t i) ^ 2 + births i (S t) d.
Proof.
  intros Hi. revert t. induction d; intros t.
  - simpl. rewrite Nat.eqb_refl. ring.
  - specialize (IHd (S t)). pose proof (last_le t i Hi).
    change (odd_ages i t (S (S d))) with (2 * INR (t - last t i) + 1 + odd_ages i (S t) (S d)).
    change (tally (last t i) i t (S (S d)))
      with ((if (last t i =? last t i)%nat then 1 else 0) + tally (last t i) i (S t) (S d)).
    change (births i (S t) (S d))
      with ((if (last (S t) i =? S t)%nat then tally (S t) i (S t) (S d) ^ 2 else 0) + births i (S (S t)) d).
    rewrite Nat.eqb_refl, IHd. destruct (visit_or_wait run t i Hi) as [E|E].
    + assert (Z : tally (last t i) i (S t) (S d) = 0) by (apply tally_over; [assumption|lia]).
      rewrite Z, E, Nat.eqb_refl, Nat.sub_diag. simpl (INR 0). ring.
    + rewrite E. destruct (Nat.eqb_spec (last t i) (S t)) as [|_]; [lia|].
      replace (S t - last t i)%nat with (S (t - last t i)) by lia. rewrite S_INR. ring.
Qed.

Lemma births_are_ages i : (i < N)%nat -> births i 0 R0 = odd_ages i 0 R0.
Proof.
  intros Hi. destruct R0 as [|d]; [simpl; ring|]. rewrite (births_and_ages i d 0 Hi).
  rewrite (heard_first run i Hi). cbn [births]. rewrite (heard_first run i Hi). simpl Nat.eqb. cbv iota.
  rewrite Nat.sub_diag. simpl (INR 0). ring.
Qed.

Lemma births_sum i t d : (t + d = R0)%nat -> sum d (fun k => times_used (t + k) i ^ 2) = births i t d.
Proof.
  revert t. induction d; intros t E; [reflexivity|]. rewrite sum_first. cbn [births].
  rewrite <- IHd by lia. rewrite Nat.add_0_r. f_equal.
  - unfold times_used. replace (R0 - t)%nat with (S d) by lia. destruct (last t i =? t)%nat; ring.
  - apply sum_ext. intros k _. now rewrite Nat.add_succ_r.
Qed.

Lemma odd_ages_sum i t d : sum d (fun k => 2 * INR (t + k - last (t + k) i) + 1) = odd_ages i t d.
Proof.
  revert t. induction d; intros t; [reflexivity|]. rewrite sum_first. cbn [odd_ages].
  rewrite <- IHd, Nat.add_0_r. f_equal. apply sum_ext. intros k _. now rewrite Nat.add_succ_r.
Qed.

(** The ages of the reports in use, summed over clients and the rounds before the horizon. *)
Definition ages : R := sum R0 (fun t => sum N (fun i => INR (t - last t i))).

Theorem uses_total : sum R0 (fun t => sum N (fun i => times_used t i ^ 2)) = 2 * ages + INR N * INR R0.
Proof.
  rewrite sum_swap, (sum_ext N _ (fun i => 2 * sum R0 (fun t => INR (t - last t i)) + INR R0)).
  - rewrite sum_add, sum_scale, sum_const. unfold ages. rewrite sum_swap. ring.
  - intros i Hi.
    change (sum R0 (fun t => times_used (0 + t) i ^ 2) = 2 * sum R0 (fun t => INR (t - last t i)) + INR R0).
    rewrite (births_sum i 0 R0 eq_refl), (births_are_ages i Hi), <- (odd_ages_sum i 0 R0).
    rewrite sum_add, sum_scale, sum_const. simpl. ring.
Qed.

Lemma born_le_times t i eta : (forall r, (t <= r)%nat -> h r <= eta) -> born t i <= eta * times_used t i.
Proof. intros E. unfold born, times_used. destruct (last t i =? t)%nat; [now apply uses_le_tally|lra]. Qed.

Lemma born_pos t i : 0 <= born t i.
Proof. unfold born. destruct (last t i =? t)%nat; [apply uses_pos|lra]. Qed.

(** All charges, for a constant step. *)
Theorem charges_total eta : (forall t, h t = eta) ->
  sum R0 B = eta ^ 2 * v / INR N ^ 2 * (2 * ages + INR N * INR R0).
Proof.
  intros E. rewrite <- uses_total. unfold B. rewrite sum_scale.
  rewrite (sum_ext R0 _ (fun t => eta ^ 2 * sum N (fun i => times_used t i ^ 2))).
  - rewrite sum_scale. pose proof (clients_pos p). field. lra.
  - intros t _. rewrite <- sum_scale. apply sum_ext. intros i _. unfold born, times_used.
    destruct (last t i =? t)%nat; [rewrite (uses_are_tally _ _ _ _ eta E)|]; ring.
Qed.
End Horizon.
End Charging.
