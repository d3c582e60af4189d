(** * Whole numbers among the real ones

    What statements of claims use beside sums, products and roots: [floor x] and [ceiling x] as real
    numbers, and [power b e], the power with a whole exponent e that is given as a real number. For
    natural numbers they are what one expects ([power_nat], [ceiling_unique]). *)
From Coq Require Import Reals Lra Lia.
Open Scope R_scope.

Definition floor (x : R) : R := IZR (Int_part x).
Definition ceiling (x : R) : R := - floor (- x).
Definition power (b e : R) : R := powerRZ b (Int_part e).

Lemma floor_spec x : floor x <= x < floor x + 1.
Proof. unfold floor. pose proof (base_Int_part x). lra. Qed.

Lemma ceiling_spec x : x <= ceiling x < x + 1.
Proof. unfold ceiling. pose proof (floor_spec (- x)). lra. Qed.

Lemma whole_unique (a b : Z) x : IZR a <= x < IZR a + 1 -> IZR b <= x < IZR b + 1 -> a = b.
Proof.
  intros A B. assert (H1 : IZR a < IZR (b + 1)) by (rewrite plus_IZR; lra).
  assert (H2 : IZR b < IZR (a + 1)) by (rewrite plus_IZR; lra).
  apply lt_IZR in H1, H2. lia.
Qed.

Lemma Int_part_nat n : Int_part (INR n) = Z.of_nat n.
Proof.
  apply (whole_unique _ _ (INR n)); [apply floor_spec|]. rewrite <- INR_IZR_INZ. lra.
Qed.

Lemma power_nat b n : power b (INR n) = b ^ n.
Proof. unfold power. rewrite Int_part_nat. symmetry. apply pow_powerRZ. Qed.

Lemma floor_nat n : floor (INR n) = INR n.
Proof. unfold floor. now rewrite Int_part_nat, <- INR_IZR_INZ. Qed.

Lemma ceiling_unique n x : INR n - 1 < x <= INR n -> ceiling x = INR n.
Proof.
  intros A. unfold ceiling, floor. replace (Int_part (- x)) with (- Z.of_nat n)%Z.
  - rewrite opp_IZR, <- INR_IZR_INZ. ring.
  - apply (whole_unique _ _ (- x)); [rewrite opp_IZR, <- INR_IZR_INZ; lra|apply floor_spec].
Qed.
