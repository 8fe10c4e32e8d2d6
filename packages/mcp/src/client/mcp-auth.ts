import type { MaybePromise } from '@x/interfaces'

/** Keeps tokens and registrations of OAuth; the values are secrets. */
export interface TokenStore {
  get(key: string): MaybePromise<string | undefined>
  set(key: string, value: string): MaybePromise<void>
  delete(key: string): MaybePromise<void>
}

/** The functions by which a person allows this program to use a server, by OAuth. */
export interface McpAuth {
  /** Keeps what is granted, by server. */
  readonly store: TokenStore
  /** Address that the person's browser comes back to; a server of the program listens there. */
  readonly redirectUrl: string
  /** Shows the address where the person decides, as by opening a browser. */
  readonly open: (url: URL) => MaybePromise<void>
  /** Resolves with the address that the browser came back to, with all its parameters. */
  readonly returned: () => MaybePromise<string | URL>
  /** Name that the person reads; default: `x`. */
  readonly clientName?: string | undefined
  /** Identifier of a client that is registered already; default: one is registered. */
  readonly clientId?: string | undefined
  readonly clientSecret?: string | undefined
  /** Rights to ask for, separated by spaces; default: those that the server names. */
  readonly scope?: string | undefined
}
