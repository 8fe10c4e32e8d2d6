import { Redis } from 'ioredis'
import { vi } from 'vitest'
import {
  END_WITHOUT_SERVER,
  faultsSuite,
  later,
  refusing,
  sceneBehindProxy,
  SILENCES,
  type Fault,
  type ProxiedScene,
  type Scene,
} from '../faults-suite.fake.ts'
import { findProgram, skipWithout, startRedis, startSentinel, type TestServer } from '../servers.fake.ts'
import { redis } from './redis.ts'

const program = findProgram('redis-server')

/** Three servers, one of them the primary, and a sentinel. */
interface SentinelScene extends Scene {
  /** Returns the primary that the sentinel names; stable: it is up, and no other one takes over. */
  primary(): Promise<{ readonly server: TestServer; readonly isStable: boolean }>
}

const LIMITS = { timeout: 30_000, interval: 50 }

async function startScene(path: string): Promise<SentinelScene> {
  const first = await startRedis(path)
  const servers = [first, await startRedis(path, first), await startRedis(path, first)]
  // A primary that its replicas have left refuses writes, which would be lost.
  for (const each of servers) await ask(each, (client) => client.config('SET', 'min-replicas-to-write', '1'))
  await takesWrites(first)
  const sentinel = await startSentinel(path, first)
  const replicas = async (): Promise<unknown> =>
    await ask(sentinel, (client) => client.call('SENTINEL', 'REPLICAS', 'chats'))
  // A replica can be promoted once the sentinel knows it.
  await vi.waitUntil(async () => ((await replicas()) as unknown[]).length === 2, LIMITS)
  const url = `redis+sentinel://${new URL(sentinel.url).host}/chats`
  return {
    ...{ url, workerUrl: url },
    async primary() {
      const list = await ask(sentinel, (client) => client.call('SENTINEL', 'MASTER', 'chats'))
      const [, , , ip, , port, , , , flags] = list as string[]
      return {
        server: servers.find(({ url: each }) => each === `redis://${ip}:${port}`)!,
        isStable: flags === 'master',
      }
    },
    async close() {
      for (const each of [sentinel, ...servers]) await each.close()
    },
  }
}

/** Asks a server on a connection of its own. */
async function ask<T>({ url }: TestServer, call: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { enableReadyCheck: false })
  try {
    return await call(client)
  } finally {
    client.disconnect()
  }
}

const takesWrites = async (server: TestServer): Promise<unknown> =>
  await vi.waitFor(async () => await ask(server, (client) => client.set('probe', 1)), LIMITS)

/** Resolves with the next primary when it takes writes. */
async function nextPrimary(scene: SentinelScene, before: TestServer): Promise<TestServer> {
  const next = await vi.waitUntil(async () => {
    const { server, isStable } = await scene.primary()
    return isStable && server !== before && server
  }, LIMITS)
  await takesWrites(next)
  return next
}

const FAILOVERS: readonly Fault<SentinelScene>[] = [
  {
    title: 'the primary is stopped, and goes on after a replica has taken over',
    async strike(scene) {
      const { server: before } = await scene.primary()
      before.pause()
      const { hostname, port } = new URL((await nextPrimary(scene, before)).url)
      before.resume()
      await later(500)
      // As the sentinel does some seconds later.
      await ask(before, async (client) => {
        await client.replicaof(hostname, Number(port))
        await client.call('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes')
      })
    },
  },
  {
    title: 'the primary is killed and a replica takes over',
    async strike(scene) {
      const { server: before } = await scene.primary()
      await before.kill()
      await nextPrimary(scene, before)
    },
  },
]

/** Makes a server full, or empty enough. */
async function fill({ server }: ProxiedScene, isFull: boolean): Promise<void> {
  await ask(server, (client) => client.config('SET', 'maxmemory', isFull ? '1' : '0'))
}

const FULL = refusing('the server is full for two seconds', fill)

if (program) {
  const start = async (): Promise<ProxiedScene> => await sceneBehindProxy(await startRedis(program))
  faultsSuite('redis', { start, open: redis, faults: [FULL, END_WITHOUT_SERVER, ...SILENCES], refuseWrites: fill })
  faultsSuite('redis with sentinels', { start: () => startScene(program), open: redis, faults: FAILOVERS })
} else skipWithout('redis')
