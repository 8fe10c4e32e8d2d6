import type { JournalEntry, JsonSchema, MaybePromise, Run } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import { type Circle } from './circle.ts';
import { type Scope } from './scope.ts';
import type { State } from '../state/state.ts';
export interface Place {
    readonly scope: Scope;
    readonly key: string;
    readonly what: string;
    readonly known: JournalEntry | undefined;
    readonly circle: Circle | null;
}
export declare function leaf<T>(state: State, what: string, ask: (run: Run) => MaybePromise<T>, shape?: JsonSchema): Steps<T>;
export declare function answer<T>(place: Place | undefined, what: string, ask: () => MaybePromise<T>): Steps<T>;
export declare function placeIn(run: Run, what: string, shape?: JsonSchema): Place | undefined;
export declare function placeOf(what: string, shape?: JsonSchema): Steps<Place | undefined>;
export declare function at<T>(place: Place | undefined, steps: Steps<T>): Steps<T>;
export declare function kept(place: Place | undefined, value: unknown): Steps<void>;
export declare function leafRun(state: State, run: Run, place: Place | undefined): Run;
export declare function checkedAnswer({ key, what: known, value }: JournalEntry, what: string, shape: JsonSchema): void;
