import type { JsonSchema, JsonValue, MaybePromise, Model, Run, Tool } from '@x/interfaces';
export interface World {
    readonly tools: readonly Tool[];
    readonly state: () => JsonValue;
}
export interface EvalTask {
    readonly id: string;
    readonly input: string;
    readonly kind?: string | undefined;
    readonly expected?: unknown;
    readonly answerSchema?: JsonSchema | undefined;
    readonly world?: (() => World) | undefined;
    readonly scorer?: Scorer | undefined;
}
export interface AskedTask extends Pick<EvalTask, 'id' | 'input' | 'answerSchema'> {
    readonly kind: string;
    readonly tools: readonly Tool[];
}
export interface AnswerContext {
    readonly run: Run;
    readonly signal: AbortSignal;
    readonly repeat: number;
    readonly seed: number;
}
export interface ContestantAnswer {
    readonly text?: string | null | undefined;
    readonly answer?: string | null | undefined;
    readonly confidence?: number | null | undefined;
}
export interface Contestant {
    readonly name: string;
    readonly settings?: JsonValue | undefined;
    readonly answer: (task: AskedTask, context: AnswerContext) => MaybePromise<string | ContestantAnswer>;
}
export interface GivenAnswer {
    readonly task: EvalTask;
    readonly text: string;
    readonly state: JsonValue;
}
export interface ScoreContext {
    readonly run: Run;
    readonly ask: (model: Model, request: Parameters<Model['create']>[0]) => Promise<string>;
}
export type Score = boolean | number | null | {
    readonly score: number | boolean | null;
    readonly reason?: string | undefined;
};
export interface Scorer {
    (given: GivenAnswer, context: ScoreContext): MaybePromise<Score>;
    readonly title?: string | undefined;
    readonly labelled?: readonly LabelledAnswer[] | undefined;
}
export interface LabelledAnswer {
    readonly input: string;
    readonly answer: string;
    readonly expected?: unknown;
    readonly label: boolean;
}
