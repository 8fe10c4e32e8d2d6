import type { ModelAttempt } from './error.ts';
import type { ChatMessage } from './message.ts';
import type { ModelAnswer } from './model-answer.ts';
export interface ModelResponse extends ModelAnswer {
    cost: number;
    configId: number;
    passFilter: boolean;
    cached: boolean;
    attempts?: readonly ModelAttempt[] | undefined;
    messageRetrievalFunction: (answer: ModelAnswer) => string[] | ChatMessage[];
}
export type FilterFunc = (input: {
    context: Record<string, unknown> | null;
    response: ModelResponse;
}) => boolean;
