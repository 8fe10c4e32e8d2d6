import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createHost, defineChat, sqlite } from '@x/host'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { forkRun, type KeptRun, openRecords } from '@x/records'
import { AssistantAgent, ConversableAgent, tool } from '@x/agent'
import { functionModel, startFakeOpenAI } from '@x/testing'
import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type LogOutput, showRun } from './log-actions.ts'
import { type Ran, runLog } from './run-log.fake.ts'
import sell from './shop.fake.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))
const SHOP = fileURLToPath(new URL('shop.fake.ts', import.meta.url))

let folder: string
let file: string
/** Ids of two runs that asked differently, and of two forks of the first. */
let tea: string
let other: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'x-log-'))
  file = join(folder, 'runs.db')
  const records = openRecords(file)
  await sell({ tracer: records.tagged({ app: 'shop' }) })
  const run = await newestRun()
  tea = run.info.runId
  await sell({ tracer: records.tagged({ app: 'shop', try: 'two' }) }, undefined, { system: 'You refuse.', price: '4' })
  other = (await newestRun()).info.runId
  await forkRun(run, '1.2.0.0', async (options) => await sell(options), { records, samples: 2, answer: '300' })
  records.close()

  async function newestRun(): Promise<KeptRun> {
    const infos = await records.list()
    const latest = infos.find(({ runId }) => runId !== tea)
    return (await records.read(latest!.runId))!
  }
})
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a command in this process, as a person who has recorded nothing. */
const log = async (...words: string[]): Promise<Ran> => await runLog(folder, ...words)

const args = (words: readonly string[]): string[] => ['--conditions=@x/source', MAIN, 'log', ...words]

const env = (): NodeJS.ProcessEnv => ({ ...process.env, NO_COLOR: '1', XDG_STATE_HOME: folder })

/** Runs a command as a program of its own. */
function program(...words: string[]): Ran {
  const { stdout, stderr, status } = spawnSync(process.execPath, args(words), { env: env(), encoding: 'utf8' })
  return { text: stdout, error: stderr, status }
}

const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('x log', { timeout: 60_000 }, () => {
  it('shows a long run as JSON part by part, since a text cannot be as long as all of it', async () => {
    const long = join(folder, 'long.db')
    const records = openRecords(long)
    const [one, two] = ['one', 'two'].map(
      (name) =>
        new ConversableAgent({ name, humanInputMode: 'NEVER', silent: true, llmConfig: functionModel(() => name) }),
    )
    await one!.initiateChat(two!, { message: 'Hi', maxTurns: 50, tracer: records })
    const [info] = await records.list()
    const { events, calls, entries } = (await records.read(info!.runId))!
    records.close()
    const parts: string[] = []
    // Whoever reads takes some time for each part: no more than one waits.
    let [waiting, mostWaiting] = [0, 0]
    const drained = async (): Promise<void> => {
      mostWaiting = Math.max(mostWaiting, waiting)
      await Promise.resolve()
      waiting = 0
    }
    const paint: LogOutput['paint'] = (_, text) => text
    const output = { env: {}, paint, columns: undefined, fail: () => {} }
    await showRun(
      undefined,
      { file: long, full: false },
      {
        ...{ ...output, json: true, signal: new AbortController().signal, aside: async (act) => await act() },
        write: (part) => void (parts.push(part), (waiting += part.length)),
        drained,
      },
    )
    expect(mostWaiting).toBeLessThan(parts.join('').length / 2)
    const shown = JSON.parse(parts.join('')) as { readonly calls: readonly unknown[] }
    expect(shown).toMatchObject({ info: { runId: info!.runId }, events, entries, waits: false })
    expect(shown.calls).toHaveLength(calls.length)
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(parts.join('').length / 2)
  })

  it('lists runs, and those that fit', async () => {
    const { text, status } = await log('ls', file)
    expect(status).toBe(0)
    expect(text.trimEnd().split('\n')).toHaveLength(4)
    expect(text).toMatch(
      new RegExp(
        `^${tea.slice(0, 8)} +20.* ok +.*3 calls +16 → 7 tokens +\\$1\\.0000 +user, clerk, guide +How much is tea\\?$`,
        'mu',
      ),
    )
    const fitting = jsonLines((await log('ls', file, '--tag', 'app=shop', '--tag', 'try=two', '--json')).text)
    expect(fitting).toMatchObject([{ runId: other, tags: { try: 'two' } }])
    expect((await log('ls', file, '--agent', 'nobody')).text).toContain('There are no such runs')
    expect(
      jsonLines((await log('ls', file, '--since', '1h', '--outcome', 'ok', '--limit', '2', '--json')).text),
    ).toHaveLength(2)
  })

  it('takes a time without a zone for one in UTC, as times are shown', async () => {
    const { last } = jsonLines((await log('ls', file, '--json', '--limit', '1')).text)[0] as { last: number }
    const listed = async (time: number): Promise<number> =>
      jsonLines((await log('ls', file, '--json', '--since', new Date(time).toISOString().slice(0, -1))).text || '{}')
        .length
    const zone = process.env['TZ']
    onTestFinished(() => {
      if (zone === undefined) delete process.env['TZ']
      else process.env['TZ'] = zone
    })
    for (const each of ['America/New_York', 'Asia/Tokyo']) {
      process.env['TZ'] = each
      expect(await listed(last - 3_600_000)).toBe(4)
      expect((await log('ls', file, '--since', new Date(last + 1000).toISOString().slice(0, -1))).text).toMatch(
        /^There are no such runs/u,
      )
    }
  })

  it('shows a run as a tree, with no control character of a model', async () => {
    const { text, status } = await log('show', tea.slice(0, 8), '--file', file)
    expect(status).toBe(0)
    const shown = text.replaceAll(/\d+ ms/gu, 'n ms')
    expect(shown.slice(shown.indexOf('\n\n'))).toBe(`

user → clerk: How much is tea?  n ms
├─ clerk: → price({"item":"tea"})
│  └─ model scripted [1.1]  7 → 3 tokens · $0.5000 · n ms
├─ user:  n ms
│  └─ tool price({"item":"tea"}) [1.2.0.0] = 3  n ms
│     └─ user → guide: The price?  n ms
│        └─ guide: 3
│           └─ model scripted [1.2.0.0.0.1]  2 → 1 tokens · $0 · n ms
└─ clerk: Tea costs 3 euros.␛[2J
   └─ model scripted [1.3]  7 → 3 tokens · $0.5000 · n ms
`)
    expect(text).toContain(`run ${tea}`)
    expect(text).toContain('tags: app=shop\n')
    const json = (await log('show', tea, '--file', file, '--json')).text
    expect(json).not.toContain('\u001B')
    expect(JSON.parse(json)).toMatchObject({
      info: { runId: tea },
      calls: [{ place: '1.1', kind: 'model' }, { place: '1.2.0.0', kind: 'tool', name: 'price' }, {}, {}],
    })
  })

  it('shows an answer that no reply tells, such as a summary', async () => {
    const path = join(folder, 'summary.db')
    const records = openRecords(path)
    const short = functionModel(({ messages }) => (/summar/iu.test(JSON.stringify(messages)) ? 'In short.' : 'Hello.'))
    const helper = new ConversableAgent({ name: 'helper', llmConfig: short, systemMessage: '', silent: true })
    const person = new ConversableAgent({ name: 'person', llmConfig: false, humanInputMode: 'NEVER', silent: true })
    await person.initiateChat(helper, {
      message: 'Hi',
      maxTurns: 1,
      summaryMethod: 'reflection_with_llm',
      tracer: records,
    })
    records.close()
    expect((await log('show', '--file', path)).text).toMatch(
      /\n└─ person: In short\.\n {3}└─ model scripted \[1\.2\.0\]/u,
    )
    expect((await log('compare', '', '--file', path)).error).toContain('no run was forked')
  })

  it('says what two runs asked differently, and puts futures side by side', async () => {
    const { text, status } = await log('diff', tea, other, '--file', file)
    expect(status).toBe(0)
    expect(text).toMatch(
      /`1\.1` \(clerk\) in `model\.messages\.0\.content`:\n {2}recorded: "You sell tea\."\n {2}other: +"You refuse\."/u,
    )
    expect(text).toMatch(/≠ clerk: Tea costs 3 euros\.␛\[2J +│ clerk: Tea costs 4 euros\.␛\[2J/u)
    expect((await log('diff', tea, other, '--file', file, '--ignore', 'model.messages.0')).text).toContain(
      'model.messages.3.content',
    )
    expect(JSON.parse((await log('diff', tea, tea, '--file', file, '--json')).text)).toMatchObject({ outcome: 'same' })

    const futures = (await log('compare', tea, '--file', file)).text
    expect(futures).toMatch(new RegExp(`fork of ${tea.slice(0, 8)} │ fork of ${tea.slice(0, 8)}|fork of`, 'u'))
    expect(futures).toMatch(/first 2 messages are the same in all\n≠ user: The price\? +│ user: 300 +│ user: 300\n/u)
    expect(jsonLines((await log('compare', tea, '--file', file, '--json')).text)).toHaveLength(3)
  })

  it('says which side is which, whatever is said there', async () => {
    const records = openRecords(join(folder, 'sides.db'))
    for (const system of ['Say:  now:      all', 'Say']) await sell({ tracer: records }, undefined, { system })
    const ids = (await records.list()).map(({ runId }) => runId)
    records.close()
    const { text } = await log('diff', ids[1]!, ids[0]!, '--file', join(folder, 'sides.db'))
    expect(text).toContain('  recorded: "Say:  now:      all"\n  other:    "Say"\n')
  })

  it('puts a run beside its forks, and the forks of those', async () => {
    const records = openRecords(join(folder, 'forks.db'))
    onTestFinished(() => records.close())
    const read = async (): Promise<KeptRun> => (await records.read((await records.list({ limit: 1 }))[0]!.runId))!
    await sell({ tracer: records })
    const ids: string[] = []
    for (const [place, answer] of [
      ['1.2.0.0', '300'],
      ['1.3', 'Later.'],
    ] as const) {
      const run = await read()
      ids.push(run.info.runId)
      await forkRun(run, place, async (options) => await sell(options), { records, answer })
    }
    ids.push((await read()).info.runId)
    const futures = jsonLines((await log('compare', ids[0]!, '--file', join(folder, 'forks.db'), '--json')).text)
    expect(futures.map(({ info }) => (info as { runId: string }).runId)).toEqual(ids)
  })

  it('adds up the cost by day, model, agent and tag', async () => {
    const rows = async (...words: string[]) => jsonLines((await log('cost', file, ...words, '--json')).text)
    expect(await rows('--by', 'agent')).toEqual([
      { name: 'clerk', runs: 4, calls: 6, promptTokens: 42, completionTokens: 18, cost: 3 },
      { name: 'guide', runs: 2, calls: 2, promptTokens: 4, completionTokens: 2, cost: 0 },
      { name: '(all)', runs: 4, calls: 8, promptTokens: 46, completionTokens: 20, cost: 3 },
    ])
    expect((await rows('--by', 'tag')).map(({ name, cost }) => [name, cost])).toEqual([
      ['app=shop', 2],
      ['(no tag)', 1],
      ['try=two', 1],
      ['(all)', 3],
    ])
    expect((await log('cost', file, '--by', 'model')).text).toBe('scripted  4 runs  8 calls  46 → 20 tokens  $3.0000\n')
    expect(await rows()).toMatchObject([{ name: expect.stringMatching(/^\d{4}-\d\d-\d\d$/u) as string, cost: 3 }])
  })

  it('labels, exports, tests and removes a run', async () => {
    const big = await log('label', tea, 'score=12345678901234567891', '--place', '1.3', '--file', file, '--json')
    expect(big.text).toContain('"value":"12345678901234567891"')
    expect(await log('label', tea, 'score=0.5', '--place', '1.3', '--file', file)).toMatchObject({ status: 0 })
    expect((await log('show', tea, '--file', file)).text).toContain('labels: score@1.3=0.5\n')
    expect((await log('label', tea, 'nothing', '--file', file)).error).toContain('such as score=0.8')

    const fixture = join(folder, 'tea.run')
    expect((await log('export', tea, '--to', fixture, '--file', file)).status).toBe(0)
    expect(statSync(fixture).mode & 0o777).toBe(0o600)
    expect((await log('export', tea, '--to', file, '--file', file)).error).toContain('name another file')
    const printed = (await log('export', tea, '--file', file)).text
    expect(printed).not.toContain('\u001B')
    expect(printed.split('\n').map((line) => line && (JSON.parse(line) as unknown))).toEqual(
      readFileSync(fixture, 'utf8')
        .split('\n')
        .map((line) => line && (JSON.parse(line) as unknown)),
    )
    expect((await log('show', '--file', fixture)).text).toContain('clerk: Tea costs 3 euros.')
    expect((await log('rm', tea, '--file', fixture)).error).toContain('only read')

    const copy = join(folder, 'copy.jsonl')
    const records = openRecords(copy)
    onTestFinished(() => records.close())
    await sell({ tracer: records })
    records.flush()
    expect((await log('rm', 'x', '--file', copy)).error).toContain('there is no run `x`')
    const [{ runId }] = jsonLines((await log('ls', copy, '--json')).text) as [{ runId: string }]
    expect(await log('rm', runId.slice(0, 6), '--file', copy)).toMatchObject({ status: 0, text: `Removed ${runId}\n` })
    expect((await log('ls', copy)).text).toContain('There are no such runs')
  })

  it('takes fixtures that fit alone', async () => {
    const fixture = join(folder, 'fitting.run')
    await log('export', tea, '--file', file, '--to', fixture)
    expect((await log('ls', fixture, '--tag', 'app=shop', '--agent', 'guide', '--since', '1h')).text).toContain('clerk')
    for (const words of [
      ['--tag', 'app=other'],
      ['--agent', 'nobody'],
      ['--outcome', 'error'],
      ['--since', '2100-01-01'],
    ]) {
      expect((await log('ls', fixture, ...words)).text).toMatch(/^There are no such runs/u)
      expect((await log('cost', fixture, ...words)).text).toMatch(/^Nothing was spent/u)
      expect((await log('test', fixture, '--program', SHOP, ...words)).error).toContain('there are no runs to test')
    }
  })

  it('runs a program against recorded runs, and fails unless it does the same in all', async () => {
    const same = await log('test', file, '--program', SHOP, '--tag', 'app=shop', '--limit', '2')
    expect(same.text).toMatch(new RegExp(`^differs {2}${other.slice(0, 8)} {2}How much`, 'mu'))
    expect(same.text).toMatch(/^ {4}recorded: "You refuse\."\n {4}now: +"You sell tea\."$/mu)
    expect(same.text).toMatch(new RegExp(`^same {5}${tea.slice(0, 8)}`, 'mu'))
    expect(same.text).toMatch(/\n1 same, 1 differ, 0 cannot be repeated\n$/u)
    expect(same.status).toBe(1)
    const fixture = join(folder, 'test.run')
    expect((await log('export', tea, '--to', fixture, '--file', file, '--json')).text).toContain(tea)
    const one = await log('test', fixture, '--program', SHOP, '--json')
    expect(one).toMatchObject({ status: 0, text: `${JSON.stringify({ runId: tea, outcome: 'same' })}\n` })
    expect(await log('test', file, '--program', SHOP, '--agent', 'nobody')).toMatchObject({ status: 1 })
    const wrong = fileURLToPath(new URL('log-cost.ts', import.meta.url))
    expect((await log('test', file, '--program', wrong)).error).toContain('exports no `default`')
    for (const none of [file, folder])
      expect((await log('test', file, '--program', none)).error).toMatch(/^invalid-argument: .* is not a module/u)
  })

  it('shows and exports no key, also one that a server or a tool of the model echoes', async () => {
    const canary = 'CanaryOf2026'
    await using server = await startFakeOpenAI({
      replies: [
        { failure: '401', message: `Incorrect API key provided: ${canary}` },
        { tool_calls: [{ id: 'c1', function: { name: 'look', arguments: '{}' } }] },
        { failure: '401', message: `Incorrect API key provided: ${canary}` },
        'Seen.',
      ],
    })
    const config = llmConfig({
      ...{ providers: [openai], model: 'm', apiKey: canary, baseUrl: server.url, cacheSeed: null, maxRetries: 0 },
      defaultHeaders: { 'x-gateway-token': `${canary}Header` },
      price: [0, 0],
    })
    const look = tool({
      ...{ name: 'look', description: 'Asks the server.', parameters: { type: 'object', properties: {} } },
      async execute() {
        return (await new AssistantAgent({ name: 'inner', llmConfig: config, silent: true }).run('Look.')).text
      },
    })
    const kept = join(folder, 'secret.db')
    const records = openRecords(kept)
    for (let turn = 0; turn < 2; turn++) {
      const agent = new AssistantAgent({ name: 'helper', llmConfig: config, silent: true })
      await agent.run('Hello', { tools: look, tracer: records }).catch(() => {})
    }
    records.close()
    const runs = jsonLines((await log('ls', kept, '--json')).text) as { runId: string }[]
    expect(runs).toHaveLength(2)
    let all = (await log('ls', kept)).text
    for (const { runId } of runs)
      for (const words of [['show', '--full'], ['show', '--json'], ['export']])
        all += (await log(...words, runId, '--file', kept)).text
    expect(all).toContain('Incorrect API key provided')
    expect(all).not.toContain(canary)
  })

  it('says of a run that was cut off how far it was compared', async () => {
    const cut = join(folder, 'cut.run')
    await log('export', tea, '--to', cut, '--file', file)
    const text = readFileSync(cut, 'utf8')
    writeFileSync(cut, text.replace('"outcome":"ok"', '"outcome":null').replace('"cutOff":false', '"cutOff":true'))
    expect(await log('test', cut, '--program', SHOP)).toMatchObject({
      status: 0,
      text: expect.stringMatching(
        /^same .*\n {2}compared only up to where the record ends, behind \d+ calls: the p/u,
      ) as string,
    })
  })

  it('follows a run until it ends', async () => {
    const live = join(folder, 'live.db')
    const records = openRecords(live)
    onTestFinished(() => records.close())
    const gate = Promise.withResolvers<void>()
    const model = functionModel(async () => {
      await gate.promise
      return 'Here.\u001B[2J'
    })
    const agent = new AssistantAgent({ name: 'slow', llmConfig: model, silent: true })
    const running = agent.run('Where?', { tracer: records })
    while ((await records.list()).length === 0) await new Promise((next) => void setImmediate(next))
    const { runId } = (await records.list())[0]!
    const tail = spawn(process.execPath, args(['tail', runId, '--file', live]), { env: env() })
    const ended = once(tail, 'close')
    let text = ''
    for await (const piece of tail.stdout.setEncoding('utf8')) {
      text += piece as string
      if (text.includes('user → slow: Where?')) gate.resolve()
    }
    await running
    expect(await ended).toEqual([0, null])
    expect(text).toMatch(/user → slow: Where\?\n[^]*slow: Here\.␛\[2J[^]*has ended: answered/u)
  })

  it('reads the chats of a host, and changes nothing', async () => {
    const path = join(folder, 'host.db')
    const greet = defineChat({
      name: 'greet',
      version: '1',
      input: z.object({ name: z.string() }),
      async run({ input: { name: input }, run }) {
        const model = functionModel(() => `Hello, ${input}`, { usage: [5, 2], cost: 0.25 })
        const agent = new AssistantAgent({ name: 'greeter', llmConfig: model, silent: true })
        return (await agent.run(input, { run })).text
      },
    })
    const stop = new AbortController()
    const recorded = join(folder, 'hosted-runs.db')
    const records = openRecords(recorded)
    const host = createHost({ chats: [greet], at: sqlite(path), tracer: records })
    const work = host.work({ signal: stop.signal })
    await host.submit(greet, { name: 'Ada' }, { id: 'order-1' })
    await host.result('order-1')
    stop.abort()
    await work
    await host.close()
    records.close()

    // The record has the whole run, which can be repeated; the file of the host has its events and answers.
    const whole = await log('show', 'order-1', '--file', recorded)
    expect(whole).toMatchObject({ status: 0, error: '' })
    expect(whole.text).toMatch(/^run order-1[^]*user → greeter: Ada[^]*greeter: Hello, Ada[^]*model scripted \[1\.1\]/u)
    expect(whole.text).not.toContain('cannot be repeated')
    expect((await log('show', 'order-1', '--file', path)).text).toContain('cannot be repeated')

    expect((await log('ls', path)).text).toMatch(
      /^order-1 .* ok .* 1 call +5 → 2 tokens +\$0\.2500 +user, greeter +Ada\n$/u,
    )
    expect((await log('show', 'order', '--file', path)).text).toMatch(
      /greeter: Hello, Ada[^]*\njournal\n[^]*1\.1 model {2}\{"reply":"Hello, Ada"/u,
    )
    const shown = JSON.parse((await log('show', 'order-1', '--file', path, '--json')).text) as {
      entries: { kind: string }[]
    }
    expect(shown.entries.map(({ kind }) => kind)).toContain('model')
    expect((await log('test', path, '--program', SHOP, '--json')).text).toContain('"outcome":"cannot"')
    expect((await log('diff', 'order-1', 'order-1', '--file', path)).text).toContain('cannot be compared')
    expect(await log('rm', 'order-1', '--file', path)).toMatchObject({ status: 1 })
  })

  it('is a command, whose failures have an exit status', () => {
    expect(program('ls', file, '--json', '--limit', '1')).toMatchObject({ status: 0, error: '' })
    const missing = program('ls')
    expect(missing).toMatchObject({
      status: 1,
      text: '',
      error: expect.stringMatching(/^invalid-argument: /u) as string,
    })
    expect(program('test', file, '--program', SHOP, '--tag', 'try=two')).toMatchObject({ status: 1, error: '' })
    expect(program('show', tea, '--file', file).text).toContain('Tea costs 3 euros.␛[2J')
    const exits = join(folder, 'exits.js')
    writeFileSync(exits, 'export default () => process.exit()')
    expect(program('test', file, '--program', exits)).toMatchObject({
      status: 1,
      error: expect.stringContaining('The program was ended before the command was') as string,
    })
  })

  it('says what is wrong with a file or a run', async () => {
    expect(await log('ls')).toMatchObject({ status: 1, error: expect.stringContaining('`x chat` makes it') as string })
    expect((await log('ls', folder)).error).toContain('is no file')
    const text = join(folder, 'text.jsonl')
    writeFileSync(text, 'hello\n')
    expect((await log('ls', text)).error).toContain('has no runs')
    writeFileSync(text, '{"x-records":1}\n{"runId":null}\n{"runId":"a"}\n')
    expect((await log('ls', text)).error).toMatch(/^invalid-state: line 2 is no record in/u)
    writeFileSync(text, '{"x-records":3}\n')
    expect((await log('ls', text)).error).toMatch(/^unknown-state-version: .*version 3, .* update `@x\/records`/u)
    const broken = join(folder, 'broken.db')
    writeFileSync(broken, `SQLite format 3\0${'x'.repeat(5000)}`)
    expect((await log('ls', broken)).error).toMatch(/^invalid-state: .*cannot be read/u)
    const empty = join(folder, 'empty.db')
    openRecords(empty).close()
    expect((await log('show', '--file', empty)).error).toContain('there are no runs in')
    expect((await log('show', '', '--file', file)).error).toMatch(/4 runs begin with ``/u)
    for (const time of ['soon', '7', 'June 7', '2026-13-01', '2026-02-30', '2026-06-31T09:30'])
      expect((await log('cost', file, '--since', time)).error).toContain('Write 90m')
    const alone = join(folder, 'alone.db')
    const records = openRecords(alone)
    await sell({ tracer: records })
    records.close()
    // Such as of a variable of a shell that is not set.
    expect((await log('rm', '', '--file', alone)).error).toContain('the id of the run is empty')
    expect((await log('label', '', 'score=1', '--file', alone)).error).toContain('the id of the run is empty')
    expect((await log('label', tea, 'score=1', '--place', '9.9', '--file', file)).error).toContain(
      'has the place `9.9`',
    )
  })
})
