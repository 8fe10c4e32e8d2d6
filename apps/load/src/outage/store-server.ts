import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import pg from 'pg'

/** The stores of hosted chats. */
export const STORES = ['sqlite', 'redis', 'postgres'] as const
export type StoreName = (typeof STORES)[number]

/** A store of its own, which ends with its process. */
export interface StoreServer extends AsyncDisposable {
  /** URL, or the path of a file. */
  readonly url: string
  /** Returns the number of commands, or of transactions, that the server has had; null for SQLite. */
  commands(): Promise<number | null>
}

const SERVER_PROGRAM = fileURLToPath(
  new URL('../../../../packages/host-servers/src/server-process.fake.ts', import.meta.url),
)

/** Starts a store; undefined when its server is not installed. */
export async function startStore(name: StoreName): Promise<StoreServer | undefined> {
  if (name === 'sqlite') {
    const folder = mkdtempSync(join(tmpdir(), 'outage-'))
    return {
      url: join(folder, 'chats.db'),
      commands: async () => null,
      [Symbol.asyncDispose]: async () => rmSync(folder, { recursive: true, force: true }),
    }
  }
  const child = spawn(process.execPath, ['--conditions=@x/source', SERVER_PROGRAM, name], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  const url = line.trim()
  if (url === 'missing') return undefined
  const close = async (): Promise<void> => {
    const closed = once(child, 'close')
    child.stdin.end()
    await closed
  }
  const commands = async (): Promise<number> => await (name === 'redis' ? redisCommands(url) : transactions(url))
  return { url, commands, [Symbol.asyncDispose]: close }
}

async function redisCommands(url: string): Promise<number> {
  const client = new Redis(url)
  try {
    return Number(/total_commands_processed:(\d+)/u.exec(await client.info('stats'))?.[1])
  } finally {
    client.disconnect()
  }
}

async function transactions(url: string): Promise<number> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const { rows } = await client.query<{ count: string }>('SELECT sum(xact_commit) AS count FROM pg_stat_database')
    return Number(rows[0]!.count)
  } finally {
    await client.end()
  }
}
