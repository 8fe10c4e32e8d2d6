import type { EventBody, EventOptions, Listener, MaybePromise, Run, RunOptions, RunScope, SpanEvent, SpanOutcome, XEvent } from '@x/interfaces';
import { EventCounter } from './run-part.ts';
import { type Steps } from './steps.ts';
export declare class EventScope implements RunScope {
    #private;
    readonly chatId: null;
    readonly agentPath: null;
    readonly budget: null;
    readonly cache: null;
    readonly callKind: null;
    readonly spanId: string | null;
    constructor(counter: EventCounter, options: EventOptions | undefined, spanId?: string | null, ids?: {
        next: number;
    });
    static listening({ run, emit, events }: Pick<RunOptions, 'run' | 'emit' | 'events'>, { now, newId }: {
        readonly now: () => number;
        readonly newId: () => string;
    }): {
        readonly scope?: RunScope | undefined;
        readonly emit?: Listener | undefined;
    };
    newSpanId(): string;
    inside(spanId: string): RunScope;
    heard(options: EventOptions | undefined): RunScope;
    takes(): boolean;
    now(): number;
    send(event: EventBody | XEvent, next: Listener): MaybePromise<void>;
}
export declare function eventOutside(event: EventBody, time: number): XEvent;
type StartType<T> = T extends {
    type: `${infer K}Start`;
} ? K : never;
type SpanKind = StartType<SpanEvent>;
export interface Span<T> {
    readonly common: {
        readonly type: SpanKind;
        readonly agent: string | null;
        readonly id: string;
        readonly parentId: string | null;
    };
    readonly atStart?: object | undefined;
    readonly atEnd?: ((value: T | undefined, error: unknown) => object) | undefined;
    readonly outcome?: ((value: T) => SpanOutcome) | undefined;
    began?: number;
    now(): number;
    send(event: EventBody): MaybePromise<void>;
    sendStart?(event: EventBody): MaybePromise<void>;
    keep?(value: T, isTold: boolean): MaybePromise<void>;
    leave?(): void;
}
export declare function inSpan<T, E extends {
    readonly type: string;
}>(run: Run, span: Span<T>, steps: Steps<T, E>): Steps<T, E>;
export {};
