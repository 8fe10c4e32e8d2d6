import { stripTypeScriptTypes } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { newQuickJSWASMModuleFromVariant, type QuickJSContext } from 'quickjs-emscripten-core'
import { OutputCap } from '../run/output-cap.ts'
import type { OutputChunk, Outcome } from '../run/job.ts'
import { PRELUDE } from './prelude.ts'

/** What the thread is to run. */
export interface Task {
  readonly runtime: 'javascript' | 'typescript' | (string & {})
  readonly code: string
  readonly memoryBytes: number
  readonly outputBytes: number
}

/** What the thread says. */
export type Said = { chunk: OutputChunk } | { outcome: Outcome } | { ready: true }

/** Deeper stacks overflow the host's own first, and leave the engine broken. */
const STACK_BYTES = 256 * 1024

const { runtime: language, code, memoryBytes, outputBytes } = workerData as Task
const say = (said: Said): void => parentPort!.postMessage(said)

const output = new OutputCap(outputBytes, (chunk) => say({ chunk }))
let exitCode: number | null = null
let flooded = false

const quickjs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
const engine = quickjs.newRuntime()
engine.setMemoryLimit(memoryBytes)
engine.setMaxStackSize(STACK_BYTES)
// Left by its own wish or for printing too much: nothing that the code catches may go on.
engine.setInterruptHandler(() => flooded || exitCode !== null)
const context = engine.newContext()
// The time of the code begins.
say({ ready: true })
run(context)
const { stdout, stderr, truncatedBytes } = output.end()
say({
  outcome: flooded
    ? { exitCode: 137, stdout, stderr, truncatedBytes, reason: 'output-limit' }
    : { exitCode: exitCode ?? 0, stdout, stderr, truncatedBytes, reason: 'exit' },
})

function run(vm: QuickJSContext): void {
  // In one object that the prelude takes and deletes: the code itself never sees these.
  const host = vm.newObject()
  const define = (name: string, body: (...args: unknown[]) => void): void => {
    vm.newFunction(name, (...handles) => body(...handles.map((handle) => vm.dump(handle) as unknown))).consume((fn) =>
      vm.setProp(host, name, fn),
    )
  }
  define('write', (stream, text) => {
    if (!flooded && !output.add(stream === 'stderr' ? 'stderr' : 'stdout', Buffer.from(String(text)))) flooded = true
  })
  define('exit', (status) => {
    exitCode ??= Number(status) & 255
  })
  define('sleep', (milliseconds) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(Number(milliseconds), 2 ** 31 - 1))
  })
  vm.setProp(vm.global, '__host', host)
  vm.unwrapResult(vm.evalCode(PRELUDE, 'prelude.js'))

  let source: string
  try {
    source = language === 'typescript' ? withoutTypes(code) : code
  } catch (error) {
    return fault(`SyntaxError: ${(error as Error).message}`)
  }
  const asModule = /^\s*(?:import|export)\b|\bawait\b/mu.test(source)
  const result = vm.evalCode(source, asModule ? 'main.mjs' : 'main.js', { type: asModule ? 'module' : 'global' })
  if (result.error)
    return fault(
      errorText(
        vm,
        result.error.consume((error) => vm.dump(error) as unknown),
      ),
    )
  const value = result.value
  for (;;) {
    const jobs = engine.executePendingJobs()
    if (jobs.error)
      return fault(
        errorText(
          vm,
          jobs.error.consume((error) => vm.dump(error) as unknown),
        ),
      )
    const next = vm.evalCode('__tick()', 'timers.js')
    if (next.error)
      return fault(
        errorText(
          vm,
          next.error.consume((error) => vm.dump(error) as unknown),
        ),
      )
    if (next.value.consume((handle) => vm.dump(handle) as unknown) !== true && !engine.hasPendingJob()) break
  }
  if (asModule) {
    const state = vm.getPromiseState(value)
    if (state.type === 'rejected')
      fault(
        errorText(
          vm,
          state.error.consume((error) => vm.dump(error) as unknown),
        ),
      )
  }
}

function withoutTypes(source: string): string {
  // The warning that this is new in Node is not the code's.
  process.removeAllListeners('warning')
  return stripTypeScriptTypes(source, { mode: 'transform' })
}

function fault(text: string): void {
  if (exitCode !== null || flooded) return
  exitCode = 1
  output.add('stderr', Buffer.from(`${text}\n`))
}

function errorText(_: QuickJSContext, error: unknown): string {
  if (typeof error !== 'object' || error === null) return `Uncaught ${String(error)}`
  const { name, message, stack } = error as { name?: unknown; message?: unknown; stack?: unknown }
  return `${String(name)}: ${String(message)}${typeof stack === 'string' && stack !== '' ? `\n${stack.trimEnd()}` : ''}`
}
