import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { sqlite } from '@x/host'
import { postgres, redis } from '@x/host-servers'
import type { HostBackend, Limiter, LlmConfig } from '@x/interfaces'
import { XError } from '@x/kernel'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { openRecords } from '@x/records'
import type { ChatKind } from './change.ts'
import { createChatHost, type ChatHost, type ChatLimits } from './chat-host.ts'
import { exampleAgents } from './example-agents.ts'

/** Settings of the programs of the example. */
export interface Settings extends ChatLimits {
  /** Folder of the chats, and of the letters and orders. */
  readonly folder: string
  /** Address at which the web server and the monitor listen. */
  readonly listen: string
  /** Port of the web server, or of the first one; 0: any. */
  readonly port: number
  /** Address of the page in browsers, behind a proxy; undefined: that of the web server itself. */
  readonly origin: string | undefined
  /** Most pages that watch one web server at once. */
  readonly pages: number
  /** Kind of new chats, unless a page names one. */
  readonly kind: ChatKind
  /** The model; undefined: a simulated one. */
  readonly model: string | undefined
  readonly baseUrl: string | undefined
  /** US dollars for 1,000 tokens of input and output; undefined: as the tables know the model. */
  readonly price: readonly [input: number, output: number] | undefined
  /** Milliseconds between two words of the simulated model. */
  readonly pace: number
  /** Most chats at once in a worker. */
  readonly concurrency: number
  /** Seconds without a sign of life after which another worker takes over. */
  readonly lease: number
  /** Port of health, readiness and metrics, for several processes that of the first; 0: any. Undefined: none. */
  readonly monitor: number | undefined
  /** URL of the database server; undefined: none was named. */
  readonly at: string | undefined
  /** Days without a message after which `forget.ts` deletes a chat. */
  readonly days: number
  /** File in which turns are recorded, beside the chats; undefined: they are not recorded. */
  readonly record: string | undefined
  /** Number of web servers and workers of `many.ts`. */
  readonly servers: number
  readonly workers: number
}

const TEXT = { type: 'string' } as const

/** The options of the command line; those without a default may be absent. */
const OPTIONS = {
  folder: { ...TEXT, default: 'web-chat' },
  listen: { ...TEXT, default: '127.0.0.1' },
  port: { ...TEXT, default: '0' },
  origin: TEXT,
  pages: { ...TEXT, default: '32' },
  model: { ...TEXT, default: 'gpt-5-mini' },
  'base-url': TEXT,
  price: TEXT,
  requests: TEXT,
  tokens: TEXT,
  'chat-budget': TEXT,
  'day-budget': TEXT,
  group: { type: 'boolean', default: false },
  pace: { ...TEXT, default: '30' },
  concurrency: { ...TEXT, default: '100' },
  lease: { ...TEXT, default: '10' },
  monitor: TEXT,
  at: TEXT,
  days: { ...TEXT, default: '30' },
  servers: { ...TEXT, default: '2' },
  workers: { ...TEXT, default: '2' },
  record: TEXT,
} as const

/** Reads the command line. */
export function readSettings(args: readonly string[] = process.argv.slice(2)): Settings {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  const { folder, listen, group, model, origin, 'base-url': baseUrl, price, at, record } = values
  const number = (name: Exclude<keyof typeof values, 'group'>): number => readNumber(`--${name}`, values[name]!)
  const ifGiven = (name: Exclude<keyof typeof values, 'group'>): number | undefined =>
    values[name] === undefined ? undefined : number(name)
  return {
    ...{ folder, listen, port: number('port'), origin: origin && readOrigin(origin), pages: number('pages') },
    kind: group ? 'group' : 'assistant',
    model: secret('OPENAI_API_KEY') !== undefined || baseUrl ? model : undefined,
    ...{ baseUrl, price: price === undefined ? undefined : readPrice(price) },
    ...{ requests: ifGiven('requests'), tokens: ifGiven('tokens') },
    ...{ chatBudget: ifGiven('chat-budget'), dayBudget: ifGiven('day-budget') },
    ...{ pace: number('pace'), concurrency: number('concurrency'), lease: number('lease') },
    ...{
      monitor: ifGiven('monitor'),
      at,
      days: number('days'),
      record,
      servers: number('servers'),
      workers: number('workers'),
    },
  }
}

function readNumber(name: string, text: string): number {
  const number = Number(text)
  if (text.trim() !== '' && number >= 0) return number
  throw new XError('invalid-argument', `cannot read \`${name} ${text}\`: it takes a number of at least 0`)
}

function readPrice(text: string): [number, number] {
  const [input, output, ...rest] = text.split(',')
  if (input !== undefined && output !== undefined && rest.length === 0)
    return [readNumber('--price', input), readNumber('--price', output)]
  throw new XError('invalid-argument', `cannot read \`--price ${text}\`: it takes two numbers, such as 0.00025,0.002`)
}

function readOrigin(text: string): string {
  const url = URL.parse(text)
  if (url && /^https?:$/u.test(url.protocol) && url.pathname === '/' && !url.search) return url.origin
  throw new XError(
    'invalid-argument',
    `cannot read \`--origin ${text}\`: it takes the address of the page without a path, such as https://chat.example.org`,
  )
}

/** Returns a secret: that in the environment, or the contents of the file that `<name>_FILE` names; undefined if neither is set. */
export function secret(name: string): string | undefined {
  const file = process.env[`${name}_FILE`]
  return process.env[name] || (file === undefined ? undefined : readFileSync(file, 'utf8').trim() || undefined)
}

/** Returns the command line of one of several processes. Secrets are passed in the environment, which other users cannot see. */
export function settingsArgs(settings: Settings): string[] {
  const {
    kind,
    price,
    baseUrl,
    chatBudget,
    dayBudget,
    at: _at,
    servers: _servers,
    workers: _workers,
    ...rest
  } = settings
  const named = {
    ...rest,
    price: price?.join(','),
    'base-url': baseUrl,
    'chat-budget': chatBudget,
    'day-budget': dayBudget,
  }
  return [
    ...(kind === 'group' ? ['--group'] : []),
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, String(value)])),
  ]
}

/** Returns a sentence on the model in use. */
export const modelText = ({ model }: Settings): string =>
  model === undefined ? 'The model is simulated.' : `The model is ${model}.`

/** Opens the chats on a database server, or in a file of the folder. */
export function openChatHost(settings: Settings, address: string | undefined = secret('WEB_CHAT_AT')): ChatHost {
  const { folder, pace } = settings
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const host = createChatHost(backendAt(address, folder), (kind, io) => agents(kind, io), {
    ...settings,
    tracer: settings.record === undefined ? undefined : openRecords(settings.record),
  })
  const agents = exampleAgents({ llmConfig: modelOf(settings, host.limiter), folder, pace })
  return host
}

/** Makes the real model; undefined for the simulated one. */
function modelOf({ model, baseUrl, price }: Settings, limiter: Limiter | undefined): LlmConfig | undefined {
  if (model === undefined) return undefined
  const apiKey = secret('OPENAI_API_KEY')
  // An answer of one chat is no answer of another, so none are cached.
  return llmConfig({ providers: [openai], configList: [{ model, apiKey, baseUrl, price }], limiter, cacheSeed: null })
}

function backendAt(address: string | undefined, folder: string): HostBackend {
  if (address === undefined) return sqlite(join(folder, 'chats.db'))
  return /^rediss?(?:\+sentinel)?:/u.test(address) ? redis(address) : postgres(address)
}
