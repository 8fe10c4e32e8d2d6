import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { AssistantAgent, tool } from '@x/agent'
import { contextOf, traceRuns } from '@x/otel'
import { functionModel } from '@x/testing'

// A script stands for a model: it calls the tool, then answers.
const call = { id: 'c1', function: { name: 'read_order', arguments: '{"id":"17"}' } }
const model = functionModel(({ messages }) =>
  messages.at(-1)?.role === 'tool' ? 'It is on its way.' : { tool_calls: [call] },
)

// A few lines stand for a collector: they keep the names of the spans that arrive.
const arrived: string[] = []
type Body = { resourceSpans: { scopeSpans: { spans: { name: string }[] }[] }[] }
const collector = createServer((request, response) => {
  let body = ''
  request.on('data', (piece) => (body += String(piece)))
  request.on('end', () => {
    const { resourceSpans } = JSON.parse(body) as Body
    for (const { scopeSpans } of resourceSpans) {
      for (const { spans } of scopeSpans) arrived.push(...spans.map(({ name }) => name))
    }
    response.end('{}')
  })
})
await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`

// #region setup
const exporter = new OTLPTraceExporter({ url })
const provider = new TracerProvider({ spanProcessors: [new BatchSpanProcessor({ exporter })] })
const tracer = provider.getTracer('shop')

const assistant = new AssistantAgent({ name: 'assistant', llmConfig: model, tracer: traceRuns({ tracer }) })
// #endregion

// #region tool
const readOrder = tool({
  name: 'read_order',
  description: 'Reads an order.',
  parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  execute({ id }, { run }) {
    const span = tracer.startSpan('SELECT orders', {}, contextOf(run))
    span.end()
    return `order ${String(id)}: sent`
  },
})
// #endregion

const { text } = await assistant.run('Where is order 17?', { tools: readOrder })
console.log(text)

await provider.forceFlush()
collector.close()
collector.closeAllConnections()
console.log(arrived.toSorted())
const expected = 'SELECT orders, chat scripted, chat scripted, execute_tool read_order, invoke_agent assistant'
if (arrived.toSorted().join(', ') !== expected) throw new Error(`the collector has got ${arrived.join(', ')}`)
