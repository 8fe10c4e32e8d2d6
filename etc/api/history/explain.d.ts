import type { ChatMessage, HistoryCutReport, LlmConfig, ModelLimits } from '@x/interfaces';
import type { FittedHistory } from './views/view.ts';
export interface ExplainOptions {
    readonly llmConfig?: LlmConfig | undefined;
    readonly limits?: ModelLimits | undefined;
    readonly systemMessage?: string | undefined;
}
interface ExplainedMessage {
    readonly index: number;
    readonly role: ChatMessage['role'];
    readonly tokens: number;
    readonly fate: 'sent' | 'cleared' | 'shortened' | 'summarized' | 'left out';
}
export interface Explanation {
    readonly messages: readonly ChatMessage[];
    readonly rows: readonly ExplainedMessage[];
    readonly tokensBefore: number;
    readonly tokensAfter: number;
    readonly cuts: readonly (HistoryCutReport & {
        readonly at: number;
    })[];
}
export declare function explain(history: readonly ChatMessage[], view: FittedHistory, options?: ExplainOptions): Explanation;
export {};
