import { chmodSync, chownSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { writeConfined } from '../run/confined-file.ts'
import { failed, type LimitedBackend, type Outcome, type Watch } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { limitsOf, type ExecutionLimits } from '../run/limits.ts'
import { listArtifacts } from '../run/list-artifacts.ts'
import { bubblewrapCommand } from './bubblewrap.ts'
import { asArgument, COMMANDS } from './commands.ts'
import { interpreterOutside } from './interpreter.ts'
import { limited } from './prlimit.ts'
import { NOBODY, type SandboxSpec } from './sandbox-spec.ts'
import { spawned } from './spawned.ts'
import { systemCallFilter } from './system-calls.ts'
import { unshareCommand } from './unshare.ts'

const PROBE = limitsOf({ timeout: 10, outputBytes: 4096 })

/** Arguments by which a program does nothing, well. */
const TRIALS: Readonly<Partial<Record<Runtime, readonly string[]>>> = {
  python: ['-c', ''],
  bash: ['-c', ''],
  sh: ['-c', ''],
  powershell: ['-NoProfile', '-Command', 'exit'],
  javascript: ['-e', ''],
  typescript: ['-e', ''],
}

/** Engines that reserve more address space than they use. */
const BY_RESIDENT: ReadonlySet<Runtime> = new Set(['javascript', 'typescript', 'powershell'])

/** Runs code with the programs of the machine in namespaces of its own: no network, no files, no other processes. */
export function sandboxBackend(spec: SandboxSpec): LimitedBackend {
  const { kind, workDir } = spec
  const owner = spec.ownWorkDir ? unprivilegedOwner(workDir) : null
  const build = kind === 'bubblewrap' ? bubblewrapCommand : unshareCommand
  const { mode } = statSync(workDir)
  const faults = new Map<Runtime, Promise<string | null>>()
  const commands = new Map<Runtime, readonly string[]>()
  /** Directories of interpreters that lie elsewhere, by runtime. */
  const shown = new Map<Runtime, string>()

  const inside = async (runtime: Runtime, argv: string[], limits: ExecutionLimits, watch: Watch): Promise<Outcome> => {
    const extra = shown.get(runtime)
    const its = extra === undefined ? spec : { ...spec, readOnly: [...spec.readOnly, extra] }
    return await spawned(
      {
        argv: build(its, limited(limits, limits !== PROBE && !BY_RESIDENT.has(runtime), argv)),
        // What starts the sandbox is looked up where the system keeps it, whatever the program's own environment says.
        env: { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' },
        cwd: '/',
        limits,
        owner,
        workDir,
        third: kind === 'bubblewrap' ? (systemCallFilter() ?? undefined) : undefined,
      },
      watch,
    )
  }

  /** Really starts the interpreter inside: what the kernel refuses or the machine lacks shows only then. */
  const probe = async (runtime: Runtime): Promise<string | null> => {
    if (process.platform !== 'linux') return `${kind} needs Linux`
    let last = `nothing is known that runs ${runtime}`
    const attempt = async ([name, ...args]: readonly [string, ...string[]]): Promise<boolean> => {
      const argv = ['sh', '-c', 'command -v "$0" && "$0" "$@"', name, ...TRIALS[runtime]!]
      const { exitCode, stderr } = await inside(runtime, argv, PROBE, {})
      if (exitCode === 0) commands.set(runtime, [name, ...args])
      else last = stderr.trim().split('\n').at(-1) || `\`${name}\` is not there`
      return exitCode === 0
    }
    const known = COMMANDS[runtime] ?? []
    for (const command of known) if (await attempt(command)) return null
    for (const [name, ...args] of known) {
      try {
        const outside = interpreterOutside(name, spec.hostPath, [workDir, process.cwd()])
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

  return {
    isolation: 'sandbox',
    fault,
    async run({ file, code, runtime, saveOnly, limits }, watch) {
      try {
        writeConfined(workDir, file, code, owner)
      } catch (error) {
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, file)
      if (saveOnly) return { ...failed('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
      const why = await fault(runtime)
      if (why !== null) return { ...failed('unsupported-language', `no ${runtime} in the sandbox: ${why}`), savedAs }
      const argv = [...commands.get(runtime)!, asArgument(file)]
      const outcome = await inside(runtime, argv, limits, watch)
      // The code may have taken the rights from its own directory.
      chmodSync(workDir, mode)
      return { ...outcome, isolation: 'sandbox', savedAs }
    },
    artifacts: async () => listArtifacts(workDir),
    close: async () => {},
  }
}

/**
 * Gives a directory to a user without rights, whom the code then runs as: root's own processes are not counted by the
 * kernel. Null where this program is not root, or root of a namespace that has no other user.
 */
function unprivilegedOwner(workDir: string): number | null {
  if (process.getuid?.() !== 0) return null
  try {
    chownSync(workDir, NOBODY, NOBODY)
    return NOBODY
  } catch {
    return null
  }
}
