import type { ChatMessage } from './message.ts';
import type { TerminationReason } from './termination.ts';
import type { UsageSummary } from './usage.ts';
export interface ChatResult<S = string | Record<string, unknown>> {
    chatId: number | null;
    chatHistory: readonly ChatMessage[];
    summary: S;
    cost: {
        usageIncludingCachedInference: UsageSummary;
        usageExcludingCachedInference: UsageSummary;
    };
    humanInput: readonly string[];
    terminationReason: TerminationReason;
    position?: number;
    messages?: readonly ChatMessage[];
}
