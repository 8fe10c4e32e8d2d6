import type { CapabilityName, VendorName } from './evidence.ts'

/** A request and its response as bytes, without headers. */
export interface RecordedExchange {
  readonly request: { readonly method: string; readonly path: string; readonly body: unknown }
  readonly response: { readonly status: number; readonly type: string; readonly body: string }
}

/** A run of one capability against a vendor, to be replayed. */
export interface Recording {
  readonly vendor: VendorName
  readonly capability: CapabilityName
  readonly model: string
  /** Day in UTC. */
  readonly day: string
  readonly exchanges: readonly RecordedExchange[]
  /** The result that the run read from the responses. */
  readonly result: unknown
}

/** Records what passes through a `fetch`. */
export interface Recorder {
  readonly fetch: typeof globalThis.fetch
  /** The exchanges so far, in the order of the requests; null if a response is still under way. */
  taken(): readonly RecordedExchange[] | null
  /** Texts in headers of responses that name an account or a request. */
  readonly identifiers: ReadonlySet<string>
}

/** Headers whose values may stand in a body, too, and are removed from it. */
const IDENTIFYING_HEADER = /organization|project|account|request-id|cf-ray|set-cookie|user/u

/** Fewest characters of an identifier: a shorter one may be any word of an answer. */
const MIN_IDENTIFIER_LENGTH = 8

/** Records requests and responses; a response is handed on while it arrives. */
export function createRecorder(send: typeof globalThis.fetch = globalThis.fetch): Recorder {
  const exchanges: (RecordedExchange | null)[] = []
  const identifiers = new Set<string>()
  return {
    identifiers,
    taken: () => (exchanges.includes(null) ? null : (exchanges as RecordedExchange[])),
    async fetch(input, init) {
      const index = exchanges.push(null) - 1
      const request = await readRequest(input, init)
      const response = await send(input, init)
      for (const [name, value] of response.headers)
        if (IDENTIFYING_HEADER.test(name) && value.length >= MIN_IDENTIFIER_LENGTH) identifiers.add(value)
      const { status, headers } = response
      const decoder = new TextDecoder()
      let body = ''
      const keep = (): void => {
        const type = headers.get('content-type') ?? ''
        exchanges[index] = { request, response: { status, type, body: body + decoder.decode() } }
      }
      const tap = new TransformStream<Uint8Array, Uint8Array>({
        transform(chunk, controller) {
          body += decoder.decode(chunk, { stream: true })
          controller.enqueue(chunk)
        },
        flush: keep,
        // A reader that has seen the last event of a stream leaves it.
        cancel: keep,
      })
      return new Response(response.body?.pipeThrough(tap) ?? null, response)
    },
  }
}

/** A `fetch` that answers requests equal to recorded ones, each once, whatever their order. */
export interface Replayer {
  readonly fetch: typeof globalThis.fetch
  /** Requests of the recording that nobody sent. */
  left(): readonly RecordedExchange[]
}

/** Replays a recording; a request that it does not have is refused with the nearest one. */
export function createReplayer(exchanges: readonly RecordedExchange[]): Replayer {
  const open = [...exchanges]
  return {
    left: () => open,
    async fetch(input, init) {
      const request = await readRequest(input, init)
      const text = JSON.stringify(request)
      const found = open.findIndex((each) => JSON.stringify(each.request) === text)
      if (found < 0)
        throw new Error(`the recording has no such request:\n${text}\nnext is\n${JSON.stringify(open[0]?.request)}`)
      const [{ response }] = open.splice(found, 1) as [RecordedExchange]
      return new Response(response.body, { status: response.status, headers: { 'content-type': response.type } })
    },
  }
}

/** Reads a request without its host, headers and the key that a query may have. */
async function readRequest(
  input: Parameters<typeof globalThis.fetch>[0],
  init: RequestInit | undefined,
): Promise<RecordedExchange['request']> {
  const request = new Request(input, init)
  const url = new URL(request.url)
  url.searchParams.delete('key')
  const text = await request.text()
  return { method: request.method, path: url.pathname + url.search, body: text === '' ? null : JSON.parse(text) }
}

/** Forms of keys and of identifiers of accounts, at the vendors that are asked. */
const ACCOUNT_TEXT = /\b(?:sk-[\w-]{16,}|AIza[\w-]{20,}|(?:org|proj|user|acct)[-_][A-Za-z0-9]{8,})/gu

/** Stands for a text that was removed. */
const REMOVED_TEXT = '[removed]'

/** Removes what names an account or is a key, by its form. */
export const withoutAccounts = (text: string): string => text.replaceAll(ACCOUNT_TEXT, REMOVED_TEXT)

/** Writes a recording as JSON without keys and identifiers of accounts; throws if a key is still in it. */
export function writeRecording(
  recording: Recording,
  secrets: readonly string[],
  identifiers: Iterable<string>,
): string {
  const removed = [...secrets, ...identifiers].toSorted((a, b) => b.length - a.length)
  const clean = (value: unknown): unknown => {
    if (typeof value === 'string') {
      const known = removed.reduce((text, each) => text.replaceAll(each, REMOVED_TEXT), value)
      return withoutAccounts(known)
    }
    if (Array.isArray(value)) return value.map(clean)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [clean(name), clean(each)]))
  }
  const text = `${JSON.stringify(clean(recording), null, 2)}\n`
  const forms = secrets.flatMap((key) => [key, encodeURIComponent(key), Buffer.from(key).toString('base64')])
  if (forms.some((form) => text.includes(form)))
    throw new Error(
      `the recording of ${recording.vendor} ${recording.capability} has its key in another form: not kept`,
    )
  return text
}
