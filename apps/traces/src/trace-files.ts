import { readdir, readFile, stat } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { join, resolve } from 'node:path'
import { XError } from '@x/kernel'
import { isHandoffTrace, readHandoffTrace } from './handoffs/read.ts'
import type { HandoffTrace } from './handoffs/trace.ts'
import { readTrace } from './replay/read-trace.ts'
import type { Trace } from './replay/trace.ts'

/** The folder of the recordings of this repository. */
export const TRACES_FOLDER: string = fileURLToPath(new URL('../data', import.meta.url))

/** Reads all traces of a folder, sorted by name: one inside `data`, or a path anywhere. No trace at all is an error. */
export async function readTraces(folder: string = '.'): Promise<(Trace | HandoffTrace)[]> {
  const root = (await isFolder(resolve(TRACES_FOLDER, folder))) ? resolve(TRACES_FOLDER, folder) : resolve(folder)
  if (!(await isFolder(root))) {
    throw new XError('invalid-argument', `there is no folder \`${folder}\`: give one inside \`data\`, or a path`)
  }
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.json')).toSorted()
  if (files.length === 0) throw new XError('invalid-argument', `\`${folder}\` holds no traces: give a folder with some`)
  const traces = await Promise.all(files.map(async (file) => readAny(await readFile(join(root, file), 'utf8'), file)))
  // Where the reference is wrong there is nothing to replay.
  return traces.filter((trace) => !isHandoffTrace(trace) || trace.defect === undefined)
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory()
  } catch {
    return false
  }
}

/** Reads the recordings of defects of the reference, each with the right behaviour. */
export async function readDefects(): Promise<HandoffTrace[]> {
  const folder = join(TRACES_FOLDER, 'handoffs/defects')
  const files = (await readdir(folder)).toSorted()
  const traces = await Promise.all(files.map(async (file) => readAny(await readFile(join(folder, file), 'utf8'), file)))
  return traces.filter(isHandoffTrace)
}

/** Reads a trace of either format. */
function readAny(text: string, file: string): Trace | HandoffTrace {
  const value = parsed(text)
  return typeof value === 'object' && value !== null && 'title' in value
    ? readHandoffTrace(value, file)
    : readTrace(text, file)
}

/** The value of a text; what is no JSON is told of by who reads it. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
