import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createExampleGroup } from '@x/example-group'
import type { LlmConfig } from '@x/interfaces'
import { createExampleAgents } from './assistant.ts'
import type { MakeAgents } from './chat-host.ts'

/** What the agents of the example are made of. */
export interface ExampleParts {
  /** Default: a simulated model. */
  readonly llmConfig?: LlmConfig | undefined
  /** Folder of the letters and orders: one file each. */
  readonly folder: string
  /** Milliseconds between two words of the simulated model; default 30. */
  readonly pace?: number | undefined
}

/** Makes the agents of both kinds of chats. */
export function exampleAgents({ llmConfig, folder, pace }: ExampleParts): MakeAgents {
  return (kind, io) =>
    kind === 'group'
      ? createExampleGroup({
          ...{ llmConfig, io, pace },
          order(request, key) {
            keepOnce(join(folder, 'orders'), key, request)
            return `${request.items.join(', ')}: ordered at the ${request.shop}`
          },
        })
      : createExampleAgents({
          ...{ llmConfig, io, pace },
          send: (letter, key) => keepOnce(join(folder, 'letters'), key, letter),
        })
}

/** Keeps something in a file named by the key of a call: once, also when a worker that was lost had done so before. */
function keepOnce(folder: string, key: string, content: object): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  renameSync(`${file}.${process.pid}`, file)
}
