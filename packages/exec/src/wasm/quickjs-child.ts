/** The process that runs one block of JavaScript by QuickJS: it takes its task from its input and ends with the code's exit code. */
import { Buffer } from 'node:buffer'
import { stripTypeScriptTypes } from 'node:module'
import { newQuickJSWASMModuleFromVariant, type QuickJSContext, type QuickJSHandle } from 'quickjs-emscripten-core'
import { heard, send, WIRE } from './child-io.ts'
import { READY } from './parcels.ts'
import { PRELUDE } from './prelude.ts'

/** The task of the process. */
export interface ScriptTask {
  readonly typed: boolean
  readonly code: string
  /** Bytes that the engine's memory may grow to. */
  readonly memoryBytes: number
}

/** Deeper stacks overflow the host's own first, and leave the engine broken. */
const STACK_BYTES = 256 * 1024

const [parcel] = heard()
const { typed, code, memoryBytes } = parcel!.header as ScriptTask
let exitCode: number | null = null

const quickjs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
const engine = quickjs.newRuntime()
engine.setMemoryLimit(memoryBytes)
engine.setMaxStackSize(STACK_BYTES)
// Left by its own wish: nothing that the code catches may go on.
engine.setInterruptHandler(() => exitCode !== null)
const context = engine.newContext()
// The time of the code begins.
send(WIRE, READY)
run(context)
process.exit(exitCode ?? 0)

function run(vm: QuickJSContext): void {
  // In one object that the prelude takes and deletes: the code itself never sees these.
  const host = vm.newObject()
  const define = (name: string, body: (...args: unknown[]) => void): void => {
    vm.newFunction(name, (...handles) => body(...handles.map((handle) => vm.dump(handle) as unknown))).consume((fn) =>
      vm.setProp(host, name, fn),
    )
  }
  define('write', (stream, text) => {
    send(stream === 'stderr' ? 2 : 1, Buffer.from(String(text)))
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
    source = typed ? stripTypeScriptTypes(code, { mode: 'transform' }) : code
  } catch (error) {
    return complain(`SyntaxError: ${(error as Error).message}`)
  }
  const fault = (error: QuickJSHandle): void =>
    complain(errorText(error.consume((handle) => vm.dump(handle) as unknown)))
  const asModule = /^\s*(?:import|export)\b|\bawait\b/mu.test(source)
  const result = vm.evalCode(source, asModule ? 'main.mjs' : 'main.js', { type: asModule ? 'module' : 'global' })
  if (result.error) return fault(result.error)
  for (;;) {
    const jobs = engine.executePendingJobs()
    if (jobs.error) return fault(jobs.error)
    const next = vm.evalCode('__tick()', 'timers.js')
    if (next.error) return fault(next.error)
    if (next.value.consume((handle) => vm.dump(handle) as unknown) !== true && !engine.hasPendingJob()) break
  }
  if (!asModule) return
  const state = vm.getPromiseState(result.value)
  if (state.type === 'rejected') fault(state.error)
}

function complain(text: string): void {
  if (exitCode !== null) return
  exitCode = 1
  send(2, Buffer.from(`${text}\n`))
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return `Uncaught ${String(error)}`
  const { name, message, stack } = error as { name?: unknown; message?: unknown; stack?: unknown }
  return `${String(name)}: ${String(message)}${typeof stack === 'string' && stack !== '' ? `\n${stack.trimEnd()}` : ''}`
}
