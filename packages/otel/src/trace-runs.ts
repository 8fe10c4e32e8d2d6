import { context, type Context, metrics, type Meter, ROOT_CONTEXT, trace, type Tracer } from '@opentelemetry/api'
import type { Run, RunTrace, RunTracer, TraceContext } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { scopeOf } from '@x/kernel/run'
import { AttemptOrigins } from './attributes.ts'
import { RunMetrics } from './run-metrics.ts'
import { OtelTrace, type TraceParts } from './run-trace.ts'
import { readTraceContext } from './trace-context.ts'

/** Options of {@link traceRuns}. */
export interface TraceOptions {
  /** Makes the spans; default: that of the tracer provider that the program has registered. */
  readonly tracer?: Tracer | undefined
  /** Makes the metrics; default: that of the meter provider that the program has registered when the first run begins. */
  readonly meter?: Meter | undefined
  /**
   * True to record what people, models, tools and code have written: messages, arguments, results and the texts of errors.
   * The `events` options of a run leave it out for that run. Default false.
   */
  readonly content?: boolean | undefined
  /** False to send no `traceparent` with the requests to models and MCP servers. Default true. */
  readonly propagates?: boolean | undefined
}

const TRACE_KINDS: OptionKinds<TraceOptions> = {
  tracer: kind.having('a `Tracer` of OpenTelemetry', 'startSpan'),
  meter: kind.having('a `Meter` of OpenTelemetry', 'createHistogram'),
  content: kind.flag,
  propagates: kind.flag,
}

/** Name of the tracer and the meter. */
const SCOPE_NAME = '@x/otel'

/** The conventions by which spans and metrics are named. */
const SCHEMA_URL = 'https://opentelemetry.io/schemas/1.41.0'

/**
 * Makes a tracer for the option `tracer` of runs, agents, models and hosts: it tells OpenTelemetry of each run as spans and
 * metrics by the GenAI conventions, version 1.41.0. The span that is active where a run begins is the parent of the run.
 */
export function traceRuns(options: TraceOptions = {}): RunTracer {
  checkOptions((options as object | undefined) ?? null, TRACE_KINDS, 'run `traceRuns`')
  return new OtelTracer(options)
}

/**
 * Returns the context of the span in which a function was given its `run`, for the spans of its own:
 * `tracer.startSpan('read', {}, contextOf(run))`. Without a traced run it is the active context.
 */
export function contextOf(run: Run | undefined): Context {
  const scope = run && scopeOf(run)
  let followed = scope?.trace
  while (followed && !(followed instanceof OtelTrace)) followed = followed.beside
  return followed?.otelContextOf(scope!.spanId) ?? context.active()
}

class OtelTracer implements RunTracer {
  readonly #tracer: Tracer
  readonly #meter: Meter | undefined
  readonly #content: boolean
  readonly #propagates: boolean
  #parts: TraceParts | undefined

  constructor({ tracer, meter, content = false, propagates = true }: TraceOptions) {
    this.#tracer = tracer ?? trace.getTracerProvider().getTracer(SCOPE_NAME, undefined, { schemaUrl: SCHEMA_URL })
    this.#meter = meter
    this.#content = content
    this.#propagates = propagates
  }

  begin(given?: TraceContext): RunTrace {
    // A meter that was asked for before its provider was registered stays without one.
    this.#parts ??= {
      tracer: this.#tracer,
      metrics: new RunMetrics(this.#meter ?? metrics.getMeter(SCOPE_NAME, undefined, { schemaUrl: SCHEMA_URL })),
      origins: new AttemptOrigins(),
      content: this.#content,
      propagates: this.#propagates,
    }
    return new OtelTrace(this.#parts, given ? remoteContext(given) : context.active())
  }
}

function remoteContext(given: TraceContext): Context {
  const span = readTraceContext(given)
  return span ? trace.setSpanContext(ROOT_CONTEXT, span) : ROOT_CONTEXT
}
