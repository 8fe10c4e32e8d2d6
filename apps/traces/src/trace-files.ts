import { readdir, readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join, resolve } from 'node:path'
import { XError } from '@x/kernel'
import { readTrace } from './replay/read-trace.ts'
import type { Trace } from './replay/trace.ts'

/** Where the recordings of this repository are. */
export const DATA: string = fileURLToPath(new URL('../data', import.meta.url))

/** Reads all traces of a folder, sorted by name: one inside `data`, or a path anywhere. No trace at all is an error. */
export async function readTraces(folder: string = '.'): Promise<Trace[]> {
  const root = (await isFolder(resolve(DATA, folder))) ? resolve(DATA, folder) : resolve(folder)
  if (!(await isFolder(root))) {
    throw new XError('invalid-argument', `there is no folder \`${folder}\`: give one inside \`data\`, or a path`)
  }
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.json')).toSorted()
  if (files.length === 0) throw new XError('invalid-argument', `\`${folder}\` holds no traces: give a folder with some`)
  return await Promise.all(files.map(async (file) => readTrace(await readFile(join(root, file), 'utf8'), file)))
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}
