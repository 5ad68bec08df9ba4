"""Benchmarks: ratios to a baseline measured in the same run. Machines are noisy; ratios travel."""
