(** * AFA-CD under uniform arrivals (AFL, Algorithm 2 as in Theorem 3)

    Every round hears from a random set of m of the M workers. The record [UniformDevice] is such a
    run on a finite probability space; its equations hold outcome by outcome. In round t worker i
    holds an update that started from the model of round t - [delay] t i and took [steps] t i local
    steps; [chosen] t i says for each outcome whether the server uses it.

    [uniform_run] is the information in rounds 0 to T - 1: noise has mean zero given the start, noise and
    the sets of earlier rounds, the noise of other workers in its round and its own earlier noise;
    the set of a round is uniform given the start, all noise up to that round and earlier sets, as
    far as singles and pairs go: worker i is in it with chance m/M, and i and j with chance
    m (m-1) / (M (M-1)).

    Proved here: what the server uses is the mean path of all workers plus a rest that is orthogonal
    to the past ([rest_meets_slope], [rests_orthogonal]), with |rest|^2 at most 2 rho V + 2 sigma^2/m
    ([rest_square]), rho = (M-m)/(m (M-1)) and V the variance of the workers' paths. *)
From Coq Require Import Reals Lra Psatz Lia FunctionalExtensionality.
From FL Require Export LocalWork Delay Chance.
Open Scope R_scope.

(** The random point X where the coin c shows true, and zero elsewhere. *)
Definition pick {P : Law} {E : Space} (c : nat -> bool) (X : random P E) : random P E :=
  fun w => if c w then X w else zero.

Record UniformDevice (P : Law) {E : Space} (p : Problem E) := {
  (* how many, how long, how late *)
  per_round : nat;
  most_steps : nat;
  max_delay : nat;
  local_step : R;
  server_step : R;
  noise_level : R;
  (* the update that worker i holds in round t: from when, of how many steps; whether it is used *)
  delay : nat -> nat -> nat;
  steps : nat -> nat -> nat;
  chosen : nat -> nat -> nat -> bool;
  (* the server's models; the models and the noise of local step k *)
  model : nat -> random P E;
  local : nat -> nat -> nat -> random P E;
  noise : nat -> nat -> nat -> random P E;
  (* worker, lines 1 to 3, and server, lines 1 to 2 *)
  pull : forall t i, (i < clients p)%nat -> local t i 0%nat = model (t - delay t i)%nat;
  work : forall t i k, (i < clients p)%nat -> (k < steps t i)%nat ->
    local t i (S k) = local t i k ⊕ (- local_step) ⊙ (∇i (expected P p) i (local t i k) ⊕ noise t i k);
  serve : forall t, model (S t) = model t ⊕ (- (server_step * local_step)) ⊙
    (/ INR per_round ⊙ vsum (clients p) (fun i =>
      pick (chosen t i) (update (expected P p) i (steps t i) (local t i) (noise t i))));
  (* bounds *)
  some_chosen : (0 < per_round <= clients p)%nat;
  delay_bound : forall t i, (i < clients p)%nat -> (delay t i <= max_delay)%nat /\ (delay t i <= t)%nat;
  some_steps : forall t i, (i < clients p)%nat -> (0 < steps t i <= most_steps)%nat;
  local_step_pos : 0 < local_step;
  server_step_pos : 0 < server_step;
  noise_level_pos : 0 <= noise_level;
  variance : forall t i k, (i < clients p)%nat -> (k < steps t i)%nat ->
    ‖noise t i k‖² <= noise_level ^ 2
}.

Arguments per_round {P E p}. Arguments most_steps {P E p}. Arguments max_delay {P E p}.
Arguments local_step {P E p}. Arguments server_step {P E p}. Arguments noise_level {P E p}.
Arguments delay {P E p}. Arguments steps {P E p}. Arguments chosen {P E p}. Arguments model {P E p}.
Arguments local {P E p}. Arguments noise {P E p}. Arguments pull {P E p}. Arguments work {P E p}.
Arguments serve {P E p}. Arguments some_chosen {P E p}. Arguments delay_bound {P E p}.
Arguments some_steps {P E p}. Arguments local_step_pos {P E p}. Arguments server_step_pos {P E p}.
Arguments noise_level_pos {P E p}. Arguments variance {P E p}.

Lemma pick_add {P : Law} {E : Space} c (X Y : random P E) : pick c (X ⊕ Y) = pick c X ⊕ pick c Y.
Proof.
  apply functional_extensionality. intros w. unfold pick. simpl. destruct (c w); [reflexivity|].
  now rewrite add_zero.
Qed.

(** A number as a point of the line, and a coin as a number. *)
Notation number := (fun f => (fun w _ => f w) : random _ (euclid 1)).
Definition coin (b : bool) : R := if b then 1 else 0.

(** A label tells a coin if outcomes with the same label agree on it. *)
Definition told {P : Law} (label : nat -> nat) (c : nat -> bool) : Prop :=
  forall v w, (v < outcomes P)%nat -> (w < outcomes P)%nat -> label v = label w -> c v = c w.

Section Run.
Context {P : Law} {E : Space} {p : Problem E} (run : UniformDevice P p).
Notation H := (random P E).
Notation pp := (expected P p).
Notation M := (clients p).
Notation m := (INR (per_round run)).
Notation L := (smoothness p).
Notation x := (model run).
Notation eta := (local_step run).
Notation g := (server_step run * local_step run).
Notation sigma := (noise_level run).
Notation K := (most_steps run).
Notation tau := (max_delay run).

(** T rounds: a finite probability space has room for finitely many draws. *)
Variable T : nat.

(** What a label must tell so that it determines the models up to round t. *)
Definition tells_past (label : nat -> nat) (t : nat) : Prop :=
  determined P label (x 0%nat) /\
  (forall u j l, (u < t)%nat -> (j < M)%nat -> (l < steps run u j)%nat -> determined P label (noise run u j l)) /\
  (forall u j, (u < t)%nat -> (j < M)%nat -> told (P := P) label (chosen run u j)).

Definition fair_draws (label : nat -> nat -> nat -> nat -> nat) : Prop :=
  forall t i k, (t < T)%nat -> (i < M)%nat -> (k < steps run t i)%nat ->
  fair P (label t i k) (noise run t i k) /\ tells_past (label t i k) t /\
  forall j l, (j < M)%nat -> (l < steps run t j)%nat -> j <> i \/ (l < k)%nat ->
    determined P (label t i k) (noise run t j l).

Definition fair_choices (label : nat -> nat -> nat) : Prop := forall t, (t < T)%nat ->
  tells_past (label t) t /\
  (forall j l, (j < M)%nat -> (l < steps run t j)%nat -> determined P (label t) (noise run t j l)) /\
  (forall i, (i < M)%nat ->
    fair P (label t) (number (fun w => coin (chosen run t i w) - m / INR M))) /\
  (forall i j, (i < M)%nat -> (j < M)%nat -> i <> j ->
    fair P (label t) (number (fun w => coin (chosen run t i w) * coin (chosen run t j w)
                                       - m * (m - 1) / (INR M * (INR M - 1))))).

Definition uniform_run : Prop := (exists label, fair_draws label) /\ (exists label, fair_choices label).

(** ** What a label determines *)
Lemma det_add label (X Y : H) : determined P label X -> determined P label Y -> determined P label (X ⊕ Y).
Proof. intros A B v w Hv Hw Q. simpl. now rewrite (A v w), (B v w). Qed.

Lemma det_scale label a (X : H) : determined P label X -> determined P label (a ⊙ X).
Proof. intros A v w Hv Hw Q. simpl. now rewrite (A v w). Qed.

Lemma det_vsum label n (X : nat -> H) : (forall i, (i < n)%nat -> determined P label (X i)) ->
  determined P label (vsum n X).
Proof. induction n; intros A; simpl; [intros v w _ _ _; reflexivity|]. apply det_add; auto. Qed.

Lemma det_mean label n (X : nat -> H) : (forall i, (i < n)%nat -> determined P label (X i)) ->
  determined P label (mean n X).
Proof. intros A. now apply det_scale, det_vsum. Qed.

Lemma det_gradient label i (X : H) : determined P label X -> determined P label (∇i pp i X).
Proof. intros A v w Hv Hw Q. simpl. now rewrite (A v w). Qed.

Lemma det_pick label c (X : H) : told (P := P) label c -> determined P label X -> determined P label (pick c X).
Proof. intros C A v w Hv Hw Q. unfold pick. now rewrite (C v w), (A v w). Qed.

Lemma det_local label t i k : (i < M)%nat -> (k <= steps run t i)%nat ->
  determined P label (x (t - delay run t i)%nat) ->
  (forall l, (l < k)%nat -> determined P label (noise run t i l)) -> determined P label (local run t i k).
Proof.
  intros Hi Hk Dx Dn. induction k as [|k IH]; [now rewrite (pull run)|].
  rewrite (work run) by (auto; lia). assert (determined P label (local run t i k)) by (apply IH; auto; lia).
  apply det_add; [assumption|]. apply det_scale, det_add; [now apply det_gradient|auto].
Qed.

Lemma det_model label t u : tells_past label t -> (u <= t)%nat -> determined P label (x u).
Proof.
  intros [Start [Noise Sets]]. induction u as [u IH] using lt_wf_ind. intros Hu. destruct u as [|u]; [assumption|].
  rewrite (serve run). apply det_add; [apply IH; lia|]. apply det_scale, det_scale, det_vsum. intros j Hj.
  apply det_pick; [apply Sets; auto|]. apply det_mean. intros l Hl. apply det_add; [|now apply Noise].
  apply det_gradient, det_local; auto; [lia|apply IH; lia|]. intros q Hq. apply Noise; auto; lia.
Qed.

Definition slot_path t i : H := path pp i (steps run t i) (local run t i).
Definition slot_hum t i : H := hum (steps run t i) (noise run t i).
Definition paths t : H := mean M (slot_path t).
Definition hums t : H := mean M (slot_hum t).

(** The mean over the chosen workers. *)
Definition over_chosen t (X : nat -> H) : H := / m ⊙ vsum M (fun i => pick (chosen run t i) (X i)).
Definition used t : H :=
  over_chosen t (fun i => update pp i (steps run t i) (local run t i) (noise run t i)).
Definition rest t : H := used t ⊖ paths t.

Hypothesis Fair : uniform_run.

Lemma hum_meets_nothing t i (Y : H) : (t < T)%nat -> (i < M)%nat ->
  (forall label k, (k < steps run t i)%nat -> tells_past label t ->
    (forall j l, (j < M)%nat -> (l < steps run t j)%nat -> j <> i -> determined P label (noise run t j l)) ->
    determined P label Y) -> ⟨slot_hum t i, Y⟩ = 0.
Proof.
  intros Ht Hi Y0. destruct Fair as [[label Draws] _]. apply hum_orthogonal. intros k Hk.
  destruct (Draws t i k Ht Hi Hk) as [F [Past Now]]. apply (fair_orthogonal P (label t i k)); [assumption|].
  apply (Y0 _ k); auto.
Qed.

Lemma job t i : (t < T)%nat -> (i < M)%nat ->
  LocalWork pp i eta sigma K (steps run t i) (local run t i) (noise run t i).
Proof.
  intros Ht Hi. constructor; auto.
  - apply local_step_pos.
  - apply noise_level_pos.
  - now apply some_steps.
  - intros. now apply work.
  - intros k y Hk Y. destruct Fair as [[label Draws] _]. destruct (Draws t i k Ht Hi Hk) as [F [Past Now]].
    apply (fair_orthogonal P (label t i k)); [assumption|].
    apply (computable_determined P p _ _ _) with (2 := Y). intros Z [->|[j [Hj ->]]].
    + rewrite (pull run) by assumption. apply (det_model _ t); [assumption|lia].
    + apply Now; auto; lia.
  - intros. now apply variance.
Qed.

(** ** The choice of the workers *)
Lemma M_pos : 0 < INR M.
Proof. apply clients_pos. Qed.

Lemma m_pos : 0 < m.
Proof. apply lt_0_INR, (some_chosen run). Qed.

Lemma m_le_M : m <= INR M.
Proof. apply le_INR, (some_chosen run). Qed.

Definition rho : R := (INR M - m) / (m * Rmax 1 (INR M - 1)).

Lemma rho_range : 0 <= rho <= 1 /\ (1 - rho) / INR M + rho = / m.
Proof.
  pose proof m_pos. pose proof m_le_M. pose proof M_pos. unfold rho.
  assert (m1 : 1 <= m) by (change 1 with (INR 1); apply le_INR, (some_chosen run)).
  destruct (Nat.eq_dec M 1) as [One|Many].
  - rewrite One in *. simpl INR in *. replace m with 1 by lra. rewrite Rmax_left by lra. split; [split; lra|]. field.
  - assert (M2 : 2 <= INR M) by (change 2 with (INR 2); apply le_INR; pose proof (some_client p); lia).
    rewrite Rmax_right by lra. split; [split|field; lra].
    + unfold Rdiv. apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. nra.
    + apply (Rmult_le_reg_r (m * (INR M - 1))); [nra|].
      replace ((INR M - m) / (m * (INR M - 1)) * (m * (INR M - 1))) with (INR M - m) by (field; lra). nra.
Qed.

Section Choice.
Context (t : nat) (label : nat -> nat).
Hypothesis Single : forall i, (i < M)%nat ->
  fair P label (number (fun w => coin (chosen run t i w) - m / INR M)).
Hypothesis Pair : forall i j, (i < M)%nat -> (j < M)%nat -> i <> j ->
  fair P label (number (fun w => coin (chosen run t i w) * coin (chosen run t j w)
                                 - m * (m - 1) / (INR M * (INR M - 1)))).

(** A coin that is fair given the label is independent of what the label determines. *)
Lemma chance_factor (f : nat -> R) q (X Y : H) : fair P label (number (fun w => f w - q)) ->
  determined P label X -> determined P label Y ->
  expect P (fun w => f w * ⟨X w, Y w⟩) = q * ⟨X, Y⟩.
Proof.
  intros F DX DY.
  pose proof (fair_orthogonal P (E := euclid 1) label _ (number (fun w => ⟨X w, Y w⟩)) F) as O.
  assert (D : determined P (E := euclid 1) label (number (fun w => ⟨X w, Y w⟩))).
  { intros v w Hv Hw Q. apply functional_extensionality. intros j. now rewrite (DX v w), (DY v w). }
  specialize (O D). simpl in O. unfold expect in O.
  assert (S0 : expect P (fun w => f w * ⟨X w, Y w⟩) - q * ⟨X, Y⟩ = 0); [|lra].
  simpl. unfold expect. rewrite <- sum_scale. rewrite <- O.
  replace (sum (outcomes P) (fun w => chance P w * (f w * ⟨X w, Y w⟩))
           - sum (outcomes P) (fun w => q * (chance P w * ⟨X w, Y w⟩)))
    with (sum (outcomes P) (fun w => chance P w * (f w * ⟨X w, Y w⟩))
          + sum (outcomes P) (fun w => -1 * (q * (chance P w * ⟨X w, Y w⟩))))
    by (rewrite (sum_scale _ (-1)); ring).
  rewrite <- sum_add. apply sum_ext. intros w _. ring.
Qed.

Lemma pick_one i (X Y : H) : (i < M)%nat -> determined P label X -> determined P label Y ->
  ⟨pick (chosen run t i) X, Y⟩ = m / INR M * ⟨X, Y⟩.
Proof.
  intros Hi DX DY. rewrite <- (chance_factor (fun w => coin (chosen run t i w)) (m / INR M) X Y); auto.
  simpl. apply expect_ext. intros w. unfold pick, coin. destruct (chosen run t i w); [ring|].
  rewrite dot_zero_l. ring.
Qed.

Lemma pick_same i (X : H) : (i < M)%nat -> determined P label X ->
  ‖pick (chosen run t i) X‖² = m / INR M * ‖X‖².
Proof.
  intros Hi DX. rewrite <- (pick_one i X X) by assumption. simpl. apply expect_ext. intros w. unfold pick.
  destruct (chosen run t i w); [reflexivity|]. now rewrite !dot_zero_l.
Qed.

Lemma pick_two i j (X Y : H) : (i < M)%nat -> (j < M)%nat -> i <> j ->
  determined P label X -> determined P label Y ->
  ⟨pick (chosen run t i) X, pick (chosen run t j) Y⟩ = (m / INR M - rho * m ^ 2 / INR M) * ⟨X, Y⟩.
Proof.
  intros Hi Hj N DX DY. replace (m / INR M - rho * m ^ 2 / INR M) with (m * (m - 1) / (INR M * (INR M - 1))).
  - rewrite <- (chance_factor (fun w => coin (chosen run t i w) * coin (chosen run t j w)) _ X Y (Pair i j Hi Hj N));
      auto.
    simpl. apply expect_ext. intros w. unfold pick, coin.
    destruct (chosen run t i w), (chosen run t j w); rewrite ?dot_zero_l, ?dot_zero_r; ring.
  - pose proof m_pos. assert (M2 : 2 <= INR M) by (change 2 with (INR 2); apply le_INR; lia).
    unfold rho. rewrite Rmax_right by lra. field. lra.
Qed.

(** The mean over the chosen workers is right on average. *)
Lemma over_chosen_mean (X : nat -> H) (Y : H) : (forall i, (i < M)%nat -> determined P label (X i)) ->
  determined P label Y -> ⟨over_chosen t X, Y⟩ = ⟨mean M X, Y⟩.
Proof.
  intros DX DY. pose proof m_pos. pose proof M_pos. unfold over_chosen, mean.
  rewrite !dot_scale_l, !dot_vsum_l, <- !sum_scale. apply sum_ext. intros i Hi.
  rewrite pick_one by auto. field. lra.
Qed.

(** Its square: the sampling identity. *)
Lemma over_chosen_square (X : nat -> H) : (forall i, (i < M)%nat -> determined P label (X i)) ->
  ‖over_chosen t X‖² = (1 - rho) * ‖mean M X‖² + rho * avg M (fun i => ‖X i‖²).
Proof.
  intros DX. pose proof m_pos as Pm. pose proof M_pos as PM. unfold over_chosen, mean, avg.
  rewrite !square_scale. set (q := m / INR M - rho * m ^ 2 / INR M).
  assert (Sq : ‖vsum M (fun i => pick (chosen run t i) (X i))‖²
               = q * ‖vsum M X‖² + rho * m ^ 2 / INR M * sum M (fun i => ‖X i‖²)).
  { rewrite !dot_vsum_l, <- !sum_scale, <- sum_add. apply sum_ext. intros i Hi. rewrite !dot_vsum_r, <- sum_scale.
    assert (Split : forall j, (j < M)%nat -> ⟨pick (chosen run t i) (X i), pick (chosen run t j) (X j)⟩
      = q * ⟨X i, X j⟩ + (if (j =? i)%nat then rho * m ^ 2 / INR M * ‖X i‖² else 0)).
    { intros j Hj. destruct (Nat.eqb_spec j i) as [->|N].
      - rewrite pick_same by auto. unfold q. ring.
      - rewrite pick_two by auto. unfold q. ring. }
    rewrite (sum_ext M _ _ Split), sum_add. f_equal.
    rewrite (sum_single M _ i Hi); [now rewrite Nat.eqb_refl|].
    intros j _ N. destruct (Nat.eqb_spec j i); [contradiction|reflexivity]. }
  rewrite Sq. destruct rho_range as [_ R1]. unfold q.
  assert (Rm : rho * m * (INR M - 1) = INR M - m).
  { replace (rho * m * (INR M - 1)) with (m * INR M * ((1 - rho) / INR M + rho) - m) by (field; lra).
    rewrite R1. field. lra. }
  set (a := ‖vsum M X‖²). set (b := sum M (fun i => ‖X i‖²)).
  replace ((/ m) ^ 2 * ((m / INR M - rho * m ^ 2 / INR M) * a + rho * m ^ 2 / INR M * b))
    with ((1 - rho * m) / (m * INR M) * a + rho * (/ INR M * b)) by (field; lra).
  f_equal. replace ((1 - rho) * ((/ INR M) ^ 2 * a)) with ((1 - rho) / INR M ^ 2 * a) by (field; lra). f_equal.
  apply (Rmult_eq_reg_r (m * INR M ^ 2)); [|apply Rgt_not_eq, Rmult_lt_0_compat; [assumption|now apply pow_lt]].
  replace ((1 - rho * m) / (m * INR M) * (m * INR M ^ 2)) with ((1 - rho * m) * INR M) by (field; lra).
  replace ((1 - rho) / INR M ^ 2 * (m * INR M ^ 2)) with ((1 - rho) * m) by (field; lra). lra.
Qed.
End Choice.

(** ** What the server uses *)
Definition spread t : R := avg M (fun i => ‖slot_path t i‖²) - ‖paths t‖².

Lemma used_is t : same (used t) (over_chosen t (slot_path t) ⊕ over_chosen t (slot_hum t)).
Proof.
  intros z. unfold used, over_chosen. rewrite dot_add_l, !dot_scale_l, !dot_vsum_l, <- Rmult_plus_distr_l, <- sum_add.
  f_equal. apply sum_ext. intros i _.
  assert (Q : update pp i (steps run t i) (local run t i) (noise run t i) = slot_path t i ⊕ slot_hum t i)
    by (apply mean_plus). now rewrite Q, pick_add, dot_add_l.
Qed.

Lemma determined_now label t : tells_past label t ->
  (forall j l, (j < M)%nat -> (l < steps run t j)%nat -> determined P label (noise run t j l)) ->
  forall i, (i < M)%nat -> determined P label (slot_path t i) /\ determined P label (slot_hum t i).
Proof.
  intros Past Now i Hi. split; apply det_mean; intros k Hk; [|now apply Now].
  apply det_gradient, det_local; auto; [lia|apply (det_model _ t); [assumption|lia]|].
  intros l Hl. apply Now; auto; lia.
Qed.

Lemma det_used label t u : tells_past label t -> (u < t)%nat -> determined P label (used u).
Proof.
  intros Past Hu. pose proof (det_model label t (u - 0) Past) as Dx. destruct Past as [Start [Noise Sets]].
  apply det_scale, det_vsum. intros j Hj. apply det_pick; [now apply Sets|]. apply det_mean. intros l Hl.
  apply det_add; [|now apply Noise]. apply det_gradient, det_local; auto; [lia| |].
  - apply (det_model _ t); [now split|lia].
  - intros q Hq. apply Noise; auto; lia.
Qed.

Lemma det_rest label t u : tells_past label t -> (u < t)%nat -> determined P label (rest u).
Proof.
  intros Past Hu. apply det_add; [now apply (det_used _ t)|]. apply det_scale, det_mean. intros i Hi.
  apply (determined_now label u); auto.
  - destruct Past as [A [B C]]. repeat split; auto; intros; [apply B|apply C]; auto; lia.
  - destruct Past as [A [B C]]. intros. apply B; auto.
Qed.

Lemma hums_meet_past t (Y : H) : (t < T)%nat ->
  (forall label, tells_past label t -> determined P label Y) -> ⟨hums t, Y⟩ = 0.
Proof.
  intros Ht D. unfold hums. rewrite dot_mean_l. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
  apply hum_meets_nothing; auto.
Qed.

Lemma hums_square t : (t < T)%nat -> ‖hums t‖² <= sigma ^ 2 / INR M.
Proof.
  intros Ht. apply norm_mean_orthogonal; [apply some_client| |].
  - intros i j Hi Hj N. apply hum_meets_nothing; auto. intros label k _ _ Others. apply det_mean. intros l Hl.
    apply Others; auto.
  - intros i Hi. apply (hum_square_le (job t i Ht Hi)).
Qed.

Lemma used_square t : (t < T)%nat -> ‖used t‖² <= 2 * (‖paths t‖² + rho * spread t) + 2 * (sigma ^ 2 / m).
Proof.
  intros Ht. destruct Fair as [_ [label Choices]]. destruct (Choices t Ht) as [Past [Now [Single Pair]]].
  pose proof (determined_now _ t Past Now) as D.
  rewrite (same_norm _ _ (used_is t)). eapply Rle_trans; [apply norm_add2|].
  rewrite (over_chosen_square t (label t) Single Pair (slot_path t)) by (intros; now apply D).
  rewrite (over_chosen_square t (label t) Single Pair (slot_hum t)) by (intros; now apply D).
  fold (paths t) (hums t). destruct rho_range as [[R0 R1] R2]. pose proof (hums_square t Ht) as N1.
  assert (N2 : avg M (fun i => ‖slot_hum t i‖²) <= sigma ^ 2).
  { apply avg_le_const; [apply some_client|]. intros i Hi. apply (hum_square_le (job t i Ht Hi)). }
  assert (N3 : (1 - rho) * ‖hums t‖² + rho * avg M (fun i => ‖slot_hum t i‖²) <= sigma ^ 2 / m).
  { apply (Rmult_le_compat_l (1 - rho)) in N1; [|lra]. apply (Rmult_le_compat_l rho) in N2; [|lra].
    replace (sigma ^ 2 / m) with (sigma ^ 2 * ((1 - rho) / INR M + rho)) by (rewrite R2; unfold Rdiv; ring). lra. }
  unfold spread. lra.
Qed.

Lemma used_on_average t (Y : H) : (t < T)%nat -> (forall label, tells_past label t -> determined P label Y) ->
  ⟨used t, Y⟩ = ⟨paths t, Y⟩.
Proof.
  intros Ht DY. destruct Fair as [_ [label Choices]]. destruct (Choices t Ht) as [Past [Now [Single Pair]]].
  pose proof (determined_now _ t Past Now) as D. rewrite (used_is t Y), dot_add_l.
  rewrite (over_chosen_mean t (label t) Single) by (auto; intros; now apply D).
  rewrite (over_chosen_mean t (label t) Single (slot_hum t)) by (auto; intros; now apply D).
  fold (paths t) (hums t). rewrite hums_meet_past by assumption. ring.
Qed.

Lemma rest_meets_slope t : (t < T)%nat -> ⟨∇ pp (x t), used t⟩ = ⟨∇ pp (x t), paths t⟩.
Proof.
  intros Ht. rewrite (dot_sym _ (used t)), (dot_sym _ (paths t)). apply used_on_average; [assumption|].
  intros label Past.
  apply det_mean. intros. apply det_gradient. now apply (det_model _ t).
Qed.

Lemma rests_orthogonal s t : (s < T)%nat -> (t < T)%nat -> s <> t -> ⟨rest s, rest t⟩ = 0.
Proof.
  assert (Q : forall s t, (s < t)%nat -> (t < T)%nat -> ⟨rest t, rest s⟩ = 0).
  { intros u v Hu Hv. unfold rest at 1. rewrite dot_add_l, dot_scale_l, used_on_average; [ring|assumption|].
    intros label Past. now apply (det_rest _ v). }
  intros Hs Ht N. destruct (Nat.lt_ge_cases s t); [rewrite dot_sym|]; apply Q; lia.
Qed.

Lemma rest_square t : (t < T)%nat -> ‖rest t‖² <= 2 * rho * spread t + 2 * (sigma ^ 2 / m).
Proof.
  intros Ht. destruct Fair as [_ [label Choices]]. destruct (Choices t Ht) as [Past [Now [Single Pair]]].
  pose proof (determined_now _ t Past Now) as D.
  assert (DP : determined P (label t) (paths t)) by (apply det_mean; intros; now apply D).
  assert (S0 : same (rest t) ((over_chosen t (slot_path t) ⊖ paths t) ⊕ over_chosen t (slot_hum t))).
  { intros z. unfold rest. rewrite dot_add_l, used_is. expand_dots. ring. }
  rewrite (same_norm _ _ S0). eapply Rle_trans; [apply norm_add2|]. rewrite norm_sub.
  rewrite (over_chosen_square t (label t) Single Pair (slot_path t)) by (intros; now apply D).
  rewrite (over_chosen_square t (label t) Single Pair (slot_hum t)) by (intros; now apply D).
  rewrite (over_chosen_mean t (label t) Single) by (auto; intros; now apply D).
  fold (paths t) (hums t). destruct rho_range as [[R0 R1] R2]. pose proof (hums_square t Ht) as N1.
  assert (N2 : avg M (fun i => ‖slot_hum t i‖²) <= sigma ^ 2).
  { apply avg_le_const; [apply some_client|]. intros i Hi. apply (hum_square_le (job t i Ht Hi)). }
  assert (N3 : (1 - rho) * ‖hums t‖² + rho * avg M (fun i => ‖slot_hum t i‖²) <= sigma ^ 2 / m).
  { apply (Rmult_le_compat_l (1 - rho)) in N1; [|lra]. apply (Rmult_le_compat_l rho) in N2; [|lra].
    replace (sigma ^ 2 / m) with (sigma ^ 2 * ((1 - rho) / INR M + rho)) by (rewrite R2; unfold Rdiv; ring). lra. }
  unfold spread. lra.
Qed.
End Run.
