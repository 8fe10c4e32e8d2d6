import type { Io, RunOptions } from '@x/interfaces';
import { Scope } from './scope.ts';
export interface RunDefaults {
    readonly io: Io;
    readonly now: () => number;
}
export declare function scopeFor({ run, emit }: Pick<RunOptions, 'run' | 'emit'>, { io, now }: RunDefaults, streams: boolean): Scope;
