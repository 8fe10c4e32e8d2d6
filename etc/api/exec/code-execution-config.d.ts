import type { CodeExecutionConfig, CodeRunner, RunCodeOptions } from '@x/interfaces';
import { type CodeExecutorOptions } from './create-code-executor.ts';
export interface LegacyCodeOptions extends Omit<CodeExecutorOptions, 'reading' | 'inferLang' | 'execute' | 'image'> {
    readonly useDocker?: boolean | string | undefined;
    readonly timeout?: number | undefined;
    readonly lastNMessages?: CodeExecutionConfig['lastNMessages'];
}
export declare function codeExecutionConfig(options?: LegacyCodeOptions): Extract<CodeExecutionConfig, {
    runner: CodeRunner;
}> & {
    runner: LegacyCodeRunner;
};
export declare class LegacyCodeRunner implements CodeRunner {
    #private;
    readonly codeReader: CodeRunner['codeReader'];
    readonly useDocker: boolean | string;
    constructor(options?: Omit<LegacyCodeOptions, 'lastNMessages'>);
    runCode(code: string, options?: RunCodeOptions): Promise<[exitCode: number, logs: string, image: string | null]>;
    runCodeSync(code: string, options?: RunCodeOptions): [exitCode: number, logs: string, image: string | null];
    close(): Promise<void>;
}
