import type { WireFormat } from '@x/testing/wire'
import { writeFrame } from '@x/testing/wire'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'

/** One step of a response in bytes. */
export interface ResponseStep {
  readonly bytes?: string | undefined
  /** Milliseconds before the step. */
  readonly afterMs?: number | undefined
  /** How the connection ends; default: it stays open for a further request. */
  readonly end?: 'reset' | 'close' | undefined
}

/** A request that was read, and the answer of a healthy provider to it. */
export interface BilledRequest {
  readonly path: string
  readonly streamed: boolean
  readonly head: string
  readonly body: string
  /** The frames of a stream; of a complete answer its body alone. */
  readonly frames: readonly string[]
  readonly format: WireFormat
  /** Number of the request at this port. */
  readonly index: number
}

/** The way in which a provider answers, and whether it bills what it has read; `healthy` for a port of its own. */
export interface ProviderPlan {
  readonly wire: string
  readonly fault: string
  /** Requests that are answered before the fault begins, so that connections are kept. */
  readonly healthyCount: number
}

/** The requests that a provider has read at one port, and their bill. */
export interface Bill {
  readonly requests: number
  readonly tokens: number
  /** Requests of which nobody can know whether they are billed. */
  readonly unknown: number
}

/** Output tokens that a provider bills for a request without a limit. */
const MAX_OUTPUT_TOKENS = 1000

/** Returns the output limit that a request has in any of the wire formats. */
function outputLimitOf(body: Record<string, unknown>): number {
  const { maxOutputTokens } = (body['generationConfig'] ?? {}) as { maxOutputTokens?: unknown }
  const given = [body['max_completion_tokens'], body['max_tokens'], body['max_output_tokens'], maxOutputTokens]
  return Math.min(MAX_OUTPUT_TOKENS, ...given.filter((limit) => typeof limit === 'number'))
}

/** Returns the tokens of a request that was answered: one for four bytes of input, and all the output that it allows. */
function tokensOf(body: string): { readonly prompt: number; readonly completion: number } {
  const parsed = JSON.parse(body) as Record<string, unknown>
  return { prompt: Math.ceil(Buffer.byteLength(body) / 4), completion: outputLimitOf(parsed) }
}

/** The reaction of a port to one request. */
export interface Reaction {
  readonly steps: readonly ResponseStep[]
  readonly isBilled: boolean
  readonly isUnknown: boolean
}

/** Serves one port, byte by byte: a provider that dies in the middle of its headers speaks no HTTP. */
export async function servePort(
  format: WireFormat,
  react: (request: BilledRequest) => Reaction,
  onRead: () => void,
): Promise<{ readonly server: Server; readonly port: number; readonly bill: Bill; readonly sockets: Set<Socket> }> {
  const bill = { requests: 0, tokens: 0, unknown: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => {})
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (piece: string) => {
      text += piece
      const end = text.indexOf('\r\n\r\n')
      if (end < 0) return
      const length = Number(/^content-length: *(\d+)/imu.exec(text.slice(0, end))?.[1] ?? 0)
      if (text.length < end + 4 + length) return
      const head = text.slice(0, end)
      const body = Buffer.from(text.slice(end + 4, end + 4 + length), 'latin1').toString()
      text = text.slice(end + 4 + length)
      const request = readRequest(format, head, body, bill.requests)
      const reaction = react(request)
      const { prompt, completion } = tokensOf(body)
      bill.requests++
      if (reaction.isBilled) bill.tokens += prompt + completion
      if (reaction.isUnknown) bill.unknown++
      onRead()
      void play(socket, reaction.steps)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, port: (server.address() as AddressInfo).port, bill, sockets }
}

function readRequest(format: WireFormat, head: string, body: string, index: number): BilledRequest {
  const path = head.split(' ')[1] ?? '/'
  const [pathname = '', query = ''] = path.split('?')
  const parsed = JSON.parse(body) as Record<string, unknown>
  const streamed = format.isStream({
    ...{ method: 'POST', path: pathname, headers: {}, body: parsed },
    query: Object.fromEntries(new URLSearchParams(query)),
  })
  const reply = { text: 'word '.repeat(20), usage: tokensOf(body) }
  const frames = streamed ? format.frames(reply).map(writeFrame) : [JSON.stringify(format.whole(reply))]
  return { path, streamed, head, body, frames, format, index }
}

async function play(socket: Socket, steps: readonly ResponseStep[]): Promise<void> {
  for (const { bytes, afterMs, end } of steps) {
    if (afterMs !== undefined) await new Promise((resolve) => setTimeout(resolve, afterMs))
    if (socket.destroyed) return
    // What was written has to arrive before a reset.
    if (bytes !== undefined) await new Promise<void>((resolve) => socket.write(bytes, () => resolve()))
    if (end === 'close') socket.end()
    else if (end === 'reset') socket.resetAndDestroy()
  }
}

/** The billing server: a provider with many ports, in a thread of its own, so that blocking calls reach it. */
export interface BillingServer extends AsyncDisposable {
  /** Opens a port. */
  readonly open: (plan: ProviderPlan) => Promise<number>
  /** Resolves when a port has read so many requests. */
  readonly read: (port: number, count: number) => Promise<void>
  /** Closes a port, once it has read so many requests or a second has passed; returns its bill. */
  readonly close: (port: number, count: number) => Promise<Bill>
}

/** A message to the server; the answer has the same number. */
export type BillingOrder = { readonly id: number } & (
  | { readonly open: ProviderPlan }
  | { readonly read: { readonly port: number; readonly count: number } }
  | { readonly close: { readonly port: number; readonly count: number } }
)

/** Starts the billing server. */
export async function startBillingServer(): Promise<BillingServer> {
  const thread = new Worker(new URL('billing-thread.ts', import.meta.url))
  const waiting = new Map<number, (answer: unknown) => void>()
  let orders = 0
  thread.on('message', ({ id, answer }: { id: number; answer: unknown }) => waiting.get(id)?.(answer))
  const order = async (what: object): Promise<unknown> => {
    const id = ++orders
    const answered = new Promise((resolve) => waiting.set(id, resolve))
    thread.postMessage({ id, ...what })
    return await answered
  }
  return {
    open: async (plan) => (await order({ open: plan })) as number,
    read: async (port, count) => void (await order({ read: { port, count } })),
    close: async (port, count) => (await order({ close: { port, count } })) as Bill,
    [Symbol.asyncDispose]: async () => void (await thread.terminate()),
  }
}
