import type { EventStream, Io, RunOptions, RunTracer } from '@x/interfaces';
import { type Steps } from '@x/kernel';
type BlockingOptions = Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>;
export declare function operate<T>(steps: Steps<T>, defaults: RunDefaults, options?: RunOptions & {
    readonly streams?: boolean | undefined;
}): Promise<T>;
export declare function operateSync<T>(steps: Steps<T>, defaults: RunDefaults, options?: BlockingOptions): T;
export declare function operateStream<T>(steps: Steps<T>, defaults: RunDefaults, options?: RunOptions): EventStream<T>;
export interface RunDefaults {
    readonly io: Io;
    readonly now: () => number;
    readonly tracer?: RunTracer | undefined;
}
export {};
