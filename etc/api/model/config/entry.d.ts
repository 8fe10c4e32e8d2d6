import type { ConfigEntry, Provider } from '@x/interfaces';
import { type Extra } from './config-keys.ts';
export declare function checkEntry(entry: Readonly<ConfigEntry>, where: string, clientKeys?: readonly string[]): ConfigEntry;
export declare function refuseExecutableTools(tools: unknown, where: string, code?: 'invalid-argument' | 'invalid-config'): void;
export declare function spellKeys(entry: Readonly<Record<string, unknown>>, where: string, clientKeys?: readonly string[]): Record<string, unknown>;
export declare function spellKey(key: string, where: string, clientKeys?: readonly string[]): string;
export declare function doubtfulTimeouts({ timeout, timeouts }: Pick<ConfigEntry, 'timeout' | 'timeouts'>, where: string): string[];
export declare function checkEntryValue(name: string, value: unknown, where: string, code?: 'invalid-argument' | 'invalid-config'): void;
export interface SplitOptions {
    readonly params: Readonly<Record<string, unknown>>;
    readonly extra: Extra;
}
export declare function splitOptions(options: Readonly<ConfigEntry>): SplitOptions;
export declare function addOption({ params, extra }: SplitOptions, key: string, value: unknown): void;
export declare const isProvider: (value: unknown) => value is Provider;
export declare function withoutEndSlashes(path: string): string;
