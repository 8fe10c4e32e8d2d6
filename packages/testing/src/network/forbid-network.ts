import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import { Socket } from 'node:net'
import { XError } from '@x/kernel'

/** Options of `forbidNetwork`. */
export interface ForbidNetworkOptions {
  /** Hosts that may still be reached. */
  readonly allow?: readonly string[] | undefined
}

/** A forbidden network. */
export interface ForbiddenNetwork extends Disposable {
  /** Attempted connections as `host:port`, and attempted look-ups by name. */
  readonly attempts: readonly string[]
  /**
   * Fails with `invalid-state` if something tried to reach the network since the last call, even when the code under test
   * swallowed the error.
   */
  assertUntouched(): void
  /** Allows all connections again. */
  restore(): void
}

/**
 * Makes every connection of this thread to another machine fail, and every look-up of a name: `fetch`, `node:http`,
 * `node:net`, `node:tls`, `node:dns`. Loopback, unix sockets and pipes still work.
 */
export function forbidNetwork({ allow = [] }: ForbidNetworkOptions = {}): ForbiddenNetwork {
  const attempts: string[] = []
  const allowed = new Set(allow)
  const refuse = (host: string, at: string = host): XError | undefined => {
    if (isLoopback(host) || allowed.has(host)) return undefined
    attempts.push(at)
    return forbidden([at], host)
  }
  const undo = [
    replaceMethod(Socket.prototype, 'connect', (original, self, args) => {
      const target = connectTarget(args)
      const error = target && refuse(target.host, target.port ? `${target.host}:${target.port}` : target.host)
      return error ? failLater(self as Socket, error) : original()
    }),
    forbidNames((name) => refuse(name)),
  ]
  const restore = (): void => {
    for (const each of undo) each()
  }
  return {
    get attempts() {
      return [...attempts]
    },
    assertUntouched() {
      const tried = attempts.splice(0)
      if (tried.length > 0) throw forbidden(tried, tried[0]!.replace(/:\d+$/u, ''))
    },
    restore,
    [Symbol.dispose]: restore,
  }
}

/** Fails like a refused connection: with an `error` event, after the caller has added its listener. */
function failLater(socket: Socket, error: XError): Socket {
  // Until then, writes wait. TLS still needs the handle, which `destroy` removes.
  Object.assign(socket, { connecting: true })
  process.nextTick(() => socket.destroy(error))
  return socket
}

const forbidden = (tried: readonly string[], host: string): XError =>
  new XError(
    'invalid-state',
    `a test tried to reach ${tried.map((at) => `\`${at}\``).join(', ')}, but \`forbidNetwork\` is on: give \`scriptedModel([...])\` as \`llmConfig\`, point \`baseUrl\` at a server of \`startFakeOpenAI()\`, or allow the host with \`forbidNetwork({ allow: ['${host}'] })\``,
    { details: { tried } },
  )

/** Makes DNS look-ups fail for which `refuse` returns an error; returns a function that restores them. */
function forbidNames(refuse: (host: string) => XError | undefined): () => void {
  const called = (original: () => unknown, _: unknown, args: readonly unknown[]): unknown => {
    const error = refuse(String(args[0]))
    if (!error) return original()
    const callback = args.at(-1)
    if (typeof callback !== 'function') throw error
    process.nextTick(callback, error)
    return undefined
  }
  const promised = (original: () => unknown, _: unknown, args: readonly unknown[]): unknown => {
    const error = refuse(String(args[0]))
    return error ? Promise.reject(error) : original()
  }
  const undo = [
    ...namesOf(dns).map((name) => replaceMethod(dns, name, called)),
    ...namesOf(dns.Resolver.prototype).map((name) => replaceMethod(dns.Resolver.prototype, name, called)),
    ...namesOf(dns.promises).map((name) => replaceMethod(dns.promises, name, promised)),
    ...namesOf(dns.promises.Resolver.prototype).map((name) =>
      replaceMethod(dns.promises.Resolver.prototype, name, promised),
    ),
  ]
  // Named imports of `node:dns` are copies until they are synced.
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

/** Lists the methods that ask a name server; `lookupService` does, by address. */
function namesOf(owner: object): string[] {
  const names = new Set<string>()
  for (let at: object | null = owner; at && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null)
    for (const name of Object.getOwnPropertyNames(at)) if (/^(?:lookup|resolve|reverse)/u.test(name)) names.add(name)
  return [...names]
}

/** Target of a connection. */
export interface ConnectTarget {
  readonly host: string
  readonly port: string
}

/** Reads the arguments of `Socket.prototype.connect`; returns undefined for a unix socket or a pipe. */
export function connectTarget(args: readonly unknown[]): ConnectTarget | undefined {
  // Node's own callers pass one list of normalized arguments.
  const [first, second] = Array.isArray(args[0]) ? (args[0] as unknown[]) : args
  if (typeof first === 'object' && first !== null) {
    const { path, host, port } = first as { path?: unknown; host?: unknown; port?: unknown }
    return path ? undefined : { host: textOf(host) || 'localhost', port: textOf(port) }
  }
  const port = textOf(first)
  if (!/^\d+$/u.test(port)) return undefined
  return { host: typeof second === 'string' ? second : 'localhost', port }
}

const LOOPBACK_HOST = /^(?:localhost|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/iu

/** Tells whether a host is this machine, by its reserved names and addresses. */
export const isLoopback = (host: string): boolean => LOOPBACK_HOST.test(host.replace(/^\[(.*)\]$/u, '$1'))

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

/** Replaces a method by `instead`, which may call the original; returns a function that restores the original. */
function replaceMethod(
  owner: object,
  name: string,
  instead: (original: () => unknown, self: unknown, args: readonly unknown[]) => unknown,
): () => void {
  const holder = owner as Record<string, AnyFunction | undefined>
  const original = holder[name]
  if (typeof original !== 'function') return () => {}
  let active = true
  const replaced: AnyFunction = function (...args) {
    const call = (): unknown => Reflect.apply(original, this, args)
    return active ? instead(call, this, args) : call()
  }
  // `util.promisify` reads its instructions from properties of the function.
  Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original))
  holder[name] = replaced
  return () => {
    active = false
    // A later replacement stays; under it, this one only forwards calls.
    if (holder[name] === replaced) holder[name] = original
  }
}
