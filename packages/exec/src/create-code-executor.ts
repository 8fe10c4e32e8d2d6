import { randomUUID } from 'node:crypto'
import type { CodeExecutor, Isolation } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, type OptionKinds } from '@x/kernel/options'
import type { BackendSpec } from './backend/create-backend.ts'
import type { SandboxSpec } from './backend/sandbox-spec.ts'
import type { ContainerSpec } from './container/container-backend.ts'
import { engineSockets } from './container/engine.ts'
import { BlockExecutor, type Places, checkExecutorOptions } from './executor.ts'
import { codeReader, CODE_READER_KINDS, type CodeReaderOptions } from './read/code-reader.ts'
import { COMMAND_LINE_POLICY, type ExecutePolicy } from './run/languages.ts'
import { GUARDED_NAMES } from './run/guarded.ts'
import { limitsOf, type ExecutionLimits } from './run/limits.ts'

/** Ways to run code: `auto` takes the first that really works for a language, and never `local`. */
export type ExecutorKind = 'auto' | 'local' | 'sandbox' | 'bubblewrap' | 'unshare' | 'wasm' | 'container'

/** Options of {@link createCodeExecutor}. */
export interface CodeExecutorOptions extends CodeReaderOptions {
  /** Must be `host` for `local`, where code is not kept from anything. */
  readonly trust?: 'host' | undefined
  /** Directory to work in; default: one of its own, removed by `close`. Containers always have their own. */
  readonly workDir?: string | undefined
  /** Seconds that a block may take; default 60. */
  readonly timeout?: number | undefined
  /** Other limits. */
  readonly limits?: { readonly [Name in keyof ExecutionLimits]?: ExecutionLimits[Name] | undefined } | undefined
  /** Which languages run and which are only saved; default: as each way does. */
  readonly execute?: ExecutePolicy | undefined
  /** Entries of the code's environment; default none. The program's own are never passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Default `none`. */
  readonly network?: 'none' | 'host' | undefined
  /** Further absolute paths that code in a sandbox may read, such as an interpreter's. */
  readonly readOnly?: readonly string[] | undefined
  /**
   * Names in a `workDir` of yours that code may change although programs of yours act upon them: `.git`, `.husky`,
   * `.vscode`, `.npmrc`, `package.json`, `node_modules/.bin`, `.cache`. Default: none.
   */
  readonly writable?: readonly string[] | undefined
  /** Image of containers; default `python:3-slim`. */
  readonly image?: string | undefined
  /** Name of the runtime of containers, such as gVisor's `runsc`; default: the engine's own. */
  readonly runtime?: string | undefined
  /** Socket of the container engine; default: by `DOCKER_HOST`, then the usual places. */
  readonly socket?: string | undefined
  /** Environment of the program, for `PATH` and `DOCKER_HOST`; default `process.env`. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined
}

/** Kinds of the options of an executor. */
export const CODE_EXECUTOR_OPTION_KINDS: OptionKinds<CodeExecutorOptions> = {
  trust: kind.oneOf('host'),
  workDir: kind.text,
  timeout: kind.timeout,
  // Names and ranges of limits are refused with what they limit.
  limits: kind.object,
  execute: kind.object,
  env: kind.object,
  network: kind.oneOf('none', 'host'),
  readOnly: kind.list,
  // Names are refused with what may be named.
  writable: kind.list,
  image: kind.text,
  runtime: kind.text,
  socket: kind.text,
  hostEnv: kind.object,
  ...CODE_READER_KINDS,
}

const WASM_POLICY: ExecutePolicy = { javascript: true, typescript: true, python: true }

/** Languages that run by default, for kinds that differ from command lines. */
const DEFAULT_POLICIES: Partial<Record<ExecutorKind, ExecutePolicy>> = {
  auto: { ...COMMAND_LINE_POLICY, ...WASM_POLICY },
  // All that is not run is refused.
  wasm: WASM_POLICY,
}

const ISOLATIONS: Record<ExecutorKind, Isolation> = {
  auto: 'sandbox',
  local: 'host',
  sandbox: 'sandbox',
  bubblewrap: 'sandbox',
  unshare: 'sandbox',
  wasm: 'wasm',
  container: 'container',
}

/** Kinds whose code works in a file system of fixed size, or in a copy of a given directory. */
const CONFINED_KINDS: ReadonlySet<ExecutorKind> = new Set(['auto', 'sandbox', 'bubblewrap', 'unshare'])

/**
 * Makes an executor. Nothing is started before the first block. Where nothing can keep code from the machine, a run
 * fails with `no-sandbox`; the host is used by `local` alone, and only with `trust: 'host'`.
 */
export function createCodeExecutor(kind: ExecutorKind = 'auto', options: CodeExecutorOptions = {}): BlockExecutor {
  if (!Object.hasOwn(ISOLATIONS, kind)) {
    const kinds = Object.keys(ISOLATIONS).join('`, `')
    throw new XError('invalid-argument', `unknown code executor \`${kind}\`: choose one of \`${kinds}\``)
  }
  checkExecutorOptions<CodeExecutorOptions>('createCodeExecutor', options, CODE_EXECUTOR_OPTION_KINDS)
  if (kind === 'local' && options.trust !== 'host') {
    throw new XError(
      'invalid-argument',
      "the executor `local` runs code on this machine with all rights of this user: say `trust: 'host'`, or use `auto`",
    )
  }
  checkWritable(options.writable ?? [])
  const limits = limitsOf({ ...options.limits, ...(options.timeout !== undefined && { timeout: options.timeout }) })
  return new BlockExecutor({
    reader: codeReader({ reading: options.reading, inferLang: options.inferLang }),
    limits,
    execute: { ...(DEFAULT_POLICIES[kind] ?? COMMAND_LINE_POLICY), ...options.execute },
    workDir: options.workDir,
    isolation: ISOLATIONS[kind],
    confined: CONFINED_KINDS.has(kind),
    spec: (places) => specOf(kind, options, { limits, ...places }),
  }) satisfies CodeExecutor
}

function checkWritable(names: readonly string[]): void {
  const unknown = names.find((name) => !(GUARDED_NAMES as readonly string[]).includes(name))
  if (unknown === undefined) return
  throw new XError(
    'invalid-argument',
    `cannot make \`${unknown}\` writable: \`writable\` takes names that are read-only otherwise, which are \`${GUARDED_NAMES.join('`, `')}\``,
  )
}

function specOf(
  kind: ExecutorKind,
  options: CodeExecutorOptions,
  { limits, workDir, given, workspace, guard }: { limits: ExecutionLimits } & Places,
): BackendSpec {
  const {
    env = {},
    network = 'none',
    readOnly = [],
    writable = [],
    image = 'python:3-slim',
    hostEnv = process.env,
  } = options
  const guarding = given === null ? undefined : writable
  const sandbox = (its: SandboxSpec['kind']): SandboxSpec => ({
    kind: its,
    workspace,
    given,
    guard,
    writable,
    network,
    readOnly,
    env,
    hostPath: hostEnv['PATH'] ?? '',
  })
  const container: ContainerSpec = {
    kind: 'container',
    sockets: options.socket === undefined ? engineSockets(hostEnv) : [options.socket],
    image,
    runtime: options.runtime,
    name: `x-exec-${randomUUID()}`,
    network,
    env,
    limits,
  }
  switch (kind) {
    case 'local':
      return { kind: 'host', workDir, env: { PATH: hostEnv['PATH'] ?? '', HOME: workDir, LANG: 'C.UTF-8', ...env } }
    case 'wasm':
      return { kind: 'wasm', workDir, writable: guarding, env }
    case 'container':
      return { kind: 'auto', candidates: [container] }
    case 'bubblewrap':
    case 'unshare':
      return { kind: 'auto', candidates: [sandbox(kind)] }
    case 'sandbox':
      return { kind: 'auto', candidates: [sandbox('bubblewrap'), sandbox('unshare')] }
    default:
      return {
        kind: 'auto',
        candidates: [
          { kind: 'quickjs' },
          sandbox('bubblewrap'),
          sandbox('unshare'),
          { kind: 'pyodide', workDir, writable: guarding, env },
          container,
        ],
      }
  }
}
