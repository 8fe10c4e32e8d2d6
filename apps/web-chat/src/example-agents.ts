import { createHash } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createExampleGroup } from '@x/example-group'
import type { LlmConfig } from '@x/interfaces'
import { createExampleAgents } from './assistant.ts'
import type { MakeAgents } from './chat-host.ts'
import { codeTool } from './code-tool.ts'

/** Options of {@link exampleAgents}. */
export interface ExampleParts {
  /** Default: a simulated model. */
  readonly llmConfig?: LlmConfig | undefined
  /** Folder with a file for each letter and order. */
  readonly folder: string
  /** Milliseconds between two words of the simulated model; default 30. */
  readonly pace?: number | undefined
}

/** Returns a function that makes the agents of both kinds of chats. */
export function exampleAgents({ llmConfig, folder, pace }: ExampleParts): MakeAgents {
  // All chats of a worker wait for one another with their code.
  const runCode = codeTool()
  return (kind, io) =>
    kind === 'group'
      ? createExampleGroup({
          ...{ llmConfig, io, pace },
          order(request, key) {
            writeOnce(join(folder, 'orders'), key, request)
            return `${request.items.join(', ')}: ordered at the ${request.shop}`
          },
        })
      : createExampleAgents({
          ...{ llmConfig, io, pace, runCode },
          send: (letter, key) => writeOnce(join(folder, 'letters'), key, letter),
        })
}

/** Writes content to a file named by the key of a call, so that a repeated call writes the same file. */
function writeOnce(folder: string, key: string, content: object): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, `${createHash('sha256').update(key).digest('hex').slice(0, 32)}.json`)
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(content)}\n`, { mode: 0o600 })
  renameSync(`${file}.${process.pid}`, file)
}
