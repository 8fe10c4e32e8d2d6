import { type EvalOptions } from './options.ts';
import { type EvalReport } from './report.ts';
export declare function evaluate(options: EvalOptions): Promise<EvalReport>;
