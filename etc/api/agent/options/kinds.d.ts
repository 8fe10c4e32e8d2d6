import type { Agent, Budget, CacheStore, ChatMessage, Journal, Reply } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
type Kind<T> = OptionKinds<{
    its: T;
}>['its'];
export declare const AGENT_KIND: Kind<Agent>;
export declare const MESSAGES_KIND: Kind<readonly ChatMessage[]>;
export declare const REPLY_KIND: Kind<Reply>;
export declare const BUDGET_KIND: Kind<Budget>;
export declare const CACHE_KIND: Kind<CacheStore>;
export declare const JOURNAL_KIND: Kind<Journal>;
export type ForeignWords = Readonly<Record<string, string | ((value: unknown) => string)>>;
export declare function refuseForeignWords(options: unknown, words: ForeignWords, attempt: string): void;
export {};
