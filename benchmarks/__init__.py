"""Benchmarks. They print ratios to a baseline of the same run, because absolute times differ between machines."""
