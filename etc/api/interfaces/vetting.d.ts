import type { CodeBlock } from './code.ts';
import type { MaybePromise } from './maybe-promise.ts';
export interface ToolCallToVet {
    readonly agent: string;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly callId: string | null;
}
export interface CodeToVet {
    readonly agent: string;
    readonly blocks: readonly CodeBlock[];
}
export type Verdict = 'allow' | 'ask' | {
    readonly deny: string;
};
export type Vet<T> = (what: T) => MaybePromise<Verdict>;
