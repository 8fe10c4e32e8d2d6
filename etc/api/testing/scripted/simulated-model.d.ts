import type { LlmConfig } from '@x/interfaces';
interface SimulatedCall {
    readonly when: RegExp;
    readonly name: string;
    readonly arguments: (match: RegExpExecArray) => Readonly<Record<string, unknown>>;
}
export interface SimulatedModelOptions {
    readonly calls?: readonly SimulatedCall[] | undefined;
    readonly about: string;
    readonly pace?: number | undefined;
}
export declare function simulatedModel(options: SimulatedModelOptions): LlmConfig;
export {};
