export { createCodeExecutor, type CodeExecutorOptions, type ExecutorKind } from './create-code-executor.ts';
export { codeExecutionConfig, type LegacyCodeOptions, type LegacyCodeRunner } from './code-execution-config.ts';
export type { BlockExecutor } from './executor.ts';
export { codeReader, type CodeReaderOptions, type Reading } from './read/code-reader.ts';
export { commandWarning } from './read/command-warning.ts';
export { inferLang } from './read/infer-lang.ts';
export { extractCode } from './read/reference-reading.ts';
export type { ExecutePolicy } from './run/languages.ts';
export type { ExecutionLimits } from './run/limits.ts';
