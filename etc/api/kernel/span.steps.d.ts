import type { EventBody, MaybePromise, Run, SpanEvent, SpanOutcome } from '@x/interfaces';
import { type Steps } from './steps.ts';
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
    readonly atStart?: PropertyDescriptorMap | undefined;
    readonly atEnd?: ((value: T | undefined, error: unknown) => object) | undefined;
    readonly outcome?: ((value: T) => SpanOutcome) | undefined;
    now(): number;
    send(event: EventBody): MaybePromise<void>;
    sendStart?(event: EventBody): MaybePromise<void>;
    leave?(): void;
}
export declare function inSpan<T, E extends {
    readonly type: string;
}>(run: Run, span: Span<T>, steps: Steps<T, E>): Steps<T, E>;
export {};
