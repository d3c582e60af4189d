"""The worst case of a method over a whole class of functions: a semidefinite program, made small by
symmetry, with exact certificates."""
