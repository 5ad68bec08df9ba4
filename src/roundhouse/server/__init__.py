"""HTTP and WebSocket server. Contains no game or house rules."""
