import type { EventStream, RunOptions } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { RunDefaults } from './run-defaults.ts';
type BlockingOptions = Pick<RunOptions, 'run' | 'emit'>;
export declare function operate<T>(steps: Steps<T>, defaults: RunDefaults, options?: RunOptions): Promise<T>;
export declare function operateSync<T>(steps: Steps<T>, defaults: RunDefaults, options?: BlockingOptions): T;
export declare function operateStream<T>(steps: Steps<T>, defaults: RunDefaults, options?: RunOptions): EventStream<T>;
export {};
