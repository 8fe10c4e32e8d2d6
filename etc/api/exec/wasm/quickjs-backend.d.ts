import { type LimitedBackend } from '../run/job.ts';
export interface QuickjsSpec {
    readonly kind: 'quickjs';
}
export declare function quickjsBackend(): LimitedBackend;
