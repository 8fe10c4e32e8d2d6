import type { ChatMessage, ContentPart, Reply, XEvent } from '@x/interfaces';
import type { KeptRunInfo, RunStep } from '@x/records';
export declare const MAX_COMPARED = 8;
export interface StudioInfo {
    readonly title: string;
    readonly agents: readonly string[];
    readonly forks: boolean;
    readonly labels: boolean;
    readonly decides: boolean;
}
export interface RunTotals {
    readonly runs: number;
    readonly failed: number;
    readonly calls: number;
    readonly promptTokens: number;
    readonly completionTokens: number;
    readonly cost: number;
    readonly unpriced: number;
    readonly days: readonly {
        readonly day: string;
        readonly runs: number;
        readonly cost: number;
    }[];
}
export interface RunList {
    readonly runs: readonly KeptRunInfo[];
    readonly totals: RunTotals;
    readonly agents: readonly string[];
    readonly tags: readonly string[];
}
export interface StepRow extends Pick<RunStep, 'id' | 'kind' | 'agent' | 'name' | 'place' | 'time' | 'ms' | 'outcome' | 'cost' | 'cached'> {
    readonly depth: number;
    readonly text: string;
    readonly result: string;
    readonly error: string | null;
    readonly tokens: readonly [number, number] | null;
    readonly model: string | null;
    readonly waits: boolean;
    readonly isShared: boolean;
}
export interface RunRows {
    readonly info: KeptRunInfo;
    readonly from: number;
    readonly rows: readonly StepRow[];
    readonly seq: number;
}
export interface AskedModel {
    readonly messages: readonly ChatMessage[];
    readonly leftOut: number;
    readonly shared: number;
    readonly before: readonly ChatMessage[];
    readonly settings: unknown;
}
export interface ThoughtNode {
    readonly id: string;
    readonly parent: string | null;
    readonly text: string;
    readonly grade: number | null;
    readonly fate: string | null;
    readonly isBest: boolean;
}
export interface StepDetail {
    readonly id: string;
    readonly input: string;
    readonly output: string;
    readonly error: string | null;
    readonly asked: AskedModel | null;
    readonly answer: Reply | null;
    readonly reasoning: string | null;
    readonly parts: readonly ContentPart[];
    readonly thoughts: readonly ThoughtNode[];
    readonly events: readonly XEvent[];
}
export interface RunFuture {
    readonly info: KeptRunInfo;
    readonly said: readonly {
        readonly who: string;
        readonly text: string;
    }[];
}
export interface ForkRequest {
    readonly place: string | null;
    readonly answer?: string | undefined;
    readonly message?: string | undefined;
    readonly samples: number;
}
export type ChatLine = {
    readonly type: 'text';
    readonly id: string;
    readonly agent: string;
    readonly text: string;
} | {
    readonly type: 'begin';
    readonly id: string;
    readonly agent: string;
    readonly model: string;
} | {
    readonly type: 'tool';
    readonly agent: string;
    readonly name: string;
    readonly input: string;
    readonly output: string | null;
    readonly id: string;
} | {
    readonly type: 'end';
    readonly runId: string | null;
    readonly text: string;
} | {
    readonly type: 'error';
    readonly error: string;
};
