import type { ConfigEntry } from '@x/interfaces';
export declare function redact(text: string, secrets: Iterable<string>): string;
export declare function redactData(value: unknown, secrets: Iterable<string>): unknown;
export declare function isSecretName(name: string): boolean;
export declare function secretsOf(entry: Readonly<ConfigEntry>): Set<string>;
