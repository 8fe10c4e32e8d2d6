/**
 * The price of traces: a program of two calls of a model and one of a tool without a trace, with a tracer, and with the same
 * spans and metrics made by hand, by turns in one process; both keep their spans in memory. Processor time of a run, as it is
 * in the tenth of the rounds that were disturbed least.
 */
import { randomUUID } from 'node:crypto'
import { type Attributes, type Context, ROOT_CONTEXT, SpanKind, trace } from '@opentelemetry/api'
import { MeterProvider, MetricReader } from '@opentelemetry/sdk-metrics'
import { type ReadableSpan, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { AssistantAgent, tool } from '@x/agent'
import type { ChatMessage, ModelAnswer, ModelParams, Provider, RunTracer } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { traceRuns } from '@x/otel'

const MAX_CALL_US = 10
const RUNS = 100
const ROUNDS = 300
const WARM_ROUNDS = 60
/** Calls of one run: two of the model, one of the tool. */
const CALLS = 3
/** The share of the rounds that is taken for undisturbed. */
const QUIET_SHARE = 0.1

class PullReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** Keeps the spans in memory, and does nothing else: timers of an exporter would disturb the measurement. */
class KeptSpans implements SpanProcessor {
  all: ReadableSpan[] = []

  onStart(): void {}
  onEnd(span: ReadableSpan): void {
    this.all.push(span)
  }
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

const kept = new KeptSpans()
const spans = new TracerProvider({ spanProcessors: [kept] })
const tracer = spans.getTracer('bench')
const meter = new MeterProvider({ readers: [new PullReader()] }).getMeter('bench')

const duration = meter.createHistogram('gen_ai.client.operation.duration', { unit: 's' })
const tokens = meter.createHistogram('gen_ai.client.token.usage', { unit: '{token}' })
const cost = meter.createHistogram('cost', { unit: '{USD}' })

const ORIGIN = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'scripted', 'gen_ai.request.model': 'm' }
const ASKED = { 'gen_ai.request.temperature': 0.5, 'x.config.index': 0, 'x.agent': 'assistant' }
const ANSWER = {
  ...{ 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 50, 'x.usage.cost': 0.2 },
  ...{ 'gen_ai.response.id': 'i', 'gen_ai.response.model': 'm', 'gen_ai.response.finish_reasons': ['stop'] },
}
const AGENT = {
  ...{ 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'assistant', 'gen_ai.provider.name': 'scripted' },
  ...{ 'gen_ai.request.model': 'm', 'x.termination_reason': 'answered' },
}
const TOOL = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'look', 'gen_ai.tool.call.id': 'c1' }

/** Makes spans and metrics by hand, where the program calls its model and its tool. */
class HandMadeSpans {
  #context: Context = ROOT_CONTEXT
  #run: Attributes = {}

  async ofRun(run: () => Promise<unknown>): Promise<void> {
    const id = randomUUID()
    this.#run = { 'gen_ai.conversation.id': id, 'x.run.id': id, 'x.span.id': '1.0' }
    const span = tracer.startSpan('invoke_agent assistant', { attributes: { ...AGENT, ...this.#run } }, ROOT_CONTEXT)
    this.#context = trace.setSpan(ROOT_CONTEXT, span)
    await run()
    span.setAttributes({ 'gen_ai.usage.input_tokens': 200, 'gen_ai.usage.output_tokens': 100, 'x.usage.cost': 0.4 })
    span.end()
    this.#context = ROOT_CONTEXT
  }

  ofModel<T>(call: () => T): T {
    const origin = { ...ORIGIN, 'gen_ai.response.model': 'm' }
    const began = performance.now()
    const answer = this.#ofCall(
      'chat m',
      { kind: SpanKind.CLIENT, atStart: { ...ORIGIN, ...this.#run, ...ASKED }, atEnd: ANSWER },
      call,
    )
    duration.record((performance.now() - began) / 1000, origin)
    tokens.record(100, { ...origin, 'gen_ai.token.type': 'input' })
    tokens.record(50, { ...origin, 'gen_ai.token.type': 'output' })
    cost.record(0.2, origin)
    return answer
  }

  ofTool<T>(call: () => T): T {
    const atStart = { ...TOOL, ...this.#run, 'gen_ai.tool.type': 'function', 'x.agent': 'assistant' }
    return this.#ofCall('execute_tool look', { kind: SpanKind.INTERNAL, atStart, atEnd: {} }, call)
  }

  #ofCall<T>(
    name: string,
    { kind, atStart, atEnd }: { readonly kind: SpanKind; readonly atStart: Attributes; readonly atEnd: Attributes },
    call: () => T,
  ): T {
    const span = tracer.startSpan(name, { kind, attributes: atStart }, this.#context)
    trace.setSpan(this.#context, span)
    const value = call()
    span.setAttributes(atEnd)
    span.end()
    return value
  }
}

interface Telemetry {
  readonly tracer?: RunTracer
  readonly byHand?: HandMadeSpans
}

/** Makes the program: an agent that calls its tool, and then answers. */
function makeProgram({ tracer: runTracer, byHand }: Telemetry): () => Promise<void> {
  const call = { id: 'c1', type: 'function' as const, function: { name: 'look', arguments: '{}' } }
  const answer = (model: string, message: ChatMessage): ModelAnswer => ({
    ...{ id: 'i', model, created: 1, usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 } },
    choices: [{ index: 0, message, finish_reason: message.tool_calls ? 'tool_calls' : 'stop' }],
  })
  const create = ({ model = '', messages }: ModelParams): ModelAnswer =>
    messages.at(-1)?.role === 'tool'
      ? answer(model, { role: 'assistant', content: 'done' })
      : answer(model, { role: 'assistant', content: null, tool_calls: [call] })
  const provider: Provider = {
    ...{ name: 'scripted', apiTypes: ['scripted'], specVersion: 1 },
    createClient: () => ({
      create: byHand ? (params) => byHand.ofModel(() => create(params)) : create,
      messageRetrieval: ({ choices }) => choices.map(({ message }) => message),
      getUsage: ({ model }) => ({ model, promptTokens: 100, completionTokens: 50, totalTokens: 150, cost: 0.2 }),
      cost: () => 0.2,
    }),
  }
  const look = tool({
    ...{ name: 'look', description: 'Looks.', parameters: { type: 'object', properties: {} } },
    execute: () => (byHand ? byHand.ofTool(() => 'seen') : 'seen'),
  })
  const config = llmConfig({
    providers: [provider],
    ...{ cacheSeed: null, apiType: 'scripted', model: 'm', price: [1, 2], temperature: 0.5 },
  })
  const agent = new AssistantAgent({ name: 'assistant', llmConfig: config, ...(runTracer && { tracer: runTracer }) })
  const run = async (): Promise<unknown> => agent.run('q', { tools: look })
  return async () => (byHand ? byHand.ofRun(run) : void (await run()))
}

/** The processor time of a run, in µs. */
async function timeOf(run: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage()
  for (let each = 0; each < RUNS; each++) await run()
  const { user, system } = process.cpuUsage(before)
  kept.all = []
  return (user + system) / RUNS
}

const programs = {
  'without spans': makeProgram({}),
  'with spans by hand': makeProgram({ byHand: new HandMadeSpans() }),
  'with a tracer': makeProgram({ tracer: traceRuns({ tracer, meter }) }),
}
const names = Object.keys(programs) as (keyof typeof programs)[]
const rounds = names.map((): number[] => [])
for (let round = -WARM_ROUNDS; round < ROUNDS; round++) {
  for (let turn = 0; turn < names.length; turn++) {
    // Each begins as often as the others.
    const at = (turn + round + WARM_ROUNDS) % names.length
    const us = await timeOf(programs[names[at]!])
    if (round >= 0) rounds[at]!.push(us)
  }
}
// Programs beside this one make many rounds slower, and none faster.
const quiet = rounds.map((times) => times.toSorted((a, b) => a - b)[Math.floor(times.length * QUIET_SHARE)]!)
for (const [at, name] of names.entries())
  console.log(`a run ${name.padEnd(20)} ${quiet[at]!.toFixed(1).padStart(7)} µs`)
const [, byHand, traced] = quiet as [number, number, number]
const us = (traced - byHand) / CALLS
const isKept = us <= MAX_CALL_US
if (!isKept) process.exitCode = 1
console.log(
  `a call with a tracer, beside spans by hand: ${us.toFixed(1)} µs, limit ${MAX_CALL_US}, ${isKept ? 'kept' : 'BROKEN'}`,
)
