import type { ChatMessage, ModelAnswer } from '@x/interfaces';
export declare function extractTextOrCompletionObject(answer: ModelAnswer): string[] | ChatMessage[];
