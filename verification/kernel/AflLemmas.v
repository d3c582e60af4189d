(** * Lemmas 1 and 2 of AFL, the term A4 and the count of used models

    - Lemma 1: the noise of an update of K local steps, averaged over the steps, has second moment at
      most sigma_L^2, and even at most sigma_L^2/K, in every Space (so in expectation too). The
      record of the work is [LocalWork].
    - Lemma 2, corrected: in a run of AFA-CD ([CrossDevice]) noise adds at most m sigma_L^2 to the
      squared sum of a round's m updates, if K L eta_L <= 1 or K = 1; K bounds the local steps.
    - Term A4, corrected: so in rounds of m updates the mean squared distance between the server's model
      and those that the updates started from is at most (g^2 tau/m^2) (the squared path sums of the
      last tau rounds + tau m sigma_L^2), g = eta eta_L.
    - Step (a12), corrected: in a run of AFA-CD ([CrossDevice]), summed over the rounds, the squared
      gradients at the models that the round's updates started from (averaged over the updates) are
      at most tau + 1 times those at all models. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import CrossDevice Claims_afl.
Open Scope R_scope.

Section Lemma1.
Context {H : Space} {p : Problem H} {i K : nat} {step sigma : R} {local noise : nat -> H}.
Hypothesis job : LocalWork p i step sigma K K local noise.

Theorem afl_lem1_sharp :
  ‖hum K noise‖² <= afl_lem1_sharp_right (gradient_noise := sigma) (local_steps := INR K).
Proof. apply (hum_square job). Qed.

Theorem afl_lem1 : ‖hum K noise‖² <= afl_lem1_right (gradient_noise := sigma).
Proof. apply (hum_square_le job). Qed.
End Lemma1.

Theorem afl_thm2_a12c {H : Space} {p : Problem H} (run : CrossDevice p) (T : nat) :
  sum T (fun t => avg (arrivals run t) (fun s => ‖∇ p (model run (t - delay run t s)%nat)‖²)) <=
  afl_thm2_a12c_right (max_delay := INR (max_delay run))
    (sum_at_all_models := sum T (fun t => ‖∇ p (model run t)‖²)).
Proof. unfold afl_thm2_a12c_right. rewrite Rmult_comm. apply (used_slopes run). Qed.

Section Lemma2.
Context {H : Space} {p : Problem H} (run : CrossDevice p).
Hypothesis Fair : unbiased_noise run.

(** The sums of a round's updates, and of its paths. *)
Definition update_sum t : H := vsum (arrivals run t)
  (fun s => update p (worker run t s) (steps run t s) (local run t s) (noise run t s)).
Definition path_sum t : H := vsum (arrivals run t) (slot_path run t).

Lemma sum_square n (v : nat -> H) : (0 < n)%nat -> ‖vsum n v‖² = INR n ^ 2 * ‖mean n v‖².
Proof.
  intros Hn. apply lt_0_INR in Hn. unfold mean. rewrite square_scale. field. lra.
Qed.

Theorem afl_lem2c :
  afl_lem2c_condition_short (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (smoothness := smoothness p) -> forall t,
  ‖update_sum t‖² <= afl_lem2c_right (clients_per_round := INR (arrivals run t))
    (gradient_noise := noise_level run) (squared_path_sum := ‖path_sum t‖²).
Proof.
  unfold afl_lem2c_condition_short, afl_lem2c_right. intros Short t.
  pose proof (some_count run t) as Hm. pose proof (lt_0_INR _ Hm) as Pm.
  assert (Few : most_steps run = 1%nat \/ INR (most_steps run) * (smoothness p * local_step run) <= 1)
    by (destruct Short as [One|?]; [left; now apply INR_eq|right; lra]).
  pose proof (used_square_own run Fair t Few) as B. unfold update_sum, path_sum.
  rewrite !sum_square by assumption. fold (used run t). fold (paths run t).
  apply (Rmult_le_compat_l (INR (arrivals run t) ^ 2)) in B; [|pos]. eapply Rle_trans; [exact B|]. right. field. lra.
Qed.

Theorem afl_a4c m :
  afl_a4c_condition_short (local_step_size := local_step run) (local_steps := INR (most_steps run))
    (smoothness := smoothness p) -> (forall t, arrivals run t = m) -> forall t,
  avg m (fun s => ‖model run t ⊖ model run (t - delay run t s)%nat‖²) <=
  afl_a4c_right (clients_per_round := INR m) (gradient_noise := noise_level run)
    (local_step_size := local_step run) (max_delay := INR (max_delay run))
    (server_step_size := server_step run) (window_sum := window (max_delay run) (fun k => ‖path_sum k‖²) t).
Proof.
  unfold afl_a4c_condition_short, afl_a4c_right. intros Short Same t.
  pose proof (some_count run t) as Hm. rewrite Same in Hm. pose proof (lt_0_INR _ Hm) as Pm.
  assert (Few : most_steps run = 1%nat \/ INR (most_steps run) * (smoothness p * local_step run) <= 1)
    by (destruct Short as [One|?]; [left; now apply INR_eq|right; lra]).
  set (g := server_step run * local_step run). set (tau := max_delay run).
  set (W := window tau (fun k => ‖path_sum k‖²) t).
  apply Rle_trans with (g ^ 2 * (INR tau * (/ INR m ^ 2 * (W + INR tau * (INR m * noise_level run ^ 2)))));
    [|right; unfold g; field; lra].
  apply avg_le_const; [assumption|]. intros s Hs. rewrite <- (Same t) in Hs.
  destruct (delay_bound run t s Hs) as [D1 D2].
  pose proof (lag g (model run) (used run) (serve run) tau t (delay run t s) D2 D1) as B.
  eapply Rle_trans; [exact B|]. do 2 (apply Rmult_le_compat_l; [pos|]).
  unfold W, window. rewrite <- sum_const, <- sum_add, <- sum_scale. apply sum_le. intros j _. unfold ago.
  assert (Pi : 0 <= / INR m ^ 2) by (apply Rlt_le, Rinv_0_lt_compat, pow_lt, Pm). pose proof (noise_level_pos run).
  destruct (S j <=? t)%nat; [|pos].
  pose proof (used_square_own run Fair (t - S j) Few) as U. rewrite Same in U. unfold square.
  assert (E : ‖path_sum (t - S j)%nat‖² = INR m ^ 2 * ‖paths run (t - S j)%nat‖²).
  { unfold path_sum. rewrite sum_square by apply some_count.
    fold (paths run (t - S j)%nat). now rewrite Same. }
  rewrite E. eapply Rle_trans; [exact U|]. right. field. lra.
Qed.
End Lemma2.
