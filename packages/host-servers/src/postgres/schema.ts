import { XError } from '@x/kernel'
import type { ClientBase } from 'pg'

/**
 * Migrations of the tables, each from one version to the next. Published ones never change, and each only adds columns with
 * defaults, tables and indexes: workers of older packages run on meanwhile and afterwards.
 */
export const MIGRATIONS_SQL: readonly string[] = [
  `CREATE SEQUENCE epochs;
   CREATE TABLE chats (
     id text COLLATE "C" PRIMARY KEY,
     name text NOT NULL,
     version text NOT NULL,
     input text NOT NULL,
     state text NOT NULL DEFAULT 'waiting',
     epoch bigint NOT NULL DEFAULT 0,
     turn integer NOT NULL DEFAULT 0,
     heard integer NOT NULL DEFAULT 0,
     length integer NOT NULL DEFAULT 0,
     submitted bigint NOT NULL,
     due bigint NOT NULL,
     queued bigint NOT NULL,
     lease bigint NOT NULL DEFAULT 0,
     leased bigint NOT NULL DEFAULT 0,
     sent bigint NOT NULL DEFAULT 0,
     followed bigint NOT NULL DEFAULT 0,
     ended bigint,
     outcome text
   ) WITH (fillfactor = 80);
   CREATE INDEX chats_by_state ON chats (name, version, state, queued);
   CREATE INDEX chats_open ON chats (state, id) WHERE ended IS NULL;
   CREATE INDEX chats_open_by_kind ON chats (name, version, state) WHERE ended IS NULL;
   CREATE INDEX chats_by_end ON chats (ended) WHERE ended IS NOT NULL;
   CREATE TABLE entries (
     n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     chat text COLLATE "C" NOT NULL,
     identity text NOT NULL,
     place text NOT NULL,
     kind text NOT NULL,
     json text NOT NULL,
     author text,
     at bigint NOT NULL
   );
   CREATE UNIQUE INDEX entries_by_identity ON entries (chat, md5(identity));
   CREATE INDEX questions ON entries (n) WHERE kind = 'question';
   CREATE TABLE messages (n bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, chat text COLLATE "C" NOT NULL, json text NOT NULL);
   CREATE INDEX messages_by_chat ON messages (chat, n);
   CREATE TABLE events (
     chat text COLLATE "C" NOT NULL,
     n bigint NOT NULL,
     json text NOT NULL,
     PRIMARY KEY (chat, n)
   );`,
  `CREATE SEQUENCE record_versions;
   CREATE TABLE records (key text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, json text NOT NULL)
   WITH (fillfactor = 50);`,
  `ALTER TABLE chats
     ADD COLUMN durable boolean NOT NULL DEFAULT true,
     ADD COLUMN setbacks integer NOT NULL DEFAULT 0,
     ADD COLUMN kept integer NOT NULL DEFAULT 0,
     ADD COLUMN patience bigint NOT NULL DEFAULT 0,
     ADD COLUMN reason text;`,
  `ALTER TABLE messages ADD COLUMN key text COLLATE "C";
   CREATE UNIQUE INDEX messages_by_key ON messages (chat, key) WHERE key IS NOT NULL;`,
  `ALTER TABLE chats
     ADD COLUMN retry_kind text,
     ADD COLUMN retry_since bigint,
     ADD COLUMN retries integer NOT NULL DEFAULT 0;`,
  // Where a claim begins to read: at the entry of the last checkpoint, behind the last message that was used before it.
  `ALTER TABLE chats
     ADD COLUMN checkpoint text,
     ADD COLUMN entries_before integer NOT NULL DEFAULT 0,
     ADD COLUMN messages_before integer NOT NULL DEFAULT 0,
     ADD COLUMN last_message bigint NOT NULL DEFAULT 0;
   CREATE INDEX entries_by_chat ON entries (chat, n);`,
  // A chat with a time, whether suspended or submitted for later, is in one index by that time, and not among those that wait.
  `ALTER TABLE chats
     ADD COLUMN wakes bigint,
     ADD COLUMN tags text,
     ADD COLUMN tenant text COLLATE "C",
     ADD COLUMN priority smallint NOT NULL DEFAULT 0;
   UPDATE chats SET wakes = due WHERE state = 'waiting' AND due > 0;
   DROP INDEX chats_by_state;
   CREATE INDEX chats_by_priority ON chats (name, version, state, priority DESC, queued);
   CREATE INDEX chats_by_time ON chats (name, version, wakes) WHERE wakes IS NOT NULL;
   CREATE INDEX chats_by_submission ON chats (submitted, id) WHERE durable;
   CREATE INDEX chats_by_tenant ON chats (tenant, submitted, id) WHERE tenant IS NOT NULL;
   CREATE TABLE tags (
     tag text COLLATE "C" NOT NULL,
     submitted bigint NOT NULL,
     chat text COLLATE "C" NOT NULL,
     PRIMARY KEY (tag, submitted, chat)
   );
   CREATE INDEX tags_by_chat ON tags (chat);`,
  // Whom a chat that waits may be told to, and parts that were left behind. A crash empties the table, and the workers fill it again.
  `CREATE UNLOGGED TABLE workers (id text COLLATE "C" PRIMARY KEY, kinds text[] NOT NULL, seen bigint NOT NULL)
   WITH (fillfactor = 50);
   CREATE INDEX chats_ended_parts ON chats (ended) WHERE NOT durable AND ended IS NOT NULL;`,
]

/** Key of the advisory lock under which tables are created and migrated. */
const MIGRATION_LOCK_KEY = 22_114_117

/** Refuses the name of a schema that would have to be quoted; the error says what was attempted. */
export function checkSchema(schema: string, attempt: string): void {
  if (/^[a-z_][a-z0-9_]{0,40}$/u.test(schema) && !schema.startsWith('pg_')) return
  throw new XError(
    'invalid-argument',
    `cannot ${attempt}: \`schema\` takes 1 to 41 lower-case letters, digits and \`_\`, without \`pg_\` or a digit at its beginning`,
  )
}

/** Creates the tables of a schema that has no migrations. Processes that do this at once wait for each other. */
export async function createTables(client: ClientBase, schema: string, tablesSql: string): Promise<void> {
  await changeSchema(client, schema, async () => void (await client.query(tablesSql)))
}

/**
 * Migrates the tables of a schema to the version of this package; fails with `unknown-state-version` for a later version. Tables
 * of this version need no right to change them.
 */
export async function migrate(client: ClientBase, schema: string): Promise<void> {
  if ((await versionOf(client, schema)) === MIGRATIONS_SQL.length) return
  await changeSchema(client, schema, async () => {
    await client.query('CREATE TABLE IF NOT EXISTS versions (version integer PRIMARY KEY)')
    const from = await versionOf(client, schema)
    if (from > MIGRATIONS_SQL.length) {
      throw new XError(
        'unknown-state-version',
        `could not open the chats in the schema \`${schema}\`: it has version ${from}, and this package reads up to ${MIGRATIONS_SQL.length}; update \`@x/host-servers\``,
        { details: { version: from, known: [MIGRATIONS_SQL.length] } },
      )
    }
    for (const [index, migration] of MIGRATIONS_SQL.entries()) {
      if (index < from) continue
      await client.query(migration)
      await client.query('INSERT INTO versions VALUES ($1)', [index + 1])
    }
  })
}

/** Returns the version of the tables of a schema; 0 if there are none. */
async function versionOf(client: ClientBase, schema: string): Promise<number> {
  const found = await client.query<{ found: boolean }>('SELECT to_regclass($1) IS NOT NULL AS found', [
    `"${schema}".versions`,
  ])
  if (!found.rows[0]?.found) return 0
  const { rows } = await client.query<{ version: number | null }>('SELECT max(version) AS version FROM versions')
  return rows[0]?.version ?? 0
}

/** Runs a change of a schema, which is created if it does not exist, as one transaction under the migration lock. */
async function changeSchema(client: ClientBase, schema: string, change: () => Promise<void>): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [MIGRATION_LOCK_KEY])
    // Postgres asks for the right to create schemas in the database even where the schema exists.
    const known = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
    if (known.rowCount === 0) await client.query(`CREATE SCHEMA "${schema}"`)
    await change()
    await client.query('COMMIT')
  } catch (error) {
    // On a lost connection this fails, and the server rolls back itself.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
