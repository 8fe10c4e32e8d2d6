import type { Model, OpenCall, SearchUsage } from '@x/interfaces';
import type { SearchJournal } from './search-journal.ts';
export interface RunJournal extends SearchJournal {
    noteTold(job: string): void;
    wasTold(job: string): boolean;
}
export declare function searchJournalIn(open: OpenCall | undefined, model: Model | null, isPerformedElsewhere: boolean): RunJournal | undefined;
type Credit = Parameters<NonNullable<Model['restoreUsage']>>[0];
export declare function toCredit({ model, cached, cost, promptTokens, completionTokens }: SearchUsage): Credit;
export declare const readUsage: (model: Model | null) => Credit;
export declare const usageSince: (before: Credit, after: Credit) => Credit;
export {};
