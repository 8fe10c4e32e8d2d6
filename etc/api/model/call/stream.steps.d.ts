import type { EventEnvelope, ModelAnswer, ModelEvent, RunScope } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { ReceivedContent } from '../usage/token-estimate.ts';
export interface StreamBuffer {
    readonly hold: boolean;
    held: ModelEvent[];
    open: boolean;
    received: ReceivedContent | null;
    clock: Pick<RunScope, 'now'> | null;
    firstTokenAt: number | null;
}
export declare function streamAnswer(source: AsyncGenerator<ModelEvent, ModelAnswer>, buffer: StreamBuffer, what: string): Steps<ModelAnswer, ModelEvent>;
export declare function releaseEvents(buffer: StreamBuffer): Steps<void, ModelEvent>;
export declare function eventsOf(answer: ModelAnswer): ModelEvent[];
export type PlacedModelEvent = ModelEvent & Pick<EventEnvelope, 'chatId' | 'agentPath'> & {
    agent: string | null;
};
export declare function streamScope(around: RunScope | undefined, agent: string | null): RunScope;
