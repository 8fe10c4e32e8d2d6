import type { Budget, ChatResult, Journal, SummaryMethod, Tool } from '@x/interfaces';
import type { Parameters } from '../schema/parameters.ts';
export interface ChatMeans {
    readonly budget?: Budget | undefined;
    readonly journal?: Journal | undefined;
    readonly runId?: string | undefined;
    readonly version?: string | undefined;
}
export interface RunChatOptions extends ChatMeans {
    readonly tools?: Tool | readonly Tool[] | undefined;
    readonly executorKwargs?: Readonly<Record<string, unknown>> | undefined;
    readonly maxTurns?: number | null | undefined;
    readonly maxMessages?: number | undefined;
    readonly msgTo?: 'agent' | 'user' | undefined;
    readonly clearHistory?: boolean | undefined;
    readonly userInput?: boolean | undefined;
    readonly summaryMethod?: SummaryMethod | null | undefined;
    readonly conversation?: 'shared' | 'own' | undefined;
    readonly silent?: boolean | null | undefined;
}
export interface ResultOptions<P extends Parameters> {
    readonly result: P;
    readonly resultRepairs?: number | undefined;
}
export interface RunResult<T> extends ChatResult {
    readonly result: T;
}
