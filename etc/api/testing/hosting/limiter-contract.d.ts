import type { ContractRunner } from '../contracts/contract-runner.ts';
import { type SharedLimitsContract } from './shared-limits-contract.ts';
export declare function limiterContract(runner: ContractRunner, contract: SharedLimitsContract): void;
