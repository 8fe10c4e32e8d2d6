import { chmodSync, chownSync, existsSync, lstatSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { writeConfined } from '../run/confined-file.ts'
import { isGuarded, neverMade } from '../run/guarded.ts'
import { failed, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { limitsOf, type ExecutionLimits } from '../run/limits.ts'
import { overfull } from '../run/list-artifacts.ts'
import { Mirror } from '../run/mirror.ts'
import { bubblewrapCommand } from './bubblewrap.ts'
import { asArgument, INTERPRETER_COMMANDS, interpreterOutside } from './interpreter.ts'
import {
  endGroup,
  findGroups,
  joining,
  makeGroup,
  ranOutOfMemory,
  type ControlGroup,
  type GroupBases,
  type GroupLimits,
} from './control-group.ts'
import type { SandboxSpec, View } from './sandbox-spec.ts'
import { spawned } from './spawned.ts'
import { systemCallFilter } from './system-calls.ts'
import { unshareCommand } from './unshare.ts'
import { visiblePrograms } from './visible.ts'
import { watchThread } from './watch-thread.ts'
import { entering, isFull, makeRoom, NOBODY_UID, SYSTEM_PATH, type Workspace } from './workspace.ts'

const PROBE_LIMITS = limitsOf({ timeout: 10, outputBytes: 4096 })

/** Arguments by which a program does nothing, well. */
const PROBE_ARGUMENTS: Readonly<Partial<Record<Runtime, readonly string[]>>> = {
  python: ['-c', ''],
  bash: ['-c', ''],
  sh: ['-c', ''],
  powershell: ['-NoProfile', '-Command', 'exit'],
  javascript: ['-e', ''],
  typescript: ['-e', ''],
}

/** Engines that reserve more address space than they use. */
const RESIDENT_LIMITED_RUNTIMES: ReadonlySet<Runtime> = new Set(['javascript', 'typescript', 'powershell'])

const DIRECTORY_TOO_FULL =
  'the work directory holds more than its limits allow: take something out of it, or raise `workspaceBytes` and `workspaceEntries` of `limits`'

/** Runs code with the programs of the machine in namespaces of its own: no network, no files, no other processes. */
export function sandboxBackend(spec: SandboxSpec): LimitedBackend {
  const { kind, workspace, given, guard, writable } = spec
  const workDir = workspace.path
  const root = given ?? workDir
  const owner = unprivilegedOwner([workDir, guard])
  const build = kind === 'bubblewrap' ? bubblewrapCommand : unshareCommand
  const { mode } = statSync(workDir)
  const mirror = given === null ? null : new Mirror({ outer: given, inner: workDir, guard, owner, writable })
  const watcher = watchThread()
  const faults = new Map<Runtime, Promise<string | null>>()
  const commands = new Map<Runtime, readonly string[]>()
  /** Where control groups can be made, once somebody has looked. */
  let bases: { readonly found: GroupBases | null } | undefined
  /** Directories of interpreters that lie elsewhere, by runtime. */
  const shown = new Map<Runtime, string>()

  const view = (group: ControlGroup | null): View => {
    const guarded = mirror?.guarded() ?? []
    return {
      programs: visiblePrograms([root, workDir]),
      workspace: workspace.inside,
      guard,
      guarded,
      absent: mirror
        ? neverMade(writable).filter((name) => !lstatSync(join(root, name), { throwIfNoEntry: false }))
        : [],
      filter: systemCallFilter({
        // Where nothing counts them, there are none.
        memoryFiles: !group?.memory,
        allocation: workspace.holder === null,
      }),
    }
  }

  const inside = async (
    runtime: Runtime,
    command: string[],
    limits: ExecutionLimits,
    watch: Watch,
  ): Promise<Outcome> => {
    const extra = shown.get(runtime)
    const its = extra === undefined ? spec : { ...spec, readOnly: [...spec.readOnly, extra] }
    bases ??= { found: findGroups() }
    const group = bases.found && makeGroup(bases.found, groupLimits(limits, workspace))
    const seen = view(group)
    const byAddressSpace = limits !== PROBE_LIMITS && !RESIDENT_LIMITED_RUNTIMES.has(runtime)
    const argv = build(its, seen, limited(limits, byAddressSpace, command))
    const outside = kind === 'bubblewrap' ? limitedOutside(limits, byAddressSpace) : []
    const [first, ...rest] = [...joining(group), ...entering(workspace, owner), ...outside, ...argv]
    try {
      const outcome = await spawned(
        {
          argv: [first!, ...rest],
          // What starts the sandbox is looked up where the system keeps it, whatever the program's own environment says.
          env: { PATH: SYSTEM_PATH },
          cwd: '/',
          limits,
          counted: group?.memory ? { group, workspace } : undefined,
          watcher,
          // One of fixed size needs no watching.
          workDir: workspace.holder === null ? workDir : undefined,
          third: kind === 'bubblewrap' ? (seen.filter ?? undefined) : undefined,
        },
        watch,
      )
      const isOut = group !== null && outcome.reason === 'exit' && ranOutOfMemory(group)
      return isOut ? { ...outcome, reason: 'memory', exitCode: outcome.exitCode || 137 } : outcome
    } finally {
      await endGroup(group)
    }
  }

  /** Really starts the interpreter inside: what the kernel refuses or the machine lacks shows only then. */
  const probe = async (runtime: Runtime): Promise<string | null> => {
    if (process.platform !== 'linux') return `${kind} needs Linux`
    let last = `nothing is known that runs ${runtime}`
    const attempt = async ([name, ...args]: readonly [string, ...string[]]): Promise<boolean> => {
      const argv = ['sh', '-c', 'command -v "$0" && "$0" "$@"', name, ...PROBE_ARGUMENTS[runtime]!]
      const { exitCode, stderr } = await inside(runtime, argv, PROBE_LIMITS, {})
      if (exitCode === 0) commands.set(runtime, [name, ...args])
      else last = stderr.trim().split('\n').at(-1) || `\`${name}\` is not there`
      return exitCode === 0
    }
    const known = INTERPRETER_COMMANDS[runtime] ?? []
    for (const command of known) if (await attempt(command)) return null
    for (const [name, ...args] of known) {
      try {
        const outside = interpreterOutside(name, spec.hostPath, [workDir, root, process.cwd()])
        if (!outside) continue
        shown.set(runtime, outside.directory)
        if (await attempt([outside.path, ...args])) return null
      } catch (error) {
        last = (error as Error).message
      }
      shown.delete(runtime)
    }
    return last
  }
  const fault = (runtime: Runtime): Promise<string | null> => {
    let probed = faults.get(runtime)
    if (!probed) faults.set(runtime, (probed = probe(runtime)))
    return probed
  }

  /** Saves the code; in a directory of a fixed size that is full, there is made room for it. */
  const save = async ({ file, code }: Job): Promise<void> => {
    try {
      writeConfined(root, file, code, given === null ? owner : null)
    } catch (error) {
      if (given !== null || !isFull(workspace)) throw error
      await makeRoom(workspace, Buffer.byteLength(code), file.split('/').length)
      writeConfined(root, file, code, owner)
    }
  }

  /** Brings in what the user has in a directory of their own; false when it is too much. */
  const bringIn = async (limits: ExecutionLimits): Promise<boolean> => {
    if (!mirror) return true
    try {
      return await mirror.bringIn(limits)
    } catch {
      return false
    }
  }

  const runSaved = async (job: Job, watch: Watch): Promise<Outcome> => {
    const { file, runtime, limits } = job
    const why = await fault(runtime)
    if (why !== null) return failed('unsupported-language', `no ${runtime} in the sandbox: ${why}`)
    if (!(await bringIn(limits))) return failed('disk', DIRECTORY_TOO_FULL)
    const outcome = await inside(runtime, [...commands.get(runtime)!, asArgument(file)], limits, watch)
    // The code may have taken the rights from its own directory.
    chmodSync(workDir, mode)
    const fits = !mirror || (await mirror.bringOut(limits))
    const ended = atTheEnd(outcome, limits)
    if (fits || ended.reason !== 'exit') return { ...ended, isolation: 'sandbox' }
    return { ...ended, reason: 'disk', exitCode: ended.exitCode || 137, isolation: 'sandbox' }
  }

  /** What a last look at the directory makes of an outcome. */
  const atTheEnd = (outcome: Outcome, limits: ExecutionLimits): Outcome => {
    if (outcome.reason !== 'exit') return outcome
    const full = workspace.holder === null ? overfull(workDir, limits) : outcome.exitCode !== 0 && isFull(workspace)
    return full ? { ...outcome, reason: 'disk', exitCode: outcome.exitCode || 137 } : outcome
  }

  return {
    isolation: 'sandbox',
    fault,
    async run(job, watch) {
      if (given !== null && isGuarded(job.file, writable, (name) => existsSync(join(given, name)))) {
        return failed('bad-filename', `Filename is read-only: \`${job.file}\`. Name it in \`writable\` to change it`)
      }
      try {
        await save(job)
      } catch (error) {
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(root, job.file)
      if (job.saveOnly) return { ...failed('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
      return { ...(await runSaved(job, watch)), savedAs }
    },
    artifacts: async () => await watcher.list(root),
    close: async () => await watcher.close(),
  }
}

/** Bytes that the sandbox takes itself, with its small file systems in memory. */
const SANDBOX_MEMORY_BYTES = 48 * 2 ** 20

/** Processes and threads of what starts the sandbox. */
const SANDBOX_PROCESSES = 8

/** The wall around a block: what is counted as memory is less, as files of the work directory lie in memory too. */
const groupLimits = (limits: ExecutionLimits, { holder }: Workspace): GroupLimits => ({
  memoryBytes: limits.memoryBytes + (holder === null ? 0 : limits.workspaceBytes) + SANDBOX_MEMORY_BYTES,
  pids: limits.pids + SANDBOX_PROCESSES,
})

/**
 * Returns directories to a user without rights, whom the code then runs as: root's own processes are not counted by the
 * kernel. Null where this program is not root, or root of a namespace that has no other user.
 */
function unprivilegedOwner(directories: readonly string[]): number | null {
  if (process.getuid?.() !== 0) return null
  try {
    for (const directory of directories) chownSync(directory, NOBODY_UID, NOBODY_UID)
    return NOBODY_UID
  } catch {
    return null
  }
}

/** Limits of one process and its descendants, as arguments of `prlimit`, but for their number. */
const ofEach = (
  { memoryBytes, openFiles, fileBytes, timeout }: ExecutionLimits,
  byAddressSpace: boolean,
): readonly string[] => [
  // Some engines reserve far more address space than they use; those are watched by what is resident.
  ...(byAddressSpace ? [`--as=${memoryBytes}`] : []),
  `--nofile=${openFiles}`,
  `--fsize=${fileBytes}`,
  '--core=0',
  `--cpu=${Math.ceil(timeout) * 4}`,
]

/** Sets the limits of one process and its descendants, then runs `argv`. */
export const limited = (limits: ExecutionLimits, byAddressSpace: boolean, argv: readonly string[]): string[] => [
  'prlimit',
  `--nproc=${limits.pids}`,
  ...ofEach(limits, byAddressSpace),
  '--',
  ...argv,
]

/**
 * Sets the same for what sets up a sandbox whose first process belongs to the code's own user: code may change that one,
 * which would have no limits else. Not their number: so early, the kernel would count all of the user's processes.
 */
export const limitedOutside = (limits: ExecutionLimits, byAddressSpace: boolean): string[] => [
  'prlimit',
  ...ofEach(limits, byAddressSpace),
  '--',
]
