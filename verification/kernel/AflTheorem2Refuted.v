(** * Theorem 2 of AFL as printed is false

    At tau = 0 its condition (a), 180 eta_L^2 K^2 L^2 tau < 1, says nothing about the local step
    size. One worker with f = x^2/2 takes two local steps of size 10, the server's step is 1/20: the
    model triples in every round, x_t = 3^t, and after two rounds the average of |grad f|^2 is 5,
    while the printed bound is 2. There is no noise and no dissimilarity.

    [printed_theorem2] is the printed theorem about the same runs as in [AflTheorem2.v]: only
    condition (a) differs. *)
From Coq Require Import Reals Lra Psatz Lia FunctionalExtensionality.
From FL Require Import Quadratic CrossDevice Claims_afl.
Open Scope R_scope.

Definition printed_theorem2 : Prop :=
  forall (H : Space) (p : Problem H) (run : CrossDevice p) (sigmaG : R) (T : nat),
  unbiased_noise run -> dissimilarity p sigmaG -> (0 < T)%nat ->
  180 * local_step run ^ 2 * INR (most_steps run) ^ 2 * smoothness p ^ 2 * INR (max_delay run) < 1 ->
  afl_thm2c_condition_b (local_step_size := local_step run) (max_delay := INR (max_delay run))
    (server_step_size := server_step run) (smoothness := smoothness p) ->
  avg T (fun t => ‖∇ p (model run t)‖²) <=
  afl_thm2c_right (clients_per_round := INR (least_arrivals run)) (dissimilarity := sigmaG)
    (gradient_noise := noise_level run) (initial_loss_gap := global p (model run 0%nat) - lowest p)
    (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (max_delay := INR (max_delay run)) (num_rounds := INR T) (server_step_size := server_step run)
    (smoothness := smoothness p).

(** ** The loss x^2/2 on the line *)
Definition bowl : line -> R := quadratic 1 zero.

Lemma one_mean (v : nat -> line) : mean 1 v = v 0%nat.
Proof. unfold mean. simpl. apply functional_extensionality. intros j. simpl. field. Qed.

Lemma bowl_slope (y : line) : slope_of_quadratic 1 zero y = y.
Proof. unfold slope_of_quadratic. now rewrite scale_one, add_zero. Qed.

Definition one_bowl : Problem line.
Proof.
  refine {| clients := 1; loss := fun _ => bowl; gradient := fun _ => slope_of_quadratic 1 zero;
            smoothness := 1; lowest := 0 |};
    [lia|lra|intros; apply quadratic_smooth; rewrite Rabs_R1; lra|].
  intros y. unfold average, avg. simpl sum. pose proof (quadratic_below 1 zero y Rlt_0_1) as Q.
  rewrite dot_zero_l in Q. fold bowl in Q. simpl INR. lra.
Defined.

(** ** The run *)
Definition tripled (t : nat) : line := fun _ => 3 ^ t.
Definition worked (t s k : nat) : line :=
  fun _ => match k with O => 3 ^ t | S O => -9 * 3 ^ t | _ => 81 * 3 ^ t end.

Definition diverging : CrossDevice one_bowl.
Proof.
  refine {| arrivals := fun _ => 1%nat; least_arrivals := 1; most_steps := 2; max_delay := 0;
            local_step := 10; server_step := 1 / 20; noise_level := 0; worker := fun _ _ => 0%nat;
            delay := fun _ _ => 0%nat; steps := fun _ _ => 2%nat; model := tripled; local := worked;
            noise := fun _ _ _ => zero |}; try (intros; simpl; lia); try lra.
  - intros t s _. unfold worked, tripled. now rewrite Nat.sub_0_r.
  - intros t s k _ Hk. apply functional_extensionality. intros j. unfold worked. simpl.
    destruct k as [|[|k]]; [ring|ring|lia].
  - intros t. rewrite one_mean. unfold update, exact, mean. apply functional_extensionality. intros j.
    unfold tripled, worked. simpl. field.
  - intros. rewrite dot_zero_l. lra.
Defined.

Lemma bowl_global (y : line) : ∇ one_bowl y = y.
Proof. etransitivity; [apply (one_mean (fun _ => slope_of_quadratic 1 zero y))|apply bowl_slope]. Qed.

Lemma diverging_fair : unbiased_noise diverging.
Proof. intros [[t s] k] y _ _. apply dot_zero_l. Qed.

Lemma bowl_apart : dissimilarity one_bowl 0.
Proof.
  intros i y _. rewrite bowl_global. change (∇i one_bowl i y) with (slope_of_quadratic 1 zero y).
  rewrite bowl_slope, add_opp, dot_zero_l. lra.
Qed.

Lemma tripled_slope t : ‖∇ one_bowl (tripled t)‖² = 9 ^ t.
Proof.
  rewrite bowl_global. simpl. unfold tripled.
  rewrite <- Rpow_mult_distr. replace (3 * 3) with 9 by ring. ring.
Qed.

Theorem printed_theorem2_is_false : ~ printed_theorem2.
Proof.
  intros Printed.
  pose proof (Printed line one_bowl diverging 0 2%nat diverging_fair bowl_apart ltac:(lia)) as Q.
  unfold afl_thm2c_condition_b, afl_thm2c_right in Q. cbn [model diverging] in Q.
  assert (Start : global one_bowl (tripled 0) = 1 / 2).
  { unfold global, average, avg. simpl. unfold bowl, quadratic. simpl. unfold tripled. simpl. lra. }
  rewrite Start in Q. unfold avg in Q. cbn [sum] in Q. rewrite !tripled_slope in Q. simpl in Q.
  specialize (Q ltac:(lra) ltac:(lra)). lra.
Qed.
