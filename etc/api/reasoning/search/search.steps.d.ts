import type { EventOptions, OpenCall, RunScope } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { RunJournal } from './chat-journal.ts';
import type { SearchParts, SearchResult } from './search-options.ts';
export interface SearchCall {
    readonly agent: string | null;
    readonly open: OpenCall | undefined;
    readonly kept: RunJournal | undefined;
}
type StoppableParts = SearchParts & {
    readonly signal?: AbortSignal | undefined;
};
export declare function searchSteps(question: string, parts: StoppableParts, call: SearchCall): Steps<SearchResult>;
export declare function searchInRun(question: string, parts: StoppableParts, call: SearchCall): Steps<SearchResult>;
export declare const newEventScope: (events: EventOptions | undefined, of?: {
    readonly trace: RunScope['trace'];
    readonly isHeard: boolean;
}) => RunScope;
export {};
