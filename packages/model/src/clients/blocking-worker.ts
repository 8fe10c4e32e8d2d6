import type { ConfigEntry, EmbedParams, ModelCallOptions, ModelClient, ModelParams, Provider } from '@x/interfaces'
import { XError } from '@x/kernel'
import type { MessagePort } from 'node:worker_threads'
import { plainError, type PlainError } from './blocking-error.ts'
import { canonical } from '../data/plain-data.ts'

type ProviderModule = NonNullable<Provider['module']>

/** One request that the calling thread waits for. */
export interface BlockingTask {
  readonly module: ProviderModule
  readonly config: ConfigEntry
  readonly params: ModelParams | EmbedParams
  readonly options: Pick<ModelCallOptions, 'timeout' | 'timeouts' | 'sample' | 'trace'>
  /** Method of the client that is called. */
  readonly method: 'create' | 'countTokens' | 'embed'
}

/** The result of a task or an error, and warnings. */
export interface TaskReply {
  readonly result?: unknown
  readonly error?: PlainError
  /** Set when the error has ended the thread. */
  readonly ended?: boolean
  readonly warnings: readonly [topic: string, text: string][]
  /** The reports of the client on its request: true if it has left, false if it has not. */
  readonly reports: readonly boolean[]
}

const { workerData } = process.getBuiltinModule('node:worker_threads')
const { port, state } = workerData as { port: MessagePort; state: Int32Array<SharedArrayBuffer> }
const clients = new Map<string, ModelClient>()
/** The reports of the client on the request of the current task. */
let reports: boolean[] = []

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
// An error in an unawaited callback of a provider is reported to the waiting thread.
process.on('uncaughtException', (error) => {
  const reply: TaskReply = { error: plainError(error), ended: true, warnings: [], reports }
  port.postMessage(reply)
  process.exit(1)
})
// The waiting thread must not wait for a thread that has ended.
process.on('exit', wakeUp)
wakeUp()

async function answerTask(task: BlockingTask): Promise<TaskReply> {
  const { module, config, params, options, method } = task
  const warnings: [string, string][] = []
  reports = []
  const onSend = (hasLeft: boolean = true): boolean => {
    if (hasLeft && reports.at(-1)) return false
    reports.push(hasLeft)
    return true
  }
  const warn = (topic: string, text: string): void => void warnings.push([topic, text])
  const callOptions = { ...options, warn, onSend }
  try {
    const client = await clientFor(module, config).catch((error: unknown) => {
      reports.push(false)
      throw error
    })
    return { result: await client[method]!(params as ModelParams & EmbedParams, callOptions), warnings, reports }
  } catch (error) {
    return { error: plainError(error), warnings, reports }
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

/** Imports a provider by the URL of its module, or by the name of its package if a bundle has no such module. */
async function providerOf({ specifier, url, export: name }: ProviderModule): Promise<Provider> {
  const failures: unknown[] = []
  let remedy = 'install the package beside the program'
  for (const from of url === undefined ? [specifier] : [url, specifier]) {
    try {
      const provider = ((await import(from)) as Record<string, Provider | undefined>)[name]
      if (provider) return provider
      remedy = `name its export in the \`module\` of the provider`
    } catch (error) {
      failures.push(error)
    }
  }
  throw new XError(
    'unknown-provider',
    `the thread of blocking calls cannot import \`${name}\` from \`${specifier}\`: ${remedy}, or call without \`Sync\``,
    { cause: failures[0] },
  )
}
