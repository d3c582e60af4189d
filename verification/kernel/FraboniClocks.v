(** * Fraboni et al., Table 2: aggregation weights that give every client its importance

    M clients work without pause; client i needs the time tau_i for its local work, and its contributions are added
    with the weight d_i. Its mean weight in a window of W rounds is d_i times its deliveries in these rounds over
    W. The paper names the d_i with which every mean weight is the client's importance p_i:

    - synchronous ([sync_weights]): a round ends when all have finished: d_i = p_i;
    - asynchronous ([async_weights], [async_window]): a round ends when the next client finishes, one client at a
      time: d_i = (sum_j 1/tau_j) tau_i p_i, in every window in which each client delivers for the same time;
    - FedFix ([fedfix_weights], [fedfix_window]): rounds of length Delta: d_i = ceil(tau_i/Delta) p_i;
    - FedBuff and every policy that repeats itself ([buffer_window]): d_i = p_i W/(deliveries of i in a window).

    The weights are also necessary: another d_i gives another mean. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Sums Numbers Claims_fraboni.
Open Scope R_scope.

(** ** Deliveries and mean weights *)
(** delivers n: the client delivers in round n; its deliveries in the W rounds from round s on. *)
Definition ones (b : bool) : R := if b then 1 else 0.
Definition deliveries (delivers : nat -> bool) (s W : nat) : R := sum W (fun k => ones (delivers (s + k)%nat)).
Definition mean_weight (delivers : nat -> bool) (d : R) (s W : nat) : R :=
  avg W (fun k => d * ones (delivers (s + k)%nat)).

Lemma mean_weight_is delivers d s W : mean_weight delivers d s W = d * deliveries delivers s W / INR W.
Proof. unfold mean_weight, avg, deliveries. rewrite sum_scale. unfold Rdiv. ring. Qed.

(** ** Synchronous *)
Section Synchronous.
Variables (M : nat) (tau : nat -> R) (duration : nat -> R) (delivers : nat -> nat -> bool).
(** A round lasts until the slowest has finished; who has finished delivers. *)
Hypothesis waits_for_all : forall n i, (i < M)%nat -> tau i <= duration n.
Hypothesis finished : forall n i, (i < M)%nat -> tau i <= duration n -> delivers n i = true.

Theorem sync_weights i d p s W : (i < M)%nat -> (0 < W)%nat ->
  mean_weight (fun n => delivers n i) d s W = p <->
  fraboni_tab2_d_sync_condition_weight (aggregation_weight := d) (importance := p).
Proof.
  intros Hi HW. unfold fraboni_tab2_d_sync_condition_weight, mean_weight.
  rewrite (avg_ext W _ (fun _ => d)); [rewrite avg_const by assumption; reflexivity|].
  intros k _. rewrite finished by auto. simpl. ring.
Qed.
End Synchronous.

(** ** Asynchronous *)
Section Asynchronous.
Variables (M : nat) (tau : nat -> R) (owner : nat -> nat).
Hypothesis some_client : (0 < M)%nat.
Hypothesis times_pos : forall i, (i < M)%nat -> 0 < tau i.
Hypothesis owned : forall n, (owner n < M)%nat.
(** Contributions of client i before round n; its next one is ready at the time (done n i + 1) tau_i. *)
Definition done n i : R := sum n (fun m => ones (owner m =? i)%nat).
Definition ready n i : R := (done n i + 1) * tau i.
(** Round n is that of the client who finishes next; ties are broken in any way. *)
Hypothesis next_to_finish : forall n j, (j < M)%nat -> ready n (owner n) <= ready n j.

Lemma done_total n : sum M (done n) = INR n.
Proof.
  unfold done. rewrite sum_swap, (sum_ext n _ (fun _ => 1)); [rewrite sum_const; ring|].
  intros m _. rewrite (sum_single M _ (owner m) (owned m)); [now rewrite Nat.eqb_refl|].
  intros i _ N. destruct (Nat.eqb_spec (owner m) i); [congruence|reflexivity].
Qed.

Lemma done_whole n i : exists a, done n i = INR a.
Proof.
  induction n as [|n [a IH]]; [now exists 0%nat|]. unfold done. cbn [sum]. fold (done n i). rewrite IH.
  destruct (owner n =? i)%nat; [exists (S a); rewrite S_INR; reflexivity|exists a; simpl; ring].
Qed.

(** If client i has more than v contributions, there was a round in which it made its last but one too many. *)
Lemma crossing n i v : INR v < done n i -> exists m, (m < n)%nat /\ owner m = i /\ done m i = INR v.
Proof.
  induction n; intros Q; [unfold done in Q; simpl in Q; pose proof (pos_INR v); lra|].
  destruct (Rlt_dec (INR v) (done n i)) as [Q2|No].
  - destruct (IHn Q2) as (m & Hm & Em). exists m. split; [lia|assumption].
  - unfold done in Q. cbn [sum] in Q. fold (done n i) in Q. destruct (Nat.eqb_spec (owner n) i) as [E|_].
    + exists n. split; [lia|]. split; [assumption|]. simpl in Q. destruct (done_whole n i) as [a Ea]. rewrite Ea in *.
      f_equal. assert (INR a < INR (S v)) by (rewrite S_INR; lra). apply INR_lt in H.
      assert (a <= v)%nat by lia. assert (v <= a)%nat; [|lia]. apply INR_le. rewrite <- S_INR in Q.
      apply INR_lt in Q. apply le_INR. lia.
    + simpl in Q. lra.
Qed.

(** In a time T that is a multiple of all update times, client j delivers (share j) times. *)
Variables (T : R) (share : nat -> nat).
Hypothesis multiples : forall j, (j < M)%nat -> INR (share j) * tau j = T.
Fixpoint whole_sum (n : nat) (f : nat -> nat) : nat := match n with O => O | S m => (whole_sum m f + f m)%nat end.
Definition window : nat := whole_sum M share.

Lemma whole_sum_is n f : INR (whole_sum n f) = sum n (fun j => INR (f j)).
Proof. induction n; [reflexivity|]. simpl whole_sum. rewrite plus_INR, IHn. reflexivity. Qed.

Lemma sum_equal n (f g : nat -> R) i : (i < n)%nat -> (forall j, (j < n)%nat -> f j <= g j) -> sum n f = sum n g -> f
  i = g i.
Proof.
  intros Hi Le Eq. apply Rle_antisym; [now apply Le|].
  pose proof (sum_member n (fun j => if (j <? n)%nat then g j - f j else 0) i Hi) as S1. cbv beta in S1.
  assert (Pos : forall j, (j < n)%nat -> 0 <= (if (j <? n)%nat then g j - f j else 0)).
  { intros j Hj. specialize (Le j Hj). destruct (j <? n)%nat; lra. }
  specialize (S1 ltac:(auto)). destruct (Nat.ltb_spec i n); [|lia].
  rewrite (sum_ext n _ (fun j => g j + -1 * f j)) in S1.
  - rewrite sum_add, sum_scale in S1. lra.
  - intros j Hj. destruct (Nat.ltb_spec j n); [ring|lia].
Qed.

Lemma done_after k i : (i < M)%nat -> done (k * window) i = INR (k * share i).
Proof.
  intros Hi. assert (Le : forall j, (j < M)%nat -> done (k * window) j <= INR (k * share j)).
  { intros j Hj. apply Rnot_lt_le. intros Q. destruct (crossing _ _ _ Q) as (m & Hm & Em & Dm).
    assert (Many : forall l, (l < M)%nat -> INR (k * share l) <= done m l).
    { intros l Hl. pose proof (next_to_finish m l Hl) as Nx. unfold ready in Nx. rewrite Em, Dm in Nx.
      pose proof (times_pos j Hj). pose proof (times_pos l Hl). rewrite mult_INR in *.
      pose proof (multiples j Hj) as Mj. pose proof (multiples l Hl) as Ml.
      assert (Q2 : INR k * INR (share l) * tau l < (done m l + 1) * tau l).
      { replace (INR k * INR (share l) * tau l) with (INR k * T) by (rewrite <- Ml; ring).
        replace ((INR k * INR (share j) + 1) * tau j) with (INR k * T + tau j) in Nx by (rewrite <- Mj; ring). lra. }
      apply Rmult_lt_reg_r in Q2; [|assumption]. destruct (done_whole m l) as [a Ea]. rewrite Ea in *.
      rewrite <- mult_INR in *. rewrite <- S_INR in Q2. apply INR_lt in Q2. apply le_INR. lia. }
    assert (S1 : sum M (fun l => INR (k * share l)) <= sum M (done m)) by now apply sum_le.
    rewrite done_total in S1. rewrite (sum_ext M _ (fun l => INR k * INR (share l))) in S1 by (intros; apply mult_INR).
    rewrite sum_scale, <- whole_sum_is, <- mult_INR in S1. apply INR_le in S1. fold window in S1. lia. }
  apply (sum_equal M (done (k * window)) (fun j => INR (k * share j)) i Hi Le).
  rewrite done_total. rewrite (sum_ext M (fun j => INR (k * share j)) (fun l => INR k * INR (share l))) by (intros;
    apply mult_INR).
  rewrite sum_scale, <- whole_sum_is, <- mult_INR. reflexivity.
Qed.

Lemma deliveries_in_window k i : (i < M)%nat ->
  deliveries (fun n => owner n =? i)%nat (k * window) window = INR (share i).
Proof.
  intros Hi. pose proof (done_after (S k) i Hi) as D1. pose proof (done_after k i Hi) as D0.
  unfold done in D1. replace (S k * window)%nat with (k * window + window)%nat in D1 by lia.
  rewrite sum_split in D1. fold (done (k * window) i) in D1. rewrite D0 in D1. unfold deliveries.
  rewrite !mult_INR, S_INR in D1. lra.
Qed.

(** sum_j 1/tau_j *)
Definition rates : R := sum M (fun j => / tau j).

Lemma mean_in_window k i d : (i < M)%nat -> 0 < T ->
  mean_weight (fun n => owner n =? i)%nat d (k * window) window * (rates * tau i) = d.
Proof.
  intros Hi PT. rewrite mean_weight_is, deliveries_in_window by assumption.
  assert (Rt : INR window = T * rates).
  { unfold window, rates. rewrite whole_sum_is, <- sum_scale. apply sum_ext. intros j Hj.
    rewrite <- (multiples j Hj). field. pose proof (times_pos j Hj). lra. }
  pose proof (times_pos i Hi) as Pi.
  assert (Pr : 0 < rates).
  { unfold rates. apply Rlt_le_trans with (/ tau i); [now apply Rinv_0_lt_compat|].
    rewrite (sum_ext M _ (fun j => if (j <? M)%nat then / tau j else 0)).
    2: { intros j Hj. destruct (Nat.ltb_spec j M); [reflexivity|lia]. }
    pose proof (sum_member M (fun j => if (j <? M)%nat then / tau j else 0) i Hi) as Q. cbv beta in Q.
    destruct (Nat.ltb_spec i M); [|lia]. apply Q. intros j Hj. destruct (Nat.ltb_spec j M); [|lra].
    left. apply Rinv_0_lt_compat. now apply times_pos. }
  rewrite Rt, <- (multiples i Hi). rewrite <- (multiples i Hi) in PT.
  assert (0 < INR (share i)) by (apply (Rmult_lt_reg_r (tau i)); lra). field. repeat split; lra.
Qed.

Theorem async_weights k i d p : (i < M)%nat -> 0 < T ->
  mean_weight (fun n => owner n =? i)%nat d (k * window) window = p ->
  d = fraboni_tab2_d_async_right (importance := p) (sum_of_rates := rates) (update_time := tau i).
Proof.
  intros Hi PT E. unfold fraboni_tab2_d_async_right. rewrite <- (mean_in_window k i d Hi PT), E. ring.
Qed.

Theorem async_window k i d p : (i < M)%nat -> 0 < T ->
  fraboni_eq12_condition_weight (aggregation_weight := d) (importance := p) (sum_of_rates := rates)
    (update_time := tau i) ->
  mean_weight (fun n => owner n =? i)%nat d (k * window) window = p.
Proof.
  unfold fraboni_eq12_condition_weight. intros Hi PT E. pose proof (mean_in_window k i d Hi PT) as Q.
  pose proof (times_pos i Hi) as Pi.
  assert (Pr : 0 < rates).
  { destruct (Req_dec rates 0) as [Z|N].
    - exfalso. pose proof (mean_in_window k i 1 Hi PT) as Q1. rewrite Z in Q1. lra.
    - assert (0 <= rates); [|lra]. apply sum_pos. intros j Hj. left. apply Rinv_0_lt_compat. now apply times_pos. }
  apply (Rmult_eq_reg_r (rates * tau i)); [|apply Rgt_not_eq; now apply Rmult_lt_0_compat]. rewrite Q, E. ring.
Qed.
End Asynchronous.

(** ** FedFix *)
Section FedFix.
Variables (tau Delta : R) (started : nat -> nat) (delivers : nat -> bool).
Hypothesis positive : 0 < tau /\ 0 < Delta.
(** Round n lasts from n Delta to (n + 1) Delta. A client works on the model with which round (started n) began;
    it delivers at the end of the first round in which it has finished, and starts anew. *)
Hypothesis starts : started 0 = 0%nat.
Hypothesis delivers_when_finished : forall n, delivers n = true <-> INR (started n) * Delta + tau <= INR (S n) * Delta.
Hypothesis starts_anew : forall n, started (S n) = if delivers n then S n else started n.

Lemma whole_ceiling : exists c, INR c = ceiling (tau / Delta) /\ (0 < c)%nat.
Proof.
  destruct positive as [Pt PD]. assert (0 < tau / Delta) by (apply Rmult_lt_0_compat; [assumption|now apply
    Rinv_0_lt_compat]).
  pose proof (ceiling_spec (tau / Delta)) as C. unfold ceiling, floor in *.
  assert (E : - IZR (Int_part (- (tau / Delta))) = IZR (- Int_part (- (tau / Delta)))) by now rewrite opp_IZR.
  rewrite E in *. set (z := (- Int_part (- (tau / Delta)))%Z) in *.
  assert (0 < z)%Z by (apply lt_IZR; lra). exists (Z.to_nat z). split; [|lia].
  rewrite INR_IZR_INZ, Z2Nat.id by lia. reflexivity.
Qed.

Variable c : nat.
Hypothesis c_is : INR c = ceiling (tau / Delta).

Lemma c_pos : (0 < c)%nat.
Proof. destruct whole_ceiling as (b & Eb & Pb). rewrite <- c_is in Eb. apply INR_eq in Eb. lia. Qed.

Lemma finished_after n : (started n <= n)%nat -> (delivers n = true <-> (started n + c <= S n)%nat).
Proof.
  intros Hs. destruct positive as [Pt PD]. rewrite delivers_when_finished.
  pose proof (ceiling_spec (tau / Delta)) as C. rewrite <- c_is in C.
  assert (Et : tau / Delta * Delta = tau) by (field; lra). split; intros Q.
  - assert (tau / Delta <= INR (S n) - INR (started n)).
    { apply (Rmult_le_reg_r Delta); [assumption|]. rewrite Et. lra. }
    rewrite <- minus_INR in H by lia. assert (INR c < INR (S (S n - started n))) by (rewrite S_INR; lra).
    apply INR_lt in H0. lia.
  - apply le_INR in Q. rewrite plus_INR in Q.
    assert (tau / Delta * Delta <= (INR (S n) - INR (started n)) * Delta) by (apply Rmult_le_compat_r; lra). lra.
Qed.

(** A client starts in the rounds that are multiples of c. *)
Lemma started_is n : (started n <= n < started n + c)%nat /\
  INR (started n) = INR c * sum n (fun m => ones (delivers m)).
Proof.
  pose proof c_pos as Pc. induction n as [|n [[A B] E]].
  - rewrite starts. simpl. split; [lia|ring].
  - cbn [sum]. pose proof (finished_after n A) as F. rewrite starts_anew. destruct (delivers n).
    + destruct F as [F _]. specialize (F eq_refl). split; [lia|]. replace (S n) with (started n + c)%nat by lia.
      rewrite plus_INR, E. simpl. ring.
    + assert (~ (started n + c <= S n)%nat) by (intros Q; destruct F as [_ F]; specialize (F Q); discriminate).
      split; [lia|]. simpl. lra.
Qed.

Lemma deliveries_before k : sum (k * c) (fun m => ones (delivers m)) = INR k.
Proof.
  pose proof c_pos as Pc. destruct (started_is (k * c)) as [[A B] E].
  assert (Whole : forall n, exists a, sum n (fun m => ones (delivers m)) = INR a).
  { induction n as [|n [a IH]]; [now exists 0%nat|]. cbn [sum]. rewrite IH.
    destruct (delivers n); [exists (S a); rewrite S_INR; reflexivity|exists a; simpl; ring]. }
  destruct (Whole (k * c)%nat) as [a Ea]. rewrite Ea in *. rewrite <- mult_INR in E. apply INR_eq in E. f_equal. nia.
Qed.

Lemma fedfix_mean k m d : (0 < m)%nat -> mean_weight delivers d (k * (c * m)) (c * m) * ceiling (tau / Delta) = d.
Proof.
  intros Hm. pose proof c_pos as Pc. rewrite mean_weight_is, <- c_is. unfold deliveries.
  assert (D : sum (c * m) (fun j => ones (delivers (k * (c * m) + j)%nat)) = INR m).
  { pose proof (deliveries_before (k * m)) as D0. pose proof (deliveries_before (k * m + m)) as D1.
    replace (k * m * c)%nat with (k * (c * m))%nat in D0 by lia.
    replace ((k * m + m) * c)%nat with (k * (c * m) + c * m)%nat in D1 by lia.
    rewrite sum_split, D0, plus_INR in D1. lra. }
  rewrite D, mult_INR. pose proof (lt_0_INR c Pc). pose proof (lt_0_INR m Hm). field. lra.
Qed.

(** Windows of c m rounds, for any m: of a common multiple of all clients' c. *)
Theorem fedfix_weights k m d p : (0 < m)%nat -> mean_weight delivers d (k * (c * m)) (c * m) = p ->
  d = fraboni_tab2_d_fedfix_right (importance := p) (round_duration := Delta) (update_time := tau).
Proof.
  intros Hm E. unfold fraboni_tab2_d_fedfix_right. rewrite <- (fedfix_mean k m d Hm), E. ring.
Qed.

Theorem fedfix_window k m d p : (0 < m)%nat ->
  fraboni_eq14_condition_weight (aggregation_weight := d) (importance := p) (round_duration := Delta)
    (update_time := tau) ->
  mean_weight delivers d (k * (c * m)) (c * m) = p.
Proof.
  unfold fraboni_eq14_condition_weight. intros Hm E. pose proof (fedfix_mean k m d Hm) as Q.
  apply (Rmult_eq_reg_r (ceiling (tau / Delta))).
  - rewrite Q, E. ring.
  - rewrite <- c_is. apply Rgt_not_eq, lt_0_INR, c_pos.
Qed.
End FedFix.

(** ** FedBuff, and every policy that repeats itself after W rounds *)
Section Repeating.
Variables (delivers : nat -> bool) (W : nat).
Hypothesis repeats : forall n, delivers (n + W)%nat = delivers n.

Lemma same_in_all_windows s : deliveries delivers s W = deliveries delivers 0 W.
Proof.
  unfold deliveries. induction s as [|s IH]; [reflexivity|]. rewrite <- IH. destruct W as [|w]; [reflexivity|].
  rewrite (sum_first w (fun k => ones (delivers (s + k)%nat))). cbn [sum].
  replace (S s + w)%nat with (s + S w)%nat by lia. rewrite repeats, Nat.add_0_r, Rplus_comm. f_equal.
  apply sum_ext. intros k _. do 2 f_equal. lia.
Qed.

Theorem buffer_window s d p : (0 < W)%nat -> 0 < deliveries delivers 0 W ->
  fraboni_fedbuff_weights_condition_weight (aggregation_weight := d) (balance_period := INR W)
    (deliveries_in_window := deliveries delivers 0 W) (importance := p) ->
  mean_weight delivers d s W = p.
Proof.
  unfold fraboni_fedbuff_weights_condition_weight. intros HW Pd E.
  rewrite mean_weight_is, same_in_all_windows, E. pose proof (lt_0_INR W HW). field. lra.
Qed.
End Repeating.
