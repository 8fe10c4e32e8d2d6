import type { MaybePromise, ModelClient, ModelErrorKind, ModelParams } from '@x/interfaces';
export interface ContractAnswer {
    readonly text?: string | undefined;
    readonly calls?: readonly {
        readonly name: string;
        readonly arguments: string;
    }[] | undefined;
    readonly usage?: {
        readonly prompt: number;
        readonly completion: number;
    } | undefined;
}
export type ContractTurn = {
    readonly answer: ContractAnswer;
} | {
    readonly failure: ModelErrorKind;
} | {
    readonly hang: true;
} | {
    readonly cut: ContractAnswer;
};
export interface ModelClientContract {
    readonly name: string;
    readonly create: (turns: readonly ContractTurn[], key: string) => MaybePromise<ModelClient>;
    readonly dispose?: (() => MaybePromise<void>) | undefined;
    readonly model?: string | undefined;
    readonly failures?: readonly ModelErrorKind[] | undefined;
    readonly hangs?: boolean | undefined;
    readonly cuts?: boolean | undefined;
}
export interface ClientCase {
    readonly client: ModelClient;
    readonly params: ModelParams;
}
export type WithClient = <T>(turns: readonly ContractTurn[], use: (its: ClientCase) => Promise<T>) => Promise<T>;
export declare const CLIENT_KEY = "sk-contract-7b1e9d4c2a60";
