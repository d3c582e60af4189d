(** * AFA-CD: anarchic federated learning across devices (AFL, Algorithm 2)

    A worker pulls the newest model whenever it likes, takes as many stochastic gradient steps as it
    likes, and returns the mean of its stochastic gradients. The server waits until updates have
    arrived, moves its model against their mean, and forgets them.

    The record [CrossDevice] is such a run. Round t uses [arrivals] t updates, at least
    [least_arrivals] (m in the paper). Slot s < arrivals t of round t holds an update of [worker] t s
    that started from the model of round t - [delay] t s, and took [steps] t s local steps. Nothing
    is assumed about who arrives, in which order, or how often. The noise law [unbiased_noise] is
    no part of the record: a draw of noise is orthogonal to everything that can be computed from the
    start, the noise of earlier rounds, of other slots of its round and of its own earlier steps.

    What this file proves for every run, [all_rounds], is the core of all bounds for AFA-CD. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export LocalWork Delay.
Open Scope R_scope.

Record CrossDevice {H : Space} (p : Problem H) := {
  (* how much, how long, how late *)
  arrivals : nat -> nat;
  least_arrivals : nat;
  most_steps : nat;
  max_delay : nat;
  local_step : R;
  server_step : R;
  noise_level : R;
  (* slot s of round t: whose update, from when, of how many local steps *)
  worker : nat -> nat -> nat;
  delay : nat -> nat -> nat;
  steps : nat -> nat -> nat;
  (* the server's models; the models and the noise of local step k *)
  model : nat -> H;
  local : nat -> nat -> nat -> H;
  noise : nat -> nat -> nat -> H;
  (* worker, lines 1 to 3, and server, lines 1 to 2 *)
  pull : forall t s, (s < arrivals t)%nat -> local t s 0%nat = model (t - delay t s)%nat;
  work : forall t s k, (s < arrivals t)%nat -> (k < steps t s)%nat ->
    local t s (S k) =
    local t s k ⊕ (- local_step) ⊙ (∇i p (worker t s) (local t s k) ⊕ noise t s k);
  serve : forall t,
    model (S t) = model t ⊕ (- (server_step * local_step)) ⊙
    mean (arrivals t) (fun s => update p (worker t s) (steps t s) (local t s) (noise t s));
  (* bounds *)
  some_arrive : forall t, (0 < least_arrivals <= arrivals t)%nat;
  is_worker : forall t s, (s < arrivals t)%nat -> (worker t s < clients p)%nat;
  delay_bound : forall t s, (s < arrivals t)%nat -> (delay t s <= max_delay)%nat /\ (delay t s <= t)%nat;
  some_steps : forall t s, (s < arrivals t)%nat -> (0 < steps t s <= most_steps)%nat;
  local_step_pos : 0 < local_step;
  server_step_pos : 0 < server_step;
  noise_level_pos : 0 <= noise_level;
  variance : forall t s k, (s < arrivals t)%nat -> (k < steps t s)%nat ->
    ‖noise t s k‖² <= noise_level ^ 2
}.

Arguments arrivals {H p}. Arguments least_arrivals {H p}. Arguments most_steps {H p}.
Arguments max_delay {H p}. Arguments local_step {H p}. Arguments server_step {H p}.
Arguments noise_level {H p}. Arguments worker {H p}. Arguments delay {H p}. Arguments steps {H p}.
Arguments model {H p}. Arguments local {H p}. Arguments noise {H p}. Arguments pull {H p}.
Arguments work {H p}. Arguments serve {H p}. Arguments some_arrive {H p}.
Arguments is_worker {H p}. Arguments delay_bound {H p}. Arguments some_steps {H p}.
Arguments local_step_pos {H p}. Arguments server_step_pos {H p}. Arguments noise_level_pos {H p}.
Arguments variance {H p}.

(** Round, slot and local step of a draw of noise, and which draws may be used before it. *)
Definition draw : Type := nat * nat * nat.

Section Run.
Context {H : Space} {p : Problem H} (run : CrossDevice p).

Definition drawn (d : draw) : Prop :=
  let '(t, s, k) := d in (s < arrivals run t)%nat /\ (k < steps run t s)%nat.

Definition before (c d : draw) : Prop :=
  let '(u, r, j) := c in let '(t, s, k) := d in
  (u < t)%nat \/ (u = t /\ (r <> s \/ (j < k)%nat)).

Definition noise_of (d : draw) : H := let '(t, s, k) := d in noise run t s k.

Definition unbiased_noise : Prop := unbiased p drawn before noise_of (model run 0%nat).

Notation L := (smoothness p).
Notation x := (model run).
Notation eta := (local_step run).
Notation g := (server_step run * local_step run).
Notation sigma := (noise_level run).
Notation m := (INR (least_arrivals run)).
Notation K := (most_steps run).
Notation tau := (max_delay run).
Notation count := (arrivals run).
Notation knows t s k := (known p drawn before noise_of (model run 0%nat) (t, s, k)).

Lemma g_pos : 0 < g.
Proof. apply Rmult_lt_0_compat; [apply server_step_pos|apply local_step_pos]. Qed.

Lemma m_pos : 0 < m.
Proof. apply lt_0_INR, (some_arrive run 0%nat). Qed.

Lemma some_count t : (0 < count t)%nat.
Proof. pose proof (some_arrive run t). lia. Qed.

Lemma share_of_noise t : sigma ^ 2 / INR (count t) <= sigma ^ 2 / m.
Proof.
  apply Rmult_le_compat_l; [pos|]. apply Rinv_le_contravar; [apply m_pos|].
  apply le_INR, (some_arrive run t).
Qed.

Lemma some_K : (1 <= K)%nat.
Proof. pose proof (some_steps run 0%nat 0%nat (some_count 0%nat)). lia. Qed.

(** ** What is known before a draw *)
Definition slot_exact t s k : H := exact p (worker run t s) (local run t s) k.
Definition slot_path t s : H := path p (worker run t s) (steps run t s) (local run t s).
Definition slot_hum t s : H := hum (steps run t s) (noise run t s).
Definition pulled t s : H := x (t - delay run t s)%nat.

Lemma knows_noise t s k u r j : drawn (u, r, j) -> before (u, r, j) (t, s, k) ->
  knows t s k (noise run u r j).
Proof. intros D B. apply (known_noise p drawn before noise_of (x 0%nat) (t, s, k) (u, r, j) D B). Qed.

Lemma knows_local t s k u r j : (r < count u)%nat -> (j <= steps run u r)%nat ->
  (forall i, (i < j)%nat -> before (u, r, i) (t, s, k)) ->
  knows t s k (pulled u r) -> knows t s k (local run u r j).
Proof.
  intros Hr Hj B Kx. induction j as [|j IH]; [now rewrite (pull run)|].
  assert (knows t s k (local run u r j)) by (apply IH; [lia|auto]).
  rewrite (work run) by (auto; lia). known_parts; auto.
  - apply computable_gradient; [now apply is_worker|assumption].
  - apply knows_noise; [split; [assumption|lia]|auto].
Qed.

Lemma knows_model t s k u : (u <= t)%nat -> knows t s k (x u).
Proof.
  induction u as [u IH] using lt_wf_ind. intros Hu. destruct u as [|u]; [apply known_start|].
  rewrite (serve run). unfold update. known_parts; [apply IH; lia| |].
  - apply computable_gradient; [now apply is_worker|]. apply knows_local; auto; [lia| |].
    + intros. left. lia.
    + apply IH; lia.
  - apply knows_noise; [now split|left; lia].
Qed.

Lemma knows_exact t s k u r j : (r < count u)%nat -> (j < steps run u r)%nat ->
  (u < t)%nat \/ (u = t /\ (r <> s \/ (j <= k)%nat)) -> knows t s k (slot_exact u r j).
Proof.
  intros Hr Hj B. apply computable_gradient; [now apply is_worker|]. apply knows_local; auto; [lia| |].
  - intros i Hi. unfold before. destruct B as [|[-> [|]]]; [now left|right; auto|right; split; [auto|right; lia]].
  - apply knows_model. lia.
Qed.

Lemma knows_path t s k u r : (r < count u)%nat -> (u < t)%nat \/ (u = t /\ r <> s) ->
  knows t s k (slot_path u r).
Proof.
  intros Hr B. apply computable_mean. intros j Hj. apply knows_exact; auto.
  destruct B as [|[]]; [now left|right; auto].
Qed.

Lemma knows_hum t s k u r : (r < count u)%nat -> (u < t)%nat \/ (u = t /\ r <> s) ->
  knows t s k (slot_hum u r).
Proof.
  intros Hr B. apply computable_mean. intros j Hj. apply knows_noise; [now split|].
  destruct B as [|[]]; [now left|right; auto].
Qed.

(** ** The noise of a round *)
Hypothesis Fair : unbiased_noise.

Lemma noise_meets_nothing t s k y : (s < count t)%nat -> (k < steps run t s)%nat ->
  knows t s k y -> ⟨noise run t s k, y⟩ = 0.
Proof. intros Hs Hk Y. apply (Fair (t, s, k)); [now split|assumption]. Qed.

Lemma hum_meets_nothing t s y : (s < count t)%nat -> (forall k, knows t s k y) -> ⟨slot_hum t s, y⟩ = 0.
Proof. intros Hs Y. apply hum_orthogonal. intros. now apply noise_meets_nothing. Qed.

Lemma job t s : (s < count t)%nat ->
  LocalWork p (worker run t s) eta sigma K (steps run t s) (local run t s) (noise run t s).
Proof.
  intros Hs. constructor.
  - now apply is_worker.
  - apply local_step_pos.
  - apply noise_level_pos.
  - now apply some_steps.
  - intros. now apply work.
  - intros k y Hk Y. apply noise_meets_nothing; auto.
    apply (computable_through p _ _ _) with (2 := Y). intros z [->|[j [Hj ->]]].
    + apply knows_local; auto; [lia|intros; lia|]. apply knows_model. lia.
    + apply knows_noise; [split; [assumption|lia]|right; auto].
  - intros. now apply variance.
Qed.

Definition paths t : H := mean (count t) (slot_path t).
Definition hums t : H := mean (count t) (slot_hum t).
Definition used t : H :=
  mean (count t) (fun s => update p (worker run t s) (steps run t s) (local run t s) (noise run t s)).

Lemma used_is t : same (used t) (paths t ⊕ hums t).
Proof.
  intros z. unfold used, paths, hums. rewrite dot_add_l, !dot_mean_l, <- avg_add. apply avg_ext.
  intros s _. rewrite update_is. apply dot_add_l.
Qed.

Lemma hums_square t : ‖hums t‖² <= sigma ^ 2 / m.
Proof.
  eapply Rle_trans; [|apply (share_of_noise t)]. apply norm_mean_orthogonal; [apply some_count| |].
  - intros s r Hs Hr N. apply hum_meets_nothing; auto. intros. apply knows_hum; auto.
  - intros s Hs. now apply (hum_square_le (job t s Hs)).
Qed.

Lemma hums_meet_nothing t y : (forall s k, (s < count t)%nat -> knows t s k y) -> ⟨hums t, y⟩ = 0.
Proof.
  intros Y. unfold hums. rewrite dot_mean_l. unfold avg. rewrite sum_zero; [ring|].
  intros s Hs. now apply hum_meets_nothing; auto.
Qed.

(** Noises of different rounds are orthogonal. *)
Lemma hums_orthogonal s t : s <> t -> ⟨hums s, hums t⟩ = 0.
Proof.
  assert (E : forall s t, (s < t)%nat -> ⟨hums t, hums s⟩ = 0).
  { intros u v Hu. apply hums_meet_nothing. intros. apply computable_mean. intros r Hr.
    apply knows_hum; auto. }
  intros N. destruct (Nat.lt_ge_cases s t); [rewrite dot_sym|]; apply E; lia.
Qed.

(** Lemma 2 of the paper, corrected: for one local step or short local work the noise of a round adds
    at most sigma^2/m to the square of what the server uses. *)
Lemma used_square_own t : K = 1%nat \/ INR K * (L * eta) <= 1 ->
  ‖used t‖² <= ‖paths t‖² + sigma ^ 2 / INR (count t).
Proof.
  intros Short. rewrite (same_norm _ _ (used_is t)), norm_add, (dot_sym (paths t) (hums t)).
  assert (Q : 2 * ⟨hums t, paths t⟩ + ‖hums t‖² <= sigma ^ 2 / INR (count t)).
  { assert (E : forall y, ⟨hums t, y⟩ = avg (count t) (fun s => ⟨slot_hum t s, y⟩)) by (intros; apply dot_mean_l).
    rewrite !E, <- avg_scale, <- avg_add.
    apply Rle_trans with (avg (count t) (fun _ => sigma ^ 2 / INR (count t))).
    - apply avg_le. intros s Hs. unfold hums, paths, mean. rewrite !dot_scale_r, !dot_vsum_r.
      rewrite (sum_single (count t) _ s Hs), (sum_single (count t) (fun i => ⟨slot_hum t s, slot_hum t i⟩) s Hs).
      + assert (B : 2 * ⟨slot_hum t s, slot_path t s⟩ + ‖slot_hum t s‖² <= sigma ^ 2).
        { apply (hum_path (job t s Hs)). pose proof (some_steps run t s Hs). destruct Short; [left; lia|now right]. }
        apply (Rmult_le_compat_l (/ INR (count t))) in B; [|apply inv_INR_nonneg]. unfold Rdiv. lra.
      + intros i Hi N. apply hum_meets_nothing; auto. intros. apply knows_hum; auto.
      + intros i Hi N. apply hum_meets_nothing; auto. intros. apply knows_path; auto.
    - rewrite avg_const by apply some_count. lra. }
  lra.
Qed.

Lemma used_square t : K = 1%nat \/ INR K * (L * eta) <= 1 ->
  ‖used t‖² <= ‖paths t‖² + sigma ^ 2 / m.
Proof. intros Short. pose proof (used_square_own t Short). pose proof (share_of_noise t). lra. Qed.

(** For every local work: twice as much. *)
Lemma used_square_double t : ‖used t‖² <= 2 * ‖paths t‖² + 2 * (sigma ^ 2 / m).
Proof.
  rewrite (same_norm _ _ (used_is t)). eapply Rle_trans; [apply norm_add2|].
  pose proof (hums_square t). lra.
Qed.

Lemma slope_of_used t : ⟨∇ p (x t), used t⟩ = ⟨∇ p (x t), paths t⟩.
Proof.
  rewrite (dot_sym _ (used t)), used_is, dot_add_l, hums_meet_nothing; [rewrite dot_sym; ring|].
  intros. known_parts. now apply knows_model.
Qed.

(** ** One round *)
Definition slope t : R := ‖∇ p (x t)‖².
Definition used_slope t : R := avg (count t) (fun s => slope (t - delay run t s)%nat).

Lemma slope_pos t : 0 <= slope t.
Proof. apply dot_pos. Qed.

Section Rounds.
(** [weight] counts the parts into which the bias is split; [lag t] bounds how far the model moved
    since the updates of round t started; [e0] and [e1] bound the local drift. *)
Context (weight e0 e1 : R) (lag_of : nat -> R) (sigmaG : R).
Hypothesis weight_pos : 0 <= weight.
Hypothesis e1_pos : 0 <= e1.
Hypothesis biased : forall t, ‖∇ p (x t) ⊖ paths t‖² <=
  weight * (sigmaG ^ 2 + L ^ 2 * lag_of t + e0 + e1 * used_slope t).

Lemma one_round t : global p (x (S t)) - global p (x t) <=
  - (g / 2 * (slope t + ‖paths t‖²
              - weight * (sigmaG ^ 2 + L ^ 2 * lag_of t + e0 + e1 * used_slope t)
              - L * g * ‖used t‖²)).
Proof.
  rewrite (serve run). fold (used t).
  pose proof (global_descent p (x t) ((- g) ⊙ used t)) as D.
  rewrite dot_scale_r, square_scale, slope_of_used in D.
  pose proof (biased t) as B. rewrite norm_sub in B. fold (slope t) in B.
  pose proof g_pos as Pg. apply (Rmult_le_compat_l (g / 2)) in B; [|lra]. lra.
Qed.

(** A model is used in at most tau + 1 rounds. *)
Lemma used_slopes T : sum T used_slope <= (INR tau + 1) * sum T slope.
Proof.
  apply Rle_trans with (sum T (fun t => slope t + window tau slope t)).
  - apply sum_le. intros t _. apply avg_le_const; [apply some_count|]. intros s Hs.
    destruct (delay_bound run t s Hs). apply (window_member_or_now tau slope); [apply slope_pos|lia|lia].
  - rewrite sum_add. pose proof (window_sum tau slope T slope_pos). lra.
Qed.

(** ** All rounds *)
Context (a b q0 n0 part : R) (T : nat).
Hypothesis lags : sum T lag_of <= a * sum T (square paths) + INR T * b.
Hypothesis squares : forall t, ‖used t‖² <= q0 * ‖paths t‖² + n0.
Hypothesis steps_small : weight * L ^ 2 * a + L * g * q0 <= 1.
Hypothesis drift_small : weight * e1 * (INR tau + 1) <= part.
Hypothesis some_left : part < 1.

Lemma all_rounds : (0 < T)%nat ->
  avg T slope <= (2 * (global p (x 0%nat) - lowest p) / (g * INR T)
                  + weight * (sigmaG ^ 2 + L ^ 2 * b + e0) + L * g * n0) / (1 - part).
Proof.
  intros HT. pose proof (lt_0_INR T HT) as PT. pose proof g_pos as Pg.
  pose proof (smoothness_pos p) as PL. assert (PL2 : 0 <= L ^ 2) by pos. assert (PLg : 0 <= L * g) by pos.
  pose proof (total_descent p x _ T (fun t _ => one_round t)) as D. rewrite sum_scale in D.
  assert (E : sum T (fun t => slope t + ‖paths t‖²
                - weight * (sigmaG ^ 2 + L ^ 2 * lag_of t + e0 + e1 * used_slope t) - L * g * ‖used t‖²)
            = sum T slope + sum T (square paths) - weight * L ^ 2 * sum T lag_of
              - weight * e1 * sum T used_slope - L * g * sum T (square used)
              - INR T * (weight * (sigmaG ^ 2 + e0))).
  { rewrite (sum_ext T _ (fun t => slope t + square paths t + (- (weight * L ^ 2)) * lag_of t
      + (- (weight * e1)) * used_slope t + (- (L * g)) * square used t + (- (weight * (sigmaG ^ 2 + e0)))))
      by (intros; unfold square; ring).
    rewrite !sum_add, !sum_scale, sum_const. ring. }
  rewrite E in D. clear E.
  assert (A1 : weight * L ^ 2 * sum T lag_of <= weight * L ^ 2 * (a * sum T (square paths) + INR T * b))
    by (apply Rmult_le_compat_l; [pos|assumption]).
  assert (A2 : L * g * sum T (square used) <= L * g * (q0 * sum T (square paths) + INR T * n0)).
  { apply Rmult_le_compat_l; [assumption|]. rewrite <- sum_scale, <- sum_const, <- sum_add.
    apply sum_le. intros t _. apply squares. }
  assert (PS : 0 <= sum T slope) by (apply sum_pos; intros; apply slope_pos).
  assert (PP : 0 <= sum T (square paths)) by (apply sum_pos; intros; apply square_pos).
  assert (A3 : weight * e1 * sum T used_slope <= part * sum T slope).
  { apply Rle_trans with (weight * e1 * ((INR tau + 1) * sum T slope)).
    - apply Rmult_le_compat_l; [pos|apply used_slopes].
    - rewrite <- Rmult_assoc. now apply Rmult_le_compat_r. }
  assert (A4 : (weight * L ^ 2 * a + L * g * q0) * sum T (square paths) <= 1 * sum T (square paths))
    by (now apply Rmult_le_compat_r).
  set (S := sum T slope) in *. set (rest := weight * (sigmaG ^ 2 + L ^ 2 * b + e0) + L * g * n0).
  set (gap := global p (x 0%nat) - lowest p) in *.
  pose proof (server_step_pos run). pose proof (local_step_pos run).
  assert (F : g / 2 * ((1 - part) * S - INR T * rest) <= gap).
  { eapply Rle_trans; [|exact D]. apply Rmult_le_compat_l; [lra|]. unfold rest. lra. }
  apply (Rmult_le_compat_l (2 / (g * (1 - part) * INR T))) in F.
  - replace (2 / (g * (1 - part) * INR T) * (g / 2 * ((1 - part) * S - INR T * rest)))
      with (/ INR T * S - rest / (1 - part)) in F by (field; repeat split; lra).
    unfold avg. fold S. apply Rle_trans with (2 / (g * (1 - part) * INR T) * gap + rest / (1 - part)); [lra|].
    right. unfold rest. field. repeat split; lra.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat.
    apply Rmult_lt_0_compat; [apply Rmult_lt_0_compat|]; lra.
Qed.
End Rounds.
End Run.
