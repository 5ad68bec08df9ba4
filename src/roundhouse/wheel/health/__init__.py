"""Statistical tests of a wheel's recorded spins.

The p-values are corrected for multiple comparisons, and the report states how large a bias the tests could detect.
"""
