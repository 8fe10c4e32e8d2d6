import { chmodSync, existsSync, statSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { failedOutcome, type LimitedBackend } from '../run/job.ts'
import type { Runtime } from '../run/languages.ts'
import { writeConfined } from '../run/confined-file.ts'
import { asArgument, INTERPRETER_COMMANDS, lookUp } from './programs.ts'
import { endGroup, findGroups, joinGroup, makeGroup, type GroupBases } from './control-group.ts'
import { processesTagged } from './processes.ts'
import { runProcess } from './run-process.ts'
import { watchThread } from './watch.ts'

/** Description of command lines on the host. */
export interface LocalSpec {
  readonly kind: 'local'
  readonly workDir: string
  readonly env: Readonly<Record<string, string>>
}

/** Processes that start the code. */
const STARTER_PROCESSES = 8

/** Runs trusted code on the host, as the user of this program. */
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
  /** Where this program can make control groups; undefined before the first block. */
  let bases: GroupBases | null | undefined
  return {
    isolation: 'host',
    fault: async (runtime) => (commandFor(runtime) ? null : `the host has no program that runs ${runtime}`),
    async run({ file, code, runtime, saveOnly, limits }, watch) {
      try {
        writeConfined(workDir, file, code)
      } catch (error) {
        return failedOutcome('bad-filename', (error as Error).message)
      }
      const savedAs = resolve(workDir, file)
      if (saveOnly) return { ...failedOutcome('saved', '', 0), stdout: `Code saved to ${savedAs}\n`, savedAs }
      const command = commandFor(runtime)
      if (!command) return { ...failedOutcome('unsupported-language', `no program here runs ${runtime}`), savedAs }
      if (bases === undefined) bases = findGroups()
      const group = bases && makeGroup({ ...bases, memory: null }, { ...limits, pids: limits.pids + STARTER_PROCESSES })
      const [first, ...rest] = [...joinGroup(group), ...command, asArgument(file)]
      const tag = randomBytes(12).toString('hex')
      const outcome = await runProcess(
        {
          argv: [first, ...rest],
          cwd: workDir,
          env: { ...env, X_EXEC_ID: tag },
          limits,
          workDir,
          watcher,
          reap: () => killTagged(`X_EXEC_ID=${tag}`),
        },
        watch,
      )
      // Processes that left both their process group and their environment are still in the control group.
      await endGroup(group)
      // The code may have removed its own directory, or permissions from it.
      if (existsSync(workDir)) chmodSync(workDir, mode)
      return { ...outcome, isolation: 'host', savedAs }
    },
    artifacts: async () => await watcher.list(workDir),
    close: async () => await watcher.close(),
  }
}

/** Kills processes that left the process group. Looks again for processes that they start meanwhile. */
function killTagged(tag: string): void {
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
