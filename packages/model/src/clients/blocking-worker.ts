import type {
  ConfigEntry,
  ModelAnswer,
  ModelCallOptions,
  ModelClient,
  ModelParams,
  Provider,
  ProviderModule,
} from '@x/interfaces'
import { XError } from '@x/kernel'
import type { MessagePort } from 'node:worker_threads'
import { plainError, type PlainError } from './blocking-error.ts'
import { canonical } from '../data/canonical.ts'

/** One request that another thread waits for. */
export interface BlockingTask {
  readonly module: ProviderModule
  readonly config: ConfigEntry
  readonly params: ModelParams
  readonly options: Omit<ModelCallOptions, 'signal' | 'warn' | 'onSend'>
  /** Requests that may be sent at most. */
  readonly mostSends: number
  /** Whether the tokens of the request are counted instead of answering it. */
  readonly counts?: boolean | undefined
}

/** The result of a task: an answer or an error, and warnings. */
export interface TaskReply {
  readonly answer?: ModelAnswer
  readonly count?: number
  readonly error?: PlainError
  /** Set when the thread has ended by the error. */
  readonly ended?: boolean
  readonly notes: readonly [topic: string, text: string][]
  /** Requests that were sent; 0 for a client that does not tell. */
  readonly sent: number
}

const { workerData } = process.getBuiltinModule('node:worker_threads')
const { port, state } = workerData as { port: MessagePort; state: Int32Array<SharedArrayBuffer> }
const clients = new Map<string, ModelClient>()

const wakeUp = (): void => {
  Atomics.store(state, 0, 1)
  Atomics.notify(state, 0)
}

port.on('message', (task: BlockingTask) => {
  void answerTask(task).then((reply) => {
    port.postMessage(reply)
    wakeUp()
  })
})
// A provider may fail where nobody waits for it; who waits for an answer hears of it.
process.on('uncaughtException', (error) => {
  const reply: TaskReply = { error: plainError(error), ended: true, notes: [], sent: 1 }
  port.postMessage(reply)
  process.exit(1)
})
// Whoever waits must not wait for a thread that is gone.
process.on('exit', wakeUp)
wakeUp()

async function answerTask(task: BlockingTask): Promise<TaskReply> {
  const { module, config, params, options, mostSends, counts } = task
  const notes: [string, string][] = []
  let sent = 0
  const onSend = (): boolean => sent < mostSends && ++sent > 0
  const warn = (topic: string, text: string): void => void notes.push([topic, text])
  try {
    const client = await clientFor(module, config)
    if (counts) return { count: await client.countTokens!(params, { ...options, warn, onSend }), notes, sent }
    return { answer: await client.create(params, { ...options, warn, onSend }), notes, sent }
  } catch (error) {
    return { error: plainError(error), notes, sent }
  }
}

async function clientFor(module: ProviderModule, config: ConfigEntry): Promise<ModelClient> {
  const name = canonical([module, config])
  const known = clients.get(name)
  if (known) return known
  const client = (await providerOf(module)).createClient(config)
  clients.set(name, client)
  return client
}

/** Imports a provider by the URL of its module; a bundle has taken that apart, so then by its package's name. */
async function providerOf({ specifier, url, export: name }: ProviderModule): Promise<Provider> {
  const tried: unknown[] = []
  for (const from of url === undefined ? [specifier] : [url, specifier]) {
    try {
      const provider = ((await import(from)) as Record<string, Provider | undefined>)[name]
      if (provider) return provider
    } catch (error) {
      tried.push(error)
    }
  }
  throw new XError(
    'unknown-provider',
    `the thread of blocking calls cannot import \`${name}\` from \`${specifier}\`: install the package beside the program, or call without \`Sync\``,
    { cause: tried[0] },
  )
}
