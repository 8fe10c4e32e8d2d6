import type { Agent, ChatResult, Reply, SummaryMethod, Tool } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ChatMeans } from './chat-means.ts';
import { type OutputOf, type Parameters } from '../schema/parameters.ts';
export interface RunChatOptions extends ChatMeans {
    readonly tools?: Tool | readonly Tool[] | undefined;
    readonly executorKwargs?: Readonly<Record<string, unknown>> | undefined;
    readonly maxTurns?: number | null | undefined;
    readonly msgTo?: 'agent' | 'user' | undefined;
    readonly clearHistory?: boolean | undefined;
    readonly userInput?: boolean | undefined;
    readonly summaryMethod?: SummaryMethod | null | undefined;
    readonly conversation?: 'shared' | 'own' | undefined;
}
export interface ResultOptions<P extends Parameters> {
    readonly result: P;
    readonly resultRepairs?: number | undefined;
}
export interface RunResult<T> extends ChatResult {
    readonly result: T;
}
export declare function runForResult<P extends Parameters>(agent: Agent, message: Reply, options: RunChatOptions & ResultOptions<P>): Steps<RunResult<OutputOf<P>>>;
export declare function runChat(agent: Agent, message: Reply, options: RunChatOptions): Steps<ChatResult>;
