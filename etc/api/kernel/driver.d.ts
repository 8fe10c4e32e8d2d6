import type { Face, Listener, Run, RunScope } from '@x/interfaces';
import { type AnySteps } from './steps.ts';
export interface Driver {
    start(): void;
    halt(cause: unknown, quiet?: boolean): void;
}
export interface DriveOptions<E extends {
    readonly type: string;
}> {
    readonly run?: Run | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly emit?: Listener<E> | undefined;
    readonly scope?: RunScope | undefined;
}
type Settle = (failed: boolean, value: unknown) => void;
export declare function drive(face: Face, steps: AnySteps, { run, signal, emit, scope }: DriveOptions<never>, settle: Settle): Driver;
export {};
