import type { EvalOptions } from './options.ts';
import type { EvalReport } from './report.ts';
interface ScoreFloor {
    readonly floor: number;
    readonly contestants?: readonly string[] | undefined;
}
export declare function expectEval(options: EvalOptions, wanted: ScoreFloor): Promise<EvalReport>;
export {};
