import { type OptionKinds } from '@x/kernel/options';
import type { JobOutcome } from '../strategy/job.ts';
import type { Grading, Proposal } from './parts.ts';
export interface SearchBounds {
    maxOptions?: number | undefined;
    maxOptionLength?: number | undefined;
}
export declare const DEFAULT_BOUNDS: {
    readonly maxOptions: number;
    readonly maxOptionLength: number;
};
export declare const BOUND_KINDS: OptionKinds<SearchBounds>;
interface BoundOutcome {
    readonly outcome: JobOutcome;
    readonly warnings: readonly string[];
}
export declare function boundProposal(proposal: Proposal, bounds: SearchBounds): BoundOutcome;
export declare function boundGrading(grading: Grading, bounds: SearchBounds): BoundOutcome;
export {};
