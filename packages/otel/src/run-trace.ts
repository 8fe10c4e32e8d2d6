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
import type { ChatMessage, EventUsage, RunTrace, TraceContext, XEvent } from '@x/interfaces'
import {
  agentStart,
  attemptEnd,
  attemptOrigin,
  attemptStart,
  callEnd,
  chatEnd,
  errorType,
  type EventOf,
  outcomeOf,
  placeOf,
  shortName,
  toolContent,
  toolEnd,
  toolStart,
  workerOf,
} from './attributes.ts'
import { asMessage, writeInput, writeOutput } from './messages.ts'
import type { RunMetrics } from './run-metrics.ts'
import { writeTraceContext } from './trace-context.ts'

/** The parts that all traces of a tracer share. */
export interface TraceParts {
  readonly tracer: Tracer
  readonly metrics: RunMetrics
  readonly content: boolean
  readonly propagates: boolean
}

type StartEvent = Extract<XEvent, { readonly type: `${string}Start` }>
type EndEvent = Extract<XEvent, { readonly ms: number }>

/** A span of the events that is under way. */
interface OpenSpan {
  readonly kind: string
  /** The span of OpenTelemetry; null if it is that of the entry around it. */
  readonly span: Span | null
  /** The context for spans inside. */
  readonly context: Context
  readonly parent: OpenSpan | null
  /** The agents whose replies are part of this span, and have none of their own. */
  readonly agents: readonly string[]
  /** Milliseconds since 1970. */
  readonly startTime: number
  /** Attributes that the metrics of an attempt have too. */
  readonly origin?: Attributes
  /** Number of the attempts of a call of a model. */
  attempts: number
  /** True once the span of an agent tells which model answers. */
  hasModel: boolean
  /** The attempt that has answered, until the call tells its content. */
  held?: { readonly span: Span; readonly endTime: HrTime } | undefined
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
    if (parts.content) this.takeRequest = (spanId, messages) => this.#guard(() => this.#addInput(spanId, messages))
  }

  take(event: XEvent): void {
    this.#guard(() => this.#take(event))
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

  /** An SDK, processor or exporter that throws is not to end a run: OpenTelemetry hears of it. */
  #guard(tell: () => void): void {
    try {
      tell()
    } catch (error) {
      diag.error('an event of a run could not be traced', error)
    }
  }

  #take(event: XEvent): void {
    if (event.type === 'approvalRequested') this.#spanAround(event.parentId)?.setAttribute('x.approval.id', event.id)
    else if ('ms' in event) this.#end(event)
    else this.#start(event as StartEvent)
  }

  /** Returns the innermost span of OpenTelemetry around an event. */
  #spanAround(id: string | null): Span | undefined {
    for (let open = id === null ? null : this.#open.get(id); open; open = open.parent) if (open.span) return open.span
    return undefined
  }

  #start(event: StartEvent): void {
    // A process before this one may have ended without a word, and its reader sends on what it told.
    this.#open.get(event.id)?.span?.end(timeOf(event.time))
    this.#open.delete(event.id)
    switch (event.type) {
      case 'chatStart':
        return this.#begin(event, {
          ...{ name: `invoke_agent ${shortName(event.recipient)}`, agents: [event.agent, event.recipient] },
          attributes: { ...agentStart(event.recipient, event.runId), ...this.#inputOf(event) },
        })
      case 'replyStart':
        return this.#beginReply(event)
      case 'modelCallStart':
        return this.#beginInside(event)
      case 'modelAttemptStart':
        return this.#beginAttempt(event)
      case 'toolStart':
        return this.#begin(event, {
          name: `execute_tool ${shortName(event.name)}`,
          attributes: { ...toolStart(shortName(event.name), 'function', event.callId), ...workerOf(event.agent) },
        })
      case 'codeStart':
        return this.#begin(event, {
          name: `execute_tool ${CODE_TOOL}`,
          attributes: {
            ...{ ...toolStart(CODE_TOOL, 'extension', null), ...workerOf(event.agent) },
            ...(this.#parts.content && toolContent({ blocks: event.blocks }, null)),
          },
        })
      case 'humanInputStart':
        return this.#begin(event, {
          name: 'human_input',
          attributes: { ...workerOf(event.agent), ...(this.#parts.content && { 'x.human.prompt': event.prompt }) },
        })
      case 'searchStart':
        return this.#begin(event, { name: 'search', attributes: workerOf(event.agent) })
      case 'searchJobStart':
        return this.#begin(event, { name: `search_job ${event.kind}`, attributes: workerOf(event.agent) })
    }
  }

  #inputOf({ message }: EventOf<'chatStart'>): Attributes {
    const isTold = this.#parts.content && message !== null
    return isTold ? { 'gen_ai.input.messages': writeInput([asMessage(message, 'user')]) } : {}
  }

  #begin(
    event: StartEvent,
    {
      name,
      attributes,
      kind = SpanKind.INTERNAL,
      agents = NO_AGENTS,
      origin,
    }: {
      readonly name: string
      readonly attributes: Attributes
      readonly kind?: SpanKind
      readonly agents?: readonly string[]
      readonly origin?: Attributes
    },
  ): void {
    const parent = this.#parentOf(event)
    const around = parent?.context ?? this.#around
    const options = { kind, startTime: timeOf(event.time), attributes: Object.assign(attributes, placeOf(event)) }
    const span = this.#parts.tracer.startSpan(name, options, around)
    this.#open.set(event.id, {
      ...{ kind: event.type, span, parent, agents, startTime: event.time, attempts: 0, hasModel: false },
      context: trace.setSpan(around, span),
      ...(origin && { origin }),
    })
  }

  #parentOf({ parentId }: StartEvent): OpenSpan | null {
    return (parentId === null ? undefined : this.#open.get(parentId)) ?? null
  }

  /** Notes a span of the events that is part of the span of OpenTelemetry around it. */
  #beginInside(event: StartEvent): void {
    const parent = this.#parentOf(event)
    this.#open.set(event.id, {
      ...{ kind: event.type, span: null, parent, agents: NO_AGENTS, startTime: event.time },
      ...{ attempts: 0, hasModel: false, context: parent?.context ?? this.#around },
    })
  }

  /** The replies of the two agents of a chat are part of its span; an agent that replies elsewhere, as in a group, has its own. */
  #beginReply(event: EventOf<'replyStart'>): void {
    if (this.#parentOf(event)?.agents.includes(event.agent)) return this.#beginInside(event)
    this.#begin(event, {
      name: `invoke_agent ${shortName(event.agent)}`,
      attributes: agentStart(event.agent, event.runId),
    })
  }

  #beginAttempt(event: EventOf<'modelAttemptStart'>): void {
    const call = this.#parentOf(event)
    if (call) call.attempts++
    const origin = attemptOrigin(event)
    this.#tellModel(call, origin)
    this.#begin(event, {
      ...{ name: event.model === null ? 'chat' : `chat ${event.model}`, kind: SpanKind.CLIENT, origin },
      attributes: { ...origin, ...attemptStart(event, this.#parts.content), ...workerOf(event.agent) },
    })
  }

  /** Tells the first model that is asked in the span of its agent. */
  #tellModel(call: OpenSpan | null, origin: Attributes): void {
    let agent = call
    while (agent && !agent.span) agent = agent.parent
    if (!agent || agent.hasModel || (agent.kind !== 'chatStart' && agent.kind !== 'replyStart')) return
    agent.hasModel = true
    for (const name of ['gen_ai.provider.name', 'gen_ai.request.model'] as const) {
      const value = origin[name]
      if (value !== undefined) agent.span!.setAttribute(name, value)
    }
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
        span.setAttributes({ ...chatEnd(event), ...this.#outputOf(event) })
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
      case 'humanInputEnd':
        if (content && event.answer !== null) span.setAttribute('x.human.answer', event.answer)
        break
      default:
      // Replies and searches tell no more than how they ended.
    }
    this.#finish(event, span)
    span.end(timeOf(event.time))
  }

  #outputOf({ summary }: EventOf<'chatEnd'>): Attributes {
    const isTold = this.#parts.content && typeof summary === 'string'
    return isTold ? { 'gen_ai.output.messages': writeOutput(summary, null) } : {}
  }

  /** Sets how a span has ended. The text of an error is content: it may quote anything. */
  #finish(event: EndEvent, span: Span): void {
    const type = errorType(event)
    if (type === undefined) return void span.setAttributes(outcomeOf(event))
    const message = this.#parts.content ? event.error?.message : undefined
    span.setAttribute('error.type', type)
    span.setStatus({ code: SpanStatusCode.ERROR, ...(message !== undefined && { message }) })
  }

  #endAttempt(event: EventOf<'modelAttemptEnd'>, { startTime, origin = {}, parent }: OpenSpan, span: Span): void {
    const { firstTokenAt, usage, cost, cached, responseModel } = event
    const secondsToFirst = firstTokenAt === null ? undefined : Math.max(0, firstTokenAt - startTime) / MS_PER_SECOND
    span.setAttributes(attemptEnd(event, secondsToFirst))
    this.#finish(event, span)
    this.#measure(event, {
      origin,
      responseModel,
      secondsToFirst,
      usage: cached ? null : usage,
      cost: cached ? null : cost,
    })
    const endTime = timeOf(event.time)
    // The call has the answer, and ends behind its attempts.
    if (this.#parts.content && parent?.kind === 'modelCallStart' && event.outcome === 'ok') {
      parent.held?.span.end(parent.held.endTime)
      parent.held = { span, endTime }
    } else span.end(endTime)
  }

  #measure(
    event: EndEvent,
    {
      origin,
      responseModel,
      ...facts
    }: {
      readonly origin: Attributes
      readonly responseModel: string | null
      readonly secondsToFirst: number | undefined
      readonly usage: EventUsage | null
      readonly cost: number | null
    },
  ): void {
    this.#parts.metrics.record({
      origin: responseModel === null ? origin : { ...origin, 'gen_ai.response.model': responseModel },
      ...{ errorType: errorType(event), seconds: event.ms / MS_PER_SECOND },
      ...facts,
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
    const { model, agent, usage, cost, cached } = event
    const origin = attemptOrigin({ provider: null, endpoint: null, model })
    this.#tellModel(call, origin)
    const attributes = { ...origin, ...callEnd(event), ...workerOf(agent), ...placeOf(event) }
    const options = { kind: SpanKind.CLIENT, startTime: timeOf(call.startTime), attributes }
    const span = this.#parts.tracer.startSpan(model === null ? 'chat' : `chat ${model}`, options, call.context)
    this.#finish(event, span)
    const used = { usage: cached ? null : usage, cost: cached ? null : cost }
    this.#measure(event, { origin, responseModel: model, secondsToFirst: undefined, ...used })
    return { span, endTime: timeOf(event.time) }
  }

  #addInput(spanId: string, messages: readonly ChatMessage[]): void {
    const span = this.#open.get(spanId)?.span
    if (span?.isRecording()) span.setAttribute('gen_ai.input.messages', writeInput(messages))
  }
}

const NO_AGENTS: readonly string[] = []

const MS_PER_SECOND = 1000
const NS_PER_MS = 1_000_000

/** The time of an event as seconds and nanoseconds: numbers may mean two things to an SDK. */
const timeOf = (ms: number): HrTime => [Math.floor(ms / MS_PER_SECOND), Math.round((ms % MS_PER_SECOND) * NS_PER_MS)]
