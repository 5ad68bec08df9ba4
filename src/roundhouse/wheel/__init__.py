"""Where outcomes come from: a wheel on a serial line, or a simulated one that speaks the same line.

Nothing in this part can reach a bet: it is handed a rulebook and a wheel, and the judge of the rules. That the
outcome cannot know the stakes is a property of the imports, and ``lint-imports`` checks it.
"""
