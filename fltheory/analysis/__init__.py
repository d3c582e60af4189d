"""Questions asked of a method: limits, expectations, rates, worst cases."""
