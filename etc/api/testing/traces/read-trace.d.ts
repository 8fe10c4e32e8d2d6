import type { Trace } from './trace.ts';
export declare function readTrace(text: string, file: string): Trace;
