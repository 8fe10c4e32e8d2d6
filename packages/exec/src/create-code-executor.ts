import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { CodeExecutor } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, nearestName, type OptionKinds } from '@x/kernel/options'
import { describeBackend, EXECUTORS, type ExecutorKind } from './backend/kinds.ts'
import { checkRequirements, type WallRequirement } from './backend/walls.ts'
import { BlockExecutor, checkExecutorOptions, withRequiredWalls } from './executor.ts'
import { codeReader, CODE_READER_KINDS, type CodeReaderOptions } from './read/code-reader.ts'
import { COMMAND_LINE_POLICY, type ExecutePolicy } from './run/languages.ts'
import type { ApplyPolicy, ChooseChanges } from './changes/changeset.ts'
import { riskOf } from './changes/risk-marks.ts'
import { limitsOf, type ExecutionLimits } from './run/limits.ts'

/** Options of {@link createCodeExecutor}. */
export interface CodeExecutorOptions extends CodeReaderOptions {
  /** Must be `host` for `local`, where nothing isolates code from the machine. */
  readonly trust?: 'host' | undefined
  /** Directory to work in; default: a new one that `close` removes. A container always has its own. */
  readonly workDir?: string | undefined
  /** Time limit of a block, in seconds; default 60. */
  readonly timeout?: number | undefined
  /** Other limits. */
  readonly limits?: { readonly [Name in keyof ExecutionLimits]?: ExecutionLimits[Name] | undefined } | undefined
  /** The languages that run; blocks in other languages are only saved. Default: depends on the kind. */
  readonly execute?: ExecutePolicy | undefined
  /** Environment variables of the code: texts without zero characters; default: none. Variables of the program are never passed on. */
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Network that code can reach; default `none`. */
  readonly network?: 'none' | 'host' | undefined
  /** Further absolute paths that code in a sandbox may read, such as the directory of an interpreter. */
  readonly readOnly?: readonly string[] | undefined
  /**
   * Changes of code that come back to your `workDir`. `safe`: all except those of files on which programs of yours act by
   * themselves, such as hooks, manifests and settings. `all`: these too. `ask`: those that the caller of an execution allows,
   * such as the person behind an agent; none where nobody can be asked. A function: those that it returns. Default: `ask`
   * where somebody can be asked, else `safe`. The rest stays in the copy for later blocks, and the output tells it. Links
   * that lead out, and changes of files that were changed meanwhile, never come back.
   */
  readonly apply?: 'safe' | 'all' | 'ask' | ChooseChanges | undefined
  /**
   * Names, such as `package.json`, and paths in `workDir`, such as `packages/a/package.json`, whose changes come back with
   * `safe`, although programs of yours act on them. Default: none.
   */
  readonly writable?: readonly string[] | undefined
  /**
   * Walls that have to stand on this machine, such as `memory:kernel` or `kernel:own`: fails with `no-sandbox` with less, and
   * `auto` takes only kinds that have them. Default: none. {@link BlockExecutor.walls} tells what stands.
   */
  readonly require?: readonly WallRequirement[] | undefined
  /** Image of containers; default `python:3-slim`. */
  readonly image?: string | undefined
  /** Container runtime, such as `runsc` of gVisor; default: the default of the engine. */
  readonly runtime?: string | undefined
  /** Socket of the container engine; default: `DOCKER_HOST`, then the usual paths. */
  readonly socket?: string | undefined
  /** Environment in which `PATH` and `DOCKER_HOST` are looked up; default `process.env`. */
  readonly hostEnv?: Readonly<Record<string, string | undefined>> | undefined
}

/** Kinds of the options of {@link createCodeExecutor}. */
export const CODE_EXECUTOR_OPTION_KINDS: OptionKinds<CodeExecutorOptions> = {
  trust: kind.oneOf('host'),
  workDir: kind.text,
  timeout: kind.timeout,
  // `limitsOf` checks the names and ranges of limits.
  limits: kind.object,
  execute: kind.object,
  env: kind.object,
  network: kind.oneOf('none', 'host'),
  readOnly: kind.list,
  apply: kind.either(kind.oneOf('safe', 'all', 'ask'), kind.call),
  // `checkWritable` checks the names.
  writable: kind.list,
  // `checkRequirements` checks the names.
  require: kind.list,
  image: kind.text,
  runtime: kind.text,
  socket: kind.text,
  hostEnv: kind.object,
  ...CODE_READER_KINDS,
}

/**
 * Creates an executor; it starts nothing before the first block. A run fails with `no-sandbox` where nothing can isolate
 * code from the machine. Only `local` runs code on the host, and only with `trust: 'host'`.
 */
export function createCodeExecutor(kind: ExecutorKind = 'auto', options: CodeExecutorOptions = {}): BlockExecutor {
  if (typeof kind !== 'string' || !Object.hasOwn(EXECUTORS, kind)) throw unknownKind(kind)
  checkExecutorOptions<CodeExecutorOptions>('createCodeExecutor', options, CODE_EXECUTOR_OPTION_KINDS)
  if (EXECUTORS[kind].isolation === 'host' && options.trust !== 'host') {
    throw new XError(
      'invalid-argument',
      `cannot create the executor \`${kind}\`: it runs code on this machine with all rights of this user. Set \`trust: 'host'\`, or use \`auto\``,
    )
  }
  checkEnv(options.env ?? {})
  checkReadOnly(options.readOnly ?? [])
  checkWritable(options.writable ?? [])
  const { require: required = [] } = options
  checkRequirements(required)
  const limits = limitsOf({ ...options.limits, ...(options.timeout !== undefined && { timeout: options.timeout }) })
  const { isolation, confined = false, execute = COMMAND_LINE_POLICY } = EXECUTORS[kind]
  const { env = {}, network = 'none', readOnly = [], writable = [], apply, image = 'python:3-slim' } = options
  const { runtime, socket, hostEnv = process.env } = options
  const facts = {
    limits,
    env,
    network,
    readOnly,
    rules: { apply: applyUnasked(apply), writable },
    image,
    runtime,
    socket,
    hostEnv,
  }
  const executor = new BlockExecutor({
    reader: codeReader({ reading: options.reading, inferLang: options.inferLang }),
    limits,
    execute: { ...execute, ...options.execute },
    workDir: options.workDir,
    isolation,
    confined,
    required,
    ...(typeof apply === 'function' && { choose: apply }),
    asks: apply === undefined || apply === 'ask',
    spec: (directories) => describeBackend(kind, { ...facts, ...directories }),
  }) satisfies CodeExecutor
  return withRequiredWalls(executor, required)
}

/** Returns the policy for executions in which nobody can be asked. */
const applyUnasked = (apply: CodeExecutorOptions['apply']): ApplyPolicy =>
  apply === 'all' ? 'all' : apply === 'ask' ? 'unasked' : 'safe'

/** Words of other libraries for a kind of executor, in small letters alone, and what is written here. */
const KINDS_ELSEWHERE: Readonly<Record<string, string>> = {
  docker: "createCodeExecutor('container')",
  podman: "createCodeExecutor('container')",
  commandline: "createCodeExecutor('local', { trust: 'host' })",
  host: "createCodeExecutor('local', { trust: 'host' })",
  bwrap: "createCodeExecutor('bubblewrap')",
  pyodide: "createCodeExecutor('wasm')",
  quickjs: "createCodeExecutor('wasm')",
  jupyter: 'createCustomExecutor(jupyterKernel, { settings: { url, token } })',
  python: "createCodeExecutor('auto')",
  javascript: "createCodeExecutor('auto')",
  node: "createCodeExecutor('auto')",
  bash: "createCodeExecutor('auto')",
}

/** Services that run code, in small letters alone. */
const SERVICES: ReadonlySet<string> = new Set(['e2b', 'daytona', 'modal', 'vercel', 'cloudflare', 'codesandbox'])

function unknownKind(given: unknown): XError {
  const attempt = 'cannot create a code executor'
  if (typeof given !== 'string') {
    const example = "`createCodeExecutor('auto', { … })`"
    return new XError(
      'invalid-argument',
      `${attempt}: its kind is not a text; it comes before the options, as in ${example}`,
    )
  }
  const known = Object.keys(EXECUTORS)
  const word = given.replaceAll(/[^a-z0-9]/giu, '').toLowerCase()
  const written = Object.hasOwn(KINDS_ELSEWHERE, word) ? KINDS_ELSEWHERE[word] : undefined
  const near = nearestName(given, known, true)
  const service = SERVICES.has(word)
    ? 'write a backend for that service, and give it to `createCustomExecutor`: docs/hosted-sandboxes.md shows one'
    : undefined
  const meant = written ? `write \`${written}\`` : near ? `did you mean \`${near}\`?` : undefined
  const remedy = service ?? meant ?? `choose one of \`${known.join('`, `')}\``
  return new XError('invalid-argument', `${attempt}: the kind \`${given}\` is unknown; ${remedy}`, {
    details: { kind: given, known },
  })
}

/** Refuses variables that no process can have. Behind a zero character, the tool that starts a sandbox would read its own flags. */
function checkEnv(env: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(env)) {
    const fault =
      name === '' || /[=\0]/u.test(name)
        ? 'has no name that a variable can have'
        : typeof value !== 'string'
          ? 'is not a text'
          : value.includes('\0')
            ? 'has a zero character'
            : undefined
    if (fault === undefined) continue
    // The value may be a secret.
    throw new XError(
      'invalid-argument',
      `cannot run \`createCodeExecutor\`: the variable ${JSON.stringify(name)} of \`env\` ${fault}; give a text for each name, or leave it out`,
      { details: { name } },
    )
  }
}

function checkReadOnly(paths: readonly unknown[]): void {
  for (const path of paths) {
    const isPath = typeof path === 'string' && isAbsolute(path) && !path.includes('\0')
    if (isPath && existsSync(path)) continue
    throw new XError(
      'invalid-argument',
      `cannot run \`createCodeExecutor\`: ${JSON.stringify(path)} in \`readOnly\` ${isPath ? 'is not there; correct it, or make it first' : 'is not an absolute path; give absolute paths'}`,
    )
  }
}

function checkWritable(names: readonly string[]): void {
  const unmarked = names.find((name) => !riskOf(name, 'link', () => true))
  if (unmarked === undefined) return
  throw new XError(
    'invalid-argument',
    `cannot make \`${unmarked}\` writable: changes of it come back in any case. Leave it out, or name a file or directory that programs of yours act on, such as \`package.json\``,
  )
}
