"""SVG pictures of layouts, wheels, outcome counts and tickets. Layouts use the same geometry as the rules."""
