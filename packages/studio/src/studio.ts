import type { ApprovalDecision, MaybePromise } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { type ForkedProgram, forkRun, type KeptRun, type Records, type RunQuery } from '@x/records'
import { Chats, type StudioAgent } from './chats.ts'
import { answerWithFile, digestOf } from './page-files.ts'
import { type ForkRequest, MAX_COMPARED, type StepDetail, type StudioInfo } from './protocol.ts'
import { bothOf, RunReader, type RunSearch, type StudioSource } from './run-source.ts'
import { detailOf } from './step-detail.ts'

/** Options of {@link studio}. */
export interface StudioOptions {
  /** Name of the page, such as that of the file. Default `studio`. */
  readonly title?: string | undefined
  /** Path below which the handler is mounted, such as `/studio`. Default: the root. */
  readonly basePath?: string | undefined
  /**
   * A secret that the page's address must have once, as `?token=…`; a cookie keeps it. Default: none, the server that mounts the
   * handler says who may see the runs.
   */
  readonly token?: string | undefined
  /** Where forks, labels and chats are recorded. Default: the source, if it is a file of records. */
  readonly records?: Records | undefined
  /** The program of the runs, which lets them go on from a place: it passes the options on to the operation that it starts. */
  readonly program?:
    | ((options: Parameters<ForkedProgram<unknown>>[0], run: KeptRun) => MaybePromise<unknown>)
    | undefined
  /** Agents to chat with, by their names. */
  readonly agents?: Readonly<Record<string, StudioAgent>> | undefined
  /** The host whose chats are shown: it takes decisions on calls and questions that wait. */
  readonly host?: { decide(id: string, pendingId: string, decision: ApprovalDecision): Promise<void> } | undefined
}

const OPTION_KINDS: OptionKinds<StudioOptions> = {
  title: kind.text,
  basePath: kind.text,
  token: kind.text,
  records: kind.having('what `openRecords` returned', 'tagged'),
  program: kind.call,
  agents: kind.any,
  host: kind.having('a host', 'decide'),
}

const SOURCE_KIND = kind.having('what `openRecords` returned', 'list', 'read')

/** Answers a request for the page or its data. */
export type StudioHandler = (request: Request) => Promise<Response>

/**
 * Returns a handler of requests that shows runs in a page: what agents asked, said and spent. `source` is what `openRecords` or
 * `hostRuns` returns. The page shows everything that the records have: mount the handler where only those who may read it come.
 */
export function studio(source: StudioSource, options: StudioOptions = {}): StudioHandler {
  checkOptions((options as object | undefined) ?? null, OPTION_KINDS, 'open `studio`')
  if (!SOURCE_KIND.takes(source)) {
    const path = typeof source === 'string' ? `'${String(source)}'` : "'runs.db'"
    throw new XError(
      'invalid-argument',
      `cannot open \`studio\`: its source has no runs to show; give \`openRecords(${path})\` of \`@x/records\``,
    )
  }
  const server = new StudioServer(source, options)
  return async (request) => await server.answer(request)
}

/** Bytes that a request may have. */
const MAX_BODY_BYTES = 1_000_000
/** Runs of a list unless the page asks for more. */
const USUAL_LIMIT = 100
const MAX_SAMPLES = 20
/** Nothing but the page's own files, and no markup that a text may bring. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const SAFE_HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': PAGE_POLICY,
} as const

const COOKIE = 'x-studio'

/** Answers the requests of the page. */
class StudioServer {
  readonly #runs: RunReader
  readonly #options: StudioOptions
  readonly #records: Records | null
  readonly #chats: Chats
  readonly #base: string

  constructor(source: StudioSource, options: StudioOptions) {
    const { records } = options
    this.#runs = new RunReader(records && records !== source ? bothOf(source, records) : source)
    this.#options = options
    this.#records = records ?? ('tagged' in source ? (source as Records) : null)
    this.#chats = new Chats(options.agents ?? {}, this.#records)
    this.#base = (options.basePath ?? '').replace(/\/$/u, '')
  }

  async answer(request: Request): Promise<Response> {
    const response = await this.#answerSafely(request)
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.headers.set(name, value)
    return response
  }

  async #answerSafely(request: Request): Promise<Response> {
    try {
      const url = new URL(request.url)
      if (url.pathname !== this.#base && !url.pathname.startsWith(`${this.#base}/`))
        return refusal(404, 'There is no such page.')
      const path = url.pathname.slice(this.#base.length)
      const entering = await this.#enter(request, url)
      if (entering) return entering
      if (path === '') return redirect(`${this.#base}/`)
      return path.startsWith('/api/')
        ? await this.#answerData(request, url, path.slice('/api/'.length))
        : await this.#answerFile(request, path)
    } catch (error) {
      if (error instanceof Refusal) return refusal(error.status, error.message)
      if (isXError(error)) return refusal(400, error.message)
      return refusal(500, messageOf(error))
    }
  }

  /** Checks the token: the address has it once, then a cookie. Returns a response for whoever may not see the page, or just came. */
  async #enter(request: Request, url: URL): Promise<Response | null> {
    const { token } = this.#options
    if (token === undefined) return null
    const wanted = await digestOf(token)
    // A cookie goes to every port of a machine, where another studio may listen.
    const cookie = `${COOKIE}-${url.port || 'default'}=${wanted}`
    const given = url.searchParams.get('token')
    if (given !== null && (await digestOf(given)) === wanted) {
      url.searchParams.delete('token')
      const response = redirect(`${url.pathname}${url.search}`)
      response.headers.set('set-cookie', `${cookie}; Path=${this.#base || '/'}; HttpOnly; SameSite=Strict`)
      return response
    }
    const cookies = (request.headers.get('cookie') ?? '').split(/;\s*/u)
    if (cookies.includes(cookie)) return null
    return refusal(401, 'Open the address that the studio has printed: it has a token.')
  }

  async #answerFile(request: Request, path: string): Promise<Response> {
    if (request.method !== 'GET' && request.method !== 'HEAD') throw new Refusal(405, 'Only GET.')
    const response = await answerWithFile(request, path)
    if (!response) throw new Refusal(404, 'There is no such file.')
    return response
  }

  async #answerData(request: Request, url: URL, path: string): Promise<Response> {
    const [first = '', id = '', last = ''] = path.split('/').map(decoded)
    const name = [first, ...(id ? [':id'] : []), ...(last ? [last] : [])].join('/')
    if (request.method === 'GET') {
      const value = await this.#read(name, id, url.searchParams)
      if (value === undefined)
        throw new Refusal(404, `There is no ${first === 'runs' && id ? `run \`${id}\`` : `\`${path}\``}.`)
      return json(value)
    }
    if (request.method !== 'POST') throw new Refusal(405, 'Only GET and POST.')
    const body = await bodyOf(request)
    return await this.#change(name, id, body, request.signal)
  }

  async #read(name: string, id: string, query: URLSearchParams): Promise<unknown> {
    switch (name) {
      case 'info':
        return this.#info()
      case 'runs':
        return await this.#runs.list(searchOf(query))
      case 'runs/:id/rows':
        return await this.#runs.rows(id, numberIn(query, 'since', -1, -1))
      case 'runs/:id/forks':
        return await this.#runs.forks(id)
      case 'runs/:id/step':
        return await this.#step(id, query.get('id') ?? '', query.get('whole') === '1')
      case 'futures':
        return await this.#runs.futures(query.getAll('run').slice(0, MAX_COMPARED))
      default:
        return undefined
    }
  }

  async #step(id: string, step: string, whole: boolean): Promise<StepDetail | undefined> {
    const loaded = await this.#runs.load(id)
    const detail = loaded && detailOf(loaded.rows, step, whole)
    if (loaded && !detail) throw new Refusal(404, `The run \`${id}\` has no step \`${step}\`.`)
    return detail
  }

  #info(): StudioInfo {
    const { title = 'studio', agents = {}, program, host } = this.#options
    return {
      title,
      agents: Object.keys(agents),
      forks: program !== undefined && this.#records !== null,
      labels: this.#records !== null,
      decides: host !== undefined,
    }
  }

  async #change(
    name: string,
    id: string,
    body: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<Response> {
    switch (name) {
      case 'runs/:id/fork':
        return json(await this.#fork(id, forkIn(body)))
      case 'runs/:id/label': {
        const { name: label, value, place } = body
        if (typeof label !== 'string' || label === '') throw new Refusal(400, 'Give the label a name.')
        await this.#toChange('label').label(id, { name: label, value, ...(typeof place === 'string' && { place }) })
        return json({})
      }
      case 'runs/:id/decide':
        await this.#decide(id, body)
        return json({})
      case 'chats/:id':
        return this.#chats.answer(id, body, signal)
      default:
        throw new Refusal(404, 'There is no such action.')
    }
  }

  #toChange(what: string): Records {
    if (this.#records) return this.#records
    throw new Refusal(400, `Cannot ${what} a run: these runs are only read.`)
  }

  async #fork(
    id: string,
    { place, answer, message, samples }: ForkRequest,
  ): Promise<{ readonly runs: readonly string[]; readonly errors: readonly string[] }> {
    const { program } = this.#options
    if (!program)
      throw new Refusal(400, 'Cannot go on from here: give the studio the program of the runs, as `--program`.')
    const records = this.#toChange('fork')
    const loaded = await this.#runs.load(id)
    if (!loaded) throw new Refusal(404, `There is no run \`${id}\`.`)
    const { run } = loaded
    const first = run.calls[0]
    if (place === null && !first) throw new Refusal(400, 'Cannot begin again: this run has made no call.')
    const changed = message === undefined ? run : { ...run, message, info: { ...run.info, title: message } }
    const forks = await forkRun(run, place ?? first!.place, async (options) => await program(options, changed), {
      records,
      samples,
      ...(answer !== undefined && { answer }),
      tags: run.info.tags,
    })
    return {
      runs: forks.map(({ runId }) => runId),
      errors: forks.flatMap(({ error }) => (error === undefined ? [] : [messageOf(error)])),
    }
  }

  async #decide(id: string, { pending, allow, reason, answer }: Readonly<Record<string, unknown>>): Promise<void> {
    const { host } = this.#options
    if (!host) throw new Refusal(400, 'Cannot decide: these runs have no host.')
    if (typeof pending !== 'string' || typeof allow !== 'boolean')
      throw new Refusal(400, 'Say which call, and yes or no.')
    const denial = { allow: false, ...(typeof reason === 'string' && reason !== '' && { reason }) } as const
    await host.decide(id, pending, allow ? { allow, ...(typeof answer === 'string' && { answer }) } : denial)
  }
}

/** A request that is not answered, with its status and what a person may do. */
class Refusal extends Error {
  readonly status: number

  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Decodes a part of a path. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    throw new Refusal(400, 'The address is damaged.')
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : 'The program has failed.')

const json = (value: unknown, status = 200): Response =>
  new Response(JSON.stringify(value), {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' },
  })

const refusal = (status: number, error: string): Response => json({ error }, status)

const redirect = (location: string): Response => new Response(null, { status: 303, headers: { location } })

/**
 * Reads the body of a request that changes something. A page of another origin cannot send it: it may not set the header, and a
 * browser says where a request comes from.
 */
async function bodyOf(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const site = request.headers.get('sec-fetch-site') ?? 'same-origin'
  if (site !== 'same-origin' || request.headers.get('x-studio') !== '1')
    throw new Refusal(403, 'Only the page itself may ask for this.')
  const text = await textOf(request)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal(400, 'The request is no JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Refusal(400, 'The request is no object.')
  return value as Readonly<Record<string, unknown>>
}

/** Reads the text of a request, and no more of it than it may have: not every request says how long it is. */
async function textOf(request: Request): Promise<string> {
  const decoder = new TextDecoder()
  let [text, bytes] = ['', 0]
  for await (const part of request.body ?? []) {
    bytes += part.length
    if (bytes > MAX_BODY_BYTES) throw new Refusal(413, 'The text is too long.')
    text += decoder.decode(part, { stream: true })
  }
  return text + decoder.decode()
}

const OUTCOMES: ReadonlySet<string> = new Set(['ok', 'error', 'aborted', 'suspended'])

function searchOf(query: URLSearchParams): RunSearch {
  const [agent, outcome, tag] = [query.get('agent'), query.get('outcome'), query.get('tag')]
  const chosen: RunQuery = {
    ...(agent && { agent }),
    ...(outcome && OUTCOMES.has(outcome) && { outcome: outcome as NonNullable<RunQuery['outcome']> }),
  }
  return {
    words: query.get('words') ?? '',
    query: chosen,
    tag: tag || null,
    limit: numberIn(query, 'limit', USUAL_LIMIT, 0),
  }
}

/** Reads a whole number from the lowest on. */
function numberIn(query: URLSearchParams, name: string, usual: number, lowest: number): number {
  const number = Number(query.get(name) ?? usual)
  return Number.isInteger(number) && number >= lowest ? number : usual
}

function forkIn({ place, answer, message, samples = 1 }: Readonly<Record<string, unknown>>): ForkRequest {
  const isNumber = typeof samples === 'number' && Number.isInteger(samples) && samples >= 1 && samples <= MAX_SAMPLES
  if (!(place === null || typeof place === 'string') || !isNumber)
    throw new Refusal(400, `Say from which place, and 1 to ${MAX_SAMPLES} samples.`)
  return {
    place,
    samples,
    ...(typeof answer === 'string' && { answer }),
    ...(typeof message === 'string' && { message }),
  }
}
