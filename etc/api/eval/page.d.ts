import type { EvalReport } from './report.ts';
interface EvalPageOptions {
    readonly title?: string | undefined;
    readonly maxLength?: number | undefined;
}
export declare function renderEvalPage(report: EvalReport, options?: EvalPageOptions): string;
export {};
