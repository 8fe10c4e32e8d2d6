import type { MaybePromise, ModelClient, ModelErrorKind, ModelParams } from '@x/interfaces'

/** An answer that the model behind a client gives. */
export interface ContractAnswer {
  readonly text?: string | undefined
  readonly calls?: readonly { readonly name: string; readonly arguments: string }[] | undefined
  readonly usage?: { readonly prompt: number; readonly completion: number } | undefined
}

/** What the model behind a client does with one request. */
export type ContractTurn =
  | { readonly answer: ContractAnswer }
  | { readonly failure: ModelErrorKind }
  /** Nothing comes. */
  | { readonly hang: true }
  /** A stream ends in the middle of this answer. */
  | { readonly cut: ContractAnswer }

/** What the suite needs to know of a model client. */
export interface ModelClientContract {
  /** What is tested: shown in the names of tests. */
  readonly name: string
  /** Makes a client of a model that does this, turn by turn; `key` is to be its secret, if it has one. */
  readonly create: (turns: readonly ContractTurn[], key: string) => MaybePromise<ModelClient>
  /** Undoes what `create` did beside the client: called after every test. */
  readonly dispose?: (() => MaybePromise<void>) | undefined
  /** Model to ask; default: none is named. */
  readonly model?: string | undefined
  /** The kinds of failure that the model behind it can be made to have; default: none. */
  readonly failures?: readonly ModelErrorKind[] | undefined
  /** Whether it can be made to hang; default true. */
  readonly hangs?: boolean | undefined
  /** Whether a stream of it can be made to end in its middle; default true. */
  readonly cuts?: boolean | undefined
}

/** A client in its test. */
export interface ClientCase {
  readonly client: ModelClient
  /** One short question, deeply frozen. */
  readonly params: ModelParams
}

/** Makes the client of some turns, runs a test with it and tidies up. */
export type WithClient = <T>(turns: readonly ContractTurn[], use: (its: ClientCase) => Promise<T>) => Promise<T>

/** The secret that no client may let out. */
export const CLIENT_KEY = 'sk-contract-7b1e9d4c2a60'
