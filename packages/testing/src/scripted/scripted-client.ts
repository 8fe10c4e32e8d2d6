import type {
  ChatMessage,
  ConfigEntry,
  Face,
  MaybePromise,
  ModelAnswer,
  ModelCallOptions,
  ModelCapabilities,
  ModelClient,
  ModelEvent,
  ModelParams,
  Usage,
} from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { abortable, throwIfAborted } from '@x/kernel/abort'
import { retrievedMessages } from './answer-events.ts'
import { Script, type Replies, type ScriptedCall, type ScriptOptions } from './script.ts'
import type { Turn } from './turn.ts'
import { usageOf } from './usage-ledger.ts'

/** Options of a scripted client. */
export interface ScriptedClientOptions extends ScriptOptions {
  /** Capabilities of the client. */
  readonly capabilities?: ModelCapabilities | undefined
}

/** A model client that plays a script. */
export interface ScriptedClient extends ModelClient {
  /** All requests so far. */
  readonly calls: readonly ScriptedCall[]
  stream(params: ModelParams, options: ModelCallOptions): AsyncGenerator<ModelEvent, ModelAnswer>
  /** Fails with `invalid-state` when a reply was not used or a request found none. */
  assertComplete(): void
}

/** Makes a client that answers with these replies in order, or with a function; without promises where the script has none. */
export function scriptedClient(replies: Replies, options: ScriptedClientOptions = {}): ScriptedClient {
  return clientOf(new Script(replies, options), {}, options)
}

/** Makes a client for a script that other clients may share. */
export function clientOf(
  script: Script,
  config: Readonly<ConfigEntry>,
  { cost: usualCost = 0, capabilities }: ScriptedClientOptions,
): ScriptedClient {
  const costs = new WeakMap<ModelAnswer, number | null>()
  const costOf = (answer: ModelAnswer): number | null => {
    const cost = costs.get(answer)
    return cost === undefined ? usualCost : cost
  }
  const ended = ({ end, cost }: Turn): ModelAnswer => {
    const answer = end()
    costs.set(answer, cost)
    return answer
  }
  const take = (params: ModelParams, { sample, onSend }: ModelCallOptions, face: Face | null): MaybePromise<Turn> => {
    // No request leaves this process, so a failure of the script is not paid for.
    onSend?.(false)
    return script.take({ config, request: sample === undefined ? params : { ...params, sample }, face })
  }

  return {
    capabilities,
    get calls() {
      return script.calls
    },
    assertComplete: () => script.assertComplete(),
    create(params, options = {}) {
      throwIfAborted(options.signal)
      const turn = take(params, options, null)
      if (!isThenable(turn) && !turn.items(false).some(isThenable)) return ended(turn)
      return later(turn, options).then(ended)
    },
    async *stream(params, options = {}) {
      throwIfAborted(options.signal)
      const taken = take(params, options, 'stream')
      const turn = isThenable(taken) ? await inTime(taken, options) : taken
      for (const item of turn.items(true)) {
        if (isThenable(item)) await inTime(item, options)
        else yield item
        throwIfAborted(options.signal)
      }
      return ended(turn)
    },
    messageRetrieval: (answer: ModelAnswer): string[] | ChatMessage[] => retrievedMessages(answer),
    getUsage: (answer: ModelAnswer): Usage => usageOf(answer, costOf(answer)),
    cost: costOf,
  }
}

/** Waits for a reply and for the pauses in it. */
async function later(turn: MaybePromise<Turn>, options: ModelCallOptions): Promise<Turn> {
  const taken = isThenable(turn) ? await inTime(turn, options) : turn
  for (const item of taken.items(false)) if (isThenable(item)) await inTime(item, options)
  return taken
}

/** Waits for a promise of the script, until the call is stopped or its `timeout` is over. */
async function inTime<T>(item: PromiseLike<T>, { signal, timeout }: ModelCallOptions): Promise<T> {
  if (timeout === undefined) return await abortable(item, signal)
  const { promise: late, reject } = Promise.withResolvers<never>()
  const error = new XError('timeout', `the scripted model gave nothing within ${timeout} s`, { kind: 'timeout' })
  const timer = setTimeout(() => reject(error), timeout * 1000)
  try {
    return await abortable(Promise.race([item, late]), signal)
  } finally {
    clearTimeout(timer)
  }
}
