import type { ModelAnswer } from './answer.ts';
import type { MaybePromise } from './maybe-promise.ts';
export interface StoredAnswer {
    answer: ModelAnswer;
    cost: number | null;
}
export interface CacheClaim {
    renew(lease: number): MaybePromise<boolean>;
    release(): MaybePromise<void>;
}
export interface CacheStore {
    readonly name: string;
    get(key: string): MaybePromise<StoredAnswer | undefined>;
    set(key: string, value: StoredAnswer): MaybePromise<void>;
    claim?(key: string, lease: number): MaybePromise<CacheClaim | null>;
    close?(): MaybePromise<void>;
}
