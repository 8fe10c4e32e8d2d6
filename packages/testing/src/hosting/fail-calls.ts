import type { HostBackend } from '@x/interfaces'

/**
 * Wraps a backend so that chosen calls fail as those of a server that goes down: `before` they do anything, or `after` they
 * have done it, when the answer is lost. `fails` gets the name of the call (`store.append`, `queue.add`, `events.read`) and
 * its arguments. `queue.work` and records never fail.
 */
export function failCalls(
  backend: HostBackend,
  fails: (name: string, args: readonly unknown[]) => 'before' | 'after' | undefined,
): HostBackend {
  const failing = <T extends object>(side: string, target: T): T =>
    withMethods(target, (method, key) => {
      const name = `${side}.${key}`
      if (name === 'queue.work') return method
      return async (...args) => {
        const when = fails(name, args)
        if (when === 'before') throw new Error(`the server went down before \`${name}\``)
        const answer = await method(...args)
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

type Method = (...args: readonly unknown[]) => unknown

/** Replaces the methods of an object. */
const withMethods = <T extends object>(target: T, replace: (method: Method, name: string) => Method): T =>
  new Proxy(target, {
    get(_, name) {
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? replace(value.bind(target) as Method, String(name)) : value
    },
  })
