import type { Agent, Budget, CacheStore, EventBody, EventOrigin, ExternalCall, HookName, JournalKind, Listener, MaybePromise, OpenCall, Run, RunScope, SharedVariables, XEvent } from '@x/interfaces';
import { type Steps, XError } from '@x/kernel';
import type { Chat } from '../memory/state.ts';
import type { AddedToReply } from '../options/operations.ts';
import type { RecordedCall, ScopeJournal } from './recorder.ts';
interface ScopeChange {
    readonly chat?: Chat | undefined;
    readonly chatId?: string | undefined;
    readonly place?: string | undefined;
    readonly journal?: ScopeJournal | null | undefined;
    readonly budget?: ChatBudget | null | undefined;
    readonly agent?: Agent | undefined;
    readonly silent?: boolean | null | undefined;
    readonly streams?: boolean | undefined;
    readonly variables?: SharedVariables | undefined;
    readonly additions?: AddedToReply | undefined;
    readonly callKind?: JournalKind | undefined;
}
export declare class Scope implements RunScope {
    readonly services: RunServices;
    readonly chat: Chat | null;
    readonly chatId: string | null;
    readonly places: Places;
    readonly journal: ScopeJournal | null;
    readonly budget: ChatBudget | null;
    readonly events: EventSender;
    readonly streams: boolean;
    readonly variables: SharedVariables | null;
    readonly additions: AddedToReply | null;
    readonly callKind: JournalKind | null;
    readonly outer: Scope | null;
    constructor(services: RunServices, outer: Scope | null, change: ScopeChange);
    inner(change: ScopeChange): Scope;
    get isRecorded(): boolean;
    get isPast(): boolean;
    get agentPath(): readonly string[];
    get cache(): CacheStore | null;
    get spanId(): string | null;
    newSpanId(): string;
    now(): number;
    takes(type: XEvent['type']): boolean;
    origin(agent: string | null): EventOrigin | undefined;
    send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void>;
    open(run: Run, call: ExternalCall): OpenCall | undefined;
}
export declare const scopeIn: (run: Run) => Scope;
export declare const inScope: <T>(scope: Scope, steps: Steps<T>) => Steps<T>;
export interface RunServices {
    readonly types: ReadonlySet<string> | null;
    readonly spans: boolean;
    readonly prints: boolean;
    readonly now: () => number;
    readonly runId: () => string;
    readonly open: (scope: RunScope, run: Run, call: RecordedCall & {
        readonly closed?: boolean;
    }) => OpenCall;
}
export interface ChatBudget extends Budget {
    readonly usedUp: boolean;
}
export declare class Places {
    readonly place: string;
    next: number;
    spans: number;
    hooks: Partial<Record<HookName, number>> | null;
    constructor(place: string);
    take(): string;
    get upcoming(): string;
    takeSpan(): string;
    span(number: number): string;
    at(index: number | string): string;
}
export interface OpenSpan {
    readonly id: string;
    readonly parent: OpenSpan | null;
    start: XEvent | null;
}
interface SendingScope {
    readonly services: RunServices;
    readonly chatId: string | null;
    readonly places: Places;
    readonly isRecorded: boolean;
    readonly isPast: boolean;
}
export declare class EventSender {
    readonly agentPath: readonly string[];
    readonly isSilent: boolean;
    span: OpenSpan | null;
    readonly scope: SendingScope;
    paths: Map<string, readonly string[]> | undefined;
    constructor(scope: SendingScope, outer: EventSender | null, change: {
        readonly agent?: Agent | undefined;
        readonly silent?: boolean | null | undefined;
    });
    takes(type: XEvent['type']): boolean;
    send(event: EventBody | XEvent, next: Listener, fail?: (error: unknown) => void): MaybePromise<void>;
    withOrigin(event: EventBody): XEvent;
    origin(agent: string | null): EventOrigin | undefined;
    pathTo(agent: string | null): readonly string[] | null;
    sendBehindStarts(event: XEvent, next: Listener): MaybePromise<void>;
    foreignEvent({ chatId, agentPath, agent }: XEvent): XError | undefined;
}
export {};
