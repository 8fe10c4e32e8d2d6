import type { ContractRunner } from './contract-runner.ts';
import { type ModelClientContract } from './client-contract.ts';
export declare function modelClientContract(runner: ContractRunner, contract: ModelClientContract): void;
