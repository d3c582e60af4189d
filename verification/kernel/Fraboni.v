(** * Fraboni et al., Theorem 1: one algorithm for synchronous, asynchronous and buffered clients

    In round n the server adds what the clients report, theta_(n+1) = theta_n - h U_n, h = eta_g eta_l K.
    Client i has made K local steps of length eta_l from a model that is at most tau rounds old, each with
    a gradient of a loss drawn afresh (a batch), which is convex and L-smooth. U_n is the sum of the
    reports with random weights, of which q_i(n) is the mean: that enters by two laws. A round has its own
    objective L_n = sum_i q_i(n) L_i, least at best_n. For every fixed point x, in every Space:

    - [at_server]: the mean over the rounds of L_n(theta_n) - L_n(best_n) is at most
      (1 + 2c) R + |theta_0 - x|^2/(hN) + 3.3 D rho Sigma_1/L + s_1 + 3.3 rho L h^2 tau^2 s_2;
    - [at_virtual]: the same at the virtual models, which make the local steps of all clients together.

    R is the mean of L_n(x) - L_n(best_n). What is random enters by expectations: see FraboniChance.v. *)
From Coq Require Import Reals Lra Psatz Lia Arith.
From FL Require Import Convex.
Open Scope R_scope.

Lemma sum_backwards d f : sum d f = sum d (fun j => f (d - S j)%nat).
Proof.
  induction d; [reflexivity|]. rewrite (sum_first d (fun j => f (S d - S j)%nat)). cbn [sum]. rewrite IHd.
  replace (S d - 1)%nat with d by lia. apply Rplus_comm.
Qed.

(** ** The end of the proof: three unknown totals *)
Lemma eliminate Z Phi Y X spread start drift nd a n1 b c2 n2 late :
  0 <= Z -> 0 <= Phi -> 0 <= spread -> 0 <= start -> 0 <= nd -> 0 <= n1 -> 0 <= b -> 0 <= n2 ->
  0 <= drift <= 1 / 256 -> 0 <= a <= 3 / 32 -> 0 <= late <= 1 / 192 -> b * c2 = 2 * late ->
  Z <= spread + start + Phi / 2 + Y / 2 ->
  Y <= a * (4 * Phi + 8 * Z) + n1 ->
  Phi <= 4 * drift * Phi + 8 * drift * Z + nd + b * X ->
  X <= c2 * (4 * Phi + 8 * Z) + n2 ->
  Z <= (1 + 2 * (33 / 5 * drift + 4 * a + 66 / 5 * late)) * spread + 2 * start
       + 33 / 20 * nd + n1 + 33 / 20 * (b * n2).
Proof.
  intros PZ PP Ps Pst Pnd Pn1 Pb Pn2 [D0 D1] [A0 A1] [G0 G1] Ebc E1 E2 E3 E4.
  apply (Rmult_le_compat_l b) in E4; [|assumption].
  replace (b * (c2 * (4 * Phi + 8 * Z) + n2)) with ((b * c2) * (4 * Phi + 8 * Z) + b * n2) in E4 by ring.
  rewrite Ebc in E4. assert (Pbn : 0 <= b * n2) by now apply Rmult_le_pos.
  assert (Q1 : drift * Phi <= 1 / 256 * Phi) by now apply Rmult_le_compat_r.
  assert (Q2 : late * Phi <= 1 / 192 * Phi) by now apply Rmult_le_compat_r.
  assert (Q3 : a * Phi <= 3 / 32 * Phi) by now apply Rmult_le_compat_r.
  assert (Pdz : 0 <= drift * Z) by now apply Rmult_le_pos.
  assert (Plz : 0 <= late * Z) by now apply Rmult_le_pos.
  set (c := 33 / 5 * drift + 4 * a + 66 / 5 * late).
  set (B := spread + start + 33 / 40 * (nd + b * n2) + n1 / 2).
  assert (Low : (1 - c) * Z <= B) by (unfold B, c; lra).
  assert (Hc : 0 <= c <= 1 / 2) by (unfold c; lra).
  assert (P : 0 <= c * Z * (1 - 2 * c)) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra).
  apply (Rmult_le_compat_l (1 + 2 * c)) in Low; [|lra].
  assert (Zb : Z <= (1 + 2 * c) * B) by lra.
  assert (Rest : 2 * c * (start + 33 / 40 * (nd + b * n2) + n1 / 2) <= 1 * (start + 33 / 40 * (nd + b * n2) + n1 / 2))
    by (apply Rmult_le_compat_r; lra).
  unfold B in Zb. lra.
Qed.

(** ** The rounds *)
Record Rounds (H : Space) := {
  crowd : nat;
  steps : nat;
  local_step : R;
  server_step : R;
  smoothness : R;
  (** q n i: the expected weight of client i in round n; the weights' variance is told by alpha, beta. *)
  q : nat -> nat -> R;
  alpha : R;
  beta : R;
  objective : nat -> H -> R;
  (** sample n i k: the loss drawn by client i for local step k of the work that round n uses. *)
  sample : nat -> nat -> nat -> H -> R;
  slope : nat -> nat -> nat -> H -> H;
  server : nat -> H;
  pulled : nat -> nat -> nat;
  local : nat -> nat -> nat -> H;
  aggregate : nat -> H;
  (** best n: where the objective of round n is least; reference: any fixed point. *)
  best : nat -> H;
  reference : H;
  some_steps : (0 < steps)%nat;
  steps_sizes_pos : 0 <= local_step /\ 0 <= server_step;
  smoothness_pos : 0 <= smoothness;
  q_pos : forall n i, 0 <= q n i;
  alpha_small : 0 <= alpha <= 1;
  beta_pos : 0 <= beta;
  sample_smooth : forall n i k, (i < crowd)%nat -> (k < steps)%nat -> smooth smoothness (sample n i k) (slope n i k);
  sample_convex : forall n i k, (i < crowd)%nat -> (k < steps)%nat -> convex 0 (sample n i k) (slope n i k);
  (** The algorithm. *)
  pull : forall n i, (i < crowd)%nat -> (pulled n i <= n)%nat /\ local n i 0 = server (pulled n i);
  work : forall n i k, (i < crowd)%nat -> (k < steps)%nat ->
    local n i (S k) = local n i k ⊖ local_step ⊙ slope n i k (local n i k);
  serve : forall n, server (S n) = server n ⊖ (server_step * local_step * INR steps) ⊙ aggregate n;
  (** Weights: mean q, and the second moment of the aggregate. *)
  weights_mean : forall n y, y = server n \/ y = reference -> ⟨aggregate n, y⟩
    = ⟨vsum crowd (fun i => q n i ⊙ mean steps (fun k => slope n i k (local n i k))), y⟩;
  weights_square : forall n, ‖aggregate n‖²
    <= alpha * ‖vsum crowd (fun i => q n i ⊙ mean steps (fun k => slope n i k (local n i k)))‖²
     + beta * sum crowd (fun i => q n i * ‖mean steps (fun k => slope n i k (local n i k))‖²);
  (** Fresh samples: right in the mean at fixed points. *)
  seen_reference : forall n i k, (i < crowd)%nat -> (k < steps)%nat ->
    sample n i k reference = objective i reference;
  seen_best : forall n i k, (i < crowd)%nat -> (k < steps)%nat -> sample n i k (best n) = objective i (best n);
  best_lowest : forall n y, sum crowd (fun i => q n i * objective i (best n)) <= sum crowd (fun i => q n i *
    objective i y)
}.

Arguments crowd {H}. Arguments steps {H}. Arguments local_step {H}. Arguments server_step {H}.
Arguments smoothness {H}. Arguments q {H}. Arguments alpha {H}. Arguments beta {H}. Arguments objective {H}.
Arguments sample {H}. Arguments slope {H}. Arguments server {H}. Arguments pulled {H}. Arguments local {H}.
Arguments aggregate {H}. Arguments best {H}. Arguments reference {H}. Arguments some_steps {H}.
Arguments steps_sizes_pos {H}. Arguments smoothness_pos {H}. Arguments q_pos {H}. Arguments alpha_small {H}.
Arguments beta_pos {H}. Arguments sample_smooth {H}. Arguments sample_convex {H}. Arguments pull {H}.
Arguments work {H}. Arguments serve {H}. Arguments weights_mean {H}. Arguments weights_square {H}.
Arguments seen_reference {H}. Arguments seen_best {H}. Arguments best_lowest {H}.

Section Rounds.
Context {H : Space} (run : Rounds H).
Notation M := (crowd run).
Notation K := (steps run).
Notation L := (smoothness run).
Notation eta := (local_step run).
Notation eg := (server_step run).
Notation te := (eg * eta).
Notation h := (eg * eta * INR K).
Notation q := (q run).
Notation x := (reference run).
Notation b := (best run).

Definition mix n (f : nat -> R) : R := sum M (fun i => q n i * f i).
Definition total n : R := sum M (q n).
Definition round_loss n y : R := mix n (fun i => objective run i y).
Definition grad n i k : H := slope run n i k (local run n i k).
Definition report n i : H := mean K (grad n i).
Definition flow n : H := vsum M (fun i => q n i ⊙ report n i).
Definition excess n : R := round_loss n x - round_loss n (b n).

Lemma L_pos : 0 <= L. Proof. apply smoothness_pos. Qed.
Lemma K_pos : 0 < INR K. Proof. apply lt_0_INR, some_steps. Qed.
Lemma eta_pos : 0 <= eta. Proof. apply steps_sizes_pos. Qed.
Lemma eg_pos : 0 <= eg. Proof. apply steps_sizes_pos. Qed.
Lemma te_pos : 0 <= te. Proof. apply Rmult_le_pos; [apply eg_pos|apply eta_pos]. Qed.
Lemma h_pos : 0 <= h. Proof. apply Rmult_le_pos; [apply te_pos|left; apply K_pos]. Qed.

Lemma mix_le n f g : (forall i, (i < M)%nat -> f i <= g i) -> mix n f <= mix n g.
Proof. intros E. apply sum_le. intros i Hi. apply Rmult_le_compat_l; [apply q_pos|auto]. Qed.
Lemma mix_ext n f g : (forall i, (i < M)%nat -> f i = g i) -> mix n f = mix n g.
Proof. intros E. apply sum_ext. intros i Hi. now rewrite E. Qed.
Lemma mix_add n f g : mix n (fun i => f i + g i) = mix n f + mix n g.
Proof. unfold mix. rewrite <- sum_add. apply sum_ext. intros. ring. Qed.
Lemma mix_scale n a f : mix n (fun i => a * f i) = a * mix n f.
Proof. unfold mix. rewrite <- sum_scale. apply sum_ext. intros. ring. Qed.
Lemma mix_pos n f : (forall i, (i < M)%nat -> 0 <= f i) -> 0 <= mix n f.
Proof. intros E. apply sum_pos. intros i Hi. apply Rmult_le_pos; [apply q_pos|auto]. Qed.
Lemma mix_const n a : mix n (fun _ => a) = total n * a.
Proof. unfold mix, total. rewrite (Rmult_comm (sum M (q n)) a), <- sum_scale. apply sum_ext. intros. cbv beta. ring.
Qed.
Lemma mix_avg n m f : mix n (fun i => avg m (fun k => f i k)) = avg m (fun k => mix n (fun i => f i k)).
Proof.
  unfold mix, avg. rewrite (sum_ext M _ (fun i => / INR m * sum m (fun k => q n i * f i k))).
  - rewrite sum_scale. f_equal. apply sum_swap.
  - intros i _. change (sum m (fun k => f i k)) with (sum m (f i)). rewrite (sum_scale m (q n i) (f i)). ring.
Qed.
Lemma total_pos n : 0 <= total n.
Proof. apply sum_pos. intros. apply q_pos. Qed.

Lemma excess_pos n : 0 <= excess n.
Proof. unfold excess, round_loss, mix. pose proof (best_lowest run n x). lra. Qed.

Lemma dot_mixed n (v : nat -> H) y : ⟨vsum M (fun i => q n i ⊙ v i), y⟩ = mix n (fun i => ⟨v i, y⟩).
Proof. rewrite dot_vsum_l. apply sum_ext. intros. apply dot_scale_l. Qed.

Lemma norm_mixed n (v : nat -> H) : ‖vsum M (fun i => q n i ⊙ v i)‖² <= total n * mix n (fun i => ‖v i‖²).
Proof. apply (norm_weighted M (q n)). intros. apply q_pos. Qed.

(** *** Points z n k at which the gap is measured: they do not know the samples of step k *)
Section Points.
Variable z : nat -> nat -> H.
Hypothesis seen : forall n i k, (i < M)%nat -> (k < K)%nat -> sample run n i k (z n k) = objective run i (z n k).
Hypothesis met : forall n k, (k < K)%nat -> mix n (fun i => ⟨slope run n i k (b n), z n k ⊖ b n⟩) = 0.

Definition gap_at n k : R := round_loss n (z n k) - round_loss n (b n).
Definition reach_at n k : R := L * mix n (fun i => ‖z n k ⊖ local run n i k‖²).
Definition squares_at n k : R := mix n (fun i => ‖grad n i k‖²).
Definition noise_at n k : R := mix n (fun i => ‖slope run n i k (b n)‖²).
Definition noise2_at n k : R := sum M (fun i => q n i ^ 2 * ‖slope run n i k (b n)‖²).
Definition gap n : R := avg K (gap_at n).
Definition reach n : R := avg K (reach_at n).
Definition squares n : R := avg K (squares_at n).
Definition noise n : R := avg K (noise_at n).
Definition noise2 n : R := avg K (noise2_at n).

Lemma gap_at_pos n k : 0 <= gap_at n k.
Proof. unfold gap_at, round_loss, mix. pose proof (best_lowest run n (z n k)). lra. Qed.
Lemma gap_pos n : 0 <= gap n.
Proof. apply avg_pos. intros. apply gap_at_pos. Qed.
Lemma reach_at_pos n k : 0 <= reach_at n k.
Proof. apply Rmult_le_pos; [apply L_pos|]. apply mix_pos. intros. apply dot_pos. Qed.
Lemma reach_pos n : 0 <= reach n.
Proof. apply avg_pos. intros. apply reach_at_pos. Qed.
Lemma squares_pos n : 0 <= squares n.
Proof. apply avg_pos. intros. apply mix_pos. intros. apply dot_pos. Qed.
Lemma noise_pos n : 0 <= noise n.
Proof. apply avg_pos. intros. apply mix_pos. intros. apply dot_pos. Qed.
Lemma noise2_pos n : 0 <= noise2 n.
Proof. apply avg_pos. intros. apply sum_pos. intros. apply Rmult_le_pos; [apply pow2_ge_0|apply dot_pos]. Qed.

(** Three points. *)
Lemma toward n k : (k < K)%nat ->
  mix n (fun i => -2 * ⟨grad n i k, z n k ⊖ x⟩) <= -2 * gap_at n k + 2 * excess n + reach_at n k.
Proof.
  intros Hk. apply Rle_trans with (mix n (fun i =>
    -2 * objective run i (z n k) + 2 * objective run i x + L * ‖z n k ⊖ local run n i k‖²)).
  - apply mix_le. intros i Hi.
    pose proof (three_points L 0 _ _ x (local run n i k) (z n k) L_pos (sample_smooth run n i k Hi Hk)
      (sample_convex run n i k Hi Hk)) as T.
    rewrite seen, seen_reference in T by assumption. unfold grad. lra.
  - rewrite !mix_add, !mix_scale. unfold gap_at, excess, reach_at, round_loss. lra.
Qed.

Lemma from_best n k : (k < K)%nat ->
  mix n (fun i => ‖grad n i k ⊖ slope run n i k (b n)‖²) <= 2 * L * reach_at n k + 4 * L * gap_at n k.
Proof.
  intros Hk. apply Rle_trans with (mix n (fun i => 2 * L * (L * ‖z n k ⊖ local run n i k‖²)
    + 4 * L * (objective run i (z n k) + -1 * objective run i (b n) + -1 * ⟨slope run n i k (b n), z n k ⊖ b n⟩))).
  - apply mix_le. intros i Hi. set (G := slope run n i k).
    pose proof (co_coercive L _ _ (b n) (z n k) L_pos (sample_smooth run n i k Hi Hk) (sample_convex run n i k Hi
      Hk)) as C.
    rewrite seen, seen_best in C by assumption. fold G in C.
    destruct (sample_smooth run n i k Hi Hk) as [_ Lip]. specialize (Lip (local run n i k) (z n k)). fold G in Lip.
    rewrite (norm_sub_sym (local run n i k)) in Lip.
    rewrite (same_norm (grad n i k ⊖ G (b n)) ((G (local run n i k) ⊖ G (z n k)) ⊕ (G (z n k) ⊖ G (b n))))
      by (unfold grad; fold G; vectors).
    eapply Rle_trans; [apply norm_add2|]. lra.
  - rewrite mix_add, !mix_scale, !mix_add, !mix_scale, (met n k Hk). unfold reach_at, gap_at, round_loss.
    change (mix n (fun i => objective run i (z n k))) with (mix n (fun i => objective run i (z n k))). right. ring.
Qed.

Lemma squares_at_small n k : (k < K)%nat ->
  squares_at n k <= 4 * L * reach_at n k + 8 * L * gap_at n k + 2 * noise_at n k.
Proof.
  intros Hk. pose proof (from_best n k Hk) as F. unfold squares_at, noise_at.
  apply Rle_trans with (mix n (fun i => 2 * ‖grad n i k ⊖ slope run n i k (b n)‖² + 2 * ‖slope run n i k (b n)‖²)).
  - apply mix_le. intros i Hi. set (e := slope run n i k (b n)).
    rewrite (same_norm (grad n i k) ((grad n i k ⊖ e) ⊕ e)) by vectors.
    eapply Rle_trans; [apply norm_add2|]. lra.
  - rewrite mix_add, !mix_scale. lra.
Qed.

Lemma squares_small n : squares n <= 4 * L * reach n + 8 * L * gap n + 2 * noise n.
Proof.
  unfold squares, reach, gap, noise. rewrite <- !avg_scale, <- !avg_add. apply avg_le. intros k Hk.
  now apply squares_at_small.
Qed.

(** The sum of the clients' gradients in one local step; the clients' noise at best is independent. *)
Definition step_sum n k : H := vsum M (fun i => q n i ⊙ grad n i k).

Lemma step_sum_small n k : (k < K)%nat ->
  ‖vsum M (fun i => q n i ⊙ slope run n i k (b n))‖² <= noise2_at n k ->
  ‖step_sum n k‖² <= total n * (4 * L * reach_at n k + 8 * L * gap_at n k) + 2 * noise2_at n k.
Proof.
  intros Hk Own. pose proof (from_best n k Hk) as F.
  pose proof (norm_mixed n (fun i => grad n i k ⊖ slope run n i k (b n))) as W. cbv beta in W.
  apply (Rmult_le_compat_l (total n)) in F; [|apply total_pos].
  set (u := vsum M (fun i => q n i ⊙ (grad n i k ⊖ slope run n i k (b n)))) in *.
  set (v := vsum M (fun i => q n i ⊙ slope run n i k (b n))) in *.
  rewrite (same_norm (step_sum n k) (u ⊕ v)).
  - eapply Rle_trans; [apply norm_add2|]. lra.
  - intros y. unfold u, v, step_sum. rewrite dot_add_l, !dot_mixed, <- mix_add. apply mix_ext. intros i _.
    rewrite dot_add_l, dot_scale_l. ring.
Qed.

(** The same with the mean over the local steps. *)
Lemma flow_small n :
  ‖vsum M (fun i => q n i ⊙ mean K (fun k => slope run n i k (b n)))‖² <= noise2 n / INR K ->
  ‖flow n‖² <= total n * (4 * L * reach n + 8 * L * gap n) + 2 * (noise2 n / INR K).
Proof.
  intros Own.
  assert (F : mix n (fun i => ‖mean K (fun k => grad n i k ⊖ slope run n i k (b n))‖²)
    <= 2 * L * reach n + 4 * L * gap n).
  { apply Rle_trans with (mix n (fun i => avg K (fun k => ‖grad n i k ⊖ slope run n i k (b n)‖²))).
    - apply mix_le. intros i _. apply norm_mean.
    - rewrite mix_avg. unfold reach, gap. rewrite <- !avg_scale, <- avg_add. apply avg_le. intros k Hk.
      now apply from_best. }
  pose proof (norm_mixed n (fun i => mean K (fun k => grad n i k ⊖ slope run n i k (b n)))) as W. cbv beta in W.
  apply (Rmult_le_compat_l (total n)) in F; [|apply total_pos].
  set (u := vsum M (fun i => q n i ⊙ mean K (fun k => grad n i k ⊖ slope run n i k (b n)))) in *.
  set (v := vsum M (fun i => q n i ⊙ mean K (fun k => slope run n i k (b n)))) in *.
  rewrite (same_norm (flow n) (u ⊕ v)).
  - eapply Rle_trans; [apply norm_add2|]. lra.
  - intros y. unfold u, v, flow, report. rewrite dot_add_l, !dot_mixed, <- mix_add. apply mix_ext. intros i _.
    rewrite !dot_mean_l, <- avg_add. apply avg_ext. intros k _. rewrite dot_add_l, dot_scale_l. ring.
Qed.
End Points.

(** *** How far clients drift in their local steps *)
Definition moved n i k : H := vsum k (fun l => grad n i l).

Lemma local_is n i k : (i < M)%nat -> (k <= K)%nat ->
  same (local run n i k) (server run (pulled run n i) ⊖ eta ⊙ moved n i k).
Proof.
  intros Hi. induction k; intros Hk y.
  - destruct (pull run n i Hi) as [_ E]. rewrite E. unfold moved. simpl vsum.
    rewrite dot_add_l, !dot_scale_l, dot_zero_l. ring.
  - rewrite work by lia. unfold moved in *. simpl vsum. specialize (IHk ltac:(lia) y).
    fold (grad n i k). revert IHk. rewrite !dot_add_l, !dot_scale_l, !dot_add_l. intros. lra.
Qed.

(** mean_k |sum_(l<k) g_l|^2 <= (K (K - 1)/2) mean_l |g_l|^2. *)
Lemma moved_small n i : avg K (fun k => ‖moved n i k‖²)
  <= INR K * (INR K - 1) / 2 * avg K (fun k => ‖grad n i k‖²).
Proof.
  pose proof K_pos as PK. set (A := sum K (fun l => ‖grad n i l‖²)).
  assert (E : sum K (fun k => ‖moved n i k‖²) <= INR K * (INR K - 1) / 2 * A).
  { apply Rle_trans with (sum K (fun k => A * INR k)).
    - apply sum_le. intros k Hk. unfold moved. eapply Rle_trans; [apply norm_vsum|].
      rewrite Rmult_comm. apply Rmult_le_compat_r; [apply pos_INR|]. apply sum_le_longer; [lia|].
      intros. apply dot_pos.
    - rewrite sum_scale, sum_indices. right. field. }
  unfold avg. fold A. apply (Rmult_le_compat_l (/ INR K)) in E; [|left; now apply Rinv_0_lt_compat].
  eapply Rle_trans; [exact E|]. right. ring.
Qed.

Lemma mix_moved_small n : avg K (fun k => mix n (fun i => ‖moved n i k‖²))
  <= INR K * (INR K - 1) / 2 * squares n.
Proof.
  rewrite <- mix_avg. unfold squares, squares_at. rewrite <- (mix_avg n K (fun i k => ‖grad n i k‖²)), <- mix_scale.
  apply mix_le. intros i _. apply moved_small.
Qed.

(** *** How far models move in tau rounds *)
Section Stale.
Variable tau : nat.
Hypothesis aged : forall n i, (i < M)%nat -> (n <= pulled run n i + tau)%nat.

Lemma server_moves m d : same (server run m ⊖ server run (m + d)%nat) (vsum d (fun j => h ⊙ aggregate run (m + j)%nat)).
Proof.
  induction d; intros y.
  - rewrite Nat.add_0_r. simpl. rewrite dot_add_l, dot_scale_l, dot_zero_l. ring.
  - rewrite Nat.add_succ_r, (serve run). specialize (IHd y). simpl vsum. revert IHd.
    rewrite !dot_add_l, !dot_scale_l, !dot_add_l, !dot_scale_l. intros. lra.
Qed.

Lemma lag n i : (i < M)%nat -> ‖server run (pulled run n i) ⊖ server run n‖²
  <= h ^ 2 * INR tau * window tau (fun m => ‖aggregate run m‖²) n.
Proof.
  intros Hi. destruct (pull run n i Hi) as [Hp _]. specialize (aged n i Hi). set (m := pulled run n i) in *.
  pose proof (server_moves m (n - m)) as E. replace (m + (n - m))%nat with n in E by lia. rewrite (same_norm _ _ E).
  eapply Rle_trans; [apply norm_vsum|].
  rewrite (sum_ext (n - m) _ (fun j => h ^ 2 * ‖aggregate run (m + j)%nat‖²)) by (intros; apply square_scale).
  rewrite sum_scale.
  assert (W : sum (n - m) (fun j => ‖aggregate run (m + j)%nat‖²) <= window tau (fun m => ‖aggregate run m‖²) n).
  { eapply Rle_trans; [|apply (window_part tau (fun m => ‖aggregate run m‖²) n (n - m)); [intros;
    apply dot_pos|lia|lia]].
    right. rewrite (sum_backwards (n - m)). apply sum_ext. intros j Hj.
    now replace (m + (n - m - S j))%nat with (n - S j)%nat by lia. }
  pose proof (pow2_ge_0 h). pose proof (pos_INR tau).
  assert (Pw : 0 <= window tau (fun m => ‖aggregate run m‖²) n) by (apply window_pos; intros; apply dot_pos).
  assert (INR (n - m) <= INR tau) by (apply le_INR; lia). pose proof (pos_INR (n - m)).
  apply Rle_trans with (INR tau * (h ^ 2 * sum (n - m) (fun j => ‖aggregate run (m + j)%nat‖²))).
  - apply Rmult_le_compat_r; [|assumption]. apply Rmult_le_pos; [assumption|]. apply sum_pos. intros. apply dot_pos.
  - rewrite <- Rmult_assoc, (Rmult_comm (INR tau)). apply Rmult_le_compat_l; [now apply Rmult_le_pos|assumption].
Qed.

(** *** All rounds *)
Variable N : nat.
Variable rho : R.
Hypothesis some_rounds : (0 < N)%nat.
Hypothesis weight_small : forall n, (n < N)%nat -> total n <= rho.
Hypothesis steps_positive : 0 < eta /\ 0 < eg.

Lemma rho_pos : 0 <= rho.
Proof. pose proof (weight_small 0%nat some_rounds). pose proof (total_pos 0). lra. Qed.

Lemma N_pos : 0 < INR N. Proof. now apply lt_0_INR. Qed.

Lemma h_positive : 0 < h.
Proof. pose proof K_pos. apply Rmult_lt_0_compat; [now apply Rmult_lt_0_compat|assumption]. Qed.

Lemma lag_mixed : sum N (fun n => mix n (fun i => ‖server run (pulled run n i) ⊖ server run n‖²))
  <= rho * h ^ 2 * INR tau ^ 2 * sum N (fun n => ‖aggregate run n‖²).
Proof.
  pose proof rho_pos as Pr. pose proof (pow2_ge_0 h) as Ph. pose proof (pos_INR tau) as Pt.
  assert (P : forall n, 0 <= ‖aggregate run n‖²) by (intros; apply dot_pos).
  apply Rle_trans with (sum N (fun n => rho * (h ^ 2 * INR tau) * window tau (fun m => ‖aggregate run m‖²) n)).
  - apply sum_le. intros n Hn. pose proof (window_pos tau _ n P) as Pw. cbv beta in Pw.
    apply Rle_trans with (mix n (fun _ => h ^ 2 * INR tau * window tau (fun m => ‖aggregate run m‖²) n)).
    + apply mix_le. intros i Hi. now apply lag.
    + rewrite mix_const, (Rmult_assoc rho). apply Rmult_le_compat_r; [|now apply weight_small]. pos.
  - rewrite sum_scale. pose proof (window_sum tau _ N P) as W.
    apply (Rmult_le_compat_l (rho * (h ^ 2 * INR tau))) in W; [|pos]. eapply Rle_trans; [exact W|]. right. ring.
Qed.

(** What a round's noise is, per unit of weight. *)
Definition sigma1 n : R := noise n / total n.
Definition sigma2 n : R := noise2 n / total n ^ 2.
Definition Sigma1 : R := avg N sigma1.
Definition Sigma2 : R := avg N sigma2.
Definition spread : R := avg N excess.

Lemma weightless n i : total n = 0 -> (i < M)%nat -> q n i = 0.
Proof.
  intros E Hi. pose proof (sum_member M (q n) i Hi ltac:(intros; apply q_pos)) as Q. fold (total n) in Q.
  pose proof (q_pos run n i). lra.
Qed.

Lemma noise_is n : noise n = total n * sigma1 n.
Proof.
  unfold sigma1. destruct (Req_dec (total n) 0) as [E|E]; [|field; assumption]. rewrite E, Rmult_0_l.
  unfold noise, noise_at, mix, avg. rewrite sum_zero; [ring|]. intros k _. apply sum_zero. intros i Hi.
  rewrite (weightless n i E Hi). ring.
Qed.

Lemma noise2_is n : noise2 n = total n ^ 2 * sigma2 n.
Proof.
  unfold sigma2. destruct (Req_dec (total n) 0) as [E|E]; [|field; assumption].
  replace (total n ^ 2) with 0 by (rewrite E; ring). rewrite Rmult_0_l.
  unfold noise2, noise2_at, avg. rewrite sum_zero; [ring|]. intros k _. apply sum_zero. intros i Hi.
  rewrite (weightless n i E Hi). ring.
Qed.

Lemma sigma1_pos n : 0 <= sigma1 n.
Proof.
  unfold sigma1. destruct (Rle_lt_or_eq_dec _ _ (total_pos n)) as [P|E].
  - apply Rmult_le_pos; [apply noise_pos|left; now apply Rinv_0_lt_compat].
  - rewrite <- E. unfold Rdiv. rewrite Rinv_0. lra.
Qed.

Lemma sigma2_pos n : 0 <= sigma2 n.
Proof.
  unfold sigma2. destruct (Rle_lt_or_eq_dec _ _ (total_pos n)) as [P|E].
  - apply Rmult_le_pos; [apply noise2_pos|left; now apply Rinv_0_lt_compat, pow_lt].
  - rewrite <- E. unfold Rdiv. replace (0 ^ 2) with 0 by ring. rewrite Rinv_0. lra.
Qed.

Lemma Sigma1_pos : 0 <= Sigma1. Proof. apply avg_pos. intros. apply sigma1_pos. Qed.
Lemma Sigma2_pos : 0 <= Sigma2. Proof. apply avg_pos. intros. apply sigma2_pos. Qed.

Lemma sum_is_avg f : sum N f = INR N * avg N f.
Proof. unfold avg. pose proof N_pos. field. lra. Qed.

Lemma noise_total : sum N noise <= INR N * (rho * Sigma1).
Proof.
  unfold Sigma1. rewrite <- avg_scale, <- sum_is_avg. apply sum_le. intros n Hn. rewrite noise_is.
  apply Rmult_le_compat_r; [apply sigma1_pos|now apply weight_small].
Qed.

Lemma noise2_total : sum N noise2 <= INR N * (rho ^ 2 * Sigma2).
Proof.
  unfold Sigma2. rewrite <- avg_scale, <- sum_is_avg. apply sum_le. intros n Hn. rewrite noise2_is.
  apply Rmult_le_compat_r; [apply sigma2_pos|]. apply pow_incr. split; [apply total_pos|now apply weight_small].
Qed.

Notation A2 := (alpha run * rho + beta run).
Notation drift := (eta ^ 2 * INR K * (INR K - 1) * L ^ 2).
Notation late := (rho * A2 * h ^ 2 * L ^ 2 * INR tau ^ 2).

Lemma drift_pos : 0 <= drift.
Proof.
  pose proof (le_INR 1 K (some_steps run)) as K1. simpl in K1. pose proof L_pos. pose proof eta_pos. pos.
Qed.

Lemma A2_pos : 0 <= A2.
Proof. pose proof (alpha_small run). pose proof (beta_pos run). pose proof rho_pos. pos. Qed.

(** The squared reports, however their mean square [u] per round is bounded. *)
Lemma second_moment z (u : nat -> R) (a c : R) :
  (forall n i k, (i < M)%nat -> (k < K)%nat -> sample run n i k (z n k) = objective run i (z n k)) ->
  (forall n k, (k < K)%nat -> mix n (fun i => ⟨slope run n i k (b n), z n k ⊖ b n⟩) = 0) ->
  0 <= a -> 0 <= c ->
  (forall n, (n < N)%nat -> u n <= rho * (4 * L * reach z n + 8 * L * gap z n) + 2 * noise2 n) ->
  a * sum N u + c * sum N squares <= (a * rho + c) * L * (4 * sum N (reach z) + 8 * sum N (gap z))
    + (2 * a * (INR N * (rho ^ 2 * Sigma2)) + 2 * c * (INR N * (rho * Sigma1))).
Proof.
  intros seen met Pa Pc U. assert (E1 : sum N u <= rho * (4 * L * sum N (reach z) + 8 * L * sum N (gap z))
    + 2 * sum N noise2).
  { rewrite <- !sum_scale, <- sum_add, <- !sum_scale, <- sum_add. now apply sum_le. }
  assert (E2 : sum N squares <= 4 * L * sum N (reach z) + 8 * L * sum N (gap z) + 2 * sum N noise).
  { rewrite <- !sum_scale, <- !sum_add. apply sum_le. intros n _. now apply squares_small. }
  pose proof noise_total as E3. pose proof noise2_total as E4.
  assert (F1 : sum N u <= rho * (4 * L * sum N (reach z) + 8 * L * sum N (gap z)) + 2 * (INR N * (rho ^ 2 * Sigma2)))
    by lra.
  assert (F2 : sum N squares <= 4 * L * sum N (reach z) + 8 * L * sum N (gap z) + 2 * (INR N * (rho * Sigma1))) by lra.
  apply (Rmult_le_compat_l a) in F1; [|assumption]. apply (Rmult_le_compat_l c) in F2; [|assumption]. lra.
Qed.

(** From a bound on the total of the gaps to their mean. *)
Lemma mean_of_total (G d0 D c nd n1 n2 : R) : 
  G <= (1 + 2 * c) * sum N excess + 2 * (d0 / (2 * h)) + 33 / 20 * (D * 2 * (INR N * nd)) + INR N * n1
    + 33 / 20 * (2 * L * rho * h ^ 2 * INR tau ^ 2 * (INR N * n2)) ->
  / INR N * G <= spread + d0 / (h * INR N) + 2 * c * spread + 33 / 10 * (D * nd) + n1
    + 33 / 10 * (rho * L * h ^ 2 * INR tau ^ 2) * n2.
Proof.
  intros E. pose proof N_pos as PN. pose proof h_positive as Ph.
  apply (Rmult_le_compat_l (/ INR N)) in E; [|left; now apply Rinv_0_lt_compat].
  eapply Rle_trans; [exact E|]. right. unfold spread, avg. set (hh := h) in *. assert (hh <> 0) by lra. field. split;
    lra.
Qed.

(** ** At the server's models *)
Section Server.
Hypothesis seen_server : forall n i k, (i < M)%nat -> (k < K)%nat ->
  sample run n i k (server run n) = objective run i (server run n).
Hypothesis met_server : forall n k, (k < K)%nat ->
  mix n (fun i => ⟨slope run n i k (b n), server run n ⊖ b n⟩) = 0.
Hypothesis own_noise : forall n,
  ‖vsum M (fun i => q n i ⊙ mean K (fun k => slope run n i k (b n)))‖² <= noise2 n / INR K.

Let at_round (n k : nat) : H := server run n.
Notation gaps := (gap at_round).
Notation reaches := (reach at_round).

Lemma one_round n : ‖server run (S n) ⊖ x‖² <= ‖server run n ⊖ x‖²
  + h * (-2 * gaps n + 2 * excess n + reaches n) + h ^ 2 * ‖aggregate run n‖².
Proof.
  rewrite (serve run). rewrite (same_norm _ ((server run n ⊖ x) ⊕ (- h) ⊙ aggregate run n)) by vectors.
  rewrite norm_add, square_scale, dot_scale_r, (dot_sym (server run n ⊖ x) (aggregate run n)).
  assert (W : ⟨aggregate run n, server run n ⊖ x⟩ = ⟨flow n, server run n ⊖ x⟩).
  { rewrite !dot_add_r, !dot_scale_r, (weights_mean run n (server run n)), (weights_mean run n x) by auto.
  reflexivity. }
  rewrite W.
  assert (E : -2 * ⟨flow n, server run n ⊖ x⟩ <= -2 * gaps n + 2 * excess n + reaches n).
  { unfold flow, report. rewrite dot_mixed, <- mix_scale.
    rewrite (mix_ext n _ (fun i => avg K (fun k => -2 * ⟨grad n i k, server run n ⊖ x⟩)))
      by (intros; now rewrite dot_mean_l, avg_scale).
    rewrite mix_avg. unfold gap, reach.
    rewrite <- (avg_const K (2 * excess n) (some_steps run)), <- avg_scale, <- !avg_add. apply avg_le. intros k Hk.
    apply (toward at_round); auto. }
  apply (Rmult_le_compat_l h) in E; [|apply h_pos]. lra.
Qed.

Lemma server_total : sum N gaps <= sum N excess + ‖server run 0%nat ⊖ x‖² / (2 * h) + sum N reaches / 2
  + h * sum N (fun n => ‖aggregate run n‖²) / 2.
Proof.
  pose proof h_positive as Ph.
  assert (T : sum N (fun n => ‖server run (S n) ⊖ x‖² - ‖server run n ⊖ x‖²)
    <= h * (-2 * sum N gaps + 2 * sum N excess + sum N reaches) + h ^ 2 * sum N (fun n => ‖aggregate run n‖²)).
  { rewrite <- !sum_scale, <- !sum_add, <- !sum_scale, <- sum_add. apply sum_le. intros n _.
    pose proof (one_round n). lra. }
  rewrite (sum_telescope N (fun n => ‖server run n ⊖ x‖²)) in T. pose proof (dot_pos (server run N ⊖ x)).
  set (hh := h) in *. apply (Rmult_le_reg_l (2 * hh)); [lra|].
  replace (2 * hh * (sum N excess + ‖server run 0%nat ⊖ x‖² / (2 * hh) + sum N reaches / 2
    + hh * sum N (fun n => ‖aggregate run n‖²) / 2)) with (2 * hh * sum N excess + ‖server run 0%nat ⊖ x‖²
    + hh * sum N reaches + hh ^ 2 * sum N (fun n => ‖aggregate run n‖²)) by (field; lra). lra.
Qed.

Lemma server_reach : sum N reaches <= 4 * drift * sum N reaches + 8 * drift * sum N gaps
  + L * eta ^ 2 * INR K * (INR K - 1) * 2 * (INR N * (rho * Sigma1))
  + 2 * L * rho * h ^ 2 * INR tau ^ 2 * sum N (fun n => ‖aggregate run n‖²).
Proof.
  pose proof L_pos as PL. pose proof K_pos as PK. pose proof (le_INR 1 K (some_steps run)) as K1. simpl in K1.
  assert (E : sum N reaches <= L * eta ^ 2 * INR K * (INR K - 1) * sum N squares
    + 2 * L * sum N (fun n => mix n (fun i => ‖server run (pulled run n i) ⊖ server run n‖²))).
  { rewrite <- !sum_scale, <- sum_add. apply sum_le. intros n _. unfold reach, reach_at. rewrite avg_scale.
    apply Rle_trans with (L * avg K (fun k => 2 * eta ^ 2 * mix n (fun i => ‖moved n i k‖²)
      + 2 * mix n (fun i => ‖server run (pulled run n i) ⊖ server run n‖²))).
    - apply Rmult_le_compat_l; [assumption|]. apply avg_le. intros k Hk. rewrite <- !mix_scale, <- mix_add.
      apply mix_le. intros i Hi. unfold at_round. rewrite norm_sub_sym.
      rewrite (same_norm _ ((server run (pulled run n i) ⊖ server run n) ⊕ (- eta) ⊙ moved n i k)).
      + eapply Rle_trans; [apply norm_add2|]. rewrite square_scale. right. ring.
      + intros y. rewrite !dot_add_l, (local_is n i k Hi ltac:(lia) y), !dot_scale_l, dot_add_l, !dot_scale_l. ring.
    - rewrite avg_add, avg_scale, avg_const by apply some_steps. pose proof (mix_moved_small n) as Q.
      apply (Rmult_le_compat_l (2 * L * eta ^ 2)) in Q; [|pose proof (pow2_ge_0 eta); pos]. lra. }
  assert (E2 : sum N squares <= 4 * L * sum N reaches + 8 * L * sum N gaps + 2 * sum N noise).
  { rewrite <- !sum_scale, <- !sum_add. apply sum_le. intros n _. apply squares_small; auto. }
  pose proof noise_total as E3.
  assert (F2 : sum N squares <= 4 * L * sum N reaches + 8 * L * sum N gaps + 2 * (INR N * (rho * Sigma1))) by lra.
  apply (Rmult_le_compat_l (L * eta ^ 2 * INR K * (INR K - 1))) in F2; [|pose proof (pow2_ge_0 eta); pos].
  pose proof lag_mixed as Lg. apply (Rmult_le_compat_l (2 * L)) in Lg; [|lra]. lra.
Qed.

Lemma aggregates_small : sum N (fun n => ‖aggregate run n‖²) <= A2 * L * (4 * sum N reaches + 8 * sum N gaps)
  + INR N * (2 * alpha run * rho ^ 2 * Sigma2 / INR K + 2 * beta run * rho * Sigma1).
Proof.
  pose proof K_pos as PK. pose proof (alpha_small run) as Pa. pose proof (beta_pos run) as Pb.
  assert (E : sum N (fun n => ‖aggregate run n‖²) <= alpha run * sum N (fun n => ‖flow n‖²) + beta run * sum N squares).
  { rewrite <- !sum_scale, <- sum_add. apply sum_le. intros n _. eapply Rle_trans; [apply (weights_square run)|].
    apply Rplus_le_compat_l, Rmult_le_compat_l; [assumption|]. unfold squares, squares_at.
    rewrite <- (mix_avg n K (fun i k => ‖grad n i k‖²)). apply mix_le. intros i _. apply norm_mean. }
  assert (E1 : sum N (fun n => ‖flow n‖²) <= rho * (4 * L * sum N reaches + 8 * L * sum N gaps)
    + 2 * / INR K * sum N noise2).
  { rewrite <- !sum_scale, <- sum_add, <- !sum_scale, <- sum_add. apply sum_le. intros n Hn.
    pose proof (flow_small at_round ltac:(auto) ltac:(auto) n (own_noise n)) as F.
    assert (total n * (4 * L * reaches n + 8 * L * gaps n) <= rho * (4 * L * reaches n + 8 * L * gaps n)).
    { apply Rmult_le_compat_r; [|now apply weight_small]. pose proof L_pos. pose proof (reach_pos at_round n).
      pose proof (gap_pos at_round n). pos. }
    unfold Rdiv in F. lra. }
  assert (E2 : sum N squares <= 4 * L * sum N reaches + 8 * L * sum N gaps + 2 * sum N noise).
  { rewrite <- !sum_scale, <- !sum_add. apply sum_le. intros n _. apply squares_small; auto. }
  pose proof noise_total as E3. pose proof noise2_total as E4.
  assert (Pk : 0 <= / INR K) by (left; now apply Rinv_0_lt_compat).
  apply (Rmult_le_compat_l (2 * / INR K)) in E4; [|lra].
  assert (F1 : sum N (fun n => ‖flow n‖²) <= rho * (4 * L * sum N reaches + 8 * L * sum N gaps)
    + 2 * / INR K * (INR N * (rho ^ 2 * Sigma2))) by lra.
  assert (F2 : sum N squares <= 4 * L * sum N reaches + 8 * L * sum N gaps + 2 * (INR N * (rho * Sigma1))) by lra.
  apply (Rmult_le_compat_l (alpha run)) in F1; [|lra]. apply (Rmult_le_compat_l (beta run)) in F2; [|assumption].
  unfold Rdiv. lra.
Qed.

Theorem at_server : drift <= 1 / 256 -> h * L * A2 <= 3 / 32 -> late <= 1 / 192 ->
  avg N (fun n => round_loss n (server run n) - round_loss n (b n))
  <= spread + ‖server run 0%nat ⊖ x‖² / (h * INR N)
   + 2 * (33 / 5 * drift + 4 * (h * A2 * L) + 66 / 5 * late) * spread
   + 33 / 10 * (L * eta ^ 2 * INR K * (INR K - 1) * (rho * Sigma1))
   + h * (2 * alpha run * rho ^ 2 * Sigma2 / INR K + 2 * beta run * rho * Sigma1)
   + 33 / 10 * (rho * L * h ^ 2 * INR tau ^ 2) * (2 * alpha run * rho ^ 2 * Sigma2 + 2 * beta run * rho * Sigma1).
Proof.
  intros C1 C2 C3. pose proof L_pos as PL. pose proof K_pos as PK. pose proof N_pos as PN. pose proof rho_pos as Pr.
  pose proof h_positive as Ph. pose proof (alpha_small run) as Pa. pose proof (beta_pos run) as Pb.
  pose proof Sigma1_pos as P1. pose proof Sigma2_pos as P2. pose proof (pos_INR tau) as Pt. pose proof A2_pos as PA.
  pose proof (le_INR 1 K (some_steps run)) as K1. simpl in K1. pose proof drift_pos as Pd.
  assert (Pl : 0 <= late) by pos.
  set (g := late) in *. set (hh := h) in *.
  set (n1 := 2 * alpha run * rho ^ 2 * Sigma2 / INR K + 2 * beta run * rho * Sigma1).
  set (n2 := 2 * alpha run * rho ^ 2 * Sigma2 + 2 * beta run * rho * Sigma1).
  assert (Pas : 0 <= 2 * alpha run * rho ^ 2 * Sigma2) by (pose proof (pow2_ge_0 rho); pos).
  assert (Pbs : 0 <= 2 * beta run * rho * Sigma1) by pos.
  assert (N12 : 0 <= n1 <= n2).
  { assert (Ik : 0 <= / INR K <= 1).
    { split; [left; now apply Rinv_0_lt_compat|]. rewrite <- Rinv_1. apply Rinv_le_contravar; lra. }
    unfold n1, n2, Rdiv. split; [pos|].
    assert (2 * alpha run * rho ^ 2 * Sigma2 * / INR K <= 2 * alpha run * rho ^ 2 * Sigma2 * 1)
      by (apply Rmult_le_compat_l; lra). lra. }
  assert (E : avg N (fun n => round_loss n (server run n) - round_loss n (b n)) = / INR N * sum N gaps).
  { unfold avg. f_equal. apply sum_ext. intros n _.
    change (gaps n) with (avg K (fun _ => round_loss n (server run n) - round_loss n (b n))).
    symmetry. apply avg_const, some_steps. }
  rewrite E.
  pose proof (sum_pos N gaps ltac:(intros; apply gap_pos)) as PZ.
  pose proof (sum_pos N reaches ltac:(intros; apply reach_pos)) as PP.
  pose proof (sum_pos N excess ltac:(intros; apply excess_pos)) as PR.
  pose proof aggregates_small as Ag. fold n1 in Ag.
  apply (mean_of_total _ _ _ _ _ (hh * n1)).
  assert (El : 0 <= L * eta ^ 2 * INR K * (INR K - 1)) by (pose proof (pow2_ge_0 eta); pos).
  replace (INR N * (hh * n1)) with (hh * (INR N * n1)) by ring.
  apply (eliminate _ (sum N reaches) (hh * sum N (fun n => ‖aggregate run n‖²))
    (sum N (fun n => ‖aggregate run n‖²)) _ _ drift _ (hh * A2 * L) _ _ (A2 * L) _ g); try assumption.
  - apply Rmult_le_pos; [apply dot_pos|]. left. apply Rinv_0_lt_compat. unfold hh in *; lra.
  - apply Rmult_le_pos; [lra|]. pos.
  - apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; lra.
  - unfold hh in *. pose proof (pow2_ge_0 h). pos.
  - apply Rmult_le_pos; lra.
  - lra.
  - split; [apply Rmult_le_pos; [apply Rmult_le_pos|]; lra|]. lra.
  - lra.
  - unfold g, hh. ring.
  - apply server_total.
  - apply (Rmult_le_compat_l hh) in Ag; [|lra]. lra.
  - apply server_reach.
  - assert (INR N * n1 <= INR N * n2) by (apply Rmult_le_compat_l; lra). lra.
Qed.
End Server.

(** ** At the virtual models *)
(** tht n k: the server's model, moved by k local steps of all clients with their mean weights. *)
Definition tht n k : H := server run n ⊖ te ⊙ vsum M (fun i => q n i ⊙ moved n i k).

Section Virtual.
Hypothesis seen_virtual : forall n i k, (i < M)%nat -> (k < K)%nat ->
  sample run n i k (tht n k) = objective run i (tht n k).
Hypothesis met_virtual : forall n k, (k < K)%nat ->
  mix n (fun i => ⟨slope run n i k (b n), tht n k ⊖ b n⟩) = 0.
Hypothesis own_noise_step : forall n k, (k < K)%nat ->
  ‖vsum M (fun i => q n i ⊙ slope run n i k (b n))‖² <= noise2_at n k.

(** actual n k: the same with the weights that were drawn; their variance costs little. *)
Variable actual : nat -> nat -> H.
Hypothesis shadow : forall n k, (k < K)%nat -> round_loss n (actual n k)
  <= round_loss n (tht n k) + total n * L / 2 * (te ^ 2 * (beta run * mix n (fun i => ‖moved n i k‖²))).

Variable kappa : R.
Hypothesis kappa_large : 1 <= kappa /\ forall n, (n < N)%nat -> (eg * total n - 1) ^ 2 <= kappa.

Notation gaps := (gap tht).
Notation reaches := (reach tht).
Definition step_squares n : R := avg K (fun k => ‖step_sum n k‖²).

Lemma tht_step n k : same (tht n (S k)) (tht n k ⊖ te ⊙ step_sum n k).
Proof.
  intros y. unfold tht, step_sum. rewrite !dot_add_l, !dot_scale_l, !dot_mixed.
  rewrite (mix_ext n (fun i => ⟨moved n i (S k), y⟩) (fun i => ⟨moved n i k, y⟩ + ⟨grad n i k, y⟩))
    by (intros; unfold moved; simpl vsum; apply dot_add_l).
  rewrite mix_add. ring.
Qed.

Lemma tht_start n : same (tht n 0) (server run n).
Proof.
  intros y. unfold tht, moved. simpl vsum. rewrite dot_add_l, !dot_scale_l, dot_mixed.
  rewrite (mix_ext n _ (fun _ => 0)) by (intros; apply dot_zero_l). rewrite mix_const. ring.
Qed.

Lemma tht_end n : same (tht n K) (server run n ⊖ h ⊙ flow n).
Proof.
  intros y. pose proof K_pos. unfold tht, flow. rewrite !dot_add_l, !dot_scale_l, !dot_mixed.
  rewrite (mix_ext n (fun i => ⟨moved n i K, y⟩) (fun i => INR K * ⟨report n i, y⟩)).
  - rewrite mix_scale. ring.
  - intros i _. unfold moved, report. rewrite dot_vsum_l, dot_mean_l. unfold avg. field. lra.
Qed.

Lemma virtual_step n k : (k < K)%nat -> ‖tht n (S k) ⊖ x‖² - ‖tht n k ⊖ x‖²
  <= te * (-2 * gap_at tht n k + 2 * excess n + reach_at tht n k) + te ^ 2 * ‖step_sum n k‖².
Proof.
  intros Hk. rewrite (same_norm (tht n (S k) ⊖ x) ((tht n k ⊖ x) ⊕ (- te) ⊙ step_sum n k)).
  2: { intros y. pose proof (tht_step n k y) as E. revert E. rewrite !dot_add_l, !dot_scale_l. intros. lra. }
  rewrite norm_add, square_scale, dot_scale_r, (dot_sym (tht n k ⊖ x) (step_sum n k)).
  pose proof (toward tht seen_virtual n k Hk) as T. rewrite mix_scale, <- dot_mixed in T. fold (step_sum n k) in T.
  apply (Rmult_le_compat_l te) in T; [|apply te_pos]. lra.
Qed.

Lemma virtual_round n : ‖server run (S n) ⊖ x‖² - ‖server run n ⊖ x‖²
  <= h * (-2 * gaps n + 2 * excess n + reaches n) + h * te * step_squares n + h ^ 2 * beta run * squares n.
Proof.
  pose proof K_pos as PK. pose proof te_pos as Pt. pose proof h_pos as Ph.
  assert (E1 : ‖server run (S n) ⊖ x‖² <= ‖tht n K ⊖ x‖² + h ^ 2 * beta run * squares n).
  { rewrite (serve run). rewrite (same_norm _ ((server run n ⊖ x) ⊕ (- h) ⊙ aggregate run n)) by vectors.
    rewrite (same_norm (tht n K ⊖ x) ((server run n ⊖ x) ⊕ (- h) ⊙ flow n)).
    2: { intros y. pose proof (tht_end n y) as E. revert E. rewrite !dot_add_l, !dot_scale_l. intros. lra. }
    rewrite !norm_add, !square_scale, !dot_scale_r, (dot_sym (server run n ⊖ x) (aggregate run n)),
      (dot_sym (server run n ⊖ x) (flow n)).
    assert (W : ⟨aggregate run n, server run n ⊖ x⟩ = ⟨flow n, server run n ⊖ x⟩).
    { rewrite !dot_add_r, !dot_scale_r, (weights_mean run n (server run n)), (weights_mean run n x) by auto.
    reflexivity. }
    rewrite W.
    assert (Sq : ‖aggregate run n‖² <= alpha run * ‖flow n‖² + beta run * mix n (fun i => ‖report n i‖²))
      by apply (weights_square run n).
    pose proof (alpha_small run) as Pa. pose proof (beta_pos run) as Pb.
    assert (alpha run * ‖flow n‖² <= 1 * ‖flow n‖²) by (apply Rmult_le_compat_r; [apply dot_pos|lra]).
    assert (Q : mix n (fun i => ‖report n i‖²) <= squares n).
    { unfold squares, squares_at. rewrite <- (mix_avg n K (fun i k => ‖grad n i k‖²)). apply mix_le. intros.
    apply norm_mean. }
    apply (Rmult_le_compat_l (beta run)) in Q; [|assumption].
    assert (B : ‖aggregate run n‖² <= ‖flow n‖² + beta run * squares n) by lra.
    apply (Rmult_le_compat_l (h ^ 2)) in B; [|apply pow2_ge_0]. lra. }
  assert (E2 : ‖tht n K ⊖ x‖² - ‖tht n 0 ⊖ x‖²
    <= h * (-2 * gaps n + 2 * excess n + reaches n) + h * te * step_squares n).
  { rewrite <- (sum_telescope K (fun k => ‖tht n k ⊖ x‖²)). eapply Rle_trans; [apply sum_le; apply virtual_step|].
    rewrite sum_add, !sum_scale, !sum_add, sum_scale, sum_const.
    unfold gap, reach, step_squares, avg. right. field. lra. }
  rewrite (same_norm (tht n 0 ⊖ x) (server run n ⊖ x)) in E2.
  2: { intros y. pose proof (tht_start n y) as E. rewrite !dot_add_l. lra. }
  lra.
Qed.

Lemma virtual_total : sum N gaps <= sum N excess + ‖server run 0%nat ⊖ x‖² / (2 * h) + sum N reaches / 2
  + (te * sum N step_squares + h * beta run * sum N squares) / 2.
Proof.
  pose proof h_positive as Ph.
  assert (T : sum N (fun n => ‖server run (S n) ⊖ x‖² - ‖server run n ⊖ x‖²)
    <= h * (-2 * sum N gaps + 2 * sum N excess + sum N reaches) + h * te * sum N step_squares
      + h ^ 2 * beta run * sum N squares).
  { rewrite <- !sum_scale, <- !sum_add, <- !sum_scale, <- !sum_add. apply sum_le. intros n _.
    pose proof (virtual_round n). lra. }
  rewrite (sum_telescope N (fun n => ‖server run n ⊖ x‖²)) in T. pose proof (dot_pos (server run N ⊖ x)).
  set (hh := h) in *. apply (Rmult_le_reg_l (2 * hh)); [lra|].
  replace (2 * hh * (sum N excess + ‖server run 0%nat ⊖ x‖² / (2 * hh) + sum N reaches / 2
    + (te * sum N step_squares + hh * beta run * sum N squares) / 2)) with (2 * hh * sum N excess
    + ‖server run 0%nat ⊖ x‖² + hh * sum N reaches + hh * te * sum N step_squares
    + hh ^ 2 * beta run * sum N squares) by (field; lra). lra.
Qed.

(** Taking the mean move away, eta_g q times, costs at most the factor kappa. *)
Lemma centred n (v : nat -> H) : (n < N)%nat ->
  mix n (fun i => ‖v i ⊖ eg ⊙ vsum M (fun j => q n j ⊙ v j)‖²) <= kappa * mix n (fun i => ‖v i‖²).
Proof.
  intros Hn. set (w := vsum M (fun j => q n j ⊙ v j)). set (S2 := mix n (fun i => ‖v i‖²)).
  assert (E : mix n (fun i => ‖v i ⊖ eg ⊙ w‖²) = S2 - 2 * eg * ‖w‖² + eg ^ 2 * total n * ‖w‖²).
  { rewrite (mix_ext n _ (fun i => ‖v i‖² + -2 * eg * ⟨v i, w⟩ + eg ^ 2 * ‖w‖²)).
    - rewrite !mix_add, mix_scale, mix_const. unfold w at 1. rewrite <- dot_mixed. fold w. fold S2. ring.
    - intros i _. rewrite norm_sub, dot_scale_r, square_scale. ring. }
  rewrite E. pose proof (norm_mixed n v) as W. fold w in W. fold S2 in W.
  assert (PS : 0 <= S2) by (apply mix_pos; intros; apply dot_pos). pose proof (dot_pos w) as Pw.
  pose proof eg_pos as Pe. destruct kappa_large as [K1 K2]. specialize (K2 n Hn).
  destruct (Rle_lt_dec (eg * total n) 2) as [Small|Big].
  - assert (eg * (2 - eg * total n) * ‖w‖² >= 0) by (apply Rle_ge, Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]).
    assert (1 * S2 <= kappa * S2) by (apply Rmult_le_compat_r; lra). lra.
  - apply (Rmult_le_compat_l (eg * (eg * total n - 2))) in W; [|apply Rmult_le_pos; lra].
    apply (Rmult_le_compat_r S2) in K2; [|assumption]. lra.
Qed.

Lemma virtual_reach : sum N reaches <= 4 * (kappa * drift) * sum N reaches + 8 * (kappa * drift) * sum N gaps
  + kappa * (L * eta ^ 2 * INR K * (INR K - 1)) * 2 * (INR N * (rho * Sigma1))
  + 2 * L * rho * h ^ 2 * INR tau ^ 2 * sum N (fun n => ‖aggregate run n‖²).
Proof.
  pose proof L_pos as PL. pose proof K_pos as PK. pose proof (le_INR 1 K (some_steps run)) as K1. simpl in K1.
  destruct kappa_large as [Ka _].
  assert (E : sum N reaches <= kappa * (L * eta ^ 2 * INR K * (INR K - 1)) * sum N squares
    + 2 * L * sum N (fun n => mix n (fun i => ‖server run (pulled run n i) ⊖ server run n‖²))).
  { rewrite <- !sum_scale, <- sum_add. apply sum_le. intros n Hn. unfold reach, reach_at. rewrite avg_scale.
    apply Rle_trans with (L * avg K (fun k => 2 * eta ^ 2 * kappa * mix n (fun i => ‖moved n i k‖²)
      + 2 * mix n (fun i => ‖server run (pulled run n i) ⊖ server run n‖²))).
    - apply Rmult_le_compat_l; [assumption|]. apply avg_le. intros k Hk.
      pose proof (centred n (fun i => moved n i k) Hn) as C. cbv beta in C.
      set (w := vsum M (fun j => q n j ⊙ moved n j k)) in *.
      apply Rle_trans with (mix n (fun i => 2 * eta ^ 2 * ‖moved n i k ⊖ eg ⊙ w‖²
        + 2 * ‖server run (pulled run n i) ⊖ server run n‖²)).
      + apply mix_le. intros i Hi. rewrite norm_sub_sym.
        rewrite (same_norm _ ((server run (pulled run n i) ⊖ server run n) ⊕ (- eta) ⊙ (moved n i k ⊖ eg ⊙ w))).
        * eapply Rle_trans; [apply norm_add2|]. rewrite square_scale. right. ring.
        * intros y. unfold tht. fold w. rewrite !dot_add_l, (local_is n i k Hi ltac:(lia) y), !dot_scale_l, !dot_add_l,
            !dot_scale_l. ring.
      + rewrite mix_add, !mix_scale. apply (Rmult_le_compat_l (2 * eta ^ 2)) in C; [|pose proof (pow2_ge_0 eta);
        pos]. lra.
    - rewrite avg_add, avg_scale, avg_const by apply some_steps. pose proof (mix_moved_small n) as Q.
      apply (Rmult_le_compat_l (2 * L * eta ^ 2 * kappa)) in Q; [|pose proof (pow2_ge_0 eta); pos]. lra. }
  assert (E2 : sum N squares <= 4 * L * sum N reaches + 8 * L * sum N gaps + 2 * sum N noise).
  { rewrite <- !sum_scale, <- !sum_add. apply sum_le. intros n _. apply squares_small; auto. }
  pose proof noise_total as E3.
  assert (F2 : sum N squares <= 4 * L * sum N reaches + 8 * L * sum N gaps + 2 * (INR N * (rho * Sigma1))) by lra.
  apply (Rmult_le_compat_l (kappa * (L * eta ^ 2 * INR K * (INR K - 1)))) in F2; [|pose proof (pow2_ge_0 eta); pos].
  pose proof lag_mixed as Lg. apply (Rmult_le_compat_l (2 * L)) in Lg; [|lra]. lra.
Qed.

Lemma step_squares_small n : (n < N)%nat ->
  step_squares n <= rho * (4 * L * reaches n + 8 * L * gaps n) + 2 * noise2 n.
Proof.
  intros Hn. pose proof L_pos as PL.
  assert (total n * (4 * L * reaches n + 8 * L * gaps n) <= rho * (4 * L * reaches n + 8 * L * gaps n)).
  { apply Rmult_le_compat_r; [|now apply weight_small]. pose proof (reach_pos tht n). pose proof (gap_pos tht n). pos. }
  enough (step_squares n <= total n * (4 * L * reaches n + 8 * L * gaps n) + 2 * noise2 n) by lra.
  unfold step_squares, reach, gap, noise2. rewrite <- !avg_scale, <- avg_add, <- avg_scale, <- avg_add.
  apply avg_le. intros k Hk. apply (step_sum_small tht); auto.
Qed.

Lemma aggregates_virtual : sum N (fun n => ‖aggregate run n‖²) <= alpha run * sum N step_squares + beta run * sum N
  squares.
Proof.
  pose proof (alpha_small run) as Pa. pose proof (beta_pos run) as Pb.
  rewrite <- !sum_scale, <- sum_add. apply sum_le. intros n _. eapply Rle_trans; [apply (weights_square run)|].
  apply Rplus_le_compat; apply Rmult_le_compat_l; try lra.
  - unfold step_squares. rewrite (same_norm _ (mean K (step_sum n))); [apply norm_mean|].
    intros y. rewrite dot_mean_l, dot_mixed. unfold step_sum.
    rewrite (avg_ext K _ (fun k => mix n (fun i => ⟨grad n i k, y⟩))) by (intros; apply dot_mixed).
    rewrite <- mix_avg. apply mix_ext. intros i _. apply dot_mean_l.
  - unfold squares, squares_at. rewrite <- (mix_avg n K (fun i k => ‖grad n i k‖²)). apply mix_le. intros i _.
  apply norm_mean.
Qed.

(** The gap at the actual virtual models. *)
Definition actual_gap n : R := avg K (fun k => round_loss n (actual n k) - round_loss n (b n)).

Lemma actual_small n : (n < N)%nat -> actual_gap n <= gaps n + rho * h * L / 2 * (h * beta run * squares n / 2).
Proof.
  intros Hn. pose proof L_pos as PL. pose proof (beta_pos run) as Pb. pose proof (squares_pos n) as Ps.
  pose proof K_pos as PK. pose proof (total_pos n) as Pt. pose proof (weight_small n Hn) as Wn.
  set (c := total n * L / 2 * (te ^ 2 * beta run)).
  assert (Pc : 0 <= c) by (unfold c; pose proof (pow2_ge_0 te); pos).
  assert (E : actual_gap n <= gaps n + c * avg K (fun k => mix n (fun i => ‖moved n i k‖²))).
  { unfold actual_gap, gap. rewrite <- avg_scale, <- avg_add. apply avg_le. intros k Hk. unfold gap_at.
    pose proof (shadow n k Hk). unfold c. lra. }
  pose proof (mix_moved_small n) as Q. apply (Rmult_le_compat_l c) in Q; [|assumption].
  assert (E2 : c * (INR K * (INR K - 1) / 2 * squares n) <= rho * h * L / 2 * (h * beta run * squares n / 2)).
  { set (s := L * te ^ 2 * beta run * squares n / 4). assert (Psq : 0 <= s) by (unfold s; pose proof (pow2_ge_0 te);
    pos).
    replace (c * (INR K * (INR K - 1) / 2 * squares n)) with (s * (total n * (INR K * (INR K - 1)))) by (unfold s, c;
      field).
    replace (rho * h * L / 2 * (h * beta run * squares n / 2)) with (s * (rho * (INR K * INR K))) by (unfold s; field).
    apply Rmult_le_compat_l; [assumption|].
    apply Rle_trans with (total n * (INR K * INR K)); [apply Rmult_le_compat_l;
      [assumption|]|apply Rmult_le_compat_r; [pos|assumption]].
    assert (INR K * (INR K - 1) = INR K * INR K - INR K) by ring. lra. }
  lra.
Qed.

Theorem at_virtual : kappa * drift <= 1 / 256 -> (te * rho + 33 / 32 * (h * beta run)) * L <= 3 / 32 -> late <= 1 /
  192 ->
  (beta run = 0 \/ rho * h * L <= 1 / 16) ->
  avg N actual_gap
  <= spread + ‖server run 0%nat ⊖ x‖² / (h * INR N)
   + 2 * (33 / 5 * (kappa * drift) + 4 * ((te * rho + 33 / 32 * (h * beta run)) * L) + 66 / 5 * late) * spread
   + 33 / 10 * (kappa * (L * eta ^ 2 * INR K * (INR K - 1)) * (rho * Sigma1))
   + (2 * te * rho ^ 2 * Sigma2 + 33 / 16 * h * beta run * rho * Sigma1)
   + 33 / 10 * (rho * L * h ^ 2 * INR tau ^ 2) * (2 * alpha run * rho ^ 2 * Sigma2 + 2 * beta run * rho * Sigma1).
Proof.
  intros C1 C2 C3 C4. pose proof L_pos as PL. pose proof K_pos as PK. pose proof N_pos as PN. pose proof rho_pos as Pr.
  pose proof h_positive as Ph. pose proof (alpha_small run) as Pa. pose proof (beta_pos run) as Pb.
  pose proof Sigma1_pos as P1. pose proof Sigma2_pos as P2. pose proof (pos_INR tau) as Pt. pose proof A2_pos as PA.
  pose proof (le_INR 1 K (some_steps run)) as K1. simpl in K1. pose proof drift_pos as Pd. pose proof te_pos as Pte.
  destruct kappa_large as [Ka _].
  assert (Pl : 0 <= late) by pos.
  assert (Pkd : 0 <= kappa * drift) by (apply Rmult_le_pos; lra).
  set (n1 := 2 * te * rho ^ 2 * Sigma2 + 33 / 16 * h * beta run * rho * Sigma1).
  set (n2 := 2 * alpha run * rho ^ 2 * Sigma2 + 2 * beta run * rho * Sigma1).
  assert (Pn1 : 0 <= n1).
  { unfold n1. pose proof (pow2_ge_0 rho). assert (0 <= h * beta run * rho * Sigma1) by pos.
    assert (0 <= te * rho ^ 2 * Sigma2) by pos. lra. }
  assert (Pn2 : 0 <= n2).
  { unfold n2. pose proof (pow2_ge_0 rho). assert (0 <= beta run * rho * Sigma1) by pos.
    assert (0 <= alpha run * rho ^ 2 * Sigma2) by pos. lra. }
  pose proof (sum_pos N gaps ltac:(intros; apply gap_pos)) as PZ.
  pose proof (sum_pos N reaches ltac:(intros; apply reach_pos)) as PP.
  pose proof (sum_pos N excess ltac:(intros; apply excess_pos)) as PR.
  pose proof (sum_pos N squares ltac:(intros; apply squares_pos)) as PS.
  assert (Phs : 0 <= h * beta run * sum N squares) by (apply Rmult_le_pos; [apply Rmult_le_pos; lra|assumption]).
  set (Z := sum N gaps + 1 / 32 * (h * beta run * sum N squares / 2)).
  assert (LZ : sum N gaps <= Z) by (unfold Z; lra).
  assert (Gap : avg N actual_gap <= / INR N * Z).
  { unfold avg. apply Rmult_le_compat_l; [left; now apply Rinv_0_lt_compat|].
    assert (E : sum N actual_gap <= sum N gaps + rho * h * L / 2 * (h * beta run * sum N squares / 2)).
    { apply Rle_trans with (sum N (fun n => gaps n + rho * h * L / 2 * (h * beta run / 2) * squares n)).
      - apply sum_le. intros n Hn. pose proof (actual_small n Hn). lra.
      - rewrite sum_add, sum_scale. lra. }
    unfold Z. destruct C4 as [C4|C4].
    - rewrite C4 in *. lra.
    - apply (Rmult_le_compat_r (h * beta run * sum N squares / 2)) in C4; [|lra]. lra. }
  eapply Rle_trans; [exact Gap|].
  pose proof (second_moment tht step_squares te (33 / 32 * (h * beta run)) seen_virtual met_virtual Pte
    ltac:(apply Rmult_le_pos; [lra|apply Rmult_le_pos; lra]) step_squares_small) as M1.
  pose proof (second_moment tht step_squares (alpha run) (beta run) seen_virtual met_virtual ltac:(lra) Pb
    step_squares_small) as M2.
  pose proof virtual_total as VT. pose proof virtual_reach as VR. pose proof aggregates_virtual as VA.
  set (g := late) in *. set (dd := drift) in *. set (hh := h) in *.
  set (a := (te * rho + 33 / 32 * (hh * beta run)) * L) in *.
  assert (Pa0 : 0 <= a) by (unfold a; repeat (apply Rmult_le_pos || apply Rplus_le_le_0_compat); lra).
  assert (Pe2 : 0 <= kappa * (L * eta ^ 2 * INR K * (INR K - 1))) by (pose proof (pow2_ge_0 eta); pos).
  apply (mean_of_total _ _ _ _ _ n1).
  apply (eliminate Z (sum N reaches) (te * sum N step_squares + 33 / 32 * (hh * beta run) * sum N squares)
    (sum N (fun n => ‖aggregate run n‖²)) _ _ (kappa * dd) _ a _ _ (A2 * L) _ g); try assumption; try lra.
  - apply Rmult_le_pos; [apply dot_pos|]. left. apply Rinv_0_lt_compat. fold hh. lra.
  - apply Rmult_le_pos; [lra|]. apply Rmult_le_pos; [lra|now apply Rmult_le_pos].
  - apply Rmult_le_pos; lra.
  - fold hh. pose proof (pow2_ge_0 hh). pos.
  - apply Rmult_le_pos; lra.
  - fold hh. unfold g. ring.
  - fold hh. unfold Z. lra.
  - assert (a * sum N gaps <= a * Z) by now apply Rmult_le_compat_l. unfold n1. unfold a in *. lra.
  - assert (kappa * dd * sum N gaps <= kappa * dd * Z) by now apply Rmult_le_compat_l. fold hh. lra.
  - assert (A2 * L * sum N gaps <= A2 * L * Z) by (apply Rmult_le_compat_l; [now apply Rmult_le_pos|assumption]).
    unfold n2. lra.
Qed.
End Virtual.
End Stale.
End Rounds.
