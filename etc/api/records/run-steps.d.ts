import type { EventUsage, SpanOutcome } from '@x/interfaces';
import { type FoldedRun } from '@x/kernel/events';
import { type KeptRun } from './kept-run.ts';
type Span = FoldedRun['tree'][number];
export interface RunStep {
    readonly id: string;
    readonly kind: Span['kind'] | 'answer' | 'note';
    readonly agent: string | null;
    readonly name: string | null;
    readonly input: string;
    readonly output: string;
    readonly place: string | null;
    readonly seq: number;
    readonly lastSeq: number;
    readonly time: number;
    readonly ms: number | null;
    readonly outcome: SpanOutcome | 'running' | 'interrupted';
    readonly error: string | null;
    readonly usage: Omit<EventUsage, 'totalTokens'> | null;
    readonly cost: number | null;
    readonly cached: boolean;
    readonly steps: readonly RunStep[];
}
export declare function runSteps(run: Pick<KeptRun, 'events' | 'entries' | 'calls'>): readonly RunStep[];
export {};
