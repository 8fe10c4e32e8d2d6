import type { ModelEvent } from '@x/interfaces';
export declare const DEFAULT_ANSWER_TOKENS = 1024;
export declare const tokensIn: (value: unknown) => number;
export declare const maxTokensIn: (value: unknown) => number;
export declare class ReceivedContent {
    #private;
    add(event: ModelEvent): void;
    get tokens(): number;
}
