import { randomUUID } from 'node:crypto'
import type { CodeExecutor, Isolation } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, type OptionKinds } from '@x/kernel/options'
import type { CodeExecutorOptions } from './create-code-executor.ts'
import type { BackendFactory } from './custom/backend.ts'
import { checkRequirements } from './backend/walls.ts'
import { BlockExecutor, checkExecutorOptions, withRequiredWalls } from './executor.ts'
import { codeReader, CODE_READER_KINDS } from './read/code-reader.ts'
import type { ExecutePolicy } from './run/languages.ts'
import { limitsOf } from './run/limits.ts'

/** Options of {@link createCustomExecutor}. */
export interface CustomExecutorOptions extends Pick<
  CodeExecutorOptions,
  'inferLang' | 'reading' | 'workDir' | 'timeout' | 'limits' | 'execute' | 'require'
> {
  /** Id of the executor, by which its backends share a container or a session; default: a random one. */
  readonly id?: string | undefined
}

const CUSTOM_EXECUTOR_OPTION_KINDS: OptionKinds<CustomExecutorOptions & { readonly settings?: unknown }> = {
  id: kind.text,
  settings: kind.any,
  workDir: kind.text,
  timeout: kind.timeout,
  limits: kind.object,
  execute: kind.object,
  require: kind.list,
  ...CODE_READER_KINDS,
}

/** Version of the backend interface that this package supports. */
const SPEC_VERSION = 1

const ISOLATION_KIND = kind.oneOf<Isolation[]>('host', 'sandbox', 'wasm', 'container')

/** All languages but those of web files run; the backend refuses those it cannot run. */
const CUSTOM_EXECUTOR_POLICY: ExecutePolicy = {
  python: true,
  bash: true,
  sh: true,
  powershell: true,
  javascript: true,
  typescript: true,
}

/**
 * Creates an executor that runs code through your own backend. The executor does everything else as for the built-in
 * kinds: file names, directories, the order of blocks, limits on time and output, events, the blocking call. Blocking
 * calls need plain data as `settings`.
 */
export function createCustomExecutor(factory: BackendFactory, options?: CustomExecutorOptions): BlockExecutor
export function createCustomExecutor<Settings>(
  factory: BackendFactory<Settings>,
  options: CustomExecutorOptions & { readonly settings: Settings },
): BlockExecutor
export function createCustomExecutor(
  factory: BackendFactory<unknown>,
  options: CustomExecutorOptions & { readonly settings?: unknown } = {},
): BlockExecutor {
  checkFactory(factory)
  checkExecutorOptions<CustomExecutorOptions>('createCustomExecutor', options, CUSTOM_EXECUTOR_OPTION_KINDS)
  const limits = limitsOf({ ...options.limits, ...(options.timeout !== undefined && { timeout: options.timeout }) })
  const { id = `x-exec-${randomUUID()}`, settings, require: required = [] } = options
  checkRequirements(required)
  const executor = new BlockExecutor({
    reader: codeReader({ reading: options.reading, inferLang: options.inferLang }),
    limits,
    execute: { ...CUSTOM_EXECUTOR_POLICY, ...options.execute },
    workDir: options.workDir,
    isolation: factory.isolation,
    concurrency: factory.concurrency,
    required,
    spec: ({ workDir }) => ({ kind: 'custom', factory, context: { id, workDir, limits, settings } }),
  }) satisfies CodeExecutor
  return withRequiredWalls(executor, required)
}

function checkFactory(factory: BackendFactory<unknown>): void {
  const { specVersion, module, concurrency, isolation } = factory
  const version: number | undefined = specVersion
  const name = module ? `the backend \`${module.specifier}\`` : 'the backend'
  const refuse = (text: string, details?: Readonly<Record<string, unknown>>): never => {
    throw new XError('invalid-argument', `cannot create an executor: ${text}`, details && { details })
  }
  if (version !== SPEC_VERSION) {
    const says =
      version === undefined
        ? `${name} does not say its version of the backend interface. Give it \`specVersion: ${SPEC_VERSION}\``
        : `${name} implements version ${version} of the backend interface, and \`@x/exec\` supports version ${SPEC_VERSION}. Upgrade ${version > SPEC_VERSION ? '`@x/exec`' : 'the backend'}`
    refuse(says, { specVersion: version, takes: SPEC_VERSION })
  }
  if (!ISOLATION_KIND.takes(isolation))
    refuse(`\`isolation\` of ${name} is ${JSON.stringify(isolation)}. Give ${ISOLATION_KIND.expected}`)
  if (typeof (factory as { createBackend?: unknown }).createBackend !== 'function')
    refuse(`${name} has no \`createBackend\`. Give a function that makes a backend`)
  if (concurrency !== undefined && !(Number.isInteger(concurrency) && concurrency >= 1))
    refuse(`\`concurrency\` of ${name} is ${concurrency}. Give a whole number of at least 1`)
}
