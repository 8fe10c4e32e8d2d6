import type { EventEnvelope, ModelAnswer, ModelEvent, RunScope } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { StreamBuffer } from './config-call.ts';
export declare function streamAnswer(source: AsyncGenerator<ModelEvent, ModelAnswer>, buffer: StreamBuffer, what: string): Steps<ModelAnswer, ModelEvent>;
export declare function releaseEvents(buffer: StreamBuffer): Steps<void, ModelEvent>;
export declare function eventsOf(answer: ModelAnswer): ModelEvent[];
export type PlacedModelEvent = ModelEvent & Pick<EventEnvelope, 'chatId' | 'agentPath'> & {
    agent: string | null;
};
export declare function streamScope(around: RunScope | undefined, agent: string | null): RunScope;
