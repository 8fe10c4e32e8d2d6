import type { CacheStore, MaybePromise } from '@x/interfaces';
import type { ContractRunner } from './contract-runner.ts';
export interface CacheStoreContract {
    readonly name: string;
    readonly create: () => MaybePromise<CacheStore>;
    readonly blocking?: boolean | undefined;
    readonly reopen?: ((closed: CacheStore) => MaybePromise<CacheStore>) | undefined;
    readonly claims?: boolean | undefined;
    readonly join?: ((open: CacheStore) => MaybePromise<CacheStore>) | undefined;
}
export declare function cacheStoreContract(runner: ContractRunner, contract: CacheStoreContract): void;
