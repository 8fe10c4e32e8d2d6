import { type EvalOptions } from './plan.ts';
import { type EvalReport } from './report.ts';
export declare function evaluate(options: EvalOptions): Promise<EvalReport>;
