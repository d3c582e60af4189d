(** * AFA-CD with one local step: noise against delay

    The setting of Theorem 2 of AFL ([AflTheorem2.v]) with K = 1. Two free numbers e, q > 0 say how
    a sum is split: the clients' distance sigma_G from what the delay costs, and the noise of the
    rounds in between from their paths. With l = L g and at least m updates in each round: if

        (1 + 1/e) (1 + q) tau^2 l^2 + l <= 1,

    then the average over the rounds of E |grad f(x_t)|^2 is at most

        2 gap/(g T) + (1 + e) sigma_G^2 + (l + (1 + 1/e) (1 + 1/q) tau l^2) sigma_L^2/m.

    e = q = 1 is [afl_thm2_onestep]; a small e brings the part of sigma_G, which cannot be avoided,
    as close to sigma_G^2 as one likes, and pays with shorter steps. *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Chance CrossDevice AflTheorem2.
Open Scope R_scope.

Section OneStep.
Context {H : Space} {p : Problem H} (run : CrossDevice p) (sigmaG e q : R) (T : nat).
Hypothesis Fair : unbiased_noise run.
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Hypothesis e_pos : 0 < e.
Hypothesis q_pos : 0 < q.
Hypothesis One : most_steps run = 1%nat.

Notation L := (smoothness p).
Notation x := (model run).
Notation g := (server_step run * local_step run).
Notation sigma := (noise_level run).
Notation m := (INR (least_arrivals run)).
Notation tau := (max_delay run).
Notation gap := (global p (x 0%nat) - lowest p).

(** What the model moved while updates were on their way, divided by e. *)
Definition lag_parts t : R :=
  / e * (g ^ 2 * ((1 + q) * (INR tau * window tau (square (paths run)) t)
                  + (1 + / q) * (INR tau * (sigma ^ 2 / m)))).

Lemma moves_in_parts t s : (s < arrivals run t)%nat -> ‖x t ⊖ pulled run t s‖² <= e * lag_parts t.
Proof.
  intros Hs. destruct (delay_bound run t s Hs) as [Late Early]. unfold pulled, lag_parts.
  set (d := delay run t s) in *.
  pose proof (m_pos run) as Pm. assert (Pn : 0 <= sigma ^ 2 / m) by (apply Rle_mult_inv_pos; [pos|lra]).
  rewrite (same_norm _ _ (moved g x (used run) (serve run) t d Early)), square_scale.
  set (VD := vsum d (fun j => paths run (t - S j)%nat)). set (VN := vsum d (fun j => hums run (t - S j)%nat)).
  assert (E : same (vsum d (fun j => used run (t - S j)%nat)) (VD ⊕ VN)).
  { intros z. unfold VD, VN. rewrite dot_add_l, !dot_vsum_l, <- sum_add. apply sum_ext. intros.
    now rewrite used_is, dot_add_l. }
  rewrite (same_norm _ _ E).
  pose proof (norm_add_young (/ q) VD VN (Rinv_0_lt_compat _ q_pos)) as Y. rewrite Rinv_inv in Y.
  pose proof (sum_of_last (paths run) tau t d Early Late) as W. fold VD in W.
  assert (N : ‖VN‖² <= INR tau * (sigma ^ 2 / m)).
  { unfold VN. rewrite norm_vsum_orthogonal by (intros; apply (hums_orthogonal run Fair); lia).
    apply Rle_trans with (INR d * (sigma ^ 2 / m)).
    - apply sum_le_const. intros. now apply hums_square.
    - apply Rmult_le_compat_r; [assumption|]. now apply le_INR. }
  assert (Q : 0 < / q) by (now apply Rinv_0_lt_compat).
  apply (Rmult_le_compat_l (1 + q)) in W; [|lra]. apply (Rmult_le_compat_l (1 + / q)) in N; [|lra].
  replace (e * (/ e * (g ^ 2 * ((1 + q) * (INR tau * window tau (square (paths run)) t)
            + (1 + / q) * (INR tau * (sigma ^ 2 / m))))))
    with ((- g) ^ 2 * ((1 + q) * (INR tau * window tau (square (paths run)) t)
            + (1 + / q) * (INR tau * (sigma ^ 2 / m)))) by (field; lra).
  apply Rmult_le_compat_l; [pos|]. lra.
Qed.

Lemma lag_parts_sum : sum T lag_parts
  <= / e * g ^ 2 * (1 + q) * INR tau ^ 2 * sum T (square (paths run))
     + INR T * (/ e * g ^ 2 * (1 + / q) * INR tau * (sigma ^ 2 / m)).
Proof.
  unfold lag_parts. rewrite !sum_scale, sum_add, !sum_scale, sum_const.
  pose proof (window_sum tau (square (paths run)) T (square_pos _)) as W.
  assert (Pe : 0 < / e) by (now apply Rinv_0_lt_compat).
  assert (P : 0 <= / e * g ^ 2 * (1 + q) * INR tau).
  { pose proof (pos_INR tau). assert (0 <= g ^ 2) by pos.
    apply Rmult_le_pos; [apply Rmult_le_pos; [apply Rmult_le_pos|]|]; lra. }
  apply (Rmult_le_compat_l _ _ _ P) in W. lra.
Qed.

Lemma bias_in_parts t : ‖∇ p (x t) ⊖ paths run t‖²
  <= (1 + e) * (sigmaG ^ 2 + L ^ 2 * lag_parts t + 0 + 0 * used_slope run t).
Proof.
  pose proof (some_count run t) as C. unfold paths.
  rewrite (same_norm _ _ (mean_sub _ _ _ C)). apply norm_mean_le; [assumption|]. intros s Hs.
  pose proof (is_worker run t s Hs) as Hw. set (i := worker run t s) in *.
  assert (E : same (∇ p (x t) ⊖ slot_path run t s)
    ((∇i p i (x t) ⊖ ∇i p i (pulled run t s)) ⊕ (∇ p (x t) ⊖ ∇i p i (x t)))).
  { intros z. rewrite dot_add_l, dot_scale_l, (single_path run T some_rounds t s One Hs). fold i. expand_dots. ring. }
  rewrite (same_norm _ _ E).
  pose proof (norm_add_young e (∇i p i (x t) ⊖ ∇i p i (pulled run t s)) (∇ p (x t) ⊖ ∇i p i (x t)) e_pos) as Y.
  pose proof (Apart i (x t) Hw) as P1. rewrite norm_sub_sym in P1.
  pose proof (client_lipschitz p i (x t) (pulled run t s) Hw) as P2.
  assert (P3 : L ^ 2 * ‖x t ⊖ pulled run t s‖² <= L ^ 2 * (e * lag_parts t))
    by (apply Rmult_le_compat_l; [pos|now apply moves_in_parts]).
  assert (Q : 0 < / e) by (now apply Rinv_0_lt_compat).
  apply Rle_trans with ((1 + / e) * (L ^ 2 * (e * lag_parts t)) + (1 + e) * sigmaG ^ 2).
  - eapply Rle_trans; [exact Y|]. apply Rplus_le_compat; apply Rmult_le_compat_l; lra.
  - right. field. lra.
Qed.

Theorem cross_device_one_step_split :
  (1 + / e) * (1 + q) * INR tau ^ 2 * (L * g) ^ 2 + L * g <= 1 ->
  avg T (fun t => ‖∇ p (x t)‖²) <=
  2 * gap / (g * INR T) + (1 + e) * sigmaG ^ 2
  + (L * g + (1 + / e) * (1 + / q) * INR tau * (L * g) ^ 2) * sigma ^ 2 / m.
Proof.
  intros Small.
  assert (Squares : forall t, ‖used run t‖² <= 1 * ‖paths run t‖² + sigma ^ 2 / m).
  { intros t. pose proof (used_square run Fair t (or_introl One)). lra. }
  assert (Step : (1 + e) * L ^ 2 * (/ e * g ^ 2 * (1 + q) * INR tau ^ 2) + L * g * 1 <= 1).
  { replace ((1 + e) * L ^ 2 * (/ e * g ^ 2 * (1 + q) * INR tau ^ 2))
      with ((1 + / e) * (1 + q) * INR tau ^ 2 * (L * g) ^ 2) by (field; lra). lra. }
  pose proof (all_rounds run Fair (1 + e) 0 0 lag_parts sigmaG ltac:(lra) ltac:(lra) bias_in_parts
    _ _ 1 (sigma ^ 2 / m) 0 T lag_parts_sum Squares Step ltac:(lra) ltac:(lra) some_rounds) as Main.
  eapply Rle_trans; [exact Main|]. right.
  pose proof (lt_0_INR T some_rounds). pose proof (m_pos run). pose proof (local_step_pos run).
  pose proof (server_step_pos run). field. repeat split; lra.
Qed.
End OneStep.

(** ** In expectation, on any finite probability space *)
Section Expected.
Context {P : Law} {E : Space} {p : Problem E} (run : CrossDevice (expected P p)) (sigmaG e q : R) (T : nat).
Hypothesis Fair : fair_noise P (drawn run) before (noise_of run) (model run 0%nat).
Hypothesis Apart : dissimilarity p sigmaG.
Hypothesis some_rounds : (0 < T)%nat.
Notation l := (smoothness p * (server_step run * local_step run)).
Notation tau := (INR (max_delay run)).
Notation m := (INR (least_arrivals run)).
Notation gap := (expect P (fun w => global p (model run 0%nat w)) - lowest p).

Theorem one_step_split : 0 < e -> 0 < q -> most_steps run = 1%nat ->
  (1 + / e) * (1 + q) * tau ^ 2 * l ^ 2 + l <= 1 ->
  avg T (fun t => expect P (fun w => ‖∇ p (model run t w)‖²)) <=
  2 * gap / (server_step run * local_step run * INR T) + (1 + e) * sigmaG ^ 2
  + (l + (1 + / e) * (1 + / q) * tau * l ^ 2) * noise_level run ^ 2 / m.
Proof. intros. in_expectation (cross_device_one_step_split run sigmaG e q T). Qed.
End Expected.
