/** The connections of one server, which end with it. */
interface ConnectionPool {
  /** What `fetch` takes to use them. */
  readonly init: { readonly dispatcher: unknown }
  close(): Promise<void>
}

/** The parts of undici's dispatchers that are used. */
interface Dispatcher {
  destroy(): Promise<void>
}

/** Keys under which undici and the platform share the dispatcher that programs may set. */
const SHARED = [Symbol.for('undici.globalDispatcher.2'), Symbol.for('undici.globalDispatcher.1')]

/**
 * Makes connections of one's own, of the kind behind the platform's `fetch`, so that none is left when the server is
 * closed. Undefined where a program has set something else, such as a proxy, and on other platforms: then `fetch` uses
 * its own.
 */
export function connectionPool(): ConnectionPool | undefined {
  // Loads what `fetch` is made of.
  void new Headers()
  const shared = SHARED.map((key) => Reflect.get(globalThis, key) as object | undefined).find(Boolean)
  if (shared?.constructor.name !== 'Agent') return undefined
  // Without kept connections: on one that the server has closed meanwhile, nobody knows whether a call has run.
  const dispatcher = new (shared.constructor as new (options: object) => Dispatcher)({
    pipelining: 0,
    // Milliseconds: after an abort undici opens a connection that nobody uses.
    keepAliveTimeout: 1,
  })
  return { init: { dispatcher }, close: async () => await dispatcher.destroy() }
}
