import type { CodeExecutor, Isolation } from '@x/interfaces';
import type { ContractRunner } from './contract-runner.ts';
export interface CodeExecutorContract {
    create(options: {
        timeout: number;
        outputBytes: number;
    }): CodeExecutor;
    readonly language: 'sh' | 'javascript' | 'python';
    readonly isolation: Isolation;
    readonly files: boolean;
    readonly blocking?: boolean | undefined;
}
export declare function codeExecutorContract(runner: ContractRunner, contract: CodeExecutorContract): void;
