import { chmodSync, chownSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Artifact } from '@x/interfaces'
import { writeConfined } from '../run/confined-file.ts'
import type { Change, Choice } from '../changes/changeset.ts'
import { failedOutcome, type LimitedBackend, type Job, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { limitsOf, type ExecutionLimits } from '../run/limits.ts'
import { DIRECTORY_TOO_FULL, isOverfull } from '../run/list-artifacts.ts'
import { MAX_LAYERED_ENTRIES, Mirror } from '../run/mirror.ts'
import { bubblewrapCommand } from './bubblewrap.ts'
import { asArgument, INTERPRETER_COMMANDS, interpreterOutside, visiblePrograms } from './programs.ts'
import {
  endGroup,
  findGroups,
  joinGroup,
  makeGroup,
  ranOutOfMemory,
  type ControlGroup,
  type GroupBases,
  type GroupLimits,
} from './control-group.ts'
import type { SandboxCommand, SandboxSpec, View } from './sandbox-spec.ts'
import { runProcess } from './run-process.ts'
import { systemCallFilter } from './system-calls.ts'
import { unshareCommand } from './unshare.ts'
import { watchThread, type WatchThread } from './watch.ts'
import { enterWorkspace, isFull, makeRoom, NOBODY_UID, SYSTEM_PATH, type Workspace } from './workspace.ts'

/** Limits of the block that probes a language. */
const PROBE_LIMITS = limitsOf({ timeout: 10, outputBytes: 4096 })

/** Arguments with which an interpreter does nothing and succeeds. */
const PROBE_ARGUMENTS: Readonly<Partial<Record<Runtime, readonly string[]>>> = {
  python: ['-c', ''],
  bash: ['-c', ''],
  sh: ['-c', ''],
  powershell: ['-NoProfile', '-Command', 'exit'],
  javascript: ['-e', ''],
  typescript: ['-e', ''],
}

/** Languages whose engines reserve more address space than they use. */
const RESIDENT_LIMITED_RUNTIMES: ReadonlySet<Runtime> = new Set(['javascript', 'typescript', 'powershell'])

const LAYERS_TOO_FULL = `the work directory has more than ${MAX_LAYERED_ENTRIES} entries, or what was changed in it is over its limits: give a directory below it, or raise \`workspaceBytes\` and \`workspaceEntries\` of \`limits\``

/** Runs code with the programs of the machine in namespaces of its own: no network, no other files, no other processes. */
export function sandboxBackend(spec: SandboxSpec): LimitedBackend {
  return new SandboxBackend(spec)
}

class SandboxBackend implements LimitedBackend {
  readonly isolation = 'sandbox' as const
  readonly #spec: SandboxSpec
  /** Directory in which code works. */
  readonly #workDir: string
  /** Directory that the user sees. */
  readonly #root: string
  readonly #owner: number | null
  readonly #mode: number
  readonly #mirror: Mirror | null
  readonly #watcher: WatchThread = watchThread()
  readonly #faults: Map<Runtime, Promise<string | null>> = new Map()
  readonly #commands: Map<Runtime, readonly string[]> = new Map()
  /** Where this program can make control groups; undefined before the first block. */
  #groupBases: GroupBases | null | undefined
  /** Directories of interpreters outside the system directories, by language. */
  readonly #interpreterDirectories: Map<Runtime, string> = new Map()

  constructor(spec: SandboxSpec) {
    const { workspace, given, rules } = spec
    this.#spec = spec
    this.#workDir = workspace.path
    this.#root = given ?? workspace.path
    this.#owner = unprivilegedOwner(workspace.path)
    this.#mode = statSync(workspace.path).mode
    const clones = workspace.holder === null
    this.#mirror =
      given === null
        ? null
        : new Mirror({
            outer: given,
            inner: workspace.path,
            owner: this.#owner,
            rules,
            clones,
            isLayered: workspace.isLayered,
          })
  }

  fault(runtime: Runtime): Promise<string | null> {
    let probe = this.#faults.get(runtime)
    if (!probe) this.#faults.set(runtime, (probe = this.#probe(runtime)))
    return probe
  }

  async run(job: Job, watch: Watch): Promise<Outcome> {
    if (!(await this.#copyIn(job.limits)))
      return failedOutcome('disk', this.#spec.workspace.isLayered ? LAYERS_TOO_FULL : DIRECTORY_TOO_FULL)
    try {
      await this.#save(job)
    } catch (error) {
      return failedOutcome('bad-filename', (error as Error).message)
    }
    if (this.#mirror && !job.isNamed && !job.saveOnly) this.#mirror.noteOwnFile(job.file)
    const savedAs = resolve(this.#root, job.file)
    const saved = { ...failedOutcome('saved', '', 0), stdout: `Code saved to ${savedAs}\n` }
    const outcome = await this.#copyOut(job, job.saveOnly ? saved : await this.#runSaved(job, watch))
    return { ...outcome, savedAs }
  }

  async settle(_: Job, id: number, choice: Choice): Promise<readonly Change[]> {
    return (await this.#mirror?.settle(id, choice)) ?? []
  }

  async artifacts(): Promise<Artifact[]> {
    return await this.#watcher.list(this.#root)
  }

  async close(): Promise<void> {
    await this.#watcher.close()
  }

  /** Saves the code where it runs. If a work directory of fixed size is full, it is enlarged by the size of the code. */
  async #save({ file, code }: Job): Promise<void> {
    const { workspace } = this.#spec
    try {
      writeConfined(this.#workDir, file, code, this.#owner)
    } catch (error) {
      if (!isFull(workspace)) throw error
      await makeRoom(workspace, Buffer.byteLength(code), file.split('/').length)
      writeConfined(this.#workDir, file, code, this.#owner)
    }
  }

  async #runSaved(job: Job, watch: Watch): Promise<Outcome> {
    const { file, runtime, limits } = job
    const why = await this.fault(runtime)
    if (why !== null) return failedOutcome('unsupported-language', `no ${runtime} in the sandbox: ${why}`)
    const command = [...this.#commands.get(runtime)!, asArgument(file)]
    const outcome = await this.#execute(runtime, command, limits, watch)
    // The code may have removed permissions from its own directory.
    chmodSync(this.#workDir, this.#mode)
    return { ...this.#checkDisk(outcome, limits), isolation: 'sandbox' }
  }

  /** Copies the changes of a job to the user's own directory, if there is one, or proposes them. */
  async #copyOut({ limits, asks }: Job, outcome: Outcome): Promise<Outcome> {
    if (!this.#mirror) return outcome
    const { fits, changes, proposal } = await this.#mirror.copyOut(limits, asks)
    const finalOutcome = { ...outcome, changes, ...(proposal && { proposal }) }
    if (fits || (outcome.reason !== 'exit' && outcome.reason !== 'saved')) return finalOutcome
    return { ...finalOutcome, reason: 'disk', exitCode: outcome.exitCode || 137 }
  }

  /** Copies in the user's own directory, if there is one; returns false if it is over the limits. */
  async #copyIn(limits: ExecutionLimits): Promise<boolean> {
    if (!this.#mirror) return true
    try {
      return await this.#mirror.copyIn(limits)
    } catch {
      return false
    }
  }

  /** Changes the outcome to `disk` if the work directory is full at the end of a block. */
  #checkDisk(outcome: Outcome, limits: ExecutionLimits): Outcome {
    if (outcome.reason !== 'exit') return outcome
    const { workspace } = this.#spec
    const full =
      workspace.holder === null ? isOverfull(this.#workDir, limits) : outcome.exitCode !== 0 && isFull(workspace)
    return full ? { ...outcome, reason: 'disk', exitCode: outcome.exitCode || 137 } : outcome
  }

  /** Really starts the interpreter in the sandbox: only then the refusals of the kernel and missing programs show. */
  async #probe(runtime: Runtime): Promise<string | null> {
    if (process.platform !== 'linux') return `${this.#spec.kind} needs Linux`
    let last = `no program is known that runs ${runtime}`
    const attempt = async ([name, ...args]: readonly [string, ...string[]]): Promise<boolean> => {
      const argv = ['sh', '-c', 'command -v "$0" && "$0" "$@"', name, ...PROBE_ARGUMENTS[runtime]!]
      const { exitCode, stderr } = await this.#execute(runtime, argv, PROBE_LIMITS, {})
      if (exitCode === 0) this.#commands.set(runtime, [name, ...args])
      else last = stderr.trim().split('\n').at(-1) || `\`${name}\` is not installed`
      return exitCode === 0
    }
    const commands = INTERPRETER_COMMANDS[runtime] ?? []
    for (const command of commands) if (await attempt(command)) return null
    for (const [name, ...args] of commands) {
      try {
        const outside = interpreterOutside(name, this.#spec.hostPath, [this.#workDir, this.#root, process.cwd()])
        if (!outside) continue
        this.#interpreterDirectories.set(runtime, outside.directory)
        if (await attempt([outside.path, ...args])) return null
      } catch (error) {
        last = (error as Error).message
      }
      this.#interpreterDirectories.delete(runtime)
    }
    return last
  }

  async #execute(runtime: Runtime, command: string[], limits: ExecutionLimits, watch: Watch): Promise<Outcome> {
    const { workspace } = this.#spec
    if (this.#groupBases === undefined) this.#groupBases = findGroups()
    const group = this.#groupBases && makeGroup(this.#groupBases, groupLimits(limits, workspace))
    const view = this.#view(group)
    const { argv, inputs, env } = this.#commandLine(runtime, command, limits, view)
    try {
      const outcome = await runProcess(
        {
          argv: [...joinGroup(group), ...argv] as [string, ...string[]],
          // The tools that start the sandbox are found where the system keeps them, whatever `PATH` the program has.
          env: { ...env, PATH: SYSTEM_PATH },
          cwd: '/',
          limits,
          counted: group?.memory ? { group, workspace } : undefined,
          watcher: this.#watcher,
          // A file system of fixed size needs no watching.
          workDir: workspace.holder === null ? this.#workDir : undefined,
          inputs,
        },
        watch,
      )
      const outOfMemory = group !== null && outcome.reason === 'exit' && ranOutOfMemory(group)
      return outOfMemory ? { ...outcome, reason: 'memory', exitCode: outcome.exitCode || 137 } : outcome
    } finally {
      await endGroup(group)
    }
  }

  /** Returns the part of the machine that the next block sees. */
  #view(group: ControlGroup | null): View {
    const { workspace } = this.#spec
    return {
      programs: visiblePrograms([this.#root, this.#workDir]),
      workspace: workspace.inside,
      filter: systemCallFilter({
        counted: Boolean(group?.memory),
        allocation: workspace.holder === null,
      }),
    }
  }

  #commandLine(runtime: Runtime, command: string[], limits: ExecutionLimits, view: View): SandboxCommand {
    const { kind, workspace } = this.#spec
    const directory = this.#interpreterDirectories.get(runtime)
    const spec = directory === undefined ? this.#spec : { ...this.#spec, readOnly: [...this.#spec.readOnly, directory] }
    const byAddressSpace = limits !== PROBE_LIMITS && !RESIDENT_LIMITED_RUNTIMES.has(runtime)
    const build = kind === 'bubblewrap' ? bubblewrapCommand : unshareCommand
    const { argv, inputs, env } = build(spec, view, limitCode(limits, byAddressSpace, command))
    const outer = kind === 'bubblewrap' ? limitStarter(limits, byAddressSpace) : []
    return { argv: [...enterWorkspace(workspace, this.#owner), ...outer, ...argv], inputs, env }
  }
}

/** Bytes of memory that the sandbox itself takes, including its small file systems in memory. */
const SANDBOX_MEMORY_BYTES = 48 * 2 ** 20

/** Processes and threads that start the sandbox. */
const SANDBOX_PROCESSES = 8

/** Returns the limits of the control group of a block, which also counts the files of a work directory in memory. */
const groupLimits = (limits: ExecutionLimits, { holder }: Workspace): GroupLimits => ({
  memoryBytes: limits.memoryBytes + (holder === null ? 0 : limits.workspaceBytes) + SANDBOX_MEMORY_BYTES,
  pids: limits.pids + SANDBOX_PROCESSES,
})

/**
 * Changes the owner of a directory to a user without privileges, who runs the code: the kernel does not count processes of
 * root. Returns null if this program is not root, or is root of a namespace without another user.
 */
function unprivilegedOwner(directory: string): number | null {
  if (process.getuid?.() !== 0) return null
  try {
    chownSync(directory, NOBODY_UID, NOBODY_UID)
    return NOBODY_UID
  } catch {
    return null
  }
}

/** Returns the start of a command line that limits the code and its descendants, followed by the code's command. */
const limitCode = (limits: ExecutionLimits, byAddressSpace: boolean, argv: readonly string[]): string[] => [
  'prlimit',
  `--nproc=${limits.pids}`,
  ...processLimits(limits, byAddressSpace),
  '--',
  ...argv,
]

/**
 * Returns the start of a command line with limits for the tool that starts the sandbox: its first process belongs to
 * the user of the code, so that code could change it. The number of processes is not limited yet, since at this point
 * the kernel would count all processes of the user.
 */
const limitStarter = (limits: ExecutionLimits, byAddressSpace: boolean): string[] => [
  'prlimit',
  ...processLimits(limits, byAddressSpace),
  '--',
]

/** Returns the limits of a process and its descendants as arguments of `prlimit`, without the number of processes. */
const processLimits = (
  { memoryBytes, openFiles, fileBytes, timeout }: ExecutionLimits,
  byAddressSpace: boolean,
): readonly string[] => [
  // Engines that reserve far more address space than they use are limited by their resident memory, which is watched.
  ...(byAddressSpace ? [`--as=${memoryBytes}`] : []),
  `--nofile=${openFiles}`,
  `--fsize=${fileBytes}`,
  '--core=0',
  `--cpu=${Math.ceil(timeout) * 4}`,
]
