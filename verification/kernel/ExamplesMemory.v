(** * Examples: runs of the methods with memory

    What the records of MIFA, AFA-CS and FedLaAvg ask for exists: on every problem there is a run in which
    everybody takes part in every round, with exact gradients, random or not. Runs with other schedules and
    with noise are made by the Python algorithms; tests/kernel checks that they satisfy the records.

    - [mifa_run_exists], [silo_run_exists], [fedlaavg_run_exists];
    - [rounds_run_exists]: FedLaAvg with C local steps, on problems with bounded gradients. *)
From Coq Require Import Reals Lra Lia FunctionalExtensionality.
From FL Require Import Chance CrossSilo FedLaAvg FedLaAvgRounds Mifa.
Open Scope R_scope.

Section Runs.
Context (P : Law) {E : Space} (p : Problem E) (eta eg : R) (start : E) (K : nat).
Hypothesis steps_pos : 0 < eta /\ 0 < eg.
Hypothesis some_steps : (0 < K)%nat.
Notation H := (random P E).
Notation pp := (expected P p).
Notation none := (fun _ => zero : H).

Lemma no_noise_is_fair {I : Type} (drawn : I -> Prop) before : fair_noise P drawn before none (fun _ => start : E).
Proof.
  exists (fun _ w => w). intros i _. split; [|split].
  - intros a z. apply sum_zero. intros w _. destruct (w =? a)%nat; [|reflexivity].
    change (chance P w * ⟨(zero : E), z⟩ = 0). rewrite dot_zero_l. ring.
  - intros v w _ _ _. reflexivity.
  - intros j _ _ v w _ _ _. reflexivity.
Qed.

Lemma no_noise_is_small sigma : 0 <= sigma -> ‖(zero : H)‖² <= sigma ^ 2.
Proof. intros _. rewrite dot_zero_l. apply pow2_ge_0. Qed.

(** K local steps of client i *)
Fixpoint descend (x : H) i (k : nat) : H :=
  match k with O => x | S l => descend x i l ⊕ (- eta) ⊙ (∇i pp i (descend x i l) ⊕ zero) end.

(** ** MIFA *)
Fixpoint mifa_model (t : nat) : H :=
  match t with
  | O => fun _ => start
  | S s => mifa_model s ⊕ (- (INR K * eta)) ⊙
      mean (clients p) (fun i => LocalWork.update pp i K (descend (mifa_model s) i) none)
  end.

Theorem mifa_run_exists : exists run : Mifa.Mifa pp,
  fair_noise P (Mifa.drawn run) Mifa.before (Mifa.noise_at run) (Mifa.server run 0%nat) /\
  (forall t, Mifa.local_step run t = eta) /\ forall t i, Mifa.latest run t i = t.
Proof.
  unshelve eexists.
  - refine {| Mifa.local_step := fun _ => eta; Mifa.local_steps := K; Mifa.noise_bound := 0;
      Mifa.latest := fun t _ => t; Mifa.server := mifa_model; Mifa.local := fun t i => descend (mifa_model t) i;
      Mifa.noise := fun _ _ => none |}; auto; try (intros; apply steps_pos); try lra.
    intros. now apply no_noise_is_small, Rle_refl.
  - split; [|now split]. destruct (no_noise_is_fair (I := nat * nat * nat)
      (fun d => let '(_, i, k) := d in (i < clients p)%nat /\ (k < K)%nat) Mifa.before) as [label F].
    exists label. intros [[t i] k] D. destruct (F (t, i, k) D) as (F1 & F2 & F3).
    split; [exact F1|]. split; [exact F2|].
    intros [[s j] l] D' B. exact (F3 (s, j, l) D' B).
Qed.

(** ** AFA-CS *)
Fixpoint silo_model (t : nat) : H :=
  match t with
  | O => fun _ => start
  | S s => silo_model s ⊕ (- (eg * eta)) ⊙
      mean (clients p) (fun i => LocalWork.update pp i K (descend (silo_model s) i) none)
  end.

Theorem silo_run_exists : exists run : CrossSilo.CrossSilo pp,
  fair_noise P (CrossSilo.drawn run) (CrossSilo.before run) (CrossSilo.noise_of run) (CrossSilo.model run 0%nat) /\
  CrossSilo.max_age run = 0%nat.
Proof.
  unshelve eexists.
  - refine {| CrossSilo.most_steps := K; CrossSilo.least_steps := K; CrossSilo.max_age := 0;
      CrossSilo.local_step := eta; CrossSilo.server_step := eg; CrossSilo.noise_level := 0;
      CrossSilo.last := fun t _ => t; CrossSilo.delay := fun _ _ => 0%nat; CrossSilo.steps := fun _ _ => K;
      CrossSilo.model := silo_model; CrossSilo.local := fun t i => descend (silo_model t) i;
      CrossSilo.noise := fun _ _ => none |}; auto; try apply steps_pos; try (intros; lia); try lra.
    + intros. now rewrite Nat.sub_0_r.
    + intros. now apply no_noise_is_small, Rle_refl.
  - split; [|reflexivity]. destruct (no_noise_is_fair (I := nat * nat * nat)
      (fun d => let '(a, i, k) := d in (i < clients p)%nat /\ (k < K)%nat) (fun _ _ => True)) as [label F].
    exists label. intros [[t i] k] D. destruct (F (t, i, k) D) as (F1 & F2 & F3).
    split; [exact F1|]. split; [exact F2|].
    intros [[s j] l] D' _. exact (F3 (s, j, l) D' I).
Qed.

(** ** FedLaAvg *)
Fixpoint plain_model (t : nat) : H :=
  match t with
  | O => fun _ => start
  | S s => plain_model s ⊕ (- eta) ⊙ mean (clients p) (fun i => ∇i pp i (plain_model s) ⊕ zero)
  end.

Variable G : R.
Hypothesis G_pos : 0 <= G.
Hypothesis bounded : forall i y, ‖∇i p i y‖² <= G ^ 2.

Lemma bounded_here i (X : H) : ‖∇i pp i X ⊕ zero‖² <= G ^ 2.
Proof.
  rewrite add_zero, <- (expect_const P (G ^ 2)). apply expect_le. intros w. apply bounded.
Qed.

Theorem fedlaavg_run_exists : exists run : FedLaAvg.FedLaAvg pp,
  fair_noise P (FedLaAvg.drawn (p := pp)) FedLaAvg.before (FedLaAvg.noise_at run) (FedLaAvg.model run 0%nat) /\
  forall t i, FedLaAvg.selected run t i = true.
Proof.
  unshelve eexists.
  - refine {| FedLaAvg.step := eta; FedLaAvg.noise_bound := 0; FedLaAvg.gradient_bound := G;
      FedLaAvg.selected := fun _ _ => true; FedLaAvg.noise := fun _ => none;
      FedLaAvg.sample := fun t i => ∇i pp i (plain_model t) ⊕ zero;
      FedLaAvg.stored := fun t i => match t with O => zero | S s => ∇i pp i (plain_model s) ⊕ zero end;
      FedLaAvg.model := plain_model |}; auto; try apply steps_pos; try lra.
    + intros. now apply no_noise_is_small, Rle_refl.
    + intros. apply bounded_here.
  - split; [|reflexivity].
    destruct (no_noise_is_fair (I := nat * nat) (fun d => (snd d < clients p)%nat) FedLaAvg.before) as [label F].
    exists label. exact F.
Qed.

(** ** FedLaAvg with K local steps *)
Definition drawn_at (x : H) i k : H := ∇i pp i (descend x i k) ⊕ zero.
Fixpoint rounds_model (t : nat) : H :=
  match t with
  | O => fun _ => start
  | S s => rounds_model s ⊕ (- eta) ⊙ vsum K (fun k => mean (clients p) (fun i => drawn_at (rounds_model s) i k))
  end.

Theorem rounds_run_exists : exists run : FedLaAvgRounds.FedLaAvgRounds pp,
  fair_noise P (FedLaAvgRounds.drawn run) FedLaAvgRounds.before (FedLaAvgRounds.noise_of run)
    (FedLaAvgRounds.model run 0%nat) /\
  FedLaAvgRounds.second_moments run G /\ FedLaAvgRounds.stale_at_most run 0.
Proof.
  unshelve eexists.
  - refine {| FedLaAvgRounds.step := eta; FedLaAvgRounds.local_steps := K; FedLaAvgRounds.noise_level := 0;
      FedLaAvgRounds.selected := fun _ _ => true; FedLaAvgRounds.local := fun t i => descend (rounds_model t) i;
      FedLaAvgRounds.noise := fun _ _ => none; FedLaAvgRounds.sample := fun t => drawn_at (rounds_model t);
      FedLaAvgRounds.stored := fun t i k => match t with O => zero | S s => drawn_at (rounds_model s) i k end;
      FedLaAvgRounds.model := rounds_model |}; auto; try apply steps_pos; try lra.
    intros. now apply no_noise_is_small, Rle_refl.
  - split; [|split].
    + destruct (no_noise_is_fair (I := nat * nat * nat)
        (fun d => let '(_, i, k) := d in (i < clients p)%nat /\ (k < K)%nat) FedLaAvgRounds.before) as [label F].
      exists label. intros [[t i] k] D. destruct (F (t, i, k) D) as (F1 & F2 & F3).
      split; [exact F1|]. split; [exact F2|]. intros [[s j] l] D' B. exact (F3 (s, j, l) D' B).
    + intros t i k _ _. apply bounded_here.
    + intros t i _. destruct t; simpl; lia.
Qed.
End Runs.
