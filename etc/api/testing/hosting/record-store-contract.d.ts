import type { ContractRunner } from '../contracts/contract-runner.ts';
import type { HostingContract } from './hosting-contract.ts';
export declare function recordStoreContract({ describe, test, expect }: ContractRunner, contract: HostingContract): void;
