"""The journal: durable, hash-chained, append-only. Nothing is answered before it is here."""
