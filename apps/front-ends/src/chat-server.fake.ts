import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createAgent, tool, type ConversableAgent, type RunResult } from '@x/agent'
import { createHost, defineChat, sqlite, type Host } from '@x/host'
import type { ChatMessage, EventStream, LlmConfig, XEvent } from '@x/interfaces'
import { contentText } from '@x/kernel/tool-content'
import { functionModel, type ScriptedReply } from '@x/testing'
import { fromAgUi, fromUiMessages, RunBuffer, toAgUiResponse, toUiMessageResponse, type UiRequest } from '@x/ui'
import { build } from 'esbuild'

const SIGNING = { secret: 'a secret of the server with 32 characters', scope: 'ann' }
const NO_PARAMETERS = { type: 'object', properties: {} }

/** A server with a page of the AI SDK and one of AG-UI, an agent in its process and one on a host. */
export interface ChatServer extends AsyncDisposable {
  readonly url: string
  /** The errors of runs that a page has left, by their codes. */
  readonly left: unknown[]
  /** Lets answers to `wait` go on. */
  goOn(): void
}

const call = (name: string, args: object = {}): object => ({
  id: name,
  function: { name, arguments: JSON.stringify(args) },
})

/** Starts the server. Its model calls the tools that the user names, and answers. */
export async function startChatServer(): Promise<ChatServer> {
  const left: unknown[] = []
  const gate = Promise.withResolvers<void>()
  const agent = assistant(functionModel(({ messages }) => reply(messages, gate.promise)))
  const hosted = defineChat({
    name: 'hosted',
    version: '1',
    input: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
    run: async ({ input, run }) => (await agent.run(String(input['text']), { run })).text,
  })
  const host = createHost({ chats: [hosted], at: sqlite(':memory:') })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  const runs = new RunBuffer()
  const chats = { own: answerOwn(agent, left), kept: answerOwn(agent, left, runs) }
  let count = 0
  const answer = async (request: IncomingMessage): Promise<Response> => {
    const { url = '', method } = request
    const [, script] = /^\/([a-z-]+)\.js$/u.exec(url) ?? []
    if (script)
      return new Response(await pageProgram(script), { headers: { 'content-type': 'text/javascript; charset=utf-8' } })
    const [, protocol, api, again] = /^\/(ui|ag-ui)\/(own|kept|hosted)(\/.*)?$/u.exec(url) ?? []
    if (!protocol) return new Response(pageOf(url), { headers: { 'content-type': 'text/html' } })
    const isKept = api === 'kept'
    const hostedEvents = async () => (await host.get(`chat-${count}`)) && host.events(`chat-${count}`)
    const events = again && (isKept ? runs.events(KEPT_KEY) : await hostedEvents())
    // The client of AG-UI fails without a body.
    if (again && !events) return protocol === 'ui' ? new Response(null, { status: 204 }) : new Response('')
    if (events && method === 'GET') return toUiMessageResponse(events, SIGNING)
    const page = await READERS[protocol as keyof typeof READERS](await json(request))
    if (events) return page.answer(events)
    if (api !== 'hosted') return await chats[isKept ? 'kept' : 'own'](page)
    if (page.message) await host.submit(hosted, { text: contentText(page.message.content) }, { id: `chat-${++count}` })
    else await page.decideAt(host)
    return page.answer(host.events(`chat-${count}`, { after: page.cursor }))
  }
  const server = await listen(
    (request, response) => void answer(request).then(async (made) => await send(made, response)),
  )
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    left,
    goOn: gate.resolve,
    [Symbol.asyncDispose]: async () => await end({ server, host, stop, work }),
  }
}

/** Notes how a run ends that its reader leaves. */
const noting = (run: EventStream<unknown>, left: unknown[]): AsyncIterable<XEvent> => ({
  [Symbol.asyncIterator]: () => ({
    next: async () => await run.next(),
    async return(value) {
      await run.return(value)
      await run.result.catch(({ code }: { code?: unknown }) => left.push(code))
      return { done: true, value }
    },
  }),
})

function reply(messages: readonly ChatMessage[], gate: Promise<void>): ScriptedReply {
  const said = contentText(messages.findLast(({ role }) => role === 'user')?.content)
  if (said === 'fail') return { error: new Error('sk-1234') }
  if (said === 'wait') {
    const piece = (text: string) => ({ type: 'textDelta', index: 0, text }) as const
    return {
      stream: [
        piece('The first '),
        gate,
        piece('and the second half.'),
        { type: 'finish', index: 0, reason: 'stop' },
      ] as never,
    }
  }
  if (messages.at(-1)?.role === 'tool') return `I was told: ${said}.`
  const named = said.split(' ').filter((word) => ['weather', 'refund', 'ask', 'expert'].includes(word))
  if (named.length === 0) return `You said: ${said}.`
  return { tool_calls: named.map((name) => call(name, name === 'expert' ? { question: 'inner refund' } : {})) as never }
}

function assistant(model: LlmConfig): ConversableAgent {
  const weather = tool({
    name: 'weather',
    description: 'w',
    parameters: NO_PARAMETERS,
    execute: () => ({ celsius: 6 }),
  })
  const refund = tool({
    name: 'refund',
    description: 'r',
    parameters: NO_PARAMETERS,
    needsApproval: true,
    execute: () => 'refunded',
  })
  const ask = tool({
    name: 'ask',
    description: 'a',
    parameters: NO_PARAMETERS,
    execute: (_, { io }) => io?.input('Which colour?'),
  })
  const expert = createAgent({ name: 'expert', description: 'e', model, tools: refund })
  return createAgent({ name: 'assistant', model, tools: [weather, refund, ask, expert.asTool()] })
}

/** A request of a page, in either protocol. */
interface PageRequest extends Pick<UiRequest, 'message' | 'decideIn' | 'decideAt'> {
  readonly cursor: string | undefined
  readonly answer: (events: RunEvents, options?: { readonly onEnd: () => Promise<void> }) => Response
}
type RunEvents = Parameters<typeof toUiMessageResponse>[0]

const READERS = {
  async ui(body: unknown): Promise<PageRequest> {
    const { continues, ...page } = await fromUiMessages(body, SIGNING)
    const answer: PageRequest['answer'] = (events, options) =>
      toUiMessageResponse(events, { ...SIGNING, continues, ...options })
    return { ...page, cursor: continues?.cursor, answer }
  },
  async 'ag-ui'(body: unknown): Promise<PageRequest> {
    const { input, ...page } = await fromAgUi(body, SIGNING)
    const answer: PageRequest['answer'] = (events, options) => toAgUiResponse(events, { ...SIGNING, input, ...options })
    return { ...page, cursor: input.cursor, answer }
  },
}

/** The key of the run that is kept. */
const KEPT_KEY = 'c1'

/** Answers the page by runs in this process. */
function answerOwn(
  agent: ConversableAgent,
  left: unknown[],
  runs?: RunBuffer,
): (page: PageRequest) => Promise<Response> {
  let chat: { question: readonly ChatMessage[]; result: RunResult } | undefined
  return async ({ message, decideIn, answer }) => {
    const journal = message ? null : chat?.result.journal
    if (journal) await decideIn(journal)
    const question = message ? [...(chat?.result.messages ?? []), message] : chat!.question
    const run = agent.runStream(question, journal ? { journal } : {})
    const onEnd = async (): Promise<void> => void (chat = { question, result: await run.result })
    return runs ? answer(runs.keep(KEPT_KEY, run, { onEnd })) : answer(noting(run, left), { onEnd })
  }
}

const pageOf = (url: string): string =>
  `<!doctype html><body><script type="module" src="/${url.startsWith('/ag-ui') ? 'ag-ui' : 'chat'}.js"></script>`

const bundled = new Map<string, Promise<string>>()

async function pageProgram(name: string): Promise<string> {
  const program = bundled.get(name) ?? bundle(name)
  bundled.set(name, program)
  return await program
}

async function bundle(name: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(`../page/${name}.js`, import.meta.url))],
    bundle: true,
    format: 'esm',
    conditions: ['@x/source'],
    define: { 'process.env.NODE_ENV': '"production"' },
    write: false,
  })
  return outputFiles[0]!.text
}

async function send(answer: Response, response: ServerResponse): Promise<void> {
  response.writeHead(answer.status, Object.fromEntries(answer.headers))
  if (!answer.body) return void response.end()
  // A page that goes away ends the reading.
  await pipeline(Readable.fromWeb(answer.body as never), response).catch(() => undefined)
}

async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> {
  const server = createServer(answer).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

interface Opened {
  readonly server: Server
  readonly host: Host
  readonly stop: AbortController
  readonly work: Promise<void>
}

async function end({ server, host, stop, work }: Opened): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  stop.abort()
  await work
  await host.close()
}
