"""HTTP: every route declared once, as data; the router, the checks and the OpenAPI document come from that."""
