(** * AFA-CS: anarchic federated learning across silos (AFL, Algorithm 3)

    Workers pull, work and return as in AFA-CD ([CrossDevice.v]), but the server remembers the latest
    update of every worker and moves its model against the mean of all M remembered updates, in
    every round.

    The record [CrossSilo] is such a run. The memory of round t holds for worker i the update that
    arrived in round [last] t i <= t. An update that worker i delivered in round a started from the
    model of round a - [delay] a i and took [steps] a i local steps. No remembered update is ever
    based on a model of more than [max_age] rounds before ([age_bound]; tau in the paper); in
    particular the memory is full from the first round on. Nothing else is assumed about arrivals.

    A draw of noise is orthogonal to everything that can be computed from the start, from its own
    job's earlier draws, and from jobs that started no later than its own ([before]). A remembered
    update is used again and again, so its noise is NOT orthogonal to later models. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export LocalWork Delay.
Open Scope R_scope.

Record CrossSilo {H : Space} (p : Problem H) := {
  (* how long, how old *)
  most_steps : nat;
  least_steps : nat;
  max_age : nat;
  local_step : R;
  server_step : R;
  noise_level : R;
  (* in which round the remembered update of worker i arrived *)
  last : nat -> nat -> nat;
  (* the update that worker i delivered in round a: from when, of how many local steps *)
  delay : nat -> nat -> nat;
  steps : nat -> nat -> nat;
  (* the server's models; the models and the noise of local step k *)
  model : nat -> H;
  local : nat -> nat -> nat -> H;
  noise : nat -> nat -> nat -> H;
  (* worker, lines 1 to 3, and server, lines 1 to 3 *)
  pull : forall a i, (i < clients p)%nat -> local a i 0%nat = model (a - delay a i)%nat;
  work : forall a i k, (i < clients p)%nat -> (k < steps a i)%nat ->
    local a i (S k) = local a i k ⊕ (- local_step) ⊙ (∇i p i (local a i k) ⊕ noise a i k);
  serve : forall t,
    model (S t) = model t ⊕ (- (server_step * local_step)) ⊙
    mean (clients p) (fun i => let a := last t i in update p i (steps a i) (local a i) (noise a i));
  (* bounds *)
  has_arrived : forall t i, (i < clients p)%nat -> (last t i <= t)%nat;
  delay_bound : forall a i, (i < clients p)%nat -> (delay a i <= a)%nat;
  age_bound : forall t i, (i < clients p)%nat -> (t <= last t i - delay (last t i) i + max_age)%nat;
  some_steps : forall a i, (i < clients p)%nat -> (least_steps <= steps a i <= most_steps)%nat;
  least_steps_pos : (0 < least_steps)%nat;
  local_step_pos : 0 < local_step;
  server_step_pos : 0 < server_step;
  noise_level_pos : 0 <= noise_level;
  variance : forall a i k, (i < clients p)%nat -> (k < steps a i)%nat ->
    ‖noise a i k‖² <= noise_level ^ 2
}.

Arguments most_steps {H p}. Arguments least_steps {H p}. Arguments max_age {H p}.
Arguments local_step {H p}. Arguments server_step {H p}. Arguments noise_level {H p}.
Arguments last {H p}. Arguments delay {H p}. Arguments steps {H p}. Arguments model {H p}.
Arguments local {H p}. Arguments noise {H p}. Arguments pull {H p}. Arguments work {H p}.
Arguments serve {H p}. Arguments has_arrived {H p}. Arguments delay_bound {H p}.
Arguments age_bound {H p}. Arguments some_steps {H p}. Arguments least_steps_pos {H p}.
Arguments local_step_pos {H p}. Arguments server_step_pos {H p}. Arguments noise_level_pos {H p}.
Arguments variance {H p}.

(** Round of arrival, worker and local step of a draw of noise. *)
Definition draw : Type := nat * nat * nat.

Section Run.
Context {H : Space} {p : Problem H} (run : CrossSilo p).

(** The round from whose model a job started. *)
Definition start_of a i : nat := (a - delay run a i)%nat.

Definition drawn (d : draw) : Prop :=
  let '(a, i, k) := d in (i < clients p)%nat /\ (k < steps run a i)%nat.

Definition before (c d : draw) : Prop :=
  let '(b, j, l) := c in let '(a, i, k) := d in
  (b = a /\ j = i /\ (l < k)%nat) \/ ((b <> a \/ j <> i) /\ (start_of b j <= start_of a i)%nat).

Definition noise_of (d : draw) : H := let '(a, i, k) := d in noise run a i k.

Definition unbiased_noise : Prop := unbiased p drawn before noise_of (model run 0%nat).

Notation L := (smoothness p).
Notation M := (clients p).
Notation x := (model run).
Notation eta := (local_step run).
Notation g := (server_step run * local_step run).
Notation sigma := (noise_level run).
Notation K := (most_steps run).
Notation tau := (max_age run).
Notation knows a i k := (known p drawn before noise_of (model run 0%nat) (a, i, k)).

Lemma g_pos : 0 < g.
Proof. apply Rmult_lt_0_compat; [apply server_step_pos|apply local_step_pos]. Qed.

Lemma some_K : (1 <= K)%nat.
Proof.
  pose proof (some_steps run 0%nat 0%nat (some_client p)). pose proof (least_steps_pos run). lia.
Qed.

Lemma steps_some a i : (i < M)%nat -> (0 < steps run a i <= K)%nat.
Proof. intros Hi. pose proof (some_steps run a i Hi). pose proof (least_steps_pos run). lia. Qed.

(** ** What is known before a draw *)
Definition job_path a i : H := path p i (steps run a i) (local run a i).
Definition job_hum a i : H := hum (steps run a i) (noise run a i).

Lemma knows_noise a i k b j l : drawn (b, j, l) -> before (b, j, l) (a, i, k) -> knows a i k (noise run b j l).
Proof. intros D B. apply (known_noise p drawn before noise_of (x 0%nat) (a, i, k) (b, j, l) D B). Qed.

Lemma knows_local a i k b j l : (j < M)%nat -> (l <= steps run b j)%nat ->
  (forall q, (q < l)%nat -> before (b, j, q) (a, i, k)) ->
  knows a i k (x (start_of b j)) -> knows a i k (local run b j l).
Proof.
  intros Hj Hl B Kx. induction l as [|l IH]; [now rewrite (pull run)|].
  assert (knows a i k (local run b j l)) by (apply IH; [lia|auto]).
  rewrite (work run) by (auto; lia). known_parts; auto.
  - now apply computable_gradient.
  - apply knows_noise; [split; [assumption|lia]|auto].
Qed.

(** Models up to the start of a job do not depend on the job. *)
Lemma knows_model a i k u : (i < M)%nat -> (u <= start_of a i)%nat -> knows a i k (x u).
Proof.
  intros Hi. induction u as [u IH] using lt_wf_ind. intros Hu. destruct u as [|u]; [apply known_start|].
  rewrite (serve run). unfold update. cbv zeta. known_parts; [apply IH; lia| |]; rename i0 into j, i1 into l.
  - pose proof (has_arrived run u j ltac:(assumption)).
    apply computable_gradient; [assumption|]. apply knows_local; [assumption|lia| |].
    + intros q Hq. right. unfold start_of in *. split; [left|]; lia.
    + apply IH; unfold start_of in *; lia.
  - pose proof (has_arrived run u j ltac:(assumption)). apply knows_noise; [now split|].
    right. unfold start_of in *. split; [left|]; lia.
Qed.

Lemma knows_path a i k b j : (i < M)%nat -> (j < M)%nat -> b <> a \/ j <> i ->
  (start_of b j <= start_of a i)%nat -> knows a i k (job_path b j).
Proof.
  intros Hi Hj N S0. apply computable_mean. intros l Hl. apply computable_gradient; [assumption|].
  apply knows_local; [assumption|lia| |now apply knows_model]. intros q Hq. right. now split.
Qed.

Lemma knows_hum a i k b j : (j < M)%nat -> b <> a \/ j <> i -> (start_of b j <= start_of a i)%nat ->
  knows a i k (job_hum b j).
Proof. intros Hj N S0. apply computable_mean. intros l Hl. apply knows_noise; [now split|]. right. now split. Qed.

(** ** The noise in the memory *)
Hypothesis Fair : unbiased_noise.

Lemma noise_meets_nothing a i k y : (i < M)%nat -> (k < steps run a i)%nat ->
  knows a i k y -> ⟨noise run a i k, y⟩ = 0.
Proof. intros Hi Hk Y. apply (Fair (a, i, k)); [now split|assumption]. Qed.

Lemma hum_meets_nothing a i y : (i < M)%nat -> (forall k, knows a i k y) -> ⟨job_hum a i, y⟩ = 0.
Proof. intros Hi Y. apply hum_orthogonal. intros. now apply noise_meets_nothing. Qed.

Lemma job a i : (i < M)%nat ->
  LocalWork p i eta sigma K (steps run a i) (local run a i) (noise run a i).
Proof.
  intros Hi. constructor; auto.
  - apply local_step_pos.
  - apply noise_level_pos.
  - now apply steps_some.
  - intros. now apply work.
  - intros k y Hk Y. apply noise_meets_nothing; auto.
    apply (computable_through p _ _ _) with (2 := Y). intros z [->|[l [Hl ->]]].
    + rewrite (pull run) by assumption. now apply knows_model.
    + apply knows_noise; [split; [assumption|lia]|left; auto].
  - intros. now apply variance.
Qed.

Definition paths t : H := mean M (fun i => job_path (last run t i) i).
Definition hums t : H := mean M (fun i => job_hum (last run t i) i).
Definition used t : H :=
  mean M (fun i => let a := last run t i in update p i (steps run a i) (local run a i) (noise run a i)).

Lemma used_is t : same (used t) (paths t ⊕ hums t).
Proof.
  intros z. unfold used, paths, hums. rewrite dot_add_l, !dot_mean_l, <- avg_add. apply avg_ext.
  intros i _. cbv zeta. rewrite update_is. apply dot_add_l.
Qed.

(** Noise of one round: sigma^2 / (K_min M). *)
Definition nu : R := sigma ^ 2 / (INR (least_steps run) * INR M).

Lemma hums_square t : ‖hums t‖² <= nu.
Proof.
  pose proof (least_steps_pos run) as PL. apply lt_0_INR in PL. pose proof (clients_pos p) as PM.
  replace nu with (sigma ^ 2 / INR (least_steps run) / INR M) by (unfold nu; field; lra).
  apply norm_mean_orthogonal; [apply some_client| |].
  - intros i j Hi Hj N. destruct (Nat.le_ge_cases (start_of (last run t j) j) (start_of (last run t i) i)).
    + apply hum_meets_nothing; auto. intros. apply knows_hum; auto.
    + rewrite dot_sym. apply hum_meets_nothing; auto. intros. apply knows_hum; auto.
  - intros i Hi. eapply Rle_trans; [apply (hum_square (job (last run t i) i Hi))|].
    apply Rmult_le_compat_l; [pos|]. apply Rinv_le_contravar; [assumption|]. apply le_INR.
    now apply (some_steps run).
Qed.

Lemma nu_pos : 0 <= nu.
Proof. pose proof (dot_pos (hums 0%nat)). pose proof (hums_square 0%nat). lra. Qed.

(** The noise in the memory is orthogonal to models of tau or more rounds ago. *)
Lemma hums_meet_old_models t y : computable p (fun z => exists u, (u <= t - tau)%nat /\ z = x u) y ->
  ⟨hums t, y⟩ = 0.
Proof.
  intros Y. unfold hums. rewrite dot_mean_l. unfold avg. rewrite sum_zero; [ring|].
  intros i Hi. apply hum_meets_nothing; auto. intros k. apply (computable_through p _ _ _) with (2 := Y).
  intros z [u [Hu ->]]. apply knows_model; [assumption|]. pose proof (age_bound run t i Hi). unfold start_of. lia.
Qed.

Lemma lag_of_memory t i : (i < M)%nat -> ‖x t ⊖ x (start_of (last run t i) i)‖² <=
  2 * g ^ 2 * (INR tau * window tau (square paths) t + INR tau ^ 2 * nu).
Proof.
  intros Hi. pose proof (age_bound run t i Hi). pose proof (has_arrived run t i Hi).
  set (u := start_of (last run t i) i). assert (U : (u <= t)%nat) by (unfold u, start_of; lia).
  replace u with (t - (t - u))%nat by lia.
  apply (lag_any_noise g x used (serve run) paths hums nu used_is hums_square); unfold u, start_of in *; lia.
Qed.

(** ** The noise of the memory against the slope of the current model *)
Lemma noise_and_slope t : - ⟨∇ p (x t), hums t⟩ <=
  / (4 * INR tau) * window tau (square paths) t
  + (INR tau ^ 2 * (L * g) ^ 2 + INR tau * (L * g)) * nu.
Proof.
  pose proof g_pos as Pg. pose proof (smoothness_pos p) as PL. pose proof nu_pos as Pn.
  assert (Plg : 0 <= L * g) by pos. pose proof (pos_INR tau) as Pt.
  pose proof (window_pos tau (square paths) t (square_pos paths)) as Pw.
  set (d := Nat.min tau t). set (old := x (t - d)%nat).
  assert (Old : ⟨∇ p old, hums t⟩ = 0).
  { rewrite dot_sym. apply hums_meet_old_models. apply computable_global, computable_given.
    exists (t - d)%nat. split; [unfold d; lia|reflexivity]. }
  set (VD := vsum d (fun j => paths (t - S j)%nat)). set (VN := vsum d (fun j => hums (t - S j)%nat)).
  assert (Moved : same (x t ⊖ old) ((- g) ⊙ (VD ⊕ VN))).
  { intros z. unfold old. rewrite (moved g x used (serve run) t d ltac:(unfold d; lia) z). expand_dots. f_equal.
    unfold VD, VN. rewrite !dot_vsum_l, <- sum_add. apply sum_ext. intros. now rewrite used_is, dot_add_l. }
  set (n := sqrt nu). assert (Sn : n * n = nu) by (now apply sqrt_sqrt). assert (Pn' : 0 <= n) by apply sqrt_pos.
  assert (Hn : forall s, norm (hums s) <= n) by (intros s; apply norm_le; [assumption|rewrite Sn; apply hums_square]).
  assert (Dt : INR d <= INR tau) by (apply le_INR; unfold d; lia).
  assert (NVN : norm VN <= INR tau * n).
  { eapply Rle_trans; [apply norm_vsum_triangle|]. apply Rle_trans with (INR d * n); [now apply sum_le_const|].
    now apply Rmult_le_compat_r. }
  assert (NX : norm (x t ⊖ old) <= g * (norm VD + INR tau * n)).
  { rewrite (norm_same _ _ Moved), norm_scale, Rabs_Ropp, Rabs_pos_eq by lra.
    apply Rmult_le_compat_l; [lra|]. pose proof (norm_triangle VD VN). lra. }
  pose proof (lipschitz_norm L _ (x t) old PL (proj2 (global_smooth p))) as Lip.
  assert (NG : norm (∇ p (x t) ⊖ ∇ p old) <= L * g * (norm VD + INR tau * n)).
  { eapply Rle_trans; [exact Lip|]. rewrite Rmult_assoc. now apply Rmult_le_compat_l. }
  assert (Meet : - ⟨∇ p (x t), hums t⟩ <= L * g * (norm VD + INR tau * n) * n).
  { pose proof (dot_le_norms ((-1) ⊙ (∇ p (x t) ⊖ ∇ p old)) (hums t)) as C.
    rewrite dot_scale_l, dot_add_l, dot_scale_l, Old, norm_scale, (Rabs_left (-1)) in C by lra.
    pose proof (norm_pos (hums t)). pose proof (norm_pos (∇ p (x t) ⊖ ∇ p old)).
    assert (norm (∇ p (x t) ⊖ ∇ p old) * norm (hums t) <= L * g * (norm VD + INR tau * n) * n)
      by (apply Rmult_le_compat; auto). lra. }
  eapply Rle_trans; [exact Meet|].
  destruct (Nat.eq_dec tau 0) as [Z|Z].
  - assert (VD0 : norm VD = 0) by (unfold VD, d; rewrite Z; apply norm_zero). rewrite VD0, Z. simpl.
    assert (0 <= / (4 * 0) * window 0 (square paths) t) by (unfold window; simpl; lra). lra.
  - assert (T1 : 0 < INR tau) by (apply lt_0_INR; lia).
    assert (SqD : norm VD * norm VD <= INR tau * window tau (square paths) t).
    { rewrite norm_square. apply sum_of_last; unfold d; lia. }
    assert (Y : L * g * norm VD * n <= / (4 * INR tau ^ 2) * (norm VD * norm VD) + INR tau ^ 2 * (L * g) ^ 2 * nu).
    { pose proof (pow2_ge_0 (/ (2 * INR tau) * norm VD - INR tau * (L * g) * n)) as Q.
      replace ((/ (2 * INR tau) * norm VD - INR tau * (L * g) * n) ^ 2)
        with (/ (4 * INR tau ^ 2) * (norm VD * norm VD) - L * g * norm VD * n + INR tau ^ 2 * (L * g) ^ 2 * (n * n))
        in Q by (field; lra). rewrite Sn in Q. lra. }
    assert (W : / (4 * INR tau ^ 2) * (norm VD * norm VD) <= / (4 * INR tau) * window tau (square paths) t).
    { apply (Rmult_le_compat_l (/ (4 * INR tau ^ 2))) in SqD; [|left; apply Rinv_0_lt_compat; nra].
      eapply Rle_trans; [exact SqD|]. right. field. lra. }
    replace (L * g * (norm VD + INR tau * n) * n) with (L * g * norm VD * n + INR tau * (L * g) * (n * n)) by ring.
    rewrite Sn. lra.
Qed.

(** ** One round *)
Definition slope t : R := ‖∇ p (x t)‖².
Definition used_slope t : R := avg M (fun i => slope (start_of (last run t i) i)).

Lemma slope_pos t : 0 <= slope t.
Proof. apply dot_pos. Qed.

(** A model is used in at most tau + 1 rounds. *)
Lemma used_slopes T : sum T used_slope <= (INR tau + 1) * sum T slope.
Proof.
  apply Rle_trans with (sum T (fun t => slope t + window tau slope t)).
  - apply sum_le. intros t _. apply avg_le_const; [apply some_client|]. intros i Hi.
    pose proof (age_bound run t i Hi). pose proof (has_arrived run t i Hi).
    apply (window_member_or_now tau slope); [apply slope_pos|unfold start_of; lia|unfold start_of; lia].
  - rewrite sum_add. pose proof (window_sum tau slope T slope_pos). lra.
Qed.

Lemma one_round t bias : ‖∇ p (x t) ⊖ paths t‖² <= bias ->
  global p (x (S t)) - global p (x t) <=
  - (g / 2 * (slope t + ‖paths t‖² - bias + 2 * ⟨∇ p (x t), hums t⟩
              - L * g * (2 * ‖paths t‖² + 2 * nu))).
Proof.
  intros B. rewrite (serve run : forall t, x (S t) = x t ⊕ (- g) ⊙ used t).
  pose proof (global_descent p (x t) ((- g) ⊙ used t)) as D.
  rewrite dot_scale_r, square_scale, (dot_sym _ (used t)), used_is, dot_add_l, (same_norm _ _ (used_is t)) in D.
  rewrite norm_sub in B. fold (slope t) in B. pose proof g_pos as Pg. pose proof (smoothness_pos p) as PL.
  pose proof (norm_add2 (paths t) (hums t)) as N2. pose proof (hums_square t) as Nu.
  assert (U : L / 2 * ((- g) ^ 2 * ‖paths t ⊕ hums t‖²) <= L / 2 * ((- g) ^ 2 * (2 * ‖paths t‖² + 2 * nu))).
  { apply Rmult_le_compat_l; [lra|]. apply Rmult_le_compat_l; [pos|lra]. }
  rewrite (dot_sym (paths t)), (dot_sym (hums t)) in D.
  apply (Rmult_le_compat_l (g / 2)) in B; [|lra]. lra.
Qed.
End Run.
