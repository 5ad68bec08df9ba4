"""The running house's face: HTTP, sockets, safety, metrics. What it serves is decided below it, never here."""
