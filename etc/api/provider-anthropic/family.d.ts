import type { ModelLimits } from '@x/interfaces';
export interface AnthropicModelFamily {
    readonly known: boolean;
    readonly maxTokens: number;
    readonly thinking: 'none' | 'budget' | 'adaptive';
    readonly thinkingOff: 'disabled' | 'disabled-to-high' | 'between_tools' | 'never';
    readonly efforts: readonly string[];
    readonly forcedTools: 'always' | 'without-thinking' | 'never';
    readonly sampling: 'both' | 'one' | 'none';
    readonly prefill: boolean;
    readonly structured: boolean;
    readonly images: boolean;
    readonly contextWindow: number;
}
export declare function familyOf(model: string, { contextWindow, maxOutput }: ModelLimits, configured?: Partial<AnthropicModelFamily>): AnthropicModelFamily;
