import type { EventBody, MaybePromise, SpanEvent, SpanOutcome } from '@x/interfaces';
import { type Steps } from './steps.ts';
type StartType<T> = T extends {
    type: `${infer K}Start`;
} ? K : never;
type SpanKind = StartType<SpanEvent>;
export interface Span<T> {
    readonly kind: SpanKind;
    readonly common: Readonly<Record<string, unknown>> & {
        readonly agent: string | null;
        readonly id: string;
        readonly parentId: string | null;
    };
    readonly atStart?: object | undefined;
    readonly atEnd?: ((value: T | undefined) => object) | undefined;
    readonly outcome?: ((value: T) => SpanOutcome) | undefined;
    readonly now: () => number;
    readonly send: (event: EventBody) => MaybePromise<void>;
    readonly sendStart?: ((event: EventBody) => MaybePromise<void>) | undefined;
}
export declare function inSpan<T, E extends {
    readonly type: string;
}>(span: Span<T>, steps: Steps<T, E>): Steps<T, E>;
export {};
