import type { CallInput, SpanOutcome, XEvent } from '@x/interfaces';
export interface ModelSpending {
    readonly day: string;
    readonly agent: string | null;
    readonly model: string;
    readonly calls: number;
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly cost: number;
    readonly unpriced?: number | undefined;
}
export interface RunSummary {
    readonly began: number;
    readonly last: number;
    readonly title: string;
    readonly agents: readonly string[];
    readonly outcome: SpanOutcome | null;
    readonly error: string | null;
    readonly messages: number;
    readonly tools: number;
    readonly events: number;
    readonly spent: readonly ModelSpending[];
    readonly problem: string | null;
}
export type SummaryPart = Omit<RunSummary, 'outcome'> & {
    readonly outcome?: RunSummary['outcome'] | undefined;
};
export declare const isTime: (value: unknown) => boolean;
export declare const withTime: (event: XEvent) => XEvent;
export declare class SummaryCount {
    #private;
    constructor(redact?: (text: string) => string);
    add(told: XEvent): void;
    addPart(asked: CallInput): void;
    addAnswer(answer: unknown, time: number): void;
    fail(reason: string): void;
    take(now: number): SummaryPart | null;
}
export declare function performedJob({ input }: CallInput): string | undefined;
export declare const partWithoutEvents: (now: number) => SummaryPart;
export declare function joinSummaries(before: RunSummary | null, later: SummaryPart): RunSummary;
export declare const beginningOf: (text: string, length: number) => string;
