(** * FedLaAvg: averages of latest gradients (Theorem 3)

    In iteration t + 1 the selected clients send a stochastic gradient at model x_t, the server keeps
    every client's latest one (zero for those who have not taken part yet) and moves by -gamma times
    their mean. For all numbers of clients N and of iterations T, all orders in which clients take
    part, all L-smooth losses, convex or not, all unbiased noise, stochastic gradients of second
    moment at most G^2, and no client's latest gradient more than I iterations old:

    - [theorem3]: eq. (33) as printed, for gamma < 1/(2L), from a cold start: also in the iterations
      before everybody has taken part, which the paper's proof leaves out. I may be ceil(N/K) E - 1,
      by Lemma 1 (Staleness.v): [theorem3_of_selection];
    - [theorem3_warm]: half of it and less, up to gamma = 1/(2L), if all take part in iteration 1.

    FedLaAvgChance.v states both for expectations of random runs. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Noise Staleness.
Open Scope R_scope.

Record FedLaAvg {H : Space} (p : Problem H) := {
  step : R;
  noise_bound : R;
  gradient_bound : R;
  selected : nat -> nat -> bool;
  noise : nat -> nat -> H;
  sample : nat -> nat -> H;
  stored : nat -> nat -> H;
  model : nat -> H;
  gradient_taken : forall t i, sample t i = ∇i p i (model t) ⊕ noise t i;
  nothing_stored : forall i, stored 0%nat i = zero;
  store : forall t i, stored (S t) i = if selected (S t) i then sample t i else stored t i;
  serve : forall t, model (S t) = model t ⊕ (- step) ⊙ mean (clients p) (stored (S t));
  step_pos : 0 < step;
  noise_bound_pos : 0 <= noise_bound;
  gradient_bound_pos : 0 <= gradient_bound;
  variance : forall t i, (i < clients p)%nat -> ‖noise t i‖² <= noise_bound ^ 2;
  second_moment : forall t i, (i < clients p)%nat -> ‖sample t i‖² <= gradient_bound ^ 2
}.

Arguments step {H p}. Arguments noise_bound {H p}. Arguments gradient_bound {H p}.
Arguments selected {H p}. Arguments noise {H p}. Arguments sample {H p}. Arguments stored {H p}.
Arguments model {H p}. Arguments gradient_taken {H p}. Arguments nothing_stored {H p}.
Arguments store {H p}. Arguments serve {H p}. Arguments step_pos {H p}.
Arguments noise_bound_pos {H p}. Arguments gradient_bound_pos {H p}. Arguments variance {H p}.
Arguments second_moment {H p}.

Section FedLaAvg.
Context {H : Space} {p : Problem H} (run : FedLaAvg p).
Notation x := (model run).
Notation N := (clients p).
Notation L := (smoothness p).
Notation gamma := (step run).
Notation sigma := (noise_bound run).
Notation G := (gradient_bound run).
Notation last := (last (selected run)).

(** Draw (t, i) is the noise of client i at model t; earlier draws are those at older models, and
    those of other clients at the same model. *)
Definition drawn (d : nat * nat) : Prop := (snd d < N)%nat.
Definition before (d e : nat * nat) : Prop :=
  (fst d < fst e)%nat \/ fst d = fst e /\ snd d <> snd e.
Definition noise_at (d : nat * nat) : H := noise run (fst d) (snd d).
Definition unbiased_noise : Prop := unbiased p drawn before noise_at (x 0%nat).

(** No client's latest gradient is more than I iterations old. *)
Definition stale_at_most (I : nat) : Prop := forall t i, (i < N)%nat -> (t <= last t i + I)%nat.

Hypothesis fair : unbiased_noise.

(** ** What the server stores *)
Lemma stored_is t i : stored run t i = match last t i with O => zero | S s => sample run s i end.
Proof.
  induction t; simpl; [apply nothing_stored|]. rewrite (store run).
  destruct (selected run (S t) i); [reflexivity|assumption].
Qed.

Lemma stored_square t i : (i < N)%nat -> ‖stored run t i‖² <= G ^ 2.
Proof.
  intros Hi. rewrite stored_is. destruct (last t i).
  - rewrite dot_zero_l. apply pow2_ge_0.
  - now apply second_moment.
Qed.

Definition direction t : H := mean N (stored run (S t)).

Lemma direction_small t : norm (direction t) <= G.
Proof.
  apply norm_le; [apply gradient_bound_pos|]. apply norm_mean_le; [apply some_client|].
  intros i Hi. pose proof (stored_square (S t) i Hi). lra.
Qed.

Lemma moved t d : norm (x (t + d)%nat ⊖ x t) <= INR d * (gamma * G).
Proof.
  pose proof (step_pos run). induction d.
  - rewrite Nat.add_0_r, add_opp, norm_zero. simpl. lra.
  - rewrite Nat.add_succ_r, (serve run), S_INR. fold (direction (t + d)).
    rewrite (norm_same _ ((x (t + d)%nat ⊖ x t) ⊕ (- gamma) ⊙ direction (t + d))) by vectors.
    eapply Rle_trans; [apply norm_triangle|]. rewrite norm_scale, Rabs_Ropp, Rabs_pos_eq by lra.
    pose proof (direction_small (t + d)) as D. apply (Rmult_le_compat_l gamma) in D; lra.
Qed.

Lemma moved_at_most I t u : (u <= t)%nat -> (t <= u + I)%nat ->
  norm (x t ⊖ x u) <= INR I * (gamma * G).
Proof.
  intros H1 H2. replace t with (u + (t - u))%nat by lia. eapply Rle_trans; [apply moved|].
  apply Rmult_le_compat_r; [|apply le_INR; lia].
  pose proof (step_pos run). pose proof (gradient_bound_pos run). pos.
Qed.

(** ** What is known *)
Lemma known_noise_at t i s j : (j < N)%nat -> (s < t)%nat ->
  known p drawn before noise_at (x 0%nat) (t, i) (noise run s j).
Proof.
  intros Hj Hs. apply (known_noise p drawn before noise_at (x 0%nat) (t, i) (s, j)); [assumption|].
  now left.
Qed.

Lemma known_model t i s : (s <= t)%nat -> known p drawn before noise_at (x 0%nat) (t, i) (x s).
Proof.
  intros Hs. induction s as [s IH] using lt_wf_ind. destruct s as [|s]; [apply known_start|].
  rewrite (serve run). apply computable_add; [apply IH; lia|].
  apply computable_scale, computable_mean. intros j Hj. rewrite stored_is.
  pose proof (last_le (selected run) (S s) j). destruct (last (S s) j) as [|u]; [apply computable_zero|].
  rewrite (gradient_taken run). apply computable_add; [|apply known_noise_at; [assumption|lia]].
  apply computable_gradient; [assumption|apply IH; lia].
Qed.

Lemma noise_meets_model t i s : (i < N)%nat -> (s <= t)%nat -> ⟨noise run t i, ∇ p (x s)⟩ = 0.
Proof.
  intros Hi Hs. apply (fair (t, i)); [assumption|]. now apply computable_global, known_model.
Qed.

Lemma noise_meets_noise t i s j : (i < N)%nat -> (j < N)%nat -> i <> j ->
  ⟨noise run t i, noise run s j⟩ = 0.
Proof.
  intros Hi Hj Nij. apply (noise_orthogonal p drawn before noise_at (x 0%nat) (t, i) (s, j)); auto.
  unfold before. simpl. destruct (Nat.lt_trichotomy t s) as [?|[->|?]]; [left|left|right]; auto.
Qed.

(** The gradient itself is no larger than its noisy sample. *)
Lemma gradient_square t : ‖∇ p (x t)‖² <= G ^ 2.
Proof.
  apply norm_mean_le; [apply some_client|]. intros i Hi. pose proof (second_moment run t i Hi) as Q.
  rewrite (gradient_taken run), norm_add in Q.
  assert (Z : ⟨∇i p i (x t), noise run t i⟩ = 0).
  { rewrite dot_sym. apply (fair (t, i)); [assumption|].
    apply computable_gradient; [assumption|]. now apply known_model. }
  rewrite Z in Q. pose proof (dot_pos (noise run t i)). lra.
Qed.

(** ** One iteration in which everybody has taken part *)
Section Warm.
Variables (I t : nat).
Hypothesis all_heard : forall i, (i < N)%nat -> (0 < last (S t) i)%nat.
Hypothesis fresh : forall i, (i < N)%nat -> (S t <= last (S t) i + I)%nat.

Definition taken i : nat := pred (last (S t) i).
Definition exact : H := mean N (fun i => ∇i p i (x (taken i))).
Definition hum : H := mean N (fun i => noise run (taken i) i).

Lemma taken_between i : (i < N)%nat -> (taken i <= t)%nat /\ (t <= taken i + I)%nat.
Proof.
  intros Hi. specialize (all_heard i Hi). specialize (fresh i Hi). unfold taken.
  pose proof (last_le (selected run) (S t) i). lia.
Qed.

Lemma direction_is : same (direction t) (exact ⊕ hum).
Proof.
  unfold direction, exact, hum. vectors. rewrite <- avg_add. apply avg_ext. intros i Hi.
  rewrite stored_is. specialize (all_heard i Hi). unfold taken.
  destruct (last (S t) i) as [|s]; [lia|]. simpl. rewrite (gradient_taken run). expand_dots. ring.
Qed.

Lemma hum_square : ‖hum‖² <= sigma ^ 2 / INR N.
Proof.
  apply norm_mean_orthogonal; [apply some_client| |].
  - intros i j Hi Hj Nij. now apply noise_meets_noise.
  - intros i Hi. now apply variance.
Qed.

Lemma bias : ‖∇ p (x t) ⊖ exact‖² <= (gamma * INR I * L * G) ^ 2.
Proof.
  pose proof (smoothness_pos p) as PL. pose proof (step_pos run). pose proof (gradient_bound_pos run).
  pose proof (pos_INR I).
  rewrite (same_norm _ (mean N (fun i => ∇i p i (x t) ⊖ ∇i p i (x (taken i))))).
  - apply norm_mean_le; [apply some_client|]. intros i Hi.
    eapply Rle_trans; [now apply client_lipschitz|].
    replace ((gamma * INR I * L * G) ^ 2) with (L ^ 2 * (INR I * (gamma * G) * (INR I * (gamma * G)))) by ring.
    apply Rmult_le_compat_l; [apply pow2_ge_0|]. apply norm_le_square.
    destruct (taken_between i Hi). now apply moved_at_most.
  - unfold exact, global_gradient, average_gradient. vectors.
    rewrite <- avg_scale, <- avg_add. apply avg_ext. intros. now rewrite dot_add_l, dot_scale_l.
Qed.

(** The noise in use is at most I iterations old, so the model of I iterations ago does not know it. *)
Lemma noise_in_use :
  - ⟨∇ p (x t), hum⟩ <= gamma * INR I * L * (G ^ 2 + sigma ^ 2) / (2 * sqrt (INR N)).
Proof.
  pose proof (clients_pos p) as PN. pose proof (sqrt_lt_R0 _ PN) as PS.
  pose proof (step_pos run) as Pg. pose proof (gradient_bound_pos run) as PG.
  pose proof (noise_bound_pos run) as Ps. pose proof (smoothness_pos p) as HL.
  pose proof (pos_INR I) as PI. set (u := (t - I)%nat).
  assert (Z : ⟨∇ p (x u), hum⟩ = 0).
  { unfold hum. rewrite dot_mean_r. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
    rewrite dot_sym. apply noise_meets_model; [assumption|]. destruct (taken_between i Hi). unfold u. lia. }
  pose proof (dot_le_norms (∇ p (x u) ⊖ ∇ p (x t)) hum) as C. rewrite dot_add_l, dot_scale_l, Z in C.
  assert (N1 : norm (∇ p (x u) ⊖ ∇ p (x t)) <= L * (INR I * (gamma * G))).
  { rewrite (norm_same _ ((-1) ⊙ (∇ p (x t) ⊖ ∇ p (x u)))) by vectors.
    rewrite norm_scale, (Rabs_left (-1)) by lra. replace (- -1) with 1 by ring. rewrite Rmult_1_l.
    eapply Rle_trans; [apply (lipschitz_norm L (∇ p)); [assumption|apply global_smooth]|].
    apply Rmult_le_compat_l; [assumption|]. apply moved_at_most; unfold u; lia. }
  assert (N2 : norm hum <= sigma / sqrt (INR N)).
  { apply norm_le; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    replace (sigma / sqrt (INR N) * (sigma / sqrt (INR N)))
      with (sigma ^ 2 / (sqrt (INR N) * sqrt (INR N))) by (field; lra).
    rewrite sqrt_sqrt by lra. apply hum_square. }
  assert (N3 : norm (∇ p (x u) ⊖ ∇ p (x t)) * norm hum <= L * (INR I * (gamma * G)) * (sigma / sqrt (INR N)))
    by (apply Rmult_le_compat; auto using norm_pos).
  apply Rle_trans with (gamma * INR I * L * / sqrt (INR N) * (G * sigma)).
  { eapply Rle_trans; [|eapply Rle_trans; [exact N3|]]; [lra|right; field; lra]. }
  replace (gamma * INR I * L * (G ^ 2 + sigma ^ 2) / (2 * sqrt (INR N)))
    with (gamma * INR I * L * / sqrt (INR N) * ((G ^ 2 + sigma ^ 2) / 2)) by (field; lra).
  apply Rmult_le_compat_l; [|pose proof (pow2_ge_0 (G - sigma)); lra].
  apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat].
Qed.

Lemma warm_iteration : gamma * L <= 1 / 2 ->
  gamma / 2 * ‖∇ p (x t)‖² <= global p (x t) - global p (x (S t)) +
  gamma / 2 * ((gamma * INR I * L * G) ^ 2 + gamma * INR I * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N)
               + 2 * gamma * sigma ^ 2 * L / INR N).
Proof.
  intros Small. pose proof (clients_pos p) as PN. pose proof (sqrt_lt_R0 _ PN) as PS.
  pose proof (step_pos run) as Pg. pose proof (smoothness_pos p) as HL.
  pose proof (global_descent p (x t) ((- gamma) ⊙ direction t)) as D.
  unfold direction in D at 1. rewrite <- (serve run), dot_scale_r, square_scale in D.
  rewrite (dot_sym (∇ p (x t))), (direction_is (∇ p (x t))), dot_add_l, (same_norm _ _ direction_is) in D.
  pose proof (norm_add2 exact hum) as Y. pose proof hum_square as Q. pose proof noise_in_use as C.
  pose proof bias as B. rewrite norm_sub in B. rewrite (dot_sym (∇ p (x t)) hum) in C.
  rewrite (dot_sym (∇ p (x t)) exact) in B. pose proof (dot_pos exact) as Pe.
  set (ee := ‖exact‖²) in *. set (hh := ‖hum‖²) in *.
  set (w := gamma * INR I * L * (G ^ 2 + sigma ^ 2) / (2 * sqrt (INR N))) in *.
  replace (gamma * INR I * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N)) with (2 * w) by (unfold w; field; lra).
  apply (Rmult_le_compat_l (gamma / 2)) in B; [|lra].
  apply (Rmult_le_compat_l gamma) in C; [|lra].
  assert (P2 : 0 <= L * gamma ^ 2) by pos.
  apply (Rmult_le_compat_l (L * gamma ^ 2)) in Q; [|assumption].
  apply (Rmult_le_compat_l (L / 2 * gamma ^ 2)) in Y; [|lra].
  assert (0 <= (1 / 2 - gamma * L) * (gamma * ee)) by pos.
  replace (gamma / 2 * ((gamma * INR I * L * G) ^ 2 + 2 * w + 2 * gamma * sigma ^ 2 * L / INR N))
    with (gamma / 2 * (gamma * INR I * L * G) ^ 2 + gamma * w + L * gamma ^ 2 * (sigma ^ 2 / INR N))
    by (field; lra).
  lra.
Qed.
End Warm.

(** ** All iterations *)
Section Total.
Variable I : nat.
Hypothesis fresh : stale_at_most I.
Hypothesis small : gamma * L <= 1 / 2.

(** c G of the paper proof, and the part of the bound that does not vanish with T. *)
Definition drift : R := gamma * INR I * L * G.
Definition noise_part : R :=
  gamma * INR I * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N) + 2 * gamma * sigma ^ 2 * L / INR N.

Lemma noise_part_pos : 0 <= noise_part.
Proof.
  pose proof (clients_pos p) as PN. pose proof (sqrt_lt_R0 _ PN). pose proof (step_pos run).
  pose proof (smoothness_pos p). pose proof (pos_INR I). unfold noise_part. pos.
Qed.

Lemma warm_round t : (forall i, (i < N)%nat -> (0 < last (S t) i)%nat) ->
  gamma / 2 * ‖∇ p (x t)‖² <= global p (x t) - global p (x (S t)) + gamma / 2 * (drift ^ 2 + noise_part).
Proof.
  intros Heard. pose proof (warm_iteration I t Heard (fun i Hi => fresh (S t) i Hi) small) as W.
  unfold noise_part, drift. lra.
Qed.

Lemma all_heard t i : (I <= t)%nat -> (i < N)%nat -> (0 < last (S t) i)%nat.
Proof. intros Ht Hi. pose proof (fresh (S t) i Hi). lia. Qed.

(** From a warm start. *)
Theorem theorem3_warm T : (0 < T)%nat -> (forall i, (i < N)%nat -> selected run 1%nat i = true) ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  2 * (global p (x 0%nat) - lowest p) / (gamma * INR T)
  + gamma * INR I * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N) + (gamma * INR I * L * G) ^ 2
  + 2 * gamma * sigma ^ 2 * L / INR N.
Proof.
  intros HT Warm. pose proof (step_pos run) as Pg. pose proof (lt_0_INR T HT) as PT.
  assert (Heard : forall t i, (i < N)%nat -> (0 < last (S t) i)%nat).
  { intros t i Hi. induction t; [simpl; rewrite Warm by assumption; lia|].
    change (0 < if selected run (S (S t)) i then S (S t) else last (S t) i)%nat.
    destruct (selected run (S (S t)) i); lia. }
  pose proof (total_descent p x (fun t => gamma / 2 * ‖∇ p (x t)‖² - gamma / 2 * (drift ^ 2 + noise_part)) T) as D.
  specialize (D ltac:(intros t _; pose proof (warm_round t (Heard t)); lra)).
  rewrite (sum_ext T _ (fun t => gamma / 2 * ‖∇ p (x t)‖² + - (gamma / 2 * (drift ^ 2 + noise_part)))) in D
    by (intros; ring).
  rewrite sum_add, sum_scale, sum_const in D. unfold avg.
  apply (Rmult_le_reg_l (gamma / 2 * INR T)); [apply Rmult_lt_0_compat; lra|].
  replace (gamma / 2 * INR T * (/ INR T * sum T (fun t => ‖∇ p (x t)‖²)))
    with (gamma / 2 * sum T (fun t => ‖∇ p (x t)‖²)) by (field; lra).
  apply Rle_trans with (global p (x 0%nat) - lowest p + gamma / 2 * INR T * (drift ^ 2 + noise_part)); [lra|].
  right. unfold noise_part, drift. pose proof (clients_pos p). pose proof (sqrt_lt_R0 _ (clients_pos p)).
  field. lra.
Qed.

(** *** From a cold start *)
(** How high the loss can be in the first I iterations. *)
Definition first_height : R :=
  (global p (x 0%nat) - lowest p) + sqrt (2 * L * (global p (x 0%nat) - lowest p)) * (INR I * (gamma * G))
  + L / 2 * (INR I * (gamma * G)) ^ 2.

Lemma gap_pos y : 0 <= global p y - lowest p.
Proof. pose proof (bounded_below p y). unfold global. lra. Qed.

Lemma early t : (t <= I)%nat -> global p (x t) - lowest p <= first_height.
Proof.
  intros Ht. pose proof (global_descent p (x 0%nat) (x t ⊖ x 0%nat)) as D. rewrite add_sub in D.
  pose proof (moved_at_most I t 0 ltac:(lia) ltac:(lia)) as M. pose proof (smoothness_pos p) as PL.
  pose proof (norm_pos (x t ⊖ x 0%nat)) as Pn. pose proof (gap_pos (x 0%nat)) as Pb.
  assert (Q : ‖x t ⊖ x 0%nat‖² <= (INR I * (gamma * G)) ^ 2)
    by (replace ((INR I * (gamma * G)) ^ 2) with (INR I * (gamma * G) * (INR I * (gamma * G))) by ring;
        now apply norm_le_square).
  assert (C : ⟨∇ p (x 0%nat), x t ⊖ x 0%nat⟩
              <= sqrt (2 * L * (global p (x 0%nat) - lowest p)) * (INR I * (gamma * G))).
  { eapply Rle_trans; [apply dot_le_norms|]. apply Rmult_le_compat; [apply norm_pos|apply norm_pos| |assumption].
    apply sqrt_le_1; [apply dot_pos|pos|]. apply global_gap. }
  apply (Rmult_le_compat_l (L / 2)) in Q; [|lra]. unfold first_height. lra.
Qed.

(** Later it rises by at most what the warm iterations leave. *)
Lemma later d : global p (x (I + d)%nat) - lowest p <= first_height + INR d * (gamma / 2 * (drift ^ 2 + noise_part)).
Proof.
  induction d.
  - rewrite Nat.add_0_r. pose proof (early I ltac:(lia)). simpl. lra.
  - rewrite Nat.add_succ_r, S_INR. pose proof (warm_round (I + d) (fun i => all_heard (I + d) i ltac:(lia))) as W.
    pose proof (dot_pos (∇ p (x (I + d)%nat))). pose proof (step_pos run).
    assert (0 <= gamma / 2 * ‖∇ p (x (I + d)%nat)‖²) by pos. lra.
Qed.

Lemma later_sum d : gamma / 2 * sum d (fun t => ‖∇ p (x (I + t)%nat)‖²)
  <= first_height + INR d * (gamma / 2 * (drift ^ 2 + noise_part)).
Proof.
  assert (A : gamma / 2 * sum d (fun t => ‖∇ p (x (I + t)%nat)‖²) + (global p (x (I + d)%nat) - lowest p)
              <= first_height + INR d * (gamma / 2 * (drift ^ 2 + noise_part))).
  { induction d.
    - rewrite Nat.add_0_r. pose proof (early I ltac:(lia)). simpl. lra.
    - rewrite Nat.add_succ_r, S_INR. cbn [sum].
      pose proof (warm_round (I + d) (fun i => all_heard (I + d) i ltac:(lia))). lra. }
  pose proof (gap_pos (x (I + d)%nat)). lra.
Qed.
(** 2L times that height, in terms of q = sqrt (2 L gap). *)
Lemma height_square : 2 * L * first_height = (sqrt (2 * L * (global p (x 0%nat) - lowest p)) + drift) ^ 2.
Proof.
  pose proof (smoothness_pos p) as PL. pose proof (gap_pos (x 0%nat)) as Pb.
  assert (Q : sqrt (2 * L * (global p (x 0%nat) - lowest p)) * sqrt (2 * L * (global p (x 0%nat) - lowest p))
              = 2 * L * (global p (x 0%nat) - lowest p)) by (apply sqrt_sqrt; pos).
  unfold first_height, drift. set (q := sqrt _) in *. lra.
Qed.

Lemma heights_pos : 0 <= gamma / 2 * (drift ^ 2 + noise_part).
Proof.
  pose proof noise_part_pos. pose proof (step_pos run). pose proof (pow2_ge_0 drift).
  apply Rmult_le_pos; lra.
Qed.

(** In the first T iterations the squared gradient is at most 2L times the height. *)
Lemma gradient_height t T : (t < T)%nat ->
  ‖∇ p (x t)‖² <= 2 * L * first_height + gamma * L * INR T * (drift ^ 2 + noise_part).
Proof.
  intros Ht. pose proof (smoothness_pos p) as PL. pose proof (global_gap p (x t)) as Gap.
  pose proof heights_pos as P.
  assert (F : global p (x t) - lowest p <= first_height + INR T * (gamma / 2 * (drift ^ 2 + noise_part))).
  { destruct (Nat.le_gt_cases t I) as [Early|Late].
    - pose proof (early t Early). pose proof (pos_INR T).
      assert (0 <= INR T * (gamma / 2 * (drift ^ 2 + noise_part))) by pos. lra.
    - replace t with (I + (t - I))%nat by lia. eapply Rle_trans; [apply later|].
      apply Rplus_le_compat_l, Rmult_le_compat_r; [assumption|]. apply le_INR. lia. }
  apply (Rmult_le_compat_l (2 * L)) in F; lra.
Qed.

(** Everything but the last step of the proof: no division by 1 - 2 gamma L is needed. *)
Theorem theorem3_sharper T : (0 < T)%nat ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  4 * (global p (x 0%nat) - lowest p) / (gamma * INR T) + 6 * drift ^ 2 + noise_part.
Proof.
  intros HT. pose proof (lt_0_INR T HT) as PT. pose proof (step_pos run) as Pg.
  pose proof (smoothness_pos p) as PL. pose proof (gradient_bound_pos run) as PG.
  pose proof (gap_pos (x 0%nat)) as Pb. pose proof noise_part_pos as Pn. pose proof (pos_INR I) as PI.
  pose proof height_square as Height. pose proof (pow2_ge_0 drift) as Pd2.
  set (b := global p (x 0%nat) - lowest p) in *.
  set (q := sqrt (2 * L * b)) in *. assert (Pq : 0 <= q) by apply sqrt_pos.
  assert (Q2 : q ^ 2 = 2 * L * b) by (unfold q; simpl; rewrite Rmult_1_r; apply sqrt_sqrt; pos).
  set (c := gamma * INR I * L). assert (Pc : 0 <= c) by (unfold c; pos).
  assert (Ed : drift = c * G) by (unfold drift, c; ring).
  assert (First : 0 <= 4 * b / (gamma * INR T)).
  { apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat, Rmult_lt_0_compat; assumption. }
  destruct (Rle_lt_dec 1 (6 * c ^ 2)) as [Trivial|Small].
  { assert (A : avg T (fun t => ‖∇ p (x t)‖²) <= G ^ 2) by (apply avg_le_const; [assumption|intros;
    apply gradient_square]).
    assert (G ^ 2 <= 6 * drift ^ 2); [|lra]. rewrite Ed. pose proof (pow2_ge_0 G).
    replace (6 * (c * G) ^ 2) with (6 * c ^ 2 * G ^ 2) by ring.
    rewrite <- (Rmult_1_l (G ^ 2)) at 1. apply Rmult_le_compat_r; assumption. }
  destruct (Rle_lt_dec (gamma * L * INR T) 1) as [Short|Long].
  - assert (A : avg T (fun t => ‖∇ p (x t)‖²) <= 2 * L * first_height + gamma * L * INR T * (drift ^ 2 + noise_part)).
    { apply avg_le_const; [assumption|]. intros t Ht. now apply gradient_height. }
    assert (B : gamma * L * INR T * (drift ^ 2 + noise_part) <= 1 * (drift ^ 2 + noise_part))
      by (apply Rmult_le_compat_r; lra).
    assert (C : 2 * q ^ 2 <= 4 * b / (gamma * INR T)).
    { rewrite Q2. apply (Rmult_le_reg_l (gamma * INR T)); [now apply Rmult_lt_0_compat|].
      replace (gamma * INR T * (4 * b / (gamma * INR T))) with (1 * (4 * b)) by (field; lra).
      replace (gamma * INR T * (2 * (2 * L * b))) with (gamma * L * INR T * (4 * b)) by ring.
      apply Rmult_le_compat_r; lra. }
    rewrite Height in A. pose proof (pow2_ge_0 (q - drift)). lra.
  - assert (HI : (I < T)%nat).
    { apply INR_lt. destruct (Rle_lt_dec (INR T) (INR I)) as [X|]; [exfalso|assumption].
      assert (gamma * L * INR T <= c) by (unfold c; replace (gamma * INR I * L) with (gamma * L * INR I) by ring;
        apply Rmult_le_compat_l; [pos|assumption]).
      assert (1 < c) by lra. assert (1 < c ^ 2) by (simpl; rewrite Rmult_1_r; rewrite <- (Rmult_1_l 1);
        apply Rmult_le_0_lt_compat; lra).
      lra. }
    assert (LT : 0 < gamma * L * INR T) by lra.
    assert (PL2 : 0 < L) by (destruct (Rle_lt_or_eq_dec _ _ PL) as [|Z]; [assumption|rewrite <- Z in LT; lra]).
    assert (PF : 0 <= first_height).
    { apply (Rmult_le_reg_l (2 * L)); [lra|]. rewrite Height, Rmult_0_r. apply pow2_ge_0. }
    set (d := (T - I)%nat).
    assert (A : sum T (fun t => ‖∇ p (x t)‖²)
                <= (2 * L * INR I + 2 / gamma) * first_height + INR T * (drift ^ 2 + noise_part)).
    { replace T with (I + d)%nat at 1 by (unfold d; lia). rewrite sum_split.
      assert (A1 : sum I (fun t => ‖∇ p (x t)‖²) <= INR I * (2 * L * first_height)).
      { apply sum_le_const. intros t Ht. eapply Rle_trans; [apply global_gap|].
        apply Rmult_le_compat_l; [lra|]. apply early. lia. }
      pose proof (later_sum d) as A2. apply (Rmult_le_compat_l (2 / gamma)) in A2; [|pos].
      replace (2 / gamma * (gamma / 2 * sum d (fun t => ‖∇ p (x (I + t)%nat)‖²)))
        with (sum d (fun t => ‖∇ p (x (I + t)%nat)‖²)) in A2 by (field; lra).
      replace (2 / gamma * (first_height + INR d * (gamma / 2 * (drift ^ 2 + noise_part))))
        with (2 / gamma * first_height + INR d * (drift ^ 2 + noise_part)) in A2 by (field; lra).
      assert (INR d * (drift ^ 2 + noise_part) <= INR T * (drift ^ 2 + noise_part)).
      { apply Rmult_le_compat_r; [lra|]. apply le_INR. unfold d. lia. }
      lra. }
    assert (C37 : c <= 3 / 7).
    { destruct (Rle_lt_dec c (3 / 7)) as [|X]; [assumption|exfalso].
      assert ((3 / 7) ^ 2 <= c ^ 2) by (apply pow_incr; lra). lra. }
    assert (Young : (1 + c) * (q + drift) ^ 2 <= 2 * q ^ 2 + 5 * drift ^ 2).
    { apply Rle_trans with (10 / 7 * (q + drift) ^ 2).
      - apply Rmult_le_compat_r; [apply pow2_ge_0|lra].
      - pose proof (pow2_ge_0 (2 * q - 5 * drift)). lra. }
    rewrite <- Height in Young.
    unfold avg. apply (Rmult_le_reg_l (gamma * L * INR T)); [assumption|].
    replace (gamma * L * INR T * (/ INR T * sum T (fun t => ‖∇ p (x t)‖²)))
      with (gamma * L * sum T (fun t => ‖∇ p (x t)‖²)) by (field; lra).
    replace (gamma * L * INR T * (4 * b / (gamma * INR T) + 6 * drift ^ 2 + noise_part))
      with (2 * q ^ 2 + gamma * L * INR T * (6 * drift ^ 2 + noise_part)) by (rewrite Q2; field; lra).
    apply (Rmult_le_compat_l (gamma * L)) in A; [|pos].
    replace (gamma * L * ((2 * L * INR I + 2 / gamma) * first_height + INR T * (drift ^ 2 + noise_part)))
      with ((1 + c) * (2 * L * first_height) + gamma * L * INR T * (drift ^ 2 + noise_part)) in A
      by (unfold c; field; lra).
    assert (5 * drift ^ 2 <= gamma * L * INR T * (5 * drift ^ 2)).
    { rewrite <- (Rmult_1_l (5 * drift ^ 2)) at 1. apply Rmult_le_compat_r; lra. }
    lra.
Qed.
End Total.

(** Eq. (33), as printed. *)
Theorem theorem3 I T : stale_at_most I -> (0 < T)%nat -> 2 * gamma * L < 1 ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  4 * gamma * sigma ^ 2 * L / INR N + 2 * gamma * INR I * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N)
  + 2 * (gamma * INR I * L * G) ^ 2 / (1 - 2 * gamma * L) + 4 * (gamma * INR I * L * G) ^ 2
  + 4 * (global p (x 0%nat) - lowest p) / (gamma * INR T).
Proof.
  intros Fresh HT Small. eapply Rle_trans; [apply (theorem3_sharper I Fresh ltac:(lra) T HT)|].
  pose proof (noise_part_pos I) as Pn. fold (drift I).
  assert (D : 2 * drift I ^ 2 <= 2 * drift I ^ 2 / (1 - 2 * gamma * L)).
  { pose proof (pow2_ge_0 (drift I)). pose proof (step_pos run). pose proof (smoothness_pos p).
    assert (0 <= gamma * L) by pos. apply (Rmult_le_reg_l (1 - 2 * gamma * L)); [lra|].
    replace ((1 - 2 * gamma * L) * (2 * drift I ^ 2 / (1 - 2 * gamma * L))) with (2 * drift I ^ 2) by (field; lra).
    assert (0 <= gamma * L * drift I ^ 2) by pos. lra. }
  assert (E : 4 * gamma * sigma ^ 2 * L / INR N + 2 * gamma * INR I * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N)
              = 2 * noise_part I).
  { unfold noise_part. pose proof (clients_pos p). pose proof (sqrt_lt_R0 _ (clients_pos p)). field. lra. }
  lra.
Qed.

(** The rule of the paper gives I = ceil(N/K) E - 1 (Lemma 1). *)
Lemma rule_gives_staleness K E : Selection N K E (selected run) -> stale_at_most (groups N K * E - 1).
Proof. intros Rule t i Hi. pose proof (staleness Rule t i Hi). lia. Qed.
End FedLaAvg.
