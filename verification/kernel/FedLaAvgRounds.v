(** * FedLaAvg with C local steps per round

    In round t + 1 the selected clients start from the server's model x_t, take C stochastic gradient
    steps of size gamma, and send their C stochastic gradients (in practice only the sum). The server
    keeps every client's latest ones, zero for those who have not taken part yet, and moves by -gamma
    times the sum over l < C of the mean over the clients of the l-th gradients.

    The record [FedLaAvgRounds] is such a run; one local step gives Algorithm 1 of the paper, more of
    them the algorithm of its Appendix B.4. Who takes part, and when, is arbitrary: [stale_at_most I]
    says that nobody's latest gradients are more than I rounds old, and for the rule of the paper
    (Staleness.v) I is ceil(N/K) E - 1 ([rule_gives_staleness]). [second_moments G] is the paper's
    Assumption 3. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export LocalWork Delay Staleness.
Open Scope R_scope.

Record FedLaAvgRounds {H : Space} (p : Problem H) := {
  step : R;
  local_steps : nat;
  noise_level : R;
  (* who takes part in round t = 1, 2, ... *)
  selected : nat -> nat -> bool;
  (* client i from model t: local models, noise and stochastic gradient of local step k *)
  local : nat -> nat -> nat -> H;
  noise : nat -> nat -> nat -> H;
  sample : nat -> nat -> nat -> H;
  (* the server after round t: client i's latest gradients, and the model *)
  stored : nat -> nat -> nat -> H;
  model : nat -> H;
  pull : forall t i, local t i 0%nat = model t;
  gradient_taken : forall t i k, sample t i k = ∇i p i (local t i k) ⊕ noise t i k;
  work : forall t i k, local t i (S k) = local t i k ⊕ (- step) ⊙ sample t i k;
  nothing_stored : forall i k, stored 0%nat i k = zero;
  store : forall t i k, stored (S t) i k = if selected (S t) i then sample t i k else stored t i k;
  serve : forall t, model (S t) =
    model t ⊕ (- step) ⊙ vsum local_steps (fun k => mean (clients p) (fun i => stored (S t) i k));
  (* bounds *)
  step_positive : 0 < step;
  some_steps : (0 < local_steps)%nat;
  noise_level_pos : 0 <= noise_level;
  variance : forall t i k, (i < clients p)%nat -> (k < local_steps)%nat ->
    ‖noise t i k‖² <= noise_level ^ 2
}.

Arguments step {H p}. Arguments local_steps {H p}. Arguments noise_level {H p}.
Arguments selected {H p}. Arguments local {H p}. Arguments noise {H p}. Arguments sample {H p}.
Arguments stored {H p}. Arguments model {H p}. Arguments pull {H p}.
Arguments gradient_taken {H p}. Arguments work {H p}. Arguments nothing_stored {H p}.
Arguments store {H p}. Arguments serve {H p}. Arguments step_positive {H p}.
Arguments some_steps {H p}. Arguments noise_level_pos {H p}. Arguments variance {H p}.

Lemma avg_swap n m (f : nat -> nat -> R) :
  avg n (fun i => avg m (f i)) = avg m (fun j => avg n (fun i => f i j)).
Proof. unfold avg. rewrite !sum_scale, sum_swap. ring. Qed.

(** Model, client and local step of a draw of noise. *)
Definition draw : Type := nat * nat * nat.

Section Run.
Context {H : Space} {p : Problem H} (run : FedLaAvgRounds p).
Notation N := (clients p).
Notation L := (smoothness p).
Notation x := (model run).
Notation gamma := (step run).
Notation C := (local_steps run).
Notation sigma := (noise_level run).
Notation last := (last (selected run)).

(** Draws before a draw: all at older models, those of other clients, and one's own earlier ones. *)
Definition drawn (d : draw) : Prop := let '(t, i, k) := d in (i < N)%nat /\ (k < C)%nat.
Definition before (c d : draw) : Prop :=
  let '(s, j, l) := c in let '(t, i, k) := d in (s < t)%nat \/ s = t /\ (j <> i \/ (l < k)%nat).
Definition noise_of (d : draw) : H := let '(t, i, k) := d in noise run t i k.
Definition unbiased_noise : Prop := unbiased p drawn before noise_of (x 0%nat).

(** No client's latest gradients are more than I rounds old. *)
Definition stale_at_most (I : nat) : Prop := forall t i, (i < N)%nat -> (t <= last t i + I)%nat.

(** Assumption 3. *)
Definition second_moments (G : R) : Prop := forall t i k, (i < N)%nat -> (k < C)%nat ->
  ‖sample run t i k‖² <= G ^ 2.

Notation knows t i k := (known p drawn before noise_of (x 0%nat) (t, i, k)).

Lemma rule_gives_staleness K E : Selection N K E (selected run) -> stale_at_most (groups N K * E - 1).
Proof. intros Rule t i Hi. pose proof (staleness Rule t i Hi). lia. Qed.

Lemma some_C : 0 < INR C.
Proof. apply lt_0_INR, some_steps. Qed.

(** ** What the server stores *)
Lemma stored_is t i k :
  stored run t i k = match last t i with O => zero | S s => sample run s i k end.
Proof.
  induction t; simpl; [apply nothing_stored|]. rewrite (store run).
  destruct (selected run (S t) i); [reflexivity|assumption].
Qed.

(** ** What is known before a draw *)
Lemma knows_noise t i k s j l : (j < N)%nat -> (l < C)%nat -> before (s, j, l) (t, i, k) ->
  knows t i k (noise run s j l).
Proof.
  intros Hj Hl B. apply (known_noise p drawn before noise_of (x 0%nat) (t, i, k) (s, j, l)); [now split|exact B].
Qed.

Lemma knows_local t i k s j l : (j < N)%nat -> (l <= C)%nat ->
  (forall q, (q < l)%nat -> before (s, j, q) (t, i, k)) ->
  knows t i k (x s) -> knows t i k (local run s j l).
Proof.
  intros Hj Hl B Kx. induction l as [|l IH]; [now rewrite (pull run)|].
  assert (knows t i k (local run s j l)) by (apply IH; [lia|auto]).
  rewrite (work run), (gradient_taken run). known_parts; auto.
  - now apply computable_gradient.
  - apply knows_noise; auto; lia.
Qed.

Lemma knows_model t i k s : (s <= t)%nat -> knows t i k (x s).
Proof.
  induction s as [s IH] using lt_wf_ind. intros Hs. destruct s as [|s]; [apply known_start|].
  rewrite (serve run). apply computable_add; [apply IH; lia|]. apply computable_scale.
  assert (Some : forall c, (c <= C)%nat ->
    knows t i k (vsum c (fun k0 => mean N (fun j => stored run (S s) j k0)))).
  { induction c; intros Hc; simpl; [apply computable_zero|]. apply computable_add; [apply IHc; lia|].
    apply computable_mean. intros j Hj. rewrite stored_is. pose proof (last_le (selected run) (S s) j).
    destruct (last (S s) j) as [|u]; [apply computable_zero|]. rewrite (gradient_taken run).
    apply computable_add; [apply computable_gradient; [assumption|]|].
    - apply knows_local; [assumption|lia| |apply IH; lia]. intros q Hq. left. lia.
    - apply knows_noise; [assumption|lia|]. left. lia. }
  now apply Some.
Qed.

(** ** Noise *)
Hypothesis Fair : unbiased_noise.

Lemma noise_meets_nothing t i k y : (i < N)%nat -> (k < C)%nat -> knows t i k y -> ⟨noise run t i k, y⟩ = 0.
Proof. intros Hi Hk Y. apply (Fair (t, i, k)); [now split|assumption]. Qed.

Lemma noise_meets_noise t i k s j l : (i < N)%nat -> (j < N)%nat -> (k < C)%nat -> (l < C)%nat -> i <> j ->
  ⟨noise run t i k, noise run s j l⟩ = 0.
Proof.
  intros Hi Hj Hk Hl Nij. apply (noise_orthogonal p drawn before noise_of (x 0%nat) (t, i, k) (s, j, l));
    [exact Fair|now split|now split|]. simpl.
  destruct (Nat.lt_trichotomy t s) as [?|[->|?]]; [left|left|right]; auto.
Qed.

Lemma job t i : (i < N)%nat -> LocalWork p i gamma sigma C C (local run t i) (noise run t i).
Proof.
  intros Hi. constructor; auto.
  - apply step_positive.
  - apply noise_level_pos.
  - pose proof (some_steps run). lia.
  - intros k Hk. now rewrite (work run), (gradient_taken run).
  - intros k y Hk Y. apply noise_meets_nothing; auto.
    apply (computable_through p _ _ _) with (2 := Y). intros z [->|[l [Hl ->]]].
    + rewrite (pull run). now apply knows_model.
    + apply knows_noise; [assumption|lia|]. right. auto.
  - intros. now apply variance.
Qed.

(** ** The mean of the stored gradients, and of their noise *)
Definition path_of t i : H := match last (S t) i with O => zero | S s => path p i C (local run s i) end.
Definition hum_of t i : H := match last (S t) i with O => zero | S s => hum C (noise run s i) end.
Definition paths t : H := mean N (path_of t).
Definition hums t : H := mean N (hum_of t).
Definition used t : H := mean C (fun k => mean N (fun i => stored run (S t) i k)).

Lemma serve_used t : x (S t) = x t ⊕ (- (gamma * INR C)) ⊙ used t.
Proof.
  pose proof some_C. rewrite (serve run). unfold used. unfold mean at 2. rewrite scale_scale.
  f_equal. f_equal. field. lra.
Qed.

Lemma used_is t : same (used t) (paths t ⊕ hums t).
Proof.
  intros z. unfold used, paths, hums. rewrite dot_add_l, !dot_mean_l, <- avg_add.
  rewrite (avg_ext C _ (fun k => avg N (fun i => ⟨stored run (S t) i k, z⟩))) by (intros; apply dot_mean_l).
  rewrite avg_swap. apply avg_ext. intros i Hi. unfold path_of, hum_of.
  rewrite (avg_ext C _ (fun k => match last (S t) i with O => 0 | S s =>
      ⟨∇i p i (local run s i k), z⟩ + ⟨noise run s i k, z⟩ end)).
  - destruct (last (S t) i) as [|s]; [rewrite !dot_zero_l, avg_const by apply some_steps; ring|].
    unfold path, hum. now rewrite avg_add, !dot_mean_l.
  - intros k _. rewrite stored_is. destruct (last (S t) i) as [|s]; [apply dot_zero_l|].
    now rewrite (gradient_taken run), dot_add_l.
Qed.

(** Noise of one round: sigma^2/(C N). *)
Definition nu : R := sigma ^ 2 / (INR C * INR N).

Lemma hums_square t : ‖hums t‖² <= nu.
Proof.
  pose proof some_C as PC. pose proof (clients_pos p) as PN.
  replace nu with (sigma ^ 2 / INR C / INR N) by (unfold nu; field; lra).
  assert (P : 0 <= sigma ^ 2 / INR C) by (apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat]).
  apply norm_mean_orthogonal; [apply some_client| |].
  - intros i j Hi Hj Nij. unfold hum_of. destruct (last (S t) i) as [|s]; [apply dot_zero_l|].
    destruct (last (S t) j) as [|u]; [apply dot_zero_r|]. apply hum_orthogonal. intros k Hk.
    unfold hum. rewrite dot_mean_r. unfold avg. rewrite sum_zero; [ring|]. intros l Hl. now apply noise_meets_noise.
  - intros i Hi. unfold hum_of. destruct (last (S t) i) as [|s]; [now rewrite dot_zero_l|].
    apply (hum_square (job s i Hi)).
Qed.

(** The noise in the memory is at most I rounds old, so the model of I rounds ago does not know it. *)
Lemma hums_meet_old_model I t : stale_at_most I -> ⟨∇ p (x (t - I)%nat), hums t⟩ = 0.
Proof.
  intros Fresh. unfold hums. rewrite dot_mean_r. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
  unfold hum_of. pose proof (Fresh (S t) i Hi). destruct (last (S t) i) as [|s]; [apply dot_zero_r|].
  rewrite dot_sym. apply hum_orthogonal. intros k Hk. apply noise_meets_nothing; auto.
  apply computable_global, knows_model. lia.
Qed.

(** ** Sizes, by Assumption 3 *)
Section Bounded.
Context (G : R).
Hypotheses (G_pos : 0 <= G) (Bounded : second_moments G).

(** The gradient itself is no larger than its noisy sample. *)
Lemma client_gradient_square t i k : (i < N)%nat -> (k < C)%nat -> ‖∇i p i (local run t i k)‖² <= G ^ 2.
Proof.
  intros Hi Hk. pose proof (Bounded t i k Hi Hk) as Q. rewrite (gradient_taken run), norm_add in Q.
  assert (Z : ⟨∇i p i (local run t i k), noise run t i k⟩ = 0).
  { rewrite dot_sym. apply noise_meets_nothing; auto. apply computable_gradient; [assumption|].
    apply knows_local; [assumption|lia| |now apply knows_model]. intros q Hq. right. auto. }
  rewrite Z in Q. pose proof (dot_pos (noise run t i k)). lra.
Qed.

Lemma gradient_square t : ‖∇ p (x t)‖² <= G ^ 2.
Proof.
  apply norm_mean_le; [apply some_client|]. intros i Hi. rewrite <- (pull run t i).
  apply client_gradient_square; [assumption|apply some_steps].
Qed.

Lemma sample_norm t i k : (i < N)%nat -> (k < C)%nat -> norm (sample run t i k) <= G.
Proof. intros Hi Hk. apply norm_le; [assumption|]. pose proof (Bounded t i k Hi Hk). lra. Qed.

(** After k local steps a client is at most gamma k G from where it started. *)
Lemma strayed t i k : (i < N)%nat -> (k <= C)%nat -> norm (x t ⊖ local run t i k) <= INR k * (gamma * G).
Proof.
  intros Hi Hk. pose proof (step_positive run). induction k.
  - rewrite (pull run), add_opp, norm_zero. simpl. lra.
  - rewrite (work run), S_INR.
    rewrite (norm_same _ ((x t ⊖ local run t i k) ⊕ gamma ⊙ sample run t i k)) by vectors.
    eapply Rle_trans; [apply norm_triangle|]. rewrite norm_scale, Rabs_pos_eq by lra.
    specialize (IHk ltac:(lia)). pose proof (sample_norm t i k Hi ltac:(lia)) as D.
    apply (Rmult_le_compat_l gamma) in D; lra.
Qed.

(** So its mean gradient differs from its first one by at most this mean square. *)
Definition stray : R := (gamma * L * G) ^ 2 * ((INR C - 1) * (2 * INR C - 1) / 6).

Lemma path_stray t i : (i < N)%nat -> ‖∇i p i (x t) ⊖ path p i C (local run t i)‖² <= stray.
Proof.
  intros Hi. pose proof some_C as PC. unfold path. rewrite (same_norm _ _ (mean_sub C _ _ (some_steps run))).
  eapply Rle_trans; [apply norm_mean|].
  apply Rle_trans with (avg C (fun k => (gamma * L * G) ^ 2 * INR k ^ 2)).
  - apply avg_le. intros k Hk. unfold exact. eapply Rle_trans; [now apply client_lipschitz|].
    replace ((gamma * L * G) ^ 2 * INR k ^ 2) with (L ^ 2 * (INR k * (gamma * G) * (INR k * (gamma * G)))) by ring.
    apply Rmult_le_compat_l; [pos|]. apply norm_le_square, strayed; [assumption|lia].
  - rewrite avg_scale. unfold avg, stray. rewrite sum_squares. right. field. lra.
Qed.
End Bounded.
End Run.
