import type { EventBody, Face, Listener, Run, RunScope } from '@x/interfaces';
import { type AnySteps, type Steps } from './steps.ts';
type AnyEvent = {
    readonly type: string;
};
export declare function runSync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(steps: Steps<T, E>, options?: Omit<DriveOptions<L>, 'signal'>): T;
export declare function runAsync<T, E extends AnyEvent = EventBody, L extends AnyEvent = E>(steps: Steps<T, E>, options?: DriveOptions<L>): Promise<T>;
export interface DriveOptions<E extends {
    readonly type: string;
}> {
    readonly run?: Run | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly emit?: Listener<E> | undefined;
    readonly scope?: RunScope | undefined;
}
type Settle = (failed: boolean, value: unknown) => void;
export interface Driver {
    start(): void;
    halt(cause: unknown, quiet?: boolean): void;
}
export declare function drive(face: Face, steps: AnySteps, { run, signal, emit, scope }: DriveOptions<never>, settle: Settle): Driver;
export declare function showCaller<T>(error: T, at: {
    readonly stack?: string | undefined;
}): T;
export {};
