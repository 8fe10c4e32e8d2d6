import type { HostBackend, Limiter, MaybePromise, Permit, RateLimits, SharedBudget, Spending } from '@x/interfaces';
export interface SharedLimitsHost {
    close(): MaybePromise<void>;
    limiter(limits: Readonly<Record<string, RateLimits>>, options?: {
        readonly lease?: number;
    } & SharedFaults): Limiter;
    budget(name: string, options: Partial<Spending> & {
        readonly strict?: boolean;
        readonly minTokens?: number;
        readonly whenFull?: 'wait' | 'refuse';
        readonly perCall?: Partial<Spending>;
        readonly lease?: number;
    } & Pick<SharedFaults, 'onError'>): SharedBudget;
}
interface SharedFaults {
    readonly whenDown?: 'alone' | 'refuse';
    readonly storeTimeout?: number;
    readonly onError?: (error: unknown) => void;
}
export interface SharedLimitsContract {
    readonly name: string;
    readonly create: () => MaybePromise<HostBackend>;
    readonly open: (at: HostBackend) => SharedLimitsHost;
}
export declare function withHosts({ create, open }: SharedLimitsContract, use: (backend: HostBackend, open: SharedLimitsContract['open']) => Promise<void>): Promise<void>;
export interface CutBackend {
    readonly at: HostBackend;
    readonly cut: (how: 'fail' | 'hang' | 'none') => void;
}
export declare function cutBackend(backend: HostBackend): CutBackend;
export declare function hasCome(requested: MaybePromise<unknown>, backend: HostBackend): Promise<boolean>;
export declare const acquire: (limiter: Limiter, tokens?: number, { signal, account, model }?: {
    signal?: AbortSignal;
    account?: string;
    model?: string;
}) => Promise<Permit>;
export {};
