type Cacheable = Record<string, unknown>;
export interface CacheParts {
    readonly tools: readonly Cacheable[];
    readonly system: readonly Cacheable[];
    readonly messages: readonly {
        readonly role: string;
        readonly content: readonly Cacheable[];
    }[];
}
export type CacheLife = boolean | '5m' | '1h';
export interface CacheRules {
    readonly life: CacheLife;
    readonly automatic?: {
        readonly ttl?: unknown;
    } | undefined;
    readonly warn: (topic: string, text: string) => void;
}
export declare function placeCachePoints(parts: CacheParts, { life, automatic, warn }: CacheRules): void;
export {};
