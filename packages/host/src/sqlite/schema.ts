import { XError } from '@x/kernel'
import type { Database } from './database.ts'

/**
 * Migrations of the tables, each from one version to the next. Published ones never change, and each only adds columns with
 * defaults, tables and indexes: processes of older packages that have the file open go on.
 */
export const MIGRATIONS_SQL: readonly string[] = [
  `CREATE TABLE chats (
     id TEXT PRIMARY KEY,
     name TEXT NOT NULL,
     version TEXT NOT NULL,
     input TEXT NOT NULL,
     state TEXT NOT NULL,
     epoch INTEGER NOT NULL,
     turn INTEGER NOT NULL,
     heard INTEGER NOT NULL,
     length INTEGER NOT NULL,
     submitted INTEGER NOT NULL,
     due INTEGER NOT NULL,
     queued INTEGER NOT NULL,
     lease INTEGER NOT NULL,
     leased INTEGER NOT NULL,
     followed INTEGER NOT NULL DEFAULT 0,
     ended INTEGER,
     outcome TEXT
   ) WITHOUT ROWID;
   CREATE INDEX chats_by_state ON chats (state, queued);
   CREATE INDEX chats_by_state_and_id ON chats (state, id);
   CREATE INDEX chats_by_kind ON chats (name, version, state);
   CREATE INDEX chats_open ON chats (name, version, state) WHERE ended IS NULL;
   CREATE INDEX chats_by_end ON chats (ended) WHERE ended IS NOT NULL;
   CREATE TABLE entries (
     n INTEGER PRIMARY KEY AUTOINCREMENT,
     chat TEXT NOT NULL,
     place TEXT NOT NULL,
     kind TEXT NOT NULL,
     name TEXT NOT NULL,
     json TEXT NOT NULL,
     author TEXT,
     at INTEGER NOT NULL
   );
   CREATE UNIQUE INDEX entries_by_place ON entries (chat, place, kind, name);
   CREATE INDEX entries_by_chat ON entries (chat, n);
   CREATE INDEX questions ON entries (n) WHERE kind = 'question';
   CREATE TABLE messages (n INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, json TEXT NOT NULL);
   CREATE INDEX messages_by_chat ON messages (chat, n);
   CREATE TABLE events (n INTEGER PRIMARY KEY AUTOINCREMENT, chat TEXT NOT NULL, json TEXT NOT NULL);
   CREATE INDEX events_by_chat ON events (chat, n);
   CREATE TABLE counters (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
   INSERT INTO counters VALUES ('epoch', 0);`,
  'CREATE TABLE records (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;',
  `ALTER TABLE chats ADD COLUMN setbacks INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chats ADD COLUMN kept INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chats ADD COLUMN patience INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chats ADD COLUMN reason TEXT;`,
  `ALTER TABLE messages ADD COLUMN key TEXT;
   CREATE UNIQUE INDEX messages_by_key ON messages (chat, key) WHERE key IS NOT NULL;`,
  `ALTER TABLE chats ADD COLUMN retry_kind TEXT;
   ALTER TABLE chats ADD COLUMN retry_since INTEGER;
   ALTER TABLE chats ADD COLUMN retries INTEGER NOT NULL DEFAULT 0;`,
  // Where a claim begins to read: the entry of the last checkpoint, behind the last message that was used before it.
  `ALTER TABLE chats ADD COLUMN first_entry INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chats ADD COLUMN entries_before INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chats ADD COLUMN last_message INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chats ADD COLUMN messages_before INTEGER NOT NULL DEFAULT 0;`,
  // A chat with a time, whether suspended or submitted for later, is in one index by that time, and not among those that wait.
  `ALTER TABLE chats ADD COLUMN wakes INTEGER;
   ALTER TABLE chats ADD COLUMN tags TEXT;
   ALTER TABLE chats ADD COLUMN tenant TEXT;
   ALTER TABLE chats ADD COLUMN priority INTEGER NOT NULL DEFAULT 0;
   ALTER TABLE chats ADD COLUMN durable INTEGER NOT NULL DEFAULT 1;
   UPDATE chats SET wakes = due WHERE state = 'waiting' AND due > 0;
   DROP INDEX chats_by_state;
   CREATE INDEX chats_by_priority ON chats (state, priority DESC, queued) WHERE wakes IS NULL AND ended IS NULL;
   CREATE INDEX chats_by_time ON chats (wakes) WHERE wakes IS NOT NULL;
   CREATE INDEX chats_by_submission ON chats (submitted, id) WHERE durable = 1;
   CREATE INDEX chats_by_tenant ON chats (tenant, submitted, id) WHERE tenant IS NOT NULL;
   CREATE TABLE tags (tag TEXT NOT NULL, submitted INTEGER NOT NULL, chat TEXT NOT NULL, PRIMARY KEY (tag, submitted, chat)) WITHOUT ROWID;
   CREATE INDEX tags_by_chat ON tags (chat);`,
]

/**
 * Migrates the tables to the version of this package; fails with `unknown-state-version` for a file of a later version, and
 * with `invalid-state` for one without the tables of its version.
 */
export function migrate(db: Database, path: string): void {
  if (isCurrent(db)) return
  db.transaction(() => {
    const from = versionOf(db)
    if (from > MIGRATIONS_SQL.length) throw otherVersion(from, path)
    if (hasChats(db) !== from > 0) throw noChats(path)
    for (const change of MIGRATIONS_SQL.slice(from)) db.exec(change)
    db.exec(`PRAGMA user_version = ${MIGRATIONS_SQL.length}`)
  })
}

/** Refuses a file of another version, or without its tables; changes nothing in it. */
export function checkVersion(db: Database, path: string): void {
  if (isCurrent(db)) return
  throw hasChats(db) && versionOf(db) > 0 ? otherVersion(versionOf(db), path) : noChats(path)
}

const versionOf = (db: Database): number => Number(db.row('PRAGMA user_version')!['user_version'])

const hasChats = (db: Database): boolean => db.row("SELECT 1 FROM sqlite_schema WHERE name = 'chats'") !== undefined

const isCurrent = (db: Database): boolean => versionOf(db) === MIGRATIONS_SQL.length && hasChats(db)

function otherVersion(version: number, path: string): XError {
  const known = MIGRATIONS_SQL.length
  const why =
    version > known
      ? `this package reads up to ${known}; update \`@x/host\``
      : `version ${known} is read without a change; open a copy of the file once with \`createHost\`, which migrates it, and read that`
  return new XError(
    'unknown-state-version',
    `could not open the chats in \`${path}\`: the file has version ${version}, and ${why}`,
    { details: { version, known: [known] } },
  )
}

const noChats = (path: string): XError =>
  new XError(
    'invalid-state',
    `could not open the chats in \`${path}\`: it is a database of another program, or has lost its tables; give the path of another file`,
  )
