import type { LlmConfig } from '@x/interfaces';
import type { View } from './view.ts';
export interface SummarizeOptions {
    readonly model?: LlmConfig | undefined;
    readonly at?: number | undefined;
    readonly keep?: number | undefined;
    readonly maxTokens?: number | undefined;
    readonly prompt?: string | undefined;
}
export declare function summarize(options?: SummarizeOptions): View;
