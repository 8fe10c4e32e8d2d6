import type { EventBody, Face, MaybePromise, Run, RunScope, XEvent } from '@x/interfaces';
import { XError } from './x-error.ts';
export declare class Clock {
    steps: number;
    since: number;
    turn: Promise<void> | undefined;
    pause(): Promise<void> | undefined;
}
export interface EventPlace {
    readonly chatId: string | null;
    readonly agentPath: readonly string[] | null;
    readonly parentId: string | null;
}
export declare class EventCounter {
    #private;
    constructor(now: () => number, newId: () => string);
    get runId(): string;
    begin(runId: string, firstSeq: number): void;
    now(): number;
    place(event: EventBody, { chatId, agentPath, parentId }: EventPlace): XEvent;
}
export declare const isPlaced: (event: EventBody | XEvent) => event is XEvent;
export interface Root {
    readonly face: Face;
    readonly send: (event: unknown) => MaybePromise<void>;
    readonly fail: (cause: unknown) => void;
    readonly refuse: (promise: PromiseLike<unknown>, what: string) => void;
    done: boolean;
    readonly clock: Clock | undefined;
    halted: {
        readonly cause: unknown;
    } | undefined;
}
type OnStop = (cause: unknown) => void;
interface PartChange {
    readonly scope?: RunScope | undefined;
    readonly signal?: AbortSignal | undefined;
}
export declare class Part {
    #private;
    readonly root: Root;
    readonly scope: RunScope | undefined;
    constructor(root: Root, { scope, signal }: PartChange, outer?: Part);
    inner(change: PartChange): Part;
    stop(cause?: unknown): void;
    get ended(): boolean;
    get signal(): AbortSignal | undefined;
    onStop(listener: OnStop): () => void;
    send(event: unknown): MaybePromise<void>;
    get emit(): Run['emit'];
    get run(): Run;
}
export declare function openPartOf(run: Run): Part;
export declare function checkRunOptions(options: {
    readonly run?: unknown;
    readonly signal?: unknown;
    readonly emit?: unknown;
}): void;
export declare const scopeOf: (run: Run) => RunScope | undefined;
export declare function failRun(run: Run, cause: unknown): never;
export declare const onStop: (run: Run, listener: (cause: unknown) => void) => (() => void);
export declare function needsAwait(run: Run, value: unknown): boolean;
export declare function partRun(run: Run, change: PartChange): {
    readonly run: Run;
    end(): void;
};
export declare const abortError: (signal: AbortSignal) => XError;
export declare function throwIfAborted(signal: AbortSignal | undefined): void;
export declare function abortable<T>(promise: PromiseLike<T>, signal: AbortSignal | undefined): Promise<T>;
export declare const stopError: (cause: unknown) => XError;
export declare function onAbort(signal: AbortSignal | undefined, listener: (cause: unknown) => void): (() => void) | undefined;
export {};
