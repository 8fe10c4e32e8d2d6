import type { CacheStore, MaybePromise } from '@x/interfaces';
import type { ContractRunner } from './contract-runner.ts';
export interface CacheUser {
    readonly ask: (question: string) => MaybePromise<{
        readonly content: unknown;
        readonly cached: boolean;
    }>;
    readonly warnings: () => readonly string[];
}
export interface CacheUserContract {
    readonly name: string;
    readonly create: (store: CacheStore) => CacheUser;
    readonly blocking?: boolean | undefined;
}
export declare function cacheUserContract({ describe, test, expect }: ContractRunner, contract: CacheUserContract): void;
