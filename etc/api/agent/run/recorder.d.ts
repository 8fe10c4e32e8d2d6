import type { ExternalCall, JsonSchema, MaybePromise, Run, UsageSummary } from '@x/interfaces';
import type { XError } from '@x/kernel';
import type { State } from '../memory/state.ts';
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
export interface ModelUse {
    readonly actual: UsageSummary | null;
    readonly total: UsageSummary | null;
}
export interface Participant {
    readonly state: State;
    readonly context: Map<string, {
        readonly text: string | undefined;
        readonly at: number;
    }>;
}
export interface Participants {
    readonly outer: Participants | null;
    readonly byName: Map<string, Participant>;
    readonly used: Map<State, ModelUse>;
    readonly changes: {
        count: number;
    };
    suspended: XError | null;
}
export declare const participantsIn: (outer: Participants | null, changes?: number) => Participants;
export declare function addParticipant(participants: Participants, state: State): boolean | undefined;
export declare function suspendCalls(participants: Participants, error: XError): void;
export declare function noteUse(participants: Participants, state: State, used: ModelUse): void;
export declare function namedParticipants(participants: Participants): Generator<[string, Participant]>;
export interface ScopeJournal {
    readonly recorder: Recorder;
    readonly participants: Participants;
}
export declare const journalInside: ({ recorder, participants }: ScopeJournal) => ScopeJournal;
export declare function recallAnswer({ recorder, participants }: ScopeJournal, run: Run, place: string, call: RecordedCall): {
    readonly value: unknown;
} | undefined;
