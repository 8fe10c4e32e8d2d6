/** Processes by number, each with its command line. */
export type Tree = ReadonlyMap<number, string>

/** Reads the processes that this one started, directly or through others; empty where the system is not Linux. */
export function readTree(): Tree {
  const { readdirSync, readFileSync } = process.getBuiltinModule('node:fs')
  const read = (file: string): string => {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      return ''
    }
  }
  const processes = new Map<number, string>()
  const left = [process.pid]
  for (const pid of left) {
    let tasks: string[] = []
    try {
      tasks = readdirSync(`/proc/${pid}/task`)
    } catch {
      // It is gone, or there is no such listing.
    }
    for (const task of tasks) {
      for (const child of read(`/proc/${pid}/task/${task}/children`).split(' ').filter(Boolean).map(Number)) {
        processes.set(child, read(`/proc/${child}/cmdline`).replaceAll('\0', ' ').trim())
        left.push(child)
      }
    }
  }
  return processes
}
