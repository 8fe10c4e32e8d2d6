import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sqlite } from '@x/host'
import { postgres, redis } from '@x/host-bullmq'
import type { HostBackend, LlmConfig } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import type { ChatKind } from './change.ts'
import { createChatHost, type ChatHost } from './chat-host.ts'
import { exampleAgents } from './example-agents.ts'

/** Settings of the programs of the example. */
export interface Settings {
  /** Folder of the chats, and of the letters and orders. */
  readonly folder: string
  /** Port of the web server, or of the first one; 0: any. */
  readonly port: number
  /** Kind of new chats, unless a page names one. */
  readonly kind: ChatKind
  /** The model; undefined: a simulated one. */
  readonly model: string | undefined
  readonly baseUrl: string | undefined
  /** Milliseconds between two words of the simulated model. */
  readonly pace: number
  /** Seconds without a sign of life after which another worker takes over. */
  readonly lease: number
  /** Port of health, readiness and metrics, for several processes that of the first; 0: any. Undefined: none. */
  readonly monitor: number | undefined
  /** URL of the database server; undefined: none was named. */
  readonly at: string | undefined
  /** Number of web servers and workers of `many.ts`. */
  readonly servers: number
  readonly workers: number
}

/** Reads the command line. */
export function readSettings(args: readonly string[] = process.argv.slice(2)): Settings {
  const { values } = parseArgs({
    args: [...args],
    options: {
      folder: { type: 'string', default: 'web-chat' },
      port: { type: 'string', default: '0' },
      model: { type: 'string', default: 'gpt-5-mini' },
      'base-url': { type: 'string' },
      group: { type: 'boolean', default: false },
      pace: { type: 'string', default: '30' },
      lease: { type: 'string', default: '10' },
      monitor: { type: 'string' },
      at: { type: 'string' },
      servers: { type: 'string', default: '2' },
      workers: { type: 'string', default: '2' },
    },
  })
  const { folder, port, group, model, 'base-url': baseUrl, pace, lease, monitor, at, servers, workers } = values
  return {
    ...{ folder, port: Number(port), kind: group ? 'group' : 'assistant', baseUrl },
    ...{ model: process.env['OPENAI_API_KEY'] || baseUrl ? model : undefined },
    ...{
      pace: Number(pace),
      lease: Number(lease),
      monitor: monitor === undefined ? undefined : Number(monitor),
      at,
      servers: Number(servers),
      workers: Number(workers),
    },
  }
}

/** Returns the command line of one of several processes. The URL of the database is passed in the environment, which other users cannot see. */
export const settingsArgs = ({ folder, port, kind, model, baseUrl, pace, lease, monitor }: Settings): string[] => [
  ...['--folder', folder, '--port', String(port), '--pace', String(pace), '--lease', String(lease)],
  ...(kind === 'group' ? ['--group'] : []),
  ...(monitor === undefined ? [] : ['--monitor', String(monitor)]),
  ...(model === undefined ? [] : ['--model', model]),
  ...(baseUrl === undefined ? [] : ['--base-url', baseUrl]),
]

/** Returns a sentence on the model in use. */
export const modelText = ({ model }: Settings): string =>
  model === undefined ? 'The model is simulated.' : `The model is ${model}.`

/** Opens the chats on a database server, or in a file of the folder. */
export function openChatHost({ folder, model, baseUrl, pace }: Settings, address?: string): ChatHost {
  const apiKey = process.env['OPENAI_API_KEY']
  const real: LlmConfig | undefined =
    model === undefined ? undefined : llmConfig({ providers: [openai], configList: [{ model, apiKey, baseUrl }] })
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  return createChatHost(backendAt(address, folder), exampleAgents({ llmConfig: real, folder, pace }))
}

function backendAt(address: string | undefined, folder: string): HostBackend {
  if (address === undefined) return sqlite(join(folder, 'chats.db'))
  return /^rediss?:/u.test(address) ? redis(address) : postgres(address)
}
