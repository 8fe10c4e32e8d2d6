import type { ChatMessage, HistoryView, LlmConfig } from '@x/interfaces';
import type { HistoryDraft } from '../draft/history-draft.ts';
export interface TokenLimit {
    readonly total?: number | undefined;
    readonly perMessage?: number | undefined;
    readonly to?: number | undefined;
}
export interface SummarySettings {
    readonly llmConfig: LlmConfig | null;
    readonly keep: number;
    readonly maxTokens: number;
    readonly prompt: string;
}
export interface View {
    readonly name: string;
    readonly order?: number | undefined;
    readonly settings?: Readonly<Record<string, unknown>> | undefined;
    readonly at?: number | undefined;
    readonly limit?: TokenLimit | undefined;
    readonly maxMessages?: number | undefined;
    readonly summary?: SummarySettings | undefined;
    readonly pins?: ((message: ChatMessage, index: number) => boolean) | undefined;
    readonly cut?: ((draft: HistoryDraft) => void) | undefined;
}
export interface FittedHistory extends HistoryView {
    readonly views: readonly View[];
}
