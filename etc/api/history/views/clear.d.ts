import type { View } from './view.ts';
export interface ClearOptions {
    readonly keep?: number | undefined;
    readonly at?: number | undefined;
}
export declare function clearToolResults(options?: ClearOptions): View;
export declare function clearAttachments(options?: ClearOptions): View;
