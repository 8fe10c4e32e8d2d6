import type { Agent } from './agent.ts';
import type { HistoryCutReport } from './event.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ChatMessage } from './message.ts';
import type { LlmConfig, Model } from './model.ts';
import type { Run } from './run.ts';
import type { ToolSchema } from './tool.ts';
import type { UsageSummary } from './usage.ts';
export interface HistoryQuestion {
    readonly agent: Agent;
    readonly conversation: object;
    readonly before: readonly ChatMessage[];
    readonly messages: readonly ChatMessage[];
    readonly model: Model;
    readonly llmConfig: LlmConfig | null;
    readonly tools?: readonly ToolSchema[] | undefined;
    readonly run: Run | undefined;
    readonly refused: boolean;
    readonly record?: unknown;
    readonly answered: boolean;
}
export interface HistoryCut {
    readonly report: HistoryCutReport;
    readonly record: unknown;
    readonly usage: {
        readonly actual: UsageSummary | null;
        readonly total: UsageSummary | null;
    } | null;
    readonly warnings: readonly string[];
}
export interface ChosenHistory {
    readonly messages: readonly ChatMessage[];
    readonly cut: HistoryCut | null;
}
export interface HistoryView {
    models(): readonly Model[];
    choose(question: HistoryQuestion): MaybePromise<ChosenHistory>;
    readonly limits?: Readonly<Record<string, unknown>> | undefined;
    noteUsage(conversation: object, promptTokens: number): void;
    save(conversation: object): unknown;
    load(conversation: object, saved: unknown): void;
}
