import type { HostBackend } from '@x/interfaces'

/**
 * A backend whose calls fail where a function says so, as those of a server that goes down: before they do anything, or when
 * they have done it and nobody hears of that. The function gets the name of the call, such as `store.append`, `queue.add`
 * and `events.read`, and what it is given. The work of its queue never fails, nor do its records.
 */
export function failCalls(
  backend: HostBackend,
  fails: (name: string, given: readonly unknown[]) => 'before' | 'after' | undefined,
): HostBackend {
  const failing = <T extends object>(side: string, target: T): T =>
    withMethods(target, (method, key) => {
      const name = `${side}.${key}`
      if (name === 'queue.work') return method
      return async (...given) => {
        const when = fails(name, given)
        if (when === 'before') throw new Error(`the server went down before \`${name}\``)
        const answer = await method(...given)
        if (when === 'after') throw new Error(`the server went down after \`${name}\``)
        return answer
      }
    })
  const sides = {
    store: failing('store', backend.store),
    queue: failing('queue', backend.queue),
    events: failing('events', backend.events),
  }
  const watch: HostBackend['watch'] = (listener) => backend.watch(listener)
  return { name: backend.name, records: backend.records, ...sides, watch, close: () => backend.close() }
}

type Method = (...given: readonly unknown[]) => unknown

/** An object with other methods in place of its own. */
const withMethods = <T extends object>(target: T, replace: (method: Method, name: string) => Method): T =>
  new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? replace(value.bind(target) as Method, String(name)) : value
    },
  })
