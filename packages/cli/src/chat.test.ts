import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openRecords, replay } from '@x/records'
import { startFakeOpenAI, type FakeOpenAI } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import repeat, { changed } from './agents.fake.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const GROUP = fileURLToPath(new URL('../../../apps/example-group/src/agents.ts', import.meta.url))
const PARROT = fileURLToPath(new URL('agents.fake.ts', import.meta.url))
/** Runs a program at a pseudo terminal, by a shell that has to make room for it: Ctrl-C would end the shell as well. */
const SCRIPT = '/usr/bin/script'
const ESCAPE = '\u001B'

let chats: string
let running: ChildProcess[]
beforeEach(() => {
  chats = mkdtempSync(join(tmpdir(), 'chats-'))
  running = []
})
afterEach(async () => {
  for (const child of running) {
    if (child.exitCode === null && child.signalCode === null) {
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    }
  }
  rmSync(chats, { recursive: true })
})

/** A program that runs, and what it has printed. */
interface Started {
  readonly child: ChildProcess
  type(text: string): void
  /** What was printed, once it fits. */
  printed(fits: RegExp): Promise<string>
  /** What was printed and how it ended. */
  ended(): Promise<{ text: string; status: number | null }>
}

function start(command: string, args: readonly string[], env: Record<string, string> = {}): Started {
  const keys = /_API_KEY$|^(?:NO_COLOR|FORCE_COLOR|CI)$/u
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !keys.test(name)))
  const child = spawn(command, args, { env: { ...inherited, TERM: 'xterm', X_NO_RECORD: '1', ...env }, stdio: 'pipe' })
  running.push(child)
  let text = ''
  let more = Promise.withResolvers<boolean>()
  const tell = (goesOn: boolean): void => {
    const { resolve } = more
    more = Promise.withResolvers()
    resolve(goesOn)
  }
  const closed = once(child, 'close')
  void closed.then(() => tell(false))
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part) => {
      text += part
      tell(true)
    })
  }
  return {
    child,
    type: (line) => void child.stdin.write(line),
    async printed(fits) {
      while (!fits.test(text)) {
        if (!(await more.promise) && !fits.test(text)) throw new Error(`it ended without ${String(fits)}: ${text}`)
      }
      return text
    },
    async ended() {
      const [status] = (await closed) as [number | null]
      return { text, status }
    },
  }
}

const words = (args: readonly string[]): string[] => ['--conditions=@x/source', MAIN, 'chat', '--chats', chats, ...args]

/** `x chat` with pipes. */
const piped = (args: readonly string[] = [], env?: Record<string, string>): Started =>
  start(process.execPath, words(args), env)

/** What it prints when these lines are all there is. */
async function said(
  lines: readonly string[],
  args: readonly string[] = [],
): Promise<{ text: string; status: number | null }> {
  const chat = piped(args)
  chat.child.stdin!.end(lines.map((line) => `${line}\n`).join(''))
  return await chat.ended()
}

const jsonLines = (text: string): Record<string, unknown>[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('x chat by pipes', { timeout: 60_000 }, () => {
  it('talks on a simulated model without a key, in plain text, and asks before it runs code', async () => {
    const { text, status } = await said(['Hello', 'compute 2 ** 10', 'what?', 'no, not now', 'compute 3 * 3', 'y'])
    expect(status).toBe(0)
    expect(text).toMatch(/^I am a simulated model\./u)
    expect(text).toContain('run_code is to be called\n│ language: javascript\n│ code: console.log(2 ** 10)\n')
    expect(text).toContain(
      '\ny allows it, n denies it, n and words deny it and say why, {…} allows it with other arguments.\n',
    )
    expect(text).toMatch(/The tool says: .*denied: not now/u)
    expect(text).toContain('→ run_code {"language":"javascript","code":"console.log(3 * 3)"}\n9\nThe tool says: 9\n')
    expect(text).not.toContain(ESCAPE)
  })

  it('goes on with the last chat, with what waits in it first', async () => {
    await said(['Hello', 'compute 6 * 7'])
    expect(readdirSync(chats)).toHaveLength(1)
    const { text } = await said(['{"language":"javascript","code":"console.log(43)"}', 'Hello?'], ['--resume'])
    expect(text).toMatch(/^› Hello\nI am a simulated model\./u)
    expect(text).toMatch(/run_code is to be called[^]*→ run_code .*43[^]*The tool says: 43[^]*I am a simulated/u)
    expect(readdirSync(chats)).toHaveLength(1)
    const none = await said([], ['--resume', 'another'])
    expect(none).toMatchObject({ status: 1, text: expect.stringContaining('no chat `another`') as string })
  })

  it('prints every event as a line of JSON', async () => {
    const { text } = await said(['compute 1 + 1', 'y'], ['--json'])
    const lines = jsonLines(text)
    const types = lines.map(({ type }) => type)
    expect(types).toEqual(expect.arrayContaining(['textDelta', 'approvalRequested', 'decisionNeeded', 'codeOutput']))
    expect(types.filter((type) => type === 'executeFunction')).toHaveLength(1)
    expect(lines.at(-1)).toMatchObject({ type: 'turnEnded', terminationReason: 'termination-message' })
  })

  it('runs code without a question when told so', async () => {
    const { text } = await said(['compute 5 * 5'], ['--yes'])
    expect(text).toMatch(/→ run_code .*\n25\nThe tool says: 25/u)
  })

  it('has commands, which no agent hears, and goes from one chat to another', async () => {
    const { text, status } = await said([
      '/help',
      '/usage',
      'Hello',
      'compute 2 * 2',
      '/model',
      'y',
      '/usr/bin is a folder',
      '/usage',
      '/new',
      'Anew',
      '/chats',
      '/open 9',
      '/nothing',
      '/open 2',
      '/chats',
      '/exit',
      'Not said',
    ])
    expect(status).toBe(0)
    expect(text).toMatch(/^\/help +lists the commands\n[^]*Nothing has been used yet\.\nI am a simulated/u)
    expect(text).toMatch(/run_code is to be called[^]*The model is simulated\.\ny allows it[^]*→ run_code[^]*says: 4/u)
    expect(text).toMatch(/\nsimulated: \d+ tokens in, \d+ out, \$0\n/u)
    expect(text).toMatch(/\n\* 1 .* Anew\n {2}2 .* Hello\nThere is no chat 9; .*\nThere is no command \/nothing; /u)
    expect(text).toMatch(/› Hello\nI am a simulated[^]*\n {2}1 .* Anew\n\* 2 .* Hello\n$/u)
    const { text: listed } = await said([], ['--list'])
    expect(listed).toMatch(/ 1 .* Anew\n {2}2 .* Hello\n$/u)
    const { text: objects } = await said([], ['--list', '--json'])
    expect(jsonLines(objects).map(({ title }) => title)).toEqual(['Anew', 'Hello'])
  })

  it('shows a group: who is next and why, who speaks on which model, and a person who may stay silent', async () => {
    const { text } = await said(['A dinner for four', 'No fish', 'y', 'And for five?', '', 'n, too dear'], [GROUP])
    expect(text).toMatch(/^ {2}planner is next: chosen by the model\nplanner · simulated\nI propose:/u)
    expect(text).toMatch(/ {2}You are next: chosen by the model\n {2}cook is next: .*\ncook · simulated\n“No fish”/u)
    expect(text).toMatch(/order_groceries is to be called\n│ shop: market\n[^]*buyer · simulated\n→ order_groceries/u)
    expect(text).toMatch(
      /pears: ordered at the market[^]*planner · simulated\n[^]*planner is next[^]*denied: too dear/u,
    )
    expect(text).not.toMatch(/speaker_selection|speaker":/u)
    const { text: later } = await said(['/exit'], [GROUP, '--resume'])
    expect(later).toMatch(/^› A dinner for four\nplanner\nI propose:[^]*› No fish\ncook\n[^]*› \(stays silent\)\n/u)
  })

  it('talks with the agents of a file, which have its tools', async () => {
    const { text, status } = await said(['Hello', '/model'], [PARROT])
    expect(text).toBe(`I am the agent of a file.\nThe model is that of ${PARROT}.\n`)
    expect(status).toBe(0)
    await using server = await startFakeOpenAI({ replies: ['Hello, hello.'] })
    const asked = await said(['Hello'], [PARROT, '--base-url', server.url, '--model', 'm'])
    expect(asked.text).toBe('Hello, hello.\n')
    const { messages, tools } = server.requests[0]!.body as { messages: object[]; tools: { function: object }[] }
    expect(messages[0]).toMatchObject({ content: 'You are a parrot.' })
    expect(tools[0]!.function).toMatchObject({ name: 'run_code' })
    const both = await said([], [PARROT, '--system', 'Be brief.'])
    expect(both).toMatchObject({ status: 1, text: expect.stringContaining('cannot use `--system`') as string })
  })

  it('records itself, says so once, and is silent about it when it does not', async () => {
    const state = join(chats, 'state')
    const recorded = async (args: readonly string[], env: Record<string, string> = {}) => {
      const chat = piped(args, { XDG_STATE_HOME: state, X_NO_RECORD: '', ...env })
      chat.child.stdin!.end('Hello\ncompute 6 * 7\ny\n')
      return (await chat.ended()).text
    }
    const file = join(state, 'x', 'runs.db')
    const text = await recorded([])
    expect(text.match(/^Recorded in .*$/gmu)).toEqual([
      `Recorded in ${file}, which only you may read, for 30 days; \`x log\` shows it.`,
    ])
    expect(text).toContain('--no-record, or X_NO_RECORD=1')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const records = openRecords(file)
    onTestFinished(() => records.close())
    const infos = await records.list({ tags: { command: 'chat' } })
    expect(infos.map(({ title, outcome, problem }) => ({ title, outcome, problem }))).toEqual([
      { title: 'compute 6 * 7', outcome: 'ok', problem: null },
      { title: 'Hello', outcome: 'ok', problem: null },
    ])
    expect(new Set(infos.map(({ tags }) => tags['chat'])).size).toBe(1)

    expect(await recorded(['--no-record'])).not.toContain('Recorded')
    expect(await recorded([], { X_NO_RECORD: '1' })).not.toContain('Recorded')
    expect(await records.list()).toHaveLength(2)
    const other = join(chats, 'other.jsonl')
    expect(await recorded(['--record', other], { X_NO_RECORD: '1' })).toContain(`Recorded in ${other}, `)
    expect(readFileSync(other, 'utf8')).toContain('compute 6 * 7')
  })

  it('is repeated turn by turn by a program that knows no earlier message', async () => {
    const env = { XDG_STATE_HOME: join(chats, 'state'), X_NO_RECORD: '' }
    for (const [lines, more] of [
      [['Hello', 'compute 6 * 7', 'n'], []],
      [['Again'], ['--resume']],
    ] as const) {
      const chat = piped([PARROT, ...more], env)
      chat.child.stdin!.end(`${lines.join('\n')}\n`)
      expect((await chat.ended()).status).toBe(0)
    }
    const records = openRecords(join(chats, 'state', 'x', 'runs.db'))
    onTestFinished(() => records.close())
    const runs = await records.list()
    expect(runs.length).toBeGreaterThan(2)
    for (const { runId } of runs) {
      const run = (await records.read(runId))!
      expect(await replay(run, repeat)).toEqual({ outcome: 'same' })
      expect(await replay(run, changed)).toMatchObject({
        outcome: 'differs',
        difference: { path: 'model.messages.0.content', recorded: 'You are a parrot.', now: 'You are a cat.' },
      })
    }
  })

  it('goes on without records where their file cannot be written, unless it is named', async () => {
    const chat = piped([], { XDG_STATE_HOME: '/dev/null', X_NO_RECORD: '' })
    chat.child.stdin!.end('Hello\n')
    expect((await chat.ended()).text).toMatch(/This chat is not recorded: .*\n[^]*I am a simulated model/u)
    const named = await said([], ['--record', '/dev/null/runs.db'])
    expect(named.status).toBe(1)
    expect(named.text).not.toContain('I am')
  })

  it('shows the end of a long chat before it goes on', async () => {
    await said(Array.from({ length: 40 }, (_, index) => `Hello ${index}`))
    const { text } = await said(['/exit'], ['--resume'])
    expect(text).toMatch(/^… 20 earlier lines.*\n› Hello 10\nI am a simulated/u)
    expect(text).toContain('› Hello 39\n')
  })

  it('ends with a word when something does not fit', async () => {
    expect(await said([], ['--budget', 'much'])).toMatchObject({ status: 1 })
    expect(await said([], ['--provider', 'nobody'])).toMatchObject({ status: 1 })
    const nobody = join(chats, 'nobody.mjs')
    writeFileSync(nobody, 'export const agents = () => ({ user: {} })')
    const { status, text } = await said([], [nobody])
    expect([status, text]).toEqual([1, expect.stringContaining('its `agents` did not return an object with `user`')])
  })
})

describe('x chat with a server', { timeout: 60_000 }, () => {
  const begun = { failure: 'hang-midway', answer: { content: 'This takes a while, and longer still' } } as const
  const onServer = (server: FakeOpenAI): string[] => ['--base-url', server.url, '--model', 'm']
  const env = { OPENAI_API_KEY: 'sk-canary-1234567890' }

  it('lets no control character of a model through, however it is cut', async () => {
    const evil = `${ESCAPE}]0;title\u0007 ${ESCAPE}[2J\u009B31m red \u202Eback\r hidden`
    await using server = await startFakeOpenAI({
      replies: [{ content: evil, pieces: evil.split('') }, { content: evil }],
    })
    const chat = piped(onServer(server), { ...env, FORCE_COLOR: '1' })
    chat.child.stdin!.end('Hi\n')
    const { text } = await chat.ended()
    expect(text).toContain('␛]0;title␇ ␛[2J\uFFFD31m red \uFFFDback hidden')
    const json = piped([...onServer(server), '--json'], env)
    json.child.stdin!.end('Hi\n')
    const printed = (await json.ended()).text
    expect(printed).not.toMatch(/(?!\n)[\p{Cc}\u202E]/u)
    expect(JSON.stringify(jsonLines(printed))).toContain(JSON.stringify(evil).slice(1, -1))
    expect(text + printed).not.toContain('canary')
  })

  it('a first signal stops the answer, one more ends the program; the chat goes on later', async () => {
    await using server = await startFakeOpenAI({ replies: [begun, begun, 'I am back.'] })
    const chat = piped(onServer(server), env)
    chat.type('One\n')
    await chat.printed(/This takes/u)
    chat.child.kill('SIGINT')
    await chat.printed(/Stopped\.\n/u)
    chat.type('Two\n')
    await chat.printed(/Stopped\.\n[^]*This takes/u)
    chat.child.kill('SIGINT')
    await chat.printed(/Stopped\.[^]*Stopped\./u)
    chat.child.kill('SIGINT')
    expect(await chat.ended()).toMatchObject({ status: 130 })

    const later = piped([...onServer(server), '--resume'], env)
    later.child.stdin!.end('Three\n')
    expect((await later.ended()).text).toBe('› One\n› Two\nI am back.\n')
    const last = server.requests.at(-1)!.body as { messages: { content: string }[] }
    expect(last.messages.map(({ content }) => content).slice(1)).toEqual(['One', 'Two', 'Three'])
  })

  it('ends its turn and its record when nobody reads it any more', async () => {
    // More than a pipe takes: it cannot have ended when the reading does.
    const pieces = Array.from({ length: 500 }, () => 'A long answer. '.repeat(100))
    await using server = await startFakeOpenAI({ replies: [{ content: pieces.join(''), pieces }] })
    const file = join(chats, 'runs.db')
    const chat = piped([...onServer(server), '--json', '--record', file], env)
    chat.type('One\n')
    await chat.printed(/textDelta/u)
    chat.child.stdout!.destroy()
    expect(await once(chat.child, 'exit')).toEqual([0, null])
    const records = openRecords(file)
    onTestFinished(() => records.close())
    expect(await records.list()).toMatchObject([{ title: 'One', outcome: 'aborted', cutOff: false }])
  })

  it('a killed one goes on with the turn that it was in', async () => {
    await using server = await startFakeOpenAI({ replies: [begun, 'The whole answer.'] })
    const chat = piped(onServer(server), env)
    chat.type('One\n')
    await chat.printed(/This takes/u)
    chat.child.kill('SIGKILL')
    await chat.ended()
    const later = piped([...onServer(server), '--resume'], env)
    later.child.stdin!.end()
    expect((await later.ended()).text).toContain('The whole answer.')
  })

  it('says that an unknown price makes a limit of dollars worthless', async () => {
    await using server = await startFakeOpenAI({ replies: ['Hello.'] })
    const chat = piped([...onServer(server), '--budget', '0.5'], env)
    chat.child.stdin!.end('One\n')
    expect((await chat.ended()).text).toContain('the price of `m` is not known')
  })

  it('says what went wrong and stays', async () => {
    await using server = await startFakeOpenAI({ replies: [{ failure: '401' }, 'Hello.'] })
    const chat = piped(onServer(server), env)
    chat.child.stdin!.end('One\nTwo\n')
    const { text, status } = await chat.ended()
    expect(text).toMatch(/^model-failed: .*\nHello\.\n$/u)
    expect(status).toBe(0)
    expect(text).not.toContain('canary')
  })
})

const hasScript = spawnSync(SCRIPT, ['--version']).stdout?.includes('util-linux')
if (!hasScript) console.warn(`skipped: a pseudo terminal: there is no \`${SCRIPT}\` of util-linux`)

describe.skipIf(!hasScript)('x chat at a terminal', { timeout: 60_000 }, () => {
  const quoted = (word: string): string => `'${word.replaceAll("'", "'\\''")}'`
  const atTerminal = (args: readonly string[] = [], env?: Record<string, string>): Started =>
    start(SCRIPT, ['-qefc', `exec ${[process.execPath, ...words(args)].map(quoted).join(' ')}`, '/dev/null'], env)

  it('edits lines, has colours, and Ctrl-C at the prompt ends it', async () => {
    const chat = atTerminal()
    expect(await chat.printed(/› /u)).toContain('The model is simulated.')
    chat.type('compute 2 * 3X\u007F')
    chat.type('\r')
    await chat.printed(/Allow\? /u)
    chat.type('y\r')
    await chat.printed(/The tool says: [^]*› /u)
    chat.type('\u0003')
    const { text, status } = await chat.ended()
    expect(status).toBe(130)
    expect(text).toContain(`${ESCAPE}[36m→ run_code`)
    expect(text).toMatch(/console\.log\(2 \* 3\)[^]*6/u)
    expect(text).toMatch(/To go on: x chat --resume \S+/u)
  })

  it('Ctrl-C stops an answer, the next message is answered, and Ctrl-D ends it', async () => {
    const begun = { failure: 'hang-midway', answer: { content: 'This takes a while, and longer still' } } as const
    await using server = await startFakeOpenAI({ replies: [begun, 'And now?'] })
    const chat = atTerminal(['--base-url', server.url, '--model', 'm'], { OPENAI_API_KEY: 'k', NO_COLOR: '1' })
    await chat.printed(/› /u)
    chat.type('One\r')
    await chat.printed(/This takes/u)
    chat.type('\u0003')
    await chat.printed(/Stopped\.[^]*› /u)
    chat.type('Two\r')
    await chat.printed(/And now\?[^]*› /u)
    chat.type('\u0004')
    const { text, status } = await chat.ended()
    expect(status).toBe(0)
    expect(text).not.toContain(`${ESCAPE}[36m`)
    expect(text).not.toContain(`${ESCAPE}[1m`)
  })
})
