import type { MaybePromise, Model, ModelResponse, Run, SearchUsage } from '@x/interfaces';
export interface Asker {
    readonly name: string;
    readonly systemMessage: string;
    readonly model: Model;
    readonly note?: ((response: ModelResponse) => void) | undefined;
}
export interface Said {
    readonly text: string;
    readonly used: SearchUsage;
}
export declare function askModel(asker: Asker, content: string, { sample, run }: {
    sample: number;
    run: Run;
}): MaybePromise<Said>;
export declare function after<T, R>(value: MaybePromise<T>, goOn: (value: T) => R): MaybePromise<R>;
