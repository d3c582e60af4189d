(** * FedLaAvg in expectation, in the words of the ledger

    The theorems of Staleness.v and FedLaAvg.v about random runs on a finite probability space: the
    noise of a stochastic gradient has mean zero given the start, all noise at older models and that of
    other clients at the same model. Who takes part is fixed beforehand, by the rule of the paper (for
    random participation that does not depend on the noise, condition on it). N clients, T iterations,
    K clients used at a time, everybody available once in any E iterations: all are arbitrary.

    - [lemma1]: no client's latest participation is more than ceil(N/K) E - 1 iterations old (Lemma 1), or
      rounds, if participation and availability are counted in rounds (Lemma 5);
    - [theorem3_printed]: eq. (33), from a cold start;
    - [theorem3_improved]: half of it and less, up to gamma = 1/(2L), if all take part at first. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance FedLaAvg Numbers Claims_fedlaavg.
Open Scope R_scope.

(** ** ceil(N/K) E - 1, as a natural and as a real number *)
Lemma groups_ceiling N K : (0 < K)%nat -> Numbers.ceiling (INR N / INR K) = INR (groups N K).
Proof.
  intros HK. pose proof (lt_0_INR K HK) as PK. unfold groups. apply ceiling_unique.
  pose proof (Nat.div_mod (N + K - 1) K ltac:(lia)) as E.
  pose proof (Nat.mod_upper_bound (N + K - 1) K ltac:(lia)) as B. set (c := ((N + K - 1) / K)%nat) in *.
  assert (Low : (K * c < N + K)%nat) by lia. assert (High : (N <= K * c)%nat) by lia.
  apply lt_INR in Low. apply le_INR in High. rewrite plus_INR in Low. rewrite mult_INR in Low, High.
  split; apply (Rmult_lt_reg_l (INR K)) || apply (Rmult_le_reg_l (INR K)); try assumption.
  - replace (INR K * (INR N / INR K)) with (INR N) by (field; lra). lra.
  - replace (INR K * (INR N / INR K)) with (INR N) by (field; lra). lra.
Qed.

(** I of the paper. *)
Definition oldest N K E : R := INR E * Numbers.ceiling (INR N / INR K) - 1.

Lemma oldest_is N K E selected : (0 < N)%nat -> Selection N K E selected ->
  oldest N K E = INR (groups N K * E - 1).
Proof.
  intros HN Rule. unfold oldest. rewrite (groups_ceiling N K (some_selected Rule)).
  assert (0 < E)%nat by (destruct (within_window Rule 0%nat 0%nat HN) as [s [Hs _]]; lia).
  pose proof (clients_covered Rule). assert (1 <= groups N K)%nat by nia.
  rewrite minus_INR by nia. rewrite mult_INR. simpl. ring.
Qed.

Theorem lemma1 N K E selected : Selection N K E selected -> forall t i, (i < N)%nat ->
  INR (t - last selected t i) <=
  fedlaavg_lem1_right (availability_window := INR E) (clients_per_round := INR K) (num_clients := INR N) /\
  INR (t - last selected t i) <=
  fedlaavg_lem5_right (availability_window := INR E) (clients_per_round := INR K) (num_clients := INR N).
Proof.
  intros Rule t i Hi. cut (INR (t - last selected t i) <= oldest N K E); [intros B; split; exact B|].
  rewrite (oldest_is N K E selected ltac:(lia) Rule). apply le_INR. now apply staleness.
Qed.

(** ** Random runs *)
Section Expected.
Context (P : Law) {X : Space} (p : Problem X) (run : FedLaAvg (expected P p)) (K E : nat).
Hypothesis rule : Selection (clients p) K E (selected run).
Hypothesis fair : fair_noise P (drawn (p := expected P p)) before (noise_at run) (model run 0%nat).

(** The mean over the iterations of E |grad f (x_t)|^2, and the expected loss at the start above low. *)
Definition mean_squared_gradient (T : nat) : R :=
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)).
Definition initial_gap : R := expect P (fun w => global p (model run 0%nat w)) - lowest p.

Lemma in_expectation T : mean_squared_gradient T = avg T (fun t => ‖∇ (expected P p) (model run t)‖²).
Proof. apply avg_ext. intros t _. symmetry. apply expected_square. Qed.

Lemma gap_in_expectation : initial_gap = global (expected P p) (model run 0%nat) - lowest p.
Proof. unfold initial_gap. now rewrite expected_global. Qed.

Theorem theorem3_printed T : (0 < T)%nat ->
  fedlaavg_thm3_condition_step (local_step_size := step run) (smoothness := smoothness p) ->
  mean_squared_gradient T <=
  fedlaavg_thm3_right (gradient_bound := gradient_bound run) (gradient_noise := noise_bound run)
    (initial_loss_gap := initial_gap) (local_step_size := step run) (num_clients := INR (clients p))
    (num_rounds := INR T) (smoothness := smoothness p) (staleness_bound := oldest (clients p) K E).
Proof.
  intros HT Small. unfold fedlaavg_thm3_condition_step in Small. rewrite in_expectation, gap_in_expectation.
  pose proof (theorem3 run (fair_unbiased P p _ _ _ _ fair) _ T (rule_gives_staleness run K E rule) HT Small) as B.
  change (clients (expected P p)) with (clients p) in B. change (smoothness (expected P p)) with (smoothness p) in B.
  rewrite <- (oldest_is _ K E _ (some_client p) rule) in B. eapply Rle_trans; [exact B|]. right.
  unfold fedlaavg_thm3_right. pose proof (clients_pos p) as PN. pose proof (sqrt_lt_R0 _ PN).
  pose proof (step_pos run). pose proof (lt_0_INR T HT). change (lowest (expected P p)) with (lowest p). field. lra.
Qed.

Theorem theorem3_improved T : (0 < T)%nat ->
  fedlaavg_thm3_improved_condition_step (local_step_size := step run) (smoothness := smoothness p) ->
  (forall i, (i < clients p)%nat -> selected run 1%nat i = true) ->
  mean_squared_gradient T <=
  fedlaavg_thm3_improved_right (gradient_bound := gradient_bound run) (gradient_noise := noise_bound run)
    (initial_loss_gap := initial_gap) (local_step_size := step run) (num_clients := INR (clients p))
    (num_rounds := INR T) (smoothness := smoothness p) (staleness_bound := oldest (clients p) K E).
Proof.
  intros HT Small Warm. unfold fedlaavg_thm3_improved_condition_step in Small.
  rewrite in_expectation, gap_in_expectation.
  pose proof (theorem3_warm run (fair_unbiased P p _ _ _ _ fair) _ (rule_gives_staleness run K E rule)) as B.
  change (smoothness (expected P p)) with (smoothness p) in B. specialize (B ltac:(lra) T HT Warm).
  change (clients (expected P p)) with (clients p) in B.
  rewrite <- (oldest_is _ K E _ (some_client p) rule) in B. eapply Rle_trans; [exact B|]. right.
  unfold fedlaavg_thm3_improved_right. pose proof (clients_pos p) as PN. pose proof (sqrt_lt_R0 _ PN).
  pose proof (step_pos run). pose proof (lt_0_INR T HT). change (lowest (expected P p)) with (lowest p). field. lra.
Qed.
End Expected.
