import type { CompleteContract, FramedRecording } from './contract.ts'
import { bytesOf, type FakeResponse } from './fake-fetch.ts'
import { framesOf, typeOf } from './stream-text.ts'

/**
 * The bill for a request: by the usage of its answer, none since it was refused or never left, or an unknown one, since the
 * provider may have gone on working: it is then billed as if it had been answered.
 */
export type BilledAs = 'answered' | 'refused' | 'unsent' | 'unknown'

/** When the caller leaves: before the call, at the request, or at the first content. */
export type Leaving = 'before' | 'at the request' | 'at the first content'

/** A fault of a provider, or of the way to it. */
export interface BillingFault {
  readonly name: string
  readonly billedAs: BilledAs
  /** The response to every request. */
  readonly response: FakeResponse
  /** When the caller leaves, and how: by its signal, or as a reader who stops. */
  readonly leaves?: Leaving | undefined
  readonly by?: 'signal' | 'reader' | undefined
  /** Seconds that a request may take. */
  readonly timeout?: number | undefined
}

/** Seconds after which a request without an answer has failed. */
const TIMEOUT_S = 0.02

const FAILED_STATUSES = [500, 502, 503, 504, 529, 408, 425, 499] as const

const REDIRECT_STATUSES = [301, 302, 303, 307, 308] as const

/** Statuses of refusals that no provider bills. */
const UNPAID_STATUSES: ReadonlySet<number> = new Set([401, 403, 404, 429])

/** Places at which a body is cut. */
const CUT_COUNT = 10

/** Returns the faults of a provider, for complete or for streamed answers. */
export function billingFaults(contract: CompleteContract, streamed: boolean): readonly BillingFault[] {
  const recording = billedRecording(contract)
  const text = streamed ? recording.stream : recording.whole
  const headers = { 'content-type': streamed ? typeOf(recording.stream) : 'application/json' }
  const part = (bytes: Uint8Array, more: Partial<FakeResponse>): FakeResponse => ({ headers, pieces: [bytes], ...more })
  const all = bytesOf(text)[0]!
  const half = all.subarray(0, streamed ? firstFrames(recording) : all.length >> 1)
  const whole: FakeResponse = { headers, pieces: [all] }
  const silent: FakeResponse = { pieces: [], hang: true }
  const unknown = (name: string, response: FakeResponse, more: Partial<BillingFault> = {}): BillingFault => ({
    ...{ name, billedAs: 'unknown', response },
    ...more,
  })
  return [
    { name: 'a healthy provider', billedAs: 'answered', response: whole },
    unknown('no response in time', silent, { timeout: TIMEOUT_S }),
    unknown('a body that goes silent', part(half, { open: true }), { timeout: TIMEOUT_S }),
    unknown('a body of broken JSON', { headers, pieces: bytesOf(streamed ? brokenStream(recording) : cutText(text)) }),
    ...cutsOf(all, streamed).flatMap(([name, bytes]) => [
      unknown(`a body that ends ${name}`, part(bytes, {})),
      unknown(`a connection that breaks ${name}`, part(bytes, { broken: 'ECONNRESET' })),
    ]),
    unknown('a connection that breaks before the response', { pieces: [], broken: 'ECONNRESET' }),
    { name: 'a refused connection', billedAs: 'unsent', response: { pieces: [], broken: 'ECONNREFUSED' } },
    ...FAILED_STATUSES.flatMap((status) => [
      unknown(`status ${status} with a body`, failed(status, '{"error":{"message":"out of order"}}')),
      unknown(`status ${status} without a body`, failed(status, '')),
    ]),
    ...REDIRECT_STATUSES.map((status) =>
      unknown(`status ${status} that leads back`, { status, headers: { location: '/again' }, pieces: [] }),
    ),
    ...refusalsOf(contract),
    { name: 'a caller who has left', billedAs: 'unsent', response: whole, leaves: 'before', by: 'signal' },
    unknown('a caller who leaves before the response', silent, { leaves: 'at the request', by: 'signal' }),
    ...(streamed ? leavingReaders(part(half, { open: true })) : []),
  ]
}

const leavingReaders = (response: FakeResponse): readonly BillingFault[] =>
  (['signal', 'reader'] as const).map((by) => ({
    name: `a reader who leaves in the middle (${by})`,
    billedAs: 'unknown',
    response,
    leaves: 'at the first content',
    by,
  }))

/** The recording whose usage is known, without calls where there is one. */
export function billedRecording({ recordings }: CompleteContract): CompleteContract['recordings'][number] {
  const known = recordings.filter(({ says }) => says.usage !== null)
  return known.find(({ says }) => says.text !== '' && !says.calls?.length) ?? known[0] ?? recordings[0]!
}

const failed = (status: number, body: string): FakeResponse => ({
  status,
  headers: { 'content-type': 'application/json', 'retry-after-ms': '1' },
  pieces: body === '' ? [] : bytesOf(body),
})

/** Statuses of servers that are overloaded; if the provider says so itself and names its error, it bills nothing. */
const OVERLOADED_STATUSES: ReadonlySet<number> = new Set([503, 529])

/** A body that names its error by a code or a type. */
const NAMED_ERROR = /"(?:code|type)"\s*:\s*["\d]/u

/** Returns the refusals that no provider bills. */
const refusalsOf = ({ failures }: CompleteContract): readonly BillingFault[] =>
  failures
    .filter(
      ({ status, kind, body }) =>
        UNPAID_STATUSES.has(status) ||
        (kind === 'overloaded' && OVERLOADED_STATUSES.has(status) && NAMED_ERROR.test(body)),
    )
    .map(({ status, kind, body, headers }) => ({
      name: `a refusal with status ${status} (${kind})`,
      billedAs: 'refused',
      response: {
        status,
        headers: { 'content-type': /^[[{]/u.test(body) ? 'application/json' : 'text/plain', ...headers },
        pieces: bytesOf(body),
      },
    }))

/** Returns the number of bytes of a stream up to the middle of its frames, and at least of its first one. */
function firstFrames(recording: FramedRecording): number {
  const frames = framesOf(recording)
  return bytesOf(frames.slice(0, Math.max(1, frames.length >> 1)).join(''))[0]!.length
}

/** Cuts the JSON of a body. */
const cutText = (text: string): string => text.slice(0, Math.floor(text.length * 0.8))

/** Breaks the JSON of the first frame of a stream, at its last bracket. */
function brokenStream(recording: FramedRecording): string {
  const [first = '', ...others] = framesOf(recording)
  const at = Math.max(first.lastIndexOf('}'), first.lastIndexOf(']'))
  return [first.slice(0, at), first.slice(at + 1), ...others].join('')
}

/** Cuts a body at ten places before its end; of a stream, before the frames in which the answer ends. */
function cutsOf(all: Uint8Array, streamed: boolean): readonly (readonly [name: string, bytes: Uint8Array])[] {
  const end = streamed ? Math.floor(all.length / 2) : all.length
  return Array.from({ length: CUT_COUNT }, (_, index) => {
    const at = Math.floor((end * index) / CUT_COUNT)
    return [`after ${at} of ${all.length} bytes`, all.subarray(0, Math.max(at, 1))] as const
  })
}
