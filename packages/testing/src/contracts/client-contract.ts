import type { MaybePromise, ModelClient, ModelErrorKind, ModelParams } from '@x/interfaces'

/** Answer of the model behind a client. */
export interface ContractAnswer {
  readonly text?: string | undefined
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[] | undefined
  readonly usage?: { readonly prompt: number; readonly completion: number } | undefined
}

/** Behaviour of the model behind a client for one request. */
export type ContractTurn =
  | { readonly answer: ContractAnswer }
  | { readonly failure: ModelErrorKind }
  /** The model does not answer. */
  | { readonly hang: true }
  /** A stream ends in the middle of this answer. */
  | { readonly cut: ContractAnswer }

/** Description of a model client for `modelClientContract`. */
export interface ModelClientContract {
  /** Name in the titles of the tests. */
  readonly name: string
  /** Creates a client of a model that behaves like this, turn by turn; `key` is its secret, if it has one. */
  readonly create: (turns: readonly ContractTurn[], key: string) => MaybePromise<ModelClient>
  /** Releases resources that `create` opened beside the client; called after every test. */
  readonly dispose?: (() => MaybePromise<void>) | undefined
  /** Model of the requests; default: none. */
  readonly model?: string | undefined
  /** Kinds of failure that `create` can produce; default: none. */
  readonly failures?: readonly ModelErrorKind[] | undefined
  /** Runs the tests with `hang` turns; default true. */
  readonly hangs?: boolean | undefined
  /** Runs the tests with `cut` turns; default true. */
  readonly cuts?: boolean | undefined
}

/** A client under test. */
export interface ClientCase {
  readonly client: ModelClient
  /** One short question, deeply frozen. */
  readonly params: ModelParams
}

/** Creates a client for these turns, runs a test with it and releases it. */
export type WithClient = <T>(turns: readonly ContractTurn[], use: (its: ClientCase) => Promise<T>) => Promise<T>

/** API key of the suite; no error, event or log may contain it. */
export const CLIENT_KEY = 'sk-contract-7b1e9d4c2a60'
