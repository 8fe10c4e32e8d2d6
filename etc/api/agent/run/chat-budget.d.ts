import type { Budget } from '@x/interfaces';
export interface ChatBudget extends Budget {
    readonly usedUp: boolean;
}
export declare function chatBudget(outer: ChatBudget | null, own: Budget | null | undefined): ChatBudget | null;
