import type { ChatStore } from '@x/interfaces'

/** A moment in the work on a hosted chat at which its process may be interrupted. */
export type StorePoint = 'after-claim' | 'before-append' | 'after-append' | 'before-finish' | 'after-finish'

/**
 * A store that calls a function at one point: before the change, or when the change has been made and before the worker
 * hears of it. The function gets how often the point was reached, from 1; one that kills the process makes a process that
 * is killed there.
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
      const kind = KINDS[name as string]
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

/** The methods that have points. A suspension and a release end a turn as `finish` does. */
const KINDS: Readonly<Record<string, 'claim' | 'append' | 'finish'>> = {
  claim: 'claim',
  append: 'append',
  finish: 'finish',
  suspend: 'finish',
}
