import type { Budget } from './budget.ts';
import type { CacheStore } from './cache.ts';
import type { EventBody, EventOptions, XEvent } from './event.ts';
import type { JournalEntry, JournalKind } from './journal.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ChatMessage } from './message.ts';
import type { UsageSummary } from './usage.ts';
export type Face = 'sync' | 'async' | 'stream';
export type Listener<E extends {
    readonly type: string;
} = XEvent> = (event: E) => MaybePromise<void>;
export interface Run {
    readonly face: Face;
    readonly signal: AbortSignal | undefined;
    readonly emit: (event: EventBody | XEvent) => MaybePromise<void>;
}
export interface TraceContext {
    readonly traceparent: string;
    readonly tracestate?: string | undefined;
}
export interface RunTracer {
    begin(context?: TraceContext): RunTrace;
}
export interface RunTrace {
    readonly takes: ReadonlySet<XEvent['type']>;
    readonly takesRecalled?: boolean | undefined;
    readonly skipsParts?: boolean | 'answers' | undefined;
    readonly propagates: boolean;
    take(event: XEvent): void;
    contextOf(spanId: string | null): TraceContext | undefined;
    takeRequest?(spanId: string, messages: readonly ChatMessage[]): void;
    beginOperation?(operation: {
        readonly name: 'embed' | 'countTokens';
        readonly id: string;
        readonly parentId: string | null;
        readonly agent: string | null;
        readonly configId: number;
        readonly provider: string | null;
        readonly endpoint: string | null;
        readonly model: string | null;
        readonly time: number;
    }): (end: {
        readonly time: number;
        readonly failure: string | null;
        readonly model: string | null;
        readonly tokens: number | null;
        readonly cost: number | null;
        readonly dimensions: number | null;
    }) => void;
    readonly calls?: RunCalls | undefined;
    readonly beside?: RunTrace | undefined;
}
export interface RunCalls {
    begin(run: {
        readonly runId: string;
        readonly waits: boolean;
        readonly resumed: boolean;
    }): void;
    takeInput(call: ExternalCall & {
        readonly place: string;
    }, input: CallInput): void;
    takeEntry(entry: JournalEntry): void;
    fail(reason: string): void;
}
export type CallInput = Readonly<Record<string, unknown>>;
export interface RunContext {
    readonly run: Run | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly emit?: Run['emit'] | undefined;
    readonly contextVariables?: SharedVariables | undefined;
}
export interface RunOptions {
    readonly run?: Run | undefined;
    readonly signal?: AbortSignal | undefined;
    readonly emit?: Listener | undefined;
    readonly events?: EventOptions | undefined;
    readonly tracer?: RunTracer | undefined;
}
export interface SteeringSource {
    take(): MaybePromise<readonly {
        readonly text: string;
    }[]>;
    readonly isEmpty?: boolean | undefined;
    end?(): void;
}
export interface ExternalCall {
    readonly kind: JournalKind;
    readonly name?: string | undefined;
}
export interface OpenCall {
    readonly place: string;
    readonly spanId: string;
    readonly begunBefore: boolean;
    readonly run: Run;
    readonly known: {
        readonly value: unknown;
    } | undefined;
    readonly isUntold: boolean;
    beforeCall?(): MaybePromise<void>;
    keep(value: unknown, isTold?: boolean): MaybePromise<void>;
    readonly recorded: boolean;
    readonly noteInput?: ((input: CallInput) => void) | undefined;
    part(name: string): CallPart;
    end(): void;
}
interface CallPart extends Pick<OpenCall, 'known' | 'beforeCall' | 'keep' | 'noteInput'> {
    readonly leave?: ((seconds: number) => Promise<never> | undefined) | undefined;
}
export interface RunScope {
    readonly chatId: string | null;
    readonly agentPath: readonly string[] | null;
    readonly budget: Budget | null;
    readonly cache: CacheStore | null;
    readonly spanId: string | null;
    readonly trace?: RunTrace | undefined;
    readonly tracer?: RunTracer | undefined;
    readonly tracesRequests?: boolean | undefined;
    readonly skipsParts?: boolean | 'answers' | undefined;
    readonly tellsRecalled?: boolean | undefined;
    readonly callKind: JournalKind | null;
    newSpanId(): string;
    inside(spanId: string): RunScope;
    heard(options: EventOptions | undefined): RunScope;
    takes(type: XEvent['type']): boolean;
    hears?(type: XEvent['type']): boolean;
    now(): number;
    send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void>;
    open?(run: Run, call: ExternalCall): OpenCall | undefined;
    part?(run: Run, name: string): CallPart | undefined;
    countUsage?(used: {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    }): void;
}
export interface EventStream<T, E = XEvent> extends AsyncGenerator<E, T, void> {
    readonly result: Promise<T>;
}
export interface SharedVariables<C extends object = Record<string, unknown>> {
    get<K extends keyof C>(key: K): C[K];
    set<K extends keyof C>(key: K, value: C[K]): void;
    update(changes: Partial<C>): void;
    remove(key: keyof C): boolean;
    toJSON(): C;
}
export {};
