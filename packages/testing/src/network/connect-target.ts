/** Target of a connection. */
export interface ConnectTarget {
  readonly host: string
  readonly port: string
}

/** Reads the arguments of `Socket.prototype.connect`; returns undefined for a unix socket or a pipe. */
export function connectTarget(given: readonly unknown[]): ConnectTarget | undefined {
  // Node's own callers pass arguments that are already brought into order, as one list.
  const [first, second] = Array.isArray(given[0]) ? (given[0] as unknown[]) : given
  if (typeof first === 'object' && first !== null) {
    const { path, host, port } = first as { path?: unknown; host?: unknown; port?: unknown }
    return path ? undefined : { host: textOf(host) || 'localhost', port: textOf(port) }
  }
  const port = textOf(first)
  if (!/^\d+$/u.test(port)) return undefined
  return { host: typeof second === 'string' ? second : 'localhost', port }
}

const LOOPBACK = /^(?:localhost|(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|0\.0\.0\.0|::)$/iu

/** Tells whether a host is this machine, by the names and addresses reserved for that. */
export const isLoopback = (host: string): boolean => LOOPBACK.test(host.replace(/^\[(.*)\]$/u, '$1'))

const textOf = (value: unknown): string => (typeof value === 'string' || typeof value === 'number' ? String(value) : '')
