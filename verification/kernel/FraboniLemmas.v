(** * Fraboni et al., Lemmas 2 to 6, corrected

    The random run of FraboniChance.v, where also the batches of a round are drawn without knowing who
    takes part in it ([blind_batches]). theta^(n,k) is the server's model of round n moved by k local
    steps of all clients with the weights that were drawn ([virtual_model]). For every round n, in
    expectation, with q(n) the round's total mean weight, q~_i = q_i(n)/q(n), D = 6 eta_l^2 (K-1)^2 L^2,
    kappa at least max(1, 1 - 2 eta_g q + alpha eta_g^2 q^2) + eta_g^2 beta q, and Q the squared moves
    of the last tau rounds:

    - [lemma2]: Delta + 2 te D(x, n) <= te^2 (alpha q^2 R + beta K q S), for every point x;
    - [lemma3]: phi <= 4 tau Q + 4 kappa D/L Z/q + 12 kappa eta_l^2 (K-1)^2 sigma_1, if kappa D <= 1/2;
    - [lemma3_gradients]: S <= 12 L^2 tau Q + 12 L Z/q + 6 sigma_1;
    - [lemma4]: 2 Xi - 2 D(x, n) <= L q phi, bounded by Lemma 3;
    - [lemma5]: R <= 12 L^2 tau Q + 24 L Z/q + 6 kappa D sigma_1 + 6 sigma_2;
    - [lemma6]: the mean squared move of N rounds, if models move little in tau rounds.

    phi: mean squared distance of local models from theta^(n,k); Z: gap there; S, R: mean square of the
    stochastic gradients, and of their weighted mean; sigma_1, sigma_2: the same at the round's optimum. *)
From Coq Require Import Reals Lra Psatz Lia Arith FunctionalExtensionality.
From FL Require Import Chance Convex Fraboni FraboniChance Claims_fraboni.
Open Scope R_scope.

(** ** One round in any Space *)
Section Round.
Context {H : Space} (run : Rounds H).
Notation M := (Fraboni.crowd run).
Notation K := (Fraboni.steps run).
Notation L := (Fraboni.smoothness run).
Notation eta := (Fraboni.local_step run).
Notation eg := (Fraboni.server_step run).
Notation te := (eg * eta).
Notation h := (eg * eta * INR K).
Notation th := (Fraboni.server run).
Notation total := (Fraboni.total run).

(** Points z that do not know the batches of their step, made of the moves W of all clients. *)
Variables (z W : nat -> nat -> H) (kappa : R) (tau : nat).
Hypothesis seen_z : forall n i k, (i < M)%nat -> (k < K)%nat -> sample run n i k (z n k) = objective run i (z n k).
Hypothesis met_z : forall n k, (k < K)%nat ->
  mix run n (fun i => ⟨slope run n i k (Fraboni.best run n), z n k ⊖ Fraboni.best run n⟩) = 0.
Hypothesis shape : forall n k, same (z n k) (th n ⊖ te ⊙ W n k).
Hypothesis kappa_pos : 0 <= kappa.
Hypothesis centred_z : forall n k, (k <= K)%nat ->
  mix run n (fun i => ‖moved run n i k ⊖ eg ⊙ W n k‖²) <= kappa * mix run n (fun i => ‖moved run n i k‖²).
Hypothesis aged : forall n i, (i < M)%nat -> (n <= Fraboni.pulled run n i + tau)%nat.

Definition apart n : R := avg K (fun k => mix run n (fun i => ‖z n k ⊖ Fraboni.local run n i k‖²)).
Definition move m : R := ‖th (S m) ⊖ th m‖².
Definition moves n : R := window tau move n.

Lemma reach_is n : reach run z n = L * apart n.
Proof. unfold reach, reach_at. apply avg_scale. Qed.

Lemma move_is m : move m = h ^ 2 * ‖Fraboni.aggregate run m‖².
Proof.
  unfold move. rewrite (Fraboni.serve run).
  rewrite (same_norm _ ((- h) ⊙ Fraboni.aggregate run m)) by vectors. rewrite square_scale. ring.
Qed.

Lemma move_pos m : 0 <= move m. Proof. apply dot_pos. Qed.
Lemma moves_pos n : 0 <= moves n. Proof. apply window_pos, move_pos. Qed.

Lemma moves_are n : moves n = h ^ 2 * window tau (fun m => ‖Fraboni.aggregate run m‖²) n.
Proof.
  unfold moves, window. rewrite <- sum_scale. apply sum_ext. intros j _. unfold ago.
  destruct (S j <=? n)%nat; [apply move_is|ring].
Qed.

Lemma apart_first n : apart n <= 2 * (total n * (INR tau * moves n))
  + kappa * (eta ^ 2 * (INR K * (INR K - 1))) * squares run n.
Proof.
  apply Rle_trans with (avg K (fun k => 2 * (total n * (INR tau * moves n))
    + 2 * eta ^ 2 * kappa * mix run n (fun i => ‖moved run n i k‖²))).
  - apply avg_le. intros k Hk. pose proof (centred_z n k ltac:(lia)) as C.
    apply Rle_trans with (mix run n (fun i => 2 * (INR tau * moves n)
      + 2 * eta ^ 2 * ‖moved run n i k ⊖ eg ⊙ W n k‖²)).
    + apply mix_le. intros i Hi. rewrite norm_sub_sym.
      rewrite (same_norm _ ((th (Fraboni.pulled run n i) ⊖ th n) ⊕ (- eta) ⊙ (moved run n i k ⊖ eg ⊙ W n k))).
      * eapply Rle_trans; [apply norm_add2|]. rewrite square_scale. rewrite moves_are.
        pose proof (lag run tau aged n i Hi). lra.
      * intros y. rewrite !dot_add_l, (local_is run n i k Hi ltac:(lia) y), !dot_scale_l, (shape n k y),
          !dot_add_l, !dot_scale_l. ring.
    + rewrite mix_add, mix_const, mix_scale.
      apply (Rmult_le_compat_l (2 * eta ^ 2)) in C; [|pose proof (pow2_ge_0 eta); lra]. lra.
  - rewrite avg_add, avg_const, avg_scale by apply Fraboni.some_steps. pose proof (mix_moved_small run n) as Q.
    apply (Rmult_le_compat_l (2 * eta ^ 2 * kappa)) in Q; [|pose proof (pow2_ge_0 eta); pos]. lra.
Qed.

Lemma squares_sharp n : squares run n <= 3 * L * (L * apart n) + 6 * L * gap run z n + 3 * noise run n.
Proof.
  rewrite <- reach_is. unfold squares, reach, gap, noise. rewrite <- !avg_scale, <- !avg_add. apply avg_le.
  intros k Hk. pose proof (from_best run z seen_z met_z n k Hk) as F. unfold squares_at, Fraboni.noise_at.
  apply Rle_trans with (mix run n (fun i => 3 / 2 * ‖grad run n i k ⊖ slope run n i k (Fraboni.best run n)‖²
    + 3 * ‖slope run n i k (Fraboni.best run n)‖²)).
  - apply mix_le. intros i Hi. set (e := slope run n i k (Fraboni.best run n)).
    rewrite (same_norm (grad run n i k) ((grad run n i k ⊖ e) ⊕ e)) by vectors.
    eapply Rle_trans; [apply (norm_add_young 2); lra|]. lra.
  - rewrite mix_add, !mix_scale. lra.
Qed.

Hypothesis own : forall n k, (k < K)%nat ->
  ‖vsum M (fun i => Fraboni.q run n i ⊙ slope run n i k (Fraboni.best run n))‖² <= noise2_at run n k.

Lemma steps_sharp n : step_squares run n <=
  total n * (3 * L * (L * apart n) + 6 * L * gap run z n) + 3 * noise2 run n.
Proof.
  rewrite <- reach_is. unfold step_squares, reach, gap, noise2.
  rewrite <- !avg_scale, <- avg_add, <- avg_scale, <- avg_add. apply avg_le. intros k Hk.
  pose proof (from_best run z seen_z met_z n k Hk) as F. pose proof (own n k Hk) as O.
  pose proof (norm_mixed run n (fun i => grad run n i k ⊖ slope run n i k (Fraboni.best run n))) as B. cbv beta in B.
  apply (Rmult_le_compat_l (total n)) in F; [|apply total_pos].
  set (u := vsum M (fun i => Fraboni.q run n i ⊙ (grad run n i k ⊖ slope run n i k (Fraboni.best run n)))) in *.
  set (v := vsum M (fun i => Fraboni.q run n i ⊙ slope run n i k (Fraboni.best run n))) in *.
  rewrite (same_norm (step_sum run n k) (u ⊕ v)).
  - eapply Rle_trans; [apply (norm_add_young 2); lra|]. lra.
  - intros y. unfold u, v, step_sum. rewrite dot_add_l, !dot_mixed, <- mix_add. apply mix_ext. intros i _.
    rewrite dot_add_l, dot_scale_l. ring.
Qed.

Notation e := (kappa * (eta ^ 2 * (INR K - 1) ^ 2)).
Hypothesis short : 6 * e * L ^ 2 <= 1 / 2.

Lemma e_pos : 0 <= e.
Proof. apply Rmult_le_pos; [assumption|apply Rmult_le_pos; apply pow2_ge_0]. Qed.

Lemma steps_are_few : INR K * (INR K - 1) <= 2 * (INR K - 1) ^ 2.
Proof.
  destruct (Nat.eq_dec K 1) as [E|E]; [rewrite E; simpl; lra|]. pose proof (Fraboni.some_steps run).
  assert (K2 : 2 <= INR K) by (apply (le_INR 2); lia).
  assert (0 <= (INR K - 1) * (INR K - 2)) by (apply Rmult_le_pos; lra). lra.
Qed.

Lemma apart_small n : apart n <=
  4 * (total n * (INR tau * moves n)) + 24 * e * L * gap run z n + 12 * e * noise run n.
Proof.
  pose proof (apart_first n) as A. pose proof (squares_sharp n) as S. pose proof e_pos as Pe.
  pose proof (squares_pos run n) as Ps.
  assert (A2 : kappa * (eta ^ 2 * (INR K * (INR K - 1))) * squares run n <= 2 * e * squares run n).
  { apply Rmult_le_compat_r; [assumption|]. pose proof steps_are_few as F.
    apply (Rmult_le_compat_l (kappa * eta ^ 2)) in F; [|pose proof (pow2_ge_0 eta); pos]. lra. }
  apply (Rmult_le_compat_l (2 * e)) in S; [|lra].
  assert (Pa : 0 <= apart n) by (apply avg_pos; intros; apply mix_pos; intros; apply dot_pos).
  assert (B : 6 * e * L ^ 2 * apart n <= 1 / 2 * apart n) by now apply Rmult_le_compat_r. lra.
Qed.

Lemma squares_bound n : squares run n <=
  12 * L ^ 2 * (total n * (INR tau * moves n)) + 12 * L * gap run z n + 6 * noise run n.
Proof.
  pose proof (squares_sharp n) as S. pose proof (apart_small n) as A. pose proof (pow2_ge_0 L) as P2.
  apply (Rmult_le_compat_l (3 * L ^ 2)) in A; [|lra].
  assert (G : 6 * e * L ^ 2 * (L * gap run z n) <= 1 / 2 * (L * gap run z n)).
  { apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [apply L_pos|apply gap_pos]. }
  assert (N : 6 * e * L ^ 2 * noise run n <= 1 / 2 * noise run n)
    by (apply Rmult_le_compat_r; [apply noise_pos|assumption]). lra.
Qed.

Lemma steps_bound n : step_squares run n <= total n * (12 * L ^ 2 * (total n * (INR tau * moves n))
  + 12 * L * gap run z n + 36 * e * L ^ 2 * noise run n) + 3 * noise2 run n.
Proof.
  pose proof (steps_sharp n) as S. pose proof (apart_small n) as A. pose proof (pow2_ge_0 L) as P2.
  apply (Rmult_le_compat_l (3 * L ^ 2)) in A; [|lra].
  assert (G : 6 * e * L ^ 2 * (L * gap run z n) <= 1 / 2 * (L * gap run z n)).
  { apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [apply L_pos|apply gap_pos]. }
  assert (B : 3 * L * (L * apart n) + 6 * L * gap run z n <= 12 * L ^ 2 * (total n * (INR tau * moves n))
    + 12 * L * gap run z n + 36 * e * L ^ 2 * noise run n) by lra.
  apply (Rmult_le_compat_l (total n)) in B; [|apply total_pos]. lra.
Qed.

(** ** Many rounds *)
Variables (N : nat) (rho : R).
Hypothesis some_rounds : (0 < N)%nat.
Hypothesis rho_large : 1 <= rho /\ forall n, (n < N)%nat -> total n <= rho.
Notation al := (Fraboni.alpha run).
Notation be := (Fraboni.beta run).
Hypothesis late : 12 * rho ^ 2 * (al + be) * h ^ 2 * INR tau ^ 2 * L ^ 2 <= 1 / 2.

Lemma moves_small : avg N move <= h ^ 2 * (24 * rho * (2 * al + be) * L * avg N (gap run z)
  + 12 * rho ^ 2 * al * Sigma2 run N + 12 * rho ^ 2 * (6 * al * e * L ^ 2 + be) * Sigma1 run N).
Proof.
  destruct rho_large as [R1 Rn]. pose proof (Fraboni.alpha_small run) as [Pa _].
  pose proof (Fraboni.beta_pos run) as Pb.
  pose proof (L_pos run) as PL. pose proof e_pos as Pe. pose proof (pow2_ge_0 h) as Ph. pose proof (pos_INR tau) as Pt.
  assert (Prho : 0 <= rho) by lra. assert (R2 : rho <= rho ^ 2).
  { assert (rho * 1 <= rho * rho) by (apply Rmult_le_compat_l; lra). lra. }
  assert (PN : 0 < INR N) by now apply lt_0_INR.
  set (A := sum N (fun n => ‖Fraboni.aggregate run n‖²)). set (G := sum N (gap run z)).
  set (S1 := INR N * Sigma1 run N). set (S2 := INR N * Sigma2 run N).
  assert (PA : 0 <= A) by (apply sum_pos; intros; apply dot_pos).
  assert (PG : 0 <= G) by (apply sum_pos; intros; apply gap_pos).
  assert (PS1 : 0 <= S1) by (apply Rmult_le_pos; [lra|]; apply (Sigma1_pos run N)).
  assert (PS2 : 0 <= S2) by (apply Rmult_le_pos; [lra|]; apply (Sigma2_pos run N)).
  assert (Mv : sum N (fun n => INR tau * moves n) <= INR tau ^ 2 * h ^ 2 * A).
  { rewrite sum_scale. rewrite (sum_ext N moves (fun n => h ^ 2 * window tau (fun m => ‖Fraboni.aggregate run m‖²) n))
      by (intros; apply moves_are). rewrite sum_scale.
    pose proof (window_sum tau (fun m => ‖Fraboni.aggregate run m‖²) N ltac:(intros; apply dot_pos)) as Q. fold A in Q.
    apply (Rmult_le_compat_l (INR tau * h ^ 2)) in Q; [|pos]. lra. }
  assert (Nz : sum N (noise run) <= rho * S1).
  { unfold S1, Sigma1. rewrite <- (sum_is_avg N some_rounds), <- sum_scale. apply sum_le. intros n Hn.
    rewrite noise_is. apply Rmult_le_compat_r; [apply sigma1_pos|now apply Rn]. }
  assert (Nz2 : sum N (noise2 run) <= rho ^ 2 * S2).
  { unfold S2, Sigma2. rewrite <- (sum_is_avg N some_rounds), <- sum_scale. apply sum_le. intros n Hn.
    rewrite noise2_is. apply Rmult_le_compat_r; [apply sigma2_pos|]. apply pow_incr. split; [apply total_pos|auto]. }
  assert (Sq : sum N (squares run) <= 12 * L ^ 2 * rho * (INR tau ^ 2 * h ^ 2 * A) + 12 * L * G + 6 * (rho * S1)).
  { apply Rle_trans with (12 * L ^ 2 * rho * sum N (fun n => INR tau * moves n) + 12 * L * G + 6 * sum N (noise run)).
    - unfold G. rewrite <- !sum_scale, <- !sum_add. apply sum_le. intros n Hn.
      pose proof (squares_bound n) as B. specialize (Rn n Hn). pose proof (moves_pos n) as Pm.
      assert (total n * (INR tau * moves n) <= rho * (INR tau * moves n)) by (apply Rmult_le_compat_r; pos).
      assert (12 * L ^ 2 * (total n * (INR tau * moves n)) <= 12 * L ^ 2 * (rho * (INR tau * moves n)))
        by (apply Rmult_le_compat_l; pos). lra.
    - apply (Rmult_le_compat_l (12 * L ^ 2 * rho)) in Mv; [|pos]. lra. }
  assert (St : sum N (step_squares run) <= 12 * L ^ 2 * rho ^ 2 * (INR tau ^ 2 * h ^ 2 * A) + 12 * L * rho * G
    + 36 * e * L ^ 2 * rho * (rho * S1) + 3 * (rho ^ 2 * S2)).
  { apply Rle_trans with (12 * L ^ 2 * rho ^ 2 * sum N (fun n => INR tau * moves n) + 12 * L * rho * G
      + 36 * e * L ^ 2 * rho * sum N (noise run) + 3 * sum N (noise2 run)).
    - unfold G. rewrite <- !sum_scale, <- !sum_add. apply sum_le. intros n Hn.
      pose proof (steps_bound n) as B. specialize (Rn n Hn). pose proof (moves_pos n) as Pm.
      pose proof (total_pos run n) as Pq.
      assert (Pg : 0 <= gap run z n) by apply gap_pos. pose proof (noise_pos run n) as Pn.
      assert (total n * (INR tau * moves n) <= rho * (INR tau * moves n)) by (apply Rmult_le_compat_r; pos).
      assert (C1 : 12 * L ^ 2 * (total n * (INR tau * moves n)) <= 12 * L ^ 2 * (rho * (INR tau * moves n)))
        by (apply Rmult_le_compat_l; pos).
      assert (P0 : 0 <= 12 * L ^ 2 * (rho * (INR tau * moves n)) + 12 * L * gap run z n + 36 * e * L ^ 2 * noise run n)
        by pos.
      assert (C2 : total n * (12 * L ^ 2 * (total n * (INR tau * moves n)) + 12 * L * gap run z n
        + 36 * e * L ^ 2 * noise run n) <= rho * (12 * L ^ 2 * (rho * (INR tau * moves n)) + 12 * L * gap run z n
        + 36 * e * L ^ 2 * noise run n)).
      { eapply Rle_trans; [apply Rmult_le_compat_l; [assumption|]|apply Rmult_le_compat_r; [exact P0|exact Rn]]. lra. }
      lra.
    - apply (Rmult_le_compat_l (12 * L ^ 2 * rho ^ 2)) in Mv; [|pos].
      apply (Rmult_le_compat_l (36 * e * L ^ 2 * rho)) in Nz; [|pos]. lra. }
  pose proof (aggregates_virtual run N) as V. fold A in V.
  apply (Rmult_le_compat_l al) in St; [|assumption]. apply (Rmult_le_compat_l be) in Sq; [|assumption].
  assert (T2 : 0 <= INR tau ^ 2 * h ^ 2 * A) by pos.
  assert (Bq : be * (12 * L ^ 2 * rho * (INR tau ^ 2 * h ^ 2 * A))
    <= be * (12 * L ^ 2 * rho ^ 2 * (INR tau ^ 2 * h ^ 2 * A))).
  { apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_r; [assumption|].
    apply Rmult_le_compat_l; [pos|assumption]. }
  assert (La : 12 * rho ^ 2 * (al + be) * h ^ 2 * INR tau ^ 2 * L ^ 2 * A <= 1 / 2 * A) by now apply Rmult_le_compat_r.
  assert (B1 : be * (6 * (rho * S1)) <= be * (6 * (rho ^ 2 * S1))).
  { apply Rmult_le_compat_l; [assumption|]. apply Rmult_le_compat_l; [lra|]. now apply Rmult_le_compat_r. }
  assert (B2 : be * (12 * L * G) <= be * (12 * L * G * rho)).
  { apply Rmult_le_compat_l; [assumption|]. assert (0 <= 12 * L * G) by pos.
    assert (12 * L * G * 1 <= 12 * L * G * rho) by now apply Rmult_le_compat_l. lra. }
  assert (P1 : 0 <= al * (rho * (L * G))) by pos. assert (P2 : 0 <= al * (rho ^ 2 * S2)) by pos.
  assert (Fin : A <= 24 * rho * (2 * al + be) * L * G + 12 * rho ^ 2 * al * S2
    + 12 * rho ^ 2 * (6 * al * e * L ^ 2 + be) * S1) by lra.
  apply (Rmult_le_compat_l (h ^ 2)) in Fin; [|assumption].
  unfold avg at 1. rewrite (sum_ext N move (fun m => h ^ 2 * ‖Fraboni.aggregate run m‖²)) by (intros; apply move_is).
  rewrite sum_scale. fold A. apply (Rmult_le_compat_l (/ INR N)) in Fin; [|left; now apply Rinv_0_lt_compat].
  eapply Rle_trans; [exact Fin|]. right. unfold S1, S2, G, avg. fold (sum N (gap run z)). field. lra.
Qed.
End Round.

(** ** Lemma 2 in any Space: how much sums of many steps may exceed their steps *)
Lemma twice_earlier {H : Space} n (a : nat -> H) :
  sum n (fun k => 2 * ⟨a k, vsum k a⟩) = ‖vsum n a‖² - sum n (fun k => ‖a k‖²).
Proof.
  induction n; simpl; [rewrite dot_zero_l; ring|]. rewrite IHn, norm_add, (dot_sym (vsum n a) (a n)). ring.
Qed.

Lemma deviations {H : Space} n (a : nat -> H) : (0 < n)%nat ->
  sum n (fun k => ‖a k ⊖ mean n a‖²) = sum n (fun k => ‖a k‖²) - / INR n * ‖vsum n a‖².
Proof.
  intros Hn. apply lt_0_INR in Hn.
  rewrite (sum_ext n _ (fun k => ‖a k‖² + -2 * ⟨a k, mean n a⟩ + ‖mean n a‖²)) by (intros; rewrite norm_sub; ring).
  rewrite !sum_add, sum_scale, sum_const, <- (dot_vsum_l n a (mean n a)). unfold mean.
  rewrite square_scale, dot_scale_r. field. lra.
Qed.

Section Weighted.
Context {H : Space} (run : Rounds H) (n : nat).
Notation M := (Fraboni.crowd run).
Notation K := (Fraboni.steps run).

Lemma weighted_deviations : sum K (fun k => ‖step_sum run n k‖²) - / INR K * ‖vsum K (step_sum run n)‖²
  <= Fraboni.total run n * (sum K (fun k => mix run n (fun i => ‖grad run n i k‖²))
    - / INR K * mix run n (fun i => ‖moved run n i K‖²)).
Proof.
  pose proof (Fraboni.some_steps run) as HK. rewrite <- (deviations K (step_sum run n) HK).
  apply Rle_trans with (sum K (fun k =>
    Fraboni.total run n * mix run n (fun i => ‖grad run n i k ⊖ mean K (grad run n i)‖²))).
  - apply sum_le. intros k Hk. eapply Rle_trans; [|apply norm_mixed]. right. apply same_norm. intros y.
    rewrite dot_add_l, dot_scale_l, dot_mean_l, dot_mixed. unfold step_sum. rewrite dot_mixed.
    rewrite (avg_ext K _ (fun k => mix run n (fun i => ⟨grad run n i k, y⟩))) by (intros; apply dot_mixed).
    rewrite <- (mix_avg run n K (fun i k => ⟨grad run n i k, y⟩)), <- mix_scale, <- mix_add. apply mix_ext.
    intros i _. now rewrite dot_add_l, dot_scale_l, dot_mean_l.
  - right. rewrite sum_scale. f_equal. unfold mix at 1. rewrite sum_swap.
    rewrite (sum_ext M _ (fun i => Fraboni.q run n i * sum K (fun k => ‖grad run n i k‖²)
      + - / INR K * (Fraboni.q run n i * ‖moved run n i K‖²))).
    + assert (E : sum K (fun k => mix run n (fun i => ‖grad run n i k‖²))
        = sum M (fun i => Fraboni.q run n i * sum K (fun k => ‖grad run n i k‖²))).
      { unfold mix. rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_scale. }
      rewrite sum_add, sum_scale, E. unfold mix. ring.
    + intros i _. rewrite sum_scale, (deviations K (grad run n i) HK).
      change (moved run n i K) with (vsum K (grad run n i)). ring.
Qed.

Lemma moved_whole : mix run n (fun i => ‖moved run n i K‖²)
  <= INR K * sum K (fun k => mix run n (fun i => ‖grad run n i k‖²)).
Proof.
  unfold mix at 2. rewrite sum_swap.
  rewrite (sum_ext M (fun i => sum K (fun k => Fraboni.q run n i * ‖grad run n i k‖²))
    (fun i => Fraboni.q run n i * sum K (fun k => ‖grad run n i k‖²))) by (intros; now rewrite sum_scale).
  change (mix run n (fun i => ‖moved run n i K‖²) <= INR K * mix run n (fun i => sum K (fun k => ‖grad run n i k‖²))).
  rewrite <- mix_scale. apply mix_le. intros i _. apply norm_vsum.
Qed.
End Weighted.

(** ** The random run *)
Section Random.
Context {P : Law} {X : Space} (run : RandomRounds P X).
Notation M := (crowd run).
Notation K := (steps run).
Notation eg := (server_step run).
Notation eta := (local_step run).
Notation te := (eg * eta).
Notation det := (determined P (E := X)).

(** Batches are drawn afresh also for those who know who takes part in this round. *)
Definition blind_batches : Prop := exists label : nat -> nat -> nat -> nat -> nat,
  forall n i k, (i < M)%nat -> (k < K)%nat ->
  (forall a y, within P (label n i k) a (fun w => batch run n i k w y - loss run i y) = 0) /\
  (forall a y z, within P (label n i k) a (fun w => ⟨batch_gradient run n i k w y ⊖ gradient run i y, z⟩) = 0) /\
  det (label n i k) (server run 0) /\ tells_weights run (label n i k) (S n) /\
  forall m j l, (j < M)%nat -> (l < K)%nat -> before m j l n i k -> tells_batch run (label n i k) m j l.

Hypothesis batches : blind_batches.
Hypothesis weights : fair_weights run.
Variables (best : nat -> X) (point : X).
Hypothesis lowest : forall n y, round_objective run n (best n) <= round_objective run n y.

Lemma fresh : fair_batches run.
Proof.
  destruct batches as [label F]. exists label. intros n i k Hi Hk. destruct (F n i k Hi Hk) as (F1 & F2 & F3 & F4 & F5).
  split; [exact F1|]. split; [exact F2|]. split; [exact F3|]. split; [|exact F5].
  intros m j v w Hm. apply F4. lia.
Qed.

Notation rounds := (as_rounds run fresh weights best point lowest).

(** *** Virtual models are known before their batches *)
Definition knows_round n i k (Y : random P X) : Prop := forall label,
  det label (server run 0) -> tells_weights run label (S n) ->
  (forall m j l, (j < M)%nat -> (l < K)%nat -> before m j l n i k -> tells_batch run label m j l) -> det label Y.

Lemma fewer label n : tells_weights run label (S n) -> tells_weights run label n.
Proof. intros W m j v w Hm. apply W. lia. Qed.

Lemma virtual_known n i k : (k < K)%nat -> knows_round n i k (virtual_model run n k).
Proof.
  intros Hk label S0 W B. pose proof (knows_server run label n S0 (fewer label n W)
    ltac:(intros; apply B; auto; now left)) as KS.
  intros v w Hv Hw Ev. unfold virtual_model. rewrite (KS n (le_n n) v w Hv Hw Ev). do 2 f_equal.
  f_equal. apply vsum_ext. intros j Hj. rewrite (W n j v w (Nat.lt_succ_diag_r n) Hj Hv Hw Ev). f_equal.
  apply vsum_ext. intros l Hl. destruct (pull run n j Hj) as [Hp _].
  assert (T : forall l', (l' <= l)%nat -> tells_batch run label n j l').
  { intros l' Hl'. apply B; [assumption|lia|]. right. split; [reflexivity|].
    destruct (Nat.eq_dec j i); [right; lia|now left]. }
  apply (knows_gradient run label n j l); [now apply T| |assumption..].
  apply knows_local; [assumption|now apply KS|lia|]. intros. apply T. lia.
Qed.

Lemma local_known_round n i k : (i < M)%nat -> (k < K)%nat -> knows_round n i k (local run n i k).
Proof. intros Hi Hk label S0 W. apply (local_known run n i k Hi Hk label S0 (fewer label n W)). Qed.

Lemma knows_apart_round n i k Y y : knows_round n i k Y -> knows_round n i k (Y ⊖ always y).
Proof. intros KY label S0 W B. apply det_plus; [now apply KY|]. apply det_times, det_const. Qed.

Lemma seen_round n i k Y : (i < M)%nat -> (k < K)%nat -> knows_round n i k Y ->
  mean_batch run n i k Y = mean_loss run i Y.
Proof.
  intros Hi Hk KY. destruct batches as [label F]. destruct (F n i k Hi Hk) as (F1 & _ & F3 & F4 & F5).
  specialize (KY _ F3 F4 F5). apply Rminus_diag_uniq.
  assert (Z : expect P (fun w => batch run n i k w (Y w) + -1 * loss run i (Y w)) = 0).
  - apply (by_label_zero P (label n i k)). intros v Hv. rewrite <- (F1 (label n i k v) (Y v)). apply within_ext.
    intros w Hw Ew. rewrite (KY w v Hw Hv Ew). ring.
  - rewrite expect_add, expect_scale in Z. unfold mean_batch, mean_loss. lra.
Qed.

Lemma fair_round n i k Z Y : (i < M)%nat -> (k < K)%nat -> knows_round n i k Z -> knows_round n i k Y ->
  ⟨slope_at run n i k Z, Y⟩ = ⟨(fun w => gradient run i (Z w)) : random P X, Y⟩.
Proof.
  intros Hi Hk KZ KY. destruct batches as [label F]. destruct (F n i k Hi Hk) as (_ & F2 & F3 & F4 & F5).
  specialize (KZ _ F3 F4 F5). specialize (KY _ F3 F4 F5). apply Rminus_diag_uniq. simpl.
  assert (Q : expect P (fun w => ⟨slope_at run n i k Z w, Y w⟩ + -1 * ⟨gradient run i (Z w), Y w⟩) = 0).
  - apply (by_label_zero P (label n i k)). intros v Hv. rewrite <- (F2 (label n i k v) (Z v) (Y v)). apply within_ext.
    intros w Hw Ew. unfold slope_at. rewrite (KY w v Hw Hv Ew), (KZ w v Hw Hv Ew), dot_add_l, dot_scale_l. ring.
  - rewrite expect_add, expect_scale in Q. lra.
Qed.

Lemma seen_virtual_model n i k : (i < M)%nat -> (k < K)%nat ->
  sample rounds n i k (virtual_model run n k) = objective rounds i (virtual_model run n k).
Proof. intros Hi Hk. apply (seen_round n i k); auto. now apply virtual_known. Qed.

Lemma met_virtual_model n k : (k < K)%nat ->
  mix rounds n (fun i => ⟨slope rounds n i k (always (best n)), virtual_model run n k ⊖ always (best n)⟩) = 0.
Proof.
  intros Hk. set (Y := (virtual_model run n k : random P X) ⊖ always (best n)).
  pose proof (stationary_round run best lowest n Y) as Z. rewrite dot_zero_l, dot_vsum_l in Z. rewrite <- Z.
  apply sum_ext. intros i Hi. rewrite dot_scale_l. f_equal.
  apply (fair_round n i k (always (best n)) Y Hi Hk).
  - intros label _ _ _. apply det_const.
  - apply knows_apart_round. now apply virtual_known.
Qed.

(** *** The moves of all clients with the weights that were drawn *)
Definition drawn_move n k : random P X := with_weights P M (weight run n) (fun i => moved rounds n i k).
Definition mean_move n k : random P X := with_means P M (q run n) (fun i => moved rounds n i k).

Lemma virtual_is n k : virtual_model run n k = (server run n : random P X) ⊖ te ⊙ drawn_move n k.
Proof.
  apply functional_extensionality. intros w. unfold virtual_model, drawn_move, with_weights. simpl.
  do 3 f_equal. apply vsum_ext. intros i _. f_equal. symmetry. apply (vsum_at P k (fun l => step_gradient run n i l) w).
Qed.

(** What the weights' label knows: all work of the round. *)
Lemma weights_label n : exists label : nat -> nat,
  (forall g : nat -> random P X, (forall i, (i < M)%nat -> det label (g i)) -> forall Y, det label Y ->
    ⟨with_weights P M (weight run n) g, Y⟩ = ⟨with_means P M (q run n) g, Y⟩) /\
  (forall g : nat -> random P X, (forall i, (i < M)%nat -> det label (g i)) ->
    ‖with_weights P M (weight run n) g‖² <= alpha run * ‖with_means P M (q run n) g‖²
      + beta run * sum M (fun i => q run n i * ‖g i‖²)) /\
  det label (server run n) /\ (forall i k, (i < M)%nat -> (k < K)%nat -> det label (step_gradient run n i k)) /\
  (1 - alpha run) * round_weight run n ^ 2 <= beta run * round_weight run n.
Proof.
  destruct weights as [labels F]. destruct (F n) as (F1 & F2 & F3 & F4 & F5 & F6). exists (labels n).
  destruct (round_known run n (labels n) F4 F5 F6) as [Ks Kg].
  split; [intros g Kn Y KY; now apply (with_weights_mean P M (weight run n) (q run n) (labels n) F1)|].
  split; [intros g Kn;
    now apply (with_weights_square P M (weight run n) (q run n) (alpha run) (beta run) (labels n) F2 F3)|].
  split; [assumption|]. split; [intros; now apply Kg|].
  set (one := (fun _ _ => 1) : random P (euclid 1)). set (g := fun _ : nat => one).
  assert (Kn : forall i, (i < M)%nat -> determined P (labels n) (g i)) by (intros i _ v w _ _ _; reflexivity).
  assert (N1 : ⟨one, one⟩ = 1).
  { change (expect P (fun _ => 0 + 1 * 1) = 1). rewrite expect_const. ring. }
  set (w := with_weights P M (weight run n) g). set (m := with_means P M (q run n) g).
  assert (Sm : ‖m‖² = round_weight run n ^ 2).
  { unfold m, with_means. rewrite (dot_vsum_l M). unfold round_weight.
    rewrite (sum_ext M _ (fun i => sum M (q run n) * q run n i)).
    - rewrite sum_scale. ring.
    - intros i _. rewrite dot_scale_l, dot_vsum_r.
      rewrite (sum_ext M _ (q run n)) by (intros; rewrite dot_scale_r; unfold g; rewrite N1; ring). ring. }
  assert (Km : determined P (labels n) m).
  { intros u v Hu Hv _. unfold m. rewrite !with_means_at. reflexivity. }
  pose proof (with_weights_mean P M (weight run n) (q run n) (labels n) F1 g Kn m Km) as E. fold w m in E.
  pose proof (with_weights_square P M (weight run n) (q run n) (alpha run) (beta run) (labels n) F2 F3 g Kn) as B.
  fold w m in B. pose proof (dot_pos (w ⊖ m)) as Pos. rewrite norm_sub, E in Pos.
  rewrite (sum_ext M (fun i => q run n i * ‖g i‖²) (q run n)) in B by (intros; unfold g; rewrite N1; ring).
  fold (round_weight run n) in B. rewrite Sm in B, Pos. lra.
Qed.

Lemma move_known n label : (forall i k, (i < M)%nat -> (k < K)%nat -> det label (step_gradient run n i k)) ->
  forall i k, (i < M)%nat -> (k <= K)%nat -> det label (moved rounds n i k).
Proof. intros Kg i k Hi Hk. apply det_random_vsum. intros l Hl. apply Kg; [assumption|lia]. Qed.

Variables (kappa : R) (tau : nat).
Hypothesis kappa_large : forall n, 1 + eg ^ 2 * beta run * round_weight run n <= kappa /\
  1 - 2 * eg * round_weight run n + alpha run * eg ^ 2 * round_weight run n ^ 2
    + eg ^ 2 * beta run * round_weight run n <= kappa.
Hypothesis aged : forall n i, (i < M)%nat -> (n <= pulled run n i + tau)%nat.

Lemma kappa_not_negative : 0 <= kappa.
Proof.
  destruct (kappa_large 0) as [A _]. pose proof (beta_pos run) as Pb. pose proof (total_pos rounds 0) as Pq.
  change (total rounds 0) with (round_weight run 0) in Pq. pose proof (pow2_ge_0 eg).
  assert (0 <= eg ^ 2 * beta run * round_weight run 0) by pos. lra.
Qed.

Lemma centred_move n k : (k <= K)%nat ->
  mix rounds n (fun i => ‖moved rounds n i k ⊖ eg ⊙ drawn_move n k‖²)
  <= kappa * mix rounds n (fun i => ‖moved rounds n i k‖²).
Proof.
  intros Hk. destruct (weights_label n) as (label & Mean & Square & Ks & Kg & _).
  set (g := fun i => moved rounds n i k).
  assert (Kn : forall i, (i < M)%nat -> det label (g i)) by (intros; now apply (move_known n label Kg)).
  set (W := drawn_move n k). set (V := mean_move n k). set (S2 := mix rounds n (fun i => ‖g i‖²)).
  assert (KV : det label V).
  { intros u v Hu Hv Ev. unfold V, mean_move. rewrite !with_means_at. apply vsum_ext. intros i Hi.
    f_equal. exact (Kn i Hi u v Hu Hv Ev). }
  pose proof (Mean g Kn V KV) as E. pose proof (Square g Kn) as B.
  change (with_weights P M (weight run n) g) with W in E, B. change (with_means P M (q run n) g) with V in E, B.
  change (sum M (fun i => q run n i * ‖g i‖²)) with S2 in B.
  assert (E2 : mix rounds n (fun i => ‖g i ⊖ eg ⊙ W‖²)
    = S2 - 2 * eg * ‖V‖² + eg ^ 2 * round_weight run n * ‖W‖²).
  { rewrite (mix_ext rounds n _ (fun i => ‖g i‖² + -2 * eg * ⟨g i, W⟩ + eg ^ 2 * ‖W‖²)).
    - rewrite !mix_add, mix_scale, mix_const.
      change (mix rounds n (fun i => ⟨g i, W⟩)) with (sum M (fun i => q run n i * ⟨g i, W⟩)).
      assert (D : sum M (fun i => q run n i * ⟨g i, W⟩) = ⟨V, W⟩).
      { unfold V, mean_move, with_means. rewrite dot_vsum_l. apply sum_ext. intros. now rewrite dot_scale_l. }
      rewrite D, (dot_sym V W), E. change (total rounds n) with (round_weight run n). fold S2. ring.
    - intros i _. rewrite norm_sub, dot_scale_r, square_scale. ring. }
  cut (mix rounds n (fun i => ‖g i ⊖ eg ⊙ W‖²) <= kappa * S2); [intros Q; exact Q|]. rewrite E2.
  destruct (kappa_large n) as [K1 K2]. set (r := round_weight run n) in *.
  assert (Pr : 0 <= r) by apply (total_pos rounds n).
  assert (PS : 0 <= S2) by (apply mix_pos; intros; apply dot_pos). pose proof (dot_pos V) as PV.
  assert (CS : ‖V‖² <= r * S2) by apply (norm_mixed rounds n g).
  apply (Rmult_le_compat_l (eg ^ 2 * r)) in B; [|pose proof (pow2_ge_0 eg); pos].
  pose proof (step_sizes_pos run) as [_ Pe].
  destruct (Rle_lt_dec (alpha run * (eg * r)) 2) as [Small|Big].
  - assert (0 <= eg * (2 - alpha run * (eg * r)) * ‖V‖²) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]).
    apply (Rmult_le_compat_r S2) in K1; [|assumption]. lra.
  - apply (Rmult_le_compat_l (eg * (alpha run * (eg * r) - 2))) in CS; [|apply Rmult_le_pos; lra].
    apply (Rmult_le_compat_r S2) in K2; [|assumption]. lra.
Qed.

(** *** Quantities of the lemmas *)
(** q~_i(n) *)
Definition share n i : R := q run n i / round_weight run n.
(** phi(n), S(n), R(n) *)
Definition round_drift n : R := avg K (fun k => sum M (fun i => share n i *
  expect P (fun w => ‖virtual_model run n k w ⊖ local run n i k w‖²))).
Definition round_squared_gradient n : R := avg K (fun k => sum M (fun i => share n i *
  expect P (fun w => ‖step_gradient run n i k w‖²))).
Definition round_mean_gradient n : R := avg K (fun k =>
  expect P (fun w => ‖vsum M (fun i => share n i ⊙ step_gradient run n i k w)‖²)).
(** Z(n), and Xi(n) with a point for the optimum *)
Definition gap_to n (y : X) : R := avg K (fun k =>
  expect P (fun w => round_objective run n (virtual_model run n k w)) - round_objective run n y).
(** sigma_1(n), sigma_2(n) *)
Definition round_noise n : R := sum M (fun i => share n i * client_noise run best n i).
Definition round_noise_squared n : R := sum M (fun i => share n i ^ 2 * client_noise run best n i).
(** Q of a round, and of the last tau rounds *)
Definition squared_move n : R := expect P (fun w => ‖server run (S n) w ⊖ server run n w‖²).
Definition recent_moves n : R := window tau squared_move n.
(** Delta(n) and D(x, n) *)
Definition descent n : R := avg K (fun k => expect P (fun w => ‖virtual_model run n (S k) w ⊖ point‖²)
  - expect P (fun w => ‖virtual_model run n k w ⊖ point‖²)).
Definition alignment n : R := avg K (fun k => expect P (fun w =>
  ⟨vsum M (fun i => q run n i ⊙ gradient run i (local run n i k w)), virtual_model run n k w ⊖ point⟩)).

Notation z := (virtual_model run).
Notation mv := (moves rounds tau).

Lemma moves_here n : mv n = recent_moves n. Proof. reflexivity. Qed.

Lemma gap_here n : gap rounds z n = gap_to n (best n).
Proof.
  apply avg_ext. intros k _. unfold gap_at. f_equal; [apply round_loss_is|]. f_equal. apply round_loss_always.
Qed.

Lemma noise_here n : noise rounds n = sum M (fun i => q run n i * client_noise run best n i).
Proof.
  transitivity (avg K (fun k => mix rounds n (fun i => ‖slope_at run n i k (always (best n))‖²))); [reflexivity|].
  rewrite <- (mix_avg rounds n K (fun i k => ‖slope_at run n i k (always (best n))‖²)). reflexivity.
Qed.

Lemma noise2_here n : noise2 rounds n = sum M (fun i => q run n i ^ 2 * client_noise run best n i).
Proof.
  transitivity (/ INR K * sum K (fun k => sum M (fun i => q run n i ^ 2 * ‖slope_at run n i k (always (best n))‖²)));
    [reflexivity|].
  rewrite sum_swap, <- sum_scale. apply sum_ext. intros i _.
  rewrite (sum_scale K (q run n i ^ 2) (fun k => ‖slope_at run n i k (always (best n))‖²)).
  change (client_noise run best n i) with (/ INR K * sum K (fun k => ‖slope_at run n i k (always (best n))‖²)). ring.
Qed.

Lemma shares n (a : nat -> R) :
  sum M (fun i => share n i * a i) = / round_weight run n * sum M (fun i => q run n i * a i).
Proof. rewrite <- sum_scale. apply sum_ext. intros. unfold share, Rdiv. ring. Qed.

Lemma shares2 n (a : nat -> R) :
  sum M (fun i => share n i ^ 2 * a i) = (/ round_weight run n) ^ 2 * sum M (fun i => q run n i ^ 2 * a i).
Proof. rewrite <- sum_scale. apply sum_ext. intros. unfold share, Rdiv. ring. Qed.

Lemma drift_here n : round_drift n = / round_weight run n * apart rounds z n.
Proof. unfold round_drift, apart. rewrite <- avg_scale. apply avg_ext. intros k _. rewrite shares. reflexivity. Qed.

Lemma squares_here n : round_squared_gradient n = / round_weight run n * squares rounds n.
Proof.
  unfold round_squared_gradient, squares. rewrite <- avg_scale. apply avg_ext. intros k _. rewrite shares. reflexivity.
Qed.

Lemma mean_gradient_here n : round_mean_gradient n = (/ round_weight run n) ^ 2 * step_squares rounds n.
Proof.
  unfold round_mean_gradient, step_squares. rewrite <- avg_scale. apply avg_ext. intros k _.
  change (‖step_sum rounds n k‖²) with (expect P (fun w => ‖(step_sum rounds n k : random P X) w‖²)).
  rewrite <- expect_scale. apply expect_ext. intros w. rewrite <- square_scale. apply same_norm. intros y.
  unfold step_sum. rewrite vsum_at, dot_scale_l, !dot_vsum_l, <- sum_scale. apply sum_ext. intros i _.
  change ((Fraboni.q rounds n i ⊙ grad rounds n i k) w) with (q run n i ⊙ step_gradient run n i k w).
  unfold share, Rdiv. rewrite !dot_scale_l. ring.
Qed.

Lemma own_here n k : (k < K)%nat ->
  ‖vsum M (fun i => Fraboni.q rounds n i ⊙ slope rounds n i k (Fraboni.best rounds n))‖² <= noise2_at rounds n k.
Proof. apply (own_noise_step run fresh best lowest n k). Qed.

Lemma shape_here n k : same (H := random P X) (z n k) ((server run n : random P X) ⊖ te ⊙ drawn_move n k).
Proof. rewrite virtual_is. intros y. reflexivity. Qed.

Notation short := (6 * local_step run ^ 2 * smoothness run ^ 2 * kappa * (INR K - 1) ^ 2 <= 1 / 2).

Lemma apart_here n : short -> apart rounds z n <= 4 * (round_weight run n * (INR tau * recent_moves n))
  + 24 * (kappa * (eta ^ 2 * (INR K - 1) ^ 2)) * smoothness run * gap_to n (best n)
  + 12 * (kappa * (eta ^ 2 * (INR K - 1) ^ 2)) * noise rounds n.
Proof.
  intros Short. rewrite <- gap_here.
  apply (apart_small rounds z drawn_move kappa tau seen_virtual_model met_virtual_model shape_here kappa_not_negative
    centred_move aged). change (6 * (kappa * (eta ^ 2 * (INR K - 1) ^ 2)) * smoothness run ^ 2 <= 1 / 2). lra.
Qed.

Theorem lemma3 n : 0 < round_weight run n ->
  fraboni_lem3_corrected_condition_drift (local_step_size := local_step run) (local_steps := INR K)
    (smoothness := smoothness run) (virtual_factor := kappa) ->
  round_drift n <= fraboni_lem3_corrected_right (local_step_size := local_step run) (local_steps := INR K)
    (max_staleness := INR tau) (recent_moves := recent_moves n) (round_gap := gap_to n (best n))
    (round_noise := round_noise n) (smoothness := smoothness run) (total_weight := round_weight run n)
    (virtual_factor := kappa).
Proof.
  unfold fraboni_lem3_corrected_condition_drift, fraboni_lem3_corrected_right. intros Pq Short.
  pose proof (apart_here n Short) as A.
  unfold round_noise. rewrite drift_here, shares, <- noise_here.
  apply (Rmult_le_compat_l (/ round_weight run n)) in A; [|left; now apply Rinv_0_lt_compat].
  eapply Rle_trans; [exact A|]. right. field. lra.
Qed.

Theorem lemma3_gradients n : 0 < round_weight run n ->
  fraboni_lem3_gradients_corrected_condition_drift (local_step_size := local_step run) (local_steps := INR K)
    (smoothness := smoothness run) (virtual_factor := kappa) ->
  round_squared_gradient n <= fraboni_lem3_gradients_corrected_right (max_staleness := INR tau)
    (recent_moves := recent_moves n) (round_gap := gap_to n (best n)) (round_noise := round_noise n)
    (smoothness := smoothness run) (total_weight := round_weight run n).
Proof.
  unfold fraboni_lem3_gradients_corrected_condition_drift, fraboni_lem3_gradients_corrected_right. intros Pq Short.
 
  pose proof (squares_bound rounds z drawn_move kappa tau seen_virtual_model met_virtual_model shape_here
    kappa_not_negative centred_move aged
    ltac:(change (6 * (kappa * (eta ^ 2 * (INR K - 1) ^ 2)) * smoothness run ^ 2 <= 1 / 2); lra) n) as A.
  rewrite gap_here, moves_here in A. change (total rounds n) with (round_weight run n) in A.
  change (Fraboni.smoothness rounds) with (smoothness run) in A.
  unfold round_noise. rewrite squares_here, shares, <- noise_here.
  apply (Rmult_le_compat_l (/ round_weight run n)) in A; [|left; now apply Rinv_0_lt_compat].
  eapply Rle_trans; [exact A|]. right. field. lra.
Qed.

(** The batches' gradients and the clients' have the same slope towards a point. *)
Lemma alignment_here n k : (k < K)%nat -> expect P (fun w =>
    ⟨vsum M (fun i => q run n i ⊙ gradient run i (local run n i k w)), z n k w ⊖ point⟩)
  = mix rounds n (fun i => ⟨grad rounds n i k, (z n k : random P X) ⊖ always point⟩).
Proof.
  intros Hk. set (Y := (z n k : random P X) ⊖ always point).
  transitivity (sum M (fun i => q run n i * expect P (fun w => ⟨gradient run i (local run n i k w), Y w⟩))).
  - rewrite expect_sum. apply expect_ext. intros w. rewrite dot_vsum_l. apply sum_ext. intros i _.
    now rewrite dot_scale_l.
  - apply sum_ext. intros i Hi. f_equal. symmetry. apply (fair_round n i k (local run n i k) Y Hi Hk).
    + now apply local_known_round.
    + apply knows_apart_round. now apply virtual_known.
Qed.

Theorem lemma4 n : 0 < round_weight run n ->
  fraboni_lem4_corrected_condition_drift (local_step_size := local_step run) (local_steps := INR K)
    (smoothness := smoothness run) (virtual_factor := kappa) ->
  fraboni_lem4_corrected_left (alignment := alignment n) (gap_to_point := gap_to n point) <=
  fraboni_lem4_corrected_right (local_step_size := local_step run) (local_steps := INR K)
    (max_staleness := INR tau) (recent_moves := recent_moves n) (round_gap := gap_to n (best n))
    (round_noise := round_noise n) (smoothness := smoothness run) (total_weight := round_weight run n)
    (virtual_factor := kappa).
Proof.
  unfold fraboni_lem4_corrected_condition_drift, fraboni_lem4_corrected_left, fraboni_lem4_corrected_right.
  intros Pq Short. pose proof (apart_here n Short) as A.
  assert (T : 2 * gap_to n point - 2 * alignment n <= reach rounds z n).
  { unfold gap_to, alignment. rewrite <- !avg_scale. unfold reach.
    assert (E : forall a b : nat -> R, avg K a - avg K b = avg K (fun k => a k + -1 * b k))
      by (intros; rewrite avg_add, avg_scale; ring).
    rewrite E. apply avg_le. intros k Hk. rewrite alignment_here by assumption.
    pose proof (toward rounds z seen_virtual_model n k Hk) as Q. rewrite mix_scale in Q. unfold gap_at, excess in Q.
    rewrite <- (round_loss_is run fresh weights best point lowest n (z n k)),
      <- (round_loss_always run fresh weights best point lowest n point).
    change (mix rounds n (fun i => ⟨grad rounds n i k, z n k ⊖ Fraboni.reference rounds⟩)) with
      (mix rounds n (fun i => ⟨grad rounds n i k, (z n k : random P X) ⊖ always point⟩)) in Q.
    change (Fraboni.reference rounds) with (always (P := P) point) in Q. lra. }
  rewrite reach_is in T. change (Fraboni.smoothness rounds) with (smoothness run) in T.
  apply (Rmult_le_compat_l (smoothness run)) in A; [|apply smoothness_pos].
  unfold round_noise. rewrite shares, <- noise_here. eapply Rle_trans; [exact T|]. eapply Rle_trans; [exact A|].
  right. field. lra.
Qed.

Theorem lemma5 n : 0 < round_weight run n ->
  fraboni_lem5_corrected_condition_drift (local_step_size := local_step run) (local_steps := INR K)
    (smoothness := smoothness run) (virtual_factor := kappa) ->
  round_mean_gradient n <= fraboni_lem5_corrected_right (local_step_size := local_step run) (local_steps := INR K)
    (max_staleness := INR tau) (recent_moves := recent_moves n) (round_gap := gap_to n (best n))
    (round_noise := round_noise n) (round_noise_squared := round_noise_squared n) (smoothness := smoothness run)
    (total_weight := round_weight run n) (virtual_factor := kappa).
Proof.
  unfold fraboni_lem5_corrected_condition_drift, fraboni_lem5_corrected_right. intros Pq Short.
 
  pose proof (steps_bound rounds z drawn_move kappa tau seen_virtual_model met_virtual_model shape_here
    kappa_not_negative centred_move aged own_here
    ltac:(change (6 * (kappa * (eta ^ 2 * (INR K - 1) ^ 2)) * smoothness run ^ 2 <= 1 / 2); lra) n) as A.
  pose proof (gap_pos rounds z n) as Pg. pose proof (noise2_pos rounds n) as P2.
  rewrite gap_here, moves_here in A. rewrite gap_here in Pg. change (total rounds n) with (round_weight run n) in A.
  change (Fraboni.smoothness rounds) with (smoothness run) in A.
  change (Fraboni.local_step rounds) with (local_step run) in A. change (Fraboni.steps rounds) with K in A.
  unfold round_noise, round_noise_squared. rewrite mean_gradient_here, shares, shares2, <- noise_here, <- noise2_here.
  pose proof (smoothness_pos run) as PL. set (r := round_weight run n) in *.
  assert (Pi : 0 < / r) by now apply Rinv_0_lt_compat.
  apply (Rmult_le_compat_l ((/ r) ^ 2)) in A; [|apply pow2_ge_0]. eapply Rle_trans; [exact A|].
  assert (X1 : 0 <= / r * (smoothness run * gap_to n (best n))) by (apply Rmult_le_pos; [lra|now apply Rmult_le_pos]).
  assert (X2 : 0 <= (/ r) ^ 2 * noise2 rounds n) by (apply Rmult_le_pos; [apply pow2_ge_0|assumption]).
  replace (24 * gap_to n (best n) * smoothness run / r) with (24 * (/ r * (smoothness run * gap_to n (best n))))
    by (field; lra).
  apply Rle_trans with (12 * smoothness run ^ 2 * (INR tau * recent_moves n)
    + 12 * (/ r * (smoothness run * gap_to n (best n)))
    + 36 * (kappa * (eta ^ 2 * (INR K - 1) ^ 2)) * smoothness run ^ 2 * (/ r * noise rounds n)
    + 3 * ((/ r) ^ 2 * noise2 rounds n)); [right; field; lra|lra].
Qed.

(** *** Lemma 6: N rounds *)
Theorem lemma6 N rho : (0 < N)%nat -> 1 <= rho -> (forall n, (n < N)%nat -> round_weight run n <= rho) ->
  fraboni_lem6_corrected_condition_drift (local_step_size := local_step run) (local_steps := INR K)
    (smoothness := smoothness run) (virtual_factor := kappa) ->
  fraboni_lem6_corrected_condition_delay (covariance_factor := alpha run) (largest_total_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (max_staleness := INR tau)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run) ->
  avg N squared_move <= fraboni_lem6_corrected_right (covariance_factor := alpha run) (largest_total_weight := rho)
    (local_step_size := local_step run) (local_steps := INR K) (mean_round_gap := avg N (fun n => gap_to n (best n)))
    (round_optimum_noise := avg N round_noise) (round_optimum_noise_squared := avg N round_noise_squared)
    (server_step_size := server_step run) (smoothness := smoothness run) (variance_excess := beta run)
    (virtual_factor := kappa).
Proof.
  unfold fraboni_lem6_corrected_condition_drift, fraboni_lem6_corrected_condition_delay, fraboni_lem6_corrected_right.
  intros HN R1 Rn Short Late.
  pose proof (moves_small rounds z drawn_move kappa tau seen_virtual_model met_virtual_model shape_here
    kappa_not_negative centred_move aged own_here
    ltac:(change (6 * (kappa * (eta ^ 2 * (INR K - 1) ^ 2)) * smoothness run ^ 2 <= 1 / 2); lra) N rho HN
    (conj R1 Rn)
    ltac:(change (12 * rho ^ 2 * (alpha run + beta run) * (te * INR K) ^ 2 * INR tau ^ 2 * smoothness run ^ 2 <= 1 / 2);
      lra)) as A.
  rewrite (avg_ext N (gap rounds z) (fun n => gap_to n (best n))) in A by (intros; apply gap_here).
  assert (E1 : Sigma1 rounds N = avg N round_noise).
  { apply avg_ext. intros n _. unfold sigma1, round_noise. rewrite noise_here, shares. unfold Rdiv. apply Rmult_comm. }
  assert (E2 : Sigma2 rounds N = avg N round_noise_squared).
  { apply avg_ext. intros n _. unfold sigma2, round_noise_squared. rewrite noise2_here, shares2, pow_inv.
    unfold Rdiv. apply Rmult_comm. }
  rewrite E1, E2 in A. change (avg N (move rounds)) with (avg N squared_move) in A.
  change (Fraboni.smoothness rounds) with (smoothness run) in A. change (Fraboni.alpha rounds) with (alpha run) in A.
  change (Fraboni.local_step rounds) with (local_step run) in A. change (Fraboni.steps rounds) with K in A.
  change (Fraboni.beta rounds) with (beta run) in A. change (Fraboni.server_step rounds) with (server_step run) in A.
  eapply Rle_trans; [exact A|]. right. ring.
Qed.

(** *** Lemma 2 *)
Theorem lemma2 n shared : 0 < round_weight run n -> shared = INR K \/ beta run = 0 ->
  fraboni_lem2_corrected_left (alignment := alignment n) (descent := descent n) (local_step_size := local_step run)
    (server_step_size := server_step run) <=
  fraboni_lem2_corrected_right (covariance_factor := alpha run) (local_step_size := local_step run)
    (round_mean_gradient := round_mean_gradient n) (round_squared_gradient := round_squared_gradient n)
    (server_step_size := server_step run) (shared_steps := shared) (total_weight := round_weight run n)
    (variance_excess := beta run).
Proof.
  unfold fraboni_lem2_corrected_left, fraboni_lem2_corrected_right. intros Pq Shared.
  pose proof (lt_0_INR K (some_steps run)) as PK. set (r := round_weight run n) in *.
  destruct (weights_label n) as (label & Mean & Square & Ks & Kg & Var). fold r in Var.
  set (d := (server run n : random P X) ⊖ always point).
  assert (Kd : det label d) by (apply det_plus; [exact Ks|apply det_times, det_const]).
  set (A := step_sum rounds n). set (V := mean_move n). set (W := drawn_move n).
  assert (Km : forall k, (k <= K)%nat -> forall i, (i < M)%nat -> det label (moved rounds n i k))
    by (intros; now apply (move_known n label Kg)).
  assert (KA : forall k, (k < K)%nat -> det label (A k)).
  { intros k Hk. apply det_random_vsum. intros i Hi. apply det_times. now apply Kg. }
  assert (VA : forall k y, ⟨V k, y⟩ = ⟨vsum k A, y⟩).
  { intros k y. unfold V, mean_move, with_means. rewrite !dot_vsum_l. unfold A, step_sum.
    rewrite (sum_ext k _ (fun l => mix rounds n (fun i => ⟨grad rounds n i l, y⟩))) by (intros; apply dot_mixed).
    unfold mix. rewrite sum_swap. apply sum_ext. intros i _. rewrite dot_scale_l. unfold moved.
    rewrite dot_vsum_l, <- sum_scale. reflexivity. }
  assert (Far : forall k, (k <= K)%nat -> expect P (fun w => ‖z n k w ⊖ point‖²)
    = ‖d‖² - 2 * te * ⟨vsum k A, d⟩ + te ^ 2 * ‖W k‖²).
  { intros k Hk. change (expect P (fun w => ‖z n k w ⊖ point‖²)) with (‖(z n k : random P X) ⊖ always point‖²).
    rewrite virtual_is. fold (W k).
    rewrite (same_norm _ (d ⊖ te ⊙ W k)) by (unfold d; vectors). rewrite norm_sub, dot_scale_r, square_scale.
    rewrite (dot_sym d (W k)), <- VA. unfold W, drawn_move. rewrite (Mean _ (Km k Hk) d Kd).
    fold (mean_move n k). fold V. ring. }
  assert (De : INR K * descent n <= - (2 * te * ⟨vsum K A, d⟩) + te ^ 2 * ‖W K‖²).
  { unfold descent, avg. rewrite (sum_telescope K (fun k => expect P (fun w => ‖z n k w ⊖ point‖²))).
    rewrite !Far by lia. assert (Z0 : ⟨vsum 0 A, d⟩ = 0) by apply dot_zero_l. rewrite Z0.
    pose proof (dot_pos (W 0%nat)) as P0. apply (Rmult_le_compat_l (te ^ 2)) in P0; [|apply pow2_ge_0].
    rewrite <- Rmult_assoc, Rinv_r by lra. lra. }
  assert (Al : INR K * alignment n = ⟨vsum K A, d⟩ - te * sum K (fun k => ⟨A k, vsum k A⟩)).
  { unfold alignment, avg. rewrite <- Rmult_assoc, Rinv_r, Rmult_1_l by lra.
    rewrite (sum_ext K _ (fun k => ⟨A k, d⟩ + - te * ⟨A k, vsum k A⟩)).
    - rewrite sum_add, sum_scale, dot_vsum_l. ring.
    - intros k Hk. rewrite alignment_here, <- dot_mixed by assumption.
      change (vsum (Fraboni.crowd rounds) (fun i => Fraboni.q rounds n i ⊙ grad rounds n i k)) with (A k).
      rewrite virtual_is. fold (W k).
      assert (S : same (((server run n : random P X) ⊖ te ⊙ W k) ⊖ always point) (d ⊖ te ⊙ W k)) by (unfold d; vectors).
      rewrite dot_sym, S, dot_add_l, !dot_scale_l, (dot_sym d). unfold W at 1, drawn_move.
      rewrite (Mean _ (Km k ltac:(lia)) (A k) (KA k Hk)).
      change (with_means P M (q run n) (fun i => moved rounds n i k)) with (V k).
      rewrite VA, (dot_sym (vsum k A)). ring. }
  pose proof (twice_earlier K A) as Tw. rewrite (sum_scale K 2 (fun k => ⟨A k, vsum k A⟩)) in Tw.
  pose proof (Square _ (Km K (le_n K))) as Sq.
  change (with_weights P M (weight run n) (fun i => moved rounds n i K)) with (W K) in Sq.
  change (with_means P M (q run n) (fun i => moved rounds n i K)) with (V K) in Sq.
  rewrite (same_norm (V K) (vsum K A)) in Sq by (intros y; apply VA).
  pose proof (weighted_deviations rounds n) as Wd. pose proof (moved_whole rounds n) as Mw.
  change (Fraboni.steps rounds) with K in Wd, Mw. fold A in Wd. change (Fraboni.total rounds n) with r in Wd.
  set (M2 := mix rounds n (fun i => ‖moved rounds n i K‖²)) in *.
  change (sum M (fun i => q run n i * ‖moved rounds n i K‖²)) with M2 in Sq.
  set (T := sum K (fun k => mix rounds n (fun i => ‖grad rounds n i k‖²))) in *.
  set (SA := sum K (fun k => ‖A k‖²)) in *. set (VK := ‖vsum K A‖²) in *. set (E := ⟨vsum K A, d⟩) in *.
  assert (HR : INR K * (r ^ 2 * round_mean_gradient n) = SA).
  { rewrite mean_gradient_here. fold r. change (step_squares rounds n) with (/ INR K * SA). field. lra. }
  assert (HS : INR K * (r * round_squared_gradient n) = T).
  { rewrite squares_here. fold r. change (squares rounds n) with (/ INR K * T). field. lra. }
  pose proof (alpha_small run) as [Pa Pa1]. pose proof (beta_pos run) as Pb.
  assert (PM2 : 0 <= M2) by (apply mix_pos; intros; apply dot_pos). assert (PV : 0 <= VK) by apply dot_pos.
  assert (K1 : 1 <= INR K) by (apply (le_INR 1), (some_steps run)).
  assert (Vr : (1 - alpha run) * r <= beta run).
  { apply (Rmult_le_reg_r r); [assumption|]. lra. }
  set (ik := / INR K) in *. assert (Pik : 0 < ik <= 1).
  { unfold ik. split; [now apply Rinv_0_lt_compat|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
  assert (Ik : ik * INR K = 1) by (unfold ik; field; lra).
  assert (Dev : 0 <= T - ik * M2).
  { apply (Rmult_le_compat_l ik) in Mw; [|lra]. rewrite <- Rmult_assoc, Ik in Mw. lra. }
  assert (VK1 : ik * VK <= VK) by (assert (ik * VK <= 1 * VK) by (apply Rmult_le_compat_r; lra); lra).
  assert (S1 : (1 - alpha run) * (SA - VK) <= beta run * (T - ik * M2)).
  { apply Rle_trans with ((1 - alpha run) * (r * (T - ik * M2))).
    - apply Rmult_le_compat_l; [lra|]. lra.
    - rewrite <- Rmult_assoc. now apply Rmult_le_compat_r. }
  assert (Main : (1 - alpha run) * (SA - VK) + beta run * M2 <= beta run * (shared * T)).
  { destruct Shared as [->|Zero]; [|rewrite Zero in *; lra].
    assert (beta run * (T - ik * M2 + M2) <= beta run * (INR K * T)).
    { apply Rmult_le_compat_l; [assumption|].
      assert ((INR K - 1) * (ik * M2) <= (INR K - 1) * T) by (apply Rmult_le_compat_l; lra).
      replace ((INR K - 1) * (ik * M2)) with (ik * INR K * M2 - ik * M2) in H by ring. rewrite Ik in H. lra. }
    lra. }
  apply (Rmult_le_reg_l (INR K)); [assumption|].
  replace (INR K * (2 * alignment n * eta * eg + descent n)) with (2 * te * (INR K * alignment n) + INR K * descent n)
    by ring.
  replace (INR K * (eta ^ 2 * eg ^ 2 * (alpha run * round_mean_gradient n * r ^ 2
    + round_squared_gradient n * shared * r * beta run))) with (te ^ 2 * (alpha run * (INR K * (r ^ 2 *
    round_mean_gradient n)) + beta run * (shared * (INR K * (r * round_squared_gradient n))))) by ring.
  rewrite HR, HS, Al. apply (Rmult_le_compat_l (te ^ 2)) in Main; [|apply pow2_ge_0].
  apply (Rmult_le_compat_l (te ^ 2)) in Sq; [|apply pow2_ge_0].
  assert (Tw2 : te ^ 2 * (2 * sum K (fun k => ⟨A k, vsum k A⟩)) = te ^ 2 * (VK - SA)) by now rewrite Tw.
  lra.
Qed.
End Random.
