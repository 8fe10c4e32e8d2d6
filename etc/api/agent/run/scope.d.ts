import type { Agent, CacheStore, EventBody, EventOrigin, ExternalCall, HookName, JournalKind, Listener, MaybePromise, OpenCall, Run, RunScope, XEvent } from '@x/interfaces';
import { type Steps } from '@x/kernel';
import type { ActiveChat } from '../memory/state.ts';
import type { ChatBudget } from './chat-budget.ts';
import { type Participants } from './participants.ts';
import type { RecordedCall, Recorder } from './recorder.ts';
export interface RunMeans {
    readonly types: ReadonlySet<string> | null;
    readonly spans: boolean;
    readonly now: () => number;
    readonly runId: () => string;
    readonly open: (scope: Scope, run: Run, call: RecordedCall & {
        readonly closed?: boolean;
    }) => OpenCall;
}
export interface OpenSpan {
    readonly id: string;
    readonly parent: OpenSpan | null;
    start: XEvent | null;
}
interface ScopeChange {
    readonly place?: string | undefined;
    readonly chatId?: string | undefined;
    readonly agent?: Agent | undefined;
    readonly budget?: ChatBudget | null | undefined;
    readonly chat?: ActiveChat | undefined;
    readonly participants?: Participants | null | undefined;
    readonly recorder?: Recorder | null | undefined;
    readonly callKind?: JournalKind | undefined;
    readonly streams?: boolean | undefined;
}
export declare class Scope implements RunScope {
    #private;
    readonly means: RunMeans;
    readonly chatId: string | null;
    readonly agentPath: readonly string[];
    readonly budget: ChatBudget | null;
    readonly chat: ActiveChat | null;
    readonly depth: number;
    readonly place: string;
    readonly recorder: Recorder | null;
    readonly streams: boolean;
    readonly participants: Participants | null;
    readonly counts: {
        next: number;
        spans: number;
        hooks: Partial<Record<HookName, number>> | null;
    };
    readonly callKind: JournalKind | null;
    span: OpenSpan | null;
    constructor(means: RunMeans, outer: Scope | null, change: ScopeChange);
    inner(change: ScopeChange): Scope;
    recordedRun(recorder: Recorder | null, length: number, budget: ChatBudget | null): Scope;
    get spanId(): string | null;
    newSpanId(): string;
    spanIdAt(index: number): string;
    get cache(): CacheStore | null;
    nextPlace(): string;
    get upcomingPlace(): string;
    placeAt(index: number | string): string;
    takes(type: XEvent['type']): boolean;
    now(): number;
    get isPast(): boolean;
    open(run: Run, call: ExternalCall): OpenCall | undefined;
    send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void>;
    stamped(event: EventBody): XEvent;
    origin(agent: string | null): EventOrigin | undefined;
    pathTo(agent: string | null): readonly string[] | null;
}
export declare const scopeIn: (run: Run) => Scope;
export declare const inScope: <T>(scope: Scope, steps: Steps<T>) => Steps<T>;
export {};
