/** Where the platform's `fetch` keeps the dispatcher that programs may replace. */
const DISPATCHERS = [Symbol.for('undici.globalDispatcher.1'), Symbol.for('undici.globalDispatcher.2')]

/**
 * Tells whether nobody has arranged how requests travel: the platform is Node, its `fetch` is its own, no dispatcher was
 * set, no proxy is asked for. Only then may requests go another way.
 */
export function isPlainPlatform(): boolean {
  if (typeof globalThis.process?.getBuiltinModule !== 'function') return false
  const { env, execArgv } = process
  if (env['NODE_USE_ENV_PROXY'] === '1' || execArgv.includes('--use-env-proxy')) return false
  return isOwnFetch(globalThis.fetch) && DISPATCHERS.every((key) => isUsualDispatcher(Reflect.get(globalThis, key)))
}

/** The platform's `fetch` loads undici when it is first called: no replacement has this text. */
const isOwnFetch = (fetch: unknown): boolean =>
  typeof fetch === 'function' && Function.prototype.toString.call(fetch).includes('internal/deps/undici/undici')

/** A dispatcher that the platform made for itself: an agent to which nobody gave options. */
function isUsualDispatcher(dispatcher: unknown): boolean {
  if (dispatcher === undefined) return true
  if (typeof dispatcher !== 'object' || dispatcher === null || dispatcher.constructor.name !== 'Agent') return false
  const key = Object.getOwnPropertySymbols(dispatcher).find(({ description }) => description === 'options')
  const options: unknown = key && Reflect.get(dispatcher, key)
  return typeof options === 'object' && options !== null && Object.values(options).every((value) => value === undefined)
}
