import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { context, ROOT_CONTEXT, trace } from '@opentelemetry/api'
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks'
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { AssistantAgent, tool } from '@x/agent'
import { createHost, sqlite } from '@x/host'
import { llmConfig } from '@x/model'
import { traceRuns } from '@x/otel'
import { scriptedProvider } from '@x/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { attributesOf, startReceiver } from './otlp-receiver.fake.ts'
import { checkSpans, CONVENTIONS, pathsOf } from './traced.fake.ts'
import { tracedOrder } from './traced-worker.fake.ts'

const CALL = { id: 'c1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
const PARAMETERS = { type: 'object', properties: {} } as const

/** Runs an agent whose spans and metrics are exported to a collector. */
async function runTraced(collector: string): Promise<string> {
  const exporter = new OTLPTraceExporter({ url: `${collector}/v1/traces`, timeoutMillis: 500 })
  const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] })
  const metrics = new OTLPMetricExporter({ url: `${collector}/v1/metrics`, timeoutMillis: 500 })
  const reader = new PeriodicExportingMetricReader({ exporter: metrics })
  const meters = new MeterProvider({ readers: [reader] })
  const tracer = traceRuns({ tracer: provider.getTracer('x'), meter: meters.getMeter('x'), content: true })
  const config = llmConfig({
    providers: [
      scriptedProvider({
        m: [
          { tool_calls: [CALL], usage: [100, 50] },
          { content: 'done', usage: [10, 5] },
        ],
      }),
    ],
    ...{ cacheSeed: null, apiType: 'scripted', model: 'm', price: [1, 2], temperature: 0.5, max_tokens: 100 },
  })
  const look = tool({ name: 'look', description: 'Looks.', parameters: PARAMETERS, execute: () => 'seen' })
  const agent = new AssistantAgent({ name: 'assistant', llmConfig: config, tracer })
  const { text } = await agent.run('q', { tools: look })
  await Promise.allSettled([provider.forceFlush(), meters.forceFlush()])
  await Promise.allSettled([provider.shutdown(), meters.shutdown()])
  return text
}

describe('what is exported by OTLP over HTTP', () => {
  it('is as the conventions have it', async () => {
    await using receiver = await startReceiver()
    expect(await runTraced(receiver.url)).toBe('done')
    const spans = receiver.spans()
    checkSpans(spans)
    expect(spans.map(({ name }) => name).toSorted()).toEqual([
      'chat m',
      'chat m',
      'execute_tool look',
      'invoke_agent assistant',
    ])
    const asked = spans.find(({ name }) => name === 'chat m')
    expect(asked!.attributes).toMatchObject({ 'gen_ai.request.temperature': 0.5, 'gen_ai.request.max_tokens': 100 })
    const names = receiver.metrics().map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['gen_ai.client.token.usage', 'gen_ai.client.operation.duration']))
    for (const { name, unit, histogram } of receiver.metrics()) {
      const known = CONVENTIONS.metrics[name]
      if (!known) continue
      expect(unit).toBe(known.unit)
      for (const { attributes, explicitBounds } of histogram.dataPoints) {
        expect(explicitBounds).toEqual(known.buckets)
        expect(Object.keys(known.attributes)).toEqual(expect.arrayContaining(Object.keys(attributesOf(attributes))))
      }
    }
  })

  it.each(['a collector that refuses', 'no collector'])('is lost, and nothing else, with %s', async (which) => {
    const receiver = await startReceiver(400)
    const { url } = receiver
    if (which === 'no collector') await receiver[Symbol.asyncDispose]()
    expect(await runTraced(url)).toBe('done')
    if (which !== 'no collector') await receiver[Symbol.asyncDispose]()
  })
})

describe('a hosted chat over processes', () => {
  const PROGRAM = fileURLToPath(new URL('traced-worker.fake.ts', import.meta.url))

  it('is one trace of the page, the workers and the tool', { timeout: 60_000 }, async () => {
    context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable())
    await using receiver = await startReceiver()
    const folder = mkdtempSync(join(tmpdir(), 'traced-'))
    const file = join(folder, 'chats.db')
    const { chat, tracer, provider, runs } = tracedOrder(receiver.url)
    const host = createHost({ chats: [chat], at: sqlite(file), tracer: runs })
    onTestFinished(async () => {
      await host.close()
      rmSync(folder, { recursive: true, force: true })
    })
    const startWorker = (): ChildProcess =>
      spawn(process.execPath, ['--conditions=@x/source', PROGRAM, file, receiver.url], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
    const end = async (worker: ChildProcess): Promise<void> => {
      const exited = once(worker, 'exit')
      worker.kill('SIGTERM')
      await exited
    }
    const page = tracer.startSpan('POST /orders')
    const { id } = await context.with(trace.setSpan(ROOT_CONTEXT, page), () => host.submit(chat, {}))
    page.end()
    const first = startWorker()
    await receiver.until((spans) => spans.some(({ name }) => name === 'invoke_agent clerk'))
    await end(first)
    for await (const { pending } of host.pending()) await host.decide(id, pending.id, { allow: true })
    const second = startWorker()
    expect(await host.result(id)).toBe('It is paid.')
    await end(second)
    await provider.forceFlush()
    const spans = await receiver.until((all) => all.some(({ name }) => name === 'POST /orders'))
    checkSpans(spans)
    expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1)
    expect(pathsOf(spans)).toEqual([
      'POST /orders',
      'POST /orders > invoke_agent clerk',
      'POST /orders > invoke_agent clerk (suspended)',
      'POST /orders > invoke_agent clerk (suspended) > chat scripted',
      'POST /orders > invoke_agent clerk (suspended) > execute_tool pay (suspended)',
      'POST /orders > invoke_agent clerk > chat scripted',
      'POST /orders > invoke_agent clerk > execute_tool pay',
      'POST /orders > invoke_agent clerk > execute_tool pay > UPDATE accounts',
    ])
    expect(new Set(spans.flatMap(({ attributes }) => (attributes['x.run.id'] as string) ?? []))).toEqual(new Set([id]))
  })
})
