import type { View } from './view.ts';
export interface LimitMessagesOptions {
    readonly max: number;
    readonly to?: number | undefined;
}
export declare function limitMessages(options: number | LimitMessagesOptions): View;
