(** * Gradient descent, the smallest example of a theorem file

    For every L-smooth loss that is bounded below, every step eta with L eta <= 1 and every number
    of rounds T, the average over the rounds of |grad f (x_t)|^2 is at most
    2 (f (x_0) - low) / (eta T). *)
From Coq Require Import Reals Lra Psatz Lia.
From FL Require Import Smooth.
Open Scope R_scope.

Record GradientDescent {H : Space} (p : Problem H) := {
  step : R;
  model : nat -> H;
  step_pos : 0 < step;
  serve : forall t, model (S t) = model t ⊕ (- step) ⊙ ∇ p (model t)
}.

Arguments step {H p}. Arguments model {H p}. Arguments step_pos {H p}. Arguments serve {H p}.

Theorem gradient_descent {H : Space} {p : Problem H} (run : GradientDescent p) (T : nat) :
  (0 < T)%nat -> smoothness p * step run <= 1 ->
  avg T (fun t => ‖∇ p (model run t)‖²) <=
  2 * (global p (model run 0%nat) - lowest p) / (step run * INR T).
Proof.
  intros HT Small. pose proof (step_pos run) as Ps. pose proof (lt_0_INR T HT) as PT.
  assert (OneRound : forall t, global p (model run (S t)) - global p (model run t)
                               <= - (step run / 2 * ‖∇ p (model run t)‖²)).
  { intros t. rewrite (serve run). set (g := ∇ p (model run t)).
    pose proof (global_descent p (model run t) ((- step run) ⊙ g)) as D.
    rewrite dot_scale_r, square_scale in D. fold g in D.
    pose proof (dot_pos g).
    assert (0 <= (1 - smoothness p * step run) * (step run * ‖g‖²)) by pos. lra. }
  pose proof (total_descent p (model run) _ T (fun t _ => OneRound t)) as AllRounds. rewrite sum_scale in AllRounds.
  eapply Rle_trans; [apply (avg_from_sum T _ (step run / 2) _ HT ltac:(lra) AllRounds)|].
  right. field. lra.
Qed.
