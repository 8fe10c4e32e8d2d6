import type { Run } from '@x/interfaces';
import type { CellCalls } from './answer-file.ts';
import { type Interval } from './statistics.ts';
import type { GivenAnswer, Scorer } from './task.ts';
interface Verdict {
    readonly score: number | null;
    readonly reason: string | null;
}
export interface JudgeAgreement {
    readonly judge: string;
    readonly agreement: Interval | null;
    readonly kappa: Interval | null;
    readonly falsePraise: Interval | null;
    readonly falseBlame: Interval | null;
    readonly unjudged: number;
    readonly problem: string | null;
}
interface Judging {
    readonly run: Run;
    readonly calls: CellCalls;
}
export declare const titleOf: (scorer: Scorer) => string;
export declare function scoreOf(scorer: Scorer, given: GivenAnswer, { run, calls }: Judging): Promise<Verdict>;
type Verdicts = readonly (readonly [label: boolean, verdict: boolean | null])[];
export interface LabelledVerdicts {
    readonly verdicts: Verdicts;
    readonly problem: string | null;
}
interface LabelledOptions extends Judging {
    readonly concurrency: number;
    readonly timeout: number;
    readonly known: Verdicts;
}
export declare function judgeLabelled(scorer: Scorer, { concurrency, timeout, known, ...judging }: LabelledOptions): Promise<LabelledVerdicts>;
export declare function agreementOf(scorer: Scorer, { verdicts, problem }: LabelledVerdicts, seed: number): JudgeAgreement;
export {};
