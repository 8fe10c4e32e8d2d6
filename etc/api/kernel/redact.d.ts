import type { ConfigEntry } from '@x/interfaces';
export declare function redact(text: string, secrets: Iterable<string>): string;
export declare function redactData(value: unknown, secrets: Iterable<string>): unknown;
export declare function isSecretName(name: string): boolean;
export declare function secretsOf(entry: Readonly<ConfigEntry>): Set<string>;
type GuardedEntry<T> = T & {
    toJSON(): Record<string, unknown>;
};
export declare function guardSecrets<T extends object>(entry: T): GuardedEntry<T>;
export {};
