import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const pathOf = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const X = pathOf('../../../packages/cli/src/main.ts')
const COINS = pathOf('../../../packages/cli/src/coins.fake.ts')
const GROUP = pathOf('../../example-group/src/agents.ts')
const WEB_CHAT = pathOf('../../web-chat/src/main.ts')
const DEMO = pathOf('main.ts')
const PROGRAM = fileURLToPath(new URL('recorded-commands.fake.ts', import.meta.url))

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'recorded-'))
  file = join(folder, 'runs.db')
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Starts a program as a person does who has set nothing. */
function start(...args: readonly string[]): ReturnType<typeof spawn> {
  const unset = /_API_KEY$|^(?:X_NO_RECORD|FORCE_COLOR|CI)$/u
  const kept = Object.entries(process.env).filter(([name]) => !unset.test(name))
  const env = { ...Object.fromEntries(kept), NO_COLOR: '1', XDG_STATE_HOME: folder }
  return spawn(process.execPath, ['--conditions=@x/source', ...args], { env, cwd: folder, stdio: 'pipe' })
}

/** Runs a program to its end; returns what it has printed. */
async function run(args: readonly string[], input = ''): Promise<{ text: string; error: string; status: number }> {
  const child = start(...args)
  let [text, error] = ['', '']
  child.stdout!.setEncoding('utf8').on('data', (part: string) => void (text += part))
  child.stderr!.setEncoding('utf8').on('data', (part: string) => void (error += part))
  child.stdin!.end(input)
  const [status] = (await once(child, 'close')) as [number]
  return { text, error, status }
}

/** Runs a command of `x log`; returns the objects that it has printed. */
async function log(...args: readonly string[]): Promise<readonly Record<string, unknown>[]> {
  const { text, error } = await run([X, 'log', ...args, '--json'])
  expect(error).toBe('')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

/** Lists the runs of the file, looks at the newest, and returns its kinds of calls. */
async function kindsOfNewest(tags: object, problem: unknown = null): Promise<ReadonlySet<unknown>> {
  expect(statSync(file).mode & 0o777).toBe(0o600)
  const [info] = await log('ls', file)
  expect(info).toMatchObject({ tags, outcome: 'ok', cutOff: false, problem })
  const [shown] = await log('show', info!['runId'] as string, '--file', file)
  const { events, calls } = shown as { events: unknown[]; calls: { kind: string }[] }
  expect(events.length).toBeGreaterThan(2)
  return new Set(calls.map(({ kind }) => kind))
}

describe('a command that records', () => {
  it('`x ask` leaves a run that is a test', async () => {
    const { status } = await run([X, 'ask', 'How are you?', '--record', file])
    expect(status).toBe(0)
    expect(await kindsOfNewest({ command: 'ask' })).toEqual(new Set(['model']))
    expect(await log('test', file, '--program', PROGRAM)).toMatchObject([{ outcome: 'same' }])
    await run([X, 'ask', 'How are you?', '--system', 'Be rude.', '--record', file])
    expect((await log('test', file, '--program', PROGRAM)).map(({ outcome }) => outcome)).toEqual(['differs', 'same'])
  })

  it('`x reason` leaves its search', async () => {
    const { status } = await run([X, 'reason', '30', '--task', COINS, '--record', file])
    expect(status).toBe(0)
    const problem = expect.stringMatching(/^it is a search without a `run`/u) as unknown
    await kindsOfNewest({ command: 'reason' }, problem)
    const [cost] = await log('cost', file, '--by', 'tag')
    expect(cost).toMatchObject({ name: 'command=reason', runs: 1 })
    expect(cost!['calls']).toBeGreaterThan(3)
    const { text } = await run([X, 'log', 'show', '--file', file])
    expect(text).toContain('10 + 10 + 10 = 30')
  })

  it('`x chat` leaves a run for each turn of a group', async () => {
    await run([X, 'chat', GROUP, '--record', file], 'A dinner for four\nNo fish\ny\n')
    expect(await kindsOfNewest({ command: 'chat' })).toContain('model')
  })

  it('the demo leaves its chat', async () => {
    const { status } = await run([DEMO, '--record', file])
    expect(status).toBe(0)
    expect(await kindsOfNewest({ command: 'demo' })).toEqual(new Set(['model', 'tool', 'code']))
  })

  it('the web example leaves the turns of its chats', async () => {
    const child = start(WEB_CHAT, '--folder', join(folder, 'chats'), '--record', file)
    const ended = once(child, 'close')
    try {
      let text = ''
      for await (const part of child.stdout!.setEncoding('utf8')) {
        text += part as string
        if (text.includes('#')) break
      }
      const { origin, hash } = new URL(/http:\S+/u.exec(text)![0])
      const post = async (path: string, body: object): Promise<Response> =>
        await fetch(`${origin}${path}`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', authorization: `Bearer ${hash.slice(1)}`, origin },
          body: JSON.stringify(body),
        })
      const { id } = (await (await post('/chats', { kind: 'assistant' })).json()) as { id: string }
      expect((await post(`/chats/${id}/messages`, { text: 'Hello' })).ok).toBe(true)
      await expect.poll(async () => (await log('ls', file))[0]?.['outcome']).toBe('ok')
    } finally {
      child.kill()
      await ended
    }
    expect(await kindsOfNewest({})).toContain('model')
  })
})
