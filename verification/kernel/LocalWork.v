(** * Local work: K stochastic gradient steps of one client

    A client i takes n <= K steps from y_0: y_(k+1) = y_k - step (grad f_i (y_k) + noise_k). It
    reports the mean of its n stochastic gradients, which is path + hum with

      path = (1/n) sum_k grad f_i (y_k)   and   hum = (1/n) sum_k noise_k.

    Each noise_k is orthogonal to what can be computed from y_0 and the earlier noise, and
    |noise_k|^2 <= sigma^2. With u = step L (K-1) < 1:

    - Lemma A ([drift]): |grad f_i (y_0) - path|^2 <= A sigma^2 + B (sigma_G^2 + |grad f (y_0)|^2),
      A = L^2 step^2 (K-1) / (1-u)^2,  B = (2/3) L^2 step^2 (K-1)(2K-1) / (1-u)^2;
    - Lemma B ([hum_square], [hum_path]): |hum|^2 <= sigma^2 / n, and if n = 1 or
      2 K L step <= 1, noise adds at most sigma^2 to the squared path: 2 <hum, path> + |hum|^2 <=
      sigma^2. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Export Noise.
Open Scope R_scope.

(** What client i knows before step k. *)
Definition local_past {H : Space} (local noise : nat -> H) (k : nat) (y : H) : Prop :=
  y = local 0%nat \/ exists j, (j < k)%nat /\ y = noise j.

Record LocalWork {H : Space} (p : Problem H) (i : nat) (step sigma : R) (K n : nat)
    (local noise : nat -> H) : Prop := {
  is_client : (i < clients p)%nat;
  step_pos : 0 < step;
  sigma_pos : 0 <= sigma;
  steps_bound : (0 < n <= K)%nat;
  work : forall k, (k < n)%nat ->
    local (S k) = local k ⊕ (- step) ⊙ (∇i p i (local k) ⊕ noise k);
  noise_unbiased : forall k y, (k < n)%nat ->
    computable p (local_past local noise k) y -> ⟨noise k, y⟩ = 0;
  noise_variance : forall k, (k < n)%nat -> ‖noise k‖² <= sigma ^ 2
}.

Arguments is_client {H p i step sigma K n local noise}.
Arguments step_pos {H p i step sigma K n local noise}.
Arguments sigma_pos {H p i step sigma K n local noise}.
Arguments steps_bound {H p i step sigma K n local noise}.
Arguments work {H p i step sigma K n local noise}.
Arguments noise_unbiased {H p i step sigma K n local noise}.
Arguments noise_variance {H p i step sigma K n local noise}.

(** The constants of Lemma A. *)
Definition drift_sum (L step : R) (K : nat) : R := step * L * (INR K - 1).
Definition driftA (L step : R) (K : nat) : R :=
  L ^ 2 * step ^ 2 * (INR K - 1) / (1 - drift_sum L step K) ^ 2.
Definition driftB (L step : R) (K : nat) : R :=
  2 / 3 * (L ^ 2 * step ^ 2 * (INR K - 1) * (2 * INR K - 1)) / (1 - drift_sum L step K) ^ 2.

Section Reports.
Context {H : Space} (p : Problem H) (i n : nat) (local noise : nat -> H).

Definition exact (k : nat) : H := ∇i p i (local k).
Definition path : H := mean n exact.
Definition hum : H := mean n noise.
Definition update : H := mean n (fun k => exact k ⊕ noise k).

Lemma update_is : same update (path ⊕ hum).
Proof. apply mean_add. Qed.
End Reports.

Section Work.
Context {H : Space} {p : Problem H} {i : nat} {step sigma : R} {K n : nat} {local noise : nat -> H}.
Hypothesis job : LocalWork p i step sigma K n local noise.
Notation L := (smoothness p).
Notation past := (local_past local noise).
Notation path := (path p i n local).
Notation hum := (hum n noise).
Notation exact := (exact p i local).

Lemma steps_pos : 0 < INR n.
Proof. apply lt_0_INR, (steps_bound job). Qed.

Lemma L_pos : 0 <= L.
Proof. apply smoothness_pos. Qed.

(** ** What the client knows *)
Lemma knows_noise k j : (j < k)%nat -> computable p (past k) (noise j).
Proof. intros Hj. apply computable_given. right. eauto. Qed.

Lemma knows_model k j : (j <= k)%nat -> (j <= n)%nat -> computable p (past k) (local j).
Proof.
  induction j; intros Hk Hn; [apply computable_given; now left|].
  rewrite (work job) by lia. assert (computable p (past k) (local j)) by (apply IHj; lia).
  known_parts; auto; [|apply knows_noise; lia]. now apply computable_gradient, IHj; try lia; apply job.
Qed.

Lemma noise_noise j k : (j < n)%nat -> (k < n)%nat -> j <> k -> ⟨noise j, noise k⟩ = 0.
Proof.
  intros Hj Hk N. destruct (Nat.lt_ge_cases k j).
  - apply (noise_unbiased job); auto. now apply knows_noise.
  - rewrite dot_sym. apply (noise_unbiased job); auto. apply knows_noise. lia.
Qed.

(** ** Noise of the report *)
Lemma hum_square : ‖hum‖² <= sigma ^ 2 / INR n.
Proof.
  apply norm_mean_orthogonal; [apply (steps_bound job)|apply noise_noise|apply (noise_variance job)].
Qed.

Lemma hum_square_le : ‖hum‖² <= sigma ^ 2.
Proof. apply norm_mean_le; [apply (steps_bound job)|apply (noise_variance job)]. Qed.

(** The report's noise is orthogonal to what is known without any of its draws. *)
Lemma hum_orthogonal y : (forall k, (k < n)%nat -> ⟨noise k, y⟩ = 0) -> ⟨hum, y⟩ = 0.
Proof. intros E. unfold LocalWork.hum. rewrite dot_mean_l. unfold avg. rewrite sum_zero by auto. ring. Qed.

(** ** Lemma A: local drift *)
Lemma noise_sum k : (k <= n)%nat -> norm (vsum k noise) <= sqrt (INR k) * sigma.
Proof.
  intros Hk. pose proof (sigma_pos job) as Ps. pose proof (sqrt_pos (INR k)) as Pk.
  apply norm_le; [pos|]. rewrite norm_vsum_orthogonal by (intros; apply noise_noise; lia).
  replace (sqrt (INR k) * sigma * (sqrt (INR k) * sigma)) with (sqrt (INR k) * sqrt (INR k) * sigma ^ 2) by ring.
  rewrite sqrt_sqrt by apply pos_INR. apply sum_le_const. intros. apply (noise_variance job). lia.
Qed.

Lemma moved k : (k <= n)%nat ->
  same (local k ⊖ local 0%nat) ((- step) ⊙ (vsum k exact ⊕ vsum k noise)).
Proof.
  induction k; intros Hk z; [simpl; rewrite add_opp, dot_scale_l, dot_add_l, dot_zero_l; ring|].
  specialize (IHk ltac:(lia) z). cbn [vsum]. rewrite (work job) by lia. unfold LocalWork.exact in *.
  expand_dots. expand_dots_in IHk. lra.
Qed.

Section Drift.
Notation u := (drift_sum L step K).
Hypothesis short : u < 1.
Notation y0 := (local 0%nat).
Let reach (k : nat) : R := step * (INR k * norm (∇i p i y0) + sqrt (INR k) * sigma).

Lemma reach_monotone j k : (j <= k)%nat -> reach j <= reach k.
Proof.
  intros Hjk. pose proof (step_pos job). pose proof (sigma_pos job). pose proof (norm_pos (∇i p i y0)).
  apply le_INR in Hjk. unfold reach. apply Rmult_le_compat_l; [lra|].
  apply Rplus_le_compat; apply Rmult_le_compat_r; try lra. now apply sqrt_le_1_alt.
Qed.

Lemma reach_pos k : 0 <= reach k.
Proof.
  pose proof (step_pos job). pose proof (sigma_pos job). pose proof (norm_pos (∇i p i y0)).
  pose proof (sqrt_pos (INR k)). pose proof (pos_INR k). unfold reach. pos.
Qed.

Lemma drift_norm k : (k < n)%nat -> norm (local k ⊖ y0) <= reach k / (1 - u).
Proof.
  induction k as [k IH] using lt_wf_ind. intros Hk.
  pose proof (step_pos job) as Ps. pose proof L_pos as HL. pose proof (reach_pos k) as Pr.
  set (bound := reach k / (1 - u)). assert (Pb : 0 <= bound) by (unfold bound; pos).
  assert (Exact : norm (vsum k exact) <= INR k * (norm (∇i p i y0) + L * bound)).
  { eapply Rle_trans; [apply norm_vsum_triangle|]. apply sum_le_const. intros j Hj.
    assert (S0 : same (exact j) (∇i p i y0 ⊕ (exact j ⊖ ∇i p i y0))) by vectors.
    rewrite (norm_same _ _ S0). eapply Rle_trans; [apply norm_triangle|]. apply Rplus_le_compat_l.
    unfold LocalWork.exact. eapply Rle_trans; [apply lipschitz_norm; [exact HL|apply (smooth_losses p), job]|].
    apply Rmult_le_compat_l; [assumption|]. eapply Rle_trans; [apply IH; lia|].
    unfold bound, Rdiv. apply Rmult_le_compat_r; [pos|]. apply reach_monotone. lia. }
  rewrite (norm_same _ _ (moved k ltac:(lia))), norm_scale, Rabs_Ropp, (Rabs_pos_eq step) by lra.
  pose proof (norm_triangle (vsum k exact) (vsum k noise)) as Tri.
  pose proof (noise_sum k ltac:(lia)) as Noise.
  assert (Steps : step * L * INR k <= u).
  { unfold drift_sum. apply Rmult_le_compat_l; [pos|]. destruct (steps_bound job).
    assert (INR (S k) <= INR K) by (apply le_INR; lia). rewrite S_INR in *. lra. }
  assert (Fold : bound = reach k + u * bound) by (unfold bound; field; lra).
  apply Rle_trans with (reach k + step * L * INR k * bound).
  - unfold reach. apply Rle_trans with
      (step * (INR k * (norm (∇i p i y0) + L * bound) + sqrt (INR k) * sigma)); [|right; ring].
    apply Rmult_le_compat_l; lra.
  - rewrite Fold. apply Rplus_le_compat_l. rewrite <- Fold. now apply Rmult_le_compat_r.
Qed.

Lemma drift_square k : (k < n)%nat ->
  ‖y0 ⊖ local k‖² <= 2 * step ^ 2 / (1 - u) ^ 2 * (INR k ^ 2 * ‖∇i p i y0‖² + INR k * sigma ^ 2).
Proof.
  intros Hk. rewrite norm_sub_sym. eapply Rle_trans; [apply norm_le_square, (drift_norm k Hk)|].
  unfold reach. set (a := INR k * norm (∇i p i y0)). set (b := sqrt (INR k) * sigma).
  replace (INR k ^ 2 * ‖∇i p i y0‖²) with (a ^ 2) by (unfold a; rewrite <- norm_square; ring).
  replace (INR k * sigma ^ 2) with (b ^ 2).
  2: { unfold b. replace ((sqrt (INR k) * sigma) ^ 2) with (sqrt (INR k) * sqrt (INR k) * sigma ^ 2) by ring.
       now rewrite sqrt_sqrt by apply pos_INR. }
  apply Rle_trans with (step ^ 2 / (1 - u) ^ 2 * (a + b) ^ 2); [right; field; lra|].
  apply Rle_trans with (step ^ 2 / (1 - u) ^ 2 * (2 * (a ^ 2 + b ^ 2))).
  - apply Rmult_le_compat_l; [|pose proof (pow2_ge_0 (a - b)); lra]. unfold Rdiv. apply Rmult_le_pos; [pos|].
    left. apply Rinv_0_lt_compat, pow_lt. lra.
  - right. field. lra.
Qed.

Lemma drift_own : ‖∇i p i y0 ⊖ path‖² <= L ^ 2 * step ^ 2 / (1 - u) ^ 2 *
  ((INR K - 1) * (2 * INR K - 1) / 3 * ‖∇i p i y0‖² + (INR K - 1) * sigma ^ 2).
Proof.
  pose proof steps_pos as Pn. destruct (steps_bound job) as [H0 HK].
  assert (N1 : 1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia).
  assert (NK : INR n <= INR K) by (now apply le_INR).
  unfold LocalWork.path. rewrite (same_norm _ _ (mean_sub n _ _ H0)).
  eapply Rle_trans; [apply norm_mean|].
  set (c := 2 * L ^ 2 * step ^ 2 / (1 - u) ^ 2).
  assert (Pc : 0 <= c).
  { unfold c, Rdiv. apply Rmult_le_pos; [pos|]. left. apply Rinv_0_lt_compat, pow_lt. lra. }
  pose proof (dot_pos (∇i p i y0)) as Pg. set (g := ‖∇i p i y0‖²) in *.
  assert (Ps : 0 <= sigma ^ 2) by pos.
  apply Rle_trans with (avg n (fun k => c * (g * INR k ^ 2 + sigma ^ 2 * INR k))).
  - apply avg_le. intros k Hk. unfold LocalWork.exact.
    eapply Rle_trans; [apply client_lipschitz, job|].
    pose proof (drift_square k Hk) as D. apply (Rmult_le_compat_l (L ^ 2)) in D; [|pos].
    eapply Rle_trans; [exact D|]. right. unfold c, g. field. lra.
  - rewrite avg_scale, avg_add, !avg_scale. unfold avg. rewrite sum_squares, sum_indices.
    replace (/ INR n * (INR n * (INR n - 1) * (2 * INR n - 1) / 6))
      with ((INR n - 1) * (2 * INR n - 1) / 6) by (field; lra).
    replace (/ INR n * (INR n * (INR n - 1) / 2)) with ((INR n - 1) / 2) by (field; lra).
    apply Rle_trans with (c * (g * ((INR K - 1) * (2 * INR K - 1) / 6) + sigma ^ 2 * ((INR K - 1) / 2))).
    + apply Rmult_le_compat_l; [assumption|].
      assert ((INR n - 1) * (2 * INR n - 1) <= (INR K - 1) * (2 * INR K - 1)) by nra.
      apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
    + right. unfold c. field. lra.
Qed.

Theorem drift sigmaG : dissimilarity p sigmaG ->
  ‖∇i p i y0 ⊖ path‖² <=
  driftA L step K * sigma ^ 2 + driftB L step K * (sigmaG ^ 2 + ‖∇ p y0‖²).
Proof.
  intros Apart. eapply Rle_trans; [apply drift_own|].
  assert (Own : ‖∇i p i y0‖² <= 2 * (sigmaG ^ 2 + ‖∇ p y0‖²)).
  { assert (E : same (∇i p i y0) ((∇i p i y0 ⊖ ∇ p y0) ⊕ ∇ p y0)) by vectors.
    rewrite (same_norm _ _ E). eapply Rle_trans; [apply norm_add2|].
    pose proof (Apart i y0 (is_client job)). lra. }
  assert (K1 : 1 <= INR K) by (change 1 with (INR 1); apply le_INR; destruct (steps_bound job); lia).
  assert (PK : 0 <= (INR K - 1) * (2 * INR K - 1) / 3) by nra.
  assert (Pc : 0 <= L ^ 2 * step ^ 2 / (1 - u) ^ 2).
  { unfold Rdiv. apply Rmult_le_pos; [pos|]. left. apply Rinv_0_lt_compat, pow_lt. lra. }
  apply (Rmult_le_compat_l _ _ _ PK) in Own.
  apply Rle_trans with (L ^ 2 * step ^ 2 / (1 - u) ^ 2 *
    ((INR K - 1) * (2 * INR K - 1) / 3 * (2 * (sigmaG ^ 2 + ‖∇ p y0‖²)) + (INR K - 1) * sigma ^ 2)).
  - apply Rmult_le_compat_l; [assumption|]. lra.
  - right. unfold driftA, driftB. field. lra.
Qed.
End Drift.

(** ** Lemma B: noise and path

    The path that the client would take without noise from step k on does not depend on noise_k; the
    true one is near it. *)
Fixpoint quiet (k j : nat) : H :=
  match j with
  | O => local k
  | S l => quiet k l ⊕ (- step) ⊙ ∇i p i (quiet k l)
  end.

Lemma knows_quiet k j : (k < n)%nat -> computable p (past k) (quiet k j).
Proof.
  intros Hk. induction j; simpl; [apply knows_model; lia|].
  known_parts; auto. apply computable_gradient; [apply job|assumption].
Qed.

Lemma quiet_near k j : (k + j <= n)%nat ->
  L * norm (local (k + j)%nat ⊖ quiet k j) <= sigma * ((1 + L * step) ^ j - 1).
Proof.
  pose proof L_pos as HL. pose proof (step_pos job) as He. pose proof (sigma_pos job) as Hs.
  induction j; intros Hj; simpl; [rewrite Nat.add_0_r, add_opp, norm_zero; lra|].
  rewrite Nat.add_succ_r, (work job) by lia. specialize (IHj ltac:(lia)).
  set (u := local (k + j)%nat) in *. set (v := quiet k j) in *. set (e := noise (k + j)%nat).
  assert (E : same ((u ⊕ (- step) ⊙ (∇i p i u ⊕ e)) ⊖ (v ⊕ (- step) ⊙ ∇i p i v))
                   (((u ⊖ v) ⊕ (- step) ⊙ (∇i p i u ⊖ ∇i p i v)) ⊕ (- step) ⊙ e)) by vectors.
  rewrite (norm_same _ _ E).
  pose proof (norm_triangle ((u ⊖ v) ⊕ (- step) ⊙ (∇i p i u ⊖ ∇i p i v)) ((- step) ⊙ e)) as T1.
  pose proof (norm_triangle (u ⊖ v) ((- step) ⊙ (∇i p i u ⊖ ∇i p i v))) as T2.
  rewrite !norm_scale, Rabs_Ropp, (Rabs_pos_eq step) in T1, T2 by lra.
  assert (Lip : norm (∇i p i u ⊖ ∇i p i v) <= L * norm (u ⊖ v)).
  { apply lipschitz_norm; auto. apply (smooth_losses p), job. }
  assert (N : norm e <= sigma).
  { apply norm_le; [assumption|]. replace (sigma * sigma) with (sigma ^ 2) by ring.
    apply (noise_variance job). lia. }
  set (d := norm (u ⊖ v)) in *. set (q := (1 + L * step) ^ j) in *.
  assert (step * norm (∇i p i u ⊖ ∇i p i v) <= step * (L * d)) by (apply Rmult_le_compat_l; lra).
  assert (step * norm e <= step * sigma) by (apply Rmult_le_compat_l; lra).
  apply Rle_trans with (L * ((1 + L * step) * d + step * sigma)); [apply Rmult_le_compat_l; lra|].
  assert (0 <= L * step) by pos.
  assert ((1 + L * step) * (L * d) <= (1 + L * step) * (sigma * (q - 1)))
    by (apply Rmult_le_compat_l; lra).
  lra.
Qed.

Section NoisePath.
Hypothesis short : n = 1%nat \/ 2 * INR K * (L * step) <= 1.

Lemma growth j : (j < n)%nat -> (1 + L * step) ^ j - 1 <= 1.
Proof.
  intros Hj. pose proof L_pos as HL. pose proof (step_pos job) as He.
  assert (Ha : 0 <= L * step) by pos.
  destruct short as [One|Hs]; [replace j with 0%nat by lia; simpl; lra|].
  set (q := (1 + L * step) ^ j). assert (P1 : 0 < q) by (apply pow_lt; lra).
  assert (Q : q * q <= 3).
  { unfold q. rewrite <- pow_add. eapply Rle_trans; [now apply power_le_exp|].
    eapply Rle_trans; [|apply exp_le_3]. destruct (steps_bound job).
    assert (JK : INR j <= INR K) by (apply le_INR; lia). rewrite plus_INR.
    destruct (Rle_lt_or_eq_dec ((INR j + INR j) * (L * step)) 1) as [l|e].
    - assert (INR j * (L * step) <= INR K * (L * step)) by (apply Rmult_le_compat_r; lra). lra.
    - left. now apply exp_increasing.
    - rewrite e. lra. }
  nra.
Qed.

Lemma noise_meets k l : (k < n)%nat -> (l < n)%nat ->
  ⟨noise k, exact l⟩ <= if (k <? l)%nat then sigma ^ 2 else 0.
Proof.
  intros Hk Hl. destruct (Nat.ltb_spec k l) as [N|N].
  - pose proof L_pos as HL. pose proof (sigma_pos job) as Hs.
    replace l with (k + (l - k))%nat by lia. set (j := (l - k)%nat).
    set (still := ∇i p i (quiet k j)).
    assert (Z : ⟨noise k, still⟩ = 0).
    { apply (noise_unbiased job); auto.
      apply computable_gradient; [apply job|now apply knows_quiet]. }
    pose proof (dot_le_norms (noise k) (exact (k + j)%nat ⊖ still)) as C.
    rewrite dot_add_r, dot_scale_r, Z in C.
    assert (N1 : norm (noise k) <= sigma).
    { apply norm_le; [assumption|]. replace (sigma * sigma) with (sigma ^ 2) by ring.
      now apply (noise_variance job). }
    assert (N2 : norm (exact (k + j)%nat ⊖ still) <= sigma).
    { unfold LocalWork.exact, still.
      eapply Rle_trans; [apply lipschitz_norm; [exact HL|apply (smooth_losses p), job]|].
      eapply Rle_trans; [apply quiet_near; unfold j; lia|].
      pose proof (growth j ltac:(unfold j; lia)). nra. }
    pose proof (norm_pos (noise k)). pose proof (norm_pos (exact (k + j)%nat ⊖ still)).
    assert (norm (noise k) * norm (exact (k + j)%nat ⊖ still) <= sigma * sigma)
      by (apply Rmult_le_compat; auto). lra.
  - right. apply (noise_unbiased job); auto.
    apply computable_gradient; [apply job|apply knows_model; lia].
Qed.

Lemma count_below j m : (j <= m)%nat -> sum m (fun k => if (k <? j)%nat then 1 else 0) = INR j.
Proof.
  induction m; intros Hj; simpl; [now replace j with 0%nat by lia|].
  destruct (Nat.ltb_spec m j).
  - replace j with (S m) by lia. rewrite S_INR. f_equal.
    rewrite (sum_ext m _ (fun _ => 1)); [now rewrite sum_const, Rmult_1_r|].
    intros l Hl. destruct (Nat.ltb_spec l (S m)); [reflexivity|lia].
  - rewrite IHm by lia. ring.
Qed.

Theorem hum_path : 2 * ⟨hum, path⟩ + ‖hum‖² <= sigma ^ 2.
Proof.
  pose proof hum_square as Q. pose proof steps_pos as Pn.
  assert (C : ⟨hum, path⟩ <= / INR n * (/ INR n * (sigma ^ 2 * (INR n * (INR n - 1) / 2)))).
  { unfold LocalWork.hum, LocalWork.path, mean. rewrite dot_scale_l, dot_scale_r, dot_vsum_l.
    do 2 (apply Rmult_le_compat_l; [pos|]).
    apply Rle_trans with (sum n (fun k => sum n (fun l => if (k <? l)%nat then sigma ^ 2 else 0))).
    - apply sum_le. intros k Hk. rewrite dot_vsum_r. apply sum_le. intros l Hl. now apply noise_meets.
    - right. rewrite sum_swap, <- sum_indices, <- sum_scale. apply sum_ext. intros l Hl.
      rewrite <- (count_below l n) by lia. rewrite <- sum_scale. apply sum_ext. intros k Hk.
      destruct (k <? l)%nat; ring. }
  replace (/ INR n * (/ INR n * (sigma ^ 2 * (INR n * (INR n - 1) / 2))))
    with (sigma ^ 2 / 2 - sigma ^ 2 / INR n / 2) in C by (field; lra). lra.
Qed.
End NoisePath.
End Work.
