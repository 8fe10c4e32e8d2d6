import { type KeptRun, type RunStep } from '@x/records';
import type { StepRow } from './protocol.ts';
export interface RowOfSteps {
    readonly run: KeptRun;
    readonly row: StepRow;
    readonly steps: readonly RunStep[];
    readonly lastSeq: number;
}
export declare function rowsOf(run: KeptRun): readonly RowOfSteps[];
export declare function withShared(shared: readonly RowOfSteps[], own: readonly RowOfSteps[], place: string | null): readonly RowOfSteps[];
