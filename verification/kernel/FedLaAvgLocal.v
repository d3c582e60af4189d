(** * FedLaAvg with C local steps: Theorem 4, eq. (52), as printed

    FedLaAvg runs for T rounds of C local steps on N clients, each loss L-smooth, convex or not, their
    average f bounded below; nobody's latest gradients are more than I rounds old, who takes part is
    arbitrary otherwise; noise has mean zero given what was drawn before and variance at most sigma^2;
    E |stochastic gradient|^2 <= G^2. gap = E f(x_0) - low. If 2 gamma L < 1, the mean over the rounds of
    E |grad f|^2 is at most

      4 gamma sigma^2 L/N + 2 gamma I C L (G^2 + sigma^2)/sqrt N
      + (2 I^2/(1 - 2 gamma L) + 4 I^2 + 4 I + 2) gamma^2 C^2 L^2 G^2 + 4 gap/(gamma C T),

    - [thm4_server]: at the server's models, x^((r-1)C) of the paper;
    - [thm4_printed]: at the models x^(rC-1), one step before the end of each round, which exist in the
      proof only; they need the gradients to be bounded by G everywhere.

    Cold start included. The paper's proof goes through eq. (46), which is false; this is another one.
    [virtual t l] is the model after l of the C steps of round t + 1. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Chance FedLaAvgRounds Claims_fedlaavg.
Open Scope R_scope.

Section Local.
Context {H : Space} {p : Problem H} (run : FedLaAvgRounds p) (I : nat) (G : R).
Hypothesis Fair : unbiased_noise run.
Hypothesis Fresh : stale_at_most run I.
Hypothesis G_pos : 0 <= G.
Hypothesis Bounded : second_moments run G.
Hypothesis small : 2 * step run * smoothness p < 1.

Notation N := (clients p).
Notation L := (smoothness p).
Notation x := (model run).
Notation gamma := (step run).
Notation C := (local_steps run).
Notation sigma := (noise_level run).
Notation last := (Staleness.last (selected run)).
Notation f := (global p).
Notation gap := (f (x 0%nat) - lowest p).

Let gamma_pos : 0 < gamma := step_positive run.
Let L_pos : 0 <= L := smoothness_pos p.
Let C_pos : 0 < INR C := some_C run.
Let N_pos : 0 < INR N := clients_pos p.
Let pace_pos : 0 <= gamma * G.
Proof. pos. Qed.

Lemma gap_pos y : 0 <= f y - lowest p.
Proof. pose proof (bounded_below p y). unfold global. lra. Qed.

(** ** The models between two rounds *)
Definition direction t k : H := mean N (fun i => stored run (S t) i k).
Definition virtual t l : H := x t ⊕ (- gamma) ⊙ vsum l (direction t).

Lemma virtual_start t : virtual t 0 = x t.
Proof.
  unfold virtual. simpl. rewrite <- (scale_zero (x t)), scale_scale.
  replace (- gamma * 0) with 0 by ring. now rewrite scale_zero, add_zero.
Qed.

Lemma virtual_step t l : virtual t (S l) = virtual t l ⊕ (- gamma) ⊙ direction t l.
Proof. unfold virtual. cbn [vsum]. now rewrite scale_add, add_assoc. Qed.

Lemma virtual_end t : virtual t C = x (S t).
Proof. symmetry. apply (serve run). Qed.

Lemma direction_small t k : (k < C)%nat -> norm (direction t k) <= G.
Proof.
  intros Hk. apply norm_le; [assumption|]. apply norm_mean_le; [apply some_client|]. intros i Hi.
  rewrite stored_is. destruct (last (S t) i) as [|s]; [rewrite dot_zero_l; pos|].
  pose proof (Bounded s i k Hi Hk). lra.
Qed.

Lemma moved_virtual t l d : (l + d <= C)%nat -> norm (virtual t (l + d) ⊖ virtual t l) <= INR d * (gamma * G).
Proof.
  intros Hd. induction d.
  - rewrite Nat.add_0_r, add_opp, norm_zero. simpl. lra.
  - rewrite Nat.add_succ_r, virtual_step, S_INR.
    rewrite (norm_same _ ((virtual t (l + d) ⊖ virtual t l) ⊕ (- gamma) ⊙ direction t (l + d))) by vectors.
    eapply Rle_trans; [apply norm_triangle|]. rewrite norm_scale, Rabs_Ropp, Rabs_pos_eq by lra.
    specialize (IHd ltac:(lia)). pose proof (direction_small t (l + d) ltac:(lia)) as D.
    apply (Rmult_le_compat_l gamma) in D; lra.
Qed.

Lemma sub_triangle (a b c : H) : norm (a ⊖ c) <= norm (a ⊖ b) + norm (b ⊖ c).
Proof. rewrite (norm_same (a ⊖ c) ((a ⊖ b) ⊕ (b ⊖ c))) by vectors. apply norm_triangle. Qed.

(** In d rounds every virtual model moves d C steps. *)
Lemma moved_rounds t l d : (l <= C)%nat ->
  norm (virtual (t + d) l ⊖ virtual t l) <= INR d * INR C * (gamma * G).
Proof.
  intros Hl. induction d.
  - rewrite Nat.add_0_r, add_opp, norm_zero. simpl. lra.
  - rewrite Nat.add_succ_r, S_INR.
    pose proof (sub_triangle (virtual (S (t + d)) l) (virtual (t + d) l) (virtual t l)) as T0.
    pose proof (sub_triangle (virtual (S (t + d)) l) (x (S (t + d))) (virtual (t + d) l)) as T1.
    pose proof (moved_virtual (S (t + d)) 0 l Hl) as A. rewrite virtual_start in A.
    pose proof (moved_virtual (t + d) l (C - l) ltac:(lia)) as B.
    replace (l + (C - l))%nat with C in B by lia. rewrite virtual_end in B.
    rewrite minus_INR in B by lia. simpl (0 + l)%nat in A. lra.
Qed.

Lemma from_start t l : (l <= C)%nat -> norm (virtual t l ⊖ x 0%nat) <= (INR t * INR C + INR l) * (gamma * G).
Proof.
  intros Hl. pose proof (moved_rounds 0 l t Hl) as A. pose proof (moved_virtual 0 0 l Hl) as B.
  rewrite virtual_start in B. simpl in A, B.
  pose proof (sub_triangle (virtual t l) (virtual 0 l) (x 0%nat)). lra.
Qed.

(** ** One local step of a round in which everybody has been heard from *)
Section Warm.
Variables (t l : nat).
Hypotheses (warm : (I <= t)%nat) (Hl : (l < C)%nat).

Definition taken i : nat := pred (last (S t) i).
Definition exact_part : H := mean N (fun i => ∇i p i (local run (taken i) i l)).
Definition noise_part : H := mean N (fun i => noise run (taken i) i l).

Lemma taken_is i : (i < N)%nat -> last (S t) i = S (taken i) /\ (taken i <= t <= taken i + I)%nat.
Proof.
  intros Hi. pose proof (Fresh (S t) i Hi). pose proof (last_le (selected run) (S t) i). unfold taken. lia.
Qed.

Lemma direction_is : same (direction t l) (exact_part ⊕ noise_part).
Proof.
  unfold direction, exact_part, noise_part. vectors. rewrite <- avg_add. apply avg_ext. intros i Hi.
  rewrite stored_is. destruct (taken_is i Hi) as [-> _]. now rewrite (gradient_taken run), dot_add_l.
Qed.

Lemma noise_square : ‖noise_part‖² <= sigma ^ 2 / INR N.
Proof.
  apply norm_mean_orthogonal; [apply some_client| |].
  - intros i j Hi Hj Nij. now apply (noise_meets_noise run Fair).
  - intros i Hi. now apply variance.
Qed.

(** How far the virtual model is from the points where its gradients were taken, squared. *)
Definition spread : R := match I with
  | O => (INR l * (gamma * G)) ^ 2
  | _ => ((INR I * INR C + 2 * INR l) * (gamma * G)) ^ 2 end.

Lemma far i : (i < N)%nat ->
  norm (virtual t l ⊖ local run (taken i) i l) <= (INR I * INR C + 2 * INR l) * (gamma * G).
Proof.
  intros Hi. destruct (taken_is i Hi) as [_ [H1 H2]]. set (s := taken i) in *.
  pose proof (moved_rounds s 0 (t - s) ltac:(lia)) as A. replace (s + (t - s))%nat with t in A by lia.
  rewrite !virtual_start in A. pose proof (moved_virtual t 0 l ltac:(lia)) as B. rewrite virtual_start in B.
  pose proof (strayed run G G_pos Bounded s i l Hi ltac:(lia)) as D.
  pose proof (sub_triangle (virtual t l) (x t) (local run s i l)).
  pose proof (sub_triangle (x t) (x s) (local run s i l)).
  assert (Late : INR (t - s) * INR C * (gamma * G) <= INR I * INR C * (gamma * G)).
  { do 2 (apply Rmult_le_compat_r; [lra|]). apply le_INR. lia. }
  simpl in B. lra.
Qed.

Lemma spread_cases : I = 0%nat /\ spread = (INR l * (gamma * G)) ^ 2 \/
  spread = ((INR I * INR C + 2 * INR l) * (gamma * G)) ^ 2.
Proof. clear. unfold spread. destruct I; auto. Qed.

(** The mean is nearest in mean square. *)
Lemma nearest (a m : H) (y : nat -> H) : same m (mean N y) ->
  avg N (fun i => ‖m ⊖ y i‖²) <= avg N (fun i => ‖a ⊖ y i‖²).
Proof.
  intros E.
  assert (Z : avg N (fun i => ‖a ⊖ y i‖²) = avg N (fun i => ‖m ⊖ y i‖²) + ‖a ⊖ m‖²).
  { rewrite <- (avg_const N ‖a ⊖ m‖²) by apply some_client. rewrite <- avg_add.
    rewrite (avg_ext N (fun i => ‖a ⊖ y i‖²)
      (fun i => (‖m ⊖ y i‖² + ‖a ⊖ m‖²) + 2 * ⟨m ⊖ y i, a ⊖ m⟩)).
    - rewrite avg_add, avg_scale.
      assert (Z : avg N (fun i => ⟨m ⊖ y i, a ⊖ m⟩) = 0); [|rewrite Z; ring].
      rewrite (avg_ext N _ (fun i => ⟨m, a ⊖ m⟩ + -1 * ⟨y i, a ⊖ m⟩))
        by (intros; now rewrite dot_add_l, dot_scale_l).
      rewrite avg_add, avg_const, avg_scale by apply some_client.
      pose proof (E (a ⊖ m)) as Em. rewrite dot_mean_l in Em. lra.
    - intros i _. rewrite (same_norm (a ⊖ y i) ((m ⊖ y i) ⊕ (a ⊖ m))) by vectors. rewrite norm_add. ring. }
  pose proof (dot_pos (a ⊖ m)). lra.
Qed.

(** If nobody is stale, the virtual model is the mean of the local ones. *)
Lemma virtual_mean : I = 0%nat -> same (virtual t l) (mean N (fun i => local run t i l)).
Proof.
  intros Z. clear Hl. induction l as [|k IH]; intros z.
  - rewrite virtual_start, dot_mean_l, (avg_ext N _ (fun _ => ⟨x t, z⟩)) by (intros; now rewrite (pull run)).
    symmetry. apply avg_const, some_client.
  - rewrite virtual_step, dot_add_l, dot_scale_l, (IH z). unfold direction.
    rewrite !dot_mean_l, <- avg_scale, <- avg_add. apply avg_ext. intros i Hi.
    rewrite (work run), dot_add_l, dot_scale_l, stored_is.
    pose proof (Fresh (S t) i Hi). pose proof (last_le (selected run) (S t) i).
    now replace (last (S t) i) with (S t) by lia.
Qed.

Lemma near : avg N (fun i => ‖virtual t l ⊖ local run (taken i) i l‖²) <= spread.
Proof.
  destruct spread_cases as [[Z ->]| ->].
  - rewrite (avg_ext N _ (fun i => ‖virtual t l ⊖ local run t i l‖²)).
    + eapply Rle_trans; [apply (nearest (x t)), virtual_mean, Z|]. apply avg_le_const; [apply some_client|].
      intros i Hi. replace ((INR l * (gamma * G)) ^ 2) with (INR l * (gamma * G) * (INR l * (gamma * G))) by ring.
      apply norm_le_square, (strayed run G G_pos Bounded); [assumption|lia].
    + intros i Hi. destruct (taken_is i Hi) as [_ Q]. now replace (taken i) with t by lia.
  - apply avg_le_const; [apply some_client|]. intros i Hi.
    replace (((INR I * INR C + 2 * INR l) * (gamma * G)) ^ 2)
      with ((INR I * INR C + 2 * INR l) * (gamma * G) * ((INR I * INR C + 2 * INR l) * (gamma * G))) by ring.
    now apply norm_le_square, far.
Qed.

Lemma bias : ‖∇ p (virtual t l) ⊖ exact_part‖² <= L ^ 2 * spread.
Proof.
  rewrite (same_norm _ (mean N (fun i => ∇i p i (virtual t l) ⊖ ∇i p i (local run (taken i) i l)))).
  - eapply Rle_trans; [apply norm_mean|].
    apply Rle_trans with (avg N (fun i => L ^ 2 * ‖virtual t l ⊖ local run (taken i) i l‖²)).
    + apply avg_le. intros i Hi. now apply client_lipschitz.
    + rewrite avg_scale. apply Rmult_le_compat_l; [pos|apply near].
  - unfold exact_part, global_gradient, average_gradient. vectors.
    rewrite <- avg_scale, <- avg_add. apply avg_ext. intros. now rewrite dot_add_l, dot_scale_l.
Qed.

(** The noise in use does not enter the virtual model of I rounds ago. *)
Lemma known_virtual i s u : (u <= s)%nat ->
  known p (drawn run) before (noise_of run) (x 0%nat) (s, i, l) (virtual u l).
Proof.
  intros Hu. unfold virtual. apply computable_add; [now apply (knows_model run)|]. apply computable_scale.
  assert (Some : forall c, (c <= l)%nat ->
    known p (drawn run) before (noise_of run) (x 0%nat) (s, i, l) (vsum c (direction u))).
  { induction c; intros Hc; simpl; [apply computable_zero|]. apply computable_add; [apply IHc; lia|].
    apply computable_mean. intros j Hj. rewrite stored_is. pose proof (last_le (selected run) (S u) j).
    destruct (last (S u) j) as [|v]; [apply computable_zero|]. rewrite (gradient_taken run).
    assert (B : forall q, (q <= c)%nat -> before (v, j, q) (s, i, l)).
    { intros q Hq. simpl. destruct (Nat.eq_dec v s); [right; split; [assumption|right]|left]; lia. }
    apply computable_add; [apply computable_gradient; [assumption|]|].
    - apply knows_local; [assumption|lia| |apply knows_model; lia]. intros q Hq. apply B. lia.
    - apply knows_noise; [assumption|lia|]. apply B. lia. }
  now apply Some.
Qed.

Lemma noise_in_use :
  - ⟨∇ p (virtual t l), noise_part⟩ <= gamma * INR I * INR C * L * (G ^ 2 + sigma ^ 2) / (2 * sqrt (INR N)).
Proof.
  pose proof (sqrt_lt_R0 _ N_pos) as PS. pose proof (noise_level_pos run) as Ps. pose proof (pos_INR I) as PI.
  set (old := virtual (t - I) l).
  assert (Z : ⟨∇ p old, noise_part⟩ = 0).
  { unfold noise_part. rewrite dot_mean_r. unfold avg. rewrite sum_zero; [ring|]. intros i Hi.
    rewrite dot_sym. apply (noise_meets_nothing run Fair); [assumption|assumption|].
    destruct (taken_is i Hi). apply computable_global, known_virtual. lia. }
  pose proof (dot_le_norms (∇ p old ⊖ ∇ p (virtual t l)) noise_part) as Q. rewrite dot_add_l, dot_scale_l, Z in Q.
  set (way := INR I * INR C * (gamma * G)). assert (Pw : 0 <= way) by (unfold way; pos).
  assert (N1 : norm (∇ p old ⊖ ∇ p (virtual t l)) <= L * way).
  { rewrite (norm_same _ ((-1) ⊙ (∇ p (virtual t l) ⊖ ∇ p old))) by vectors.
    rewrite norm_scale, (Rabs_left (-1)) by lra. replace (- -1) with 1 by ring. rewrite Rmult_1_l.
    eapply Rle_trans; [apply (lipschitz_norm L (∇ p)); [assumption|apply global_smooth]|].
    apply Rmult_le_compat_l; [assumption|]. unfold old, way.
    pose proof (moved_rounds (t - I) l I ltac:(lia)) as M. now replace (t - I + I)%nat with t in M by lia. }
  assert (N2 : norm noise_part <= sigma / sqrt (INR N)).
  { apply norm_le; [apply Rmult_le_pos; [lra|left; now apply Rinv_0_lt_compat]|].
    replace (sigma / sqrt (INR N) * (sigma / sqrt (INR N)))
      with (sigma ^ 2 / (sqrt (INR N) * sqrt (INR N))) by (field; lra).
    rewrite sqrt_sqrt by lra. apply noise_square. }
  assert (N3 : norm (∇ p old ⊖ ∇ p (virtual t l)) * norm noise_part <= L * way * (sigma / sqrt (INR N)))
    by (apply Rmult_le_compat; auto using norm_pos).
  apply Rle_trans with (gamma * INR I * INR C * L * / sqrt (INR N) * (G * sigma)).
  { apply Rle_trans with (L * way * (sigma / sqrt (INR N))); [lra|]. right. unfold way. field. lra. }
  replace (gamma * INR I * INR C * L * (G ^ 2 + sigma ^ 2) / (2 * sqrt (INR N)))
    with (gamma * INR I * INR C * L * / sqrt (INR N) * ((G ^ 2 + sigma ^ 2) / 2)) by (field; lra).
  apply Rmult_le_compat_l; [|pose proof (pow2_ge_0 (G - sigma)); lra].
  apply Rmult_le_pos; [pos|left; now apply Rinv_0_lt_compat].
Qed.

(** The part of the bound that is due to noise, before it is doubled. *)
Definition hum : R :=
  gamma * INR I * INR C * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N) + 2 * gamma * sigma ^ 2 * L / INR N.

Lemma warm_step : gamma / 2 * ‖∇ p (virtual t l)‖² <=
  f (virtual t l) - f (virtual t (S l)) + gamma / 2 * (L ^ 2 * spread + hum).
Proof.
  pose proof (sqrt_lt_R0 _ N_pos) as PS. rewrite virtual_step.
  pose proof (global_descent p (virtual t l) ((- gamma) ⊙ direction t l)) as D.
  rewrite dot_scale_r, square_scale, (dot_sym (∇ p (virtual t l)) (direction t l)),
    (direction_is (∇ p (virtual t l))), dot_add_l, (same_norm _ _ direction_is) in D.
  pose proof (norm_add2 exact_part noise_part) as Y. pose proof noise_square as Q. pose proof noise_in_use as M.
  pose proof bias as B. rewrite norm_sub in B. rewrite (dot_sym (∇ p (virtual t l)) noise_part) in M.
  rewrite (dot_sym (∇ p (virtual t l)) exact_part) in B. pose proof (dot_pos exact_part) as Pe.
  set (ee := ‖exact_part‖²) in *. set (hh := ‖noise_part‖²) in *.
  set (w := gamma * INR I * INR C * L * (G ^ 2 + sigma ^ 2) / (2 * sqrt (INR N))) in *.
  assert (Eh : hum = 2 * w + 2 * gamma * L * (sigma ^ 2 / INR N)) by (unfold hum, w; field; lra). rewrite Eh.
  apply (Rmult_le_compat_l (gamma / 2)) in B; [|lra]. apply (Rmult_le_compat_l gamma) in M; [|lra].
  apply (Rmult_le_compat_l (L * gamma ^ 2)) in Q; [|pos].
  apply (Rmult_le_compat_l (L / 2 * gamma ^ 2)) in Y; [|pos].
  assert (0 <= (1 / 2 - gamma * L) * (gamma * ee)) by (apply Rmult_le_pos; [lra|pos]). lra.
Qed.
End Warm.

Lemma hum_pos : 0 <= hum.
Proof. pose proof (sqrt_lt_R0 _ N_pos). pose proof (pos_INR I). unfold hum. pos. Qed.

(** ** Rounds in which everybody has been heard from *)
(** The mean of the spreads of a round is at most (gamma G C)^2 times this. *)
Definition spread_mean : R := match I with O => 1 / 3 | _ => INR I ^ 2 + 2 * INR I + 4 / 3 end.

Lemma spread_mean_pos : 0 <= spread_mean.
Proof. unfold spread_mean. pose proof (pos_INR I). destruct I; [lra|]. pose proof (pow2_ge_0 (INR (S n))). lra. Qed.

Lemma spread_sum m : (m <= C)%nat -> sum m spread <= INR m * ((gamma * G * INR C) ^ 2 * spread_mean).
Proof.
  intros Hm. pose proof (le_INR _ _ Hm) as M. pose proof (pos_INR m) as Pm. pose proof (pos_INR I) as PI.
  unfold spread, spread_mean. set (c := INR C) in *. set (a := gamma * G) in *.
  assert (SQ : (INR m - 1) * (2 * INR m - 1) <= 2 * c ^ 2 \/ m = 0%nat).
  { destruct m; [now right|left]. assert (1 <= INR (S m)) by (rewrite S_INR; pose proof (pos_INR m); lra). nra. }
  destruct SQ as [SQ|Z]; [|subst m; simpl; lra].
  destruct I as [|J].
  - rewrite (sum_ext m _ (fun k => a ^ 2 * INR k ^ 2)) by (intros; ring). rewrite sum_scale, sum_squares.
    replace (a ^ 2 * (INR m * (INR m - 1) * (2 * INR m - 1) / 6))
      with (INR m * (a ^ 2 * ((INR m - 1) * (2 * INR m - 1) / 6))) by field.
    apply Rmult_le_compat_l; [assumption|]. replace ((a * c) ^ 2 * (1 / 3)) with (a ^ 2 * (2 * c ^ 2 / 6)) by field.
    apply Rmult_le_compat_l; [pos|lra].
  - set (i := INR (S J)) in *.
    rewrite (sum_ext m _ (fun k => a ^ 2 * (i * c) ^ 2 + (4 * a ^ 2 * (i * c) * INR k + 4 * a ^ 2 * INR k ^ 2)))
      by (intros; ring).
    rewrite !sum_add, sum_const, !sum_scale, sum_squares, sum_indices.
    replace (INR m * (a ^ 2 * (i * c) ^ 2) + (4 * a ^ 2 * (i * c) * (INR m * (INR m - 1) / 2)
             + 4 * a ^ 2 * (INR m * (INR m - 1) * (2 * INR m - 1) / 6)))
      with (INR m * (a ^ 2 * ((i * c) ^ 2 + 2 * (i * c) * (INR m - 1) + 2 / 3 * ((INR m - 1) * (2 * INR m - 1)))))
      by field.
    apply Rmult_le_compat_l; [assumption|].
    replace ((a * c) ^ 2 * (i ^ 2 + 2 * i + 4 / 3))
      with (a ^ 2 * ((i * c) ^ 2 + 2 * (i * c) * c + 2 / 3 * (2 * c ^ 2))) by field.
    apply Rmult_le_compat_l; [pos|]. assert (0 <= i * c) by pos.
    assert (2 * (i * c) * (INR m - 1) <= 2 * (i * c) * c) by (apply Rmult_le_compat_l; lra). lra.
Qed.

(** By how much a local step of a warm round may raise the loss, times 2/gamma. *)
Definition rise : R := (gamma * L * INR C * G) ^ 2 * spread_mean + hum.

Lemma rise_pos : 0 <= rise.
Proof. pose proof hum_pos. pose proof spread_mean_pos. unfold rise. pos. Qed.

Lemma warm_round t m : (I <= t)%nat -> (m <= C)%nat ->
  gamma / 2 * sum m (fun l => ‖∇ p (virtual t l)‖²) + f (virtual t m) <= f (x t) + INR m * (gamma / 2 * rise).
Proof.
  intros Ht Hm.
  assert (A : gamma / 2 * sum m (fun l => ‖∇ p (virtual t l)‖²) + f (virtual t m)
              <= f (x t) + gamma / 2 * (L ^ 2 * sum m spread + INR m * hum)).
  { induction m; [simpl; rewrite virtual_start; lra|]. specialize (IHm ltac:(lia)). cbn [sum]. rewrite S_INR.
    pose proof (warm_step t m Ht ltac:(lia)). lra. }
  pose proof (spread_sum m Hm) as S. apply (Rmult_le_compat_l (gamma / 2 * L ^ 2)) in S; [|pos].
  unfold rise. lra.
Qed.

(** *** The first rounds *)
Notation q := (sqrt (2 * L * gap)).
Definition way : R := gamma * INR I * INR C * L * G.
Definition first_height : R :=
  gap + q * (INR I * INR C * (gamma * G)) + L / 2 * (INR I * INR C * (gamma * G)) ^ 2.

Lemma q_square : q ^ 2 = 2 * L * gap.
Proof. simpl. rewrite Rmult_1_r. apply sqrt_sqrt. pose proof (gap_pos (x 0%nat)). pos. Qed.

Lemma height_square : 2 * L * first_height = (q + way) ^ 2.
Proof.
  replace ((q + way) ^ 2) with (q ^ 2 + 2 * way * q + way ^ 2) by ring. rewrite q_square.
  unfold first_height, way. field.
Qed.

Lemma early t l : (l <= C)%nat -> INR t * INR C + INR l <= INR I * INR C ->
  f (virtual t l) - lowest p <= first_height.
Proof.
  intros Hl He. pose proof (global_descent p (x 0%nat) (virtual t l ⊖ x 0%nat)) as D. rewrite add_sub in D.
  set (far := INR I * INR C * (gamma * G)).
  assert (M : norm (virtual t l ⊖ x 0%nat) <= far).
  { eapply Rle_trans; [apply from_start, Hl|]. unfold far. now apply Rmult_le_compat_r. }
  pose proof (gap_pos (x 0%nat)) as Pb.
  assert (Q : ‖virtual t l ⊖ x 0%nat‖² <= far ^ 2)
    by (replace (far ^ 2) with (far * far) by ring; now apply norm_le_square).
  assert (E : ⟨∇ p (x 0%nat), virtual t l ⊖ x 0%nat⟩ <= q * far).
  { eapply Rle_trans; [apply dot_le_norms|]. apply Rmult_le_compat; [apply norm_pos|apply norm_pos| |assumption].
    apply sqrt_le_1; [apply dot_pos|pos|]. apply global_gap. }
  apply (Rmult_le_compat_l (L / 2)) in Q; [|lra]. unfold first_height. fold far. lra.
Qed.

Lemma later d : gamma / 2 * sum d (fun t => sum C (fun l => ‖∇ p (virtual (I + t) l)‖²))
  + (f (x (I + d)%nat) - lowest p) <= first_height + INR d * (INR C * (gamma / 2 * rise)).
Proof.
  induction d.
  - rewrite Nat.add_0_r. pose proof (early I 0 ltac:(lia)) as E. rewrite virtual_start in E. simpl in E |- *. lra.
  - rewrite Nat.add_succ_r, S_INR. cbn [sum]. pose proof (warm_round (I + d) C ltac:(lia) ltac:(lia)) as W.
    rewrite virtual_end in W. lra.
Qed.

(** The loss is never higher than this in T rounds. *)
Lemma height t l T : (t < T)%nat -> (l <= C)%nat ->
  f (virtual t l) - lowest p <= first_height + INR T * (INR C * (gamma / 2 * rise)).
Proof.
  intros Ht Hl. pose proof rise_pos as Pr. assert (P : 0 <= INR C * (gamma / 2 * rise)) by pos.
  pose proof (pos_INR T) as PT.
  destruct (Nat.lt_ge_cases t I) as [Early|Late].
  - assert (E : f (virtual t l) - lowest p <= first_height).
    { apply early; [assumption|]. apply le_INR in Hl. assert (Q : INR (S t) <= INR I) by (apply le_INR; lia).
      rewrite S_INR in Q. apply (Rmult_le_compat_r (INR C)) in Q; lra. }
    assert (0 <= INR T * (INR C * (gamma / 2 * rise))) by pos. lra.
  - pose proof (later (t - I)) as A. replace (I + (t - I))%nat with t in A by lia.
    pose proof (warm_round t l Late Hl) as B.
    assert (S1 : 0 <= sum (t - I) (fun t => sum C (fun l => ‖∇ p (virtual (I + t) l)‖²)))
      by (apply sum_pos; intros; apply sum_pos; intros; apply dot_pos).
    assert (S2 : 0 <= sum l (fun l => ‖∇ p (virtual t l)‖²)) by (apply sum_pos; intros; apply dot_pos).
    apply (Rmult_le_compat_l (gamma / 2)) in S1, S2; [|lra|lra]. rewrite Rmult_0_r in S1, S2.
    assert (M : INR l * (gamma / 2 * rise) <= INR C * (gamma / 2 * rise))
      by (apply Rmult_le_compat_r; [pos|now apply le_INR]).
    assert (K : INR (t - I) * (INR C * (gamma / 2 * rise)) + INR C * (gamma / 2 * rise)
                <= INR T * (INR C * (gamma / 2 * rise))).
    { replace (INR (t - I) * (INR C * (gamma / 2 * rise)) + INR C * (gamma / 2 * rise))
        with (INR (S (t - I)) * (INR C * (gamma / 2 * rise))) by (rewrite S_INR; ring).
      apply Rmult_le_compat_r; [assumption|]. apply le_INR. lia. }
    lra.
Qed.

(** ** All rounds, for one model virtual t j of every round *)
Section Output.
Variable j : nat.
Hypothesis Hj : (j <= C)%nat.
Hypothesis near_round : forall t, avg C (fun l => ‖virtual t j ⊖ virtual t l‖²) <= (gamma * G * INR C) ^ 2 / 3.
Hypothesis gradient_bounded : forall t, ‖∇ p (virtual t j)‖² <= G ^ 2.

(** How much the gradient may change in a round. *)
Definition turn : R := gamma * L * INR C * G.

Lemma output_near a t : 0 < a ->
  ‖∇ p (virtual t j)‖² <= (1 + / a) * avg C (fun l => ‖∇ p (virtual t l)‖²) + (1 + a) * (turn ^ 2 / 3).
Proof.
  intros Ha. rewrite <- (avg_const C ‖∇ p (virtual t j)‖²) by apply some_steps.
  apply Rle_trans with (avg C (fun l => (1 + / a) * ‖∇ p (virtual t l)‖²
    + (1 + a) * L ^ 2 * ‖virtual t j ⊖ virtual t l‖²)).
  - apply avg_le. intros l _.
    rewrite (same_norm _ (∇ p (virtual t l) ⊕ (∇ p (virtual t j) ⊖ ∇ p (virtual t l)))) by vectors.
    eapply Rle_trans; [now apply (norm_add_young a)|]. apply Rplus_le_compat_l. rewrite Rmult_assoc.
    apply Rmult_le_compat_l; [lra|apply global_lipschitz].
  - rewrite avg_add, !avg_scale. apply Rplus_le_compat_l. unfold turn.
    replace ((1 + a) * ((gamma * L * INR C * G) ^ 2 / 3))
      with ((1 + a) * L ^ 2 * ((gamma * G * INR C) ^ 2 / 3)) by field.
    apply Rmult_le_compat_l; [pos|apply near_round].
Qed.

Lemma output_sum a d : 0 < a -> sum d (fun t => ‖∇ p (virtual (I + t) j)‖²) <=
  (1 + / a) * (2 / (gamma * INR C) * first_height + INR d * rise) + INR d * ((1 + a) * (turn ^ 2 / 3)).
Proof.
  intros Ha. pose proof (later d) as A. pose proof (gap_pos (x (I + d)%nat)) as Pg.
  assert (Pa : 0 < / a) by (now apply Rinv_0_lt_compat).
  apply Rle_trans with (sum d (fun t => (1 + / a) * / INR C * sum C (fun l => ‖∇ p (virtual (I + t) l)‖²)
                                        + (1 + a) * (turn ^ 2 / 3))).
  - apply sum_le. intros t _. rewrite Rmult_assoc. now apply output_near.
  - rewrite sum_add, sum_scale, sum_const. apply Rplus_le_compat_r.
    set (ss := sum d (fun t => sum C (fun l => ‖∇ p (virtual (I + t) l)‖²))) in *.
    assert (A2 : gamma / 2 * ss <= first_height + INR d * (INR C * (gamma / 2 * rise))) by lra.
    apply (Rmult_le_compat_l (2 / (gamma * INR C))) in A2;
      [|apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; now apply Rmult_lt_0_compat]].
    rewrite Rmult_assoc. apply Rmult_le_compat_l; [lra|].
    replace (2 / (gamma * INR C) * (gamma / 2 * ss)) with (/ INR C * ss) in A2 by (field; lra).
    replace (2 / (gamma * INR C) * (first_height + INR d * (INR C * (gamma / 2 * rise))))
      with (2 / (gamma * INR C) * first_height + INR d * rise) in A2 by (field; lra). assumption.
Qed.

(** What (52) says, without the division by 1 - 2 gamma L. *)
Definition sharper T : R :=
  2 * hum + (6 * INR I ^ 2 + 4 * INR I + 2) * turn ^ 2 + 4 * gap / (gamma * INR C * INR T).

Lemma start_term_pos T : (0 < T)%nat -> 0 <= 4 * gap / (gamma * INR C * INR T).
Proof.
  intros HT. apply lt_0_INR in HT. pose proof (gap_pos (x 0%nat)). apply Rmult_le_pos; [lra|].
  left. apply Rinv_0_lt_compat. repeat apply Rmult_lt_0_compat; assumption.
Qed.

Lemma never_stale T : (0 < T)%nat -> I = 0%nat -> avg T (fun t => ‖∇ p (virtual t j)‖²) <= sharper T.
Proof.
  intros HT Z. pose proof (output_sum 1 T Rlt_0_1) as A. apply lt_0_INR in HT as PT. unfold avg, sharper.
  rewrite (sum_ext T _ (fun t => ‖∇ p (virtual (I + t) j)‖²)) by (intros; now rewrite Z).
  apply (Rmult_le_compat_l (/ INR T)) in A; [|left; now apply Rinv_0_lt_compat].
  eapply Rle_trans; [exact A|]. pose proof (pow2_ge_0 turn). pose proof hum_pos.
  assert (E : first_height = gap) by (unfold first_height; rewrite Z; simpl; field).
  assert (Er : rise = turn ^ 2 / 3 + hum) by (unfold rise, spread_mean, turn; rewrite Z; field).
  rewrite E, Er, Z. simpl INR. apply Rle_trans with (2 * hum + 4 / 3 * turn ^ 2 + 4 * gap / (gamma * INR C * INR T)).
  - right. field. lra.
  - lra.
Qed.

Lemma large_steps T : (0 < T)%nat -> 1 <= (6 * INR I ^ 2 + 4 * INR I + 2) * (gamma * L * INR C) ^ 2 ->
  avg T (fun t => ‖∇ p (virtual t j)‖²) <= sharper T.
Proof.
  intros HT Large. pose proof (start_term_pos T HT). pose proof hum_pos.
  assert (A : avg T (fun t => ‖∇ p (virtual t j)‖²) <= G ^ 2)
    by (apply avg_le_const; [assumption|intros; apply gradient_bounded]).
  apply (Rmult_le_compat_r (G ^ 2)) in Large; [|pos]. unfold sharper, turn. lra.
Qed.

Lemma few_rounds T : (0 < T)%nat -> (0 < I)%nat -> gamma * L * INR C * INR T <= 3 / 2 ->
  avg T (fun t => ‖∇ p (virtual t j)‖²) <= sharper T.
Proof.
  intros HT HI Few. apply lt_0_INR in HT as PT. apply lt_0_INR in HI as PI. pose proof hum_pos as Ph.
  pose proof rise_pos as Pr. pose proof (gap_pos (x 0%nat)) as Pg.
  assert (A : avg T (fun t => ‖∇ p (virtual t j)‖²) <= (q + way) ^ 2 + 3 / 2 * rise).
  { apply avg_le_const; [assumption|]. intros t Ht. eapply Rle_trans; [apply global_gap|].
    pose proof (height t j T Ht Hj) as Q. apply (Rmult_le_compat_l (2 * L)) in Q; [|lra].
    rewrite <- height_square. apply (Rmult_le_compat_r rise) in Few; [|assumption]. lra. }
  assert (B : 4 / 3 * q ^ 2 <= 4 * gap / (gamma * INR C * INR T)).
  { rewrite q_square. assert (P : 0 < gamma * INR C * INR T) by (repeat apply Rmult_lt_0_compat; assumption).
    apply (Rmult_le_reg_l (gamma * INR C * INR T)); [assumption|].
    replace (gamma * INR C * INR T * (4 * gap / (gamma * INR C * INR T))) with (8 / 3 * (3 / 2) * gap)
      by (field; lra).
    replace (gamma * INR C * INR T * (4 / 3 * (2 * L * gap))) with (8 / 3 * (gamma * L * INR C * INR T) * gap) by field.
    apply Rmult_le_compat_r; [assumption|]. lra. }
  pose proof (pow2_ge_0 (q - 3 * way)) as Y. pose proof (pow2_ge_0 turn) as Pt.
  assert (Ew : way ^ 2 = INR I ^ 2 * turn ^ 2) by (unfold way, turn; ring).
  assert (Er : rise = (INR I ^ 2 + 2 * INR I + 4 / 3) * turn ^ 2 + hum).
  { unfold rise, spread_mean, turn. destruct I; [lia|]. ring. }
  assert (Pit : 0 <= INR I * turn ^ 2) by pos. assert (Piit : 0 <= INR I ^ 2 * turn ^ 2) by pos.
  unfold sharper. rewrite Er in A. lra.
Qed.

Lemma many_rounds T : (0 < T)%nat -> (0 < I)%nat -> 3 / 2 < gamma * L * INR C * INR T ->
  (6 * INR I ^ 2 + 4 * INR I + 2) * (gamma * L * INR C) ^ 2 < 1 ->
  avg T (fun t => ‖∇ p (virtual t j)‖²) <= sharper T.
Proof.
  intros HT HI Many Small. apply lt_0_INR in HT as PT. apply lt_0_INR in HI as PI. pose proof hum_pos as Ph.
  pose proof rise_pos as Pr. pose proof (gap_pos (x 0%nat)) as Pg.
  set (h := gamma * L * INR C) in *. assert (Ph0 : 0 <= h) by (unfold h; pos).
  set (i := INR I) in *. set (c := i * h). assert (Pc : 0 <= c) by (unfold c; pos).
  assert (I1 : 1 <= i) by (change 1 with (INR 1); apply le_INR; lia).
  set (th := h * INR T) in *. set (w2 := way ^ 2).
  assert (PL : 0 < L).
  { destruct (Rle_lt_or_eq_dec _ _ L_pos) as [|Z]; [assumption|].
    unfold th, h in Many. rewrite <- Z in Many. lra. }
  assert (Pturn : 0 <= turn ^ 2) by apply pow2_ge_0.
  assert (Ew : w2 = i ^ 2 * turn ^ 2) by (unfold w2, way, turn, i; ring).
  assert (Er : rise = (i ^ 2 + 2 * i + 4 / 3) * turn ^ 2 + hum).
  { unfold rise, spread_mean, turn, i. destruct I; [lia|]. ring. }
  (* Young's inequality for the height, with a constant for I = 1 and one for larger I *)
  assert (Sizes : exists k, 0 <= k /\ c <= 1 /\ (c + 11 / 10) * (q + way) ^ 2 <= 2 * q ^ 2 + k * w2 /\
    2 / 3 * k * i ^ 2 + 11 / 10 * (i ^ 2 + 2 * i + 4 / 3) + 11 / 3 <= 6 * i ^ 2 + 4 * i + 2).
  { destruct (Nat.eq_dec I 1) as [One|More].
    - assert (E : i = 1) by (unfold i; now rewrite One). exists (114 / 25).
      assert (Cs : c <= 29 / 100).
      { unfold c. rewrite E in *. destruct (Rle_lt_dec (1 * h) (29 / 100)) as [|B]; [assumption|exfalso].
        assert ((29 / 100) ^ 2 <= h ^ 2) by (apply pow_incr; lra). lra. }
      split; [lra|]. split; [lra|]. split; [|rewrite E; lra].
      apply Rle_trans with (139 / 100 * (q + way) ^ 2); [apply Rmult_le_compat_r; [apply pow2_ge_0|lra]|].
      unfold w2. pose proof (pow2_ge_0 (61 / 100 * q - 139 / 100 * way)). pose proof (pow2_ge_0 way). lra.
    - assert (I2 : 2 <= i) by (unfold i; change 2 with (INR 2); apply le_INR; lia). exists (617 / 100).
      assert (Cs : c <= 41 / 100).
      { destruct (Rle_lt_dec c (41 / 100)) as [|B]; [assumption|exfalso].
        assert ((41 / 100) ^ 2 <= c ^ 2) by (apply pow_incr; lra).
        assert (6 * c ^ 2 <= (6 * i ^ 2 + 4 * i + 2) * h ^ 2).
        { unfold c. pose proof (pow2_ge_0 h). assert (0 <= (4 * i + 2) * h ^ 2) by pos. lra. }
        lra. }
      split; [lra|]. split; [lra|]. split.
      + apply Rle_trans with (151 / 100 * (q + way) ^ 2); [apply Rmult_le_compat_r; [apply pow2_ge_0|lra]|].
        unfold w2. pose proof (pow2_ge_0 (49 / 100 * q - 151 / 100 * way)). pose proof (pow2_ge_0 way). lra.
      + assert (2 * i <= i ^ 2) by nra. lra. }
  destruct Sizes as [k [Pk [C1 [Young Rest]]]].
  assert (HIT : (I < T)%nat).
  { apply INR_lt. destruct (Rle_lt_dec (INR T) (INR I)) as [B|]; [exfalso|assumption].
    assert (th <= c) by (unfold th, c, i; rewrite (Rmult_comm (INR I)); now apply Rmult_le_compat_l). lra. }
  set (d := (T - I)%nat).
  assert (A : sum T (fun t => ‖∇ p (virtual t j)‖²) <= i * (q + way) ^ 2
    + (11 / 10 * (2 / (gamma * INR C) * first_height + INR T * rise) + INR T * (11 / 3 * turn ^ 2))).
  { replace T with (I + d)%nat at 1 by (unfold d; lia). rewrite sum_split. apply Rplus_le_compat.
    - apply sum_le_const. intros t Ht. eapply Rle_trans; [apply global_gap|]. rewrite <- height_square.
      apply Rmult_le_compat_l; [lra|]. apply early; [assumption|].
      assert (INR (S t) <= INR I) by (apply le_INR; lia). rewrite S_INR in *. apply le_INR in Hj.
      assert ((INR t + 1) * INR C <= INR I * INR C) by (apply Rmult_le_compat_r; lra). lra.
    - eapply Rle_trans; [apply (output_sum 10 d); lra|].
      assert (INR d <= INR T) by (apply le_INR; unfold d; lia).
      assert (INR d * rise <= INR T * rise) by (now apply Rmult_le_compat_r).
      assert (INR d * turn ^ 2 <= INR T * turn ^ 2) by (now apply Rmult_le_compat_r). lra. }
  assert (Pth : 0 < th) by lra. unfold avg.
  apply (Rmult_le_reg_l th); [assumption|].
  replace (th * (/ INR T * sum T (fun t => ‖∇ p (virtual t j)‖²))) with (h * sum T (fun t => ‖∇ p (virtual t j)‖²))
    by (unfold th; field; lra).
  assert (Start : th * (4 * gap / (gamma * INR C * INR T)) = 2 * q ^ 2)
    by (rewrite q_square; unfold th, h; field; lra).
  apply (Rmult_le_compat_l h) in A; [|assumption].
  replace (h * (i * (q + way) ^ 2
    + (11 / 10 * (2 / (gamma * INR C) * first_height + INR T * rise) + INR T * (11 / 3 * turn ^ 2))))
    with (c * (q + way) ^ 2 + 11 / 10 * (2 * L * first_height) + th * (11 / 10 * rise + 11 / 3 * turn ^ 2)) in A
    by (unfold c, th, h; field; lra).
  rewrite height_square in A.
  assert (Way : k * w2 <= th * (2 / 3 * k * w2)).
  { assert (0 <= 2 / 3 * k * w2) by (unfold w2; pos).
    assert (3 / 2 * (2 / 3 * k * w2) <= th * (2 / 3 * k * w2)) by (apply Rmult_le_compat_r; lra). lra. }
  assert (Terms : 2 / 3 * k * w2 + 11 / 10 * rise + 11 / 3 * turn ^ 2
                  <= 2 * hum + (6 * i ^ 2 + 4 * i + 2) * turn ^ 2).
  { rewrite Ew, Er. apply (Rmult_le_compat_r (turn ^ 2)) in Rest; [|assumption]. lra. }
  apply (Rmult_le_compat_l th) in Terms; [|lra]. unfold sharper. fold i.
  replace (th * (2 * hum + (6 * i ^ 2 + 4 * i + 2) * turn ^ 2 + 4 * gap / (gamma * INR C * INR T)))
    with (th * (2 * hum + (6 * i ^ 2 + 4 * i + 2) * turn ^ 2) + 2 * q ^ 2) by (rewrite <- Start; ring). lra.
Qed.

Theorem theorem4 T : (0 < T)%nat -> avg T (fun t => ‖∇ p (virtual t j)‖²) <=
  4 * gamma * sigma ^ 2 * L / INR N + 2 * (gamma * INR I * INR C * L * (G ^ 2 + sigma ^ 2) / sqrt (INR N))
  + (2 * INR I ^ 2 / (1 - 2 * gamma * L) + 4 * INR I ^ 2 + 4 * INR I + 2) * turn ^ 2
  + 4 * gap / (gamma * INR C * INR T).
Proof.
  intros HT. apply Rle_trans with (sharper T).
  - destruct (Nat.eq_dec I 0) as [Z|Z]; [now apply never_stale|]. assert (HI : (0 < I)%nat) by lia.
    destruct (Rle_lt_dec 1 ((6 * INR I ^ 2 + 4 * INR I + 2) * (gamma * L * INR C) ^ 2)) as [Large|Small];
      [now apply large_steps|].
    destruct (Rle_lt_dec (gamma * L * INR C * INR T) (3 / 2)); [now apply few_rounds|now apply many_rounds].
  - unfold sharper, hum. pose proof (pow2_ge_0 turn). pose proof (pow2_ge_0 (INR I)) as PI2.
    assert (E : 2 * INR I ^ 2 <= 2 * INR I ^ 2 / (1 - 2 * gamma * L)).
    { assert (0 <= gamma * L) by pos. apply (Rmult_le_reg_l (1 - 2 * gamma * L)); [lra|].
      replace ((1 - 2 * gamma * L) * (2 * INR I ^ 2 / (1 - 2 * gamma * L))) with (2 * INR I ^ 2) by (field; lra).
      assert (0 <= gamma * L * INR I ^ 2) by pos. lra. }
    apply (Rmult_le_compat_r (turn ^ 2)) in E; [|assumption].
    replace (4 * gamma * sigma ^ 2 * L / INR N) with (2 * (2 * gamma * sigma ^ 2 * L / INR N)) by (field; lra). lra.
Qed.
End Output.

(** ** The two models of a round *)
Lemma squares_small n : (0 < n)%nat -> avg n (fun l => INR l ^ 2) <= INR n ^ 2 / 3.
Proof.
  intros Hn. assert (1 <= INR n) by (change 1 with (INR 1); apply le_INR; lia). unfold avg. rewrite sum_squares.
  replace (/ INR n * (INR n * (INR n - 1) * (2 * INR n - 1) / 6)) with ((INR n - 1) * (2 * INR n - 1) / 6)
    by (field; lra). nra.
Qed.

Lemma sum_backwards n (h : nat -> R) : sum n (fun l => h (n - S l)%nat) = sum n h.
Proof.
  induction n; [reflexivity|]. rewrite sum_first. cbn [sum]. rewrite <- IHn.
  replace (S n - 1)%nat with n by lia. apply Rplus_comm.
Qed.

Lemma near_if j (dist : nat -> nat) t : (0 < C)%nat ->
  (forall l, (l < C)%nat -> norm (virtual t j ⊖ virtual t l) <= INR (dist l) * (gamma * G)) ->
  sum C (fun l => INR (dist l) ^ 2) = sum C (fun l => INR l ^ 2) ->
  avg C (fun l => ‖virtual t j ⊖ virtual t l‖²) <= (gamma * G * INR C) ^ 2 / 3.
Proof.
  intros HC D E. apply Rle_trans with (avg C (fun l => (gamma * G) ^ 2 * INR (dist l) ^ 2)).
  - apply avg_le. intros l Hl. eapply Rle_trans; [apply norm_le_square, (D l Hl)|]. right. ring.
  - rewrite avg_scale. unfold avg. rewrite E. pose proof (squares_small C HC) as S. unfold avg in S.
    apply (Rmult_le_compat_l ((gamma * G) ^ 2)) in S; [|pos]. lra.
Qed.

Lemma near_server t : avg C (fun l => ‖virtual t 0 ⊖ virtual t l‖²) <= (gamma * G * INR C) ^ 2 / 3.
Proof.
  apply (near_if 0 (fun l => l)); [apply some_steps| |reflexivity]. intros l Hl.
  pose proof (moved_virtual t 0 l ltac:(lia)) as M. simpl in M.
  rewrite (norm_same _ ((-1) ⊙ (virtual t l ⊖ virtual t 0))) by vectors.
  rewrite norm_scale, (Rabs_left (-1)) by lra. lra.
Qed.

Lemma near_end t : avg C (fun l => ‖virtual t (C - 1) ⊖ virtual t l‖²) <= (gamma * G * INR C) ^ 2 / 3.
Proof.
  apply (near_if (C - 1) (fun l => (C - S l)%nat)); [apply some_steps| |].
  - intros l Hl. pose proof (moved_virtual t l (C - S l) ltac:(lia)) as M.
    now replace (l + (C - S l))%nat with (C - 1)%nat in M by lia.
  - apply (sum_backwards C (fun l => INR l ^ 2)).
Qed.

Theorem local_server T : (0 < T)%nat ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  fedlaavg_thm4_server_right (gradient_bound := G) (gradient_noise := sigma) (initial_loss_gap := gap)
    (local_step_size := gamma) (local_steps := INR C) (num_clients := INR N) (num_rounds := INR T)
    (smoothness := L) (staleness_bound := INR I).
Proof.
  intros HT. rewrite (avg_ext T _ (fun t => ‖∇ p (virtual t 0)‖²)) by (intros; now rewrite virtual_start).
  assert (B : forall t, ‖∇ p (virtual t 0)‖² <= G ^ 2)
    by (intros t; rewrite virtual_start; now apply (gradient_square run Fair)).
  eapply Rle_trans; [exact (theorem4 0 ltac:(lia) near_server B T HT)|].
  right. unfold fedlaavg_thm4_server_right, turn. pose proof (sqrt_lt_R0 _ N_pos). apply lt_0_INR in HT. field. lra.
Qed.

Theorem local_end T : (0 < T)%nat -> (forall i y, (i < N)%nat -> ‖∇i p i y‖² <= G ^ 2) ->
  avg T (fun t => ‖∇ p (virtual t (C - 1))‖²) <=
  fedlaavg_thm4_right (gradient_bound := G) (gradient_noise := sigma) (initial_loss_gap := gap)
    (local_step_size := gamma) (local_steps := INR C) (num_clients := INR N) (num_rounds := INR T)
    (smoothness := L) (staleness_bound := INR I).
Proof.
  intros HT Everywhere.
  assert (B : forall t, ‖∇ p (virtual t (C - 1))‖² <= G ^ 2)
    by (intros t; apply norm_mean_le; [apply some_client|]; intros i Hi; now apply Everywhere).
  eapply Rle_trans; [exact (theorem4 (C - 1) ltac:(lia) near_end B T HT)|].
  right. unfold fedlaavg_thm4_right, turn. pose proof (sqrt_lt_R0 _ N_pos). apply lt_0_INR in HT. field. lra.
Qed.
End Local.

(** ** In expectation, on any finite probability space *)
Section Expected.
Context {P : Law} {X : Space} {p : Problem X} (run : FedLaAvgRounds (expected P p)) (I T : nat) (G : R).
Hypothesis Fair : fair_noise P (drawn run) before (noise_of run) (model run 0%nat).
Hypothesis Fresh : stale_at_most run I.
Hypothesis G_pos : 0 <= G.
Hypothesis Bounded : second_moments run G.
Hypothesis some_rounds : (0 < T)%nat.
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem thm4_server :
  fedlaavg_thm4_server_condition_step (local_step_size := step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  fedlaavg_thm4_server_right (gradient_bound := G) (gradient_noise := noise_level run) (initial_loss_gap := gap)
    (local_step_size := step run) (local_steps := INR (local_steps run)) (num_clients := INR (clients p))
    (num_rounds := INR T) (smoothness := smoothness p) (staleness_bound := INR I).
Proof. intros. in_expectation (local_server run I G). Qed.

Theorem thm4_printed : (forall i y, (i < clients p)%nat -> ‖∇i p i y‖² <= G ^ 2) ->
  fedlaavg_thm4_condition_step (local_step_size := step run) (smoothness := smoothness p) ->
  avg T (fun t => expect P (fun w => ‖∇ p (virtual run t (local_steps run - 1) w)‖²)) <=
  fedlaavg_thm4_right (gradient_bound := G) (gradient_noise := noise_level run) (initial_loss_gap := gap)
    (local_step_size := step run) (local_steps := INR (local_steps run)) (num_clients := INR (clients p))
    (num_rounds := INR T) (smoothness := smoothness p) (staleness_bound := INR I).
Proof.
  intros Everywhere Small.
  assert (Each : forall i (Y : random P X), (i < clients p)%nat -> ‖∇i (expected P p) i Y‖² <= G ^ 2).
  { intros i Y Hi. rewrite <- (expect_const P (G ^ 2)). apply expect_le. intros w. now apply Everywhere. }
  in_expectation (local_end run I G).
Qed.
End Expected.
