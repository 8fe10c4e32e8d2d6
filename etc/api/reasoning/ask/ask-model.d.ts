import type { JsonSchema, MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces';
export interface ModelCaller {
    readonly name: string;
    readonly systemMessage: string;
    readonly model: Model;
    readonly note?: ((response: ModelResponse) => void) | undefined;
}
export interface ModelReply {
    readonly text: string;
    readonly used: SearchUsage;
}
export interface AskOptions {
    readonly sample: number;
    readonly run: Run;
    readonly answerSchema?: JsonSchema | undefined;
}
export declare function askModel(caller: ModelCaller, content: string, { sample, run, answerSchema }: AskOptions): MaybePromise<ModelReply>;
