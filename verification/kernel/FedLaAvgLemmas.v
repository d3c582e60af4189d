(** * FedLaAvg, Lemmas 2, 3, 6 and 7: stochastic gradients along a random run

    A random run with C local steps on a finite probability space; one local step gives Algorithm 1 of
    the paper. In round t + 1 the selected clients start from the server's model x_t; each of their C
    steps takes a gradient that is drawn afresh at the point where they are. The server keeps every
    client's latest gradients and moves by their mean. Who takes part is fixed beforehand.

    What was drawn before draw (t, i, k) is a label of the outcomes; it tells the start, all draws at
    older models, those of other clients at the same model, and the client's own earlier ones
    ([known_before]). Given the label, a draw has at every point the client's gradient as its mean
    ([fair_samples]), second moment at most G^2 ([moments]), variance at most sigma^2 ([variances]).
    For all rounds, clients and local steps:

    - [second_moments]: so it is along the run, where points are random too (Lemmas 2 and 6);
    - [deviations]: and the variance around the client's gradient is at most sigma^2 (the same lemmas);
    - [noises_add_up]: the noises of the clients' latest gradients are uncorrelated: the variance of
      their sum is the sum of their variances (Lemmas 3 and 7). *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Chance Labels Staleness Claims_fedlaavg.
Open Scope R_scope.

Record SampledRounds (P : Law) {X : Space} (p : Problem X) := {
  step : R;
  local_steps : nat;
  (** who takes part in round t = 1, 2, ... *)
  selected : nat -> nat -> bool;
  (** draw t i k w y: what client i, from model t, would draw in local step k at the point y *)
  draw : nat -> nat -> nat -> nat -> X -> X;
  local : nat -> nat -> nat -> nat -> X;
  stored : nat -> nat -> nat -> nat -> X;
  model : nat -> nat -> X;
  pull : forall t i, local t i 0 = model t;
  work : forall t i k w, local t i (S k) w = local t i k w ⊕ (- step) ⊙ draw t i k w (local t i k w);
  nothing_stored : forall i k w, stored 0 i k w = zero;
  store : forall t i k w, stored (S t) i k w =
    if selected (S t) i then draw t i k w (local t i k w) else stored t i k w;
  serve : forall t w, model (S t) w = model t w ⊕
    (- step) ⊙ vsum local_steps (fun k => mean (clients p) (fun i => stored (S t) i k w))
}.

Arguments step {P X p}. Arguments local_steps {P X p}. Arguments selected {P X p}. Arguments draw {P X p}.
Arguments local {P X p}. Arguments stored {P X p}. Arguments model {P X p}. Arguments pull {P X p}.
Arguments work {P X p}. Arguments nothing_stored {P X p}. Arguments store {P X p}. Arguments serve {P X p}.

Section Samples.
Context {P : Law} {X : Space} {p : Problem X} (run : SampledRounds P p).
Notation N := (clients p).
Notation C := (local_steps run).
Notation det := (determined P (E := X)).
Notation last := (last (selected run)).

(** Draw (s, j, l) is made before draw (t, i, k), or beside it by another client. *)
Definition before (s j l t i k : nat) : Prop := (s < t)%nat \/ s = t /\ (j <> i \/ (l < k)%nat).

(** One label for each draw. *)
Variable label : nat -> nat -> nat -> nat -> nat.

Definition known_before : Prop := forall t i k, (i < N)%nat -> (k < C)%nat ->
  det (label t i k) (model run 0) /\
  forall s j l y, (j < N)%nat -> (l < C)%nat -> before s j l t i k -> det (label t i k) (fun w => draw run s j l w y).

Definition fair_samples : Prop := forall t i k a y z, (i < N)%nat -> (k < C)%nat ->
  within P (label t i k) a (fun w => ⟨draw run t i k w y ⊖ ∇i p i y, z⟩) = 0.
Definition moments (G : R) : Prop := forall t i k a y, (i < N)%nat -> (k < C)%nat ->
  within P (label t i k) a (fun w => ‖draw run t i k w y‖² - G ^ 2) <= 0.
Definition variances (sigma : R) : Prop := forall t i k a y, (i < N)%nat -> (k < C)%nat ->
  within P (label t i k) a (fun w => ‖draw run t i k w y ⊖ ∇i p i y‖² - sigma ^ 2) <= 0.

(** ** Where a draw is made is known before it *)
Lemma stored_is t i k w : stored run t i k w =
  match last t i with O => zero | S s => draw run s i k w (local run s i k w) end.
Proof.
  induction t; simpl; [apply nothing_stored|]. rewrite (store run).
  destruct (selected run (S t) i); [reflexivity|assumption].
Qed.

Hypothesis tells : known_before.

Section Before.
Variables (t i k : nat).
Hypotheses (Hi : (i < N)%nat) (Hk : (k < C)%nat).
Notation lab := (label t i k).

Lemma knows_local s j l : (j < N)%nat -> (l <= C)%nat -> det lab (model run s) ->
  (forall l', (l' < l)%nat -> before s j l' t i k) -> det lab (local run s j l).
Proof.
  intros Hj Hl Ks B. destruct (tells t i k Hi Hk) as [_ D].
  induction l; [now rewrite (pull run)|]. assert (IH : det lab (local run s j l)) by (apply IHl; [lia|auto]).
  intros v w Hv Hw Ev. rewrite !(work run), (IH v w Hv Hw Ev).
  now rewrite (D s j l (local run s j l w) Hj ltac:(lia) (B l ltac:(lia)) v w Hv Hw Ev).
Qed.

Lemma knows_draw s j l : (j < N)%nat -> (l < C)%nat -> det lab (model run s) ->
  (forall l', (l' <= l)%nat -> before s j l' t i k) -> det lab (fun w => draw run s j l w (local run s j l w)).
Proof.
  intros Hj Hl Ks B. destruct (tells t i k Hi Hk) as [_ D].
  assert (Kl : det lab (local run s j l)) by (apply knows_local; [auto|lia|auto|intros; apply B; lia]).
  intros v w Hv Hw Ev. cbv beta. rewrite (Kl v w Hv Hw Ev).
  now apply (D s j l (local run s j l w) Hj Hl (B l (le_n l))).
Qed.

Lemma knows_model s : (s <= t)%nat -> det lab (model run s).
Proof.
  destruct (tells t i k Hi Hk) as [S0 _].
  induction s as [s IH] using lt_wf_ind. intros Hs. destruct s as [|s]; [exact S0|].
  intros v w Hv Hw Ev. rewrite !(serve run), (IH s ltac:(lia) ltac:(lia) v w Hv Hw Ev). do 2 f_equal.
  apply vsum_ext. intros l Hl. apply mean_ext. intros j Hj. rewrite !stored_is.
  pose proof (last_le (selected run) (S s) j). destruct (last (S s) j) as [|u]; [reflexivity|].
  apply (knows_draw u j l); auto; [apply IH; lia|]. intros. left. lia.
Qed.

Lemma knows_here : det lab (local run t i k).
Proof. apply knows_local; [assumption|lia|now apply knows_model|]. intros. right. auto. Qed.
End Before.

(** ** Lemmas 2 and 6 *)
Theorem second_moments G : moments G -> forall t i k, (i < N)%nat -> (k < C)%nat ->
  expect P (fun w => ‖draw run t i k w (local run t i k w)‖²) <= fedlaavg_lem6_right (gradient_bound := G) /\
  expect P (fun w => ‖draw run t i 0 w (model run t w)‖²) <= fedlaavg_lem2_right (gradient_bound := G).
Proof.
  intros M. assert (Each : forall t i k, (i < N)%nat -> (k < C)%nat ->
    expect P (fun w => ‖draw run t i k w (local run t i k w)‖²) <= G ^ 2).
  { intros t i k Hi Hk. pose proof (at_known P (label t i k) (fun w y => ‖draw run t i k w y‖² + -1 * G ^ 2)
      (local run t i k)) as B.
    cbv beta in B. rewrite (expect_add P (fun w => _) (fun _ => _)), expect_const in B.
    cut (expect P (fun w => ‖draw run t i k w (local run t i k w)‖²) + -1 * G ^ 2 <= 0); [lra|]. apply B.
    - intros a y. rewrite (within_ext P _ _ _ (fun w => ‖draw run t i k w y‖² - G ^ 2)) by (intros; ring).
      now apply M.
    - now apply knows_here. }
  intros t i k Hi Hk. split; [now apply Each|]. rewrite <- (pull run t i). apply Each; [assumption|lia].
Qed.

Theorem deviations sigma : variances sigma -> forall t i k, (i < N)%nat -> (k < C)%nat ->
  expect P (fun w => ‖draw run t i k w (local run t i k w) ⊖ ∇i p i (local run t i k w)‖²)
    <= fedlaavg_lem6_noise_right (gradient_noise := sigma) /\
  expect P (fun w => ‖draw run t i 0 w (model run t w) ⊖ ∇i p i (model run t w)‖²)
    <= fedlaavg_lem2_noise_right (gradient_noise := sigma).
Proof.
  intros V. assert (Each : forall t i k, (i < N)%nat -> (k < C)%nat ->
    expect P (fun w => ‖draw run t i k w (local run t i k w) ⊖ ∇i p i (local run t i k w)‖²) <= sigma ^ 2).
  { intros t i k Hi Hk. pose proof (at_known P (label t i k)
      (fun w y => ‖draw run t i k w y ⊖ ∇i p i y‖² + -1 * sigma ^ 2) (local run t i k)) as B.
    cbv beta in B. rewrite (expect_add P (fun w => _) (fun _ => _)), expect_const in B.
    cut (expect P (fun w => ‖draw run t i k w (local run t i k w) ⊖ ∇i p i (local run t i k w)‖²)
      + -1 * sigma ^ 2 <= 0); [lra|]. apply B.
    - intros a y. rewrite (within_ext P _ _ _ (fun w => ‖draw run t i k w y ⊖ ∇i p i y‖² - sigma ^ 2))
        by (intros; ring). now apply V.
    - now apply knows_here. }
  intros t i k Hi Hk. split; [now apply Each|]. rewrite <- (pull run t i). apply Each; [assumption|lia].
Qed.

(** ** Lemmas 3 and 7 *)
Definition noise t i k (w : nat) : X := draw run t i k w (local run t i k w) ⊖ ∇i p i (local run t i k w).

(** The noise of client i's latest gradient of local step k; nothing before it has taken part. *)
Definition noise_in_use t i k (w : nat) : X := match last t i with O => zero | S s => noise s i k w end.

Hypothesis fair : fair_samples.

Lemma noise_meets_known t i k (Y : random P X) : (i < N)%nat -> (k < C)%nat -> det (label t i k) Y ->
  expect P (fun w => ⟨noise t i k w, Y w⟩) = 0.
Proof.
  intros Hi Hk KY. apply (by_label_zero P (label t i k)). intros v Hv.
  rewrite <- (fair t i k (label t i k v) (local run t i k v) (Y v) Hi Hk). apply within_ext. intros w Hw Ew.
  unfold noise. now rewrite (knows_here t i k Hi Hk w v Hw Hv Ew), (KY w v Hw Hv Ew).
Qed.

Lemma noise_known s j l t i k : (j < N)%nat -> (l < C)%nat -> (i < N)%nat -> (k < C)%nat -> (s <= t)%nat ->
  (forall l', (l' <= l)%nat -> before s j l' t i k) -> det (label t i k) (noise s j l).
Proof.
  intros Hj Hl Hi Hk Hs B v w Hv Hw Ev. pose proof (knows_model t i k Hi Hk s Hs) as Ks. unfold noise.
  rewrite (knows_draw t i k Hi Hk s j l Hj Hl Ks B v w Hv Hw Ev).
  rewrite (knows_local t i k Hi Hk s j l Hj ltac:(lia) Ks ltac:(intros; apply B; lia) v w Hv Hw Ev). reflexivity.
Qed.

Lemma noises_meet s j t i k : (i < N)%nat -> (j < N)%nat -> (k < C)%nat -> i <> j ->
  expect P (fun w => ⟨noise t i k w, noise s j k w⟩) = 0.
Proof.
  intros Hi Hj Hk Nij. destruct (le_lt_dec s t) as [Hs|Hs].
  - apply noise_meets_known; auto. apply noise_known; auto. intros l' _.
    destruct (Nat.eq_dec s t); [right; auto|left; lia].
  - rewrite (expect_ext P _ (fun w => ⟨noise s j k w, noise t i k w⟩)) by (intros; apply dot_sym).
    apply noise_meets_known; auto. apply noise_known; auto; [lia|]. intros. now left.
Qed.

Theorem noises_add_up t k : (k < C)%nat ->
  expect P (fun w => ‖vsum N (fun i => noise_in_use t i k w)‖²)
  = sum N (fun i => expect P (fun w => ‖noise_in_use t i k w‖²)).
Proof.
  intros Hk. pose (v := fun i => noise_in_use t i k : random P X).
  transitivity (@dot (random P X) (vsum N v) (vsum N v)).
  - simpl. apply expect_ext. intros w. now rewrite vsum_at.
  - apply (norm_vsum_orthogonal (H := random P X) N v). intros i j Hi Hj Nij. unfold v. simpl.
    unfold noise_in_use. destruct (last t i) as [|s].
    + rewrite (expect_ext P _ (fun _ => 0)) by (intros; apply dot_zero_l). apply expect_const.
    + destruct (last t j) as [|u].
      * rewrite (expect_ext P _ (fun _ => 0)) by (intros; apply dot_zero_r). apply expect_const.
      * now apply noises_meet.
Qed.
End Samples.
