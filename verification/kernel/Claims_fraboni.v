(** * Statements of the claims of the paper fraboni

    Sides and conditions of claims, written by `python -m fltheory.ledger.coq` from the claims' own
    expressions: not to be edited by hand. Arguments are implicit and named by the vocabulary. *)
From Coq Require Import Reals.
From FL Require Import Numbers.
Open Scope R_scope.

(** ** fraboni.cor1.best
    mean_loss_gap <= fraboni_cor1_best_right *)
Definition fraboni_cor1_best_right {covariance_factor initial_distance_squared largest_round_weight least_total_weight
    local_step_size local_steps max_staleness num_rounds round_optimum_noise round_optimum_noise_squared server_factor
    server_step_size smoothness variance_excess : R} : R :=
  (initial_distance_squared / (local_step_size * local_steps * num_rounds * server_step_size) + 2 *
  largest_round_weight ^ 2 * local_step_size * round_optimum_noise_squared * server_step_size + 33 *
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness
  * (2 * covariance_factor * largest_round_weight ^ 2 * round_optimum_noise_squared + 2 * largest_round_weight *
  round_optimum_noise * variance_excess) / 10 + 33 * largest_round_weight * local_step_size ^ 2 * local_steps *
  round_optimum_noise * server_factor * smoothness * (local_steps - 1) / 10 + 33 * largest_round_weight *
  local_step_size * local_steps * round_optimum_noise * server_step_size * variance_excess / 16) / least_total_weight.
Definition fraboni_cor1_best_condition_c1 {local_step_size local_steps server_factor smoothness : R} : Prop :=
  local_step_size ^ 2 * local_steps * server_factor * smoothness ^ 2 * (local_steps - 1) <= 1 / 256.
Definition fraboni_cor1_best_condition_c2 {largest_round_weight local_step_size local_steps server_step_size
    smoothness variance_excess : R} : Prop :=
  smoothness * (largest_round_weight * local_step_size * server_step_size + 33 * local_step_size * local_steps *
  server_step_size * variance_excess / 32) <= 3 / 32.
Definition fraboni_cor1_best_condition_c3 {covariance_factor largest_round_weight local_step_size local_steps
    max_staleness server_step_size smoothness variance_excess : R} : Prop :=
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 * (covariance_factor * largest_round_weight + variance_excess) <= 1 / 192.
Definition fraboni_cor1_best_condition_round {largest_round_weight local_step_size local_steps server_step_size
    smoothness : R} : Prop :=
  largest_round_weight * local_step_size * local_steps * server_step_size * smoothness <= 1 / 16.

(** ** fraboni.eq12
    expected_weight = importance *)
Definition fraboni_eq12_condition_weight {aggregation_weight importance sum_of_rates update_time : R} : Prop :=
  aggregation_weight = importance * sum_of_rates * update_time.

(** ** fraboni.eq14
    expected_weight = importance *)
Definition fraboni_eq14_condition_weight {aggregation_weight importance round_duration update_time : R} : Prop :=
  aggregation_weight = importance * ceiling (update_time / round_duration).

(** ** fraboni.ex1.corrected
    limit = fraboni_ex1_corrected_right *)
Definition fraboni_ex1_corrected_right {first_optimum second_optimum : R} : R :=
  first_optimum / 2 + second_optimum / 2.
Definition fraboni_ex1_corrected_condition_part {local_move : R} : Prop :=
  local_move < 1.

(** ** fraboni.ex2.even
    even_limit = fraboni_ex2_even_right *)
Definition fraboni_ex2_even_right {first_optimum first_weight local_move second_optimum second_weight : R} : R :=
  (first_optimum * first_weight * local_move + local_move * second_optimum * second_weight * (first_weight *
  local_move + 1)) / (first_weight * local_move ^ 2 * second_weight + first_weight * local_move + local_move *
  second_weight).
Definition fraboni_ex2_even_condition_product {first_weight local_move second_weight : R} : Prop :=
  first_weight * local_move ^ 2 * second_weight < 1.
Definition fraboni_ex2_even_condition_sum {first_weight local_move second_weight : R} : Prop :=
  (-1) < (1 - first_weight * local_move) * (1 - local_move * second_weight).

(** ** fraboni.ex2.odd
    odd_limit = fraboni_ex2_odd_right *)
Definition fraboni_ex2_odd_right {first_optimum first_weight local_move second_optimum second_weight : R} : R :=
  (first_optimum * first_weight * local_move * (local_move * second_weight + 1) + local_move * second_optimum *
  second_weight) / (first_weight * local_move ^ 2 * second_weight + first_weight * local_move + local_move *
  second_weight).
Definition fraboni_ex2_odd_condition_product {first_weight local_move second_weight : R} : Prop :=
  first_weight * local_move ^ 2 * second_weight < 1.
Definition fraboni_ex2_odd_condition_sum {first_weight local_move second_weight : R} : Prop :=
  (-1) < (1 - first_weight * local_move) * (1 - local_move * second_weight).

(** ** fraboni.ex2.stable
    is_stable = condition_holds *)
Definition fraboni_ex2_stable_condition_product {first_weight local_move second_weight : R} : Prop :=
  first_weight * local_move ^ 2 * second_weight < 1.
Definition fraboni_ex2_stable_condition_sum {first_weight local_move second_weight : R} : Prop :=
  (-1) < (1 - first_weight * local_move) * (1 - local_move * second_weight).

(** ** fraboni.fedbuff.weights
    expected_weight = importance *)
Definition fraboni_fedbuff_weights_condition_weight {aggregation_weight balance_period deliveries_in_window importance
    : R} : Prop :=
  aggregation_weight = balance_period * importance / deliveries_in_window.

(** ** fraboni.lem1
    aggregate_second_moment = fraboni_lem1_right *)
Definition fraboni_lem1_right {covariance_factor own_terms squared_mean_aggregate : R} : R :=
  covariance_factor * squared_mean_aggregate + own_terms.

(** ** fraboni.lem2.corrected
    fraboni_lem2_corrected_left <= fraboni_lem2_corrected_right *)
Definition fraboni_lem2_corrected_left {alignment descent local_step_size server_step_size : R} : R :=
  2 * alignment * local_step_size * server_step_size + descent.
Definition fraboni_lem2_corrected_right {covariance_factor local_step_size round_mean_gradient round_squared_gradient
    server_step_size shared_steps total_weight variance_excess : R} : R :=
  local_step_size ^ 2 * server_step_size ^ 2 * (covariance_factor * round_mean_gradient * total_weight ^ 2 +
  round_squared_gradient * shared_steps * total_weight * variance_excess).

(** ** fraboni.lem3.corrected
    round_drift <= fraboni_lem3_corrected_right *)
Definition fraboni_lem3_corrected_right {local_step_size local_steps max_staleness recent_moves round_gap round_noise
    smoothness total_weight virtual_factor : R} : R :=
  24 * local_step_size ^ 2 * round_gap * smoothness * virtual_factor * (local_steps - 1) ^ 2 / total_weight + 12 *
  local_step_size ^ 2 * round_noise * virtual_factor * (local_steps - 1) ^ 2 + 4 * max_staleness * recent_moves.
Definition fraboni_lem3_corrected_condition_drift {local_step_size local_steps smoothness virtual_factor : R} : Prop
    :=
  6 * local_step_size ^ 2 * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 <= 1 / 2.

(** ** fraboni.lem3.gradients.corrected
    round_squared_gradient <= fraboni_lem3_gradients_corrected_right *)
Definition fraboni_lem3_gradients_corrected_right {max_staleness recent_moves round_gap round_noise smoothness
    total_weight : R} : R :=
  12 * max_staleness * recent_moves * smoothness ^ 2 + 12 * round_gap * smoothness / total_weight + 6 * round_noise.
Definition fraboni_lem3_gradients_corrected_condition_drift {local_step_size local_steps smoothness virtual_factor :
    R} : Prop :=
  6 * local_step_size ^ 2 * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 <= 1 / 2.

(** ** fraboni.lem4.corrected
    fraboni_lem4_corrected_left <= fraboni_lem4_corrected_right *)
Definition fraboni_lem4_corrected_left {alignment gap_to_point : R} : R :=
  2 * gap_to_point - 2 * alignment.
Definition fraboni_lem4_corrected_right {local_step_size local_steps max_staleness recent_moves round_gap round_noise
    smoothness total_weight virtual_factor : R} : R :=
  24 * local_step_size ^ 2 * round_gap * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 + 12 *
  local_step_size ^ 2 * round_noise * smoothness * total_weight * virtual_factor * (local_steps - 1) ^ 2 + 4 *
  max_staleness * recent_moves * smoothness * total_weight.
Definition fraboni_lem4_corrected_condition_drift {local_step_size local_steps smoothness virtual_factor : R} : Prop
    :=
  6 * local_step_size ^ 2 * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 <= 1 / 2.

(** ** fraboni.lem5.corrected
    round_mean_gradient <= fraboni_lem5_corrected_right *)
Definition fraboni_lem5_corrected_right {local_step_size local_steps max_staleness recent_moves round_gap round_noise
    round_noise_squared smoothness total_weight virtual_factor : R} : R :=
  36 * local_step_size ^ 2 * round_noise * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 + 12 *
  max_staleness * recent_moves * smoothness ^ 2 + 24 * round_gap * smoothness / total_weight + 6 *
  round_noise_squared.
Definition fraboni_lem5_corrected_condition_drift {local_step_size local_steps smoothness virtual_factor : R} : Prop
    :=
  6 * local_step_size ^ 2 * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 <= 1 / 2.

(** ** fraboni.lem6.corrected
    mean_move <= fraboni_lem6_corrected_right *)
Definition fraboni_lem6_corrected_right {covariance_factor largest_total_weight local_step_size local_steps
    mean_round_gap round_optimum_noise round_optimum_noise_squared server_step_size smoothness variance_excess
    virtual_factor : R} : R :=
  local_step_size ^ 2 * local_steps ^ 2 * server_step_size ^ 2 * (12 * covariance_factor * largest_total_weight ^ 2 *
  round_optimum_noise_squared + 12 * largest_total_weight ^ 2 * round_optimum_noise * (6 * covariance_factor *
  local_step_size ^ 2 * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 + variance_excess) + 24 *
  largest_total_weight * mean_round_gap * smoothness * (2 * covariance_factor + variance_excess)).
Definition fraboni_lem6_corrected_condition_drift {local_step_size local_steps smoothness virtual_factor : R} : Prop
    :=
  6 * local_step_size ^ 2 * smoothness ^ 2 * virtual_factor * (local_steps - 1) ^ 2 <= 1 / 2.
Definition fraboni_lem6_corrected_condition_delay {covariance_factor largest_total_weight local_step_size local_steps
    max_staleness server_step_size smoothness variance_excess : R} : Prop :=
  12 * largest_total_weight ^ 2 * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 * (covariance_factor + variance_excess) <= 1 / 2.

(** ** fraboni.lem7
    squared_gradient_gap <= fraboni_lem7_right *)
Definition fraboni_lem7_right {absent_types mismatch smoothness types_at_point : R} : R :=
  4 * absent_types * smoothness + 4 * mismatch * smoothness * types_at_point.

(** ** fraboni.tab2.d.async
    aggregation_weight = fraboni_tab2_d_async_right *)
Definition fraboni_tab2_d_async_right {importance sum_of_rates update_time : R} : R :=
  importance * sum_of_rates * update_time.

(** ** fraboni.tab2.d.fedfix
    aggregation_weight = fraboni_tab2_d_fedfix_right *)
Definition fraboni_tab2_d_fedfix_right {importance round_duration update_time : R} : R :=
  importance * ceiling (update_time / round_duration).

(** ** fraboni.tab2.d.sync
    aggregation_weight = importance *)
Definition fraboni_tab2_d_sync_condition_weight {aggregation_weight importance : R} : Prop :=
  aggregation_weight = importance.

(** ** fraboni.thm1.best
    mean_round_gap <= fraboni_thm1_best_right *)
Definition fraboni_thm1_best_right {covariance_factor initial_distance_squared largest_round_weight local_step_size
    local_steps max_staleness num_rounds objective_spread round_optimum_noise round_optimum_noise_squared
    server_factor server_step_size smoothness variance_excess : R} : R :=
  initial_distance_squared / (local_step_size * local_steps * num_rounds * server_step_size) + 2 *
  largest_round_weight ^ 2 * local_step_size * round_optimum_noise_squared * server_step_size + 33 *
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness
  * (2 * covariance_factor * largest_round_weight ^ 2 * round_optimum_noise_squared + 2 * largest_round_weight *
  round_optimum_noise * variance_excess) / 10 + 33 * largest_round_weight * local_step_size ^ 2 * local_steps *
  round_optimum_noise * server_factor * smoothness * (local_steps - 1) / 10 + 33 * largest_round_weight *
  local_step_size * local_steps * round_optimum_noise * server_step_size * variance_excess / 16 + objective_spread *
  (132 * largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 * (covariance_factor * largest_round_weight + variance_excess) / 5 + 66 * local_step_size ^ 2 *
  local_steps * server_factor * smoothness ^ 2 * (local_steps - 1) / 5 + 2 * smoothness * (4 * largest_round_weight *
  local_step_size * server_step_size + 33 * local_step_size * local_steps * server_step_size * variance_excess / 8)) +
  objective_spread.
Definition fraboni_thm1_best_condition_c1 {local_step_size local_steps server_factor smoothness : R} : Prop :=
  local_step_size ^ 2 * local_steps * server_factor * smoothness ^ 2 * (local_steps - 1) <= 1 / 256.
Definition fraboni_thm1_best_condition_c2 {largest_round_weight local_step_size local_steps server_step_size
    smoothness variance_excess : R} : Prop :=
  smoothness * (largest_round_weight * local_step_size * server_step_size + 33 * local_step_size * local_steps *
  server_step_size * variance_excess / 32) <= 3 / 32.
Definition fraboni_thm1_best_condition_c3 {covariance_factor largest_round_weight local_step_size local_steps
    max_staleness server_step_size smoothness variance_excess : R} : Prop :=
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 * (covariance_factor * largest_round_weight + variance_excess) <= 1 / 192.
Definition fraboni_thm1_best_condition_round {largest_round_weight local_step_size local_steps server_step_size
    smoothness : R} : Prop :=
  largest_round_weight * local_step_size * local_steps * server_step_size * smoothness <= 1 / 16.

(** ** fraboni.thm1.best.certain
    mean_round_gap <= fraboni_thm1_best_certain_right *)
Definition fraboni_thm1_best_certain_right {initial_distance_squared largest_round_weight local_step_size local_steps
    max_staleness num_rounds objective_spread round_optimum_noise round_optimum_noise_squared server_factor
    server_step_size smoothness : R} : R :=
  initial_distance_squared / (local_step_size * local_steps * num_rounds * server_step_size) + 33 *
  largest_round_weight ^ 3 * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * round_optimum_noise_squared *
  server_step_size ^ 2 * smoothness / 5 + 2 * largest_round_weight ^ 2 * local_step_size * round_optimum_noise_squared
  * server_step_size + 33 * largest_round_weight * local_step_size ^ 2 * local_steps * round_optimum_noise *
  server_factor * smoothness * (local_steps - 1) / 10 + objective_spread * (132 * largest_round_weight ^ 2 *
  local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness ^ 2 / 5 + 8 *
  largest_round_weight * local_step_size * server_step_size * smoothness + 66 * local_step_size ^ 2 * local_steps *
  server_factor * smoothness ^ 2 * (local_steps - 1) / 5) + objective_spread.
Definition fraboni_thm1_best_certain_condition_c1 {local_step_size local_steps server_factor smoothness : R} : Prop :=
  local_step_size ^ 2 * local_steps * server_factor * smoothness ^ 2 * (local_steps - 1) <= 1 / 256.
Definition fraboni_thm1_best_certain_condition_c2 {largest_round_weight local_step_size server_step_size smoothness :
    R} : Prop :=
  largest_round_weight * local_step_size * server_step_size * smoothness <= 3 / 32.
Definition fraboni_thm1_best_certain_condition_c3 {largest_round_weight local_step_size local_steps max_staleness
    server_step_size smoothness : R} : Prop :=
  largest_round_weight ^ 2 * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 <= 1 / 192.

(** ** fraboni.thm1.best.server
    mean_server_gap <= fraboni_thm1_best_server_right *)
Definition fraboni_thm1_best_server_right {covariance_factor initial_distance_squared largest_round_weight
    local_step_size local_steps max_staleness num_rounds objective_spread round_optimum_noise
    round_optimum_noise_squared server_step_size smoothness variance_excess : R} : R :=
  initial_distance_squared / (local_step_size * local_steps * num_rounds * server_step_size) + 33 *
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness
  * (2 * covariance_factor * largest_round_weight ^ 2 * round_optimum_noise_squared + 2 * largest_round_weight *
  round_optimum_noise * variance_excess) / 10 + 33 * largest_round_weight * local_step_size ^ 2 * local_steps *
  round_optimum_noise * smoothness * (local_steps - 1) / 10 + local_step_size * local_steps * server_step_size * (2 *
  covariance_factor * largest_round_weight ^ 2 * round_optimum_noise_squared / local_steps + 2 * largest_round_weight
  * round_optimum_noise * variance_excess) + objective_spread * (132 * largest_round_weight * local_step_size ^ 2 *
  local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness ^ 2 * (covariance_factor *
  largest_round_weight + variance_excess) / 5 + 66 * local_step_size ^ 2 * local_steps * smoothness ^ 2 * (local_steps
  - 1) / 5 + 8 * local_step_size * local_steps * server_step_size * smoothness * (covariance_factor *
  largest_round_weight + variance_excess)) + objective_spread.
Definition fraboni_thm1_best_server_condition_c1 {local_step_size local_steps smoothness : R} : Prop :=
  local_step_size ^ 2 * local_steps * smoothness ^ 2 * (local_steps - 1) <= 1 / 256.
Definition fraboni_thm1_best_server_condition_c2 {covariance_factor largest_round_weight local_step_size local_steps
    server_step_size smoothness variance_excess : R} : Prop :=
  local_step_size * local_steps * server_step_size * smoothness * (covariance_factor * largest_round_weight +
  variance_excess) <= 3 / 32.
Definition fraboni_thm1_best_server_condition_c3 {covariance_factor largest_round_weight local_step_size local_steps
    max_staleness server_step_size smoothness variance_excess : R} : Prop :=
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 * (covariance_factor * largest_round_weight + variance_excess) <= 1 / 192.

(** ** fraboni.thm2.best
    mean_step_gradient <= fraboni_thm2_best_right *)
Definition fraboni_thm2_best_right {covariance_factor initial_distance_squared largest_mismatch largest_round_weight
    least_total_weight local_step_size local_steps max_staleness misrepresentation num_rounds objective_spread
    round_optimum_noise round_optimum_noise_squared server_factor server_step_size smoothness unrepresented
    variance_excess : R} : R :=
  8 * smoothness * (misrepresentation + unrepresented) + smoothness * (8 * largest_mismatch + 4) *
  (initial_distance_squared / (local_step_size * local_steps * num_rounds * server_step_size) + 2 *
  largest_round_weight ^ 2 * local_step_size * round_optimum_noise_squared * server_step_size + 33 *
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness
  * (2 * covariance_factor * largest_round_weight ^ 2 * round_optimum_noise_squared + 2 * largest_round_weight *
  round_optimum_noise * variance_excess) / 10 + 33 * largest_round_weight * local_step_size ^ 2 * local_steps *
  round_optimum_noise * server_factor * smoothness * (local_steps - 1) / 10 + 33 * largest_round_weight *
  local_step_size * local_steps * round_optimum_noise * server_step_size * variance_excess / 16 + objective_spread *
  (132 * largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 * (covariance_factor * largest_round_weight + variance_excess) / 5 + 66 * local_step_size ^ 2 *
  local_steps * server_factor * smoothness ^ 2 * (local_steps - 1) / 5 + 2 * smoothness * (4 * largest_round_weight *
  local_step_size * server_step_size + 33 * local_step_size * local_steps * server_step_size * variance_excess / 8)) +
  objective_spread) / least_total_weight.
Definition fraboni_thm2_best_condition_c1 {local_step_size local_steps server_factor smoothness : R} : Prop :=
  local_step_size ^ 2 * local_steps * server_factor * smoothness ^ 2 * (local_steps - 1) <= 1 / 256.
Definition fraboni_thm2_best_condition_c2 {largest_round_weight local_step_size local_steps server_step_size
    smoothness variance_excess : R} : Prop :=
  smoothness * (largest_round_weight * local_step_size * server_step_size + 33 * local_step_size * local_steps *
  server_step_size * variance_excess / 32) <= 3 / 32.
Definition fraboni_thm2_best_condition_c3 {covariance_factor largest_round_weight local_step_size local_steps
    max_staleness server_step_size smoothness variance_excess : R} : Prop :=
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 *
  smoothness ^ 2 * (covariance_factor * largest_round_weight + variance_excess) <= 1 / 192.
Definition fraboni_thm2_best_condition_round {largest_round_weight local_step_size local_steps server_step_size
    smoothness : R} : Prop :=
  largest_round_weight * local_step_size * local_steps * server_step_size * smoothness <= 1 / 16.

(** ** fraboni.thm2.display.corrected
    squared_global_gradient <= fraboni_thm2_display_corrected_right *)
Definition fraboni_thm2_display_corrected_right {absent_types mismatch round_excess smoothness total_weight
    types_at_optimum : R} : R :=
  8 * absent_types * smoothness + 8 * mismatch * smoothness * types_at_optimum + round_excess * smoothness * (8 *
  mismatch + 4) / total_weight.

(** ** fraboni.thm3.windows
    mean_server_objective_gap <= fraboni_thm3_windows_right *)
Definition fraboni_thm3_windows_right {balance_period covariance_factor initial_distance_squared largest_round_weight
    local_step_size local_steps max_staleness num_rounds optimum_noise server_step_size smoothness variance_excess
    window_overlap : R} : R :=
  initial_distance_squared / (local_step_size * local_steps * num_rounds * server_step_size) + optimum_noise * (8 *
  largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * server_step_size ^ 2 * smoothness ^ 2 *
  (balance_period + max_staleness) ^ 2 * Rmax largest_round_weight (covariance_factor * largest_round_weight +
  variance_excess) + 4 * local_step_size ^ 2 * local_steps * smoothness ^ 2 * (local_steps - 1) + 4 * local_step_size
  * local_steps * server_step_size * smoothness * (window_overlap + 1) * Rmax largest_round_weight (covariance_factor
  * largest_round_weight + variance_excess)) / smoothness.
Definition fraboni_thm3_windows_condition_short {balance_period covariance_factor largest_round_weight local_step_size
    local_steps max_staleness server_step_size smoothness variance_excess window_overlap : R} : Prop :=
  32 * largest_round_weight * local_step_size ^ 2 * local_steps ^ 2 * server_step_size ^ 2 * smoothness ^ 2 *
  (balance_period + max_staleness) ^ 2 * Rmax largest_round_weight (covariance_factor * largest_round_weight +
  variance_excess) + 16 * local_step_size ^ 2 * local_steps * smoothness ^ 2 * (local_steps - 1) + 16 *
  local_step_size * local_steps * server_step_size * smoothness * (window_overlap + 1) * Rmax largest_round_weight
  (covariance_factor * largest_round_weight + variance_excess) <= 1.
