import type { ApprovalDecision, Budget, ChatMessage, ChatResult, PendingApproval, XEvent } from '@x/interfaces';
import type { Cast } from './cast.ts';
export interface ChatSessionOptions {
    readonly folder: string;
    readonly cast: () => Cast;
    readonly budget?: Budget | undefined;
}
interface TurnOptions {
    readonly signal?: AbortSignal | undefined;
}
export declare class ChatSession implements Disposable {
    #private;
    constructor(options: ChatSessionOptions);
    [Symbol.dispose](): void;
    get messages(): readonly ChatMessage[];
    get unfinished(): string | null;
    get pending(): readonly PendingApproval[];
    say(message: string, { signal }?: TurnOptions): AsyncGenerator<XEvent, ChatResult, void>;
    goOn({ signal }?: TurnOptions): AsyncGenerator<XEvent, ChatResult, void>;
    decide(id: string, decision: ApprovalDecision): Promise<void>;
}
export {};
