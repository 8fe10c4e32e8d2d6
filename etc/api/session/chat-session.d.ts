import type { ApprovalDecision, Budget, ChatMessage, ChatResult, EventStream, PendingApproval, RunTracer, UsageSummary } from '@x/interfaces';
import { type SessionAgents } from './session-agents.ts';
export interface ChatSessionOptions {
    readonly folder: string;
    readonly agents: () => SessionAgents;
    readonly budget?: Budget | undefined;
    readonly tracer?: RunTracer | undefined;
}
export declare class ChatSession implements Disposable {
    #private;
    constructor(options: ChatSessionOptions);
    [Symbol.dispose](): void;
    get messages(): readonly ChatMessage[];
    get agents(): SessionAgents;
    get usage(): UsageSummary;
    get unfinished(): string | null;
    get pending(): readonly PendingApproval[];
    say(message: string, options?: {
        readonly signal?: AbortSignal | undefined;
    }): EventStream<ChatResult>;
    resume(options?: {
        readonly signal?: AbortSignal | undefined;
    }): EventStream<ChatResult>;
    decide(id: string, decision: ApprovalDecision): Promise<void>;
}
