/** Process that runs blocks of Python in Pyodide, one after another, each in a Python and a realm of its own. */
import { Buffer } from 'node:buffer'
import { readFrame, writeFrame } from './child-io.ts'
import type { TransferFrame } from './transfer-frames.ts'
import { PYTHON_DRIVER } from './python-driver.ts'
import { limitFiles, putFiles, takeFiles, type MemoryFiles, type Quota } from './python-files.ts'
import { emptyProcess, type PythonRealm } from './python-realm.ts'

/** First message to the process; its body may be an image of a loaded Python. */
export interface PythonGreeting {
  /** Directory of Pyodide. */
  readonly pyodide: string
  readonly env: Readonly<Record<string, string>>
  /** `given` if the message has an image, `wanted` if the process should make one before any code runs. */
  readonly image: 'given' | 'wanted' | 'none'
}

/** Message that starts a block; frames with its files follow. */
export interface PythonTask extends Quota {
  /** File to run, relative to the work directory. */
  readonly file: string
  /** Number of files and directories that follow. */
  readonly files: number
  /** Bytes to which the memory of Python may grow. */
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

/** Replaces the message of a fault, which would name files of the machine. */
const END_OF_PYTHON = Buffer.from('Python ended by a fault inside, such as a stack that overflowed\n')

const exit = process.exit.bind(process)
const cpuUsage = process.cpuUsage.bind(process)
const residentBytes = process.memoryUsage.rss.bind(process.memoryUsage)
// Experimental warnings of Node are no output of code.
process.removeAllListeners('warning')

const first = readFrame()
if (!first) exit()
const { pyodide, env, image: imageMode } = first!.header as unknown as PythonGreeting
let image = imageMode === 'given' ? (first!.body.buffer as ArrayBuffer) : undefined
const newRealm = await emptyProcess(pyodide, (out, data) => writeFrame({ out }, data))

for (let makesImage = imageMode === 'wanted'; ; makesImage = false) {
  const realm = newRealm()
  const python = await load(realm, makesImage)
  if (makesImage) image = sendImage(python)
  writeFrame({ ready: true })
  const task = readFrame()
  // The parent is gone.
  if (!task) exit()
  const result = run(realm, python, task!.header as unknown as PythonTask)
  realm.end()
  const { user, system } = cpuUsage()
  writeFrame({ end: true, ...result, computed: (user + system) / 1e6, resident: residentBytes() })
}

async function load(realm: PythonRealm, makesImage: boolean): Promise<Pyodide> {
  const options = { env: { HOME: '/workspace', LANG: 'C.UTF-8', ...env }, ...(makesImage && { _makeSnapshot: true }) }
  try {
    const result = await realm.load(options, image)
    image = result.image
    return result.python as Pyodide
  } catch (error) {
    writeFrame({ fault: (error as Error).message })
    return exit(1)
  }
}

/** Makes an image of the memory of a Python that has run nothing, and sends it. Pyodide does not promise an image. */
function sendImage(python: Pyodide): ArrayBuffer | undefined {
  let made: Uint8Array<ArrayBuffer> | undefined
  try {
    made = new Uint8Array(python.makeMemorySnapshot())
  } catch {
    // Each start then loads Python anew.
  }
  writeFrame({ image: made !== undefined }, made)
  return made?.buffer
}

function run(realm: PythonRealm, python: Pyodide, task: PythonTask): { exitCode: number; spoiled: boolean } {
  const { FS } = python
  const files: TransferFrame[] = []
  while (files.length < task.files) files.push(readFrame() ?? exit())
  putFiles(FS, files, realm.bytes)
  limitFiles(FS, task, realm.wrap)
  realm.limit(task.memoryBytes)
  python.setStdin(realm.run('({ stdin: () => undefined })'))
  python.setStdout(realm.run("__x_streams('stdout')"))
  python.setStderr(realm.run("__x_streams('stderr')"))
  realm.run('delete globalThis.__x_streams')
  const driver = python.runPython(PYTHON_DRIVER) as (path: string) => number
  for (const name of ['js', 'pyodide_js']) python.unregisterJsModule(name)
  // The time limit of the code begins here.
  writeFrame({ begin: true })
  let exitCode: number
  let spoiled = false
  try {
    exitCode = driver(`/workspace/${task.file}`)
  } catch (error) {
    // `os._exit` ends Python with an error that has the exit code. Any other error is a fault of Python.
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
