import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createExampleGroup } from '@x/example-group'
import { ChatSession } from '@x/session'
import type { LlmConfig } from '@x/interfaces'
import { createExampleAgents } from './assistant.ts'
import type { ChatKind } from './change.ts'
import { startChatServer, type ChatServer } from './chat-server.ts'
import type { Conversation } from './conversation.ts'
import type { WatcherLimits } from './watchers.ts'

/** A server of the example with a model of a test, in a folder of its own. */
export interface ExampleServer extends AsyncDisposable {
  readonly server: ChatServer
  /** The chat that is there when the server starts. */
  readonly conversation: Conversation
  /** Letters that were sent, as `to: text`, and orders that were made, as JSON. */
  readonly letters: readonly string[]
}

/** What the server is started with, beside the model. */
export interface ExampleOptions {
  readonly limits?: WatcherLimits | undefined
  readonly kind?: ChatKind | undefined
}

/** Starts it; a group without a model of the test is simulated, as fast as it can be. */
export async function startExample(
  llmConfig?: LlmConfig,
  { limits, kind: first = 'assistant' }: ExampleOptions = {},
): Promise<ExampleServer> {
  const parent = mkdtempSync(join(tmpdir(), 'web-chat-'))
  const letters: string[] = []
  const send = (to: string, text: string): void => void letters.push(`${to}: ${text}`)
  const order = (request: object): string => `order ${letters.push(JSON.stringify(request))}`
  const server = await startChatServer({
    folder: parent,
    kind: first,
    open: ({ questions: io, folder, kind }) =>
      new ChatSession({
        folder,
        agents: () =>
          kind === 'group'
            ? createExampleGroup({ llmConfig, io, order, pace: 0 })
            : createExampleAgents({ llmConfig, io, send }),
      }),
    limits,
  })
  return {
    server,
    conversation: server.chats.begin(first),
    letters,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(parent, { recursive: true })
    },
  }
}
