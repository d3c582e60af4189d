(** * Statements of the claims of the paper afl

    Sides and conditions of claims, written by `python -m fltheory.ledger.coq` from the claims' own
    expressions: not to be edited by hand. Arguments are implicit and named by the vocabulary. *)
From Coq Require Import Reals.
From FL Require Import Numbers.
Open Scope R_scope.

(** ** afl.a4c
    mean_squared_lag <= afl_a4c_right *)
Definition afl_a4c_right {clients_per_round gradient_noise local_step_size max_delay server_step_size window_sum : R}
    : R :=
  local_step_size ^ 2 * max_delay * server_step_size ^ 2 * (clients_per_round * gradient_noise ^ 2 * max_delay +
  window_sum) / clients_per_round ^ 2.
Definition afl_a4c_condition_short {local_step_size local_steps smoothness : R} : Prop :=
  local_steps = 1 \/ local_step_size * local_steps * smoothness <= 1.

(** ** afl.cor1.explicit
    mean_squared_gradient <= afl_cor1_explicit_right *)
Definition afl_cor1_explicit_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_steps
    max_delay num_rounds smoothness : R} : R :=
  dissimilarity ^ 2 * (180 * local_steps ^ 2 * smoothness ^ 2 / num_rounds + 6) + gradient_noise ^ 2 * (30 *
  local_steps * smoothness ^ 2 / num_rounds + 6 * max_delay ^ 2 * smoothness ^ 2 / num_rounds + 4 *
  smoothness / (sqrt clients_per_round * sqrt num_rounds)) + 4 * initial_loss_gap / (sqrt clients_per_round *
  sqrt num_rounds).
Definition afl_cor1_explicit_condition_steps {clients_per_round local_step_size num_rounds server_step_size : R} :
    Prop :=
  local_step_size = 1 / sqrt num_rounds /\ server_step_size = sqrt clients_per_round.
Definition afl_cor1_explicit_condition_drift {local_steps max_delay num_rounds smoothness : R} : Prop :=
  local_steps = 1 \/ 180 * local_steps ^ 2 * smoothness ^ 2 * Rmax 1 max_delay <= num_rounds.
Definition afl_cor1_explicit_condition_horizon {clients_per_round max_delay num_rounds smoothness : R} : Prop :=
  clients_per_round * smoothness ^ 2 * (sqrt (3 * max_delay ^ 2 + 1) + 1) ^ 2 <= num_rounds.

(** ** afl.cor2.explicit
    mean_squared_gradient <= afl_cor2_explicit_right *)
Definition afl_cor2_explicit_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_steps
    num_clients num_rounds smoothness : R} : R :=
  80 * dissimilarity ^ 2 * smoothness ^ 2 * (local_steps - 1) * (2 * local_steps - 1) / (9 * num_rounds) + 40 *
  gradient_noise ^ 2 * smoothness ^ 2 * (local_steps - 1) / (3 * num_rounds) + 45 * dissimilarity ^ 2 * smoothness *
  (num_clients - clients_per_round) / (2 * sqrt clients_per_round * sqrt num_rounds * Rmax 1 (num_clients - 1)) + (15
  * gradient_noise ^ 2 * smoothness / 2 + 4 * initial_loss_gap) / (sqrt clients_per_round * sqrt num_rounds).
Definition afl_cor2_explicit_condition_steps {clients_per_round local_step_size num_rounds server_step_size : R} :
    Prop :=
  local_step_size = 1 / sqrt num_rounds /\ server_step_size = sqrt clients_per_round.
Definition afl_cor2_explicit_condition_drift {local_steps max_delay num_rounds smoothness : R} : Prop :=
  local_steps = 1 \/ 20 * local_steps ^ 2 * smoothness ^ 2 * (max_delay + 1) <= num_rounds.
Definition afl_cor2_explicit_condition_horizon {clients_per_round max_delay num_rounds smoothness : R} : Prop :=
  36 * clients_per_round * smoothness ^ 2 * (max_delay + 1) ^ 2 <= num_rounds.

(** ** afl.cor3.explicit
    mean_squared_gradient <= afl_cor3_explicit_right *)
Definition afl_cor3_explicit_right {dissimilarity gradient_noise initial_loss_gap least_local_steps local_steps
    max_staleness num_clients num_rounds smoothness : R} : R :=
  16 * dissimilarity ^ 2 * smoothness ^ 2 * (local_steps - 1) * (2 * local_steps - 1) / (3 * num_rounds) + 8 *
  gradient_noise ^ 2 * smoothness ^ 2 * (local_steps - 1) / num_rounds + (7 * gradient_noise ^ 2 * smoothness *
  (max_staleness + 1) / least_local_steps + 4 * initial_loss_gap) / (sqrt num_clients * sqrt num_rounds).
Definition afl_cor3_explicit_condition_steps {local_step_size num_clients num_rounds server_step_size : R} : Prop :=
  local_step_size = 1 / sqrt num_rounds /\ server_step_size = sqrt num_clients.
Definition afl_cor3_explicit_condition_drift {local_steps max_staleness num_rounds smoothness : R} : Prop :=
  local_steps = 1 \/ 12 * local_steps ^ 2 * smoothness ^ 2 * (max_staleness + 1) <= num_rounds.
Definition afl_cor3_explicit_condition_horizon {max_staleness num_clients num_rounds smoothness : R} : Prop :=
  16 * num_clients * smoothness ^ 2 * (max_staleness + 1) ^ 2 <= num_rounds.

(** ** afl.cor3star
    mean_squared_gradient <= afl_cor3star_right *)
Definition afl_cor3star_right {gradient_noise initial_loss_gap max_staleness num_clients num_rounds smoothness : R} :
    R :=
  4 * sqrt 7 * gradient_noise * sqrt initial_loss_gap * sqrt smoothness * sqrt (max_staleness + 1) / (sqrt num_clients
  * sqrt num_rounds) + 16 * initial_loss_gap * smoothness * (max_staleness + 1) / num_rounds.
Definition afl_cor3star_condition_one {local_steps : R} : Prop :=
  local_steps = 1.
Definition afl_cor3star_condition_step {gradient_noise initial_loss_gap local_step_size max_staleness num_clients
    num_rounds server_step_size smoothness : R} : Prop :=
  4 * local_step_size * server_step_size * smoothness * (max_staleness + 1) <= 1 /\ 7 * gradient_noise ^ 2 *
  local_step_size ^ 2 * num_rounds * server_step_size ^ 2 * smoothness * (max_staleness + 1) <= 4 * initial_loss_gap *
  num_clients /\ (4 * local_step_size * server_step_size * smoothness * (max_staleness + 1) = 1 \/ 7 *
  gradient_noise ^ 2 * local_step_size ^ 2 * num_rounds * server_step_size ^ 2 * smoothness * (max_staleness + 1) = 4
  * initial_loss_gap * num_clients).

(** ** afl.lem1
    squared_noise_of_update <= afl_lem1_right *)
Definition afl_lem1_right {gradient_noise : R} : R :=
  gradient_noise ^ 2.

(** ** afl.lem1.sharp
    squared_noise_of_update <= afl_lem1_sharp_right *)
Definition afl_lem1_sharp_right {gradient_noise local_steps : R} : R :=
  gradient_noise ^ 2 / local_steps.

(** ** afl.lem2c
    squared_update_sum <= afl_lem2c_right *)
Definition afl_lem2c_right {clients_per_round gradient_noise squared_path_sum : R} : R :=
  clients_per_round * gradient_noise ^ 2 + squared_path_sum.
Definition afl_lem2c_condition_short {local_step_size local_steps smoothness : R} : Prop :=
  local_steps = 1 \/ local_step_size * local_steps * smoothness <= 1.

(** ** afl.thm1c
    worst_error >= afl_thm1c_right *)
Definition afl_thm1c_right {dissimilarity ever_participating num_clients : R} : R :=
  dissimilarity ^ 2 * (Rmin 1 ((num_clients - ever_participating) / ever_participating)) ^ 2.

(** ** afl.thm1c.admissible
    gradient_distance <= dissimilarity *)

(** ** afl.thm1c.upper
    bias <= afl_thm1c_upper_right *)
Definition afl_thm1c_upper_right {dissimilarity ever_participating num_clients : R} : R :=
  dissimilarity * Rmin 1 ((num_clients - ever_participating) / ever_participating).

(** ** afl.thm2.a12c
    sum_at_used_models <= afl_thm2_a12c_right *)
Definition afl_thm2_a12c_right {max_delay sum_at_all_models : R} : R :=
  sum_at_all_models * (max_delay + 1).

(** ** afl.thm2.half
    mean_squared_gradient <= afl_thm2_half_right *)
Definition afl_thm2_half_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_step_size
    local_steps max_delay num_rounds server_step_size smoothness : R} : R :=
  4 * dissimilarity ^ 2 * (45 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 + 3 / 2) + 4 *
  gradient_noise ^ 2 * (15 * local_step_size ^ 2 * local_steps * smoothness ^ 2 / 2 + 3 * local_step_size ^ 2 *
  max_delay ^ 2 * server_step_size ^ 2 * smoothness ^ 2 / (2 * clients_per_round) + local_step_size * server_step_size
  * smoothness / (2 * clients_per_round)) + 4 * initial_loss_gap / (local_step_size * num_rounds * server_step_size).
Definition afl_thm2_half_condition_a {local_step_size local_steps max_delay smoothness : R} : Prop :=
  local_steps = 1 \/ 180 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * Rmax 1 max_delay <= 1.
Definition afl_thm2_half_condition_b {local_step_size max_delay server_step_size smoothness : R} : Prop :=
  3 * local_step_size ^ 2 * max_delay ^ 2 * server_step_size ^ 2 * smoothness ^ 2 + local_step_size * server_step_size
  * smoothness <= 1.

(** ** afl.thm2.onestep
    mean_squared_gradient <= afl_thm2_onestep_right *)
Definition afl_thm2_onestep_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_step_size
    max_delay num_rounds server_step_size smoothness : R} : R :=
  2 * dissimilarity ^ 2 + 2 * initial_loss_gap / (local_step_size * num_rounds * server_step_size) +
  gradient_noise ^ 2 * (4 * local_step_size ^ 2 * max_delay * server_step_size ^ 2 * smoothness ^ 2 + local_step_size
  * server_step_size * smoothness) / clients_per_round.
Definition afl_thm2_onestep_condition_b {local_step_size local_steps max_delay server_step_size smoothness : R} : Prop
    :=
  local_steps = 1 /\ 4 * local_step_size ^ 2 * max_delay ^ 2 * server_step_size ^ 2 * smoothness ^ 2 + local_step_size
  * server_step_size * smoothness <= 1.

(** ** afl.thm2.simple
    mean_squared_gradient <= afl_thm2_simple_right *)
Definition afl_thm2_simple_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_step_size
    num_rounds server_step_size smoothness : R} : R :=
  dissimilarity ^ 2 + 2 * initial_loss_gap / (local_step_size * num_rounds * server_step_size) + gradient_noise ^ 2 *
  local_step_size * server_step_size * smoothness / clients_per_round.
Definition afl_thm2_simple_condition_b {local_step_size local_steps max_delay server_step_size smoothness : R} : Prop
    :=
  max_delay = 0 /\ local_steps = 1 /\ local_step_size * server_step_size * smoothness <= 1.

(** ** afl.thm2c
    mean_squared_gradient <= afl_thm2c_right *)
Definition afl_thm2c_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_step_size
    local_steps max_delay num_rounds server_step_size smoothness : R} : R :=
  4 * dissimilarity ^ 2 * (45 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 + 3 / 2) + 4 *
  gradient_noise ^ 2 * (15 * local_step_size ^ 2 * local_steps * smoothness ^ 2 / 2 + 3 * local_step_size ^ 2 *
  max_delay ^ 2 * server_step_size ^ 2 * smoothness ^ 2 / (2 * clients_per_round) + local_step_size * server_step_size
  * smoothness / clients_per_round) + 4 * initial_loss_gap / (local_step_size * num_rounds * server_step_size).
Definition afl_thm2c_condition_a {local_step_size local_steps max_delay smoothness : R} : Prop :=
  local_steps = 1 \/ 180 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * Rmax 1 max_delay <= 1.
Definition afl_thm2c_condition_b {local_step_size max_delay server_step_size smoothness : R} : Prop :=
  3 * local_step_size ^ 2 * max_delay ^ 2 * server_step_size ^ 2 * smoothness ^ 2 + 2 * local_step_size *
  server_step_size * smoothness <= 1.

(** ** afl.thm2star
    mean_squared_gradient <= afl_thm2star_right *)
Definition afl_thm2star_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_step_size
    local_steps max_delay num_rounds server_step_size smoothness : R} : R :=
  64 * dissimilarity ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * (local_steps - 1) * (2 * local_steps - 1) / 9 + 6 *
  dissimilarity ^ 2 + 32 * gradient_noise ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * (local_steps - 1) / 3 + 4 *
  initial_loss_gap / (local_step_size * num_rounds * server_step_size) + gradient_noise ^ 2 * (12 *
  local_step_size ^ 2 * max_delay * server_step_size ^ 2 * smoothness ^ 2 + 4 * local_step_size * server_step_size *
  smoothness) / clients_per_round.
Definition afl_thm2star_condition_a {local_step_size local_steps max_delay smoothness : R} : Prop :=
  local_steps = 1 \/ 16 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (max_delay + 1) <= 1.
Definition afl_thm2star_condition_b {local_step_size max_delay server_step_size smoothness : R} : Prop :=
  6 * local_step_size ^ 2 * max_delay ^ 2 * server_step_size ^ 2 * smoothness ^ 2 + 2 * local_step_size *
  server_step_size * smoothness <= 1.

(** ** afl.thm3star
    mean_squared_gradient <= afl_thm3star_right *)
Definition afl_thm3star_right {clients_per_round dissimilarity gradient_noise initial_loss_gap local_step_size
    local_steps num_clients num_rounds server_step_size smoothness : R} : R :=
  80 * dissimilarity ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * (local_steps - 1) * (2 * local_steps - 1) / 9 + 40 *
  gradient_noise ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * (local_steps - 1) / 3 + 4 *
  initial_loss_gap / (local_step_size * num_rounds * server_step_size) + 15 * local_step_size * server_step_size *
  smoothness * (3 * dissimilarity ^ 2 * (num_clients - clients_per_round) / (clients_per_round * Rmax 1 (num_clients -
  1)) + gradient_noise ^ 2 / clients_per_round) / 2.
Definition afl_thm3star_condition_a {local_step_size local_steps max_delay smoothness : R} : Prop :=
  local_steps = 1 \/ 20 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (max_delay + 1) <= 1.
Definition afl_thm3star_condition_b {local_step_size max_delay server_step_size smoothness : R} : Prop :=
  6 * local_step_size * server_step_size * smoothness * (max_delay + 1) <= 1.

(** ** afl.thm4
    mean_squared_gradient <= afl_thm4_right *)
Definition afl_thm4_right {dissimilarity fresh_entries gradient_noise initial_loss_gap local_step_size local_steps
    num_clients num_rounds server_step_size smoothness : R} : R :=
  4 * dissimilarity ^ 2 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (90 * local_step_size *
  server_step_size * smoothness + 45 + 270 * (num_clients - fresh_entries) ^ 2 * (local_step_size * server_step_size *
  smoothness + 1) / num_clients ^ 2) + 4 * gradient_noise ^ 2 * (5 * local_step_size ^ 2 * local_steps *
  smoothness ^ 2 * (3 * local_step_size * server_step_size * smoothness + 3 / 2 + 9 * (num_clients -
  fresh_entries) ^ 2 * (local_step_size * server_step_size * smoothness + 1) / num_clients ^ 2) + 3 * local_step_size
  * server_step_size * smoothness / (2 * num_clients)) + 4 * initial_loss_gap / (local_step_size * num_rounds *
  server_step_size).
Definition afl_thm4_condition_four {fresh_entries local_step_size local_steps max_staleness num_clients
    server_step_size smoothness : R} : Prop :=
  320 * local_step_size ^ 3 * local_steps ^ 2 * server_step_size * smoothness ^ 3 + 180 * local_step_size ^ 2 *
  local_steps ^ 2 * smoothness ^ 2 + 540 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (num_clients -
  fresh_entries) ^ 2 * (max_staleness + 1) * (local_step_size * server_step_size * smoothness + 1) / num_clients ^ 2 +
  12 * local_step_size * server_step_size * smoothness < 1.
Definition afl_thm4_condition_series {fresh_entries local_step_size max_staleness num_clients server_step_size
    smoothness : R} : Prop :=
  27 * local_step_size ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness ^ 2 * (num_clients -
  fresh_entries) ^ 2 * (local_step_size * server_step_size * smoothness + 1) / num_clients ^ 2 <= 1.
Definition afl_thm4_condition_seven {fresh_entries gradient_noise local_step_size max_staleness num_clients
    server_step_size smoothness squared_update : R} : Prop :=
  3 * gradient_noise ^ 2 / (2 * num_clients) <= squared_update * (1 / 2 - 27 * local_step_size ^ 2 * max_staleness ^ 2
  * server_step_size ^ 2 * smoothness ^ 2 * (num_clients - fresh_entries) ^ 2 * (local_step_size * server_step_size *
  smoothness + 1) / (2 * num_clients ^ 2)).

(** ** afl.thm4c
    mean_squared_gradient <= afl_thm4c_right *)
Definition afl_thm4c_right {dissimilarity fresh_entries gradient_noise initial_loss_gap local_step_size local_steps
    num_clients num_rounds server_step_size smoothness : R} : R :=
  4 * dissimilarity ^ 2 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (90 * local_step_size *
  server_step_size * smoothness + 45 + 270 * (num_clients - fresh_entries) ^ 2 * (local_step_size * server_step_size *
  smoothness + 1) / num_clients ^ 2) + 4 * gradient_noise ^ 2 * (5 * local_step_size ^ 2 * local_steps *
  smoothness ^ 2 * (3 * local_step_size * server_step_size * smoothness + 3 / 2 + 9 * (num_clients -
  fresh_entries) ^ 2 * (local_step_size * server_step_size * smoothness + 1) / num_clients ^ 2) + 3 * local_step_size
  * server_step_size * smoothness / (2 * num_clients) + 3 / (2 * num_clients)) + 4 *
  initial_loss_gap / (local_step_size * num_rounds * server_step_size).
Definition afl_thm4c_condition_four {fresh_entries local_step_size local_steps max_staleness num_clients
    server_step_size smoothness : R} : Prop :=
  360 * local_step_size ^ 3 * local_steps ^ 2 * server_step_size * smoothness ^ 3 + 180 * local_step_size ^ 2 *
  local_steps ^ 2 * smoothness ^ 2 + 540 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (num_clients -
  fresh_entries) ^ 2 * (max_staleness + 1) * (local_step_size * server_step_size * smoothness + 1) / num_clients ^ 2 +
  12 * local_step_size * server_step_size * smoothness < 1.
Definition afl_thm4c_condition_series {fresh_entries local_step_size max_staleness num_clients server_step_size
    smoothness : R} : Prop :=
  27 * local_step_size ^ 2 * max_staleness ^ 2 * server_step_size ^ 2 * smoothness ^ 2 * (num_clients -
  fresh_entries) ^ 2 * (local_step_size * server_step_size * smoothness + 1) / num_clients ^ 2 <= 1.

(** ** afl.thm4star
    mean_squared_gradient <= afl_thm4star_right *)
Definition afl_thm4star_right {dissimilarity gradient_noise initial_loss_gap least_local_steps local_step_size
    local_steps max_staleness num_clients num_rounds server_step_size smoothness : R} : R :=
  16 * dissimilarity ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * (local_steps - 1) * (2 * local_steps - 1) / 3 + 8 *
  gradient_noise ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * (local_steps - 1) + 7 * gradient_noise ^ 2 *
  local_step_size * server_step_size * smoothness * (max_staleness + 1) / (least_local_steps * num_clients) + 4 *
  initial_loss_gap / (local_step_size * num_rounds * server_step_size).
Definition afl_thm4star_condition_a {local_step_size local_steps max_staleness smoothness : R} : Prop :=
  local_steps = 1 \/ 12 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (max_staleness + 1) <= 1.
Definition afl_thm4star_condition_b {local_step_size max_staleness server_step_size smoothness : R} : Prop :=
  4 * local_step_size * server_step_size * smoothness * (max_staleness + 1) <= 1.
