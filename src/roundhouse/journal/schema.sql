-- The schema of a journal. Entries can be added and read, but not changed or removed.
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES ('format', 4);

CREATE TABLE rulebooks (hash TEXT PRIMARY KEY, content BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE tables (id TEXT PRIMARY KEY, rulebook TEXT NOT NULL) STRICT, WITHOUT ROWID;

-- With a rowid, so that entries are always appended and never moved. When SQLite splits a page, the old page keeps
-- copies of the moved rows, and a change in such a copy would not be detected.
CREATE TABLE entries (
  table_id TEXT NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL, hash BLOB NOT NULL,
  PRIMARY KEY (table_id, seq)
) STRICT;
CREATE TABLE seals (
  table_id TEXT NOT NULL, seq INTEGER NOT NULL, seal BLOB NOT NULL, PRIMARY KEY (table_id, seq)
) STRICT, WITHOUT ROWID;

-- Derived from the entries, for quick queries. verify derives it again and compares.
CREATE TABLE requests (
  table_id TEXT NOT NULL, id TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (table_id, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE entry_index (
  table_id TEXT NOT NULL, key TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (table_id, key, seq)
) STRICT, WITHOUT ROWID;
CREATE TABLE rounds (
  table_id TEXT NOT NULL, number INTEGER NOT NULL, version INTEGER NOT NULL, seal BLOB NOT NULL, record BLOB NOT NULL,
  PRIMARY KEY (table_id, number)
) STRICT, WITHOUT ROWID;
-- Where each ticket was issued and redeemed. A ticket is paid from the entry that issued it; the amount and the expiry
-- here are for reports.
CREATE TABLE tickets (
  id TEXT PRIMARY KEY, cents INTEGER NOT NULL, expires INTEGER NOT NULL, table_id TEXT NOT NULL, seq INTEGER NOT NULL,
  redeemed_table TEXT, redeemed_seq INTEGER
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
  table_id TEXT NOT NULL, seq INTEGER NOT NULL, hash BLOB NOT NULL, memory BLOB NOT NULL, derived BLOB NOT NULL,
  seal BLOB NOT NULL, PRIMARY KEY (table_id, seq)
) STRICT, WITHOUT ROWID;

-- The random id by which witnesses know the journal. It never changes, also not in a copy.
CREATE TABLE journal (id TEXT PRIMARY KEY) STRICT, WITHOUT ROWID;
INSERT INTO journal VALUES (lower(hex(randomblob(16))));
-- Hashes of complete subtrees of 256, 65536, ... entries of a chain (RFC 6962), for quick proofs. verify recomputes them.
CREATE TABLE tree (
  table_id TEXT NOT NULL, level INTEGER NOT NULL, number INTEGER NOT NULL, hash BLOB NOT NULL,
  PRIMARY KEY (table_id, level, number)
) STRICT, WITHOUT ROWID;
-- The last checkpoint of each chain that the house has signed (signer is empty), and that each witness has cosigned.
CREATE TABLE checkpoints (
  table_id TEXT NOT NULL, signer TEXT NOT NULL, size INTEGER NOT NULL, note TEXT NOT NULL,
  PRIMARY KEY (table_id, signer)
) STRICT, WITHOUT ROWID;

-- Verifiers of passwords and of terminal keys. Unlike entries, they can be changed and deleted.
CREATE TABLE credentials (
  kind TEXT NOT NULL, name TEXT NOT NULL, verifier BLOB NOT NULL, PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER entries_are_not_edited BEFORE UPDATE ON entries
  BEGIN SELECT RAISE(ABORT, 'history is never edited'); END;
CREATE TRIGGER entries_are_not_removed BEFORE DELETE ON entries
  BEGIN SELECT RAISE(ABORT, 'history is never edited'); END;
CREATE TRIGGER a_ticket_is_redeemed_once BEFORE UPDATE OF redeemed_seq ON tickets WHEN OLD.redeemed_seq IS NOT NULL
  BEGIN SELECT RAISE(ABORT, 'a ticket is redeemed once'); END;
