/** The process that runs blocks of Python by Pyodide, one after another, each in a Python and a realm of its own. */
import { Buffer } from 'node:buffer'
import { readFrame, writeFrame } from './child-io.ts'
import type { TransferFrame } from './transfer-frames.ts'
import { PYTHON_DRIVER } from './python-driver.ts'
import { limitFiles, putFiles, takeFiles, type MemoryFiles, type Quota } from './python-files.ts'
import { emptyProcess, type PythonRealm } from './python-realm.ts'

/** The first thing that the process is told; an image of a loaded Python is its body. */
export interface PythonGreeting {
  /** Directory of Pyodide. */
  readonly pyodide: string
  readonly env: Readonly<Record<string, string>>
  /** An image comes with this, is to be made before any code runs, or neither. */
  readonly image: 'given' | 'wanted' | 'none'
}

/** A block. Its files follow. */
export interface PythonTask extends Quota {
  /** File to run, in the work directory. */
  readonly file: string
  /** Files and directories that follow. */
  readonly files: number
  /** Bytes that Python's memory may grow to. */
  readonly memoryBytes: number
}

interface Pyodide {
  readonly FS: MemoryFiles
  runPython(code: string): unknown
  setStdin(options: unknown): void
  setStdout(options: unknown): void
  setStderr(options: unknown): void
  unregisterJsModule(name: string): void
  makeMemorySnapshot(): Uint8Array
}

/** What the fault says of itself names files of the machine. */
const END_OF_PYTHON = Buffer.from('Python ended by a fault inside, such as a stack that overflowed\n')

const leave = process.exit.bind(process)
const computing = process.cpuUsage.bind(process)
const resident = process.memoryUsage.rss.bind(process.memoryUsage)
// Not the code's: that the parts which Pyodide is made of are new in Node.
process.removeAllListeners('warning')

const first = readFrame()
if (!first) leave()
const { pyodide, env, image: wish } = first!.header as unknown as PythonGreeting
let image = wish === 'given' ? (first!.body.buffer as ArrayBuffer) : undefined
const newRealm = await emptyProcess(pyodide, (out, data) => writeFrame({ out }, data))

for (let makesImage = wish === 'wanted'; ; makesImage = false) {
  const realm = newRealm()
  const python = await load(realm, makesImage)
  if (makesImage) image = imageOf(python)
  writeFrame({ ready: true })
  const task = readFrame()
  // Nobody is there any more.
  if (!task) leave()
  const ended = run(realm, python, task!.header as unknown as PythonTask)
  realm.end()
  const { user, system } = computing()
  writeFrame({ end: true, ...ended, computed: (user + system) / 1e6, resident: resident() })
}

async function load(realm: PythonRealm, makesImage: boolean): Promise<Pyodide> {
  const options = { env: { HOME: '/workspace', LANG: 'C.UTF-8', ...env }, ...(makesImage && { _makeSnapshot: true }) }
  try {
    const loaded = await realm.load(options, image)
    image = loaded.image
    return loaded.python as Pyodide
  } catch (error) {
    writeFrame({ fault: (error as Error).message })
    return leave(1)
  }
}

/** Makes an image of the memory of a Python that has run nothing, and says it. Pyodide does not promise that it can. */
function imageOf(python: Pyodide): ArrayBuffer | undefined {
  let made: Uint8Array<ArrayBuffer> | undefined
  try {
    made = new Uint8Array(python.makeMemorySnapshot())
  } catch {
    // Then each start is a whole one.
  }
  writeFrame({ image: made !== undefined }, made)
  return made?.buffer
}

function run(realm: PythonRealm, python: Pyodide, task: PythonTask): { exitCode: number; spoiled: boolean } {
  const { FS } = python
  const files: TransferFrame[] = []
  while (files.length < task.files) files.push(readFrame() ?? leave())
  putFiles(FS, files, realm.bytes)
  limitFiles(FS, task, realm.wrap)
  realm.limit(task.memoryBytes)
  python.setStdin(realm.run('({ stdin: () => undefined })'))
  python.setStdout(realm.run("__x_streams('stdout')"))
  python.setStderr(realm.run("__x_streams('stderr')"))
  realm.run('delete globalThis.__x_streams')
  const driver = python.runPython(PYTHON_DRIVER) as (path: string) => number
  for (const name of ['js', 'pyodide_js']) python.unregisterJsModule(name)
  // The time of the code begins.
  writeFrame({ begin: true })
  let exitCode: number
  let spoiled = false
  try {
    exitCode = driver(`/workspace/${task.file}`)
  } catch (error) {
    // `os._exit` ends Python by an error that bears the code; everything else is Python's own end.
    const status = statusOf(error)
    exitCode = status ?? 1
    spoiled = status === null
    if (spoiled) writeFrame({ out: 'stderr' }, END_OF_PYTHON)
  }
  for (const { header, body } of takeFiles(FS, files)) writeFrame(header, body)
  return { exitCode, spoiled }
}

function statusOf(error: unknown): number | null {
  const { status } = error as { status?: unknown }
  return typeof status === 'number' ? status & 255 : null
}
