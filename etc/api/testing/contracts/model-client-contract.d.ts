import type { ContractRunner } from '../provider-contract/runner.ts';
import { type ModelClientContract } from './client-contract.ts';
export declare function modelClientContract(runner: ContractRunner, contract: ModelClientContract): void;
