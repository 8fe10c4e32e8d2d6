import type { TokenLimit, View } from './view.ts';
export declare function limitTokens(limit?: number | TokenLimit): View;
