(** * MIFA on non-convex losses (Theorem 6.1 in a right form)

    The server remembers every client's latest update. In round t those who are there run K local
    steps from x_t and send the mean of their K stochastic gradients; the server moves by -K eta times
    the mean over all clients of what it remembers. Everybody is there in round 0; after that clients
    come in any order that does not depend on the noise.

    For all L-smooth losses, convex or not, all numbers N of clients and T = R + 1 of models, with
    h = K eta, nobody more than tau rounds old, mean age taubar over clients and the R rounds, noise of
    variance at most sigma^2 per gradient:

    - K = 1 ([mifa_one_step]): if 4 h L <= 1 and 8 h^2 L^2 tau^2 <= 1, then the mean over the T models
      of |grad f|^2 is at most
        4 (f (x_0) - low) / (h T) + 6 h L (2 taubar + 1) sigma^2 / N,
      whatever the differences between clients;
    - every K ([mifa_local_steps]): if also |grad f_i|^2 <= alpha |grad f|^2 + beta_i, client i is
      never more than nu_i rounds old and 32 alpha h^2 L^2 (1 + mean nu) <= 1, then at most
        (36/7) (f (x_0) - low) / (h T) + 14 h L (2 taubar + 1) sigma^2 / (N K)
        + (64/7) h^2 L^2 (q^2 mean beta + q sigma^2 / K),   q = (K - 1) / K.

    The paper's theorem has tau_max, a Hessian condition and bounded noise besides; none is needed. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import LocalWork Charging.
Open Scope R_scope.

Record Mifa {H : Space} (p : Problem H) := {
  local_step : nat -> R;
  local_steps : nat;
  noise_bound : R;
  latest : nat -> nat -> nat;
  server : nat -> H;
  local : nat -> nat -> nat -> H;
  noise : nat -> nat -> nat -> H;
  local_step_pos : forall t, 0 < local_step t;
  some_step : (0 < local_steps)%nat;
  noise_bound_pos : 0 <= noise_bound;
  all_at_first : forall i, (i < clients p)%nat -> latest 0 i = 0%nat;
  come_or_not : forall t i, (i < clients p)%nat -> latest (S t) i = S t \/ latest (S t) i = latest t i;
  pull : forall t i, (i < clients p)%nat -> local t i 0%nat = server t;
  local_work : forall t i k, (i < clients p)%nat -> (k < local_steps)%nat ->
    local t i (S k) = local t i k ⊕ (- local_step t) ⊙ (∇i p i (local t i k) ⊕ noise t i k);
  aggregate : forall t, server (S t) = server t ⊕ (- (INR local_steps * local_step t)) ⊙
    mean (clients p) (fun i => update p i local_steps (local (latest t i) i) (noise (latest t i) i));
  noise_variance : forall t i k, (i < clients p)%nat -> (k < local_steps)%nat ->
    ‖noise t i k‖² <= noise_bound ^ 2
}.

Arguments local_step {H p}. Arguments local_steps {H p}. Arguments noise_bound {H p}.
Arguments latest {H p}. Arguments server {H p}. Arguments local {H p}. Arguments noise {H p}.
Arguments local_step_pos {H p}. Arguments some_step {H p}. Arguments noise_bound_pos {H p}.
Arguments all_at_first {H p}. Arguments come_or_not {H p}. Arguments pull {H p}.
Arguments local_work {H p}. Arguments aggregate {H p}. Arguments noise_variance {H p}.

(** ** What a run of MIFA is as a method with reports *)
Section Mifa.
Context {H : Space} {p : Problem H} (run : Mifa p).
Notation N := (clients p).
Notation L := (smoothness p).
Notation K := (local_steps run).
Notation sigma := (noise_bound run).
Notation w := (server run).

(** Draw (t, i, k) is the noise of client i's local step k in round t. It is made knowing all draws of
    earlier rounds, of other clients in the same round, and its own earlier steps. *)
Definition drawn (d : nat * nat * nat) : Prop :=
  let '(_, i, k) := d in (i < N)%nat /\ (k < K)%nat.
Definition before (d e : nat * nat * nat) : Prop :=
  let '(s, j, l) := d in let '(t, i, k) := e in
  (s < t)%nat \/ s = t /\ (j <> i \/ (l < k)%nat).
Definition noise_at (d : nat * nat * nat) : H := let '(t, i, k) := d in noise run t i k.
Definition unbiased_noise : Prop := unbiased p drawn before noise_at (w 0%nat).

(** How far round t moves along the mean of the reports. *)
Definition round_step t : R := INR K * local_step run t.

Lemma round_step_pos t : 0 < round_step t.
Proof. apply Rmult_lt_0_compat; [apply lt_0_INR, some_step|apply local_step_pos]. Qed.

Definition path_of t i : H := path p i K (local run t i).
Definition hum_of t i : H := LocalWork.hum K (noise run t i).

Definition as_reports : Reports p.
Proof.
  refine {| step := round_step; last := latest run; model := w; report := path_of; hum := hum_of |}.
  - apply round_step_pos.
  - apply all_at_first.
  - apply come_or_not.
  - intros t. rewrite (aggregate run). do 2 f_equal. apply mean_ext. intros i _. apply mean_plus.
Defined.

(** ** Noise *)
Lemma known_local (given : H -> Prop) t i k : (i < N)%nat -> (k <= K)%nat -> computable p given (w t) ->
  (forall l, (l < k)%nat -> computable p given (noise run t i l)) -> computable p given (local run t i k).
Proof.
  intros Hi Hk Kw Kn. induction k; [now rewrite pull|].
  assert (computable p given (local run t i k)) by (apply IHk; [lia|auto]).
  rewrite (local_work run) by (assumption || lia).
  apply computable_add; [assumption|]. apply computable_scale, computable_add; [|apply Kn; lia].
  now apply computable_gradient.
Qed.

Notation known t i k := (known p drawn before noise_at (w 0%nat) (t, i, k)).

Lemma known_earlier t i k s j l : (j < N)%nat -> (l < K)%nat -> (s < t)%nat ->
  known t i k (noise run s j l).
Proof.
  intros Hj Hl Hs. apply (known_noise p drawn before noise_at (w 0%nat) (t, i, k) (s, j, l)); simpl; auto.
Qed.

Lemma known_model t i k s : (s <= t)%nat -> known t i k (w s).
Proof.
  induction s as [s IH] using lt_wf_ind. intros Hs. destruct s as [|s]; [apply known_start|].
  rewrite (aggregate run). apply computable_add; [apply IH; lia|].
  apply computable_scale, computable_mean. intros j Hj.
  pose proof (last_le as_reports s j Hj) as Hl. simpl in Hl.
  apply computable_mean. intros l Hlk. apply computable_add; [|apply known_earlier; auto; lia].
  apply computable_gradient; [assumption|]. apply known_local; auto; try lia; [apply IH; lia|].
  intros m Hm. apply known_earlier; auto; lia.
Qed.

Lemma known_older t i k y : (i < N)%nat -> computable p (older as_reports t) y -> known t i k y.
Proof.
  intros Hi Ky. apply (computable_through p (older as_reports t)); [|assumption].
  intros z [->|[u [j (Hu & Hj & [-> | ->])]]].
  - apply known_start.
  - apply computable_mean. intros l Hl. apply computable_gradient; [assumption|].
    apply known_local; auto; try lia; [apply known_model; lia|]. intros m Hm. apply known_earlier; auto; lia.
  - apply computable_mean. intros l Hl. apply known_earlier; auto.
Qed.

Hypothesis fair : unbiased_noise.

Lemma reports_fresh : fresh_noise as_reports.
Proof.
  intros t i y Hi Ky. simpl. unfold hum_of, LocalWork.hum. rewrite dot_mean_l. unfold avg.
  rewrite sum_zero; [ring|]. intros k Hk. apply (fair (t, i, k)); [now split|]. now apply known_older.
Qed.

Lemma reports_separate : separate_noise as_reports.
Proof.
  intros t i j Hi Hj Nij. simpl. unfold hum_of, LocalWork.hum. rewrite dot_mean_l. unfold avg.
  rewrite sum_zero; [ring|]. intros k Hk. rewrite dot_mean_r. unfold avg. rewrite sum_zero; [ring|].
  intros l Hl. apply (noise_orthogonal p drawn before noise_at (w 0%nat) (t, i, k) (t, j, l)); simpl; auto.
Qed.

Lemma job t i : (i < N)%nat -> LocalWork p i (local_step run t) sigma K K (local run t i) (noise run t i).
Proof.
  intros Hi. split; try assumption.
  - apply local_step_pos.
  - apply noise_bound_pos.
  - pose proof (some_step run). lia.
  - intros k Hk. now apply local_work.
  - intros k y Hk Ky. apply (fair (t, i, k)); [now split|].
    apply (computable_through p (local_past (local run t i) (noise run t i) k)); [|assumption].
    intros z [->|[j [Hj ->]]]; [rewrite pull by assumption; apply known_model; lia|].
    apply (known_noise p drawn before noise_at (w 0%nat) (t, i, k) (t, i, j)); simpl; auto.
    split; [assumption|lia].
  - intros k Hk. now apply noise_variance.
Qed.

Lemma reports_within : noise_within as_reports (sigma ^ 2 / INR K).
Proof. intros t i Hi. apply (hum_square (job t i Hi)). Qed.

(** ** The rounds before the horizon, with a constant step *)
Section Rounds.
Variable eta : R.
Hypothesis constant : forall t, local_step run t = eta.
Notation h := (INR K * eta).

Lemma step_is t : round_step t = h.
Proof. unfold round_step. now rewrite constant. Qed.

Lemma h_pos : 0 < h.
Proof. rewrite <- (step_is 0). apply round_step_pos. Qed.

Variable R0 tau : nat.
Hypothesis aged : age_at_most as_reports tau.
Hypothesis step_small : 4 * (h * L) <= 1.
Hypothesis age_small : 8 * (h * L * INR tau) ^ 2 <= 1.

Notation z := (z as_reports R0).
Notation D := (direction as_reports).
Notation B := (B as_reports R0 (sigma ^ 2 / INR K)).

(** Sums over the rounds: squared gradients at the virtual models, squared directions, charges. *)
Definition slopes : R := sum R0 (fun t => ‖∇ p (z t)‖²).
Definition energy : R := sum R0 (fun t => ‖D t‖²).
Definition charges : R := sum R0 B.
Definition distances : R := sum R0 (fun t => avg N (fun i => ‖z t ⊖ w (latest run t i)‖²)).

Lemma charges_pos : 0 <= charges.
Proof. apply sum_pos. intros. apply (B_pos as_reports R0 _ reports_within). Qed.

Lemma distances_small : distances <= 4 * INR tau * charges + 2 * (h * INR tau) ^ 2 * energy.
Proof.
  assert (P : forall t, 0 <= B t) by (intros; apply (B_pos as_reports R0 _ reports_within)).
  assert (PD : forall t, 0 <= ‖D t‖²) by (intros; apply dot_pos).
  apply Rle_trans with (sum R0 (fun t => 2 * window (2 * tau) B t
    + 2 * (INR tau * h ^ 2) * window tau (fun t => ‖D t‖²) t)).
  - apply sum_le. intros t Ht. apply avg_le_const; [apply some_client|]. intros i Hi.
    pose proof (last_le as_reports t i Hi) as Hl. pose proof (aged t i Hi) as Ha. simpl in Hl, Ha.
    eapply Rle_trans; [apply (distance_to_report as_reports R0 reports_fresh _ reports_separate reports_within tau
      aged t i Hi); lia|].
    simpl last. set (d := (t - latest run t i)%nat). apply Rplus_le_compat_l. rewrite !Rmult_assoc.
    apply Rmult_le_compat_l; [lra|].
    eapply Rle_trans; [apply norm_vsum|]. simpl step.
    rewrite (sum_ext d _ (fun j => h ^ 2 * ‖D (t - S j)%nat‖²)) by (intros; rewrite step_is; apply square_scale).
    rewrite sum_scale. apply Rmult_le_compat; [apply pos_INR| |apply le_INR; unfold d; lia|].
    + apply Rmult_le_pos; [apply pow2_ge_0|]. apply sum_pos. intros. apply dot_pos.
    + apply Rmult_le_compat_l; [apply pow2_ge_0|].
      apply (window_part tau (fun t => ‖D t‖²) t d PD); unfold d; lia.
  - rewrite sum_add, !sum_scale.
    pose proof (window_sum (2 * tau) B R0 P) as W1. pose proof (window_sum tau (fun t => ‖D t‖²) R0 PD) as W2.
    rewrite mult_INR in W1. simpl (INR 2) in W1. fold charges in W1. fold energy in W2.
    assert (P2 : 0 <= INR tau * h ^ 2) by (apply Rmult_le_pos; [apply pos_INR|apply pow2_ge_0]).
    apply (Rmult_le_compat_l _ _ _ P2) in W2. lra.
Qed.

Lemma owed_sum : sum R0 (fun t => ‖∇ p (w t)‖²) <= 2 * slopes + 2 * L ^ 2 * INR tau * charges.
Proof.
  assert (P : forall t, 0 <= B t) by (intros; apply (B_pos as_reports R0 _ reports_within)).
  pose proof (window_sum tau B R0 P) as W. fold charges in W.
  apply Rle_trans with (sum R0 (fun t => 2 * ‖∇ p (z t)‖² + 2 * L ^ 2 * window tau B t)).
  - apply sum_le. intros t Ht.
    rewrite (same_norm (∇ p (w t)) (∇ p (z t) ⊕ (∇ p (w t) ⊖ ∇ p (z t)))) by vectors.
    eapply Rle_trans; [apply norm_add2|].
    pose proof (global_lipschitz p (w t) (z t)) as Lip.
    rewrite (same_norm (w t ⊖ z t) (owed as_reports R0 t)) in Lip by (unfold Charging.z; simpl; vectors).
    pose proof (owed_small as_reports R0 reports_fresh _ reports_separate reports_within tau aged t ltac:(lia)) as O.
    apply (Rmult_le_compat_l (L ^ 2)) in O; [|apply pow2_ge_0]. lra.
  - rewrite sum_add, !sum_scale. fold slopes.
    apply (Rmult_le_compat_l (2 * L ^ 2)) in W; [lra|]. pose proof (pow2_ge_0 L). lra.
Qed.

(** The last model is not charged at all, and one more gradient step from it cannot fall below low. *)
Lemma last_model : h / 2 * ‖∇ p (w R0)‖² <= global p (z R0) - lowest p.
Proof.
  pose proof (global_descent p (w R0) ((- h) ⊙ ∇ p (w R0))) as D0. rewrite dot_scale_r, square_scale in D0.
  pose proof (bounded_below p (w R0 ⊕ (- h) ⊙ ∇ p (w R0))) as Low. fold (global p (w R0 ⊕ (- h) ⊙ ∇ p (w R0))) in Low.
  pose proof (dot_pos (∇ p (w R0))) as Pd. pose proof h_pos as Ph. pose proof (smoothness_pos p).
  assert (Same : global p (w R0) <= global p (z R0)).
  { pose proof (global_descent p (z R0) (w R0 ⊖ z R0)) as Q. rewrite add_sub in Q.
    assert (E : same (w R0 ⊖ z R0) zero).
    { intros y. rewrite dot_zero_l, dot_add_l, dot_scale_l, (nothing_owed_last as_reports R0 y). simpl. ring. }
    rewrite (dot_sym _ (w R0 ⊖ z R0)), (E (∇ p (z R0))), (same_norm _ _ E), !dot_zero_l in Q. lra. }
  assert (0 <= (1 - h * L) * (h * ‖∇ p (w R0)‖²)) by (apply Rmult_le_pos; [lra|pos]). lra.
Qed.

Lemma first_model : global p (z 0%nat) <= global p (w 0%nat).
Proof.
  pose proof (global_descent p (w 0%nat) (z 0%nat ⊖ w 0%nat)) as Q. rewrite add_sub in Q.
  assert (E : same (z 0%nat ⊖ w 0%nat) zero).
  { intros y. rewrite dot_zero_l, dot_add_l, dot_scale_l, (nothing_owed_first as_reports R0 y). simpl. ring. }
  rewrite (dot_sym _ (z 0%nat ⊖ w 0%nat)), (E (∇ p (w 0%nat))), (same_norm _ _ E), !dot_zero_l in Q. lra.
Qed.

Lemma bias t e : (t < R0)%nat ->
  (forall i, (i < N)%nat -> ‖∇i p i (z t) ⊖ path_of (latest run t i) i‖² <= e i) ->
  ‖∇ p (z t) ⊖ D t‖² <= avg N e.
Proof.
  intros Ht E. unfold direction, global_gradient, average_gradient. simpl.
  rewrite (same_norm _ (mean N (fun i => ∇i p i (z t) ⊖ path_of (latest run t i) i))).
  - eapply Rle_trans; [apply norm_mean|]. now apply avg_le.
  - vectors. rewrite <- avg_scale, <- avg_add. apply avg_ext. intros. now rewrite dot_add_l, dot_scale_l.
Qed.

(** One round; [extra] is 1 if noise and report of a round are orthogonal, and 2 in general. *)
Lemma one_round t e : (t < R0)%nat -> ‖∇ p (z t) ⊖ D t‖² <= e ->
  global p (z (S t)) - global p (z t) <=
  - (h / 2 * ‖∇ p (z t)‖²) - h / 2 * ‖D t‖² + h / 2 * e + L / 2 * ‖h ⊙ D t ⊕ charge as_reports R0 t‖².
Proof.
  intros Ht Bias. pose proof h_pos as Ph.
  set (d := (- h) ⊙ D t ⊕ (-1) ⊙ charge as_reports R0 t).
  assert (E : same (z (S t)) (z t ⊕ d)) by (intros y; rewrite (charged_step as_reports R0 t Ht y); simpl step;
    now rewrite step_is).
  pose proof (global_descent p (z t) (z (S t) ⊖ z t)) as Q. rewrite add_sub in Q.
  assert (E2 : same (z (S t) ⊖ z t) d) by (intros y; rewrite dot_add_l, dot_scale_l, (E y), dot_add_l; ring).
  rewrite (dot_sym _ (z (S t) ⊖ z t)), (E2 (∇ p (z t))), (same_norm _ _ E2) in Q.
  assert (Sq : ‖d‖² = ‖h ⊙ D t ⊕ charge as_reports R0 t‖²).
  { rewrite (same_norm d ((-1) ⊙ (h ⊙ D t ⊕ charge as_reports R0 t))) by (unfold d; vectors).
    rewrite square_scale. ring. }
  rewrite Sq in Q. unfold d in Q. rewrite dot_add_l, !dot_scale_l in Q.
  rewrite (charge_orthogonal as_reports R0 reports_fresh t (∇ p (z t))) in Q
    by (apply computable_global, older_z; lia).
  rewrite norm_sub, (dot_sym (∇ p (z t)) (D t)) in Bias.
  apply (Rmult_le_compat_l (h / 2)) in Bias; [|lra]. lra.
Qed.
(** All rounds: [a] is 1 if noise and report of a round are orthogonal and 2 in general; [c] and
    [extra] bound the bias of a round. *)
Lemma all_rounds a c (extra : nat -> R) : 0 <= a <= 2 -> 0 <= c ->
  (forall t, (t < R0)%nat -> ‖h ⊙ D t ⊕ charge as_reports R0 t‖² <= a * (h ^ 2 * ‖D t‖² + B t)) ->
  (forall t, (t < R0)%nat -> ‖∇ p (z t) ⊖ D t‖²
     <= c * L ^ 2 * avg N (fun i => ‖z t ⊖ w (latest run t i)‖²) + extra t) ->
  h / 2 * slopes <= global p (w 0%nat) - global p (z R0) - h / 2 * energy
    + h / 2 * (c * L ^ 2 * distances + sum R0 extra) + L / 2 * (a * (h ^ 2 * energy + charges)).
Proof.
  intros Ha Hc Orth Bias. pose proof h_pos as Ph. pose proof (smoothness_pos p) as PL.
  assert (S1 : sum R0 (fun t => global p (z (S t)) - global p (z t)) <= sum R0 (fun t =>
     - (h / 2) * ‖∇ p (z t)‖² + (- (h / 2) + L / 2 * (a * h ^ 2)) * ‖D t‖²
     + h / 2 * (c * L ^ 2) * avg N (fun i => ‖z t ⊖ w (latest run t i)‖²) + h / 2 * extra t
     + L / 2 * a * B t)).
  { apply sum_le. intros t Ht. eapply Rle_trans; [apply (one_round t _ Ht (Bias t Ht))|].
    pose proof (Orth t Ht) as O. apply (Rmult_le_compat_l (L / 2)) in O; lra. }
  rewrite (sum_telescope R0 (fun t => global p (z t))), !sum_add, !sum_scale in S1.
  fold slopes energy distances charges in S1. pose proof first_model. lra.
Qed.

Lemma age_bound : h * L * INR tau <= 3 / 8.
Proof.
  destruct (Rle_lt_dec (h * L * INR tau) (3 / 8)) as [|X]; [assumption|exfalso].
  assert ((3 / 8) ^ 2 <= (h * L * INR tau) ^ 2) by (apply pow_incr; lra). lra.
Qed.

(** The mean age of the reports in use, over clients and rounds, and the charges in terms of it. *)
Definition mean_age : R := ages as_reports R0 / (INR N * INR R0).

Lemma charges_are : charges = h ^ 2 * (sigma ^ 2 / INR K) / INR N * INR R0 * (2 * mean_age + 1).
Proof.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK.
  unfold charges. rewrite (charges_total as_reports R0 _ h) by (intros; apply step_is). unfold mean_age.
  destruct (Nat.eq_dec R0 0) as [Z|Z].
  - unfold ages. rewrite Z. cbn [sum]. change (INR 0) with 0. unfold Rdiv. ring.
  - pose proof (lt_0_INR R0 ltac:(lia)). field. lra.
Qed.

Lemma mean_age_pos : 0 <= mean_age.
Proof.
  unfold mean_age, Rdiv. apply Rmult_le_pos.
  - apply sum_pos. intros. apply sum_pos. intros. apply pos_INR.
  - pose proof (clients_pos p) as PN. destruct R0 as [|n].
    + simpl (INR 0). rewrite Rmult_0_r, Rinv_0. lra.
    + pose proof (lt_0_INR (S n) ltac:(lia)). left. apply Rinv_0_lt_compat. now apply Rmult_lt_0_compat.
Qed.

(** From h/4 times the sum over all T = R + 1 models to their average. *)
Lemma average_of b1 b2 b3 : 0 <= b2 -> 0 <= b3 ->
  h * sum (S R0) (fun t => ‖∇ p (w t)‖²) <= b1 + b2 * charges * L + b3 * INR R0 * h ->
  avg (S R0) (fun t => ‖∇ p (w t)‖²) <= b1 / (h * INR (S R0))
    + b2 * h * L * (2 * mean_age + 1) * sigma ^ 2 / (INR N * INR K) + b3.
Proof.
  intros P2 P3 E. pose proof h_pos as Ph. pose proof (lt_0_INR (S R0) ltac:(lia)) as PT.
  pose proof (clients_pos p) as PN. pose proof (lt_0_INR _ (some_step run)) as PK.
  pose proof (smoothness_pos p) as PL. pose proof mean_age_pos as Pm. pose proof (local_step_pos run 0) as Pe.
  rewrite constant in Pe.
  eapply Rle_trans; [apply (avg_from_sum (S R0) _ h _ ltac:(lia) Ph E)|].
  set (c := h * L * (2 * mean_age + 1) * sigma ^ 2 / (INR N * INR K)).
  assert (Pc : 0 <= c).
  { unfold c, Rdiv. apply Rmult_le_pos; [|left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat].
    apply Rmult_le_pos; [|apply pow2_ge_0]. apply Rmult_le_pos; [pos|lra]. }
  replace (b2 * charges * L) with (b2 * c * (h * INR R0)) by (rewrite charges_are; unfold c; field; lra).
  replace (b2 * h * L * (2 * mean_age + 1) * sigma ^ 2 / (INR N * INR K)) with (b2 * c) by (unfold c; field; lra).
  apply (Rmult_le_reg_l (h * INR (S R0))); [now apply Rmult_lt_0_compat|].
  replace (h * INR (S R0) * ((b1 + b2 * c * (h * INR R0) + b3 * INR R0 * h) / (h * INR (S R0))))
    with (b1 + (b2 * c + b3) * (h * INR R0)) by (field; lra).
  replace (h * INR (S R0) * (b1 / (h * INR (S R0)) + b2 * c + b3))
    with (b1 + (b2 * c + b3) * (h * INR (S R0))) by (field; lra).
  rewrite S_INR. assert (0 <= (b2 * c + b3) * h) by (apply Rmult_le_pos; [assert (0 <= b2 * c) by pos|]; lra). lra.
Qed.

(** *** One local step *)
Theorem mifa_one_step : K = 1%nat ->
  avg (S R0) (fun t => ‖∇ p (w t)‖²) <=
  4 * (global p (w 0%nat) - lowest p) / (h * INR (S R0))
  + 6 * h * L * (2 * mean_age + 1) * sigma ^ 2 / (INR N * INR K).
Proof.
  intros One. pose proof h_pos as Ph. pose proof (smoothness_pos p) as PL.
  assert (Path : forall t i, (i < N)%nat -> path_of t i = ∇i p i (w t)).
  { intros t i Hi. unfold path_of, path. rewrite One. unfold mean, exact. simpl.
    rewrite Rinv_1, scale_one, pull by assumption. now rewrite add_comm, add_zero. }
  pose proof (all_rounds 1 1 (fun _ => 0) ltac:(lra) ltac:(lra)) as A.
  rewrite (sum_const R0 0), !Rmult_0_r, Rplus_0_r in A.
  assert (Total : h / 2 * slopes <= global p (w 0%nat) - global p (z R0) - h / 2 * energy
    + h / 2 * (1 * L ^ 2 * distances) + L / 2 * (1 * (h ^ 2 * energy + charges))).
  { apply A.
    - intros t Ht. rewrite norm_add, square_scale, dot_scale_l.
      assert (Z : ⟨D t, charge as_reports R0 t⟩ = 0).
      { rewrite dot_sym. apply (charge_orthogonal as_reports R0 reports_fresh t).
        apply computable_mean. intros i Hi. simpl. rewrite Path by assumption.
        apply computable_gradient; [assumption|]. apply (older_model as_reports).
        apply (last_le as_reports t i Hi). }
      rewrite Z. pose proof (charge_small as_reports R0 reports_fresh _ reports_separate reports_within t). lra.
    - intros t Ht. rewrite Rplus_0_r, <- avg_scale. apply bias; [assumption|]. intros i Hi.
      rewrite Path, Rmult_1_l by assumption. now apply client_lipschitz. }
  clear A. pose proof distances_small as Dist. pose proof age_bound as Ab. pose proof owed_sum as Owed.
  pose proof last_model as Last. pose proof charges_pos as Pc. pose proof (pos_INR tau) as Pt.
  assert (PE : 0 <= energy) by (apply sum_pos; intros; apply dot_pos).
  set (s := h * L * INR tau) in *.
  assert (Dist2 : h / 2 * (1 * L ^ 2 * distances) <= 2 * s * L * charges + h * s ^ 2 * energy).
  { apply (Rmult_le_compat_l (h / 2 * L ^ 2)) in Dist; [unfold s; lra|].
    apply Rmult_le_pos; [lra|apply pow2_ge_0]. }
  assert (C1 : s * (L * charges) <= 3 / 8 * (L * charges)) by (apply Rmult_le_compat_r; [pos|assumption]).
  assert (E1 : h * s ^ 2 * energy <= h * (1 / 8) * energy).
  { apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_l; lra. }
  assert (E2 : h * L * (h * energy) <= 1 / 4 * (h * energy)) by (apply Rmult_le_compat_r; [pos|lra]).
  assert (PLc : 0 <= L * charges) by pos. assert (Phe : 0 <= h * energy) by pos.
  pose proof (average_of (4 * (global p (w 0%nat) - lowest p)) 6 0 ltac:(lra) ltac:(lra)) as F.
  rewrite Rplus_0_r in F. apply F. clear F. cbn [sum].
  apply (Rmult_le_compat_l h) in Owed; [|lra].
  replace (h * (2 * slopes + 2 * L ^ 2 * INR tau * charges)) with (4 * (h / 2 * slopes) + 2 * s * (L * charges)) in Owed
    by (unfold s; field).
  assert (0 <= global p (z R0) - lowest p) by (assert (0 <= h / 2 * ‖∇ p (w R0)‖²) by (pose proof (dot_pos (∇ p (w
    R0))); pos); lra).
  lra.
Qed.

(** *** Any number of local steps *)
Definition q : R := (INR K - 1) / INR K.
Definition gradients : R := sum R0 (fun t => ‖∇ p (w t)‖²).

Lemma q_range : 0 <= q <= 1.
Proof.
  pose proof (le_INR 1 K (some_step run)) as K1. simpl in K1. unfold q. split.
  - apply Rmult_le_pos; [lra|]. left. apply Rinv_0_lt_compat. lra.
  - apply (Rmult_le_reg_r (INR K)); [lra|]. replace ((INR K - 1) / INR K * INR K) with (INR K - 1) by (field; lra). lra.
Qed.

(** Lemma A in terms of h and q. *)
Lemma drift_of t i : (i < N)%nat -> ‖∇i p i (w t) ⊖ path_of t i‖²
  <= 16 / 9 * (h * L) ^ 2 * (q ^ 2 * ‖∇i p i (w t)‖² + q * sigma ^ 2 / INR K).
Proof.
  intros Hi. pose proof (le_INR 1 K (some_step run)) as K1. simpl in K1. pose proof (local_step_pos run 0) as Pe.
  rewrite constant in Pe.
  pose proof (smoothness_pos p) as PL. assert (Pel : 0 <= eta * L) by pos.
  assert (U : drift_sum L eta K <= 1 / 4) by (unfold drift_sum; lra).
  pose proof (drift_own (job t i Hi)) as Dr. rewrite constant in Dr. specialize (Dr ltac:(lra)).
  rewrite pull in Dr by assumption.
  eapply Rle_trans; [exact Dr|]. set (g := ‖∇i p i (w t)‖²). assert (Pg : 0 <= g) by apply dot_pos.
  set (u := drift_sum L eta K) in *.
  assert (Inv : / (1 - u) ^ 2 <= 16 / 9).
  { replace (16 / 9) with (/ (3 / 4) ^ 2) by field. apply Rinv_le_contravar; [lra|]. apply pow_incr. lra. }
  assert (Q : (INR K - 1) * (2 * INR K - 1) / 3 <= (INR K - 1) ^ 2).
  { destruct (Nat.eq_dec K 1) as [->|N1]; [simpl; lra|].
    pose proof (le_INR 2 K ltac:(pose proof (some_step run); lia)) as K2. simpl in K2.
    assert (0 <= (INR K - 1) * (INR K - 2)) by (apply Rmult_le_pos; lra). lra. }
  assert (In : (INR K - 1) * (2 * INR K - 1) / 3 * g + (INR K - 1) * sigma ^ 2
               <= (INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2).
  { apply Rplus_le_compat_r, Rmult_le_compat_r; assumption. }
  assert (P1 : 0 <= (INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2).
  { apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply pow2_ge_0|assumption]|].
    apply Rmult_le_pos; [lra|apply pow2_ge_0]. }
  apply Rle_trans with ((eta * L) ^ 2 * (16 / 9) * ((INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2)).
  - assert (P2 : 0 <= (eta * L) ^ 2) by apply pow2_ge_0.
    assert (Pi : 0 <= / (1 - u) ^ 2) by (left; apply Rinv_0_lt_compat, pow_lt; lra).
    replace (L ^ 2 * eta ^ 2 / (1 - u) ^ 2) with ((eta * L) ^ 2 * / (1 - u) ^ 2) by (unfold Rdiv; ring).
    apply Rle_trans with ((eta * L) ^ 2 * / (1 - u) ^ 2 * ((INR K - 1) ^ 2 * g + (INR K - 1) * sigma ^ 2)).
    + apply Rmult_le_compat_l; [now apply Rmult_le_pos|assumption].
    + apply Rmult_le_compat_r; [assumption|]. now apply Rmult_le_compat_l.
  - right. unfold q. field. lra.
Qed.

Variables (alpha : R) (beta : nat -> R) (nu : nat -> nat).
Hypothesis alpha_pos : 0 <= alpha.
Hypothesis beta_pos : forall i, 0 <= beta i.
Hypothesis alike : forall i y, (i < N)%nat -> ‖∇i p i y‖² <= alpha * ‖∇ p y‖² + beta i.
Hypothesis own_age : forall t i, (i < N)%nat -> (t <= latest run t i + nu i)%nat.
Notation nubar := (avg N (fun i => INR (nu i))).
Notation betabar := (avg N beta).
Hypothesis alike_small : 32 * alpha * (h * L) ^ 2 * (1 + nubar) <= 1.

(** A model is used by client i in at most 1 + nu_i rounds. *)
Lemma uses_of_models : sum R0 (fun t => avg N (fun i => ‖∇ p (w (latest run t i))‖²)) <= (1 + nubar) * gradients.
Proof.
  set (b := fun t => ‖∇ p (w t)‖²). assert (P : forall t, 0 <= b t) by (intros; apply dot_pos).
  apply Rle_trans with (avg N (fun i => sum R0 (fun t => b t + window (nu i) b t))).
  - unfold avg. rewrite sum_scale, sum_swap. apply Rmult_le_compat_l; [apply inv_INR_nonneg|].
    apply sum_le. intros i Hi. apply sum_le. intros t Ht. apply (window_member_or_now (nu i) b t _ P).
    + apply (last_le as_reports t i Hi).
    + now apply own_age.
  - apply Rle_trans with (avg N (fun i => gradients + gradients * INR (nu i))).
    + apply avg_le. intros i Hi. rewrite sum_add. pose proof (window_sum (nu i) b R0 P).
      unfold gradients. fold b. lra.
    + rewrite avg_add, avg_scale, (avg_const N _ (some_client p)). right. ring.
Qed.

Definition local_part : R := q ^ 2 * betabar + q * sigma ^ 2 / INR K.

Lemma local_part_pos : 0 <= local_part.
Proof.
  pose proof q_range. pose proof (lt_0_INR _ (some_step run)). unfold local_part.
  apply Rplus_le_le_0_compat; [apply Rmult_le_pos; [apply pow2_ge_0|now apply avg_pos]|].
  unfold Rdiv. apply Rmult_le_pos; [apply Rmult_le_pos; [lra|apply pow2_ge_0]|]. left. now apply Rinv_0_lt_compat.
Qed.

Definition extra t : R := avg N (fun i => 2 * (16 / 9 * (h * L) ^ 2 *
  (q ^ 2 * (alpha * ‖∇ p (w (latest run t i))‖² + beta i) + q * sigma ^ 2 / INR K))).

Lemma extra_sum : sum R0 extra <= gradients / 9 + 32 / 9 * (h * L) ^ 2 * INR R0 * local_part.
Proof.
  pose proof q_range as Hq. pose proof uses_of_models as U. set (c := 32 / 9 * (h * L) ^ 2).
  assert (Pc : 0 <= c) by (unfold c; pose proof (pow2_ge_0 (h * L)); lra).
  assert (E : sum R0 extra = c * (q ^ 2 * alpha) * sum R0 (fun t => avg N (fun i => ‖∇ p (w (latest run t i))‖²))
                             + INR R0 * (c * local_part)).
  { rewrite <- sum_scale, <- sum_const, <- sum_add. apply sum_ext. intros t _. unfold extra, local_part.
    rewrite (avg_ext N _ (fun i => c * (q ^ 2 * alpha) * ‖∇ p (w (latest run t i))‖²
      + (c * q ^ 2 * beta i + c * (q * sigma ^ 2 / INR K)))) by (intros; unfold c; field; apply not_0_INR;
        pose proof (some_step run); lia).
    rewrite !avg_add, !avg_scale, (avg_const N _ (some_client p)). ring. }
  rewrite E. assert (Pg : 0 <= gradients) by (apply sum_pos; intros; apply dot_pos).
  assert (Q2 : q ^ 2 <= 1) by (rewrite <- (pow1 2); apply pow_incr; lra).
  assert (P2 : 0 <= c * (q ^ 2 * alpha)) by (pose proof (pow2_ge_0 q); pos).
  apply (Rmult_le_compat_l _ _ _ P2) in U.
  assert (PX : 0 <= alpha * (h * L) ^ 2 * (1 + nubar) * gradients).
  { apply Rmult_le_pos; [|assumption]. apply Rmult_le_pos; [apply Rmult_le_pos; [assumption|apply pow2_ge_0]|].
    assert (0 <= nubar) by (apply avg_pos; intros; apply pos_INR). lra. }
  assert (X1 : q ^ 2 * (alpha * (h * L) ^ 2 * (1 + nubar) * gradients) <= 1 * (alpha * (h * L) ^ 2 * (1 + nubar) *
    gradients))
    by (now apply Rmult_le_compat_r).
  assert (X2 : 32 * alpha * (h * L) ^ 2 * (1 + nubar) * gradients <= 1 * gradients) by (now apply Rmult_le_compat_r).
  unfold c in *. lra.
Qed.

Theorem mifa_local_steps :
  avg (S R0) (fun t => ‖∇ p (w t)‖²) <=
  36 / 7 * (global p (w 0%nat) - lowest p) / (h * INR (S R0))
  + 14 * h * L * (2 * mean_age + 1) * sigma ^ 2 / (INR N * INR K)
  + 64 / 7 * (h * L) ^ 2 * (q ^ 2 * betabar + q * sigma ^ 2 / INR K).
Proof.
  pose proof h_pos as Ph. pose proof (smoothness_pos p) as PL. fold local_part.
  assert (Total : h / 2 * slopes <= global p (w 0%nat) - global p (z R0) - h / 2 * energy
    + h / 2 * (2 * L ^ 2 * distances + sum R0 extra) + L / 2 * (2 * (h ^ 2 * energy + charges))).
  { apply (all_rounds 2 2 extra ltac:(lra) ltac:(lra)).
    - intros t Ht. eapply Rle_trans; [apply norm_add2|]. rewrite square_scale.
      pose proof (charge_small as_reports R0 reports_fresh _ reports_separate reports_within t). lra.
    - intros t Ht. rewrite <- avg_scale. unfold extra. rewrite <- avg_add. apply bias; [assumption|]. intros i Hi.
      set (s := latest run t i).
      rewrite (same_norm _ ((∇i p i (z t) ⊖ ∇i p i (w s)) ⊕ (∇i p i (w s) ⊖ path_of s i))) by vectors.
      eapply Rle_trans; [apply norm_add2|]. pose proof (client_lipschitz p i (z t) (w s) Hi) as Lip.
      pose proof (drift_of s i Hi) as Dr. pose proof (alike i (w s) Hi) as Al.
      assert (P3 : 0 <= 16 / 9 * (h * L) ^ 2 * q ^ 2) by (pose proof (pow2_ge_0 (h * L)); pose proof (pow2_ge_0 q);
        pos).
      apply (Rmult_le_compat_l _ _ _ P3) in Al. lra. }
  pose proof distances_small as Dist. pose proof age_bound as Ab. pose proof owed_sum as Owed.
  pose proof last_model as Last. pose proof charges_pos as Pc. pose proof (pos_INR tau) as Pt.
  pose proof extra_sum as Ex. pose proof local_part_pos as Plp.
  assert (PE : 0 <= energy) by (apply sum_pos; intros; apply dot_pos).
  set (s := h * L * INR tau) in *.
  assert (Dist2 : h / 2 * (2 * L ^ 2 * distances) <= 4 * s * L * charges + 2 * h * s ^ 2 * energy).
  { apply (Rmult_le_compat_l (h * L ^ 2)) in Dist; [unfold s; lra|].
    apply Rmult_le_pos; [lra|apply pow2_ge_0]. }
  assert (C1 : s * (L * charges) <= 3 / 8 * (L * charges)) by (apply Rmult_le_compat_r; [pos|assumption]).
  assert (E1 : h * s ^ 2 * energy <= h * (1 / 8) * energy).
  { apply Rmult_le_compat_r; [assumption|]. apply Rmult_le_compat_l; lra. }
  assert (E2 : h * L * (h * energy) <= 1 / 4 * (h * energy)) by (apply Rmult_le_compat_r; [pos|lra]).
  assert (PLc : 0 <= L * charges) by pos. assert (Phe : 0 <= h * energy) by pos.
  assert (Px : 0 <= (h * L) ^ 2 * local_part) by (apply Rmult_le_pos; [apply pow2_ge_0|assumption]).
  apply average_of; [lra|lra|]. cbn [sum]. fold gradients in Owed |- *.
  apply (Rmult_le_compat_l h) in Owed; [|lra]. apply (Rmult_le_compat_l h) in Ex; [|lra].
  replace (h * (2 * slopes + 2 * L ^ 2 * INR tau * charges)) with (4 * (h / 2 * slopes) + 2 * s * (L * charges)) in Owed
    by (unfold s; field).
  pose proof (dot_pos (∇ p (w R0))) as Pr.
  assert (0 <= h / 2 * ‖∇ p (w R0)‖²) by pos.
  lra.
Qed.
End Rounds.
End Mifa.
