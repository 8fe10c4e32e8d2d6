import { Socket } from 'node:net'
import { XError } from '@x/kernel'
import { connectTarget, isLoopback } from './connect-target.ts'
import { forbidNames } from './forbid-names.ts'
import { replaceMethod } from './replace-method.ts'

/** Options of forbidding the network. */
export interface ForbidNetworkOptions {
  /** Hosts that may be reached all the same. */
  readonly allow?: readonly string[] | undefined
}

/** A forbidden network. */
export interface ForbiddenNetwork extends Disposable {
  /** Where something tried to connect to, as `host:port`, or what it tried to look up. */
  readonly attempts: readonly string[]
  /**
   * Fails with `invalid-state` if something tried to reach the network since the last time: also when the code under test
   * swallowed the error.
   */
  assertUntouched(): void
  /** Lets everything through again. */
  restore(): void
}

/**
 * Makes every connection of this thread fail that leaves this machine, and every look-up of a name: `fetch`, `node:http`,
 * `node:net`, `node:tls`, `node:dns`. Loopback, unix sockets and pipes work as before.
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

/** As a connection that is refused: the caller hears of it by the event it is about to listen for. */
function failLater(socket: Socket, error: XError): Socket {
  // Until then what is written waits; TLS still needs the handle that destroying takes away.
  Object.assign(socket, { connecting: true })
  process.nextTick(() => socket.destroy(error))
  return socket
}

const forbidden = (tried: readonly string[], host: string): XError =>
  new XError(
    'invalid-state',
    `a test tried to reach ${tried.map((at) => `\`${at}\``).join(', ')}, and the network is forbidden here: give \`scriptedModel([...])\` as \`llmConfig\`, point \`baseUrl\` at a server of \`startFakeOpenAI()\`, or allow the host with \`forbidNetwork({ allow: ['${host}'] })\``,
    { details: { tried } },
  )
