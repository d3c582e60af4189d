(** * FedLaAvg, Lemma 1: how stale a client can be

    In each iteration the server uses K of the available clients, those who have waited longest (all
    of them if fewer are available). If every client is available once in any E successive iterations,
    then no client's latest participation is more than ceil(N/K) E - 1 iterations old ([staleness]).
    For all N, K, E, all availability, all ways to break ties, from a cold start, in all iterations.
    Iterations count from 1, as in the paper; last 0 i = 0 says that client i has not taken part yet. *)
From Coq Require Import Arith Lia Bool.

Fixpoint count (n : nat) (p : nat -> bool) : nat :=
  match n with O => 0 | S k => count k p + (if p k then 1 else 0) end.

(** The latest iteration up to t in which client i was selected; 0 if there is none. *)
Fixpoint last (selected : nat -> nat -> bool) (t i : nat) : nat :=
  match t with O => 0 | S s => if selected (S s) i then S s else last selected s i end.

Record Selection (N K E : nat) (selected : nat -> nat -> bool) := {
  available : nat -> nat -> bool;
  some_selected : 0 < K;
  within_window : forall i t, i < N -> exists s, t < s <= t + E /\ available s i = true;
  (** Who is available and passed over is passed over for K clients that have waited at least as long. *)
  longest_wait : forall t i, i < N -> available (S t) i = true -> selected (S t) i = false ->
    K <= count N (selected (S t)) /\
    forall j, j < N -> selected (S t) j = true -> last selected t j <= last selected t i
}.

Arguments available {N K E selected}. Arguments some_selected {N K E selected}.
Arguments within_window {N K E selected}. Arguments longest_wait {N K E selected}.

(** ceil(N/K): into how many groups of at most K the clients fall. *)
Definition groups (N K : nat) : nat := (N + K - 1) / K.

(** ** Counting *)
Lemma count_le n p : count n p <= n.
Proof. induction n; simpl; [lia|]. destruct (p n); lia. Qed.

Lemma count_some n p i : i < n -> p i = true -> 1 <= count n p.
Proof.
  induction n; intros Hi Pi; simpl; [lia|]. destruct (Nat.eq_dec i n) as [->|]; [rewrite Pi; lia|].
  assert (1 <= count n p) by (apply IHn; [lia|auto]). lia.
Qed.

Lemma count_monotone n p q : (forall j, j < n -> q j = true -> p j = true) -> count n q <= count n p.
Proof.
  induction n; intros A; simpl; [lia|]. assert (count n q <= count n p) by auto.
  destruct (q n) eqn:Q; [rewrite (A n ltac:(lia) Q); lia|lia].
Qed.

(** p splits into q and r, at least. *)
Lemma count_split n p q r : (forall j, j < n -> q j = true -> p j = true /\ r j = false) ->
  (forall j, j < n -> r j = true -> p j = true) -> count n q + count n r <= count n p.
Proof.
  induction n; intros A B; simpl; [lia|].
  assert (count n q + count n r <= count n p) by (apply IHn; intros; [apply A|apply B]; auto; lia).
  destruct (q n) eqn:Q; [destruct (A n ltac:(lia) Q) as [-> ->]; lia|].
  destruct (r n) eqn:Rn; [rewrite (B n ltac:(lia) Rn); lia|]. destruct (p n); lia.
Qed.

Section Last.
Context (selected : nat -> nat -> bool).
Notation last := (last selected).

Lemma last_le t i : last t i <= t.
Proof. induction t; simpl; [lia|]. destruct (selected (S t) i); lia. Qed.

Lemma last_since t i s : last t i <= s -> s <= t -> last s i = last t i.
Proof.
  intros A B. induction t; [replace s with 0 by lia; reflexivity|].
  destruct (Nat.eq_dec s (S t)) as [->|]; [reflexivity|]. simpl in *.
  destruct (selected (S t) i); [lia|]. apply IHt; lia.
Qed.

Lemma last_selected t i s : last t i = S s -> selected (S s) i = true.
Proof.
  induction t; simpl; [lia|]. destruct (selected (S t) i) eqn:E; [|assumption].
  intros [= <-]. assumption.
Qed.
End Last.

Section Lemma1.
Context {N K E : nat} {selected : nat -> nat -> bool} (rule : Selection N K E selected).
Notation last := (last selected).

(** How many clients have waited since iteration l at least, when iteration s is over. *)
Definition waiting l s := count N (fun j => last s j <=? l).

Lemma waiting_falls l s : l <= s -> waiting l (S s) <= waiting l s.
Proof.
  intros Hl. apply count_monotone. intros j Hj Q. apply Nat.leb_le in Q. apply Nat.leb_le.
  simpl in Q. destruct (selected (S s) j); lia.
Qed.

Lemma waiting_monotone l s d : l <= s -> waiting l (s + d) <= waiting l s.
Proof.
  intros Hl. induction d; [now rewrite Nat.add_0_r|]. rewrite Nat.add_succ_r.
  pose proof (waiting_falls l (s + d)). lia.
Qed.

(** Each time client i is passed over, K of those who have waited as long are served. *)
Lemma passed_over l s i : i < N -> l <= s -> last s i = l -> selected (S s) i = false ->
  available rule (S s) i = true -> K + waiting l (S s) <= waiting l s.
Proof.
  intros Hi Hl El Sel Av. destruct (longest_wait rule s i Hi Av Sel) as [A B].
  apply Nat.le_trans with (count N (selected (S s)) + waiting l (S s)); [lia|]. apply count_split.
  - intros j Hj Sj. split; [apply Nat.leb_le; rewrite <- El; now apply B|].
    simpl. rewrite Sj. apply Nat.leb_gt. lia.
  - intros j Hj Q. apply Nat.leb_le in Q. apply Nat.leb_le. simpl in Q.
    destruct (selected (S s) j); lia.
Qed.

Lemma clients_covered : N <= groups N K * K.
Proof.
  pose proof (some_selected rule). unfold groups.
  pose proof (Nat.div_mod (N + K - 1) K ltac:(lia)).
  pose proof (Nat.mod_upper_bound (N + K - 1) K ltac:(lia)). nia.
Qed.

Theorem staleness t i : i < N -> t - last t i <= groups N K * E - 1.
Proof.
  intros Hi. destruct (Nat.le_gt_cases t (last t i + (groups N K * E - 1))) as [|Late]; [lia|].
  exfalso. pose proof (some_selected rule) as PK. pose proof clients_covered as Covered.
  set (c := groups N K) in *. set (l := last t i) in *. assert (Hl : l <= t) by apply last_le.
  assert (E0 : 0 < E) by (destruct (within_window rule i 0 Hi) as [s [Hs _]]; lia).
  assert (C1 : 1 <= c) by nia. assert (C2 : 1 <= c * E) by nia.
  assert (Waited : l + c * E <= t) by lia. clear Late.
  assert (Quiet : forall s, l <= s -> s < t -> selected (S s) i = false).
  { intros s A B. destruct (selected (S s) i) eqn:Sl; [|reflexivity]. exfalso.
    assert (Q : last (S s) i = l) by (apply last_since; fold l; lia). simpl in Q. rewrite Sl in Q. lia. }
  assert (Fall : forall k, k <= c -> waiting l (l + k * E) + k * K <= N).
  { induction k; intros Hk.
    { pose proof (count_le N (fun j => last (l + 0 * E) j <=? l)). unfold waiting. lia. }
    specialize (IHk ltac:(lia)).
    destruct (within_window rule i (l + k * E) Hi) as [s [[S1 S2] Av]].
    assert (S3 : s <= t) by nia. destruct s as [|s]; [lia|].
    assert (A : waiting l s <= waiting l (l + k * E)).
    { replace s with (l + k * E + (s - (l + k * E))) by lia. apply waiting_monotone. lia. }
    assert (B : K + waiting l (S s) <= waiting l s).
    { apply (passed_over l s i); auto; try lia; [apply last_since; fold l; lia|apply Quiet; lia]. }
    assert (C : waiting l (l + S k * E) <= waiting l (S s)).
    { replace (l + S k * E) with (S s + (l + S k * E - S s)) by (simpl; lia).
      apply waiting_monotone. lia. }
    simpl in *. lia. }
  specialize (Fall c (Nat.le_refl _)).
  assert (One : 1 <= waiting l (l + c * E)).
  { apply (count_some N _ i Hi). apply Nat.leb_le. rewrite (last_since _ t i (l + c * E)); fold l; lia. }
  lia.
Qed.

(** So after the first ceil(N/K) E - 1 iterations everybody has taken part. *)
Theorem everybody_took_part t i : i < N -> groups N K * E - 1 < t -> 0 < last t i.
Proof. intros Hi Ht. pose proof (staleness t i Hi). lia. Qed.
End Lemma1.
