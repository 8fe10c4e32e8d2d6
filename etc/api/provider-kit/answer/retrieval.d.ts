import type { ChatMessage, ModelAnswer, Usage } from '@x/interfaces';
export declare function retrievedMessages({ choices }: ModelAnswer): string[] | ChatMessage[];
export declare function usageOf({ model, usage }: ModelAnswer, cost: number): Usage;
