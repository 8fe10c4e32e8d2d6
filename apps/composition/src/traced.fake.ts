import { readFileSync } from 'node:fs'
import { type Attributes, type HrTime, SpanKind, SpanStatusCode } from '@opentelemetry/api'
import { MeterProvider, MetricReader, type ResourceMetrics } from '@opentelemetry/sdk-metrics'
import { type ReadableSpan, type Span, type SpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import { traceRuns, type TraceOptions } from '@x/otel'
import { expect } from 'vitest'

/** The tables of the conventions, as `packages/otel/conventions` has them. */
interface Conventions {
  readonly attributes: Readonly<Record<string, { readonly type: string; readonly values?: readonly string[] }>>
  readonly spans: Readonly<
    Record<string, { readonly kind: string; readonly attributes: Readonly<Record<string, string>> }>
  >
  readonly metrics: Readonly<
    Record<
      string,
      {
        readonly unit: string
        readonly buckets: readonly number[]
        readonly attributes: Readonly<Record<string, string>>
      }
    >
  >
  readonly messages: {
    readonly roles: readonly string[]
    readonly finishReasons: readonly string[]
    readonly parts: Readonly<Record<string, readonly string[]>>
  }
}

export const CONVENTIONS = JSON.parse(
  readFileSync(new URL('../../../packages/otel/conventions/gen-ai-1.41.0.json', import.meta.url), 'utf8'),
) as Conventions

/** The attributes that the conventions do not have, with their types. `docs/open-telemetry.md` lists them. */
export const OWN_ATTRIBUTES: Readonly<Record<string, string>> = {
  'x.agent': 'string',
  'x.approval.allowed': 'boolean',
  'x.approval.id': 'string',
  'x.cached': 'boolean',
  'x.code.exit_code': 'int',
  'x.config.index': 'int',
  'x.counted_tokens': 'int',
  'x.human.answer': 'string',
  'x.human.prompt': 'string',
  'x.outcome': 'string',
  'x.requests': 'int',
  'x.resumed': 'boolean',
  'x.run.id': 'string',
  'x.span.id': 'string',
  'x.termination_reason': 'string',
  'x.usage.cost': 'double',
  'x.waited_ms': 'int',
}

/** A span as the checks read it, from an SDK or from OTLP. */
export interface TracedSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentId: string | undefined
  readonly kind: string
  readonly attributes: Readonly<Record<string, unknown>>
  readonly error: boolean
  readonly message: string | undefined
  /** Milliseconds. */
  readonly start: number
  readonly end: number
}

/** Keeps spans in the order of their starts. */
class StartedSpans implements SpanProcessor {
  readonly all: Span[] = []

  onStart(span: Span): void {
    this.all.push(span)
  }

  onEnd(): void {}
  async forceFlush(): Promise<void> {}
  async shutdown(): Promise<void> {}
}

/** A reader that collects when it is asked. */
class PullReader extends MetricReader {
  protected override async onForceFlush(): Promise<void> {}
  protected override async onShutdown(): Promise<void> {}
}

/** A tracer with an SDK that keeps spans and metrics. */
export function tracing(options: TraceOptions = {}) {
  const started = new StartedSpans()
  const provider = new TracerProvider({ spanProcessors: [started] })
  const reader = new PullReader()
  const meters = new MeterProvider({ readers: [reader] })
  const tracer = provider.getTracer('test')
  return {
    /** The tracer of the SDK, for spans of a program's own. */
    own: tracer,
    tracer: traceRuns({ tracer, meter: meters.getMeter('test'), ...options }),
    /** The spans in the order of their starts; all have ended. */
    spans(): TracedSpan[] {
      expect(started.all.filter(({ ended }) => !ended).map(({ name }) => name)).toEqual([])
      return started.all.map(readSpan)
    },
    metrics: async (): Promise<ResourceMetrics> => (await reader.collect()).resourceMetrics,
    /** Everything that would be exported, as text. */
    exported: async (): Promise<string> =>
      JSON.stringify([
        started.all.map(({ name, attributes, status, events, links }) => [name, attributes, status, events, links]),
        (await reader.collect()).resourceMetrics,
      ]),
  }
}

const msOf = ([seconds, nanoseconds]: HrTime): number => seconds * 1000 + nanoseconds / 1e6

function readSpan(span: ReadableSpan): TracedSpan {
  const { name, kind, attributes, status, startTime, endTime, parentSpanContext } = span
  const { traceId, spanId } = span.spanContext()
  return {
    ...{ name, traceId, spanId, attributes, parentId: parentSpanContext?.spanId },
    ...{ kind: SpanKind[kind].toLowerCase(), error: status.code === SpanStatusCode.ERROR, message: status.message },
    ...{ start: msOf(startTime), end: msOf(endTime) },
  }
}

/** The names of spans as a tree: a line each, indented below the span around it. */
export function treeOf(spans: readonly TracedSpan[]): string[] {
  const ids = new Set(spans.map(({ spanId }) => spanId))
  const lines: string[] = []
  const addInside = (parentId: string | undefined, depth: number): void => {
    for (const span of spans) {
      const isInside = depth === 0 ? !ids.has(span.parentId ?? '') : span.parentId === parentId
      if (!isInside) continue
      lines.push(`${'  '.repeat(depth)}${span.name}${markOf(span)}`)
      addInside(span.spanId, depth + 1)
    }
  }
  addInside(undefined, 0)
  return lines
}

/** The paths of spans from the outermost, sorted: for spans whose order is not known. */
export function pathsOf(spans: readonly TracedSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]))
  const pathOf = (span: TracedSpan): string => {
    const parent = byId.get(span.parentId ?? '')
    return `${parent ? `${pathOf(parent)} > ` : ''}${span.name}${markOf(span)}`
  }
  return spans.map(pathOf).toSorted()
}

function markOf({ error, attributes }: TracedSpan): string {
  const { 'error.type': type, 'x.outcome': outcome } = attributes as Readonly<Record<string, string | undefined>>
  if (error) return ` ! ${type}`
  return outcome === undefined ? '' : ` (${outcome})`
}

/** The attribute that the name of a span ends with, by its operation. */
const SUBJECTS: Readonly<Record<string, string>> = {
  chat: 'gen_ai.request.model',
  embeddings: 'gen_ai.request.model',
  invoke_agent: 'gen_ai.agent.name',
  execute_tool: 'gen_ai.tool.name',
}

/** Checks spans against the tables of the conventions: names, kinds, and every attribute with its type. */
export function checkSpans(spans: readonly TracedSpan[]): void {
  expect(spans.length).toBeGreaterThan(0)
  for (const { name, kind, attributes, start, end } of spans) {
    expect(end).toBeGreaterThanOrEqual(start)
    const operation = attributes['gen_ai.operation.name'] as string | undefined
    const known = operation === undefined ? undefined : CONVENTIONS.spans[operation]
    if (operation !== undefined) {
      expect(Object.keys(CONVENTIONS.spans)).toContain(operation)
      expect(kind).toBe(known!.kind)
      const subject = attributes[SUBJECTS[operation]!] as string | undefined
      expect(name).toBe(subject === undefined ? operation : `${operation} ${subject}`)
    }
    for (const [attribute, value] of Object.entries(attributes)) {
      const isOwn = Object.hasOwn(OWN_ATTRIBUTES, attribute)
      expect(
        isOwn || (attribute === 'error.type' && !known) || Object.hasOwn(known?.attributes ?? {}, attribute),
        `${attribute} of ${name}`,
      ).toBe(true)
      const type = isOwn ? OWN_ATTRIBUTES[attribute]! : CONVENTIONS.attributes[attribute]!.type
      expect(isOfType(value, type), `${attribute} of ${name} is ${type}: ${JSON.stringify(value)}`).toBe(true)
      const { values } = CONVENTIONS.attributes[attribute] ?? {}
      if (attribute === 'gen_ai.operation.name' || attribute === 'gen_ai.output.type') expect(values).toContain(value)
    }
    for (const [attribute, level] of Object.entries(known?.attributes ?? {})) {
      const isLeftOut = attribute === 'gen_ai.provider.name' && operation === 'invoke_agent'
      if (level === 'required' && !isLeftOut) expect(attributes, `${name} has ${attribute}`).toHaveProperty([attribute])
    }
    checkMessages(attributes)
  }
}

function checkMessages(attributes: Readonly<Record<string, unknown>>): void {
  const { roles, finishReasons, parts: known } = CONVENTIONS.messages
  for (const attribute of ['gen_ai.input.messages', 'gen_ai.output.messages']) {
    if (attributes[attribute] === undefined) continue
    const messages = JSON.parse(attributes[attribute] as string) as Record<string, unknown>[]
    for (const { role, parts, finish_reason: reason } of messages) {
      expect(roles).toContain(role)
      if (attribute === 'gen_ai.output.messages') expect(finishReasons).toContain(reason)
      for (const part of parts as Record<string, unknown>[]) {
        expect(Object.keys(known)).toContain(part['type'])
        for (const name of known[part['type'] as string]!) expect(part).toHaveProperty([name])
      }
    }
  }
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'string[]') return Array.isArray(value) && value.every((each) => typeof each === 'string')
  if (type === 'int') return Number.isInteger(value)
  if (type === 'double') return Number.isFinite(value)
  return typeof value === (type === 'boolean' ? 'boolean' : 'string')
}

/** Checks metrics against the tables of the conventions; our own is the cost alone. */
export function checkMetrics({ scopeMetrics }: ResourceMetrics): void {
  const metrics = scopeMetrics.flatMap((each) => each.metrics)
  expect(metrics.length).toBeGreaterThan(0)
  for (const { descriptor, dataPoints } of metrics) {
    const known = CONVENTIONS.metrics[descriptor.name]
    if (!known) {
      expect(descriptor).toMatchObject({ name: 'x.client.cost', unit: '{USD}' })
      continue
    }
    expect(descriptor).toMatchObject({ unit: known.unit, advice: { explicitBucketBoundaries: known.buckets } })
    for (const { attributes } of dataPoints as { attributes: Attributes }[]) {
      expect(Object.keys(known.attributes)).toEqual(expect.arrayContaining(Object.keys(attributes)))
      const required = Object.entries(known.attributes).flatMap(([name, level]) => (level === 'required' ? [name] : []))
      expect(Object.keys(attributes)).toEqual(expect.arrayContaining(required))
    }
  }
}
