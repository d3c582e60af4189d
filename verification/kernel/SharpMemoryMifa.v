(** * MIFA up to its sharp step size, in the words of the ledger

    [memory_rate] of SharpMemory.v with c = eta L (tau + 1)/2: MIFA with one local step, exact gradients
    and a constant step, everybody heard in round 0 and nobody more than tau rounds old. If
    eta L (tau + 1) < 2, the mean of |grad f|^2 over T rounds is at most
      (1 + eta L (tau + 1))^2 (f (x_0) - low) / ((1 - eta L (tau + 1)/2) eta T),
    for all numbers of clients, all L-smooth losses with L > 0, convex or not, and all such traces. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import SharpMemory Claims_mifa.
Open Scope R_scope.

Theorem potential_rate {H : Space} {p : Problem H} (run : MemoryRun p) (eta : R) (tau T : nat) :
  (forall t, step run t = eta) ->
  (forall t i, (i < clients p)%nat -> (t <= last run t i + tau)%nat) ->
  (0 < T)%nat -> 0 < smoothness p ->
  mifa_potential_rate_condition_reach (local_step_size := eta) (max_staleness := INR tau)
    (smoothness := smoothness p) ->
  avg T (fun t => ‖∇ p (model run t)‖²) <=
  mifa_potential_rate_right (initial_loss_gap := global p (model run 0%nat) - lowest p) (local_step_size := eta)
    (max_staleness := INR tau) (num_rounds := INR T) (smoothness := smoothness p).
Proof.
  unfold mifa_potential_rate_condition_reach. intros Constant Fresh HT PL Reach.
  pose proof (step_pos run 0) as Pe. rewrite Constant in Pe. pose proof (pos_INR tau).
  set (c := eta * smoothness p * (INR tau + 1) / 2) in *.
  assert (Pc : 0 < c) by (unfold c, Rdiv; repeat apply Rmult_lt_0_compat; lra).
  pose proof (memory_rate run eta tau Constant Fresh c T HT ltac:(unfold c in *; lra) ltac:(unfold c; lra)) as B.
  eapply Rle_trans; [exact B|]. pose proof (lt_0_INR T HT). right. unfold mifa_potential_rate_right, c. field.
  unfold c in *. repeat split; lra.
Qed.
