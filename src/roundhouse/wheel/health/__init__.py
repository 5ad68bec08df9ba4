"""Statistical tests of a wheel's recorded spins.

The findings are corrected for the number of tests, and the report states how large a bias the tests could detect.
"""
