import { XError } from '@x/kernel'
import type { PoolClient } from 'pg'

/** Changes of the tables, each from one version to the next; those that were published stay as they are. */
const MIGRATIONS: readonly string[] = [
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
]

/** A number for the lock under which tables are changed. */
const LOCK = 22_114_117

/** Refuses a name of a schema that would have to be quoted, for what is attempted. */
export function checkSchema(schema: string, attempt: string): void {
  if (/^[a-z_][a-z0-9_]{0,40}$/u.test(schema)) return
  throw new XError('invalid-argument', `cannot ${attempt}: \`schema\` takes small letters, digits and \`_\``)
}

/** Makes the tables of a schema that have no versions; others that make them at the same time are waited for. */
export async function makeTables(client: PoolClient, schema: string, tables: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
    await client.query(tables)
    await client.query('COMMIT')
  } catch (error) {
    // A connection that was lost has rolled back by itself.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}

/** Brings the tables of a schema to the version of this package; a later version is refused with `unknown-state-version`. */
export async function migrate(client: PoolClient, schema: string): Promise<void> {
  await client.query('BEGIN')
  try {
    await client.query('SELECT pg_advisory_xact_lock($1)', [LOCK])
    await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`)
    await client.query('CREATE TABLE IF NOT EXISTS versions (version integer PRIMARY KEY)')
    const { rows } = await client.query<{ version: number | null }>('SELECT max(version) AS version FROM versions')
    const from = rows[0]?.version ?? 0
    if (from > MIGRATIONS.length) {
      throw new XError(
        'unknown-state-version',
        `could not open the chats in the schema \`${schema}\`: it has version ${from}, and this package reads up to ${MIGRATIONS.length}; update the package`,
      )
    }
    for (const [index, change] of MIGRATIONS.entries()) {
      if (index < from) continue
      await client.query(change)
      await client.query('INSERT INTO versions VALUES ($1)', [index + 1])
    }
    await client.query('COMMIT')
  } catch (error) {
    // A connection that was lost has rolled back by itself.
    await client.query('ROLLBACK').catch(() => {})
    throw error
  }
}
