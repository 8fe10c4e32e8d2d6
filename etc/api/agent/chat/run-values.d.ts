import type { Agent, ChatMessage, PendingApproval, Reply, TerminationReason, UsageSummary } from '@x/interfaces';
import type { ChatJournal } from '../durability/chat-journal.ts';
import { type EarlierMessages, type State } from '../memory/state.ts';
import type { RunChatOptions } from '../options/operations.ts';
export declare function questionIn(agent: Agent, given: Reply | readonly ChatMessage[], { conversation }: Pick<RunChatOptions, 'conversation'>): {
    readonly question: Reply;
    readonly earlier: EarlierMessages | null;
};
export declare const USER_NAME = "user";
export interface RunResult<T = null> {
    readonly text: string;
    readonly messages: readonly ChatMessage[];
    readonly result: T;
    readonly toolCalls: readonly RunToolCall[];
    readonly usage: RunUsage;
    readonly cost: number;
    readonly terminationReason: TerminationReason;
    readonly pending: readonly PendingApproval[];
    readonly journal: ChatJournal | null;
}
export interface RunToolCall {
    readonly id: string | null;
    readonly name: string;
    readonly arguments: Readonly<Record<string, unknown>> | null;
    readonly result: string | null;
}
export interface RunUsage {
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly totalTokens: number;
    readonly models: UsageSummary['models'];
}
interface EndedRun<T> {
    readonly messages: readonly ChatMessage[];
    readonly before: number;
    readonly answer?: ChatMessage | undefined;
    readonly used: UsageSummary;
    readonly terminationReason: TerminationReason;
    readonly result: T;
    readonly unfinished: Error | undefined;
    readonly pending: readonly PendingApproval[];
    readonly journal: ChatJournal | null;
}
export declare function runResultOf<T>(ended: EndedRun<T>): RunResult<T>;
export declare class RunPromise<T> extends Promise<T> {
    #private;
    static get [Symbol.species](): PromiseConstructor;
    static of<T>(run: Promise<T>, state: State): RunPromise<T>;
    then<A = T, B = never>(onFulfilled?: ((value: T) => A | PromiseLike<A>) | null, onRejected?: ((reason: unknown) => B | PromiseLike<B>) | null): Promise<A | B>;
}
export {};
