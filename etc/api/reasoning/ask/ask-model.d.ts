import type { MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces';
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
export declare function askModel(caller: ModelCaller, content: string, { sample, run }: {
    sample: number;
    run: Run;
}): MaybePromise<ModelReply>;
