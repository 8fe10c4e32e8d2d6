import type { ProviderContract } from './contract.ts';
import type { ContractRunner } from '../contracts/contract-runner.ts';
export declare function providerContract(runner: ContractRunner, contract: ProviderContract): void;
