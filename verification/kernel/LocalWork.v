(** * Local work: K stochastic gradient steps of one client

    A client i takes n <= K steps from y_0: y_(k+1) = y_k - step (grad f_i (y_k) + noise_k). It
    reports the mean of its n stochastic gradients, which is path + hum with

      path = (1/n) sum_k grad f_i (y_k)   and   hum = (1/n) sum_k noise_k.

    Each noise_k is orthogonal to what can be computed from y_0 and the earlier noise, and
    |noise_k|^2 <= sigma^2. With u = step L (K-1) < 1:

    - Lemma A ([drift]): |grad f_i (y_0) - path|^2 <= A sigma^2 + B (sigma_G^2 + |grad f (y_0)|^2),
      A = L^2 step^2 (K-1) / (1-u)^2,  B = (2/3) L^2 step^2 (K-1)(2K-1) / (1-u)^2;
    - Lemma B ([hum_square], [hum_path]): |hum|^2 <= sigma^2 / n, and if n = 1 or
      K L step <= 1, noise adds at most sigma^2 to the squared path: 2 <hum, path> + |hum|^2 <=
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
Hypothesis short : n = 1%nat \/ INR K * (L * step) <= 1.

Lemma power_small a j : 0 <= a -> INR j * a <= 1 -> (1 + a) ^ j <= 1 + INR j * a + (INR j * a) ^ 2.
Proof.
  intros Ha. induction j; intros S; [simpl; lra|]. rewrite S_INR in *. pose proof (pos_INR j) as Pj.
  specialize (IHj ltac:(lra)). simpl pow at 1. apply (Rmult_le_compat_l (1 + a)) in IHj; [|lra].
  assert (INR j * a * (INR j * a ^ 2) <= 1 * (INR j * a ^ 2)) by (apply Rmult_le_compat_r; [pos|lra]).
  assert (0 <= a ^ 2) by pos. assert (0 <= INR j * a ^ 2) by pos. lra.
Qed.

Lemma growth j : (j < n)%nat -> INR n * ((1 + L * step) ^ j - 1) <= 2 * INR j.
Proof.
  intros Hj. pose proof L_pos as HL. pose proof (step_pos job) as He. pose proof steps_pos as Pn.
  assert (Ha : 0 <= L * step) by pos. pose proof (pos_INR j) as Pj.
  destruct short as [One|Hs]; [replace j with 0%nat by lia; simpl; lra|].
  destruct (steps_bound job) as [_ NK]. apply le_INR in NK.
  assert (JN : INR j <= INR n) by (apply le_INR; lia). set (v := L * step) in *.
  assert (Vn : INR n * v <= 1) by (apply Rle_trans with (INR K * v); [now apply Rmult_le_compat_r|assumption]).
  assert (Vj : INR j * v <= 1) by (apply Rle_trans with (INR n * v); [now apply Rmult_le_compat_r|assumption]).
  pose proof (power_small v j Ha Vj) as B. assert (Pv : 0 <= INR j * v) by pos.
  assert (Sq : (INR j * v) ^ 2 <= INR j * v) by (simpl; rewrite Rmult_1_r; apply Rle_trans with (1 * (INR j * v));
    [now apply Rmult_le_compat_r|lra]).
  assert (C : (1 + v) ^ j - 1 <= 2 * (INR j * v)) by lra.
  apply (Rmult_le_compat_l (INR n)) in C; [|lra].
  apply (Rmult_le_compat_l (2 * INR j)) in Vn; [|lra]. lra.
Qed.

Lemma noise_meets k l : (k < n)%nat -> (l < n)%nat ->
  INR n * ⟨noise k, exact l⟩ <= 2 * sigma ^ 2 * INR (l - k).
Proof.
  intros Hk Hl. pose proof steps_pos as Pn. destruct (le_lt_dec l k) as [N|N].
  - replace (l - k)%nat with 0%nat by lia. rewrite (noise_unbiased job k (exact l) Hk); [simpl; lra|].
    apply computable_gradient; [apply job|apply knows_model; lia].
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
    set (q := (1 + L * step) ^ j - 1).
    assert (N2 : norm (exact (k + j)%nat ⊖ still) <= sigma * q).
    { unfold LocalWork.exact, still.
      eapply Rle_trans; [apply lipschitz_norm; [exact HL|apply (smooth_losses p), job]|].
      apply quiet_near. unfold j. lia. }
    pose proof (norm_pos (noise k)). pose proof (norm_pos (exact (k + j)%nat ⊖ still)) as P2.
    assert (C2 : norm (noise k) * norm (exact (k + j)%nat ⊖ still) <= sigma * (sigma * q))
      by (apply Rmult_le_compat; auto).
    pose proof (growth j ltac:(unfold j; lia)) as G. fold q in G.
    assert (Ps : 0 <= sigma ^ 2) by pos. apply (Rmult_le_compat_l (sigma ^ 2)) in G; [|assumption].
    assert (C3 : ⟨noise k, exact (k + j)%nat⟩ <= sigma ^ 2 * q) by lra.
    apply (Rmult_le_compat_l (INR n)) in C3; [|lra].
    replace (k + j - k)%nat with j by lia. lra.
Qed.

(** sum_(k < n) (l - k) for l < n, and the sum over l. *)
Lemma sum_below l m : (l <= m)%nat -> sum m (fun k => INR (l - k)) = INR l * (INR l + 1) / 2.
Proof.
  revert l. induction m; intros l Hl.
  - replace l with 0%nat by lia. simpl. lra.
  - rewrite sum_first. destruct l as [|l].
    + rewrite (sum_ext m _ (fun _ => 0)) by (intros; reflexivity). rewrite sum_const. simpl. lra.
    + rewrite (sum_ext m _ (fun k => INR (l - k))) by (intros; reflexivity).
      rewrite IHm by lia. rewrite Nat.sub_0_r, S_INR. field.
Qed.

Lemma sum_triangles m : sum m (fun l => INR l * (INR l + 1) / 2) = (INR m - 1) * INR m * (INR m + 1) / 6.
Proof. induction m; [simpl; lra|]. cbn [sum]. rewrite IHm, S_INR. field. Qed.

Theorem hum_path : 2 * ⟨hum, path⟩ + ‖hum‖² <= sigma ^ 2.
Proof.
  pose proof hum_square as Q. pose proof steps_pos as Pn.
  assert (C : INR n ^ 3 * ⟨hum, path⟩ <= 2 * sigma ^ 2 * ((INR n - 1) * INR n * (INR n + 1) / 6)).
  { rewrite <- sum_triangles, <- (sum_scale n (2 * sigma ^ 2)). unfold LocalWork.hum, LocalWork.path, mean.
    rewrite dot_scale_l, dot_scale_r, dot_vsum_r.
    replace (INR n ^ 3 * (/ INR n * (/ INR n * sum n (fun l => ⟨vsum n noise, exact l⟩))))
      with (INR n * sum n (fun l => ⟨vsum n noise, exact l⟩)) by (field; lra).
    rewrite <- sum_scale. apply sum_le. intros l Hl. rewrite dot_vsum_l, <- sum_scale, <- (sum_below l n) by lia.
    rewrite <- (sum_scale n (2 * sigma ^ 2)). apply sum_le. intros k Hk. now apply noise_meets. }
  assert (N1 : 1 <= INR n) by (apply (le_INR 1), (steps_bound job)).
  assert (Ps : 0 <= sigma ^ 2) by (pose proof (sigma_pos job); pos).
  assert (Q3 : INR n ^ 3 * ‖hum‖² <= INR n ^ 2 * sigma ^ 2).
  { apply (Rmult_le_compat_l (INR n ^ 3)) in Q; [|pos].
    replace (INR n ^ 3 * (sigma ^ 2 / INR n)) with (INR n ^ 2 * sigma ^ 2) in Q by (field; lra). exact Q. }
  apply (Rmult_le_reg_l (INR n ^ 3)); [apply pow_lt; lra|].
  assert (Last : 2 * ((INR n - 1) * INR n * (INR n + 1) / 3) + INR n ^ 2 <= INR n ^ 3).
  { destruct (Nat.eq_dec n 1) as [E|E]; [rewrite E; simpl; lra|].
    assert (N2 : 2 <= INR n) by (apply (le_INR 2); pose proof (steps_bound job); lia).
    assert (0 <= (INR n - 1) * (INR n - 2) * INR n) by (apply Rmult_le_pos; [apply Rmult_le_pos|]; lra). lra. }
  apply (Rmult_le_compat_l (sigma ^ 2)) in Last; [|assumption]. lra.
Qed.
End NoisePath.
End Work.

(** ** The constants of Lemma A when the local steps are short *)
Section Constants.
Context (L step : R) (K : nat).
Hypotheses (L0 : 0 <= L) (step0 : 0 < step) (K1 : (1 <= K)%nat).

Lemma K_one : 1 <= INR K.
Proof. change 1 with (INR 1). now apply le_INR. Qed.

Lemma drift_sum_pos : 0 <= drift_sum L step K.
Proof. pose proof K_one. unfold drift_sum. pos. Qed.

Lemma drift_sum_le q : INR K * (L * step) <= q -> drift_sum L step K <= q.
Proof. intros Q. assert (0 <= L * step) by pos. unfold drift_sum. lra. Qed.

Lemma drift_factor q : drift_sum L step K <= q -> q < 1 ->
  0 < / (1 - drift_sum L step K) ^ 2 <= / (1 - q) ^ 2.
Proof.
  intros U Q. pose proof drift_sum_pos. split; [apply Rinv_0_lt_compat, pow_lt; lra|].
  apply Rinv_le_contravar; [apply pow_lt; lra|]. apply pow_incr. lra.
Qed.

Lemma driftA_le q : drift_sum L step K <= q -> q < 1 ->
  driftA L step K <= (INR K - 1) * (L ^ 2 * step ^ 2) / (1 - q) ^ 2.
Proof.
  intros U Q. pose proof K_one. destruct (drift_factor q U Q) as [_ F].
  unfold driftA, Rdiv. replace (L ^ 2 * step ^ 2 * (INR K - 1)) with ((INR K - 1) * (L ^ 2 * step ^ 2)) by ring.
  apply Rmult_le_compat_l; [pos|assumption].
Qed.

Lemma driftB_le q : drift_sum L step K <= q -> q < 1 ->
  driftB L step K <= 2 / 3 * ((INR K - 1) * (2 * INR K - 1) * (L ^ 2 * step ^ 2)) / (1 - q) ^ 2.
Proof.
  intros U Q. pose proof K_one. destruct (drift_factor q U Q) as [_ F].
  unfold driftB, Rdiv.
  replace (L ^ 2 * step ^ 2 * (INR K - 1) * (2 * INR K - 1))
    with ((INR K - 1) * (2 * INR K - 1) * (L ^ 2 * step ^ 2)) by ring.
  apply Rmult_le_compat_l; [pos|assumption].
Qed.

Lemma driftA_pos : drift_sum L step K < 1 -> 0 <= driftA L step K.
Proof.
  intros U. pose proof K_one. destruct (drift_factor _ (Rle_refl _) U) as [F _].
  unfold driftA, Rdiv. pos.
Qed.

Lemma driftB_pos : drift_sum L step K < 1 -> 0 <= driftB L step K.
Proof.
  intros U. pose proof K_one. destruct (drift_factor _ (Rle_refl _) U) as [F _].
  unfold driftB, Rdiv. pos.
Qed.

(** One local step does not drift. *)
Lemma no_drift : K = 1%nat -> drift_sum L step K = 0 /\ driftA L step K = 0 /\ driftB L step K = 0.
Proof.
  intros One. subst K. unfold driftA, driftB, drift_sum. simpl. repeat split; field; lra.
Qed.

(** A condition weight (K L step)^2 late <= 1 with 1 <= weight q^2 makes K L step <= q. *)
Lemma short_work q weight late : 0 < q -> 1 <= late -> 1 <= weight * q ^ 2 ->
  INR K = 1 \/ weight * step ^ 2 * INR K ^ 2 * L ^ 2 * late <= 1 ->
  K = 1%nat \/ INR K * (L * step) <= q /\ weight * (INR K * (L * step)) ^ 2 * late <= 1.
Proof.
  intros Q Late W [One|E]; [left; now apply INR_eq|right].
  set (w := INR K * (L * step)). assert (Pw : 0 <= w) by (unfold w; pose proof (pos_INR K); pos).
  assert (Ew : weight * w ^ 2 * late <= 1) by (unfold w; lra). split; [|assumption].
  assert (PW : 0 < weight) by (destruct (Rle_or_lt weight 0); [nra|assumption]).
  assert (W2 : weight * w ^ 2 <= 1).
  { assert (weight * w ^ 2 * 1 <= weight * w ^ 2 * late) by (apply Rmult_le_compat_l; [pos|lra]). lra. }
  assert (Sq : w ^ 2 <= q ^ 2) by nra. nra.
Qed.

(** The constants of the drift, when local work is short. *)
Lemma drift_constants k q c weight late : 0 <= k -> 0 < q < 1 -> c = / (1 - q) ^ 2 ->
  K = 1%nat \/ INR K * (L * step) <= q /\ weight * (INR K * (L * step)) ^ 2 * late <= 1 ->
  0 <= late -> 4 / 3 * k * c <= weight ->
  drift_sum L step K < 1 /\ 0 <= driftA L step K <= c * ((INR K - 1) * (L ^ 2 * step ^ 2)) /\
  0 <= driftB L step K <= 2 / 3 * c * ((INR K - 1) * (2 * INR K - 1) * (L ^ 2 * step ^ 2)) /\
  k * driftB L step K * late <= 1.
Proof.
  intros Pk Q Ec Short Late W.
  destruct Short as [One|[Small Big]].
  - destruct (no_drift One) as [-> [-> ->]]. rewrite One. simpl. split; [lra|]. repeat split; lra.
  - pose proof (drift_sum_le q Small) as U.
    pose proof (driftA_le q U ltac:(lra)) as UA.
    pose proof (driftB_le q U ltac:(lra)) as UB.
    pose proof (driftA_pos ltac:(lra)) as PA.
    pose proof (driftB_pos ltac:(lra)) as PB.
    unfold Rdiv in UA, UB. rewrite <- Ec in UA, UB.
    split; [lra|]. split; [lra|]. split; [lra|].
    assert (Pc : 0 < c) by (rewrite Ec; apply Rinv_0_lt_compat, pow_lt; lra).
    pose proof K_one as PK. set (z := L ^ 2 * step ^ 2) in *. assert (Pz : 0 <= z) by (unfold z; pos).
    set (w := INR K * (L * step)) in *. assert (Ew : w ^ 2 = INR K ^ 2 * z) by (unfold w, z; ring).
    assert (KK : (INR K - 1) * (2 * INR K - 1) <= 2 * INR K ^ 2) by nra.
    apply (Rmult_le_compat_r z) in KK; [|assumption].
    assert (B1 : k * driftB L step K <= weight * w ^ 2).
    { apply Rle_trans with (k * (2 / 3 * c) * (2 * INR K ^ 2 * z)).
      - apply (Rmult_le_compat_l k) in UB; [|assumption].
        apply (Rmult_le_compat_l (k * (2 / 3 * c))) in KK; [|pos]. lra.
      - rewrite Ew. assert (0 <= INR K ^ 2 * z) by pos. apply (Rmult_le_compat_r (INR K ^ 2 * z)) in W; lra. }
    apply (Rmult_le_compat_r late) in B1; lra.
Qed.
End Constants.
