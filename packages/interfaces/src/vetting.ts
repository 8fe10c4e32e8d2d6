import type { CodeBlock } from './code.ts'
import type { MaybePromise } from './maybe-promise.ts'

/** A call of a tool or function that is about to be made. */
export interface ToolCallToVet {
  /** Name of the agent that is to make it. */
  readonly agent: string
  readonly name: string
  /** The arguments as they were read, before their check. */
  readonly arguments: Readonly<Record<string, unknown>>
  readonly callId: string | null
}

/** Code that is about to run. */
export interface CodeToVet {
  /** Name of the agent that is to run it. */
  readonly agent: string
  readonly blocks: readonly CodeBlock[]
}

/** What becomes of something that is about to happen: it does, a human decides, or it does not and the model reads why. */
export type Verdict = 'allow' | 'ask' | { readonly deny: string }

/** Decides on something that is about to happen. One that fails, or gives no verdict, denies. */
export type Vet<T> = (what: T) => MaybePromise<Verdict>
