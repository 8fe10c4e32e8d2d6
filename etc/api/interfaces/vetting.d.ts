import type { MaybePromise } from './maybe-promise.ts';
import type { RunContext } from './run.ts';
export type Verdict = 'allow' | 'ask' | {
    readonly deny: string;
};
export type Vet<T> = (what: T, context: RunContext) => MaybePromise<Verdict>;
