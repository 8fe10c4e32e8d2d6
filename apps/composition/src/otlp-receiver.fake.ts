import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'vitest'
import type { TracedSpan } from './traced.fake.ts'

/** A value of an attribute in OTLP as JSON. */
type Value = Readonly<Record<string, unknown>>
type Pair = { readonly key: string; readonly value: Value }

interface OtlpSpan {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly kind: number
  readonly attributes?: readonly Pair[]
  readonly status?: { readonly code?: number; readonly message?: string }
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
}

/** A metric of OTLP as JSON. */
export interface OtlpMetric {
  readonly name: string
  readonly unit: string
  readonly histogram: {
    readonly dataPoints: readonly {
      readonly attributes: readonly Pair[]
      readonly explicitBounds: readonly number[]
      readonly count: number | string
    }[]
  }
}

/** The body of a request: resources, scopes, and what they have. */
type Body = Readonly<Record<string, readonly Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>[]>>

/** A collector of OTLP over HTTP, as JSON, on this machine. */
export async function startReceiver(status = 200) {
  const bodies: { readonly path: string; readonly body: Body }[] = []
  const arrivals: (() => void)[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (piece: string) => void (text += piece))
    request.on('end', () => {
      expect(request.headers['content-type']).toBe('application/json')
      bodies.push({ path: request.url!, body: JSON.parse(text) as Body })
      response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
      for (const arrived of arrivals.splice(0)) arrived()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const parts = <T>(path: string, outer: string, scope: string, inner: string): T[] =>
    bodies
      .filter((each) => each.path === path)
      .flatMap(({ body }) => body[outer] ?? [])
      .flatMap((each) => each[scope]!)
      .flatMap((each) => each[inner] as readonly T[])
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: bodies,
    spans: (): TracedSpan[] => parts<OtlpSpan>('/v1/traces', 'resourceSpans', 'scopeSpans', 'spans').map(readSpan),
    metrics: (): OtlpMetric[] => parts<OtlpMetric>('/v1/metrics', 'resourceMetrics', 'scopeMetrics', 'metrics'),
    /** Waits until the spans satisfy a condition. */
    async until(isThere: (spans: readonly TracedSpan[]) => boolean): Promise<TracedSpan[]> {
      for (;;) {
        const spans = this.spans()
        if (isThere(spans)) return spans
        await new Promise<void>((resolve) => arrivals.push(resolve))
      }
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

const KINDS = ['unspecified', 'internal', 'server', 'client', 'producer', 'consumer']

function readSpan(span: OtlpSpan): TracedSpan {
  const { name, traceId, spanId, parentSpanId, kind, attributes = [], status } = span
  // Encoders may leave out a parent, or write none.
  return {
    ...{ name, traceId, spanId, parentId: parentSpanId === '' ? undefined : parentSpanId, kind: KINDS[kind]! },
    ...{ attributes: attributesOf(attributes), error: status?.code === 2, message: status?.message || undefined },
    ...{
      start: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
      end: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
    },
  }
}

export const attributesOf = (pairs: readonly Pair[]): Record<string, unknown> =>
  Object.fromEntries(pairs.map(({ key, value }) => [key, readValue(value)]))

function readValue(value: Value): unknown {
  const [[type, inner] = []] = Object.entries(value)
  if (type === 'intValue') return Number(inner)
  if (type === 'arrayValue') return ((inner as { values?: Value[] }).values ?? []).map(readValue)
  return inner
}
