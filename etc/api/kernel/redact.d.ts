import type { ConfigEntry } from '@x/interfaces';
export declare function redact(text: string, secrets: Iterable<string>): string;
export declare function redactData(value: unknown, secrets: Iterable<string>): unknown;
export declare const LEAST_FORM = 8;
export declare function formsOf(secret: string): string[];
export declare function isSecretName(name: string): boolean;
export declare function secretsOf(entry: Readonly<ConfigEntry>): Set<string>;
