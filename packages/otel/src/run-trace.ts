import {
  type Attributes,
  type Context,
  diag,
  type HrTime,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import type { ChatMessage, RunTrace, TraceContext, XEvent } from '@x/interfaces'
import {
  addPlace,
  addWorker,
  agentStart,
  attemptEnd,
  type AttemptOrigin,
  type AttemptOrigins,
  attemptStart,
  callEnd,
  chatEnd,
  embedEnd,
  errorType,
  type EventOf,
  type MeasuredAttributes,
  shortName,
  toolContent,
  toolEnd,
  toolStart,
} from './attributes.ts'
import { asMessage, writeInput, writeOutput } from './messages.ts'
import type { RunMetrics } from './run-metrics.ts'
import { writeTraceContext } from './trace-context.ts'

/** The parts that all traces of a tracer share. */
export interface TraceParts {
  readonly tracer: Tracer
  readonly metrics: RunMetrics
  readonly origins: AttemptOrigins
  readonly content: boolean
  readonly propagates: boolean
}

type StartEvent = Extract<XEvent, { readonly type: `${string}Start` }>
type EndEvent = Extract<XEvent, { readonly ms: number }>
type OperationStart = Parameters<NonNullable<RunTrace['beginOperation']>>[0]
type OperationEnd = Parameters<ReturnType<NonNullable<RunTrace['beginOperation']>>>[0]

/** A span of the events that is under way. Plain fields: private ones cost more to make. */
class OpenSpan {
  readonly kind: StartEvent['type']
  /** The span of OpenTelemetry; null if it is that of the entry around it. */
  readonly span: Span | null
  readonly parent: OpenSpan | null
  /** Milliseconds since 1970. */
  readonly startTime: number
  /** The agents whose replies are part of this span, and have none of their own. */
  agents: readonly string[] = NO_AGENTS
  /** The origin of an attempt; of an agent, that of its first attempt. */
  origin: AttemptOrigin | undefined
  /** Number of the attempts of a call of a model. */
  attempts = 0
  /** The attempt that has answered, until the call tells its content. */
  held: { readonly span: Span; readonly endTime: HrTime } | undefined
  readonly around: Context
  own: Context | undefined

  constructor(
    { type, time }: Pick<StartEvent, 'type' | 'time'>,
    parent: OpenSpan | null,
    { span, around }: SpanInContext,
  ) {
    this.kind = type
    this.startTime = time
    this.parent = parent
    this.span = span
    this.around = around
  }

  /** The context for spans inside; made when somebody asks for it. */
  get context(): Context {
    return (this.own ??= this.span ? trace.setSpan(this.around, this.span) : this.around)
  }
}

interface SpanInContext {
  readonly span: Span | null
  readonly around: Context
}

const TAKEN: ReadonlySet<XEvent['type']> = new Set<XEvent['type']>([
  ...(['chatStart', 'chatEnd', 'replyStart', 'replyEnd', 'modelCallStart', 'modelCallEnd'] as const),
  ...(['modelAttemptStart', 'modelAttemptEnd', 'toolStart', 'toolEnd', 'codeStart', 'codeEnd'] as const),
  ...(['humanInputStart', 'humanInputEnd', 'searchStart', 'searchEnd', 'searchJobStart', 'searchJobEnd'] as const),
  'approvalRequested',
])

/** Name of the tool that runs of code are told as. */
const CODE_TOOL = 'code_execution'

/** Makes spans of the events of one run. */
export class OtelTrace implements RunTrace {
  readonly takes: RunTrace['takes'] = TAKEN
  /** The answer with its content is told by the call. */
  readonly skipsParts: boolean
  readonly propagates: boolean
  /** Takes the messages of a request; absent without content. */
  readonly takeRequest?: (spanId: string, messages: readonly ChatMessage[]) => void
  readonly #parts: TraceParts
  /** The context around the run. */
  readonly #around: Context
  readonly #open = new Map<string, OpenSpan>()

  constructor(parts: TraceParts, around: Context) {
    this.#parts = parts
    this.#around = around
    this.propagates = parts.propagates
    this.skipsParts = !parts.content
    if (parts.content) this.takeRequest = (spanId, messages) => this.#addInput(spanId, messages)
  }

  take(event: XEvent): void {
    // An SDK, processor or exporter that throws is not to end a run: OpenTelemetry hears of it.
    try {
      if (event.type === 'approvalRequested') this.#spanAround(event.parentId)?.setAttribute('x.approval.id', event.id)
      else if ('ms' in event) this.#end(event)
      else this.#start(event as StartEvent)
    } catch (error) {
      diag.error('an event of a run could not be traced', error)
    }
  }

  contextOf(spanId: string | null): TraceContext | undefined {
    try {
      return writeTraceContext(trace.getSpanContext(this.otelContextOf(spanId)))
    } catch (error) {
      diag.error('a trace context could not be written', error)
      return undefined
    }
  }

  /** Returns the context of a span, as OpenTelemetry has it; that around the run for a span that is not under way. */
  otelContextOf(spanId: string | null): Context {
    return (spanId === null ? undefined : this.#open.get(spanId)?.context) ?? this.#around
  }

  /** Returns the innermost span of OpenTelemetry around an event. */
  #spanAround(id: string | null): Span | undefined {
    for (let open = id === null ? null : this.#open.get(id); open; open = open.parent) if (open.span) return open.span
    return undefined
  }

  #start(event: StartEvent): void {
    // A process before this one may have ended without a word, and its reader sends on what it told.
    const before = this.#open.get(event.id)
    before?.span?.end(timeOf(event.time))
    if (before) this.#open.delete(event.id)
    const { content } = this.#parts
    switch (event.type) {
      case 'chatStart': {
        const attributes = agentStart(event.recipient, event.runId)
        if (content) this.#addQuestion(attributes, event)
        this.#begin(event, `invoke_agent ${shortName(event.recipient)}`, attributes).agents = [
          event.agent,
          event.recipient,
        ]
        break
      }
      case 'replyStart':
        this.#beginReply(event)
        break
      case 'modelCallStart':
        this.#beginInside(event)
        break
      case 'modelAttemptStart':
        this.#beginAttempt(event)
        break
      case 'toolStart': {
        const name = shortName(event.name)
        const attributes = toolStart(name, 'function', event.agent)
        if (event.callId !== null) attributes['gen_ai.tool.call.id'] = event.callId.toWellFormed()
        this.#begin(event, `execute_tool ${name}`, attributes)
        break
      }
      case 'codeStart': {
        const attributes = toolStart(CODE_TOOL, 'extension', event.agent)
        if (content) Object.assign(attributes, toolContent({ blocks: event.blocks }, null))
        this.#begin(event, `execute_tool ${CODE_TOOL}`, attributes)
        break
      }
      case 'humanInputStart': {
        const attributes = addWorker({}, event.agent)
        if (content) attributes['x.human.prompt'] = event.prompt.toWellFormed()
        this.#begin(event, 'human_input', attributes)
        break
      }
      case 'searchStart':
        this.#begin(event, 'search', addWorker({}, event.agent))
        break
      case 'searchJobStart':
        this.#begin(event, `search_job ${event.kind}`, addWorker({}, event.agent))
    }
  }

  #addQuestion(attributes: Attributes, { message }: EventOf<'chatStart'>): void {
    if (message !== null) attributes['gen_ai.input.messages'] = writeInput([asMessage(message, 'user')])
  }

  /** Begins a span of OpenTelemetry. */
  #begin(event: StartEvent, name: string, attributes: Attributes, kind: SpanKind = SpanKind.INTERNAL): OpenSpan {
    const parent = this.#parentOf(event)
    const around = parent?.context ?? this.#around
    addPlace(attributes, event)
    const span = this.#parts.tracer.startSpan(name, { kind, startTime: timeOf(event.time), attributes }, around)
    return this.#opened(event, parent, { span, around })
  }

  #opened(event: StartEvent, parent: OpenSpan | null, its: SpanInContext): OpenSpan {
    const open = new OpenSpan(event, parent, its)
    this.#open.set(event.id, open)
    return open
  }

  #parentOf({ parentId }: StartEvent): OpenSpan | null {
    return (parentId === null ? undefined : this.#open.get(parentId)) ?? null
  }

  /** Notes a span of the events that is part of the span of OpenTelemetry around it. */
  #beginInside(event: StartEvent): void {
    const parent = this.#parentOf(event)
    this.#opened(event, parent, { span: null, around: parent?.context ?? this.#around })
  }

  /** The replies of the two agents of a chat are part of its span; an agent that replies elsewhere, as in a group, has its own. */
  #beginReply(event: EventOf<'replyStart'>): void {
    if (this.#parentOf(event)?.agents.includes(event.agent)) return this.#beginInside(event)
    this.#begin(event, `invoke_agent ${shortName(event.agent)}`, agentStart(event.agent, event.runId))
  }

  #beginAttempt(event: EventOf<'modelAttemptStart'>): void {
    const call = this.#parentOf(event)
    if (call) call.attempts++
    const origin = this.#parts.origins.of(event)
    this.#noteModel(call, origin)
    const attributes = attemptStart(origin.attributes, event, this.#parts.content)
    this.#begin(event, origin.name, attributes, SpanKind.CLIENT).origin = origin
  }

  /** Notes the first model that is asked in the span of its agent, which tells it at its end. */
  #noteModel(call: OpenSpan | null, origin: AttemptOrigin): void {
    let agent = call
    while (agent && !agent.span) agent = agent.parent
    if (agent && (agent.kind === 'chatStart' || agent.kind === 'replyStart')) agent.origin ??= origin
  }

  #end(event: EndEvent): void {
    const open = this.#open.get(event.id)
    if (!open) return
    this.#open.delete(event.id)
    if (event.type === 'modelCallEnd') return this.#endCall(event, open)
    const { span } = open
    if (!span) return
    const { content } = this.#parts
    switch (event.type) {
      case 'chatEnd':
        span.setAttributes(chatEnd(event, open.origin))
        if (content && typeof event.summary === 'string') {
          span.setAttribute('gen_ai.output.messages', writeOutput(event.summary, null))
        }
        break
      case 'modelAttemptEnd':
        return this.#endAttempt(event, open, span)
      case 'toolEnd':
        span.setAttributes(toolEnd(event, content))
        break
      case 'codeEnd':
        if (event.exitCode !== null) span.setAttribute('x.code.exit_code', event.exitCode)
        if (content) span.setAttributes(toolContent(null, event.output))
        break
      case 'replyEnd':
        if (open.origin) span.setAttributes(open.origin.ofAgent)
        break
      case 'humanInputEnd':
        if (content && event.answer !== null) span.setAttribute('x.human.answer', event.answer.toWellFormed())
        break
      default:
      // Searches tell no more than how they ended.
    }
    this.#finish(event, span)
    span.end(timeOf(event.time))
  }

  /** Sets how a span has ended. The text of an error is content: it may quote anything. */
  #finish(event: EndEvent, span: Span): void {
    const { outcome } = event
    const type = errorType(event)
    if (type !== undefined) {
      const message = this.#parts.content ? event.error?.message.toWellFormed() : undefined
      span.setAttribute('error.type', type)
      span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
    } else if (outcome !== 'ok') span.setAttribute('x.outcome', outcome)
  }

  #endAttempt(event: EventOf<'modelAttemptEnd'>, { startTime, origin, parent }: OpenSpan, span: Span): void {
    const { firstTokenAt } = event
    const secondsToFirst = firstTokenAt === null ? undefined : Math.max(0, firstTokenAt - startTime) / MS_PER_SECOND
    span.setAttributes(attemptEnd(event, secondsToFirst))
    this.#finish(event, span)
    this.#measure(event, origin!.measured(event.responseModel), secondsToFirst)
    const endTime = timeOf(event.time)
    // The call has the answer, and ends behind its attempts.
    if (this.#parts.content && parent?.kind === 'modelCallStart' && event.outcome === 'ok') {
      parent.held?.span.end(parent.held.endTime)
      parent.held = { span, endTime }
    } else span.end(endTime)
  }

  #measure(
    event: EventOf<'modelAttemptEnd' | 'modelCallEnd'>,
    attributes: MeasuredAttributes,
    secondsToFirst: number | undefined,
  ): void {
    const { ms, cached, usage, cost } = event
    this.#parts.metrics.record({
      attributes,
      errorType: errorType(event),
      seconds: ms / MS_PER_SECOND,
      secondsToFirst,
      usage: cached ? null : usage,
      cost: cached ? null : cost,
    })
  }

  /** Ends a call of a model. One without attempts, of a model that is none of `@x/model`, is told as one attempt. */
  #endCall(event: EventOf<'modelCallEnd'>, call: OpenSpan): void {
    const held = call.held ?? (call.attempts === 0 ? this.#spanOfCall(event, call) : undefined)
    if (!held) return
    const { message, finishReason } = event
    if (this.#parts.content && message !== null) {
      held.span.setAttribute('gen_ai.output.messages', writeOutput(message, finishReason))
    }
    held.span.end(held.endTime)
  }

  #spanOfCall(event: EventOf<'modelCallEnd'>, call: OpenSpan): OpenSpan['held'] {
    const { model } = event
    const origin = this.#parts.origins.of({ provider: null, endpoint: null, model })
    this.#noteModel(call, origin)
    const attributes = callEnd(origin.attributes, event)
    addPlace(attributes, event)
    const options = { kind: SpanKind.CLIENT, startTime: timeOf(call.startTime), attributes }
    const span = this.#parts.tracer.startSpan(origin.name, options, call.context)
    this.#finish(event, span)
    this.#measure(event, origin.measured(model), undefined)
    return { span, endTime: timeOf(event.time) }
  }

  beginOperation(start: OperationStart): (end: OperationEnd) => void {
    try {
      return this.#beginOperation(start)
    } catch (error) {
      diag.error('a request for vectors or a count could not be traced', error)
      return () => {}
    }
  }

  #beginOperation(start: OperationStart): (end: OperationEnd) => void {
    const { name, id, parentId, agent, configId, time, model } = start
    const isEmbed = name === 'embed'
    const origin = this.#parts.origins.of(start, 'embeddings')
    const around = this.otelContextOf(parentId)
    const attributes: Attributes = { ...(isEmbed && origin.attributes), 'x.config.index': configId, 'x.span.id': id }
    const title = isEmbed ? origin.name : model === null ? 'count_tokens' : `count_tokens ${model}`
    const options = { kind: SpanKind.CLIENT, startTime: timeOf(time), attributes: addWorker(attributes, agent) }
    const span = this.#parts.tracer.startSpan(title, options, around)
    this.#open.set(id, new OpenSpan({ type: 'modelAttemptStart', time }, null, { span, around }))
    return (end) => {
      try {
        this.#open.delete(id)
        this.#endOperation(span, origin, { ...end, isEmbed, seconds: (end.time - time) / MS_PER_SECOND })
      } catch (error) {
        diag.error('a request for vectors or a count could not be traced', error)
      }
    }
  }

  #endOperation(
    span: Span,
    origin: AttemptOrigin,
    end: OperationEnd & { readonly isEmbed: boolean; readonly seconds: number },
  ): void {
    const { failure, tokens, cost, isEmbed, seconds } = end
    if (failure !== null) {
      span.setAttribute('error.type', failure)
      span.setStatus({ code: SpanStatusCode.ERROR })
    }
    if (!isEmbed && tokens !== null) span.setAttribute('x.counted_tokens', tokens)
    if (isEmbed) {
      span.setAttributes(embedEnd(end))
      this.#parts.metrics.record({
        attributes: origin.measured(end.model),
        errorType: failure ?? undefined,
        seconds,
        secondsToFirst: undefined,
        cost,
        usage: tokens === null ? null : { promptTokens: tokens },
      })
    }
    span.end(timeOf(end.time))
  }

  #addInput(spanId: string, messages: readonly ChatMessage[]): void {
    try {
      const span = this.#open.get(spanId)?.span
      if (span?.isRecording()) span.setAttribute('gen_ai.input.messages', writeInput(messages))
    } catch (error) {
      diag.error('a request could not be traced', error)
    }
  }
}

const NO_AGENTS: readonly string[] = []

const MS_PER_SECOND = 1000
const NS_PER_MS = 1_000_000

/** The time of an event as seconds and nanoseconds: numbers may mean two things to an SDK. */
const timeOf = (ms: number): HrTime => [Math.floor(ms / MS_PER_SECOND), Math.round((ms % MS_PER_SECOND) * NS_PER_MS)]
