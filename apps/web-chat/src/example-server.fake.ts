import { createExampleGroup } from '@x/example-group'
import { sqlite } from '@x/host'
import type { HostBackend, LlmConfig } from '@x/interfaces'
import { createExampleAgents } from './assistant.ts'
import type { ChatKind } from './change.ts'
import { createChatHost, type ChatHost, type MakeAgents } from './chat-host.ts'
import { startChatServer, type ChatServer } from './chat-server.ts'
import type { Conversation } from './conversation.ts'
import type { WatcherLimits } from './watchers.ts'

/** A server of the example and a worker, with a model of a test. */
export interface ExampleServer extends AsyncDisposable {
  readonly server: ChatServer
  readonly host: ChatHost
  /** A chat that is read all the time. */
  readonly conversation: Conversation
  /** Letters that were sent, as `to: text`, and orders that were made, as JSON. */
  readonly letters: readonly string[]
}

/** What the server is started with, beside the model. */
export interface ExampleOptions {
  readonly limits?: WatcherLimits | undefined
  readonly kind?: ChatKind | undefined
  /** Default: the memory of this process. */
  readonly at?: HostBackend | undefined
  /** Default: the agents of the example. */
  readonly agents?: MakeAgents | undefined
}

/** The agents of the example, as fast as they can be, and a list of what they have sent. */
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

/** Starts it; a model that no test gives is simulated. */
export async function startExample(
  llmConfig?: LlmConfig,
  { limits, kind = 'assistant', at = sqlite(':memory:'), agents }: ExampleOptions = {},
): Promise<ExampleServer> {
  const fast = fastAgents(llmConfig)
  const host = createChatHost(at, agents ?? fast.agents)
  const server = await startChatServer({ host, kind, limits })
  const worker = startWorker(host)
  const used = (await server.chats.use(server.chats.begin(kind)))!
  return {
    ...{ server, host, conversation: used.chat, letters: fast.letters },
    async [Symbol.asyncDispose]() {
      await worker[Symbol.asyncDispose]()
      await server[Symbol.asyncDispose]()
      await host.host.close()
    },
  }
}

/** A worker in this process; disposing of it hands its chats over. */
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

/** Resolves when something holds. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve))
}

/** Resolves when the answer to what is said next has come, or waits for the person. */
export async function answered(conversation: Conversation, act: () => Promise<unknown>): Promise<void> {
  const before = conversation.lines.step
  await act()
  await until(() => conversation.lines.step > before && isIdle(conversation))
}

const isIdle = ({ state: { busy, turn }, lines }: Conversation): boolean =>
  !busy || turn !== null || lines.items.some((item) => item.kind === 'question' && item.answer === undefined)
