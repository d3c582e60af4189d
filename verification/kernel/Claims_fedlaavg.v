(** * Statements of the claims of the paper fedlaavg

    Sides and conditions of claims, written by `python -m fltheory.ledger.coq` from the claims' own
    expressions: not to be edited by hand. Arguments are implicit and named by the vocabulary. *)
From Coq Require Import Reals.
From FL Require Import Numbers.
Open Scope R_scope.

(** ** fedlaavg.cor1star
    mean_squared_gradient <= fedlaavg_cor1star_right *)
Definition fedlaavg_cor1star_right {gradient_bound gradient_noise initial_loss_gap num_clients num_rounds smoothness
    staleness_bound : R} : R :=
  4 * gradient_bound ^ 2 * staleness_bound / num_rounds + 4 * sqrt 7 * gradient_noise * sqrt initial_loss_gap *
  sqrt smoothness * sqrt (staleness_bound + 1) / (sqrt num_clients * sqrt num_rounds) + 16 * initial_loss_gap *
  smoothness * (staleness_bound + 1) / num_rounds.
Definition fedlaavg_cor1star_condition_step {gradient_noise initial_loss_gap local_step_size num_clients num_rounds
    smoothness staleness_bound : R} : Prop :=
  4 * local_step_size * smoothness * (staleness_bound + 1) <= 1 /\ 7 * gradient_noise ^ 2 * local_step_size ^ 2 *
  num_rounds * smoothness * (staleness_bound + 1) <= 4 * initial_loss_gap * num_clients /\ (4 * local_step_size *
  smoothness * (staleness_bound + 1) = 1 \/ 7 * gradient_noise ^ 2 * local_step_size ^ 2 * num_rounds * smoothness *
  (staleness_bound + 1) = 4 * initial_loss_gap * num_clients).

(** ** fedlaavg.lem1
    worst_staleness <= fedlaavg_lem1_right *)
Definition fedlaavg_lem1_right {availability_window clients_per_round num_clients : R} : R :=
  availability_window * ceiling (num_clients / clients_per_round) - 1.

(** ** fedlaavg.lem2
    gradient_second_moment <= fedlaavg_lem2_right *)
Definition fedlaavg_lem2_right {gradient_bound : R} : R :=
  gradient_bound ^ 2.

(** ** fedlaavg.lem2.noise
    noise_second_moment <= fedlaavg_lem2_noise_right *)
Definition fedlaavg_lem2_noise_right {gradient_noise : R} : R :=
  gradient_noise ^ 2.

(** ** fedlaavg.lem3
    noise_of_sum = sum_of_noises *)

(** ** fedlaavg.lem5
    worst_staleness <= fedlaavg_lem5_right *)
Definition fedlaavg_lem5_right {availability_window clients_per_round num_clients : R} : R :=
  availability_window * ceiling (num_clients / clients_per_round) - 1.

(** ** fedlaavg.lem6
    gradient_second_moment <= fedlaavg_lem6_right *)
Definition fedlaavg_lem6_right {gradient_bound : R} : R :=
  gradient_bound ^ 2.

(** ** fedlaavg.lem6.noise
    noise_second_moment <= fedlaavg_lem6_noise_right *)
Definition fedlaavg_lem6_noise_right {gradient_noise : R} : R :=
  gradient_noise ^ 2.

(** ** fedlaavg.lem7
    noise_of_sum = sum_of_noises *)

(** ** fedlaavg.thm2.corrected
    fedlaavg_thm2_corrected_left <= fedlaavg_thm2_corrected_right *)
Definition fedlaavg_thm2_corrected_left {mean_squared_gradient : R} : R :=
  mean_squared_gradient / 4.
Definition fedlaavg_thm2_corrected_right {distance_of_optima initial_loss_gap num_rounds optimum staleness_bound start
    : R} : R :=
  initial_loss_gap / sqrt num_rounds + staleness_bound ^ 2 * (Rmax distance_of_optima (2 * Rabs (optimum -
  start))) ^ 2 / (4 * num_rounds).
Definition fedlaavg_thm2_corrected_condition_step {local_step_size num_rounds : R} : Prop :=
  local_step_size = 1 / (2 * sqrt num_rounds).

(** ** fedlaavg.thm3
    mean_squared_gradient <= fedlaavg_thm3_right *)
Definition fedlaavg_thm3_right {gradient_bound gradient_noise initial_loss_gap local_step_size num_clients num_rounds
    smoothness staleness_bound : R} : R :=
  4 * gradient_bound ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * staleness_bound ^ 2 + 2 * gradient_bound ^ 2 *
  local_step_size ^ 2 * smoothness ^ 2 * staleness_bound ^ 2 / (1 - 2 * local_step_size * smoothness) + 4 *
  gradient_noise ^ 2 * local_step_size * smoothness / num_clients + 4 * initial_loss_gap / (local_step_size *
  num_rounds) + 2 * local_step_size * smoothness * staleness_bound * (gradient_bound ^ 2 +
  gradient_noise ^ 2) / sqrt num_clients.
Definition fedlaavg_thm3_condition_step {local_step_size smoothness : R} : Prop :=
  2 * local_step_size * smoothness < 1.

(** ** fedlaavg.thm3.improved
    mean_squared_gradient <= fedlaavg_thm3_improved_right *)
Definition fedlaavg_thm3_improved_right {gradient_bound gradient_noise initial_loss_gap local_step_size num_clients
    num_rounds smoothness staleness_bound : R} : R :=
  gradient_bound ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * staleness_bound ^ 2 + 2 * gradient_noise ^ 2 *
  local_step_size * smoothness / num_clients + 2 * initial_loss_gap / (local_step_size * num_rounds) + local_step_size
  * smoothness * staleness_bound * (gradient_bound ^ 2 + gradient_noise ^ 2) / sqrt num_clients.
Definition fedlaavg_thm3_improved_condition_step {local_step_size smoothness : R} : Prop :=
  2 * local_step_size * smoothness <= 1.

(** ** fedlaavg.thm3star
    mean_squared_gradient <= fedlaavg_thm3star_right *)
Definition fedlaavg_thm3star_right {gradient_bound gradient_noise initial_loss_gap local_step_size num_clients
    num_rounds smoothness staleness_bound : R} : R :=
  4 * gradient_bound ^ 2 * staleness_bound / num_rounds + 7 * gradient_noise ^ 2 * local_step_size * smoothness *
  (staleness_bound + 1) / num_clients + 4 * initial_loss_gap / (local_step_size * num_rounds).
Definition fedlaavg_thm3star_condition_step {local_step_size smoothness staleness_bound : R} : Prop :=
  4 * local_step_size * smoothness * (staleness_bound + 1) <= 1.

(** ** fedlaavg.thm3star.warm
    mean_squared_gradient <= fedlaavg_thm3star_warm_right *)
Definition fedlaavg_thm3star_warm_right {gradient_noise initial_loss_gap local_step_size num_clients num_rounds
    smoothness staleness_bound : R} : R :=
  7 * gradient_noise ^ 2 * local_step_size * smoothness * (staleness_bound + 1) / num_clients + 4 *
  initial_loss_gap / (local_step_size * num_rounds).
Definition fedlaavg_thm3star_warm_condition_step {local_step_size smoothness staleness_bound : R} : Prop :=
  4 * local_step_size * smoothness * (staleness_bound + 1) <= 1.

(** ** fedlaavg.thm4
    mean_squared_end_gradient <= fedlaavg_thm4_right *)
Definition fedlaavg_thm4_right {gradient_bound gradient_noise initial_loss_gap local_step_size local_steps num_clients
    num_rounds smoothness staleness_bound : R} : R :=
  gradient_bound ^ 2 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (4 * staleness_bound ^ 2 + 2 *
  staleness_bound ^ 2 / (1 - 2 * local_step_size * smoothness) + 4 * staleness_bound + 2) + 4 * gradient_noise ^ 2 *
  local_step_size * smoothness / num_clients + 4 * initial_loss_gap / (local_step_size * local_steps * num_rounds) + 2
  * local_step_size * local_steps * smoothness * staleness_bound * (gradient_bound ^ 2 +
  gradient_noise ^ 2) / sqrt num_clients.
Definition fedlaavg_thm4_condition_step {local_step_size smoothness : R} : Prop :=
  2 * local_step_size * smoothness < 1.

(** ** fedlaavg.thm4.server
    mean_squared_gradient <= fedlaavg_thm4_server_right *)
Definition fedlaavg_thm4_server_right {gradient_bound gradient_noise initial_loss_gap local_step_size local_steps
    num_clients num_rounds smoothness staleness_bound : R} : R :=
  gradient_bound ^ 2 * local_step_size ^ 2 * local_steps ^ 2 * smoothness ^ 2 * (4 * staleness_bound ^ 2 + 2 *
  staleness_bound ^ 2 / (1 - 2 * local_step_size * smoothness) + 4 * staleness_bound + 2) + 4 * gradient_noise ^ 2 *
  local_step_size * smoothness / num_clients + 4 * initial_loss_gap / (local_step_size * local_steps * num_rounds) + 2
  * local_step_size * local_steps * smoothness * staleness_bound * (gradient_bound ^ 2 +
  gradient_noise ^ 2) / sqrt num_clients.
Definition fedlaavg_thm4_server_condition_step {local_step_size smoothness : R} : Prop :=
  2 * local_step_size * smoothness < 1.

(** ** fedlaavg.thm4star
    mean_squared_gradient <= fedlaavg_thm4star_right *)
Definition fedlaavg_thm4star_right {gradient_bound gradient_noise initial_loss_gap local_step_size local_steps
    num_clients num_rounds smoothness staleness_bound : R} : R :=
  gradient_bound ^ 2 * local_step_size ^ 2 * smoothness ^ 2 * (2 * local_steps / 3 - 2 / 3) * (2 * local_steps - 1) +
  4 * gradient_bound ^ 2 * staleness_bound / num_rounds + 7 * gradient_noise ^ 2 * local_step_size * smoothness *
  (staleness_bound + 1) / (2 * num_clients) + 2 * initial_loss_gap / (local_step_size * local_steps * num_rounds).
Definition fedlaavg_thm4star_condition_step {local_step_size local_steps smoothness staleness_bound : R} : Prop :=
  4 * local_step_size * local_steps * smoothness * (staleness_bound + 1) <= 1.
