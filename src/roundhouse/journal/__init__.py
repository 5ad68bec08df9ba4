"""The journal: a durable, append-only, hash-chained store. Commands are answered after they are written to it."""
