import type { RunSummary } from './run-summary.ts'
import { digestOf, fileSystem } from './platform.ts'

/** The process that writes a run, as a record has it: nothing in it names a machine or a person. */
export interface WriterProcess {
  /** Digest of the name of its machine. */
  readonly machine: string
  readonly pid: number
  /** When it began, as its machine counts; null where that is not known. A later process may have the same number. */
  readonly began: string | null
}

/** Time without a line, in milliseconds, after which a run of another machine counts as cut off: nobody can look there. */
const SILENT_MS = 86_400_000

let own: WriterProcess | undefined

/** Returns this process. */
export function ownProcess(): WriterProcess {
  const { pid } = process
  own ??= { machine: machine(), pid, began: beginningOf(pid) }
  return own
}

/** True if a run has no end and gets none any more from the process that wrote it last. */
export function isCutOff(
  { outcome, last }: Pick<RunSummary, 'outcome' | 'last'>,
  writer: unknown,
  now: number,
): boolean {
  if (outcome !== null) return false
  const { machine: where, pid, began } = (writer ?? {}) as Partial<WriterProcess>
  if (where !== ownProcess().machine || !Number.isSafeInteger(pid)) return now - last > SILENT_MS
  return !isAlive(pid!) || (typeof began === 'string' && beginningOf(pid!) !== began)
}

const machine = (): string => digestOf(process.getBuiltinModule('node:os').hostname()).slice(0, 16)

/** True for the number of a process that has not ended. */
export function isAlive(pid: number): boolean {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    // A process of another person may not be asked.
    return (error as { code?: string }).code === 'EPERM'
  }
}

/** Reads when a process began: a field of its status in Linux. */
function beginningOf(pid: number): string | null {
  try {
    const status = fileSystem().readFileSync(`/proc/${pid}/stat`, 'utf8')
    return status.slice(status.lastIndexOf(')') + 2).split(' ')[BEGINNING_FIELD] ?? null
  } catch {
    return null
  }
}

/** Number of the field behind the name of the program, which may have blanks. */
const BEGINNING_FIELD = 19
