import { readFileSync, readlinkSync, statfsSync, statSync } from 'node:fs'

/** Bytes of a page, in which the kernel counts the buffers of TCP. */
const PAGE = 4_096

/** Bytes that the kernel takes for the name and the node of an empty file in memory. */
const NODE = 1_024

/** File systems in memory that a sandbox has beside its work directory. Their size bounds what is in files. */
const TEMPORARY = ['/tmp', '/dev/shm']

/** Bytes of the names and nodes of files in the temporary directories of a sandbox; 0 where the tree is in none. */
export function nodesInMemory(pids: readonly number[]): number {
  const outside = deviceOf(TEMPORARY[0]!)
  // The youngest are inside; not all of them can be looked at.
  for (const pid of pids.toReversed()) {
    const root = `/proc/${pid}/root`
    const inside = deviceOf(`${root}${TEMPORARY[0]!}`)
    if (inside === null || inside === outside) continue
    let nodes = 0
    for (const directory of TEMPORARY) nodes += nodesOf(`${root}${directory}`)
    return nodes * NODE
  }
  return 0
}

/**
 * Gives a function that tells by how many bytes the buffers of TCP grew since, while processes have connections in a
 * network of their own; 0 without. The kernel counts them for the whole machine only, and lets one connection have
 * megabytes; that others have grown meanwhile is counted as well.
 */
export function tcpGrowth(): (pids: readonly number[]) => number {
  const before = tcpBuffers()
  const own = networkOf('self')
  return (pids) => {
    const inside = pids.toReversed().find((pid) => {
      const network = networkOf(pid)
      return network !== null && network !== own
    })
    return inside !== undefined && hasConnections(inside) ? Math.max(tcpBuffers() - before, 0) : 0
  }
}

function tcpBuffers(): number {
  const pages = /^TCP: .* mem (?<pages>\d+)$/mu.exec(text('/proc/net/sockstat'))?.groups?.['pages']
  return Number(pages ?? 0) * PAGE
}

/** Tells whether there is a socket of TCP that does more than listen. */
function hasConnections(pid: number): boolean {
  return ['tcp', 'tcp6'].some((name) => /^ *\d+: \S+ \S+ (?!0A)/mu.test(text(`/proc/${pid}/net/${name}`)))
}

function networkOf(pid: number | 'self'): string | null {
  try {
    return readlinkSync(`/proc/${pid}/ns/net`)
  } catch {
    return null
  }
}

function deviceOf(path: string): number | null {
  try {
    return statSync(path).dev
  } catch {
    return null
  }
}

function nodesOf(path: string): number {
  try {
    const { files, ffree } = statfsSync(path)
    return files - ffree
  } catch {
    return 0
  }
}

function text(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
