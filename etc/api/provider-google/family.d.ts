import type { ModelLimits } from '@x/interfaces';
export interface GoogleModelFamily {
    readonly system: boolean;
    readonly thinking: 'none' | 'budget' | 'level';
    readonly leastBudget: number;
    readonly levels: readonly string[];
    readonly signed: boolean;
    readonly jsonWithTools: boolean;
    readonly mediaResults: boolean;
    readonly images: boolean;
    readonly penalties: boolean;
    readonly contextWindow: number;
    readonly maxTokens?: number | undefined;
}
export declare function familyOf(model: string, { contextWindow, maxOutput }: ModelLimits, configured?: Partial<GoogleModelFamily>): GoogleModelFamily;
