import type { RunTrace, RunTracer, TraceContext, XEvent } from '@x/interfaces'
import { scopeOf } from '@x/kernel/run'
import { scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { AssistantAgent, ChatJournal, tool } from '../index.ts'

/** A tracer that keeps what it is told. */
class RecordingTracer implements RunTracer {
  readonly traces: { readonly context: TraceContext | undefined; readonly events: XEvent[] }[] = []
  readonly #takes: ReadonlySet<XEvent['type']>
  skipsParts = false

  constructor(...takes: XEvent['type'][]) {
    this.#takes = new Set(takes)
  }

  begin(context?: TraceContext): RunTrace {
    const events: XEvent[] = []
    this.traces.push({ context, events })
    return {
      takes: this.#takes,
      skipsParts: this.skipsParts,
      propagates: true,
      take: (event) => void events.push(event),
      contextOf: (spanId) => ({ traceparent: `of ${spanId}` }),
    }
  }

  /** The types of what the only trace was told. */
  get types(): string[] {
    expect(this.traces).toHaveLength(1)
    return this.traces[0]!.events.map(({ type }) => type)
  }
}

const CALL = { tool_calls: [{ id: 'c1', type: 'function' as const, function: { name: 'look_up', arguments: '{}' } }] }

/** An agent whose tool asks another agent in its run. */
function nestedAgents(tracer?: RunTracer, onRun?: (spanId: string | null, context: unknown) => void) {
  const lookUp = tool({
    name: 'look_up',
    description: 'Looks it up.',
    parameters: { type: 'object', properties: {} },
    async execute(_, { run }) {
      const scope = scopeOf(run!)
      onRun?.(scope!.spanId, scope!.trace?.contextOf(scope!.spanId))
      const expert = new AssistantAgent({ name: 'expert', llmConfig: scriptedModel(['six']), tracer: new Refusing() })
      return (await expert.run('?', { run, tracer: new Refusing() })).text
    },
  })
  const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel([CALL, 'done']), tracer })
  return { agent, lookUp }
}

/** A tracer that must not be asked: a run has the tracer of the run around it. */
class Refusing implements RunTracer {
  begin(): RunTrace {
    throw new Error('a second trace began')
  }
}

describe('a run that a tracer follows', () => {
  it('tells one trace of everything inside, also without a listener that takes it', async () => {
    const tracer = new RecordingTracer('chatStart', 'toolStart', 'chatEnd')
    const { agent, lookUp } = nestedAgents()
    const { text } = await agent.run('q', { tools: lookUp, tracer })
    expect(text).toBe('done')
    expect(tracer.types).toEqual(['chatStart', 'toolStart', 'chatStart', 'chatEnd', 'chatEnd'])
    const [outer, called, inner] = tracer.traces[0]!.events
    expect(inner).toMatchObject({ parentId: (called as { id: string }).id, runId: outer!.runId })
  })

  it('has the tracer of its agent, unless the operation has one', async () => {
    const ofAgent = new RecordingTracer('chatEnd')
    const llmConfig = scriptedModel(['one', 'two'])
    const agent = new AssistantAgent({ name: 'assistant', llmConfig, tracer: ofAgent })
    await agent.run('q', { tracer: new RecordingTracer() })
    expect(ofAgent.traces).toEqual([])
    await agent.run('q')
    expect(ofAgent.types).toEqual(['chatEnd'])
  })

  it('tells its listener what it takes, and the trace no more and no less', async () => {
    const tracer = new RecordingTracer('toolEnd')
    const heard: XEvent[] = []
    const { agent, lookUp } = nestedAgents()
    for await (const event of agent.runStream('q', { tools: lookUp, tracer })) heard.push(event)
    expect(tracer.types).toEqual(['toolEnd'])
    expect(tracer.traces[0]!.events[0]).toBe(heard.find(({ type }) => type === 'toolEnd'))
    const all = new RecordingTracer('chatEnd')
    const io = { takes: new Set<XEvent['type']>(['toolStart']), send: (event: XEvent) => void heard.push(event) }
    heard.length = 0
    const quiet = new AssistantAgent({
      ...{ name: 'assistant', llmConfig: scriptedModel([CALL, 'done']), tracer: all },
      io: { ...io, input: () => '' },
    })
    await quiet.run('q', { tools: lookUp })
    expect(all.types).toEqual(['chatEnd', 'chatEnd'])
    expect(heard.every(({ type }) => type === 'toolStart')).toBe(true)
  })

  it('gives the trace what the options of its events leave', async () => {
    const tracer = new RecordingTracer('toolEnd', 'chatStart')
    const redact = (event: XEvent): XEvent | null => (event.type === 'chatStart' ? null : event)
    const { agent, lookUp } = nestedAgents()
    await agent.run('a secret', { tools: lookUp, tracer, events: { content: false, redact } })
    expect(tracer.types).toEqual(['toolEnd'])
    expect(tracer.traces[0]!.events[0]).toMatchObject({ result: '' })
  })

  it('makes no turns of a chat for a trace that does without, unless they are heard', async () => {
    const tracer = new RecordingTracer('chatStart', 'replyStart', 'modelCallStart', 'toolStart')
    tracer.skipsParts = true
    const { agent, lookUp } = nestedAgents(tracer)
    await agent.run('q', { tools: lookUp })
    // The calls of a model that tells no attempts are told.
    expect(tracer.types).toEqual([
      ...['chatStart', 'modelCallStart', 'toolStart', 'chatStart', 'modelCallStart', 'modelCallStart'],
    ])
    const [chat, asked, called] = tracer.traces[0]!.events
    expect([asked, called].map((event) => event!.parentId)).toEqual([(chat as { id: string }).id, '1.chat'])
    // A reply outside of a chat is part of no other span.
    const alone = new RecordingTracer('replyStart')
    alone.skipsParts = true
    await nestedAgents().agent.generateReply({ messages: [{ role: 'user', content: 'q' }], tracer: alone })
    expect(alone.types).toEqual(['replyStart'])
    const both = new RecordingTracer('replyStart')
    both.skipsParts = true
    const heard: XEvent[] = []
    const listened = nestedAgents(both)
    await listened.agent.run('q', { tools: listened.lookUp, emit: (event) => void heard.push(event) })
    expect(both.traces[0]!.events).toEqual(heard.filter(({ type }) => type === 'replyStart'))
    expect(heard.length).toBeGreaterThan(both.types.length)
  })

  it('gives a tool the context of its span', async () => {
    const seen: unknown[] = []
    const { agent, lookUp } = nestedAgents(new RecordingTracer(), (...at) => seen.push(at))
    await agent.run('q', { tools: lookUp })
    const [[spanId, context]] = seen as [[string, unknown]]
    expect(context).toEqual({ traceparent: `of ${spanId}` })
    const without: unknown[] = []
    const plain = nestedAgents(undefined, (_, at) => without.push(at))
    await plain.agent.run('q', { tools: plain.lookUp })
    expect(without).toEqual([undefined])
  })

  it('ends every span of a run that is stopped, also after its reader has left', async () => {
    const tracer = new RecordingTracer('chatStart', 'toolStart', 'chatEnd', 'toolEnd')
    const { agent, lookUp } = nestedAgents()
    for await (const event of agent.runStream('q', { tools: lookUp, tracer })) if (event.type === 'toolStart') break
    expect(tracer.types).toEqual(['chatStart', 'toolStart', 'toolEnd', 'chatEnd'])
    expect(tracer.traces[0]!.events.at(-1)).toMatchObject({ outcome: 'aborted' })
  })

  it('does not tell a later trace what an earlier one was told', async () => {
    const journal = new ChatJournal()
    const first = nestedAgents()
    await first.agent.run('q', { tools: first.lookUp, journal })
    const later = new RecordingTracer('toolStart', 'toolEnd', 'modelCallEnd')
    const { agent, lookUp } = nestedAgents()
    const saved = ChatJournal.load(journal.saveState())
    await agent.run('q', { tools: lookUp, journal: saved, tracer: later, events: { recalled: true } })
    expect(later.traces[0]!.events).toEqual([])
  })

  it('is traced by a blocking operation, too', () => {
    const tracer = new RecordingTracer('chatStart', 'chatEnd')
    const agent = new AssistantAgent({ name: 'assistant', llmConfig: scriptedModel(['done']) })
    expect(agent.runSync('q', { tracer }).text).toBe('done')
    expect(tracer.types).toEqual(['chatStart', 'chatEnd'])
  })

  it('refuses what is no tracer', async () => {
    const { agent } = nestedAgents()
    const tracer = (() => {}) as unknown as RunTracer
    await expect(agent.run('q', { tracer })).rejects.toThrow('a tracer, such as `traceRuns()`')
  })
})
