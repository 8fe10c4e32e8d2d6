import type { ConfigEntry, Provider } from '@x/interfaces';
import { type ProviderFailure } from './contract.ts';
import type { ContractRunner } from '../contracts/contract-runner.ts';
interface EmbeddingsContract {
    readonly provider: Provider;
    readonly config: ConfigEntry;
    readonly recordings: readonly EmbeddingsRecording[];
    readonly dimensionsKey?: string | undefined;
    readonly failures: readonly ProviderFailure[];
}
interface EmbeddingsRecording {
    readonly name: string;
    readonly texts: readonly string[];
    readonly body: string;
    readonly vectors: readonly (readonly number[])[];
    readonly model?: string | undefined;
    readonly tokens: number | null;
}
export declare function embeddingsContract(runner: ContractRunner, contract: EmbeddingsContract): void;
export {};
