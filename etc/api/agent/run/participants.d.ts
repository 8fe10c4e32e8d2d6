import type { UsageSummary } from '@x/interfaces';
import type { XError } from '@x/kernel';
import type { State } from '../memory/state.ts';
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
