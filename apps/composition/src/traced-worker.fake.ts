import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { AssistantAgent, tool } from '@x/agent'
import { createHost, defineChat, sqlite } from '@x/host'
import { contextOf, traceRuns } from '@x/otel'
import { functionModel } from '@x/testing'

const CALL = { id: 'c1', type: 'function' as const, function: { name: 'pay', arguments: '{}' } }

/** An order that a person approves. With a collector, its spans go there. */
export function tracedOrder(collector: string) {
  const exporter = new OTLPTraceExporter({ url: `${collector}/v1/traces` })
  const provider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter })] })
  const tracer = provider.getTracer('test')
  const model = functionModel(({ messages }) =>
    messages.at(-1)?.role === 'tool' ? 'It is paid.' : { tool_calls: [CALL] },
  )
  const pay = tool({
    ...{ name: 'pay', description: 'Pays.', parameters: { type: 'object', properties: {} }, needsApproval: true },
    execute(_, { run }) {
      tracer.startSpan('UPDATE accounts', {}, contextOf(run)).end()
      return 'paid'
    },
  })
  const chat = defineChat({
    ...{ name: 'order', version: '1' },
    async run({ run }) {
      const clerk = new AssistantAgent({ name: 'clerk', llmConfig: model })
      return (await clerk.run('Pay the order.', { run, tools: pay })).text
    },
  })
  return { chat, tracer, provider, runs: traceRuns({ tracer }) }
}

const [, program, file, collector] = process.argv
if (program?.endsWith('traced-worker.fake.ts') && file !== undefined && collector !== undefined) {
  const { chat, provider, runs } = tracedOrder(collector)
  const host = createHost({ chats: [chat], at: sqlite(file), tracer: runs })
  await host.work({ lease: 5 })
  await host.close()
  await provider.forceFlush()
}
