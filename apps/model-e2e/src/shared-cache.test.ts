import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'

const CLIENT = fileURLToPath(new URL('cache-client.fake.ts', import.meta.url))
const SERVER = fileURLToPath(new URL('../../../packages/host-servers/src/server-process.fake.ts', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'x-shared-cache-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
let logs = 0

/** Starts a server of its own; undefined when it is not installed. */
async function startServer(kind: string): Promise<string | undefined> {
  const child = spawn(process.execPath, ['--conditions=@x/source', SERVER, kind], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  afterAll(async () => {
    if (child.exitCode !== null) return
    child.stdin.end()
    await once(child, 'close')
  })
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string]
  return line.trim() === 'missing' ? undefined : line.trim()
}

interface Client {
  readonly child: ChildProcess
  readonly ended: Promise<{ hits: number; warnings: string[] } | null>
}

/** Starts a process that asks questions, which take a model some milliseconds each. */
function ask(place: string, log: string, ms: number, questions: readonly string[]): Client {
  const child = spawn(process.execPath, ['--conditions=@x/source', CLIENT, place, log, String(ms), ...questions], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let out = ''
  child.stdout.on('data', (data: Buffer) => (out += data.toString()))
  const ended = once(child, 'close').then(([status]) => (status === 0 ? (JSON.parse(out) as never) : null))
  return { child, ended }
}

const asked = (log: string): string[] => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])

const places = [['disk', join(folder, 'cache')] as const]
for (const kind of ['redis', 'postgres']) {
  const url = await startServer(kind)
  if (url) places.push([kind as never, url])
  else
    describe(kind, () =>
      it.skip(`is not installed: apt-get install ${kind === 'redis' ? 'redis-server' : 'postgresql'}`),
    )
}

describe.each(places)('%s', (_, place) => {
  it('four processes with the same ten questions ask each once', async () => {
    const log = join(folder, `log-${logs++}`)
    const questions = Array.from({ length: 10 }, (_each, index) => `question ${index}`)
    const clients = Array.from({ length: 4 }, () => ask(place, log, 500, questions))
    const ends = await Promise.all(clients.map(({ ended }) => ended))
    expect(asked(log).toSorted()).toEqual(questions.toSorted())
    expect(ends.reduce((sum, end) => sum + end!.hits, 0)).toBe(30)
    expect(ends.flatMap((end) => end!.warnings)).toEqual([])
  }, 60_000)

  it('of a process that is killed while it asks, another takes over', async () => {
    const log = join(folder, `log-${logs++}`)
    const first = ask(place, log, 600_000, ['killed'])
    await expect.poll(() => asked(log), { timeout: 20_000 }).toEqual(['killed'])
    const others = [ask(place, log, 10, ['killed']), ask(place, log, 10, ['killed'])]
    first.child.kill('SIGKILL')
    const ends = await Promise.all(others.map(({ ended }) => ended))
    expect(ends.reduce((sum, end) => sum + end!.hits, 0)).toBe(1)
    expect(asked(log)).toEqual(['killed', 'killed'])
    expect(await first.ended).toBe(null)
  }, 60_000)
})
