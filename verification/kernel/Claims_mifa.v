(** * Statements of the claims of the paper mifa

    Sides and conditions of claims, written by `python -m fltheory.ledger.coq` from the claims' own
    expressions: not to be edited by hand. Arguments are implicit and named by the vocabulary. *)
From Coq Require Import Reals.
From FL Require Import Numbers.
Open Scope R_scope.

(** ** mifa.def5.2
    tail_probability = mifa_def5_2_right *)
Definition mifa_def5_2_right {absence availability_probability : R} : R :=
  power (1 - availability_probability) absence.

(** ** mifa.def5.2.average
    expected_mean_staleness = mifa_def5_2_average_right *)
Definition mifa_def5_2_average_right {availability_probability num_rounds : R} : R :=
  (1 - availability_probability) / availability_probability - (1 - availability_probability) * (1 - power (1 -
  availability_probability) num_rounds) / (availability_probability ^ 2 * num_rounds).

(** ** mifa.def5.2.mean
    expected_staleness = mifa_def5_2_mean_right *)
Definition mifa_def5_2_mean_right {availability_probability round : R} : R :=
  (1 - availability_probability - power (1 - availability_probability) round) / availability_probability.

(** ** mifa.potential.rate
    mean_squared_gradient <= mifa_potential_rate_right *)
Definition mifa_potential_rate_right {initial_loss_gap local_step_size max_staleness num_rounds smoothness : R} : R :=
  initial_loss_gap * (local_step_size * smoothness * (max_staleness + 1) + 1) ^ 2 / (local_step_size * num_rounds * (1
  - local_step_size * smoothness * (max_staleness + 1) / 2)).
Definition mifa_potential_rate_condition_reach {local_step_size max_staleness smoothness : R} : Prop :=
  local_step_size * smoothness * (max_staleness + 1) < 2.

(** ** mifa.prop5.1
    minimax_risk >= mifa_prop5_1_right *)
Definition mifa_prop5_1_right {gradient_noise local_steps mean_staleness num_clients num_rounds strong_convexity : R}
    : R :=
  gradient_noise ^ 2 * mean_staleness / (6 * local_steps * num_clients * strong_convexity * (num_rounds + 1)).

(** ** mifa.thm5.1.best
    weighted_loss_gap <= mifa_thm5_1_best_right *)
Definition mifa_thm5_1_best_right {dissimilarity_at_optimum gradient_noise initial_distance local_steps mean_staleness
    num_clients num_rounds smoothness step_offset strong_convexity : R} : R :=
  102 * gradient_noise ^ 2 * (2 * mean_staleness + 1) / (local_steps * num_clients * strong_convexity * (num_rounds +
  step_offset + 1)) + 23 * initial_distance ^ 2 * step_offset ^ 2 * strong_convexity / (100 * (num_rounds + 1) ^ 2) +
  smoothness * (750 * dissimilarity_at_optimum * (local_steps - 1) ^ 2 / local_steps ^ 2 + 500 * gradient_noise ^ 2 *
  (local_steps - 1) / local_steps ^ 2) / (strong_convexity ^ 2 * (num_rounds + 1) ^ 2).
Definition mifa_thm5_1_best_condition_offset {smoothness step_offset strong_convexity : R} : Prop :=
  100 * smoothness / strong_convexity <= step_offset.

(** ** mifa.thm5.1.constant_step
    last_squared_distance <= mifa_thm5_1_constant_step_right *)
Definition mifa_thm5_1_constant_step_right {dissimilarity_at_optimum gradient_noise initial_distance local_step_size
    local_steps max_staleness num_clients num_rounds smoothness strong_convexity : R} : R :=
  6 * gradient_noise ^ 2 * local_step_size * (max_staleness + 1) / (num_clients * strong_convexity) +
  initial_distance ^ 2 * power (1 - 3 * local_step_size * local_steps * strong_convexity / 4) num_rounds +
  local_step_size ^ 2 * local_steps ^ 2 * smoothness * (11 * dissimilarity_at_optimum * (local_steps -
  1) ^ 2 / local_steps ^ 2 + 7 * gradient_noise ^ 2 * (local_steps - 1) / local_steps ^ 2) / strong_convexity.
Definition mifa_thm5_1_constant_step_condition_step {local_step_size local_steps smoothness : R} : Prop :=
  local_step_size * local_steps * smoothness <= 1 / 25.
Definition mifa_thm5_1_constant_step_condition_stale {local_step_size local_steps max_staleness smoothness : R} : Prop
    :=
  local_step_size * local_steps * max_staleness * smoothness <= 1 / 10.

(** ** mifa.thm5.1.convex
    mean_model_gap <= mifa_thm5_1_convex_right *)
Definition mifa_thm5_1_convex_right {dissimilarity_at_optimum gradient_noise initial_distance local_step_size
    local_steps mean_staleness num_clients num_rounds smoothness : R} : R :=
  3 * gradient_noise ^ 2 * local_step_size * (2 * mean_staleness + 1) / num_clients +
  initial_distance ^ 2 / (local_step_size * local_steps * (num_rounds + 1)) + local_step_size ^ 2 * local_steps ^ 2 *
  smoothness * (4 * dissimilarity_at_optimum * (local_steps - 1) ^ 2 / local_steps ^ 2 + 3 * gradient_noise ^ 2 *
  (local_steps - 1) / local_steps ^ 2).
Definition mifa_thm5_1_convex_condition_step {local_step_size local_steps smoothness : R} : Prop :=
  local_step_size * local_steps * smoothness <= 1 / 25.
Definition mifa_thm5_1_convex_condition_stale {local_step_size local_steps max_staleness smoothness : R} : Prop :=
  local_step_size * local_steps * max_staleness * smoothness <= 1 / 10.

(** ** mifa.thm5.1.terms
    weighted_loss_gap <= mifa_thm5_1_terms_right *)
Definition mifa_thm5_1_terms_right {dissimilarity_at_optimum gradient_noise initial_distance initial_gap local_steps
    mean_staleness num_clients num_rounds smoothness strong_convexity : R} : R :=
  204 * gradient_noise ^ 2 * (mean_staleness + 1) / (local_steps * num_clients * strong_convexity * (num_rounds + 1))
  + (2300 * initial_distance ^ 2 * initial_gap ^ 2 * smoothness ^ 3 + 1000 * smoothness * (local_steps - 1) ^ 2 *
  (dissimilarity_at_optimum / local_steps ^ 2 + gradient_noise ^ 2 / local_steps ^ 3)) / (strong_convexity ^ 2 *
  (num_rounds + 1) ^ 2).
Definition mifa_thm5_1_terms_condition_late {initial_gap : R} : Prop :=
  1 <= initial_gap.
Definition mifa_thm5_1_terms_condition_offset {initial_gap smoothness step_offset strong_convexity : R} : Prop :=
  step_offset = (sqrt smoothness) ^ 3 * Rmax 100 (40 * initial_gap) / (sqrt strong_convexity) ^ 3.

(** ** mifa.thm5.2
    failure_probability <= confidence_gap *)
Definition mifa_thm5_2_condition_fails {availability_probability confidence_gap num_clients round staleness : R} :
    Prop :=
  (ln (num_clients * round / confidence_gap) + 1) / availability_probability < staleness.

(** ** mifa.thm5.2.2
    failure_probability <= confidence_gap *)
Definition mifa_thm5_2_2_condition_fails {availability_probability confidence_gap num_clients num_rounds staleness :
    R} : Prop :=
  ln (num_clients * num_rounds / confidence_gap) / availability_probability < staleness.

(** ** mifa.thm5.2.explicit
    failure_probability <= mifa_thm5_2_explicit_right *)
Definition mifa_thm5_2_explicit_right {availability_probability confidence_gap : R} : R :=
  confidence_gap * (availability_probability + 2) * exp (0 - availability_probability / 2 - 1).
Definition mifa_thm5_2_explicit_condition_fails {availability_probability confidence_gap num_clients round staleness :
    R} : Prop :=
  (ln (num_clients * round / confidence_gap) + 1) / availability_probability < staleness.

(** ** mifa.thm5.3
    failure_probability <= confidence_gap *)
Definition mifa_thm5_3_condition_fails {confidence_gap mean_inverse_chance mean_staleness : R} : Prop :=
  (exp 1) * mean_inverse_chance * (ln (1 / confidence_gap) + 1) / ((exp 1) - 1) < mean_staleness.

(** ** mifa.thm5.3.explicit
    tail_probability <= mifa_thm5_3_explicit_right *)
Definition mifa_thm5_3_explicit_right {level : R} : R :=
  level * exp (1 - level).

(** ** mifa.thm6.1
    min_squared_gradient = O of mifa_thm6_1_right *)
Definition mifa_thm6_1_right {dissimilarity_offset dissimilarity_slope gradient_noise hessian_smoothness
    initial_loss_gap local_steps max_staleness mean_client_max_staleness noise_bound num_clients num_rounds smoothness
    : R} : R :=
  (gradient_noise ^ 2 * max_staleness * (hessian_smoothness * noise_bound + smoothness ^ 2) / smoothness + local_steps
  * num_clients * smoothness * (sqrt dissimilarity_offset * gradient_noise * max_staleness + dissimilarity_slope *
  gradient_noise ^ 2 * mean_client_max_staleness + gradient_noise ^ 2 * max_staleness / (sqrt local_steps *
  sqrt num_clients)) + num_clients * smoothness * (dissimilarity_offset + gradient_noise ^ 2 / local_steps) *
  (local_steps - 1) / (mean_client_max_staleness + 1)) / (num_rounds + 1) + sqrt smoothness * (gradient_noise ^ 2 +
  initial_loss_gap) * sqrt (mean_client_max_staleness + 1) / (sqrt local_steps * sqrt num_clients * sqrt (num_rounds +
  1)).
Definition mifa_thm6_1_condition_step {local_step_size local_steps mean_client_max_staleness num_clients num_rounds
    smoothness : R} : Prop :=
  local_step_size = sqrt num_clients / (sqrt local_steps * sqrt smoothness * sqrt (mean_client_max_staleness + 1) *
  sqrt (num_rounds + 1)).
Definition mifa_thm6_1_condition_long {dissimilarity_slope hessian_smoothness local_steps max_staleness noise_bound
    num_clients num_rounds smoothness : R} : Prop :=
  Rmax (16 * local_steps * num_clients * smoothness) (Rmax (32 * dissimilarity_slope * local_steps * num_clients *
  smoothness) (8 * local_steps * max_staleness ^ 2 * num_clients * (hessian_smoothness * noise_bound +
  smoothness ^ 2) / smoothness)) <= num_rounds + 1.

(** ** mifa.thm6.1.best
    mean_squared_gradient_of_models <= mifa_thm6_1_best_right *)
Definition mifa_thm6_1_best_right {dissimilarity_offset gradient_noise initial_loss_gap local_step_size local_steps
    mean_staleness num_clients num_rounds smoothness : R} : R :=
  17 * gradient_noise ^ 2 * local_step_size * smoothness * (2 * mean_staleness + 1) / num_clients + 103 *
  initial_loss_gap / (20 * local_step_size * local_steps * (num_rounds + 1)) + 46 * local_step_size ^ 2 *
  local_steps ^ 2 * smoothness ^ 2 * (dissimilarity_offset * (local_steps - 1) ^ 2 / local_steps ^ 2 +
  gradient_noise ^ 2 * (local_steps - 1) / local_steps ^ 2) / 5.
Definition mifa_thm6_1_best_condition_i {local_step_size local_steps smoothness : R} : Prop :=
  4 * local_step_size * local_steps * smoothness <= 1.
Definition mifa_thm6_1_best_condition_ii {local_step_size local_steps max_staleness smoothness : R} : Prop :=
  8 * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * smoothness ^ 2 <= 1.
Definition mifa_thm6_1_best_condition_iii {dissimilarity_slope local_step_size local_steps mean_client_max_staleness
    smoothness : R} : Prop :=
  32 * dissimilarity_slope * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (mean_client_max_staleness + 1)
  <= 1.

(** ** mifa.thm6.1.best.one_step
    mean_squared_gradient_of_models <= mifa_thm6_1_best_one_step_right *)
Definition mifa_thm6_1_best_one_step_right {gradient_noise initial_loss_gap local_step_size local_steps mean_staleness
    num_clients num_rounds smoothness : R} : R :=
  7 * gradient_noise ^ 2 * local_step_size * smoothness * (2 * mean_staleness + 1) / num_clients + 4 *
  initial_loss_gap / (local_step_size * local_steps * (num_rounds + 1)).
Definition mifa_thm6_1_best_one_step_condition_i {local_step_size local_steps smoothness : R} : Prop :=
  4 * local_step_size * local_steps * smoothness <= 1.
Definition mifa_thm6_1_best_one_step_condition_ii {local_step_size local_steps max_staleness smoothness : R} : Prop :=
  8 * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * smoothness ^ 2 <= 1.
Definition mifa_thm6_1_best_one_step_condition_one_step {local_steps : R} : Prop :=
  local_steps = 1.

(** ** mifa.thm6.1.corrected
    min_squared_gradient <= mifa_thm6_1_corrected_right *)
Definition mifa_thm6_1_corrected_right {dissimilarity_offset gradient_noise initial_loss_gap local_steps
    mean_client_max_staleness num_clients num_rounds smoothness : R} : R :=
  46 * num_clients * smoothness * (dissimilarity_offset + gradient_noise ^ 2 / local_steps) * (local_steps - 1) / (5 *
  (mean_client_max_staleness + 1) * (num_rounds + 1)) + sqrt smoothness * (34 * gradient_noise ^ 2 + 103 *
  initial_loss_gap / 20) * sqrt (mean_client_max_staleness + 1) / (sqrt local_steps * sqrt num_clients *
  sqrt (num_rounds + 1)).
Definition mifa_thm6_1_corrected_condition_step {local_step_size local_steps mean_client_max_staleness num_clients
    num_rounds smoothness : R} : Prop :=
  local_step_size = sqrt num_clients / (sqrt local_steps * sqrt smoothness * sqrt (mean_client_max_staleness + 1) *
  sqrt (num_rounds + 1)).
Definition mifa_thm6_1_corrected_condition_long {dissimilarity_slope local_steps max_staleness num_clients num_rounds
    smoothness : R} : Prop :=
  Rmax (16 * local_steps * num_clients * smoothness) (Rmax (32 * dissimilarity_slope * local_steps * num_clients *
  smoothness) (8 * local_steps * max_staleness ^ 2 * num_clients * smoothness)) <= num_rounds + 1.
