import type { ConfigEntry } from '@x/interfaces';
export declare function secretsOf({ apiKey, baseUrl, defaultHeaders }: ConfigEntry): Set<string>;
export declare function shownUrl(url: string): string;
