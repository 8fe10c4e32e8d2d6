import { type OptionKinds } from '@x/kernel/options';
import type { View } from './view.ts';
export interface ClearOptions {
    readonly keep?: number | undefined;
    readonly at?: number | undefined;
}
export declare const CLEAR_OPTIONS: OptionKinds<ClearOptions>;
export declare function clearToolResults(options?: ClearOptions): View;
