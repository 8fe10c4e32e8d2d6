import type { HostBackend, Limiter, MaybePromise, Permit, RateLimits, SharedBudget, Spending } from '@x/interfaces'

/** Limiters and budgets in the records of a backend, as a host offers them. */
export interface SharedLimitsHost {
  close(): MaybePromise<void>
  limiter(limits: Readonly<Record<string, RateLimits>>, options?: { readonly lease?: number } & SharedFaults): Limiter
  budget(
    name: string,
    options: Partial<Spending> & {
      readonly strict?: boolean
      readonly minTokens?: number
      readonly whenFull?: 'wait' | 'refuse'
      readonly perCall?: Partial<Spending>
      readonly lease?: number
    } & Pick<SharedFaults, 'onError'>,
  ): SharedBudget
}

/** Options for a store that does not answer. */
interface SharedFaults {
  readonly whenDown?: 'alone' | 'refuse'
  readonly storeTimeout?: number
  readonly onError?: (error: unknown) => void
}

/** Description of a backend for `limiterContract` and `sharedBudgetContract`. */
export interface SharedLimitsContract {
  /** Name in the titles of the tests. */
  readonly name: string
  /** Creates an empty backend; the suite closes it after each test. */
  readonly create: () => MaybePromise<HostBackend>
  /** Makes a worker on a backend, such as `(at) => createHost({ chats: [], at })`. */
  readonly open: (at: HostBackend) => SharedLimitsHost
}

/** Runs a test on a new backend, and closes its hosts before the backend. */
export async function withHosts(
  { create, open }: SharedLimitsContract,
  use: (backend: HostBackend, open: SharedLimitsContract['open']) => Promise<void>,
): Promise<void> {
  const backend = await create()
  const hosts: SharedLimitsHost[] = []
  try {
    await use(backend, (at) => {
      const host = open({ ...at, close() {} })
      hosts.push(host)
      return host
    })
  } finally {
    for (const host of hosts) await host.close()
    await backend.close()
  }
}

/** A backend that one worker can be cut off from, as if the worker had died. */
export interface CutBackend {
  readonly at: HostBackend
  /** From now on, changes of this worker fail (`fail`), never get an answer (`hang`), or reach the store again (`none`). */
  readonly cut: (how: 'fail' | 'hang' | 'none') => void
}

/** Wraps a backend so that one worker can be cut off from it. */
export function cutBackend(backend: HostBackend): CutBackend {
  let cut: 'fail' | 'hang' | 'none' = 'none'
  return {
    at: {
      ...backend,
      records: {
        change(...args) {
          if (cut === 'hang') return new Promise<never>(() => {})
          if (cut === 'fail') throw new Error('the store is cut off')
          return backend.records.change(...args)
        },
      },
    },
    cut: (how) => void (cut = how),
  }
}

/** Tells whether a permit or reservation arrives within five turns of the event loop, each with a change in the store. */
export async function hasCome(requested: MaybePromise<unknown>, backend: HostBackend): Promise<boolean> {
  let come = false
  void Promise.resolve(requested).then(
    () => (come = true),
    () => {},
  )
  for (let turn = 0; turn < 5; turn++) {
    await backend.records.change('turn', (value) => ({ value, answer: undefined }))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return come
}

/** Acquires a permit for a call with this many tokens. */
export const acquire = async (
  limiter: Limiter,
  tokens = 1,
  { signal, account = 'one', model = 'm' }: { signal?: AbortSignal; account?: string; model?: string } = {},
): Promise<Permit> => await limiter.acquire({ model, account, tokens }, { signal })
