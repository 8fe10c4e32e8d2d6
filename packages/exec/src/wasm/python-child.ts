/** The process that runs one block of Python by Pyodide: it takes its task from its input and ends with the code's exit code. */
import { Buffer } from 'node:buffer'
import { heard, send, WIRE } from './child-io.ts'
import { packed, READY } from './parcels.ts'
import { DRIVER } from './python-driver.ts'
import { limitFiles, putFiles, takeFiles, type MemoryFiles, type Quota } from './python-files.ts'
import { emptyRealm } from './python-realm.ts'

/** The task of the process. */
export interface PythonTask extends Quota {
  /** Directory of Pyodide. */
  readonly pyodide: string
  /** File to run, in the work directory; null to run none. */
  readonly file: string | null
  /** Bytes that Python's memory may grow to. */
  readonly memoryBytes: number
  readonly env: Readonly<Record<string, string>>
  /** An image of the memory of a loaded Python: it comes with the task, is to be made before the code runs, or neither. */
  readonly image: 'given' | 'wanted' | 'none'
}

interface Pyodide {
  readonly FS: MemoryFiles
  runPython(code: string): unknown
  setStdin(options: { stdin: () => undefined }): void
  setStdout(options: Writer): void
  setStderr(options: Writer): void
  unregisterJsModule(name: string): void
  makeMemorySnapshot(): Uint8Array
}

interface Writer {
  readonly write: (data: Uint8Array) => number
  readonly isatty: boolean
}

const [first, ...rest] = heard()
const task = first!.header as PythonTask
const [image, files] = task.image === 'given' ? [rest[0]!.body, rest.slice(1)] : [undefined, rest]
const leave = process.exit.bind(process)
// Not the code's: that the parts which Pyodide is made of are new in Node.
process.removeAllListeners('warning')

const writer = (descriptor: number): Writer => ({ write: (data) => send(descriptor, data), isatty: false })
const complain = (text: string): void => void send(2, Buffer.from(text))

const realm = emptyRealm(task.pyodide, task.memoryBytes, complain)
const pyodide = await load()
realm.close()
if (task.image === 'wanted') sendImage(pyodide)
leave(task.file === null ? 0 : run(pyodide, task.file))

async function load(): Promise<Pyodide> {
  const { loadPyodide } = (await import(`${realm.url}pyodide.mjs`)) as {
    loadPyodide: (options: object) => Promise<Pyodide>
  }
  return await loadPyodide({
    indexURL: realm.url,
    env: { HOME: '/workspace', LANG: 'C.UTF-8', ...task.env },
    ...(task.image === 'wanted' && { _makeSnapshot: true }),
    ...(image && { _loadSnapshot: image.buffer.slice(image.byteOffset, image.byteOffset + image.length) }),
  })
}

function sendImage(python: Pyodide): void {
  try {
    for (const piece of packed({ image: true }, python.makeMemorySnapshot())) send(WIRE, piece)
  } catch {
    // Then each start is a whole one.
  }
}

function run(python: Pyodide, file: string): number {
  const { FS } = python
  putFiles(FS, files)
  limitFiles(FS, task)
  python.setStdin({ stdin: () => undefined })
  python.setStdout(writer(1))
  python.setStderr(writer(2))
  const driver = python.runPython(DRIVER) as (path: string) => number
  for (const name of ['js', 'pyodide_js']) python.unregisterJsModule(name)
  // The time of the code begins.
  send(WIRE, READY)
  let exitCode: number
  try {
    exitCode = driver(`/workspace/${file}`)
  } catch (error) {
    // `os._exit` ends Python by an error that bears the code; everything else is Python's own end.
    const { status, message } = error as { status?: unknown; message?: unknown }
    exitCode = typeof status === 'number' ? status & 255 : 1
    if (typeof status !== 'number') complain(`Python ended: ${String(message).slice(0, 2_000)}\n`)
  }
  for (const piece of takeFiles(FS, files)) send(WIRE, piece)
  for (const piece of packed({ end: true })) send(WIRE, piece)
  return exitCode
}
