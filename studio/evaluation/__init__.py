"""Whether a team is any good: suites of cases, scorers of finished runs, and the statistics of both."""
