"""Types of the wire format: HTTP bodies and WebSocket messages.

The OpenAPI document and the TypeScript types are generated from these types. They have no side effects, so a client
may import them without the server.
"""
