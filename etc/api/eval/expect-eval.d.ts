import { type EvalOptions, type EvalReport } from './evaluate.ts';
interface ScoreFloor {
    readonly floor: number;
    readonly contestants?: readonly string[] | undefined;
}
export declare function expectEval(options: EvalOptions, { floor, contestants }: ScoreFloor): Promise<EvalReport>;
export {};
