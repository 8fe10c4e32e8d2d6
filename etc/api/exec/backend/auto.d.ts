import type { Backend } from '../run/job.ts';
import type { BackendSpec } from './create-backend.ts';
export interface AutoSpec {
    readonly kind: 'auto';
    readonly candidates: readonly Exclude<BackendSpec, {
        kind: 'auto' | 'host';
    }>[];
}
export declare function autoBackend(backends: readonly Backend[]): Backend;
