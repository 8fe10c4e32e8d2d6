import type { EventStream } from '@x/interfaces';
import type { SearchOptions, SearchResult } from './search-options.ts';
export declare function search(question: string, options: SearchOptions): Promise<SearchResult>;
export declare function searchSync(question: string, options: Omit<SearchOptions, 'signal'>): SearchResult;
export declare function searchStream(question: string, options: Omit<SearchOptions, 'emit'>): EventStream<SearchResult>;
