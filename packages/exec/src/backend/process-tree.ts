import { readdirSync, readFileSync } from 'node:fs'

/** A process and all that it started, as far as Linux tells; empty elsewhere. */
export function processTree(root: number): number[] {
  const pids = [root]
  for (const pid of pids) {
    for (const task of names(`/proc/${pid}/task`)) {
      pids.push(...text(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number))
    }
  }
  return pids
}

/** Threads of a process. */
export const threadsOf = (pid: number): number => names(`/proc/${pid}/task`).length

/** Resident bytes of a process. */
export function residentBytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(?<size>\d+) kB$/mu.exec(text(`/proc/${pid}/status`))?.groups?.['size']
  return Number(kibibytes ?? 0) * 1024
}

/** Processes whose environment held an entry when they started; only those this user may see. */
export function processesTagged(entry: string): number[] {
  return names('/proc')
    .filter((name) => /^\d+$/u.test(name) && text(`/proc/${name}/environ`).split('\0').includes(entry))
    .map(Number)
}

function names(directory: string): string[] {
  try {
    return readdirSync(directory)
  } catch {
    return []
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
