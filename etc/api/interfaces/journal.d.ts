import type { MaybePromise } from './maybe-promise.ts';
import type { UsageSummary } from './usage.ts';
export type JournalKind = 'model' | 'tool' | 'human' | 'code' | 'reply' | 'hook' | 'vetting' | 'message' | 'summary' | 'carryover' | 'begin' | 'question' | 'decision' | 'timer' | 'part' | 'wait' | 'checkpoint' | 'speaker' | 'handoff' | 'search' | 'job';
export interface ContextChange {
    readonly set?: Readonly<Record<string, unknown>> | undefined;
    readonly unset?: readonly string[] | undefined;
}
export interface JournalEntry {
    readonly seq?: number | undefined;
    readonly place: string;
    readonly kind: JournalKind;
    readonly name?: string | undefined;
    readonly value: unknown;
    readonly context?: Readonly<Record<string, ContextChange>> | undefined;
    readonly at?: number | undefined;
    readonly used?: Readonly<Record<string, {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    }>> | undefined;
    readonly untold?: true | undefined;
    readonly ended?: readonly string[] | undefined;
    readonly checksum?: string | undefined;
}
export interface Journal {
    readonly waits?: boolean | undefined;
    readonly length?: number | undefined;
    enter?(): () => void;
    readonly checkpoint?: JournalEntry | undefined;
    recall(place: string): readonly JournalEntry[];
    recallJob?(place: string, name: string): JournalEntry | undefined;
    lastPlace(place: string): number;
    end?(place: string): void;
    hasEnded?(place: string): boolean;
    beforeCall?(call: Pick<JournalEntry, 'place' | 'kind' | 'name'> & {
        readonly label: string;
    }): MaybePromise<void | {
        readonly failure: unknown;
    }>;
    keep(entry: JournalEntry): MaybePromise<void>;
}
