import type { ChatMessage } from '@x/interfaces';
export interface AskedQuestion {
    readonly prompt: string;
    readonly groundTruth: string | null;
}
export declare function questionIn(messages: readonly ChatMessage[]): AskedQuestion;
export declare function textOf(message: ChatMessage | undefined): string;
