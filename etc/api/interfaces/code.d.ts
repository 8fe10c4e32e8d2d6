import type { CodeBlock } from './approval.ts';
import type { CodeChange, CodeResult, Isolation } from './code-result.ts';
import type { MaybePromise } from './maybe-promise.ts';
import type { ChatMessage } from './message.ts';
import type { RunContext, RunOptions } from './run.ts';
export interface CodeReader {
    extractCode(content: ChatMessage['content']): CodeBlock[];
    inferLang(code: string): string;
}
type ChooseChanges = (changeset: {
    readonly changes: readonly CodeChange[];
    readonly diff: string;
}, context: RunContext) => MaybePromise<'all' | 'safe' | 'none' | readonly string[]>;
interface CodeExecutionOptions extends RunOptions {
    readonly chooseChanges?: ChooseChanges | undefined;
}
export interface CodeExecutor {
    readonly codeReader: CodeReader;
    readonly isolation: Isolation;
    executeCodeBlocks(blocks: readonly CodeBlock[], options?: CodeExecutionOptions): MaybePromise<CodeResult>;
    executeCodeBlocksSync?(blocks: readonly CodeBlock[], options?: Pick<CodeExecutionOptions, 'run' | 'emit' | 'events' | 'chooseChanges'>): CodeResult;
    restart?(): MaybePromise<void>;
    close?(): MaybePromise<void>;
}
export interface RunCodeOptions extends RunOptions {
    readonly lang?: string | undefined;
    readonly filename?: string | undefined;
    readonly timeout?: number | undefined;
    readonly workDir?: string | undefined;
    readonly useDocker?: boolean | string | undefined;
}
export interface CodeRunner {
    readonly codeReader: CodeReader;
    readonly useDocker: boolean | string | null;
    runCode(code: string, options: RunCodeOptions): MaybePromise<[exitCode: number, logs: string, image: string | null]>;
    runCodeSync?(code: string, options: RunCodeOptions): [exitCode: number, logs: string, image: string | null];
}
export type LastNMessages = number | 'auto';
export type CodeExecutionConfig = {
    executor: CodeExecutor;
    lastNMessages?: LastNMessages | undefined;
} | {
    runner: CodeRunner;
    lastNMessages?: LastNMessages | undefined;
};
export {};
