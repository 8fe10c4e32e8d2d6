import type { ConfigEntry, Provider } from '@x/interfaces';
import type { ContractRunner } from '../contracts/contract-runner.ts';
import type { BatchServer, BatchServerOptions } from '../wire/batch-server.ts';
interface BatchesContract {
    readonly provider: Provider;
    readonly config: ConfigEntry;
    readonly start: (options: Omit<BatchServerOptions, 'vendor' | 'createdAt'>) => Promise<ServedBatches>;
}
type ServedBatches = Pick<BatchServer, 'url' | 'batches' | 'requests' | 'close'>;
export declare function batchesContract(runner: ContractRunner, contract: BatchesContract): void;
export {};
