import type { JsonSchema, MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import type { FingerprintedPart } from '../strategy/fingerprint.ts';
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
export declare function fitPrompt(name: string, texts: readonly string[], max?: number): {
    readonly texts: readonly string[];
    readonly warnings?: readonly string[];
};
export declare const MODEL_KIND: OptionKinds<{
    model: Model;
}>['model'];
export declare const factsOf: (model: Model) => Pick<FingerprintedPart, 'modelName' | 'requestSettings'>;
export declare const warnOfModel: (part: string, model: string | undefined) => readonly string[];
export declare const SCALE_KIND: OptionKinds<{
    scale: number;
}>['scale'];
export declare const PROMPT_LENGTH_KIND: OptionKinds<{
    length: number;
}>['length'];
