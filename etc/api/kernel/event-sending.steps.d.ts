import type { EventBody, EventOptions, Listener, MaybePromise, Run, RunOptions, RunScope, RunTrace, SpanEvent, SpanOutcome, XEvent } from '@x/interfaces';
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
    readonly trace: RunTrace | undefined;
    constructor(counter: EventCounter, options: EventOptions | undefined, { trace, isHeard, spanId, ids }?: InnerScope);
    static listening({ run, emit, events, tracer }: Pick<RunOptions, 'run' | 'emit' | 'events' | 'tracer'>, { now, newId }: {
        readonly now: () => number;
        readonly newId: () => string;
    }): {
        readonly scope?: RunScope | undefined;
        readonly emit?: Listener | undefined;
    };
    get tracesRequests(): boolean;
    newSpanId(): string;
    inside(spanId: string): RunScope;
    heard(options: EventOptions | undefined): RunScope;
    takes(type: XEvent['type']): boolean;
    hears(): boolean;
    now(): number;
    send(event: EventBody | XEvent, next: Listener): MaybePromise<void>;
}
interface InnerScope {
    readonly trace?: RunTrace | undefined;
    readonly isHeard?: boolean | undefined;
    readonly spanId?: string | null | undefined;
    readonly ids?: {
        next: number;
    } | undefined;
}
export declare const tellsAll: (options: EventOptions | undefined) => boolean;
export declare function eventOutside(event: EventBody, time: number): XEvent;
type StartType<T> = T extends {
    type: `${infer K}Start`;
} ? K : never;
type SpanKind = StartType<SpanEvent>;
export interface Span<T> {
    readonly id: string;
    readonly parentId: string | null;
    readonly common: {
        readonly type: SpanKind;
        readonly agent: string | null;
    };
    readonly atStart?: object | undefined;
    readonly atEnd?: ((value: T | undefined, error: unknown) => object | undefined) | undefined;
    makeStart?(time: number): EventBody;
    makeEnd?(facts: EndFacts & {
        readonly time: number;
    }, value: T | undefined, error: unknown): EventBody;
    readonly outcome?: ((value: T) => SpanOutcome) | undefined;
    began?: number;
    now(): number;
    send(event: EventBody): MaybePromise<void>;
    readonly endsUntold?: boolean;
    sendStart?(event: EventBody): MaybePromise<void>;
    keep?(value: T, isTold: boolean): MaybePromise<void>;
    leave?(): void;
}
export declare function inSpan<T, E extends {
    readonly type: string;
}>(run: Run, span: Span<T>, steps: Steps<T, E>): Steps<T, E>;
export declare class UnheardSpan<T> {
    readonly span: Span<T>;
    over: boolean;
    constructor(span: Span<T>);
    end(value: T): T;
    fail(error: unknown): unknown;
    close(): void;
}
type EndFacts = Pick<Extract<SpanEvent, {
    readonly ms: number;
}>, 'ms' | 'outcome' | 'error'>;
export {};
