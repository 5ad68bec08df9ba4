"""Every message of the wire, as types: HTTP bodies and the socket's messages.

The OpenAPI document and the TypeScript types are made from these. Nothing here acts; a client may import it.
"""
