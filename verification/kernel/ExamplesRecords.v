(** * Examples: runs that the other records describe

    - [samples_exist]: on every problem with bounded gradients there is a run of FedLaAvg with C local steps
      and noise of size sigma, as the lemmas of FedLaAvgLemmas.v want it;
    - [two_clients_exist], [turns_of_two_exist]: runs of Example 1 of FedLaAvg and of Example 2 of Fraboni et
      al., with every start and all numbers;
    - [memory_run_exists], [noisy_mifa_exists]: for every schedule, methods with memory and one exact local
      step, and MIFA with K local steps and noise of size sigma that is fair in each of T rounds;
    - [selection_exists]: availability in which clients wait as long as Lemma 1 of FedLaAvg allows when all
      are selected at once. *)
From Coq Require Import Reals Lra Lia Arith Bool.
From FL Require Import Examples Chance Labels Staleness FedLaAvgExample FedLaAvgLemmas TakingTurns SharpMemory Mifa.
Open Scope R_scope.

(** ** Two clients, of which one takes part in each round *)
Section Two.
Variables (step start : R) (optimum : nat -> R) (first_there : nat -> bool).
Definition one_there (t i : nat) : bool := match i with O => first_there t | _ => negb (first_there t) end.
Fixpoint server_and_memory (t : nat) : R * (nat -> R) :=
  match t with
  | O => (start, fun _ => 0)
  | S s => let '(x, g) := server_and_memory s in
      let g' i := if one_there (S s) i then 2 * (x - optimum i) else g i in
      (x - step * ((g' 0%nat + g' 1%nat) / 2), g')
  end.

Theorem two_clients_exist : exists run : TwoClients, FedLaAvgExample.step run = step /\
  FedLaAvgExample.optimum run = optimum /\ FedLaAvgExample.model run 0%nat = start /\
  forall t, FedLaAvgExample.selected run t 0%nat = first_there t.
Proof.
  unshelve eexists.
  - refine {| FedLaAvgExample.step := step; FedLaAvgExample.optimum := optimum;
      FedLaAvgExample.selected := one_there; FedLaAvgExample.stored := fun t => snd (server_and_memory t);
      FedLaAvgExample.model := fun t => fst (server_and_memory t) |}.
    + intros t. simpl. now rewrite negb_involutive.
    + reflexivity.
    + intros t i. simpl. now destruct (server_and_memory t).
    + intros t. simpl. now destruct (server_and_memory t).
  - repeat split; reflexivity.
Qed.
End Two.

(** ** Two clients in turn *)
Section Turns.
Variables (first_weight second_weight move first_optimum second_optimum start start_before : R).
Hypothesis positive : (0 < first_weight /\ 0 < second_weight) /\ 0 < move.
Fixpoint model_and_last (n : nat) : R * R :=
  match n with
  | O => (start, start_before)
  | S m => let '(x, old) := model_and_last m in
      (if Nat.even m then x + first_weight * (move * (first_optimum - old))
       else x + second_weight * (move * (second_optimum - old)), x)
  end.

Lemma last_is n : snd (model_and_last (S n)) = fst (model_and_last n).
Proof. simpl. now destruct (model_and_last n). Qed.

Lemma next_is n : fst (model_and_last (S n)) =
  if Nat.even n then fst (model_and_last n) + first_weight * (move * (first_optimum - snd (model_and_last n)))
  else fst (model_and_last n) + second_weight * (move * (second_optimum - snd (model_and_last n))).
Proof. simpl. now destruct (model_and_last n), (Nat.even n). Qed.

Theorem turns_of_two_exist : exists run : TurnsOfTwo, TakingTurns.first_weight run = first_weight /\
  TakingTurns.second_weight run = second_weight /\ TakingTurns.local_move run = move /\
  TakingTurns.first_optimum run = first_optimum /\ TakingTurns.second_optimum run = second_optimum /\
  TakingTurns.model run 0%nat = start /\ TakingTurns.model_before run = start_before.
Proof.
  unshelve eexists.
  - refine {| TakingTurns.first_weight := first_weight; TakingTurns.second_weight := second_weight;
      TakingTurns.local_move := move; TakingTurns.first_optimum := first_optimum;
      TakingTurns.second_optimum := second_optimum; TakingTurns.model := fun n => fst (model_and_last n);
      TakingTurns.model_before := start_before |}; try apply positive.
    + apply (next_is 0).
    + intros n. replace (2 * S n + 1)%nat with (S (S (2 * n + 1))) by lia. rewrite next_is, last_is.
      replace (S (2 * n + 1)) with (2 * S n)%nat by lia. now rewrite Nat.even_mul.
    + intros n. replace (2 * S n)%nat with (S (S (2 * n))) by lia. rewrite next_is, last_is.
      replace (Nat.even (S (2 * n))) with false; [now replace (2 * n + 1)%nat with (S (2 * n)) by lia|].
      now rewrite Nat.even_succ, <- Nat.negb_even, Nat.even_mul.
  - repeat split; reflexivity.
Qed.
End Turns.

(** ** Availability in one round of E *)
Theorem selection_exists N K E : (0 < K)%nat -> (0 < E)%nat ->
  Selection N K E (fun t _ => (t mod E =? 0)%nat).
Proof.
  intros HK HE. refine {| Staleness.available := fun t _ => (t mod E =? 0)%nat |}; auto.
  - intros _ t _. exists (E * S (t / E))%nat.
    pose proof (Nat.div_mod t E ltac:(lia)). pose proof (Nat.mod_upper_bound t E ltac:(lia)). split; [lia|].
    rewrite Nat.mul_comm, Nat.mod_mul by lia. reflexivity.
  - intros t i _ A B. cbv beta in *. congruence.
Qed.

(** ** Methods with memory, for every schedule *)
Section Schedule.
Variable there : nat -> nat -> bool.
Fixpoint heard_last (t i : nat) : nat :=
  match t with O => 0%nat | S s => if there t i then t else heard_last s i end.

(** What the server has, and from which model each client's latest report started. *)
Section Remembering.
Context {X : Type} (start : X) (move : nat -> X -> (nat -> X) -> X).
Fixpoint remembering (t : nat) : X * (nat -> X) :=
  match t with
  | O => (start, fun _ => start)
  | S s => let '(x, old) := remembering s in
      let x' := move s x old in (x', fun i => if there t i then x' else old i)
  end.

Lemma remembered t i : snd (remembering t) i = fst (remembering (heard_last t i)).
Proof.
  induction t; [reflexivity|]. cbn [remembering heard_last]. destruct (there (S t) i) eqn:Here.
  - cbn [remembering]. destruct (remembering t) as [x old]. cbn [snd fst]. now rewrite Here.
  - destruct (remembering t) as [x old]. cbn [snd] in *. now rewrite Here.
Qed.

Lemma moved_on t : fst (remembering (S t)) = move t (fst (remembering t)) (snd (remembering t)).
Proof. cbn [remembering]. now destruct (remembering t). Qed.
End Remembering.

Theorem memory_run_exists {H : Space} (p : Problem H) (step : nat -> R) (start : H) : (forall t, 0 < step t) ->
  exists run : MemoryRun p, SharpMemory.step run = step /\ SharpMemory.last run = heard_last /\
    SharpMemory.model run 0%nat = start.
Proof.
  intros Pos. set (move := fun t x old => x ⊕ (- step t) ⊙ mean (clients p) (fun i => ∇i p i (old i))).
  unshelve eexists.
  - refine {| SharpMemory.step := step; SharpMemory.last := heard_last;
      SharpMemory.model := fun t => fst (remembering start move t) |}; auto.
    + intros t i _. simpl. destruct (there (S t) i); auto.
    + intros t. rewrite moved_on. unfold move at 1. do 2 f_equal. apply mean_ext. intros i _.
      now rewrite remembered.
  - repeat split; reflexivity.
Qed.

Section NoisyMifa.
Context {E : Space} (p : Problem E) (step : nat -> R) (sigma : R) (start e : E) (K T : nat).
Hypothesis step_pos : forall t, 0 < step t.
Hypothesis some_step : (0 < K)%nat.
Hypothesis sigma_pos : 0 <= sigma.
Hypothesis unit_vector : ‖e‖² = 1.
Notation P := (digits 2 T Nat.lt_0_2).
Notation H := (random P E).
Notation pp := (expected P p).

(** The first local step of the first client is noisy in each of the first T rounds. *)
Definition loud (t i k : nat) : bool := ((t <? T) && (i =? 0) && (k =? 0))%nat.
Definition crackle (t i k : nat) : H := fun w => (if loud t i k then sigma * sign (digit 2 t w) else 0) ⊙ e.
Fixpoint noisy_local (x : H) t i (k : nat) : H :=
  match k with
  | O => x
  | S l => noisy_local x t i l ⊕ (- step t) ⊙ (∇i pp i (noisy_local x t i l) ⊕ crackle t i l)
  end.
Definition mifa_move t (x : H) (old : nat -> H) : H := x ⊕ (- (INR K * step t)) ⊙ mean (clients p) (fun i =>
  LocalWork.update pp i K (noisy_local (old i) (heard_last t i) i) (crackle (heard_last t i) i)).
Definition mifa_server t : H := fst (remembering (fun _ => start : E) mifa_move t).

Theorem noisy_mifa_exists : exists run : Mifa.Mifa pp,
  fair_noise P (Mifa.drawn run) Mifa.before (Mifa.noise_at run) (Mifa.server run 0%nat) /\
  Mifa.latest run = heard_last /\ forall t, (t < T)%nat -> ‖Mifa.noise run t 0%nat 0%nat‖² = sigma ^ 2.
Proof.
  assert (Size : forall t i k, ‖crackle t i k‖² = if loud t i k then sigma ^ 2 else 0).
  { intros t i k. destruct (loud t i k) eqn:Loud.
    - rewrite <- (expect_const P (sigma ^ 2)). apply expect_ext. intros w. unfold crackle, sign.
      rewrite Loud, square_scale, unit_vector. destruct (_ =? 0)%nat; ring.
    - rewrite <- (expect_const P 0). apply expect_ext. intros w. unfold crackle.
      rewrite Loud, square_scale. ring. }
  unshelve eexists.
  - refine {| Mifa.local_step := step; Mifa.local_steps := K; Mifa.noise_bound := sigma;
      Mifa.latest := heard_last; Mifa.server := mifa_server; Mifa.noise := crackle;
      Mifa.local := fun t i => noisy_local (mifa_server t) t i |}; auto.
    + intros t i _. simpl. destruct (there (S t) i); auto.
    + intros t. unfold mifa_server at 1. rewrite moved_on. unfold mifa_move at 1. do 2 f_equal.
      apply mean_ext. intros i _. now rewrite remembered.
    + intros t i k _ _. rewrite Size. destruct (loud t i k); [lra|apply pow2_ge_0].
  - split; [|split; [reflexivity|]].
    + exists (fun d => let '(t, i, k) := d in Examples.past 2 (if loud t i k then t else S t)).
      intros [[t i] k] [Hi Hk]. split; [|split].
      * intros a z. change (Mifa.noise_at _ (t, i, k)) with (crackle t i k).
        destruct (loud t i k) eqn:Loud.
        -- assert (Ht : (t < T)%nat).
           { unfold loud in Loud. apply andb_prop in Loud. destruct Loud as [N1 _]. apply andb_prop in N1.
             destruct N1 as [N1 _]. now apply Nat.ltb_lt in N1. }
           pose proof (digit_within 2 T Nat.lt_0_2 t a (fun d => sigma * sign d * ⟨e, z⟩) Ht) as W.
           assert (Mean : avg 2 (fun d => sigma * sign d * ⟨e, z⟩) = 0) by (unfold avg, sign; simpl; ring).
           rewrite Mean, Rmult_0_l in W. etransitivity; [|exact W]. apply sum_ext. intros w _. unfold crackle.
           rewrite Loud. now rewrite dot_scale_l.
        -- apply sum_zero. intros w _. unfold crackle. rewrite Loud, dot_scale_l. destruct (_ =? a)%nat; ring.
      * intros v w _ _ _. reflexivity.
      * intros [[s j] l] _ B v w _ _ Ev. change (crackle s j l v = crackle s j l w). unfold crackle.
        destruct (loud s j l) eqn:Loud; [|reflexivity]. do 3 f_equal.
        apply (same_digits 2 Nat.lt_0_2 s (if loud t i k then t else S t) v w); [|exact Ev].
        unfold loud in *. apply andb_prop in Loud. destruct Loud as [N1 N2]. apply andb_prop in N1.
        destruct N1 as [_ N1]. apply Nat.eqb_eq in N1, N2. subst j l.
        destruct B as [B|[-> B]]; [destruct ((t <? T) && (i =? 0) && (k =? 0))%nat; lia|].
        destruct (Nat.eqb_spec i 0), (Nat.eqb_spec k 0); rewrite ?andb_false_r, ?andb_false_l; lia.
    + intros t Ht. change (‖crackle t 0 0‖² = sigma ^ 2). rewrite Size. unfold loud.
      destruct (Nat.ltb_spec t T); [reflexivity|lia].
Qed.
End NoisyMifa.
End Schedule.

(** ** FedLaAvg with noise *)
Section Samples.
Context {E : Space} (p : Problem E) (eta sigma G : R) (start e : E) (C T : nat).
Hypothesis sigma_pos : 0 <= sigma.
Hypothesis unit_vector : ‖e‖² = 1.
Hypothesis bounded : forall i y, 2 * (‖∇i p i y‖² + sigma ^ 2) <= G ^ 2.
Notation P := (digits 2 T Nat.lt_0_2).

(** The first local step of the first client is noisy in each of the first T rounds. *)
Definition noisy t i k : bool := ((t <? T) && (i =? 0) && (k =? 0))%nat.
Definition hiss (t i k w : nat) : R := if noisy t i k then sigma * sign (digit 2 t w) else 0.
Definition sampled (t i k w : nat) (y : E) : E := ∇i p i y ⊕ hiss t i k w ⊙ e.
Fixpoint sampled_local (x : E) t i w (k : nat) : E :=
  match k with
  | O => x
  | S l => sampled_local x t i w l ⊕ (- eta) ⊙ sampled t i l w (sampled_local x t i w l)
  end.
Definition latest (x : E) t i k w : E := sampled t i k w (sampled_local x t i w k).
Fixpoint sampled_model (t w : nat) : E :=
  match t with
  | O => start
  | S s => sampled_model s w ⊕ (- eta) ⊙ vsum C (fun k => mean (clients p) (fun i =>
      latest (sampled_model s w) s i k w))
  end.

Definition sampled_run : SampledRounds P p.
Proof.
  refine {| FedLaAvgLemmas.step := eta; FedLaAvgLemmas.local_steps := C;
    FedLaAvgLemmas.selected := fun _ _ => true; FedLaAvgLemmas.draw := sampled;
    FedLaAvgLemmas.local := fun t i k w => sampled_local (sampled_model t w) t i w k;
    FedLaAvgLemmas.stored := fun t i k w => match t with O => zero | S s => latest (sampled_model s w) s i k w end;
    FedLaAvgLemmas.model := sampled_model |}; reflexivity.
Defined.

(** What was drawn before: the coins of earlier rounds, and this round's if it has been tossed. *)
Definition heard_before t i k : nat -> nat := Examples.past 2 (if noisy t i k then t else S t).

Lemma hiss_square t i k w : hiss t i k w ^ 2 <= sigma ^ 2.
Proof.
  unfold hiss, sign. destruct (noisy t i k); [|pose proof (pow2_ge_0 sigma); lra].
  destruct (_ =? 0)%nat; right; ring.
Qed.

Lemma sampled_off t i k w y z : ⟨sampled t i k w y ⊖ ∇i p i y, z⟩ = hiss t i k w * ⟨e, z⟩.
Proof. unfold sampled. expand_dots. ring. Qed.

Lemma not_above (label : nat -> nat) a h : (forall w, h w <= 0) -> Labels.within P label a h <= 0.
Proof.
  intros B. unfold Labels.within. rewrite <- (Rmult_0_r (INR (outcomes P))). apply sum_le_const. intros w _.
  destruct (label w =? a)%nat; [|lra]. pose proof (chance_pos P w). specialize (B w).
  assert (0 <= chance P w * - h w) by (apply Rmult_le_pos; lra). lra.
Qed.

Theorem samples_exist : exists (run : SampledRounds P p) (label : nat -> nat -> nat -> nat -> nat),
  known_before run label /\ fair_samples run label /\ moments run label G /\ variances run label sigma /\
  forall t y, (t < T)%nat -> expect P (fun w => ‖draw run t 0 0 w y ⊖ ∇i p 0 y‖²) = sigma ^ 2.
Proof.
  exists sampled_run, heard_before. split; [|split; [|split; [|split]]].
  - intros t i k _ _. split; [intros v w _ _ _; reflexivity|]. intros s j l y _ _ B v w _ _ Ev.
    change (sampled s j l v y = sampled s j l w y). unfold sampled, hiss.
    destruct (noisy s j l) eqn:Noisy; [|reflexivity]. do 4 f_equal.
    apply (same_digits 2 Nat.lt_0_2 s (if noisy t i k then t else S t) v w); [|exact Ev].
    unfold noisy in *. apply andb_prop in Noisy. destruct Noisy as [N1 N2]. apply andb_prop in N1.
    destruct N1 as [_ N1]. apply Nat.eqb_eq in N1, N2. subst j l.
    destruct B as [B|[-> B]]; [destruct ((t <? T) && (i =? 0) && (k =? 0))%nat; lia|].
    destruct (Nat.eqb_spec i 0), (Nat.eqb_spec k 0); rewrite ?andb_false_r, ?andb_false_l; lia.
  - intros t i k a y z _ _. change (Labels.within P (heard_before t i k) a
      (fun w => ⟨sampled t i k w y ⊖ ∇i p i y, z⟩) = 0).
    unfold Labels.within. rewrite (sum_ext _ _ (fun w => if (heard_before t i k w =? a)%nat
      then chance P w * (hiss t i k w * ⟨e, z⟩) else 0)) by (intros; now rewrite sampled_off).
    unfold heard_before, hiss. destruct (noisy t i k) eqn:Noisy.
    + unfold noisy in Noisy. apply andb_prop in Noisy. destruct Noisy as [N1 _]. apply andb_prop in N1.
      destruct N1 as [N1 _]. apply Nat.ltb_lt in N1.
      pose proof (digit_within 2 T Nat.lt_0_2 t a (fun d => sigma * sign d * ⟨e, z⟩) N1) as W.
      assert (Mean : avg 2 (fun d => sigma * sign d * ⟨e, z⟩) = 0) by (unfold avg, sign; simpl; ring).
      rewrite Mean, Rmult_0_l in W. exact W.
    + apply sum_zero. intros w _. destruct (_ =? a)%nat; ring.
  - intros t i k a y _ _. apply not_above. intros w. change (‖sampled t i k w y‖² - G ^ 2 <= 0).
    unfold sampled. pose proof (norm_add2 (∇i p i y) (hiss t i k w ⊙ e)) as Two.
    rewrite square_scale, unit_vector in Two.
    pose proof (hiss_square t i k w). pose proof (bounded i y). lra.
  - intros t i k a y _ _. apply not_above. intros w.
    change (‖sampled t i k w y ⊖ ∇i p i y‖² - sigma ^ 2 <= 0).
    assert (S0 : same (sampled t i k w y ⊖ ∇i p i y) (hiss t i k w ⊙ e))
      by (intros z; rewrite sampled_off, dot_scale_l; reflexivity).
    rewrite (same_norm _ _ S0), square_scale, unit_vector. pose proof (hiss_square t i k w). lra.
  - intros t y Ht. change (expect P (fun w => ‖sampled t 0 0 w y ⊖ ∇i p 0 y‖²) = sigma ^ 2).
    rewrite <- (expect_const P (sigma ^ 2)). apply expect_ext. intros w.
    assert (S0 : same (sampled t 0 0 w y ⊖ ∇i p 0 y) (hiss t 0 0 w ⊙ e))
      by (intros z; rewrite sampled_off, dot_scale_l; reflexivity).
    rewrite (same_norm _ _ S0), square_scale, unit_vector. unfold hiss, noisy, sign.
    destruct (Nat.ltb_spec t T); [|lia]. cbn [andb Nat.eqb]. destruct (_ =? 0)%nat; ring.
Qed.
End Samples.
