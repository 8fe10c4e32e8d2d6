import type { CodeExecutorOptions } from './create-code-executor.ts';
import type { BackendFactory } from './custom/backend.ts';
import { BlockExecutor } from './executor.ts';
export interface CustomExecutorOptions extends Pick<CodeExecutorOptions, 'inferLang' | 'reading' | 'workDir' | 'timeout' | 'limits' | 'execute' | 'require'> {
    readonly id?: string | undefined;
}
export declare function createCustomExecutor(factory: BackendFactory, options?: CustomExecutorOptions): BlockExecutor;
export declare function createCustomExecutor<Settings>(factory: BackendFactory<Settings>, options: CustomExecutorOptions & {
    readonly settings: Settings;
}): BlockExecutor;
