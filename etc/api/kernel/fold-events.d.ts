import type { ChatMessage, ChatResult, PendingApproval, Reply, SpanEvent, SpanOutcome, XEvent } from '@x/interfaces';
export interface FoldedRun {
    readonly runId: string | null;
    readonly result: ChatValue | Reply | null;
    readonly messages: readonly ChatMessage[];
    readonly usage: ChatResult['cost'];
    readonly cost: number;
    readonly chats: readonly FoldedChat[];
    readonly toolCalls: readonly FoldedToolCall[];
    readonly approvals: readonly PendingApproval[];
    readonly answers: readonly FoldedAnswer[];
    readonly models: Readonly<Record<string, string>>;
    readonly tree: readonly FoldedSpan[];
}
type ChatValue = ChatResult & {
    readonly result?: unknown;
} & Partial<NonNullable<EventOf<'chatEnd'>['group']>>;
type FoldedOutcome = SpanOutcome | 'running' | 'interrupted';
interface FoldedChat {
    readonly id: string;
    readonly chatId: string | null;
    readonly agent: string;
    readonly recipient: string;
    readonly nested: boolean;
    readonly messages: readonly ChatMessage[];
    readonly firstIndex: number;
    readonly outcome: FoldedOutcome;
    readonly error: SpanError;
    readonly terminationReason: ChatResult['terminationReason'] | null;
    readonly summary: ChatResult['summary'] | null;
    readonly cost: ChatResult['cost'] | null;
    readonly result: unknown;
    readonly group: EventOf<'chatEnd'>['group'];
    readonly humanInput: readonly string[];
}
interface FoldedToolCall extends Pick<EventOf<'toolEnd'>, 'name' | 'callId' | 'arguments' | 'result' | 'parts' | 'approval'> {
    readonly id: string;
    readonly agent: string;
    readonly chatId: string | null;
    readonly time: number;
    readonly ms: number | null;
    readonly outcome: FoldedOutcome;
    readonly error: SpanError;
}
interface FoldedAnswer {
    readonly id: string;
    readonly agent: string;
    readonly chatId: string | null;
    readonly text: string;
    readonly reasoning: string;
}
type FoldedSpan = {
    [K in SpanKind]: SpanOfKind<K>;
}[SpanKind];
interface SpanOfKind<K extends SpanKind> {
    readonly kind: K;
    readonly id: string;
    readonly parentId: string | null;
    readonly outcome: FoldedOutcome;
    readonly start: EventOf<`${K}Start`> | null;
    readonly end: EventOf<`${K}End`> | null;
    readonly children: readonly FoldedSpan[];
}
type EventOf<T extends string> = Extract<XEvent, {
    type: T;
}>;
type EndEvent = EventOf<`${SpanKind}End`>;
type SpanError = EndEvent['error'];
type SpanKind = Extract<SpanEvent, {
    type: `${string}Start`;
}>['type'] extends `${infer K}Start` ? K : never;
export declare function foldEvents(events: Iterable<XEvent>): FoldedRun;
export declare class EventFold {
    #private;
    add(event: XEvent): void;
    span(id: string): FoldedSpan | undefined;
    get value(): FoldedRun;
}
export {};
