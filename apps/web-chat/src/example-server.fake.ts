import { createExampleGroup } from '@x/example-group'
import { sqlite } from '@x/host'
import type { HostBackend, LlmConfig } from '@x/interfaces'
import { createExampleAgents } from './assistant.ts'
import type { ChatKind } from './change.ts'
import { createChatHost, type ChatHost, type ChatLimits, type MakeAgents } from './chat-host.ts'
import { startChatServer, type ChatServer } from './chat-server.ts'
import type { Conversation } from './conversation.ts'
import type { WatcherLimits } from './watchers.ts'

/** A server of the example and a worker, with the model of a test. */
export interface ExampleServer extends AsyncDisposable {
  readonly server: ChatServer
  readonly host: ChatHost
  /** A chat that is always in use. */
  readonly conversation: Conversation
  /** The sent letters as `to: text`, and the orders as JSON. */
  readonly letters: readonly string[]
}

/** Options of the server, beside the model. */
export interface ExampleOptions {
  readonly limits?: WatcherLimits | undefined
  readonly kind?: ChatKind | undefined
  /** Default: in memory. */
  readonly at?: HostBackend | undefined
  /** Default: none. */
  readonly chatLimits?: ChatLimits | undefined
  /** Default: the agents of the example. */
  readonly agents?: MakeAgents | undefined
}

/** The agents of the example without delays, and a list of what they have sent. */
export function fastAgents(llmConfig?: LlmConfig): {
  readonly agents: MakeAgents
  readonly letters: readonly string[]
} {
  const letters: string[] = []
  const agents: MakeAgents = (kind, io) =>
    kind === 'group'
      ? createExampleGroup({
          llmConfig,
          io,
          pace: 0,
          order: (request) => `order ${letters.push(JSON.stringify(request))}`,
        })
      : createExampleAgents({ llmConfig, io, pace: 0, send: ({ to, text }) => void letters.push(`${to}: ${text}`) })
  return { agents, letters }
}

/** Starts the server; the default model is simulated. */
export async function startExample(
  llmConfig?: LlmConfig,
  { limits, kind = 'assistant', at = sqlite(':memory:'), chatLimits, agents }: ExampleOptions = {},
): Promise<ExampleServer> {
  const fast = fastAgents(llmConfig)
  const host = createChatHost(at, agents ?? fast.agents, chatLimits)
  const server = await startChatServer({ host, kind, limits })
  const worker = startWorker(host)
  const used = (await server.chats.use(server.chats.begin()))!
  return {
    ...{ server, host, conversation: used.chat, letters: fast.letters },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await host.host.close()
    },
  }
}

/** Starts a worker in this process; disposing of it releases its chats. */
export function startWorker({ host }: ChatHost): AsyncDisposable {
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal, concurrency: 100 })
  return {
    async [Symbol.asyncDispose]() {
      stop.abort()
      await work
    },
  }
}

/** Resolves when a condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves when the next message was answered, or its answer waits for the person. */
export async function answered(conversation: Conversation, act: () => Promise<unknown>): Promise<void> {
  const before = conversation.lines.step
  await act()
  await until(() => conversation.lines.step > before && isIdle(conversation))
}

const isIdle = ({ state: { busy, turn }, lines }: Conversation): boolean =>
  !busy || turn !== null || lines.items.some((item) => item.kind === 'question' && item.answer === undefined)
