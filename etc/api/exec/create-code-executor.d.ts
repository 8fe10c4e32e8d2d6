import { type OptionKinds } from '@x/kernel/options';
import { type ExecutorKind } from './backend/kinds.ts';
import { type WallRequirement } from './backend/walls.ts';
import { BlockExecutor } from './executor.ts';
import { type CodeReaderOptions } from './read/code-reader.ts';
import { type ExecutePolicy } from './run/languages.ts';
import type { ChooseChanges } from './changes/changeset.ts';
import { type ExecutionLimits } from './run/limits.ts';
export interface CodeExecutorOptions extends CodeReaderOptions {
    readonly trust?: 'host' | undefined;
    readonly workDir?: string | undefined;
    readonly timeout?: number | undefined;
    readonly limits?: {
        readonly [Name in keyof ExecutionLimits]?: ExecutionLimits[Name] | undefined;
    } | undefined;
    readonly execute?: ExecutePolicy | undefined;
    readonly env?: Readonly<Record<string, string>> | undefined;
    readonly network?: 'none' | 'host' | undefined;
    readonly readOnly?: readonly string[] | undefined;
    readonly apply?: 'safe' | 'all' | 'ask' | ChooseChanges | undefined;
    readonly writable?: readonly string[] | undefined;
    readonly require?: readonly WallRequirement[] | undefined;
    readonly image?: string | undefined;
    readonly runtime?: string | undefined;
    readonly socket?: string | undefined;
    readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined;
}
export declare const CODE_EXECUTOR_OPTION_KINDS: OptionKinds<CodeExecutorOptions>;
export declare function createCodeExecutor(kind?: ExecutorKind, options?: CodeExecutorOptions): BlockExecutor;
