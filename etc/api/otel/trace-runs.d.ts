import { type Context, type Meter, type Tracer } from '@opentelemetry/api';
import type { Run, RunTracer } from '@x/interfaces';
export interface TraceOptions {
    readonly tracer?: Tracer | undefined;
    readonly meter?: Meter | undefined;
    readonly content?: boolean | undefined;
    readonly propagates?: boolean | undefined;
}
export declare function traceRuns(options?: TraceOptions): RunTracer;
export declare function contextOf(run: Run | undefined): Context;
