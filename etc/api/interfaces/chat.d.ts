import type { Agent } from './agent.ts';
import type { Budget } from './budget.ts';
import type { CacheStore } from './cache.ts';
import type { Journal } from './journal.ts';
import type { ChatMessage, Reply } from './message.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { RunContext, RunOptions, SteeringSource } from './run.ts';
export type Carryover = string | readonly (string | ChatMessage | Record<string, unknown>)[];
export type FirstMessage<M = Record<string, unknown>> = Reply | null | {
    call(sender: Agent, recipient: Agent, args: M & {
        carryover?: Carryover | undefined;
    }, context: RunContext): MaybePromise<Reply | null>;
}['call'];
export type SummaryMethod = 'last_msg' | 'reflection_with_llm' | {
    call(sender: Agent, recipient: Agent, summaryArgs: SummaryArgs, context: RunContext & {
        readonly messages: readonly ChatMessage[];
    }): MaybePromise<string | Record<string, unknown>>;
}['call'];
export interface SummaryArgs {
    summaryPrompt?: string | undefined;
    summaryRole?: string | undefined;
    cache?: CacheStore | null | undefined;
    [key: string]: unknown;
}
export interface ChatOptions extends RunOptions {
    message?: FirstMessage | undefined;
    clearHistory?: boolean | undefined;
    conversation?: 'shared' | 'own' | undefined;
    silent?: boolean | null | undefined;
    cache?: CacheStore | null | undefined;
    maxTurns?: number | null | undefined;
    maxMessages?: number | undefined;
    summaryMethod?: SummaryMethod | null | undefined;
    summaryArgs?: SummaryArgs | undefined;
    carryover?: Carryover | undefined;
    verbose?: boolean | undefined;
    messageArgs?: Record<string, unknown> | undefined;
    budget?: Budget | undefined;
    steering?: SteeringSource | undefined;
    journal?: Journal | undefined;
    runId?: string | undefined;
    version?: string | undefined;
}
export interface QueuedChat extends Omit<ChatOptions, 'run' | 'signal' | 'emit' | 'events' | 'tracer' | 'journal' | 'runId' | 'version' | 'steering'> {
    recipient: Agent;
    sender?: Agent | undefined;
    chatId?: number | undefined;
    prerequisites?: readonly number[] | undefined;
    finishedChatIndexesToExcludeFromCarryover?: readonly number[] | undefined;
}
export interface Limits {
    readonly MAX_CONSECUTIVE_AUTO_REPLY: 100;
    readonly DEFAULT_CONFIG: false;
    readonly DEFAULT_SUMMARY_METHOD: 'last_msg';
    readonly DEFAULT_SUMMARY_PROMPT: 'Summarize the takeaway from the conversation. Do not add any introductory phrases.';
    readonly LEGACY_DEFAULT_CACHE_SEED: 41;
}
