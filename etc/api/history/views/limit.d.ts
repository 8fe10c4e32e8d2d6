import type { TokenLimit, View } from './view.ts';
export declare function limitTokens(limit?: number | TokenLimit): View;
export interface LimitMessagesOptions {
    readonly max: number;
    readonly to?: number | undefined;
}
export declare function limitMessages(options: number | LimitMessagesOptions): View;
