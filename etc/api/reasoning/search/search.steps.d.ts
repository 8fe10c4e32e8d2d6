import type { SearchEvent } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { SearchParts, SearchResult } from './search-options.ts';
type Rename<E> = (event: SearchEvent) => E | undefined;
export declare function searchSteps<E extends {
    readonly type: string;
}>(question: string, parts: SearchParts & {
    signal?: AbortSignal | undefined;
}, as: Rename<E>): Steps<SearchResult, E>;
export {};
