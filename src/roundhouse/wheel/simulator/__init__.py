"""A simulated wheel with the SlingShot 2 protocol, for development and play without a real wheel.

The outcome is drawn first, without bias, and the motion is fitted to it. The simulator receives no bets.
"""
