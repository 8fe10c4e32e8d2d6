import { chmodSync, existsSync, statSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { failed, type LimitedBackend } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { writeConfined } from '../run/confined-file.ts'
import { asArgument, INTERPRETER_COMMANDS, lookUp } from './interpreter.ts'
import { endGroup, findGroups, joining, makeGroup, type GroupBases } from './control-group.ts'
import { processesTagged } from './process-tree.ts'
import { spawned } from './spawned.ts'
import { watchThread } from './watch-thread.ts'

/** Describes a command line of the host. */
export interface LocalSpec {
  readonly kind: 'host'
  readonly workDir: string
  readonly env: Readonly<Record<string, string>>
}

/** Processes of what starts the code. */
const STARTER_PROCESSES = 8

/** Runs code on the host, as the user who runs the program: for code that is trusted. */
export function localBackend({ workDir, env }: LocalSpec): LimitedBackend {
  const commandFor = (runtime: Runtime): [string, ...string[]] | undefined => {
    for (const [name, ...args] of INTERPRETER_COMMANDS[runtime] ?? []) {
      const path = lookUp(name, env['PATH'] ?? '')
      if (path !== undefined) return [path, ...args]
    }
    return undefined
  }
  const { mode } = statSync(workDir)
  const watcher = watchThread()
  /** Where control groups can be made, once somebody has looked. */
  let bases: { readonly found: GroupBases | null } | undefined
  return {
    isolation: 'host',
    fault: async (runtime) => (commandFor(runtime) ? null : `the host has no program that runs ${runtime}`),
    async run({ file, code, runtime, saveOnly, limits }, watch) {
      try {
        writeConfined(workDir, file, code)
      } catch (error) {
        return failed('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, file)
      if (saveOnly) return { ...failed('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
      const command = commandFor(runtime)
      if (!command) return { ...failed('unsupported-language', `no program here runs ${runtime}`), savedAs }
      bases ??= { found: findGroups() }
      const group =
        bases.found && makeGroup({ ...bases.found, memory: null }, { ...limits, pids: limits.pids + STARTER_PROCESSES })
      const [first, ...rest] = [...joining(group), ...command, asArgument(file)]
      const tag = randomBytes(12).toString('hex')
      const outcome = await spawned(
        {
          argv: [first, ...rest],
          cwd: workDir,
          env: { ...env, X_EXEC_ID: tag },
          limits,
          workDir,
          watcher,
          reap: () => reap(`X_EXEC_ID=${tag}`),
        },
        watch,
      )
      // Who left both its group and its environment is still in this one.
      await endGroup(group)
      // The code may have taken the rights from its own directory, or the directory away.
      if (existsSync(workDir)) chmodSync(workDir, mode)
      return { ...outcome, isolation: 'host', savedAs }
    },
    artifacts: async () => await watcher.list(workDir),
    close: async () => await watcher.close(),
  }
}

/** Ends processes that left the group; looks again for those that they start meanwhile. */
function reap(tag: string): void {
  for (let round = 0; round < 5; round++) {
    const pids = processesTagged(tag)
    if (pids.length === 0) return
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It is gone already.
      }
    }
  }
}
