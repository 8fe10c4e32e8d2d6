import type { ConfigEntry } from '@x/interfaces';
export declare function secretsOf(entry: Readonly<ConfigEntry>): Set<string>;
