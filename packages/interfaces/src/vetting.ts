import type { MaybePromise } from './maybe-promise.ts'
import type { RunContext } from './run.ts'

/** What becomes of something that is about to happen: it does, a human decides, or it does not and the model reads why. */
export type Verdict = 'allow' | 'ask' | { readonly deny: string }

/** Decides on something that is about to happen. One that fails, or gives no verdict, denies. */
export type Vet<T> = (what: T, context: RunContext) => MaybePromise<Verdict>
