import { Socket } from 'node:net'
import { XError } from '@x/kernel'
import { connectTarget, isLoopback } from './connect-target.ts'
import { forbidNames } from './forbid-names.ts'
import { replaceMethod } from './replace-method.ts'

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

/** Fails like a refused connection: with an `error` event, after the caller could add its listener. */
function failLater(socket: Socket, error: XError): Socket {
  // Until then what is written waits; TLS still needs the handle that destroying takes away.
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
