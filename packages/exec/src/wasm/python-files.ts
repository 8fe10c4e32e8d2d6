import { Buffer } from 'node:buffer'
import type { TransferFrame } from './transfer-frames.ts'

/** Node of the file system of Emscripten in memory. */
interface Node {
  usedBytes?: number
  contents?: unknown
  /** Parent of the node; the root is its own parent. */
  readonly parent?: Node
}

/** The part of the file system of Emscripten that is used here. */
export interface MemoryFiles {
  readonly ErrnoError: new (code: number) => Error
  readonly filesystems: {
    readonly MEMFS: {
      createNode: (...args: unknown[]) => Node
      expandFileStorage: (node: Node, capacity: number) => void
      resizeFileStorage: (node: Node, size: number) => void
      readonly ops_table: {
        readonly file: { readonly stream: { write: (...args: unknown[]) => number } }
      }
    }
  }
  mkdirTree(path: string): void
  writeFile(path: string, data: Uint8Array): void
  readFile(path: string): Uint8Array
  readdir(path: string): string[]
  lstat(path: string): { mode: number; size: number }
  isDir(mode: number): boolean
  isFile(mode: number): boolean
  isLink(mode: number): boolean
}

/** Error numbers of WASI, the system interface of WebAssembly. */
const ERRNO = { EFBIG: 22, ENAMETOOLONG: 37, ENOSPC: 51 } as const

/** Limits on the files of a block. */
export interface Quota {
  readonly fileBytes: number
  readonly workspaceBytes: number
  readonly workspaceEntries: number
}

/** Directory in which code works. */
const WORKSPACE_PATH = '/workspace'

/** Depth of the deepest directory; deeper trees take long to copy. */
export const MAX_DEPTH = 64

/** Enforces the limits on files in memory: size of a file, size of all files, their number, their depth. */
export function limitFiles(
  files: MemoryFiles,
  { fileBytes, workspaceBytes, workspaceEntries }: Quota,
  wrap: <Work extends (...args: never[]) => unknown>(work: Work) => Work,
): void {
  const { ErrnoError } = files
  const { MEMFS } = files.filesystems
  const { expandFileStorage, resizeFileStorage, createNode } = MEMFS
  const { stream } = MEMFS.ops_table.file
  const { write } = stream
  // Only counted upwards; at the limit they are counted anew, since files may have been removed.
  let bytes = 0
  let entries = 0
  const reserve = (node: Node, size: number): void => {
    if (size > fileBytes) throw new ErrnoError(ERRNO.EFBIG)
    const more = Math.max(0, size - (node.usedBytes ?? 0))
    if (bytes + more > workspaceBytes) ({ bytes, entries } = measureUsage(files))
    if (bytes + more > workspaceBytes) throw new ErrnoError(ERRNO.ENOSPC)
    bytes += more
  }
  MEMFS.expandFileStorage = wrap((node: Node, capacity: number) => {
    if (capacity > fileBytes) throw new ErrnoError(ERRNO.EFBIG)
    expandFileStorage(node, capacity)
  })
  MEMFS.resizeFileStorage = wrap((node: Node, size: number) => {
    reserve(node, size)
    resizeFileStorage(node, size)
  })
  MEMFS.createNode = wrap((...args: unknown[]) => {
    if (depthOf(args[0] as Node | null) >= MAX_DEPTH) throw new ErrnoError(ERRNO.ENAMETOOLONG)
    if (entries >= workspaceEntries) ({ bytes, entries } = measureUsage(files))
    if (entries >= workspaceEntries) throw new ErrnoError(ERRNO.ENOSPC)
    entries++
    return createNode(...args)
  })
  stream.write = wrap((...args: unknown[]) => {
    const [file, , , length, position] = args as [{ node: Node }, unknown, unknown, number, number]
    reserve(file.node, position + length)
    return write(...args)
  })
}

function depthOf(node: Node | null): number {
  let depth = 0
  for (let at = node; at?.parent && at.parent !== at && depth <= MAX_DEPTH; at = at.parent) depth++
  return depth
}

function measureUsage(files: MemoryFiles): { bytes: number; entries: number } {
  let bytes = 0
  let entries = 0
  for (const root of [WORKSPACE_PATH, '/tmp', '/home']) {
    for (const { size } of walk(files, root)) {
      bytes += size
      entries++
    }
  }
  return { bytes, entries }
}

/** Writes the files of a work directory to memory. */
export function putFiles(
  files: MemoryFiles,
  frames: readonly TransferFrame[],
  copyOf: (data: Uint8Array) => Uint8Array,
): void {
  files.mkdirTree(WORKSPACE_PATH)
  for (const { header, body } of frames) {
    const { path, kind } = header as { path: string; kind: string }
    if (kind === 'directory') files.mkdirTree(`${WORKSPACE_PATH}/${path}`)
    // A copy, since the sent bytes are compared later.
    else files.writeFile(`${WORKSPACE_PATH}/${path}`, copyOf(body))
  }
}

/** Yields the files of the work directory as frames; unchanged files have no content. */
export function* takeFiles(files: MemoryFiles, sent: readonly TransferFrame[]): Generator<TransferFrame> {
  const before = new Map(sent.map(({ header, body }) => [header['path'], body]))
  for (const { path, kind } of walk(files, WORKSPACE_PATH)) {
    const content = kind === 'file' ? files.readFile(`${WORKSPACE_PATH}/${path}`) : EMPTY_BYTES
    const old = kind === 'file' ? before.get(path) : undefined
    if (old && Buffer.compare(old, content) === 0) yield { header: { path, kind: 'same' }, body: EMPTY_BYTES }
    else yield { header: { path, kind }, body: content }
  }
}

const EMPTY_BYTES = new Uint8Array()

function* walk(files: MemoryFiles, root: string): Generator<{ path: string; kind: string; size: number }> {
  const pending = ['']
  for (const directory of pending) {
    for (const name of files.readdir(directory === '' ? root : `${root}/${directory}`)) {
      if (name === '.' || name === '..') continue
      const path = directory === '' ? name : `${directory}/${name}`
      const { mode, size } = files.lstat(`${root}/${path}`)
      if (files.isDir(mode)) {
        pending.push(path)
        yield { path, kind: 'directory', size: 0 }
      } else yield { path, kind: files.isLink(mode) ? 'link' : files.isFile(mode) ? 'file' : 'other', size }
    }
  }
}
