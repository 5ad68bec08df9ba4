"""SVG pictures of layouts, wheels, outcome counts and tickets. Layouts are drawn with the geometry in ``rules``."""
