import type { JournalEntry, UsageSummary } from '@x/interfaces';
import type { XError } from '@x/kernel';
import type { State } from '../state/state.ts';
export interface Used {
    readonly actual: UsageSummary | null;
    readonly total: UsageSummary | null;
}
interface Party {
    readonly state: State;
    context: string;
    at: number;
}
export interface Circle {
    readonly outer: Circle | null;
    readonly parties: Map<string, Party>;
    readonly used: Map<State, Used>;
    readonly changes: {
        count: number;
    };
    suspended: XError | null;
}
export declare const circleIn: (outer: Circle | null, changes?: number) => Circle;
export declare function takesPart(circle: Circle, state: State): boolean | undefined;
export declare function suspend(circle: Circle, error: XError): void;
export declare function noteUse(circle: Circle, state: State, used: Used): void;
export declare function changedWith(circle: Circle, inside: Circle | null): Pick<JournalEntry, 'context' | 'at' | 'used'>;
export declare function recallChanges(circle: Circle, { context, at, used }: JournalEntry): void;
export {};
