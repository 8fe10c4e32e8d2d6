import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ChatSession } from '@x/session'
import type { LlmConfig } from '@x/interfaces'
import { createExampleAgents } from './assistant.ts'
import { startChatServer, type ChatServer } from './chat-server.ts'
import type { WatcherLimits } from './watchers.ts'

/** A server of the example with a model of a test, in a folder of its own. */
export interface ExampleServer extends AsyncDisposable {
  readonly server: ChatServer
  /** Letters that were sent, as `to: text`. */
  readonly letters: readonly string[]
}

/** Starts it. */
export async function startExample(llmConfig: LlmConfig, limits?: WatcherLimits): Promise<ExampleServer> {
  const folder = mkdtempSync(join(tmpdir(), 'web-chat-'))
  const letters: string[] = []
  const send = (to: string, text: string): void => void letters.push(`${to}: ${text}`)
  const server = await startChatServer({
    open: (io) => new ChatSession({ folder, agents: () => createExampleAgents({ llmConfig, io, send }) }),
    limits,
  })
  return {
    server,
    letters,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}
