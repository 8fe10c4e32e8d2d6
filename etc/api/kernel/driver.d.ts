import type { EventBody, Face, Listener, MaybePromise, Run, RunScope } from '@x/interfaces';
import { Clock, Part, type Root } from './run-part.ts';
import { type AnySteps, type PoolRequest, type Request, type Steps } from './steps.ts';
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
export declare class Driver implements Root {
    readonly face: Face;
    readonly clock: Clock | undefined;
    readonly part: Part;
    readonly task: Task;
    readonly around: Part | undefined;
    readonly signal: AbortSignal | undefined;
    readonly listener: ((event: never) => unknown) | undefined;
    done: boolean;
    halted: {
        readonly cause: unknown;
    } | undefined;
    isDeaf: boolean;
    unlink: readonly ((() => void) | undefined)[];
    constructor(face: Face, steps: AnySteps, { run, signal, emit, scope }: DriveOptions<never>, settle: Settle);
    start(): void;
    halt(cause: unknown, quiet?: boolean): void;
    readonly send: (event: unknown) => MaybePromise<void>;
    readonly fail: (cause: unknown) => void;
    refuse(promise: PromiseLike<unknown>, what: string): void;
}
type Outcome = [method: 'next' | 'throw', input?: unknown];
declare class Task {
    part: Part;
    readonly steps: AnySteps;
    readonly settle: Settle;
    turn: number;
    isRunning: boolean;
    isStopping: boolean;
    isClosing: boolean;
    group: Group | undefined;
    groupEnded: Outcome | undefined;
    constructor(part: Part, steps: AnySteps, settle: Settle);
    step(method: 'next' | 'throw' | 'return', input?: unknown): void;
    stop(cause: unknown): void;
    enterScope(scope: RunScope): () => void;
    startGroup(request: PoolRequest): void;
    waitsFor(promise: PromiseLike<unknown>, request: Request | {
        readonly type: string;
    }): boolean;
}
declare class Group {
    readonly part: Part;
    readonly request: PoolRequest;
    readonly onEnd: (...outcome: Outcome) => void;
    readonly tasks: Set<Task>;
    isBusy: boolean;
    isStopped: boolean;
    outcome: Outcome;
    constructor({ root, scope }: Part, request: PoolRequest, onEnd: (...outcome: Outcome) => void);
    fill(): void;
    stop(cause: unknown): void;
    startChild(steps: AnySteps): void;
    fail(error: unknown): void;
}
export declare function showCaller<T>(error: T, at: {
    readonly stack?: string | undefined;
}): T;
export {};
