import type { Recorded } from './trace.ts';
export interface Change {
    readonly path: readonly (string | number)[];
    readonly kind: 'changed' | 'removed';
    readonly recorded: Recorded;
}
export declare function changesOf(recorded: Recorded): Generator<Change>;
