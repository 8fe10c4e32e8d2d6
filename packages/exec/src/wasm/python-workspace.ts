import { makeConfined, readConfined, removeConfined, writeConfined } from '../run/confined-file.ts'
import { nameFault } from '../read/file-name.ts'
import { listArtifacts } from '../run/list-artifacts.ts'
import type { ExecutionLimits } from '../run/limits.ts'
import { packed, unpacked } from './parcels.ts'

type WorkspaceLimits = Pick<ExecutionLimits, 'fileBytes' | 'workspaceBytes' | 'workspaceEntries'>

/** Files and directories of a work directory, packed; links and everything else stay outside. Null for too much. */
export function filesOf(
  workDir: string,
  { workspaceBytes, workspaceEntries }: WorkspaceLimits,
): { pieces: Uint8Array[]; names: ReadonlySet<string> } | null {
  const entries = listArtifacts(workDir, workspaceEntries + 1)
  let bytes = 0
  for (const { size } of entries) bytes += size
  if (entries.length > workspaceEntries || bytes > workspaceBytes) return null
  const pieces: Uint8Array[] = []
  const names = new Set<string>()
  for (const { name, kind } of entries) {
    const body = kind === 'file' ? readConfined(workDir, name) : null
    if (kind !== 'directory' && body === null) continue
    pieces.push(...packed({ path: name, kind }, body ?? undefined))
    names.add(name)
  }
  return { pieces, names }
}

/**
 * Makes a work directory what a process says its own has become. The process may say anything: names are held to those of
 * blocks, sizes and numbers to the limits, no link is followed, and what was not sent to it is not removed.
 */
export function keepFiles(workDir: string, said: Uint8Array, sent: ReadonlySet<string>, limits: WorkspaceLimits): void {
  const left = new Set<string>()
  const changes: (() => void)[] = []
  let bytes = 0
  try {
    for (const { header, body } of unpacked(said)) {
      const { path, kind, end } = header as { path?: unknown; kind?: unknown; end?: unknown }
      if (end === true) return conclude()
      if (typeof path !== 'string' || nameFault(path) !== null) continue
      bytes += body.length
      if (left.size >= limits.workspaceEntries || bytes > limits.workspaceBytes || body.length > limits.fileBytes)
        continue
      left.add(path)
      if (kind === 'directory') changes.push(() => makeConfined(workDir, path))
      else if (kind === 'file') changes.push(() => writeConfined(workDir, path, body))
    }
  } catch {
    // It is not a list; nothing is changed.
  }

  function conclude(): void {
    for (const name of [...sent].toReversed()) if (!left.has(name)) removeConfined(workDir, name)
    for (const change of changes) {
      try {
        change()
      } catch {
        // A directory where a file should be, or the reverse: what was there stays.
      }
    }
  }
}
