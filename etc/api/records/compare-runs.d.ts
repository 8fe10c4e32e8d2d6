import { type KeptRun } from './kept-run.ts';
import type { ReplayOptions, ReplayReport } from './replay.ts';
export declare function compareRuns(recorded: KeptRun, other: KeptRun, { ignore }?: Pick<ReplayOptions, 'ignore'>): ReplayReport;
