import type { ContractRunner } from '../contracts/contract-runner.ts';
import { type HostingContract } from './hosting-contract.ts';
export declare function eventLogContract({ describe, test, expect }: ContractRunner, contract: HostingContract): void;
