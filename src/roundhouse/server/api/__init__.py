"""HTTP handlers, one module per tag of the OpenAPI document."""
