import type { ChatResult, Reply, SummaryMethod, Tool } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ConversableAgent } from '../conversable-agent.ts';
import { type ChatMeans } from '../resume/entered.steps.ts';
import type { ConversableAgentOptions } from '../options.ts';
import { type OutputOf, type Parameters } from '../tool/parameters.ts';
export interface RunChatOptions extends ChatMeans {
    readonly tools?: Tool | readonly Tool[] | undefined;
    readonly executorKwargs?: Partial<ConversableAgentOptions> | undefined;
    readonly maxTurns?: number | null | undefined;
    readonly msgTo?: 'agent' | 'user' | undefined;
    readonly clearHistory?: boolean | undefined;
    readonly userInput?: boolean | undefined;
    readonly summaryMethod?: SummaryMethod | null | undefined;
}
export interface ResultOptions<P extends Parameters> {
    readonly result: P;
    readonly resultRepairs?: number | undefined;
}
export interface RunResult<T> extends ChatResult {
    readonly result: T;
}
export declare function runForResult<P extends Parameters>(agent: ConversableAgent, message: Reply, options: RunChatOptions & ResultOptions<P>): Steps<RunResult<OutputOf<P>>>;
export declare function runChat(agent: ConversableAgent, message: Reply, options: RunChatOptions): Steps<ChatResult>;
