(** * Examples: what the theorems about chance ask for exists

    A hypothesis that nothing satisfies proves everything. On the finite probability space of n
    independent digits to the base b, all b^n outcomes equally likely, there are

    - [flips_exist], [coins_have_ages]: clients that come by coin flips with chance a/b in each of R rounds,
      as the theorems of MifaBernoulli.v and MifaCrossing.v want them;
    - [noisy_run_exists]: a run of AFA-CD on any problem, with noise of size sigma that is fair in each of T
      rounds, as the theorems of AflTheorem2.v want it;
    - [uniform_run_exists]: a run of AFA-CD on any problem that hears from one worker in each of T rounds,
      uniformly at random, as Theorem 3 of AFL wants it (AflTheorem3.v);
    - [random_weights_exist], [batches_are_blind]: a run with random weights on any convex problem, one
      client in each of N rounds, as the theorems of FraboniChance.v and FraboniLemmas.v want it.

    A finite probability space has room for finitely many draws: rounds after the last one are without
    noise or weights, or not asked about. *)
From Coq Require Import Reals Lra Psatz Lia Arith FunctionalExtensionality.
From FL Require Import CrossDevice UniformDevice FraboniChance FraboniLemmas Chance Labels Convex MifaBernoulli.
Open Scope R_scope.

(** ** Independent digits *)
Lemma sum_blocks a m f : sum (a * m) f = sum m (fun v => sum a (fun u => f (u + a * v)%nat)).
Proof.
  induction m; [now rewrite Nat.mul_0_r|]. rewrite Nat.mul_succ_r, sum_split, IHm. cbn [sum]. f_equal.
  apply sum_ext. intros u _. f_equal. lia.
Qed.

Section Digits.
Context (b n : nat).
Hypothesis some_digit : (0 < b)%nat.

Definition digit (t w : nat) : nat := ((w / b ^ t) mod b)%nat.
(** The digits before digit t. *)
Definition past (t w : nat) : nat := (w mod b ^ t)%nat.

Lemma power_not_0 t : (b ^ t <> 0)%nat.
Proof. apply Nat.pow_nonzero. lia. Qed.

Lemma digit_small t w : (digit t w < b)%nat.
Proof. apply Nat.mod_upper_bound. lia. Qed.

Lemma digit_of_past s t w : (s < t)%nat -> digit s (past t w) = digit s w.
Proof.
  intros Hs. unfold past, digit. pose proof (power_not_0 s) as Ps.
  pose proof (Nat.div_mod w (b ^ t) (power_not_0 t)) as E.
  set (q := (w / b ^ t)%nat) in E. set (r := (w mod b ^ t)%nat) in *. clearbody q r. subst w.
  assert (Et : (b ^ t = b ^ (t - S s) * b * b ^ s)%nat).
  { rewrite <- Nat.mul_assoc, <- Nat.pow_succ_r', <- Nat.pow_add_r. f_equal. lia. }
  replace (b ^ t * q + r)%nat with (r + (q * b ^ (t - S s) * b) * b ^ s)%nat by (rewrite Et; ring).
  rewrite Nat.div_add, Nat.mod_add by (assumption || lia). reflexivity.
Qed.

Lemma same_digits s t v w : (s < t)%nat -> past t v = past t w -> digit s v = digit s w.
Proof. intros Hs E. now rewrite <- (digit_of_past s t v Hs), E, digit_of_past. Qed.

(** Digit t is uniform, whatever the digits before it show. *)
Lemma next_digit t (f g : nat -> R) : (t < n)%nat -> (forall v w, past t v = past t w -> f v = f w) ->
  sum (b ^ n) (fun w => f w * g (digit t w)) = avg b g * sum (b ^ n) f.
Proof.
  intros Ht Past. pose proof (power_not_0 t) as Pt.
  assert (En : (b ^ n = b ^ t * b * b ^ (n - S t))%nat).
  { rewrite (Nat.mul_comm _ b), <- Nat.pow_succ_r', <- Nat.pow_add_r. f_equal. lia. }
  assert (Split : forall F, sum (b ^ n) F = sum (b ^ (n - S t)) (fun v => sum b (fun d => sum (b ^ t) (fun u =>
    F (u + b ^ t * d + b ^ t * b * v)%nat)))).
  { intros F. rewrite En, sum_blocks. apply sum_ext. intros v _. now rewrite sum_blocks. }
  assert (At : forall u d v, (u < b ^ t)%nat -> (d < b)%nat ->
    past t (u + b ^ t * d + b ^ t * b * v)%nat = past t u /\ digit t (u + b ^ t * d + b ^ t * b * v)%nat = d).
  { intros u d v Hu Hd. unfold past, digit.
    replace (u + b ^ t * d + b ^ t * b * v)%nat with (u + (d + v * b) * b ^ t)%nat by ring. split.
    - now rewrite Nat.mod_add.
    - rewrite Nat.div_add, Nat.div_small, Nat.add_0_l, Nat.mod_add, Nat.mod_small by (assumption || lia).
      reflexivity. }
  rewrite !Split, <- sum_scale. apply sum_ext. intros v _. set (total := sum (b ^ t) f).
  transitivity (sum b (fun d => total * g d)).
  - apply sum_ext. intros d Hd. unfold total. rewrite (Rmult_comm _ (g d)), <- sum_scale. apply sum_ext.
    intros u Hu. destruct (At u d v Hu Hd) as [A D]. rewrite D, (Past _ u A). ring.
  - rewrite sum_scale. transitivity (avg b g * (INR b * total)).
    + unfold avg. field. apply not_0_INR. lia.
    + f_equal. rewrite <- sum_const. apply sum_ext. intros d Hd. apply sum_ext. intros u Hu.
      symmetry. now apply Past, At.
Qed.

Definition digits : Law.
Proof.
  refine {| outcomes := b ^ n; chance := fun _ => / INR (b ^ n) |}.
  - intros _. left. apply Rinv_0_lt_compat, lt_0_INR. pose proof (power_not_0 n). lia.
  - rewrite sum_const. apply Rinv_r, not_0_INR, power_not_0.
Defined.

Lemma expect_digits h : expect digits h = / INR (b ^ n) * sum (b ^ n) h.
Proof. unfold expect. simpl. now rewrite sum_scale. Qed.

(** What the outcomes with the same past contribute. *)
Lemma digit_within t a g : (t < n)%nat ->
  within digits (past t) a (fun w => g (digit t w)) = avg b g * within digits (past t) a (fun _ => 1).
Proof.
  intros Ht. unfold within. simpl outcomes. simpl chance. set (c := / INR (b ^ n)).
  rewrite <- (next_digit t (fun w => if (past t w =? a)%nat then c * 1 else 0) g Ht).
  - apply sum_ext. intros w _. destruct (past t w =? a)%nat; ring.
  - intros v w E. now rewrite E.
Qed.

Lemma fair_digit t g : (t < n)%nat -> avg b g = 0 ->
  fair digits (past t) (fun w => (fun _ => g (digit t w)) : euclid 1).
Proof.
  intros Ht Mean a z. pose proof (digit_within t a (fun d => g d * z 0%nat) Ht) as W.
  rewrite (avg_ext b _ (fun d => z 0%nat * g d)), avg_scale, Mean in W by (intros; ring).
  unfold within in W. rewrite Rmult_0_r, Rmult_0_l in W. etransitivity; [|exact W]. apply sum_ext. intros w _.
  destruct (past t w =? a)%nat; [|reflexivity]. simpl. ring.
Qed.

Lemma avg_below a : (a <= b)%nat -> avg b (fun d => if (d <? a)%nat then 1 else 0) = INR a / INR b.
Proof.
  intros Ha. unfold avg. replace b with (a + (b - a))%nat at 2 by lia. rewrite sum_split.
  rewrite (sum_ext a _ (fun _ => 1)), (sum_ext (b - a) _ (fun _ => 0)), !sum_const.
  - unfold Rdiv. ring.
  - intros d _. destruct (Nat.ltb_spec (a + d) a); [lia|reflexivity].
  - intros d Hd. destruct (Nat.ltb_spec d a); [reflexivity|lia].
Qed.

Lemma avg_one i : (i < b)%nat -> avg b (fun d => if (d =? i)%nat then 1 else 0) = / INR b.
Proof.
  intros Hi. unfold avg. rewrite (sum_single b _ i Hi), Nat.eqb_refl; [ring|].
  intros d _ N. destruct (Nat.eqb_spec d i); [contradiction|reflexivity].
Qed.
End Digits.

(** ** Coin flips *)
Theorem flips_exist N rounds a b : (0 < a <= b)%nat ->
  exists (P : Law) (there : nat -> nat -> nat -> bool),
    (forall i w, there 0%nat i w = true) /\
    forall t i f, (i < N)%nat -> (0 < t < rounds)%nat -> of_the_past there t i f ->
      expect P (fun w => f w * present there t i w) = INR a / INR b * expect P f.
Proof.
  intros [Pa Ha]. assert (Pb : (0 < b)%nat) by lia.
  set (there := fun t (i w : nat) => match t with O => true | S s => (digit b s w <? a)%nat end).
  exists (digits b rounds Pb), there. split; [reflexivity|]. intros t i f _ [Ht Hn] Past.
  destruct t as [|s]; [lia|]. rewrite !expect_digits.
  pose proof (next_digit b rounds Pb s f (fun d => if (d <? a)%nat then 1 else 0) ltac:(lia)) as Next.
  rewrite avg_below in Next by assumption.
  replace (INR a / INR b * (/ INR (b ^ rounds) * sum (b ^ rounds) f))
    with (/ INR (b ^ rounds) * (INR a / INR b * sum (b ^ rounds) f)) by ring.
  rewrite <- Next; [reflexivity|]. intros v w E. apply Past. intros r Hr.
  destruct r as [|r]; [reflexivity|]. unfold there.
    now rewrite (same_digits b Pb r s v w ltac:(lia) E).
Qed.

(** So the theorems of MifaBernoulli.v apply to them. *)
Theorem coins_have_ages N rounds a b : (0 < a <= b)%nat ->
  exists (P : Law) (there : nat -> nat -> nat -> bool), forall t i k, (i < N)%nat -> (k <= t < rounds)%nat ->
    expect P (fun w => at_least k (age there t i w)) = (1 - INR a / INR b) ^ k.
Proof.
  intros Hab. destruct (flips_exist N rounds a b Hab) as (P & there & First & Flips). exists P, there.
  intros t i k Hi Hk. exact (tail_is P N (fun _ => INR a / INR b) there rounds Flips i k Hi t Hk).
Qed.

(** ** AFA-CD with noise *)
Section Noisy.
Context {E : Space} (p : Problem E) (eta eg sigma : R) (start e : E) (T : nat) (who : nat -> nat).
Hypothesis steps_pos : 0 < eta /\ 0 < eg.
Hypothesis workers : forall t, (who t < clients p)%nat.
Hypothesis sigma_pos : 0 <= sigma.
Hypothesis unit_vector : ‖e‖² = 1.
Notation P := (digits 2 T Nat.lt_0_2).
Notation H := (random P E).
Notation pp := (expected P p).

(** Plus or minus sigma in each of the first T rounds. *)
Definition sign (d : nat) : R := if (d =? 0)%nat then 1 else -1.
Definition toss (t : nat) : H := fun w => (if (t <? T)%nat then sigma * sign (digit 2 t w) else 0) ⊙ e.

(** Worker [who t] has done one local step from the model of round t. *)
Definition one_step (x : H) (t k : nat) : H :=
  match k with O => x | S _ => x ⊕ (- eta) ⊙ (∇i pp (who t) x ⊕ toss t) end.
Fixpoint noisy_model (t : nat) : H :=
  match t with
  | O => fun _ => start
  | S s => noisy_model s ⊕ (- (eg * eta)) ⊙
      mean 1 (fun _ => LocalWork.update pp (who s) 1 (one_step (noisy_model s) s) (fun _ => toss s))
  end.

Lemma toss_square t : ‖toss t‖² <= sigma ^ 2.
Proof.
  rewrite <- (expect_const P (sigma ^ 2)). apply expect_le. intros w. unfold toss, sign.
  rewrite square_scale, unit_vector. pose proof (pow2_ge_0 sigma).
  destruct (t <? T)%nat; [destruct (_ =? 0)%nat|]; lra.
Qed.

Definition noisy_run : CrossDevice.CrossDevice pp.
Proof.
  refine {| CrossDevice.arrivals := fun _ => 1%nat; CrossDevice.least_arrivals := 1; CrossDevice.most_steps := 1;
    CrossDevice.max_delay := 0; CrossDevice.local_step := eta; CrossDevice.server_step := eg;
    CrossDevice.noise_level := sigma; CrossDevice.worker := fun t _ => who t; CrossDevice.delay := fun _ _ => 0%nat;
    CrossDevice.steps := fun _ _ => 1%nat; CrossDevice.model := noisy_model;
    CrossDevice.local := fun t _ => one_step (noisy_model t) t; CrossDevice.noise := fun t _ _ => toss t |}.
  - intros. now rewrite Nat.sub_0_r.
  - intros t s k _ Hk. now replace k with 0%nat by lia.
  - reflexivity.
  - lia.
  - intros. apply workers.
  - lia.
  - lia.
  - apply steps_pos.
  - apply steps_pos.
  - assumption.
  - intros t s k _ _. apply toss_square.
Defined.

Theorem noisy_run_exists : exists run : CrossDevice.CrossDevice pp,
  fair_noise P (CrossDevice.drawn run) CrossDevice.before (CrossDevice.noise_of run) (CrossDevice.model run 0%nat) /\
  forall t s k, (t < T)%nat -> ‖CrossDevice.noise run t s k‖² = sigma ^ 2.
Proof.
  exists noisy_run. split.
  - exists (fun d => let '(t, _, _) := d in past 2 t). intros [[t s] k] [Hs Hk]. simpl in Hs, Hk. split; [|split].
    + intros a z. change (CrossDevice.noise_of noisy_run (t, s, k)) with (toss t).
      destruct (Nat.lt_ge_cases t T) as [Ht|Ht].
      * pose proof (digit_within 2 T Nat.lt_0_2 t a (fun d => sigma * sign d * ⟨e, z⟩) Ht) as W.
        assert (Mean : avg 2 (fun d => sigma * sign d * ⟨e, z⟩) = 0) by (unfold avg, sign; simpl; ring).
        rewrite Mean, Rmult_0_l in W. etransitivity; [|exact W]. apply sum_ext. intros w _. unfold toss.
        destruct (Nat.ltb_spec t T); [|lia]. now rewrite dot_scale_l.
      * apply sum_zero. intros w _. unfold toss. destruct (Nat.ltb_spec t T); [lia|]. rewrite dot_scale_l.
        destruct (past 2 t w =? a)%nat; ring.
    + intros v w _ _ _. reflexivity.
    + intros [[u r] j] [Hr Hj] B v w _ _ Ev. simpl in Hr, Hj, B.
      assert (u < t)%nat by (destruct B as [|[_ [N|N]]]; lia).
      change (toss u v = toss u w). unfold toss. now rewrite (same_digits 2 Nat.lt_0_2 u t v w).
  - intros t s k Ht. change (‖toss t‖² = sigma ^ 2). rewrite <- (expect_const P (sigma ^ 2)). apply expect_ext.
    intros w. unfold toss, sign. destruct (Nat.ltb_spec t T); [|lia]. rewrite square_scale, unit_vector.
    destruct (_ =? 0)%nat; ring.
Qed.
End Noisy.

(** ** AFA-CD with uniform arrivals *)
Section Uniform.
Context {E : Space} (p : Problem E) (eta eg : R) (start : E) (K T : nat).
Hypothesis steps_pos : 0 < eta /\ 0 < eg.
Hypothesis some_steps : (0 < K)%nat.
Notation M := (clients p).
Notation P := (digits M T (some_client p)).
Notation H := (random P E).
Notation pp := (expected P p).

(** Worker i is heard in round t if digit t is i. *)
Definition heard t i w : bool := (digit M t w =? i)%nat.
Fixpoint walk (x : H) i (k : nat) : H :=
  match k with O => x | S l => walk x i l ⊕ (- eta) ⊙ (∇i pp i (walk x i l) ⊕ zero) end.
Fixpoint uniform_model (t : nat) : H :=
  match t with
  | O => fun _ => start
  | S s => uniform_model s ⊕ (- (eg * eta)) ⊙ (/ INR 1 ⊙ vsum M (fun i =>
      UniformDevice.pick (heard s i) (LocalWork.update pp i K (walk (uniform_model s) i) (fun _ => zero))))
  end.

Definition one_of_all : UniformDevice.UniformDevice P p.
Proof.
  refine {| UniformDevice.per_round := 1; UniformDevice.most_steps := K; UniformDevice.max_delay := 0;
    UniformDevice.local_step := eta; UniformDevice.server_step := eg; UniformDevice.noise_level := 0;
    UniformDevice.delay := fun _ _ => 0%nat; UniformDevice.steps := fun _ _ => K; UniformDevice.chosen := heard;
    UniformDevice.model := uniform_model; UniformDevice.local := fun t i => walk (uniform_model t) i;
    UniformDevice.noise := fun _ _ _ => zero |}.
  - intros. now rewrite Nat.sub_0_r.
  - reflexivity.
  - reflexivity.
  - pose proof (some_client p). lia.
  - lia.
  - lia.
  - apply steps_pos.
  - apply steps_pos.
  - lra.
  - intros. rewrite dot_zero_l. simpl. lra.
Defined.

Lemma past_tells t : UniformDevice.tells_past one_of_all (past M t) t.
Proof.
  split; [|split].
  - intros v w _ _ _. reflexivity.
  - intros u j l _ _ _ v w _ _ _. reflexivity.
  - intros u j Hu _ v w _ _ Ev. change (heard u j v = heard u j w). unfold heard.
    now rewrite (same_digits M (some_client p) u t v w).
Qed.

Theorem uniform_run_exists : exists run : UniformDevice.UniformDevice P p,
  UniformDevice.uniform_run run T /\ UniformDevice.per_round run = 1%nat.
Proof.
  pose proof (some_client p) as Pm. pose proof (lt_0_INR M Pm) as PM. exists one_of_all. split; [|reflexivity]. split.
  - exists (fun t _ _ => past M t). intros t i k _ _ _. split; [|split].
    + intros a z. apply sum_zero. intros w _. destruct (_ =? a)%nat; [|reflexivity].
      change (chance P w * ⟨(zero : E), z⟩ = 0). rewrite dot_zero_l. ring.
    + apply past_tells.
    + intros j l _ _ _ v w _ _ _. reflexivity.
  - exists (past M). intros t Ht. split; [apply past_tells|]. split; [|split].
    + intros j l _ _ v w _ _ _. reflexivity.
    + intros i Hi. apply (fair_digit M T Pm t (fun d => UniformDevice.coin (d =? i)%nat - INR 1 / INR M) Ht).
      rewrite (avg_ext M _ (fun d => (if (d =? i)%nat then 1 else 0) + - / INR M)), avg_add, avg_one, avg_const
        by (assumption || (intros; unfold UniformDevice.coin, Rdiv; simpl; ring)). ring.
    + intros i j Hi Hj N. apply (fair_digit M T Pm t (fun d => UniformDevice.coin (d =? i)%nat *
        UniformDevice.coin (d =? j)%nat - INR 1 * (INR 1 - 1) / (INR M * (INR M - 1))) Ht).
      rewrite (avg_ext M _ (fun _ => 0)), avg_const; auto. intros d _. unfold UniformDevice.coin, Rdiv. simpl.
      destruct (Nat.eqb_spec d i); destruct (Nat.eqb_spec d j); try ring. congruence.
Qed.
End Uniform.

(** ** Random weights *)
Section Weights.
Context {E : Space} (p : Problem E) (eta eg : R) (start : E) (K N : nat).
Hypothesis steps_pos : 0 < eta /\ 0 < eg.
Hypothesis some_steps : (0 < K)%nat.
Hypothesis losses : convex_losses p 0.
Notation M := (clients p).
Notation P := (digits M N (some_client p)).

(** In round n < N the client that digit n names has weight 1, all others have weight 0. *)
Definition given n i w : R := if (n <? N)%nat then (if (digit M n w =? i)%nat then 1 else 0) else 0.
Fixpoint descend (x : E) i (k : nat) : E :=
  match k with O => x | S l => descend x i l ⊖ eta ⊙ ∇i p i (descend x i l) end.
Fixpoint weighted_model (n w : nat) : E :=
  match n with
  | O => start
  | S m => weighted_model m w ⊖ (eg * eta * INR K)
      ⊙ vsum M (fun i => given m i w ⊙ mean K (fun k => ∇i p i (descend (weighted_model m w) i k)))
  end.

Definition weighted_run : FraboniChance.RandomRounds P E.
Proof.
  refine {| FraboniChance.crowd := M; FraboniChance.steps := K; FraboniChance.local_step := eta;
    FraboniChance.server_step := eg; FraboniChance.smoothness := smoothness p; FraboniChance.loss := loss p;
    FraboniChance.gradient := gradient p; FraboniChance.batch := fun _ i _ _ => loss p (i mod M);
    FraboniChance.batch_gradient := fun _ i _ _ => gradient p (i mod M); FraboniChance.weight := given;
    FraboniChance.q := fun n _ => if (n <? N)%nat then / INR M else 0; FraboniChance.alpha := 0;
    FraboniChance.beta := 1; FraboniChance.server := weighted_model; FraboniChance.pulled := fun n _ => n;
    FraboniChance.local := fun n i k w => descend (weighted_model n w) i k |}.
  - assumption.
  - assumption.
  - apply smoothness_pos.
  - intros n _. pose proof (inv_INR_pos M (some_client p)). destruct (n <? N)%nat; lra.
  - lra.
  - lra.
  - apply smooth_losses.
  - intros. apply smooth_losses, Nat.mod_upper_bound. pose proof (some_client p). lia.
  - intros. apply losses, Nat.mod_upper_bound. pose proof (some_client p). lia.
  - intros n i _. split; [lia|reflexivity].
  - intros n i k w Hi _. rewrite Nat.mod_small by assumption. reflexivity.
  - intros n w. cbn [weighted_model]. do 3 f_equal. apply vsum_ext. intros i Hi. rewrite Nat.mod_small by assumption.
    reflexivity.
Defined.

Lemma past_tells_weights n : FraboniChance.tells_weights weighted_run (past M n) n.
Proof.
  intros m j v w Hm _ _ _ Ev. change (given m j v = given m j w). unfold given.
  now rewrite (same_digits M (some_client p) m n v w).
Qed.

Theorem random_weights_exist : exists run : FraboniChance.RandomRounds P E,
  FraboniChance.fair_batches run /\ FraboniChance.fair_weights run /\ FraboniChance.alpha run = 0 /\
  (forall n, (n < N)%nat -> FraboniChance.round_weight run n = 1) /\
  forall n, (N <= n)%nat -> FraboniChance.round_weight run n = 0.
Proof.
  pose proof (some_client p) as Pm. pose proof (lt_0_INR M Pm) as PM. exists weighted_run.
  split; [|split; [|split; [|split]]].
  - exists (fun n _ _ => past M n). intros n i k Hi _. simpl in Hi |- *. rewrite Nat.mod_small by assumption.
    split; [|split; [|split; [|split]]].
    + intros a y. apply sum_zero. intros w _. destruct (_ =? a)%nat; ring.
    + intros a y z. apply sum_zero. intros w _. rewrite dot_add_l, dot_scale_l. destruct (_ =? a)%nat; ring.
    + intros v w _ _ _. reflexivity.
    + apply past_tells_weights.
    + intros m j l _ _ _ y v w _ _ _. reflexivity.
  - exists (past M). intros n.
    assert (Part : forall a i (h : nat -> R), (i < M)%nat ->
      (forall w, h w = given n i w - if (n <? N)%nat then / INR M else 0) -> within P (past M n) a h = 0).
    { intros a i h Hi Eh. rewrite (within_ext P (past M n) a h _ (fun w _ _ => Eh w)). unfold given.
      destruct (Nat.ltb_spec n N) as [Hn|Hn].
      - set (g := fun d => (if (d =? i)%nat then 1 else 0) - / INR M).
        etransitivity; [exact (digit_within M N (some_client p) n a g Hn)|]. unfold g.
        rewrite (avg_ext M _ (fun d => (if (d =? i)%nat then 1 else 0) + - / INR M)), avg_add, avg_one, avg_const
          by (assumption || (intros; ring)). ring.
      - apply sum_zero. intros w _. destruct (_ =? a)%nat; ring. }
    split; [|split; [|split; [|split; [|split]]]].
    + intros a i Hi. now apply (Part a i).
    + intros a i j Hi Hj D. apply sum_zero. intros w _. change (FraboniChance.weight weighted_run) with given.
      change (FraboniChance.alpha weighted_run) with 0. unfold given.
      destruct (_ =? a)%nat; [|reflexivity]. destruct (n <? N)%nat; [|ring].
      destruct (Nat.eqb_spec (digit M n w) i); destruct (Nat.eqb_spec (digit M n w) j); try ring. congruence.
    + intros a i Hi. right. apply (Part a i); [assumption|]. intros w. simpl. unfold given.
      destruct (n <? N)%nat; [destruct (_ =? i)%nat|]; ring.
    + intros v w _ _ _. reflexivity.
    + apply past_tells_weights.
    + intros m j l _ _ _ y v w _ _ _. reflexivity.
  - reflexivity.
  - intros n Hn. unfold FraboniChance.round_weight. simpl. destruct (Nat.ltb_spec n N); [|lia].
    rewrite sum_const. field. lra.
  - intros n Hn. unfold FraboniChance.round_weight. simpl. destruct (Nat.ltb_spec n N); [lia|].
    rewrite sum_const. ring.
Qed.

(** Its batches do not know who takes part, as FraboniLemmas.v wants them. *)
Theorem batches_are_blind : FraboniLemmas.blind_batches weighted_run.
Proof.
  exists (fun n _ _ => past M (S n)). intros n i k Hi _. simpl in Hi |- *. rewrite Nat.mod_small by assumption.
  split; [|split; [|split; [|split]]].
  - intros a y. apply sum_zero. intros w _. destruct (_ =? a)%nat; ring.
  - intros a y z. apply sum_zero. intros w _. rewrite dot_add_l, dot_scale_l. destruct (_ =? a)%nat; ring.
  - intros v w _ _ _. reflexivity.
  - apply past_tells_weights.
  - intros m j l _ _ _ y v w _ _ _. reflexivity.
Qed.
End Weights.
