import type { ExternalCall, JsonSchema, MaybePromise, Run } from '@x/interfaces';
import type { Participants } from './participants.ts';
export interface RecordedCall extends ExternalCall {
    readonly label: string;
    readonly shape?: JsonSchema | undefined;
}
export interface Recorder {
    readonly runId: string;
    isPast(place: string, next: number): boolean;
    recall(place: string, call: RecordedCall, outside: Participants): {
        readonly value: unknown;
    } | undefined;
    keep(run: Run, answer: AnswerToKeep): MaybePromise<void>;
}
export interface AnswerToKeep {
    readonly place: string;
    readonly call: RecordedCall;
    readonly value: unknown;
    readonly around?: {
        readonly outside: Participants;
        readonly inside: Participants | null;
    } | undefined;
}
