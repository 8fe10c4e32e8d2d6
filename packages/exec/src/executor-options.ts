import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { LegacyCodeOptions } from './code-execution-config.ts'
import type { CodeExecutorOptions } from './create-code-executor.ts'
import type { CustomExecutorOptions } from './create-custom-executor.ts'
import { KINDS as READER } from './read/code-reader.ts'
import { ENDINGS } from './run/languages.ts'

const EXECUTOR: OptionKinds<CodeExecutorOptions> = {
  trust: kind.oneOf('host'),
  workDir: kind.text,
  timeout: kind.timeout,
  // Names and ranges of limits are refused with what they limit.
  limits: kind.object,
  execute: kind.object,
  env: kind.object,
  network: kind.oneOf('none', 'host'),
  readOnly: kind.list,
  image: kind.text,
  socket: kind.text,
  hostEnv: kind.object,
  ...READER,
}

const CUSTOM: OptionKinds<CustomExecutorOptions & { readonly settings?: unknown }> = {
  id: kind.text,
  settings: kind.any,
  workDir: kind.text,
  timeout: kind.timeout,
  limits: kind.object,
  execute: kind.object,
  ...READER,
}

const { reading: _, inferLang: __, execute: ___, image: ____, ...SANDBOX } = EXECUTOR

const LEGACY: OptionKinds<LegacyCodeOptions> = {
  ...SANDBOX,
  useDocker: kind.either(kind.flag, kind.text),
  lastNMessages: {
    ...kind.either(kind.whole(0), kind.oneOf('auto')),
    expected: "a whole number of at least 0, or 'auto'",
  },
}

const LANGUAGES = Object.fromEntries(Object.keys(ENDINGS).map((name) => [name, kind.flag]))

/** Options by what they are for. */
const KINDS = {
  createCodeExecutor: EXECUTOR,
  createCustomExecutor: CUSTOM,
  codeExecutionConfig: LEGACY,
}

/** Refuses an unknown or wrong option before anything is started. */
export function checkExecutorOptions(operation: keyof typeof KINDS, options: object | undefined): void {
  checkOptions<object>(options, KINDS[operation], `run \`${operation}\``)
  const { execute } = (options ?? {}) as CodeExecutorOptions
  checkOptions(execute, LANGUAGES, `run \`${operation}\` with this \`execute\``)
}
