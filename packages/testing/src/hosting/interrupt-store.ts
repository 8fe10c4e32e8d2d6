import type { ChatStore } from '@x/interfaces'

/** A moment in the work on a hosted chat, for `interruptStore`. */
export type StorePoint = 'after-claim' | 'before-append' | 'after-append' | 'before-finish' | 'after-finish'

/**
 * Wraps a store so that it calls `interrupt` at one point: before a change, or after the change and before the worker gets
 * the answer. `interrupt` gets how often the point was reached, from 1; it may kill the process to simulate a crash there.
 */
export function interruptStore(
  store: ChatStore,
  point: StorePoint,
  interrupt: (times: number) => void | Promise<void>,
): ChatStore {
  let times = 0
  const at = async (reached: StorePoint): Promise<void> => {
    if (reached === point) await interrupt(++times)
  }
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      const bound = method.bind(target) as (...args: readonly unknown[]) => unknown
      const kind = INTERRUPTED_METHODS[name as string]
      if (!kind) return bound
      return async (...args: readonly unknown[]) => {
        if (kind !== 'claim') await at(`before-${kind}`)
        const answer: unknown = await bound(...args)
        if (answer) await at(`after-${kind}`)
        return answer
      }
    },
  })
}

/** The methods with points to interrupt. `suspend` ends a turn as `finish` does. */
const INTERRUPTED_METHODS: Readonly<Record<string, 'claim' | 'append' | 'finish'>> = {
  claim: 'claim',
  append: 'append',
  finish: 'finish',
  suspend: 'finish',
}
