(** * Methods with memory: the sharp limit of the step size, for any availability

    The server keeps the latest gradient of every client and moves along their mean (MIFA, FedLaAvg
    and AFA-CS with one local step and no noise). Everybody is heard in round 0; after that nobody
    need ever come, in any order. Steps may vary from round to round. Losses are L-smooth, convex or
    not, and may differ from client to client without limit.

    [memory_potential]: if the steps between two visits of a client never add up to more than 2c/L,
    c <= 1, then the potential
      mean over i of f_i (x_s) + <grad f_i (x_s), x_t - x_s> + c |x_t - x_s|^2 / S,
    s the round of client i's last visit and S the sum of the steps since then, falls in every round
    by at least (1 - c) eta_t |direction|^2, and is never below f (x_t).
    [memory_never_rises]: so f (x_t) <= f (x_0) in all rounds whenever L (sum of the steps between
    visits) <= 2.
    [memory_rate]: with a constant step and no client more than tau rounds old, L eta (tau + 1) <= 2c
    and c < 1 give
      mean over t < T of |grad f (x_t)|^2 <= (1 + 2c)^2 (f (x_0) - low) / ((1 - c) eta T).
    The limit 2/(tau + 1) cannot be raised: SharpMemoryBreaks.v. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Smooth.
Open Scope R_scope.

(** The sum of the steps of rounds s, s + 1, ..., t - 1. *)
Definition between (step : nat -> R) (s t : nat) : R := sum (t - s) (fun k => step (s + k)%nat).

Record MemoryRun {H : Space} (p : Problem H) := {
  step : nat -> R;
  last : nat -> nat -> nat;
  model : nat -> H;
  step_pos : forall t, 0 < step t;
  heard_first : forall i, (i < clients p)%nat -> last 0 i = 0%nat;
  visit_or_wait : forall t i, (i < clients p)%nat -> last (S t) i = S t \/ last (S t) i = last t i;
  serve : forall t, model (S t) = model t ⊕ (- step t) ⊙
            mean (clients p) (fun i => ∇i p i (model (last t i)))
}.

Arguments step {H p}. Arguments last {H p}. Arguments model {H p}. Arguments step_pos {H p}.
Arguments heard_first {H p}. Arguments visit_or_wait {H p}. Arguments serve {H p}.

Section Memory.
Context {H : Space} {p : Problem H} (run : MemoryRun p).
Notation x := (model run).
Notation since := (fun t i => between (step run) (last run t i) t).

(** The mean of the gradients that the server remembers in round t. *)
Definition direction t : H := mean (clients p) (fun i => ∇i p i (x (last run t i))).

(** What client i's memory says of its loss at y, with the steps up to now adding up to S. *)
Definition told (c : R) (t i : nat) (S : R) (y : H) : R :=
  loss p i (x (last run t i)) + ⟨∇i p i (x (last run t i)), y ⊖ x (last run t i)⟩
  + c * / S * ‖y ⊖ x (last run t i)‖².

Definition potential (c : R) (t : nat) : R :=
  avg (clients p) (fun i => told c t i (since t i) (x t)).

(** The steps from one visit of a client to the next add up to at most 2c/L. *)
Definition visits_within (c : R) : Prop := forall t i, (i < clients p)%nat ->
  smoothness p * between (step run) (last run t i) (S t) <= 2 * c.

Lemma last_le t i : (i < clients p)%nat -> (last run t i <= t)%nat.
Proof.
  intros Hi. induction t; [now rewrite heard_first|].
  destruct (visit_or_wait run t i Hi) as [E|E]; lia.
Qed.

Lemma between_same s : between (step run) s s = 0.
Proof. unfold between. now rewrite Nat.sub_diag. Qed.

Lemma between_next s t : (s <= t)%nat ->
  between (step run) s (S t) = between (step run) s t + step run t.
Proof.
  intros Hs. unfold between. replace (S t - s)%nat with (S (t - s)) by lia. cbn [sum].
  now replace (s + (t - s))%nat with t by lia.
Qed.

Lemma between_pos s t : (s < t)%nat -> 0 < between (step run) s t.
Proof.
  intros Hs. replace t with (S (t - 1)) by lia. rewrite between_next by lia.
  pose proof (step_pos run (t - 1)).
  assert (0 <= between (step run) s (t - 1)) by (apply sum_pos; intros; left; apply step_pos). lra.
Qed.

(** |y + d|^2 / (S + e) <= |y|^2 / S + |d|^2 / e. *)
Lemma square_over_sum (y d : H) S e : 0 < S -> 0 < e ->
  / (S + e) * ‖y ⊕ d‖² <= / S * ‖y‖² + / e * ‖d‖².
Proof.
  intros PS Pe. pose proof (dot_pos (e ⊙ y ⊖ S ⊙ d)) as P.
  rewrite norm_sub, !square_scale, dot_scale_l, dot_scale_r in P.
  apply (Rmult_le_reg_l (S * e * (S + e))); [repeat apply Rmult_lt_0_compat; lra|].
  replace (S * e * (S + e) * (/ (S + e) * ‖y ⊕ d‖²)) with (S * e * ‖y ⊕ d‖²) by (field; lra).
  replace (S * e * (S + e) * (/ S * ‖y‖² + / e * ‖d‖²))
    with ((S + e) * (e * ‖y‖² + S * ‖d‖²)) by (field; lra).
  rewrite norm_add. lra.
Qed.

(** ** One round *)
(** The step of round t changes what client i tells by at most <its gradient, move> + c |move|^2/step. *)
Lemma told_moves c t i : 0 <= c -> (i < clients p)%nat ->
  told c t i (between (step run) (last run t i) (S t)) (x (S t)) <=
  told c t i (since t i) (x t)
  + ⟨∇i p i (x (last run t i)), (- step run t) ⊙ direction t⟩
  + c * (step run t * ‖direction t‖²).
Proof.
  intros Pc Hi. pose proof (last_le t i Hi) as Hl. pose proof (step_pos run t) as Ps. unfold told.
  set (s := last run t i) in *. set (d := (- step run t) ⊙ direction t).
  set (y := x t ⊖ x s). set (g := ∇i p i (x s)).
  assert (E : same (x (S t) ⊖ x s) (y ⊕ d)).
  { unfold y, d, direction. rewrite (serve run). vectors. }
  assert (G : ⟨g, x (S t) ⊖ x s⟩ = ⟨g, y⟩ + ⟨g, d⟩) by now rewrite (dot_sym g), (E g), dot_add_l, !(dot_sym _ g).
  rewrite G, (same_norm _ _ E), between_next by assumption.
  assert (D : / step run t * ‖d‖² = step run t * ‖direction t‖²).
  { unfold d. rewrite square_scale. field. lra. }
  assert (Q : / (between (step run) s t + step run t) * ‖y ⊕ d‖²
              <= / between (step run) s t * ‖y‖² + / step run t * ‖d‖²).
  { destruct (Nat.eq_dec s t) as [Est|Nst].
    - unfold y. rewrite Est, between_same, Rplus_0_l, add_opp, dot_zero_l.
      rewrite (same_norm (zero ⊕ d) d) by (vectors; rewrite dot_zero_l; ring). lra.
    - apply square_over_sum; [apply between_pos; lia|assumption]. }
  rewrite D in Q. apply (Rmult_le_compat_l c) in Q; [lra|assumption].
Qed.

(** A visit does not raise what a client tells, and it never tells less than its loss. *)
Lemma told_above c t i : visits_within c -> (i < clients p)%nat ->
  loss p i (x (S t)) <= told c t i (between (step run) (last run t i) (S t)) (x (S t)).
Proof.
  intros V Hi. pose proof (last_le t i Hi) as Hl. unfold told. set (s := last run t i) in *.
  pose proof (between_pos s (S t) ltac:(lia)) as PS. specialize (V t i Hi). fold s in V.
  pose proof (descent (smoothness p) (loss p i) (∇i p i) (smoothness_pos p) (smooth_losses p i Hi)
                (x s) (x (S t) ⊖ x s)) as D.
  rewrite add_sub in D. pose proof (dot_pos (x (S t) ⊖ x s)) as Pn.
  set (n := ‖x (S t) ⊖ x s‖²) in *. set (S0 := between (step run) s (S t)) in *.
  assert (smoothness p / 2 * n <= c * / S0 * n); [|lra].
  apply Rmult_le_compat_r; [assumption|]. apply (Rmult_le_reg_l (2 * S0)); [lra|].
  replace (2 * S0 * (c * / S0)) with (2 * c) by (field; lra). lra.
Qed.

Lemma told_now c t i : last run t i = t -> told c t i (since t i) (x t) = loss p i (x t).
Proof. intros E. unfold told. rewrite E, add_opp, dot_zero_l, dot_zero_r. ring. Qed.

Theorem memory_potential c : 0 <= c -> visits_within c -> forall t,
  potential c (S t) + (1 - c) * (step run t * ‖direction t‖²) <= potential c t.
Proof.
  intros Pc V t. set (n := clients p).
  assert (Heard : potential c (S t)
    <= avg n (fun i => told c t i (between (step run) (last run t i) (S t)) (x (S t)))).
  { apply avg_le. intros i Hi. destruct (visit_or_wait run t i Hi) as [E|E].
    - rewrite (told_now c (S t) i E). now apply told_above.
    - unfold told. rewrite E. lra. }
  assert (Moved : avg n (fun i => told c t i (between (step run) (last run t i) (S t)) (x (S t)))
    <= avg n (fun i => told c t i (since t i) (x t) + (- step run t) * ⟨∇i p i (x (last run t i)), direction t⟩
                       + c * (step run t * ‖direction t‖²))).
  { apply avg_le. intros i Hi. rewrite <- dot_scale_r. now apply told_moves. }
  rewrite !avg_add, avg_scale, (avg_const n _ (some_client p)) in Moved.
  assert (M : avg n (fun i => ⟨∇i p i (x (last run t i)), direction t⟩) = ‖direction t‖²).
  { unfold direction at 2. now rewrite dot_mean_l. }
  rewrite M in Moved. unfold potential at 2. fold n. lra.
Qed.

Theorem memory_above c : visits_within c -> forall t, global p (x t) <= potential c t.
Proof.
  intros V [|t]; apply avg_le; intros i Hi.
  - rewrite told_now; [lra|now apply heard_first].
  - destruct (visit_or_wait run t i Hi) as [E|E]; [rewrite (told_now c (S t) i E); lra|].
    pose proof (told_above c t i V Hi) as A. unfold told in *. now rewrite E.
Qed.

Lemma potential_first c : potential c 0 = global p (x 0%nat).
Proof. apply avg_ext. intros i Hi. apply told_now. now apply heard_first. Qed.

Theorem memory_never_rises : visits_within 1 -> forall t, global p (x t) <= global p (x 0%nat).
Proof.
  intros V t. eapply Rle_trans; [apply (memory_above 1 V)|]. rewrite <- (potential_first 1).
  induction t; [lra|]. pose proof (memory_potential 1 ltac:(lra) V t). lra.
Qed.

(** ** All rounds *)
Lemma directions_sum c T : 0 <= c -> visits_within c ->
  (1 - c) * sum T (fun t => step run t * ‖direction t‖²) <= global p (x 0%nat) - lowest p.
Proof.
  intros Pc V. assert (Fall : potential c T + (1 - c) * sum T (fun t => step run t * ‖direction t‖²)
                              <= global p (x 0%nat)).
  { rewrite <- (potential_first c). induction T; [simpl; lra|].
    pose proof (memory_potential c Pc V T). cbn [sum]. lra. }
  pose proof (memory_above c V T). pose proof (bounded_below p (x T)) as B.
  change (average _ _ _) with (global p (x T)) in B. lra.
Qed.
End Memory.

(** ** A constant step, and nobody more than tau rounds old *)
Section Constant.
Context {H : Space} {p : Problem H} (run : MemoryRun p) (eta : R) (tau : nat).
Hypothesis constant : forall t, step run t = eta.
Hypothesis fresh : forall t i, (i < clients p)%nat -> (t <= last run t i + tau)%nat.
Notation x := (model run).
Notation energy := (fun t => ‖direction run t‖²).

Lemma eta_pos : 0 < eta.
Proof. rewrite <- (constant 0). apply step_pos. Qed.

Lemma within c : smoothness p * eta * (INR tau + 1) <= 2 * c -> visits_within run c.
Proof.
  intros Small t i Hi. specialize (fresh t i Hi). pose proof (last_le run t i Hi) as Hl.
  unfold between. rewrite (sum_ext _ _ (fun _ => eta)) by (intros; apply constant). rewrite sum_const.
  pose proof eta_pos. pose proof (smoothness_pos p).
  apply Rle_trans with (smoothness p * ((INR tau + 1) * eta)); [|lra].
  apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_r; [lra|].
  rewrite <- S_INR. apply le_INR. lia.
Qed.

Lemma moved t d : (d <= t)%nat ->
  same (x t ⊖ x (t - d)%nat) ((- eta) ⊙ vsum d (fun j => direction run (t - S j)%nat)).
Proof.
  induction d; intros Hd z.
  - rewrite Nat.sub_0_r. expand_dots. cbn [vsum]. rewrite dot_zero_l. ring.
  - specialize (IHd ltac:(lia) z). pose proof (serve run (t - S d)) as E.
    replace (S (t - S d)) with (t - d)%nat in E by lia. rewrite E, constant in IHd.
    fold (direction run (t - S d)) in IHd. cbn [vsum]. revert IHd.
    rewrite !dot_add_l, !dot_scale_l, !dot_add_l, !dot_scale_l. intros Q. lra.
Qed.

Lemma lag t i : (i < clients p)%nat ->
  ‖x t ⊖ x (last run t i)‖² <= eta ^ 2 * (INR tau * window tau energy t).
Proof.
  intros Hi. pose proof (last_le run t i Hi) as Hl. specialize (fresh t i Hi).
  set (d := (t - last run t i)%nat). replace (last run t i) with (t - d)%nat by (unfold d; lia).
  rewrite (same_norm _ _ (moved t d ltac:(unfold d; lia))), square_scale.
  replace ((- eta) ^ 2) with (eta ^ 2) by ring.
  apply Rmult_le_compat_l; [apply pow2_ge_0|]. eapply Rle_trans; [apply norm_vsum|].
  apply Rmult_le_compat; [apply pos_INR|apply sum_pos; intros; apply dot_pos|apply le_INR; unfold d; lia|].
  apply (window_part tau energy t d); [intros; apply dot_pos|unfold d; lia|unfold d; lia].
Qed.

Theorem memory_rate c T : (0 < T)%nat -> 0 < c < 1 -> smoothness p * eta * (INR tau + 1) <= 2 * c ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  (1 + 2 * c) ^ 2 * (global p (x 0%nat) - lowest p) / ((1 - c) * eta * INR T).
Proof.
  intros HT Hc Small. pose proof eta_pos as Pe. pose proof (lt_0_INR T HT) as PT.
  pose proof (smoothness_pos p) as PL. pose proof (pos_INR tau) as Ptau.
  set (L := smoothness p) in *. set (A := sum T energy).
  assert (PA : 0 <= A) by (apply sum_pos; intros; apply dot_pos).
  assert (Total : (1 - c) * (eta * A) <= global p (x 0%nat) - lowest p).
  { unfold A. rewrite <- sum_scale. rewrite <- (sum_ext T (fun t => step run t * energy t)).
    - apply directions_sum; [lra|now apply within].
    - intros t _. now rewrite constant. }
  assert (Bias : forall t, ‖∇ p (x t) ⊖ direction run t‖² <= L ^ 2 * (eta ^ 2 * (INR tau * window tau energy t))).
  { intros t. unfold direction, global_gradient, average_gradient.
    rewrite (same_norm _ (mean (clients p) (fun i => ∇i p i (x t) ⊖ ∇i p i (x (last run t i))))).
    - apply norm_mean_le; [apply some_client|]. intros i Hi. eapply Rle_trans; [now apply client_lipschitz|].
      apply Rmult_le_compat_l; [apply pow2_ge_0|now apply lag].
    - vectors. rewrite <- avg_scale, <- avg_add. apply avg_ext. intros. now rewrite dot_add_l, dot_scale_l. }
  assert (Each : forall t, ‖∇ p (x t)‖² <= (1 + 2 * c) * energy t
            + (1 + / (2 * c)) * (L ^ 2 * eta ^ 2 * INR tau) * window tau energy t).
  { intros t. set (r := ∇ p (x t) ⊖ direction run t).
    rewrite (same_norm _ (r ⊕ direction run t)) by (unfold r; vectors).
    eapply Rle_trans; [apply (norm_add_young (2 * c)); lra|].
    assert (I : 0 <= 1 + / (2 * c)) by (assert (0 < / (2 * c)) by (apply Rinv_0_lt_compat; lra); lra).
    pose proof (Rmult_le_compat_l _ _ _ I (Bias t)). fold r in H0. lra. }
  assert (Sum : sum T (fun t => ‖∇ p (x t)‖²) <= (1 + 2 * c) ^ 2 * A).
  { eapply Rle_trans; [apply sum_le; intros t _; apply Each|].
    rewrite sum_add, !sum_scale. fold A.
    pose proof (window_sum tau energy T ltac:(intros; apply dot_pos)) as W. fold A in W.
    assert (I : 0 <= / (2 * c)) by pos.
    assert (K : 0 <= (1 + / (2 * c)) * (L ^ 2 * eta ^ 2 * INR tau)) by pos.
    apply (Rmult_le_compat_l _ _ _ K) in W.
    assert (Sq : L * eta * INR tau <= 2 * c) by (assert (0 <= L * eta) by pos; lra).
    assert (Sq2 : (L * eta * INR tau) ^ 2 <= (2 * c) ^ 2) by (apply pow_incr; split; [pos|assumption]).
    assert (K2 : 0 <= (1 + / (2 * c)) * A) by pos.
    apply (Rmult_le_compat_l _ _ _ K2) in Sq2.
    replace ((1 + / (2 * c)) * A * (2 * c) ^ 2) with ((2 * c + (2 * c) ^ 2) * A) in Sq2 by (field; lra).
    lra. }
  unfold avg. apply (Rmult_le_reg_l ((1 - c) * eta * INR T)).
  { repeat apply Rmult_lt_0_compat; lra. }
  replace ((1 - c) * eta * INR T * (/ INR T * sum T (fun t => ‖∇ p (x t)‖²)))
    with ((1 - c) * eta * sum T (fun t => ‖∇ p (x t)‖²)) by (field; lra).
  replace ((1 - c) * eta * INR T * ((1 + 2 * c) ^ 2 * (global p (x 0%nat) - lowest p) / ((1 - c) * eta * INR T)))
    with ((1 + 2 * c) ^ 2 * (global p (x 0%nat) - lowest p)) by (field; lra).
  apply Rle_trans with ((1 - c) * eta * ((1 + 2 * c) ^ 2 * A)).
  - apply Rmult_le_compat_l; [pos|assumption].
  - replace ((1 - c) * eta * ((1 + 2 * c) ^ 2 * A)) with ((1 + 2 * c) ^ 2 * ((1 - c) * (eta * A))) by ring.
    apply Rmult_le_compat_l; [apply pow2_ge_0|assumption].
Qed.
End Constant.
