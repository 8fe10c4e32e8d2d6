import type { Face } from '@x/interfaces';
import type { Recorded, Trace, TraceValue } from './trace.ts';
export interface Difference {
    readonly path: string;
    readonly recorded: TraceValue | undefined;
    readonly seen: TraceValue | undefined;
}
export declare function compare(trace: Trace, face: Face, recorded: Recorded, seen: Recorded): Difference[];
