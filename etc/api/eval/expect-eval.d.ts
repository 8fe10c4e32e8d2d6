import { type EvalOptions, type EvalReport } from './evaluate.ts';
interface ScoreFloor {
    readonly floor: number;
    readonly contestants?: readonly string[] | undefined;
}
export declare function expectEval(options: EvalOptions, wanted: ScoreFloor): Promise<EvalReport>;
export {};
