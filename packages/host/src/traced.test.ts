import type { RunTrace, RunTracer, TraceContext } from '@x/interfaces'
import { scopeOf } from '@x/kernel/run'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHost, defineChat, sqlite, type Host } from './index.ts'

const SUBMITTED: TraceContext = { traceparent: 'of the page', tracestate: 'acme=1' }

/** A tracer whose active context is that of a page; it keeps the contexts with which runs begin. */
function tracing(): { readonly tracer: RunTracer; readonly begun: (TraceContext | undefined)[] } {
  const begun: (TraceContext | undefined)[] = []
  const traceIn = (context: TraceContext): RunTrace => ({
    ...{ takes: new Set(), propagates: true, take: () => {} },
    contextOf: () => context,
  })
  return { begun, tracer: { begin: (context) => (begun.push(context), traceIn(context ?? SUBMITTED)) } }
}

const part = defineChat({ name: 'part', version: '1', concurrency: 2, run: ({ run }) => contextIn(run) })
const chat = defineChat({
  name: 'order',
  version: '1',
  run: async ({ run, perform }) => [contextIn(run), await perform(part, {})],
})

const contextIn = (run: Parameters<typeof scopeOf>[0]): TraceContext | null =>
  scopeOf(run)?.trace?.contextOf(null) ?? null

const hostWith = (tracer?: RunTracer): Host => {
  const host = createHost({ chats: [chat, part], at: sqlite(':memory:'), tracer })
  onTestFinished(async () => await host.close())
  return host
}

/** Runs the worker of a host until a chat has ended. */
async function resultOf(host: Host, id: string): Promise<unknown> {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  try {
    return await host.result(id)
  } finally {
    stop.abort()
    await work
  }
}

describe('a hosted chat that a tracer follows', () => {
  it('goes on with the active trace of who submitted it, and so do its parts', async () => {
    const { tracer, begun } = tracing()
    const host = hostWith(tracer)
    const { id } = await host.submit(chat, {})
    expect(await resultOf(host, id)).toEqual([SUBMITTED, SUBMITTED])
    expect(begun).toEqual([undefined, SUBMITTED, SUBMITTED])
  })

  it('goes on with the trace that it was submitted with', async () => {
    const host = hostWith(tracing().tracer)
    const trace = { traceparent: 'of a request' }
    const { id } = await host.submit(chat, {}, { trace })
    expect(await resultOf(host, id)).toEqual([trace, trace])
  })

  it('keeps the events, and the idempotence, of a chat without a trace', async () => {
    const host = hostWith(tracing().tracer)
    const { id } = await host.submit(chat, {}, { id: 'a' })
    await host.submit(chat, {}, { id: 'a', trace: { traceparent: 'another' } })
    expect(await resultOf(host, id)).toEqual([SUBMITTED, SUBMITTED])
    for await (const { event } of host.events(id)) expect(event).not.toHaveProperty('recalled')
    const fork = await host.fork(id, null)
    expect(fork.input).toEqual({})
  })

  it('keeps nothing without a tracer, and runs without one what was submitted with one', async () => {
    const host = hostWith()
    const { id } = await host.submit(chat, {})
    expect(await resultOf(host, id)).toEqual([null, null])
    const traced = await host.submit(chat, {}, { trace: SUBMITTED })
    expect(await resultOf(host, traced.id)).toEqual([null, null])
  })

  it('refuses what is no trace context', async () => {
    const trace = {} as TraceContext
    await expect(hostWith().submit(chat, {}, { trace })).rejects.toThrow('a trace context')
  })
})
