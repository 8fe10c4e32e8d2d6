import type { Agent, EventStream, Io, XEvent } from '@x/interfaces'
import { runStream, XError } from '@x/kernel'
import { each } from '@x/kernel/each'
import { eventOutside } from '@x/kernel/run'
import { expect, test } from 'vitest'
import { facesOf } from './faces.ts'
import { replay } from './replay.ts'
import type { Given, Recorded, Step, Trace } from './trace.ts'
import type { World } from './world.ts'

interface Options {
  name: string
  io: Io
  systemMessage?: string
}

/** An agent that does just what these tests ask of one. */
class Parrot implements Agent {
  readonly name: string
  readonly description: string = ''
  readonly systemMessage: string
  readonly #io: Io
  readonly heard: string[] = []

  constructor({ name, io, systemMessage = '' }: Options) {
    if (systemMessage === 'bad') throw new XError('invalid-argument', 'a bad system message')
    this.name = name
    this.systemMessage = systemMessage
    this.#io = io
  }

  sendSync(message: string, to: Parrot, { requestReply }: { requestReply?: boolean } = {}): string {
    to.heard.push(message)
    void this.#io.send(received(this, message, to))
    return `sync ${String(requestReply)}`
  }

  async send(message: string, to: Parrot): Promise<string> {
    this.sendSync(message, to)
    return 'async'
  }

  sendStream(message: string, to: Parrot): EventStream<string> {
    const events = [received(this, message, to)]
    return runStream<string, XEvent>(
      (function* () {
        yield* each(events, (event) => event)
        return 'stream'
      })(),
    )
  }

  count(): number {
    return this.heard.length
  }

  async later(): Promise<void> {}

  ask(prompt: string): unknown {
    return this.#io.input(prompt)
  }

  whisper(message: string, to: Parrot): void {
    void this.#io.send({ ...received(this, message, to), silent: true } as XEvent)
  }

  warn(text: string): void {
    void this.#io.send(eventOutside({ type: 'warning', agent: null, text, topic: 'test' }, 0))
  }

  fail(kind: string): void {
    throw kind === 'ours' ? new XError('invalid-name', 'no name') : new TypeError('a bug')
  }
}

const received = ({ name: sender }: Agent, content: string, { name: recipient }: Agent): XEvent =>
  eventOutside({ type: 'receivedMessage', agent: sender, sender, recipient, message: { content }, index: 0 }, 0)

const world: World = {
  agents: { Parrot },
  functions: {},
  conversations: (agent) => {
    const { heard } = agent as Parrot
    return [{ counterpart: null, messages: heard.map((content) => ({ content })), autoReplies: heard.length }]
  },
  tool: (definition) => definition,
  llmConfig: () => ({}) as never,
  ModelWrapper: undefined as never,
}

const run = async (steps: Step[], given: Given = {}, face: 'sync' | 'async' | 'stream' = 'sync'): Promise<Recorded> => {
  const agents = { a: { class: 'Parrot' }, b: { class: 'Parrot' }, ...given.agents }
  return await replay({ name: 'x/y', about: '', given: { ...given, agents }, steps, recorded: {} }, face, world)
}

test.each([
  ['sync', 'sync undefined'],
  ['async', 'async'],
  ['stream', 'stream'],
] as const)('the %s face takes its own form, and its events are seen', async (face, answer) => {
  const seen = await run([{ do: 'send', on: 'a', args: ['hi', { $agent: 'b' }] }], {}, face)
  expect(seen.results).toEqual([{ value: answer }])
  expect(seen.events).toEqual([{ type: 'received', sender_name: 'a', recipient_name: 'b', content: 'hi' }])
})

test('a silent message is no event, as in the reference', async () => {
  const seen = await run([
    { do: 'whisper', on: 'a', args: ['hush', { $agent: 'b' }] },
    { do: 'send', on: 'a', args: ['hi', { $agent: 'b' }] },
  ])
  expect(seen.events).toMatchObject([{ content: 'hi' }])
})

test('options have our names; an operation that never waits has one form', async () => {
  const seen = await run([
    { do: 'send', on: 'a', args: ['hi', { $agent: 'b' }], with: { request_reply: true } },
    { do: 'count', on: 'b' },
    { do: 'get', on: 'b', path: ['count'] },
  ])
  expect(seen.results).toEqual([{ value: 'sync true' }, { value: 1 }, { value: 1 }])
  expect(seen.histories).toEqual({ a: { none: [] }, b: { none: [{ content: 'hi' }] } })
  expect(seen.auto_reply_counters).toEqual({ a: { none: 0 }, b: { none: 1 } })
})

test('errors have their code; one that nobody planned equals no recording', async () => {
  const seen = await run([
    { do: 'fail', on: 'a', args: ['ours'] },
    { do: 'fail', on: 'a', args: ['bug'] },
    { do: 'fly', on: 'a' },
    { do: 'later', on: 'a' },
    { do: 'count', on: 'nobody' },
  ])
  expect(seen.results).toMatchObject([
    { code: 'invalid-name' },
    { code: 'unexpected TypeError: a bug' },
    { code: 'unexpected Error: there is no operation `fly` on Parrot' },
    { code: 'unexpected Error: `later` gave a promise to a blocking caller' },
    { code: 'unexpected Error: there is no agent `"nobody"`; there are: a, b' },
  ])
})

test('an agent that cannot be built is the only result', async () => {
  const bad = { agents: { c: { class: 'Parrot', options: { system_message: 'bad' } } } }
  expect(await run([{ do: 'count', on: 'a' }], bad)).toMatchObject({ results: [{ code: 'invalid-argument' }] })
  const missing = { agents: { c: { class: 'Owl' } } }
  const [result] = (await run([{ do: 'count', on: 'a' }], missing)).results
  expect(result).toMatchObject({ code: expect.stringContaining('no class of agents `"Owl"`') })
})

test('the human types the lines in order and no more', async () => {
  const ask = (prompt: string): Step => ({ do: 'ask', on: 'a', args: [prompt] })
  const seen = await run([ask('>'), ask('and?')], { human: ['hello'] })
  expect(seen.prompts).toEqual(['>', 'and?'])
  expect(seen.results).toMatchObject([{ value: 'hello' }, { code: expect.stringContaining('no line left') }])
})

test('different warnings are counted, and are no events', async () => {
  const warn = (text: string): Step => ({ do: 'warn', on: 'a', args: [text] })
  expect(await run([warn('one'), warn('two'), warn('one')])).toMatchObject({ warnings: 2, events: [] })
})

test('a recording for both holds in all faces, one of `model/` and `reasoning/` too', () => {
  const of = (name: string, recorded: Trace['recorded']): string[] =>
    facesOf({ name, about: '', given: {}, steps: [], recorded }).map(([face]) => face)
  const some = { results: [] }
  expect(of('a/b', { both: some })).toEqual(['sync', 'async', 'stream'])
  expect(of('a/b', { sync: some })).toEqual(['sync'])
  expect(of('a/b', { async: some })).toEqual(['async', 'stream'])
  expect(of('model/b', { sync: some })).toEqual(['sync', 'async', 'stream'])
  expect(of('reasoning/b', { sync: some })).toEqual(['sync', 'async', 'stream'])
})
