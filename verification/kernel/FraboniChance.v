(** * Fraboni et al., Theorem 1 in expectation, in the words of the ledger

    A random run on a finite probability space. Client i, whose work round n uses, started it from the
    server's model of round pulled n i <= n and made K local steps, each with the gradient of a batch drawn
    afresh: every batch's loss is convex and L-smooth, and given what was drawn before it is in the mean
    the client's loss ([fair_batches]). In round n the server adds the clients' work with random weights.
    Given all earlier weights and all work of this round, client i's weight has the mean q n i, two clients'
    weights have the mean product alpha q_i q_j, and E weight^2 <= alpha q_i^2 + beta q_i ([fair_weights]).
    M clients, N rounds, K local steps, nobody more than tau rounds old: all are arbitrary.

    - [theorem1_at_server], [theorem1_virtual]: with random weights;
    - [theorem1_certain]: with weights that are fixed in advance;
    - [lemma1]: the second moment of a sum with random weights. *)
From Coq Require Import Reals Lra Psatz Lia Arith FunctionalExtensionality.
From FL Require Export Labels.
From FL Require Import Chance Convex Fraboni Claims_fraboni.
Open Scope R_scope.

(** ** Sums with random weights *)
Section Weighted.
Context (P : Law) {E : Space}.
Notation det := (determined P (E := E)).
Notation within := (Labels.within P).

(** *** Random weights: the two laws of their sum *)
Section Weights.
Variables (M : nat) (weight : nat -> nat -> R) (q : nat -> R) (alpha beta : R) (label : nat -> nat).
Hypothesis means : forall a i, (i < M)%nat -> within label a (fun w => weight i w - q i) = 0.
Hypothesis products : forall a i j, (i < M)%nat -> (j < M)%nat -> i <> j ->
  within label a (fun w => weight i w * weight j w - alpha * (q i * q j)) = 0.
Hypothesis squares : forall a i, (i < M)%nat ->
  within label a (fun w => weight i w ^ 2 - (alpha * q i ^ 2 + beta * q i)) <= 0.
Variable g : nat -> random P E.
Hypothesis known : forall i, (i < M)%nat -> det label (g i).

Definition with_weights : random P E := fun w => vsum M (fun i => weight i w ⊙ g i w).
Definition with_means : random P E := vsum M (fun i => q i ⊙ g i).

Lemma with_means_at w : with_means w = vsum M (fun i => q i ⊙ g i w).
Proof. unfold with_means. now rewrite vsum_at. Qed.

Lemma with_weights_mean Y : det label Y -> ⟨with_weights, Y⟩ = ⟨with_means, Y⟩.
Proof.
  intros KY. apply Rminus_diag_uniq. simpl.
  assert (Z : expect P (fun w => ⟨with_weights w, Y w⟩ + -1 * ⟨with_means w, Y w⟩) = 0).
  - apply (by_label_zero P label). intros v Hv.
    rewrite (within_ext P _ _ _ (fun w => sum M (fun i => ⟨g i v, Y v⟩ * (weight i w - q i)))).
    + rewrite within_sum. apply sum_zero. intros i Hi. rewrite within_scale, means by assumption. ring.
    + intros w Hw Ew. rewrite with_means_at. unfold with_weights. rewrite !dot_vsum_l, <- sum_scale, <- sum_add.
      apply sum_ext. intros i Hi. rewrite !dot_scale_l, (known i Hi w v Hw Hv Ew), (KY w v Hw Hv Ew). ring.
  - rewrite expect_add, expect_scale in Z. lra.
Qed.

Lemma double_sum (w' : nat -> R) (x : nat -> E) :
  ‖vsum M (fun i => w' i ⊙ x i)‖² = sum M (fun i => sum M (fun j => w' i * w' j * ⟨x i, x j⟩)).
Proof.
  rewrite dot_vsum_l. apply sum_ext. intros i _. rewrite dot_vsum_r. apply sum_ext. intros j _.
  rewrite dot_scale_l, dot_scale_r. ring.
Qed.

Lemma with_weights_square :
  ‖with_weights‖² <= alpha * ‖with_means‖² + beta * sum M (fun i => q i * ‖g i‖²).
Proof.
  change (sum M (fun i => q i * ‖g i‖²)) with (sum M (fun i => q i * expect P (fun w => ‖g i w‖²))).
  rewrite (expect_sum P). simpl. rewrite <- !expect_scale, <- expect_add.
  enough (Z : expect P (fun w => ‖with_weights w‖² + -1 * (alpha * ‖with_means w‖²
    + beta * sum M (fun i => q i * ‖g i w‖²))) <= 0) by (rewrite expect_add, expect_scale in Z; lra).
  apply (by_label P label). intros v Hv.
  rewrite (within_ext P _ _ _ (fun w => sum M (fun i => sum M (fun j => ⟨g i v, g j v⟩
    * (weight i w * weight j w - (alpha * (q i * q j) + if (i =? j)%nat then beta * q i else 0)))))).
  - rewrite within_sum. apply Rle_trans with (INR M * 0); [|lra]. apply sum_le_const. intros i Hi. rewrite within_sum.
    rewrite (sum_single M _ i Hi).
    + rewrite within_scale, Nat.eqb_refl. pose proof (squares (label v) i Hi) as Q. pose proof (dot_pos (g i v)).
      rewrite (within_ext P _ _ _ (fun w => weight i w ^ 2 - (alpha * q i ^ 2 + beta * q i))) by (intros; ring).
      apply Ropp_le_cancel. rewrite Ropp_0, Ropp_mult_distr_r. apply Rmult_le_pos; lra.
    + intros j Hj Nj. rewrite within_scale. destruct (Nat.eqb_spec i j); [congruence|].
      rewrite (within_ext P _ _ _ (fun w => weight i w * weight j w - alpha * (q i * q j))) by (intros; ring).
      rewrite products by auto. ring.
  - intros w Hw Ew. rewrite with_means_at. unfold with_weights. rewrite !double_sum, <- (sum_scale M alpha), <-
    (sum_scale M beta),
      <- sum_add, <- sum_scale, <- sum_add. apply sum_ext. intros i Hi.
    rewrite (known i Hi w v Hw Hv Ew).
    assert (D : q i * ‖g i v‖² = sum M (fun j => ⟨g i v, g j v⟩ * if (i =? j)%nat then q i else 0)).
    { rewrite (sum_single M _ i Hi); [rewrite Nat.eqb_refl; ring|]. intros j _ Nj.
      destruct (Nat.eqb_spec i j); [congruence|ring]. }
    rewrite D, <- (sum_scale M alpha), <- (sum_scale M beta), <- sum_add, <- sum_scale, <- sum_add. apply sum_ext.
    intros j Hj.
    rewrite (known j Hj w v Hw Hv Ew). destruct (i =? j)%nat; ring.
Qed.

(** What the weights' variance adds. *)
Lemma with_weights_apart : alpha <= 1 ->
  ‖with_weights ⊖ with_means‖² <= beta * sum M (fun i => q i * ‖g i‖²).
Proof.
  intros A. rewrite norm_sub, (with_weights_mean with_means).
  - pose proof with_weights_square. pose proof (dot_pos with_means).
    assert (alpha * ‖with_means‖² <= 1 * ‖with_means‖²) by now apply Rmult_le_compat_r. lra.
  - intros v w Hv Hw Ev. rewrite !with_means_at. apply vsum_ext. intros i Hi. now rewrite (known i Hi v w).
Qed.
End Weights.

(** *** Independent noise: the mean square of a weighted sum whose means add up to zero *)
Lemma own_squares M (q : nat -> R) (S m : nat -> random P E) :
  same (vsum M (fun i => q i ⊙ m i)) zero ->
  (forall i j, (i < M)%nat -> (j < M)%nat -> i <> j -> ⟨S i ⊖ m i, S j ⊖ m j⟩ = 0) ->
  ‖vsum M (fun i => q i ⊙ S i)‖² = sum M (fun i => q i ^ 2 * ‖S i ⊖ m i‖²).
Proof.
  intros Z O. rewrite (same_norm _ (vsum M (fun i => q i ⊙ (S i ⊖ m i)))).
  - rewrite norm_vsum_orthogonal; [apply sum_ext; intros; apply square_scale|].
    intros i j Hi Hj N. rewrite dot_scale_l, dot_scale_r, O by assumption. ring.
  - intros y. specialize (Z y). rewrite dot_zero_l, dot_vsum_l in Z. rewrite !dot_vsum_l.
    rewrite (sum_ext M (fun i => ⟨q i ⊙ (S i ⊖ m i), y⟩) (fun i => ⟨q i ⊙ S i, y⟩ + -1 * ⟨q i ⊙ m i, y⟩)).
    + rewrite sum_add, sum_scale, Z. ring.
    + intros i _. rewrite !dot_scale_l, dot_add_l, dot_scale_l. ring.
Qed.
End Weighted.

Lemma regroup {E : Space} (s u v : E) a : s ⊖ a ⊙ u = (s ⊖ a ⊙ v) ⊕ (- a) ⊙ (u ⊖ v).
Proof.
  rewrite scale_add, !scale_scale. replace (-1 * a) with (- a) by ring. replace (- a * -1) with a by ring.
  rewrite <- add_assoc. f_equal. rewrite (add_comm ((- a) ⊙ u)), add_assoc, <- scale_sum.
  replace (- a + a) with 0 by ring. now rewrite scale_zero, add_comm, add_zero.
Qed.

(** ** The random run *)
Record RandomRounds (P : Law) (E : Space) := {
  crowd : nat;
  steps : nat;
  local_step : R;
  server_step : R;
  smoothness : R;
  loss : nat -> E -> R;
  gradient : nat -> E -> E;
  (** batch n i k w: the loss of the batch that client i draws for local step k of the work that round n uses. *)
  batch : nat -> nat -> nat -> nat -> E -> R;
  batch_gradient : nat -> nat -> nat -> nat -> E -> E;
  (** weight n i w is drawn; its mean is q n i. *)
  weight : nat -> nat -> nat -> R;
  q : nat -> nat -> R;
  alpha : R;
  beta : R;
  server : nat -> nat -> E;
  pulled : nat -> nat -> nat;
  local : nat -> nat -> nat -> nat -> E;
  some_steps : (0 < steps)%nat;
  step_sizes_pos : 0 < local_step /\ 0 < server_step;
  smoothness_pos : 0 <= smoothness;
  q_pos : forall n i, 0 <= q n i;
  alpha_small : 0 <= alpha <= 1;
  beta_pos : 0 <= beta;
  losses_smooth : forall i, (i < crowd)%nat -> smooth smoothness (loss i) (gradient i);
  batches_smooth : forall n i k w, smooth smoothness (batch n i k w) (batch_gradient n i k w);
  batches_convex : forall n i k w, convex 0 (batch n i k w) (batch_gradient n i k w);
  pull : forall n i, (i < crowd)%nat -> (pulled n i <= n)%nat /\ local n i 0 = server (pulled n i);
  work : forall n i k w, (i < crowd)%nat -> (k < steps)%nat ->
    local n i (S k) w = local n i k w ⊖ local_step ⊙ batch_gradient n i k w (local n i k w);
  serve : forall n w, server (S n) w = server n w ⊖ (server_step * local_step * INR steps)
    ⊙ vsum crowd (fun i => weight n i w ⊙ mean steps (fun k => batch_gradient n i k w (local n i k w)))
}.

Arguments crowd {P E}. Arguments steps {P E}. Arguments local_step {P E}. Arguments server_step {P E}.
Arguments smoothness {P E}. Arguments loss {P E}. Arguments gradient {P E}. Arguments batch {P E}.
Arguments batch_gradient {P E}. Arguments weight {P E}. Arguments q {P E}. Arguments alpha {P E}. Arguments beta {P E}.
Arguments server {P E}. Arguments pulled {P E}. Arguments local {P E}. Arguments some_steps {P E}.
Arguments step_sizes_pos {P E}. Arguments smoothness_pos {P E}. Arguments q_pos {P E}. Arguments alpha_small {P E}.
Arguments beta_pos {P E}. Arguments losses_smooth {P E}. Arguments batches_smooth {P E}. Arguments batches_convex {P E}.
Arguments pull {P E}. Arguments work {P E}. Arguments serve {P E}.

Section Expected.
Context {P : Law} {X : Space} (run : RandomRounds P X).
Notation M := (crowd run).
Notation K := (steps run).
Notation te := (server_step run * local_step run).
Notation det := (determined P (E := X)).

(** What a label tells: the start, the weights of the rounds before n, and batches. *)
Definition tells_weights (label : nat -> nat) n : Prop := forall m j v w, (m < n)%nat -> (j < M)%nat ->
  (v < outcomes P)%nat -> (w < outcomes P)%nat -> label v = label w -> weight run m j v = weight run m j w.
Definition tells_batch (label : nat -> nat) m j l : Prop :=
  forall y, det label (fun w => batch_gradient run m j l w y).

(** Batches that are drawn without knowing draw (n, i, k): those of earlier rounds, of other clients in
    the same round, and the client's own earlier ones. *)
Definition before (m j l n i k : nat) : Prop := (m < n)%nat \/ m = n /\ (j <> i \/ (l < k)%nat).

Definition fair_batches : Prop := exists label : nat -> nat -> nat -> nat -> nat,
  forall n i k, (i < M)%nat -> (k < K)%nat ->
  (forall a y, within P (label n i k) a (fun w => batch run n i k w y - loss run i y) = 0) /\
  (forall a y z, within P (label n i k) a (fun w => ⟨batch_gradient run n i k w y ⊖ gradient run i y, z⟩) = 0) /\
  det (label n i k) (server run 0) /\ tells_weights (label n i k) n /\
  forall m j l, (j < M)%nat -> (l < K)%nat -> before m j l n i k -> tells_batch (label n i k) m j l.

Definition fair_weights : Prop := exists label : nat -> nat -> nat, forall n,
  (forall a i, (i < M)%nat -> within P (label n) a (fun w => weight run n i w - q run n i) = 0) /\
  (forall a i j, (i < M)%nat -> (j < M)%nat -> i <> j -> within P (label n) a (fun w =>
    weight run n i w * weight run n j w - alpha run * (q run n i * q run n j)) = 0) /\
  (forall a i, (i < M)%nat -> within P (label n) a (fun w =>
    weight run n i w ^ 2 - (alpha run * q run n i ^ 2 + beta run * q run n i)) <= 0) /\
  det (label n) (server run 0) /\ tells_weights (label n) n /\
  forall m j l, (j < M)%nat -> (l < K)%nat -> (m <= n)%nat -> tells_batch (label n) m j l.

Hypothesis batches : fair_batches.
Hypothesis weights : fair_weights.

(** Where the rounds' objectives are least, and any other fixed point. *)
Variables (best : nat -> X) (reference : X).
Definition round_objective n (y : X) : R := sum M (fun i => q run n i * loss run i y).
Hypothesis lowest : forall n y, round_objective n (best n) <= round_objective n y.

(** *** What is known *)
Definition step_gradient n i k : random P X := fun w => batch_gradient run n i k w (local run n i k w).

Section Known.
Variables (label : nat -> nat) (n : nat).
Hypothesis start : det label (server run 0).
Hypothesis drawn_weights : tells_weights label n.

Lemma knows_gradient m j l : tells_batch label m j l -> det label (local run m j l) -> det label (step_gradient m j l).
Proof.
  intros T D v w Hv Hw Ev. unfold step_gradient. rewrite (D v w Hv Hw Ev). now apply (T (local run m j l w)).
Qed.

Lemma knows_local m j : (j < M)%nat -> det label (server run (pulled run m j)) -> forall l, (l <= K)%nat ->
  (forall l', (l' < l)%nat -> tells_batch label m j l') -> det label (local run m j l).
Proof.
  intros Hj D. induction l; intros Hl T; [now rewrite (proj2 (pull run m j Hj))|].
  assert (IH : det label (local run m j l)) by (apply IHl; [lia|intros; apply T; lia]).
  intros v w Hv Hw Ev. rewrite !(work run) by lia.
  pose proof (knows_gradient m j l (T l ltac:(lia)) IH v w Hv Hw Ev) as G. unfold step_gradient in G.
  now rewrite G, (IH v w Hv Hw Ev).
Qed.

Hypothesis drawn_batches : forall m j l, (m < n)%nat -> (j < M)%nat -> (l < K)%nat -> tells_batch label m j l.

Lemma knows_server : forall m, (m <= n)%nat -> det label (server run m).
Proof.
  induction m as [m IH] using lt_wf_ind. intros Hm. destruct m as [|m]; [assumption|].
  intros v w Hv Hw Ev. rewrite !(serve run), (IH m ltac:(lia) ltac:(lia) v w Hv Hw Ev). do 3 f_equal.
  apply vsum_ext. intros j Hj. rewrite (drawn_weights m j v w) by (assumption || lia). f_equal.
  apply mean_ext. intros l Hl. destruct (pull run m j Hj) as [Hp _].
  apply (knows_gradient m j l); [apply drawn_batches; lia| |assumption..].
  apply knows_local; [assumption|apply IH; lia|lia|]. intros. apply drawn_batches; lia.
Qed.
End Known.

(** The model that is moved by k local steps of all clients, with mean and with actual weights. *)
Definition summed n i k : random P X := vsum k (fun l => step_gradient n i l).
Definition mean_model n (k : nat) : random P X := (server run n : random P X) ⊖ te ⊙ vsum M (fun i => q run n i ⊙
  summed n i k).
Definition virtual_model n (k : nat) : random P X :=
  fun w => server run n w ⊖ te ⊙ vsum M (fun i => weight run n i w ⊙ vsum k (fun l => step_gradient n i l w)).

Lemma det_plus label (A B : random P X) : det label A -> det label B -> det label (A ⊕ B).
Proof. exact (det_add P label A B). Qed.
Lemma det_times label a (A : random P X) : det label A -> det label (a ⊙ A).
Proof. exact (det_scale P label a A). Qed.

Lemma det_random_vsum label n (Y : nat -> random P X) : (forall i, (i < n)%nat -> det label (Y i)) -> det label (vsum
  n Y).
Proof.
  induction n; intros D; [exact (det_const P label zero)|]. cbn [vsum]. apply det_plus; [apply IHn; auto|auto].
Qed.

Definition knows_draw n i k (Y : random P X) : Prop := forall label,
  det label (server run 0) -> tells_weights label n ->
  (forall m j l, (j < M)%nat -> (l < K)%nat -> before m j l n i k -> tells_batch label m j l) -> det label Y.

Lemma server_known n i k : knows_draw n i k (server run n).
Proof.
  intros label S0 W B. apply (knows_server label n S0 W); [|lia]. intros. apply B; auto. now left.
Qed.

Lemma mean_model_known n i k : (k < K)%nat -> knows_draw n i k (mean_model n k).
Proof.
  intros Hk label S0 W B. pose proof (knows_server label n S0 W ltac:(intros; apply B; auto; now left)) as KS.
  apply det_plus; [apply KS; lia|]. apply det_times, det_times, det_random_vsum. intros j Hj. apply det_times.
  apply det_random_vsum. intros l Hl. destruct (pull run n j Hj) as [Hp _].
  assert (T : forall l', (l' <= l)%nat -> tells_batch label n j l').
  { intros l' Hl'. apply B; [assumption|lia|]. right. split; [reflexivity|]. destruct (Nat.eq_dec j i); [right;
    lia|now left]. }
  apply knows_gradient; [now apply T|]. apply knows_local; [assumption|now apply KS|lia|]. intros. apply T. lia.
Qed.

Lemma round_known n : forall label, det label (server run 0) -> tells_weights label n ->
  (forall m j l, (j < M)%nat -> (l < K)%nat -> (m <= n)%nat -> tells_batch label m j l) ->
  det label (server run n) /\ forall j l, (j < M)%nat -> (l < K)%nat -> det label (step_gradient n j l).
Proof.
  intros label S0 W B. pose proof (knows_server label n S0 W ltac:(intros; apply B; auto; lia)) as KS.
  split; [apply KS; lia|]. intros j l Hj Hl. destruct (pull run n j Hj) as [Hp _].
  apply knows_gradient; [apply B; auto|]. apply knows_local; [assumption|now apply KS|lia|]. intros. apply B; auto; lia.
Qed.

(** *** Batches are right in the mean at what is known *)
Definition mean_loss i (Y : random P X) : R := expect P (fun w => loss run i (Y w)).
Definition mean_batch n i k (Y : random P X) : R := expect P (fun w => batch run n i k w (Y w)).
Definition slope_at n i k (Y : random P X) : random P X := fun w => batch_gradient run n i k w (Y w).
Definition always (y : X) : random P X := fun _ => y.

Lemma always_known n i k y : knows_draw n i k (always y).
Proof. intros label _ _ _. apply det_const. Qed.

Lemma seen n i k Y : (i < M)%nat -> (k < K)%nat -> knows_draw n i k Y -> mean_batch n i k Y = mean_loss i Y.
Proof.
  intros Hi Hk KY. destruct batches as [label F]. destruct (F n i k Hi Hk) as (F1 & _ & F3 & F4 & F5).
  specialize (KY _ F3 F4 F5). apply Rminus_diag_uniq.
  assert (Z : expect P (fun w => batch run n i k w (Y w) + -1 * loss run i (Y w)) = 0).
  - apply (by_label_zero P (label n i k)). intros v Hv. rewrite <- (F1 (label n i k v) (Y v)). apply within_ext.
    intros w Hw Ew. rewrite (KY w v Hw Hv Ew). ring.
  - rewrite expect_add, expect_scale in Z. unfold mean_batch, mean_loss. lra.
Qed.

(** A batch's gradient at a known point is the client's in the mean. *)
Lemma fair_gradient n i k Z Y : (i < M)%nat -> (k < K)%nat -> knows_draw n i k Z -> knows_draw n i k Y ->
  ⟨slope_at n i k Z, Y⟩ = ⟨(fun w => gradient run i (Z w)) : random P X, Y⟩.
Proof.
  intros Hi Hk KZ KY. destruct batches as [label F]. destruct (F n i k Hi Hk) as (_ & F2 & F3 & F4 & F5).
  specialize (KZ _ F3 F4 F5). specialize (KY _ F3 F4 F5). apply Rminus_diag_uniq. simpl.
  assert (Q : expect P (fun w => ⟨slope_at n i k Z w, Y w⟩ + -1 * ⟨gradient run i (Z w), Y w⟩) = 0).
  - apply (by_label_zero P (label n i k)). intros v Hv. rewrite <- (F2 (label n i k v) (Z v) (Y v)). apply within_ext.
    intros w Hw Ew. unfold slope_at. rewrite (KY w v Hw Hv Ew), (KZ w v Hw Hv Ew), dot_add_l, dot_scale_l. ring.
  - rewrite expect_add, expect_scale in Q. lra.
Qed.

Lemma local_known n i k : (i < M)%nat -> (k < K)%nat -> knows_draw n i k (local run n i k).
Proof.
  intros Hi Hk label S0 W B. destruct (pull run n i Hi) as [Hp _].
  apply knows_local; [assumption| |lia|].
  - apply (knows_server label n S0 W); [|assumption]. intros. apply B; auto. now left.
  - intros l Hl. apply B; [assumption|lia|]. right. auto.
Qed.

(** The noise of a batch at a fixed point. *)
Definition noise_at n i k y : random P X := slope_at n i k (always y) ⊖ always (gradient run i y).

Lemma noise_orthogonal n i k y Y : (i < M)%nat -> (k < K)%nat -> knows_draw n i k Y -> ⟨noise_at n i k y, Y⟩ = 0.
Proof.
  intros Hi Hk KY. destruct batches as [label F]. destruct (F n i k Hi Hk) as (_ & F2 & F3 & F4 & F5).
  specialize (KY _ F3 F4 F5). apply (by_label_zero P (label n i k)). intros v Hv.
  rewrite <- (F2 (label n i k v) y (Y v)). apply within_ext. intros w Hw Ew. now rewrite (KY w v Hw Hv Ew).
Qed.

Lemma noise_known m j l n i k y : (j < M)%nat -> (l < K)%nat -> before m j l n i k -> knows_draw n i k (noise_at m j
  l y).
Proof.
  intros Hj Hl Hb label _ _ B. apply det_plus; [apply (B m j l Hj Hl Hb y)|]. apply det_times, det_const.
Qed.

Lemma noises_orthogonal n i k j l y : (i < M)%nat -> (k < K)%nat -> (j < M)%nat -> (l < K)%nat -> i <> j \/ k <> l ->
  ⟨noise_at n i k y, noise_at n j l y⟩ = 0.
Proof.
  intros Hi Hk Hj Hl N. destruct (Nat.eq_dec i j) as [->|Nij].
  - destruct (Nat.lt_total k l) as [Lt|[Eq|Gt]]; [|lia|].
    + rewrite dot_sym. apply noise_orthogonal; auto. apply noise_known; auto. right. auto.
    + apply noise_orthogonal; auto. apply noise_known; auto. right. auto.
  - apply noise_orthogonal; auto. apply noise_known; auto. right. auto.
Qed.

(** At a lowest point of a weighted sum of the losses the gradients, with the same weights, add up to zero. *)
Section Lowest.
Variables (c : nat -> R) (z : X).
Hypothesis c_pos : forall i, 0 <= c i.

Lemma weighted_descent y d : sum M (fun i => c i * loss run i (y ⊕ d)) <= sum M (fun i => c i * loss run i y)
  + ⟨vsum M (fun i => c i ⊙ gradient run i y), d⟩ + sum M c * smoothness run / 2 * ‖d‖².
Proof.
  rewrite dot_vsum_l. replace (sum M c * smoothness run / 2 * ‖d‖²) with (sum M (fun i => smoothness run / 2 * ‖d‖² *
    c i))
    by (rewrite sum_scale; change (sum M (fun i => c i)) with (sum M c); field).
  rewrite <- !sum_add. apply sum_le. intros i Hi. rewrite dot_scale_l.
  pose proof (descent _ _ _ (smoothness_pos run) (losses_smooth run i Hi) y d) as D.
  apply (Rmult_le_compat_l (c i)) in D; [|apply c_pos]. lra.
Qed.

Hypothesis lowest_there : forall y, sum M (fun i => c i * loss run i z) <= sum M (fun i => c i * loss run i y).

Lemma stationary y : ⟨vsum M (fun i => c i ⊙ gradient run i z), y⟩ = 0.
Proof.
  set (G := vsum M (fun i => c i ⊙ gradient run i z)). set (s := sum M c * smoothness run).
  assert (Ps : 0 <= s) by (apply Rmult_le_pos; [apply sum_pos; intros; apply c_pos|apply smoothness_pos]).
  set (e := / (s + 1)). assert (Pe : 0 < e) by (apply Rinv_0_lt_compat; lra).
  assert (Ec : s * e <= 1) by (unfold e; apply (Rmult_le_reg_r (s + 1)); [lra|]; field_simplify; lra).
  pose proof (weighted_descent z ((- e) ⊙ G)) as D. fold G s in D. rewrite dot_scale_r, square_scale in D.
  pose proof (lowest_there (z ⊕ (- e) ⊙ G)) as Low. pose proof (dot_pos G) as PG.
  assert (Q : s * e * (e * ‖G‖²) <= 1 * (e * ‖G‖²)) by (apply Rmult_le_compat_r; [apply Rmult_le_pos; lra|assumption]).
  assert (Z : e * ‖G‖² <= 0) by lra.
  assert (Z2 : ‖G‖² = 0).
  { apply Rle_antisym; [|assumption]. apply (Rmult_le_reg_l e); [assumption|]. lra. }
  pose proof (cauchy_schwarz G y) as C. rewrite Z2 in C. pose proof (Rle_0_sqr ⟨G, y⟩) as S. unfold Rsqr in S.
  apply Rsqr_0_uniq. unfold Rsqr. lra.
Qed.

Lemma stationary_always : same (vsum M (fun i => c i ⊙ always (gradient run i z))) zero.
Proof.
  intros Y. rewrite dot_zero_l, dot_vsum_l.
  rewrite (sum_ext M _ (fun i => c i * expect P (fun w => ⟨gradient run i z, Y w⟩)))
    by (intros i _; exact (dot_scale_l (c i) (always (gradient run i z)) Y)).
  rewrite expect_sum. transitivity (expect P (fun _ => 0)); [|apply expect_const]. apply expect_ext. intros w.
  rewrite <- (stationary (Y w)). rewrite dot_vsum_l. apply sum_ext. intros. now rewrite dot_scale_l.
Qed.
End Lowest.

Definition round_gradient n y : X := vsum M (fun i => q run n i ⊙ gradient run i y).

Lemma round_descent n y d : round_objective n (y ⊕ d) <= round_objective n y + ⟨round_gradient n y, d⟩
  + sum M (q run n) * smoothness run / 2 * ‖d‖².
Proof. apply weighted_descent, q_pos. Qed.

Lemma stationary_round n : same (vsum M (fun i => q run n i ⊙ always (gradient run i (best n)))) zero.
Proof. apply stationary_always; [apply q_pos|apply lowest]. Qed.

Lemma met n k Y : (k < K)%nat -> (forall i, (i < M)%nat -> knows_draw n i k Y) ->
  sum M (fun i => q run n i * ⟨slope_at n i k (always (best n)), Y⟩) = 0.
Proof.
  intros Hk KY. pose proof (stationary_round n Y) as Z. rewrite dot_zero_l, dot_vsum_l in Z. rewrite <- Z.
  apply sum_ext. intros i Hi. rewrite dot_scale_l. f_equal.
  pose proof (noise_orthogonal n i k (best n) Y Hi Hk (KY i Hi)) as N. unfold noise_at in N.
  rewrite dot_add_l, dot_scale_l in N. lra.
Qed.

Lemma noise_le n i k : (i < M)%nat -> (k < K)%nat ->
  ‖noise_at n i k (best n)‖² <= ‖slope_at n i k (always (best n))‖².
Proof.
  intros Hi Hk. pose proof (noise_orthogonal n i k (best n) (always (gradient run i (best n))) Hi Hk
    (always_known n i k _)) as Z.
  rewrite (same_norm (slope_at n i k (always (best n))) (noise_at n i k (best n) ⊕ always (gradient run i (best n)))).
  - rewrite norm_add, Z. pose proof (dot_pos (always (gradient run i (best n)))). lra.
  - intros y. unfold noise_at. rewrite !dot_add_l, dot_scale_l. ring.
Qed.

Lemma own_noise_step n k : (k < K)%nat ->
  ‖vsum M (fun i => q run n i ⊙ slope_at n i k (always (best n)))‖²
  <= sum M (fun i => q run n i ^ 2 * ‖slope_at n i k (always (best n))‖²).
Proof.
  intros Hk. rewrite (own_squares P M (q run n) _ (fun i => always (gradient run i (best n))) (stationary_round n)).
  - apply sum_le. intros i Hi. apply Rmult_le_compat_l; [apply pow2_ge_0|]. now apply noise_le.
  - intros i j Hi Hj N. apply (noises_orthogonal n i k j k (best n)); auto.
Qed.

Lemma own_noise n :
  ‖vsum M (fun i => q run n i ⊙ mean K (fun k => slope_at n i k (always (best n))))‖²
  <= avg K (fun k => sum M (fun i => q run n i ^ 2 * ‖slope_at n i k (always (best n))‖²)) / INR K.
Proof.
  pose proof (lt_0_INR K (some_steps run)) as PK.
  assert (E : forall i, same (mean K (fun k => slope_at n i k (always (best n))) ⊖ always (gradient run i (best n)))
    (mean K (fun k => noise_at n i k (best n)))).
  { intros i y. rewrite dot_add_l, dot_scale_l, !dot_mean_l.
    rewrite <- (avg_const K (-1 * ⟨always (gradient run i (best n)), y⟩) (some_steps run)), <- avg_add.
    apply avg_ext. intros k _. unfold noise_at. rewrite dot_add_l, dot_scale_l. reflexivity. }
  rewrite (own_squares P M (q run n) _ (fun i => always (gradient run i (best n))) (stationary_round n)).
  - apply Rle_trans with (sum M (fun i => q run n i ^ 2 * (avg K (fun k => ‖slope_at n i k (always (best n))‖²) / INR
    K))).
    + apply sum_le. intros i Hi. apply Rmult_le_compat_l; [apply pow2_ge_0|].
      rewrite (same_norm _ _ (E i)). unfold mean. rewrite square_scale, norm_vsum_orthogonal.
      * assert (Q : sum K (fun k => ‖noise_at n i k (best n)‖²) <= sum K (fun k => ‖slope_at n i k (always (best n))‖²))
          by (apply sum_le; intros; now apply noise_le).
        apply (Rmult_le_compat_l ((/ INR K) ^ 2)) in Q; [|apply pow2_ge_0]. eapply Rle_trans; [exact Q|].
        right. unfold avg. field. lra.
      * intros k l Hk Hl N. apply noises_orthogonal; auto.
    + right. unfold avg. rewrite sum_swap. unfold Rdiv. rewrite (Rmult_comm (/ INR K) (sum M _)), Rmult_assoc,
      Rmult_comm, <- sum_scale.
      apply sum_ext. intros i _. rewrite sum_scale. ring.
  - intros i j Hi Hj N. rewrite (E i). rewrite dot_sym, (E j). rewrite dot_mean_l. unfold avg. rewrite sum_zero;
    [ring|].
    intros l Hl. rewrite dot_mean_r. unfold avg. rewrite sum_zero; [ring|]. intros k Hk. apply noises_orthogonal; auto.
Qed.

(** *** The run as rounds in the space of random models *)
Definition aggregate n : random P X := with_weights P M (weight run n) (fun i => mean K (step_gradient n i)).
Definition mean_report n i : random P X := mean K (fun k => slope_at n i k (local run n i k)).

Lemma reports_known n label : det label (server run 0) -> tells_weights label n ->
  (forall m j l, (j < M)%nat -> (l < K)%nat -> (m <= n)%nat -> tells_batch label m j l) ->
  forall i, (i < M)%nat -> det label (mean_report n i).
Proof.
  intros S0 W B i Hi. destruct (round_known n label S0 W B) as [_ G]. apply det_times, det_random_vsum.
  intros k Hk. now apply G.
Qed.

Lemma mean_of_weights n y : y = (server run n : random P X) \/ y = always reference -> ⟨aggregate n, y⟩
  = ⟨vsum M (fun i => q run n i ⊙ mean_report n i), y⟩.
Proof.
  intros Hy. destruct weights as [label F]. destruct (F n) as (F1 & _ & _ & F4 & F5 & F6).
  apply (with_weights_mean P M (weight run n) (q run n) (label n) F1 (mean_report n) (reports_known n _ F4 F5 F6)).
  destruct Hy as [-> | ->]; [now apply (round_known n (label n) F4 F5 F6)|apply det_const].
Qed.

Lemma square_of_weights n : ‖aggregate n‖² <= alpha run * ‖vsum M (fun i => q run n i ⊙ mean_report n i)‖²
  + beta run * sum M (fun i => q run n i * ‖mean_report n i‖²).
Proof.
  destruct weights as [label F]. destruct (F n) as (F1 & F2 & F3 & F4 & F5 & F6).
  apply (with_weights_square P M (weight run n) (q run n) (alpha run) (beta run) (label n) F2 F3 (mean_report n)
    (reports_known n _ F4 F5 F6)).
Qed.

Lemma lowest_on_average n (Y : random P X) : sum M (fun i => q run n i * mean_loss i (always (best n)))
  <= sum M (fun i => q run n i * mean_loss i Y).
Proof.
  unfold mean_loss. rewrite !expect_sum. apply expect_le. intros w. apply lowest.
Qed.

Definition as_rounds : Rounds (random P X).
Proof.
  refine {| Fraboni.crowd := M; Fraboni.steps := K; Fraboni.local_step := local_step run;
    Fraboni.server_step := server_step run; Fraboni.smoothness := smoothness run; Fraboni.q := q run;
    Fraboni.alpha := alpha run; Fraboni.beta := beta run; Fraboni.objective := mean_loss;
    Fraboni.sample := mean_batch; Fraboni.slope := slope_at; Fraboni.server := server run;
    Fraboni.pulled := pulled run; Fraboni.local := local run; Fraboni.aggregate := aggregate;
    Fraboni.best := fun n => always (best n); Fraboni.reference := always reference |}.
  - apply some_steps.
  - destruct (step_sizes_pos run). split; lra.
  - apply smoothness_pos.
  - apply q_pos.
  - apply alpha_small.
  - apply beta_pos.
  - intros n i k _ _. apply (smooth_random P). intros w. apply batches_smooth.
  - intros n i k _ _. apply (convex_random P). intros w. apply batches_convex.
  - apply pull.
  - intros n i k Hi Hk. apply functional_extensionality. intros w. now apply (work run).
  - intros n. apply functional_extensionality. intros w. rewrite (serve run). unfold aggregate, with_weights. simpl.
    do 3 f_equal. apply vsum_ext. intros i _. f_equal. symmetry. apply (mean_at P K (step_gradient n i) w).
  - apply mean_of_weights.
  - apply square_of_weights.
  - intros n i k Hi Hk. apply seen; auto. apply always_known.
  - intros n i k Hi Hk. apply seen; auto. apply always_known.
  - apply lowest_on_average.
Defined.

Lemma knows_apart n i k Y y : knows_draw n i k Y -> knows_draw n i k (Y ⊖ always y).
Proof. intros KY label S0 W B. apply det_plus; [now apply KY|]. apply det_times, det_const. Qed.

(** *** Quantities of the theorem *)
Variables (N : nat) (rho : R) (tau : nat).
Hypothesis some_rounds : (0 < N)%nat.
Definition round_weight n : R := sum M (q run n).
Hypothesis weight_small : forall n, (n < N)%nat -> round_weight n <= rho.
Hypothesis aged : forall n i, (i < M)%nat -> (n <= pulled run n i + tau)%nat.

(** Mean over the rounds of E L_n(theta_n) - L_n(best_n), and the same at the virtual models. *)
Definition mean_server_gap : R :=
  avg N (fun n => expect P (fun w => round_objective n (server run n w)) - round_objective n (best n)).
Definition mean_round_gap : R := avg N (fun n => avg K (fun k =>
  expect P (fun w => round_objective n (virtual_model n k w)) - round_objective n (best n))).
Definition objective_spread : R := avg N (fun n => round_objective n reference - round_objective n (best n)).
Definition initial_distance_squared : R := expect P (fun w => ‖server run 0%nat w ⊖ reference‖²).
Definition client_noise n i : R := avg K (fun k => expect P (fun w => ‖batch_gradient run n i k w (best n)‖²)).
(** Sigma_1 and Sigma_2. *)
Definition round_optimum_noise : R :=
  avg N (fun n => sum M (fun i => q run n i / round_weight n * client_noise n i)).
Definition round_optimum_noise_squared : R :=
  avg N (fun n => sum M (fun i => (q run n i / round_weight n) ^ 2 * client_noise n i)).

Lemma noise_is_Sigma1 : Sigma1 as_rounds N = round_optimum_noise.
Proof.
  apply avg_ext. intros n _.
  transitivity (avg K (fun k => mix as_rounds n (fun i => ‖slope_at n i k (always (best n))‖²)) / round_weight n);
    [reflexivity|].
  rewrite <- (mix_avg as_rounds n K (fun i k => ‖slope_at n i k (always (best n))‖²)).
  transitivity (sum M (fun i => q run n i * client_noise n i) / round_weight n); [reflexivity|].
  unfold Rdiv. rewrite Rmult_comm, <- sum_scale. apply sum_ext. intros i _. ring.
Qed.

Lemma noise_is_Sigma2 : Sigma2 as_rounds N = round_optimum_noise_squared.
Proof.
  apply avg_ext. intros n _. transitivity (/ INR K * sum K (fun k => sum M (fun i =>
    q run n i ^ 2 * ‖slope_at n i k (always (best n))‖²)) / round_weight n ^ 2); [reflexivity|].
  rewrite sum_swap. unfold Rdiv. rewrite Rmult_assoc, (Rmult_comm (sum M _)), <- Rmult_assoc, <- sum_scale.
  apply sum_ext. intros i _. rewrite (sum_scale K (q run n i ^ 2) (fun k => ‖slope_at n i k (always (best n))‖²)).
  change (client_noise n i) with (/ INR K * sum K (fun k => ‖slope_at n i k (always (best n))‖²)).
  rewrite Rpow_mult_distr, pow_inv. ring.
Qed.

Lemma round_loss_is n (Y : random P X) : round_loss as_rounds n Y = expect P (fun w => round_objective n (Y w)).
Proof. unfold round_loss, mix. apply (expect_sum P M (q run n) (fun i w => loss run i (Y w))). Qed.

Lemma round_loss_always n y : round_loss as_rounds n (always y) = round_objective n y.
Proof. rewrite round_loss_is. unfold always. apply expect_const. Qed.

Lemma spread_is : spread as_rounds N = objective_spread.
Proof.
  apply avg_ext. intros n _. unfold excess. f_equal; [|f_equal]; apply round_loss_always.
Qed.

Theorem theorem1_at_server :
  fraboni_thm1_best_server_condition_c1 (local_step_size := local_step run) (local_steps := INR K)
    (smoothness := smoothness run) ->
  fraboni_thm1_best_server_condition_c2 (covariance_factor := alpha run) (largest_round_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (server_step_size := server_step run)
    (smoothness := smoothness run) (variance_excess := beta run) ->
  fraboni_thm1_best_server_condition_c3 (covariance_factor := alpha run) (largest_round_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run) ->
  mean_server_gap <=
  fraboni_thm1_best_server_right (covariance_factor := alpha run) (initial_distance_squared := initial_distance_squared)
    (largest_round_weight := rho) (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (num_rounds := INR N) (objective_spread := objective_spread) (round_optimum_noise := round_optimum_noise)
    (round_optimum_noise_squared := round_optimum_noise_squared) (server_step_size := server_step run)
    (smoothness := smoothness run) (variance_excess := beta run).
Proof.
  unfold fraboni_thm1_best_server_condition_c1, fraboni_thm1_best_server_condition_c2,
    fraboni_thm1_best_server_condition_c3. intros C1 C2 C3.
  assert (Seen : forall n i k, (i < M)%nat -> (k < K)%nat -> mean_batch n i k (server run n) = mean_loss i (server
    run n))
    by (intros; apply seen; auto; apply server_known).
  assert (Met : forall n k, (k < K)%nat -> mix as_rounds n (fun i => ⟨slope_at n i k (always (best n)),
    (server run n : random P X) ⊖ always (best n)⟩) = 0).
  { intros n k Hk. apply met; [assumption|]. intros i Hi. apply knows_apart, server_known. }
  pose proof (at_server as_rounds tau aged N rho some_rounds weight_small (step_sizes_pos run) Seen Met own_noise) as B.
  rewrite noise_is_Sigma1, noise_is_Sigma2, spread_is in B.
  change (Fraboni.local_step as_rounds) with (local_step run) in B. change (Fraboni.steps as_rounds) with K in B.
  change (Fraboni.smoothness as_rounds) with (smoothness run) in B. change (Fraboni.alpha as_rounds) with (alpha run)
    in B.
  change (Fraboni.beta as_rounds) with (beta run) in B. change (Fraboni.server_step as_rounds) with (server_step run)
    in B.
  specialize (B ltac:(lra) ltac:(lra) ltac:(lra)).
  replace mean_server_gap with (avg N (fun n => round_loss as_rounds n (Fraboni.server as_rounds n)
    - round_loss as_rounds n (Fraboni.best as_rounds n))).
  2: { apply avg_ext. intros n _. f_equal; [apply round_loss_is|]. f_equal. apply round_loss_always. }
  eapply Rle_trans; [exact B|]. right. change (‖Fraboni.server as_rounds 0 ⊖ Fraboni.reference as_rounds‖²) with
    initial_distance_squared.
  unfold fraboni_thm1_best_server_right. pose proof (lt_0_INR K (some_steps run)). pose proof (lt_0_INR N some_rounds).
  destruct (step_sizes_pos run). field. lra.
Qed.

(** *** At the virtual models *)
Lemma virtual_apart n k : (k < K)%nat -> round_loss as_rounds n (virtual_model n k)
  <= round_loss as_rounds n (tht as_rounds n k) + total as_rounds n * smoothness run / 2
    * (te ^ 2 * (beta run * mix as_rounds n (fun i => ‖moved as_rounds n i k‖²))).
Proof.
  intros Hk. set (g := fun i => moved as_rounds n i k).
  destruct weights as [label F]. destruct (F n) as (F1 & F2 & F3 & F4 & F5 & F6).
  destruct (round_known n (label n) F4 F5 F6) as [Ks Kg].
  assert (Kn : forall i, (i < M)%nat -> det (label n) (g i)).
  { intros i Hi. apply det_random_vsum. intros l Hl. apply Kg; [assumption|lia]. }
  pose proof (with_weights_apart P M (weight run n) (q run n) (alpha run) (beta run) (label n) F1 F2 F3 g Kn
    (proj2 (alpha_small run))) as Sq.
  set (U := with_weights P M (weight run n) g) in *. set (V := with_means P M (q run n) g) in *.
  set (z := tht as_rounds n k). set (d := (- te) ⊙ (U ⊖ V)).
  assert (Kz : det (label n) z).
  { apply det_plus; [exact Ks|]. apply det_times, det_times, det_random_vsum. intros i Hi. now apply det_times, Kn. }
  assert (Em : virtual_model n k = z ⊕ d).
  { apply functional_extensionality. intros w.
    transitivity (server run n w ⊖ te ⊙ U w).
    - unfold virtual_model, U, with_weights. do 3 f_equal. apply vsum_ext. intros i _. f_equal. symmetry.
      apply (vsum_at P k (fun l => step_gradient n i l) w).
    - apply (regroup (server run n w) (U w) (V w) te). }
  set (G := (fun w => round_gradient n (z w)) : random P X).
  assert (Z : ⟨G, d⟩ = 0).
  { assert (KG : det (label n) G) by apply (det_through P (label n) (round_gradient n) z Kz).
    pose proof (with_weights_mean P M (weight run n) (q run n) (label n) F1 g Kn G KG) as W. fold U V in W.
    rewrite dot_sym. unfold d. rewrite dot_scale_l, dot_add_l, dot_scale_l, W. ring. }
  rewrite Em, !round_loss_is.
  apply Rle_trans with (expect P (fun w => round_objective n (z w)) + ⟨G, d⟩
    + total as_rounds n * smoothness run / 2 * ‖d‖²).
  - change (⟨G, d⟩) with (expect P (fun w => ⟨G w, d w⟩)). change (‖d‖²) with (expect P (fun w => ‖d w‖²)).
    rewrite <- expect_scale, <- !expect_add. apply expect_le. intros w. apply round_descent.
  - rewrite Z. unfold d. rewrite square_scale. replace ((- te) ^ 2) with (te ^ 2) by ring.
    assert (Pc : 0 <= total as_rounds n * smoothness run / 2).
    { pose proof (total_pos as_rounds n). pose proof (smoothness_pos run). pos. }
    apply (Rmult_le_compat_l (te ^ 2)) in Sq; [|apply pow2_ge_0].
    apply (Rmult_le_compat_l (total as_rounds n * smoothness run / 2)) in Sq; [|assumption].
    change (mix as_rounds n (fun i => ‖moved as_rounds n i k‖²)) with (sum M (fun i => q run n i * ‖g i‖²)). lra.
Qed.

Variable kappa : R.
Hypothesis kappa_large : 1 <= kappa /\ forall n, (n < N)%nat -> (server_step run * round_weight n - 1) ^ 2 <= kappa.

Lemma at_virtual_models :
  kappa * (local_step run ^ 2 * INR K * (INR K - 1) * smoothness run ^ 2) <= 1 / 256 ->
  (te * rho + 33 / 32 * (te * INR K * beta run)) * smoothness run <= 3 / 32 ->
  rho * (alpha run * rho + beta run) * (te * INR K) ^ 2 * smoothness run ^ 2 * INR tau ^ 2 <= 1 / 192 ->
  (beta run = 0 \/ rho * (te * INR K) * smoothness run <= 1 / 16) ->
  mean_round_gap <=
  fraboni_thm1_best_right (covariance_factor := alpha run) (initial_distance_squared := initial_distance_squared)
    (largest_round_weight := rho) (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (num_rounds := INR N) (objective_spread := objective_spread) (round_optimum_noise := round_optimum_noise)
    (round_optimum_noise_squared := round_optimum_noise_squared) (server_factor := kappa)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run).
Proof.
  intros C1 C2 C3 C4.
  assert (Seen : forall n i k, (i < M)%nat -> (k < K)%nat ->
    mean_batch n i k (tht as_rounds n k) = mean_loss i (tht as_rounds n k))
    by (intros; apply seen; auto; now apply mean_model_known).
  assert (Met : forall n k, (k < K)%nat -> mix as_rounds n (fun i => ⟨slope_at n i k (always (best n)),
    tht as_rounds n k ⊖ always (best n)⟩) = 0).
  { intros n k Hk. apply met; [assumption|]. intros i Hi. now apply knows_apart, mean_model_known. }
  pose proof (at_virtual as_rounds tau aged N rho some_rounds weight_small (step_sizes_pos run) Seen Met own_noise_step
    virtual_model virtual_apart kappa kappa_large) as B.
  rewrite noise_is_Sigma1, noise_is_Sigma2, spread_is in B.
  change (Fraboni.local_step as_rounds) with (local_step run) in B. change (Fraboni.steps as_rounds) with K in B.
  change (Fraboni.smoothness as_rounds) with (smoothness run) in B. change (Fraboni.alpha as_rounds) with (alpha run)
    in B.
  change (Fraboni.beta as_rounds) with (beta run) in B. change (Fraboni.server_step as_rounds) with (server_step run)
    in B.
  specialize (B C1 C2 C3 C4).
  replace mean_round_gap with (avg N (actual_gap as_rounds virtual_model)).
  2: { apply avg_ext. intros n _. apply avg_ext. intros k _. f_equal; [apply round_loss_is|]. f_equal.
  apply round_loss_always. }
  eapply Rle_trans; [exact B|]. right.
  change (‖Fraboni.server as_rounds 0 ⊖ Fraboni.reference as_rounds‖²) with initial_distance_squared.
  unfold fraboni_thm1_best_right. pose proof (lt_0_INR K (some_steps run)). pose proof (lt_0_INR N some_rounds).
  destruct (step_sizes_pos run). field. lra.
Qed.

Theorem theorem1_virtual :
  fraboni_thm1_best_condition_c1 (local_step_size := local_step run) (local_steps := INR K) (server_factor := kappa)
    (smoothness := smoothness run) ->
  fraboni_thm1_best_condition_c2 (largest_round_weight := rho) (local_step_size := local_step run)
    (local_steps := INR K) (server_step_size := server_step run) (smoothness := smoothness run)
    (variance_excess := beta run) ->
  fraboni_thm1_best_condition_c3 (covariance_factor := alpha run) (largest_round_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run) ->
  fraboni_thm1_best_condition_round (largest_round_weight := rho) (local_step_size := local_step run)
    (local_steps := INR K) (server_step_size := server_step run) (smoothness := smoothness run) ->
  mean_round_gap <=
  fraboni_thm1_best_right (covariance_factor := alpha run) (initial_distance_squared := initial_distance_squared)
    (largest_round_weight := rho) (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (num_rounds := INR N) (objective_spread := objective_spread) (round_optimum_noise := round_optimum_noise)
    (round_optimum_noise_squared := round_optimum_noise_squared) (server_factor := kappa)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run).
Proof.
  unfold fraboni_thm1_best_condition_c1, fraboni_thm1_best_condition_c2, fraboni_thm1_best_condition_c3,
    fraboni_thm1_best_condition_round. intros C1 C2 C3 C4.
  apply at_virtual_models; [lra|lra|lra|right; lra].
Qed.

End Expected.

(** ** Participation without chance: every weight is its mean, alpha = 1 and beta = 0 *)
Section Certain.
Context {P : Law} {X : Space} (run : RandomRounds P X).

Definition certain_weights : Prop :=
  (forall n i w, weight run n i w = q run n i) /\ alpha run = 1 /\ beta run = 0.

Lemma certain_is_fair : certain_weights -> fair_weights run.
Proof.
  intros (W & A1 & B0). exists (fun _ w => w). intros n.
  assert (Z : forall a h, (forall w, h w = 0) -> within P (fun w => w) a h = 0).
  { intros a h Q. apply sum_zero. intros w _. rewrite Q. destruct (w =? a)%nat; ring. }
  repeat split.
  - intros a i _. apply Z. intros w. rewrite W. ring.
  - intros a i j _ _ _. apply Z. intros w. rewrite !W, A1. ring.
  - intros a i _. right. apply Z. intros w. rewrite W, A1, B0. ring.
  - intros v w _ _ Ev. now rewrite Ev.
  - intros m j v w _ _ _ _ Ev. now rewrite Ev.
  - intros m j l _ _ _ y v w _ _ Ev. now rewrite Ev.
Qed.

Variables (best : nat -> X) (reference : X) (N : nat) (rho : R) (tau : nat) (kappa : R).

Theorem theorem1_certain :
  fair_batches run -> certain_weights ->
  (forall n y, round_objective run n (best n) <= round_objective run n y) -> (0 < N)%nat ->
  (forall n, (n < N)%nat -> round_weight run n <= rho) ->
  (forall n i, (i < crowd run)%nat -> (n <= pulled run n i + tau)%nat) ->
  1 <= kappa /\ (forall n, (n < N)%nat -> (server_step run * round_weight run n - 1) ^ 2 <= kappa) ->
  fraboni_thm1_best_certain_condition_c1 (local_step_size := local_step run) (local_steps := INR (steps run))
    (server_factor := kappa) (smoothness := smoothness run) ->
  fraboni_thm1_best_certain_condition_c2 (largest_round_weight := rho) (local_step_size := local_step run)
    (server_step_size := server_step run) (smoothness := smoothness run) ->
  fraboni_thm1_best_certain_condition_c3 (largest_round_weight := rho) (local_step_size := local_step run)
    (local_steps := INR (steps run)) (max_staleness := INR tau) (server_step_size := server_step run)
    (smoothness := smoothness run) ->
  mean_round_gap run best N <=
  fraboni_thm1_best_certain_right (initial_distance_squared := initial_distance_squared run reference)
    (largest_round_weight := rho) (local_step_size := local_step run) (local_steps := INR (steps run))
    (max_staleness := INR tau) (num_rounds := INR N) (objective_spread := objective_spread run best reference N)
    (round_optimum_noise := round_optimum_noise run best N)
    (round_optimum_noise_squared := round_optimum_noise_squared run best N) (server_factor := kappa)
    (server_step_size := server_step run) (smoothness := smoothness run).
Proof.
  unfold fraboni_thm1_best_certain_condition_c1, fraboni_thm1_best_certain_condition_c2,
    fraboni_thm1_best_certain_condition_c3. intros Fair Sure Low HN Small Aged Ka C1 C2 C3.
  destruct (Sure) as (_ & A1 & B0).
  eapply Rle_trans; [apply (at_virtual_models run Fair (certain_is_fair Sure) best reference Low N rho tau HN Small Aged
    kappa Ka)|].
  - lra.
  - rewrite B0. lra.
  - rewrite A1, B0. lra.
  - now left.
  - right. rewrite A1, B0. unfold fraboni_thm1_best_right, fraboni_thm1_best_certain_right.
    pose proof (lt_0_INR _ (some_steps run)). pose proof (lt_0_INR N HN). destruct (step_sizes_pos run). field. lra.
Qed.
End Certain.

(** ** Lemma 1: for fixed points x_i and weights with E om_i om_j = alpha q_i q_j *)
Section Lemma1.
Context (P : Law) {X : Space} (M : nat) (weight : nat -> nat -> R) (q : nat -> R) (x : nat -> X) (alpha beta : R).

(** gamma_i = E om_i^2 - alpha q_i^2 *)
Definition excess_of i : R := expect P (fun w => weight i w ^ 2) - alpha * q i ^ 2.

Theorem lemma1 :
  (forall i j, (i < M)%nat -> (j < M)%nat -> i <> j ->
    expect P (fun w => weight i w * weight j w) = alpha * (q i * q j)) ->
  expect P (fun w => ‖vsum M (fun i => weight i w ⊙ x i)‖²) =
  fraboni_lem1_right (covariance_factor := alpha) (own_terms := sum M (fun i => excess_of i * ‖x i‖²))
    (squared_mean_aggregate := ‖vsum M (fun i => q i ⊙ x i)‖²).
Proof.
  intros Products. unfold fraboni_lem1_right. rewrite (double_sum M q x).
  rewrite (expect_ext P _ (fun w => sum M (fun i => 1 * sum M (fun j => ⟨x i, x j⟩ * (weight i w * weight j w))))).
  2: { intros w. rewrite double_sum. apply sum_ext. intros i _. rewrite Rmult_1_l. apply sum_ext. intros j _. ring. }
  rewrite <- (expect_sum P M (fun _ => 1)), <- (sum_scale M alpha), <- sum_add. apply sum_ext. intros i Hi.
  rewrite <- (expect_sum P M (fun j => ⟨x i, x j⟩) (fun j w => weight i w * weight j w)), <- (sum_scale M alpha).
  assert (D : excess_of i * ‖x i‖² = sum M (fun j => if (i =? j)%nat then excess_of i * ‖x i‖² else 0)).
  { rewrite (sum_single M _ i Hi); [now rewrite Nat.eqb_refl|]. intros j _ Nj. destruct (Nat.eqb_spec i j);
    [congruence|reflexivity]. }
  rewrite D, Rmult_1_l, <- sum_add. apply sum_ext. intros j Hj. destruct (Nat.eqb_spec i j) as [<-|Nij].
  - unfold excess_of. rewrite (expect_ext P (fun w => weight i w * weight i w) (fun w => weight i w ^ 2)) by (intros;
    ring). ring.
  - rewrite Products by assumption. ring.
Qed.
End Lemma1.
