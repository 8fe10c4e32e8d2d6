import type { CodeBlock, CodeExecutor, CodeReader, CodeResult, Isolation } from '@x/interfaces';
import { type OptionKinds } from '@x/kernel/options';
import { type BackendSpec, type ExecutorFacts } from './backend/kinds.ts';
import { type WallRequirement, type Walls } from './backend/walls.ts';
import type { ChooseChanges, CodeExecutionOptions } from './changes/changeset.ts';
import { type ExecutePolicy } from './run/languages.ts';
import type { ExecutionLimits } from './run/limits.ts';
type BlockingOptions = Pick<CodeExecutionOptions, 'run' | 'emit' | 'events' | 'chooseChanges'>;
export type Directories = Pick<ExecutorFacts, 'workDir' | 'given' | 'workspace'>;
export interface ExecutorParts {
    readonly reader: CodeReader;
    readonly limits: ExecutionLimits;
    readonly execute: ExecutePolicy;
    readonly workDir?: string | undefined;
    readonly concurrency?: number | undefined;
    readonly confined?: boolean | undefined;
    readonly choose?: ChooseChanges | undefined;
    readonly asks?: boolean | undefined;
    spec(directories: Directories): BackendSpec;
    readonly isolation: Isolation;
    readonly required?: readonly WallRequirement[] | undefined;
}
export declare class BlockExecutor implements CodeExecutor {
    #private;
    readonly codeReader: CodeReader;
    constructor(parts: ExecutorParts);
    get isolation(): Isolation;
    get walls(): Walls;
    get workDir(): string | null;
    executeCodeBlocks(blocks: readonly CodeBlock[], options?: CodeExecutionOptions): Promise<CodeResult>;
    executeCodeBlocksSync(blocks: readonly CodeBlock[], options?: BlockingOptions): CodeResult;
    restart(): Promise<void>;
    close(): Promise<void>;
    [Symbol.asyncDispose](): Promise<void>;
}
export declare function withRequiredWalls(executor: BlockExecutor, required: readonly WallRequirement[]): BlockExecutor;
export declare function checkExecutorOptions<O extends {
    readonly execute?: ExecutePolicy | undefined;
}>(operation: string, options: O | undefined, kinds: OptionKinds<O>): void;
export {};
