"""The worst case of a method over a class of functions: a semidefinite program, reduced by
symmetry, with exact certificates."""
