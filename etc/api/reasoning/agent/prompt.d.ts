import type { ChatMessage } from '@x/interfaces';
export interface ReasonPrompt {
    readonly question: string;
    readonly groundTruth: string | null;
}
export declare function readPrompt(messages: readonly ChatMessage[]): ReasonPrompt;
export declare function publicText(message: ChatMessage | undefined): string;
export declare const withoutGroundTruth: (message: ChatMessage) => ChatMessage;
export declare function messageText(message: ChatMessage | undefined): string;
