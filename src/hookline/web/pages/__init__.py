"""The pages of the dashboard, one module each: a query, its actions, and its live parts."""
