export { contextOf, traceRuns, type TraceOptions } from './trace-runs.ts';
