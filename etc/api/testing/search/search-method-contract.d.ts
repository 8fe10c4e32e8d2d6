import type { ContractRunner } from '../contracts/contract-runner.ts';
import type { ContractMethod, SearchMethodContract } from './contract-search.ts';
export declare function searchMethodContract<M extends ContractMethod>(runner: ContractRunner, contract: SearchMethodContract<M>): void;
