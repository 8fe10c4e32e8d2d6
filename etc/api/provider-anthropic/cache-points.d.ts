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
export declare function placeCachePoints(parts: CacheParts, life: CacheLife, warn: (topic: string, text: string) => void): void;
export {};
