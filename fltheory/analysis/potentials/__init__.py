"""Potentials: one inequality for all rounds, all numbers of clients and all traces of a language.

A generic client walks an automaton; the mean over clients of V_state is the potential.
"""
