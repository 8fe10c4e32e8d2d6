export interface AnthropicModelFamily {
    readonly known: boolean;
    readonly maxTokens: number;
    readonly thinking: 'none' | 'budget' | 'adaptive';
    readonly sampling: 'both' | 'one' | 'none';
    readonly prefill: boolean;
    readonly structured: boolean;
    readonly contextWindow: number;
}
export declare function familyOf(model: string, told?: Partial<AnthropicModelFamily>): AnthropicModelFamily;
