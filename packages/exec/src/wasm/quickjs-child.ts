/** The process that runs blocks of JavaScript by QuickJS, one after another, each in an engine of its own. */
import { Buffer } from 'node:buffer'
import { readFileSync } from 'node:fs'
import * as nodeModule from 'node:module'
import {
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from 'quickjs-emscripten-core'
import { readFrame, writeFrame } from './child-io.ts'
import { GUEST_BOOTSTRAP } from './guest-bootstrap.ts'

/** A block; its code is the body of the parcel. */
export interface ScriptTask {
  readonly typed: boolean
  /** Bytes that the engine's memory may grow to. */
  readonly memoryBytes: number
}

/** An engine that has run nothing yet. */
interface Engine {
  readonly runtime: QuickJSRuntime
  readonly context: QuickJSContext
  /** Set when the code ends itself. */
  exitCode: number | null
}

/** Deeper stacks overflow the host's own first, and leave the engine broken. */
const STACK_BYTES = 256 * 1024

/** Bytes that the process says at once. */
const MAX_PRINT_BYTES = 2 ** 20

/** Frames of what the engine was given beforehand. */
const INNER_FRAME = /^.*(?:prelude|timers)\.js.*\n?/gmu

// Compiled once; each engine is an instance with a memory of its own.
const file = nodeModule.createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
const assembly = (globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<never> } }).WebAssembly
const wasmModule = await assembly.compile(readFileSync(file))
// Its types are those of CommonJS.
const { default: variant } = (await import('@jitl/quickjs-wasmfile-release-sync')) as unknown as {
  default: QuickJSSyncVariant
}

for (;;) {
  const engine = await newEngine()
  writeFrame({ ready: true })
  const task = readFrame()
  // Nobody is there any more.
  if (!task) process.exit()
  const spoiled = !runTask(engine, task.header as unknown as ScriptTask, Buffer.from(task.body).toString())
  const { user, system } = process.cpuUsage()
  const resident = process.memoryUsage.rss()
  writeFrame({ end: true, exitCode: engine.exitCode ?? 0, spoiled, computed: (user + system) / 1e6, resident })
}

async function newEngine(): Promise<Engine> {
  const quickjs = await newQuickJSWASMModuleFromVariant(newVariant(variant, { wasmModule }))
  const runtime = quickjs.newRuntime()
  runtime.setMaxStackSize(STACK_BYTES)
  const engine: Engine = { runtime, context: runtime.newContext(), exitCode: null }
  // Left by its own wish: nothing that the code catches may go on.
  runtime.setInterruptHandler(() => engine.exitCode !== null)
  furnish(engine)
  return engine
}

/** Returns an engine its console and timers. */
function furnish(engine: Engine): void {
  const vm = engine.context
  // In one object that the prelude takes and deletes: the code itself never sees these.
  const host = vm.newObject()
  const define = (name: string, body: (...args: unknown[]) => void): void => {
    vm.newFunction(name, (...handles) => body(...handles.map((handle) => vm.dump(handle) as unknown))).consume((fn) =>
      vm.setProp(host, name, fn),
    )
  }
  define('write', (stream, text) => print(stream === 'stderr' ? 'stderr' : 'stdout', String(text)))
  define('exit', (status) => {
    engine.exitCode ??= Number(status) & 255
  })
  define('sleep', (milliseconds) => {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Math.min(Number(milliseconds), 2 ** 31 - 1))
  })
  vm.setProp(vm.global, '__host', host)
  vm.unwrapResult(vm.evalCode(GUEST_BOOTSTRAP, 'prelude.js'))
}

/** Runs a block; false when the engine itself broke, which says nothing good of its process. */
function runTask(engine: Engine, { typed, memoryBytes }: ScriptTask, code: string): boolean {
  try {
    engine.runtime.setMemoryLimit(memoryBytes)
    // The time of the code begins.
    writeFrame({ begin: true })
    run(engine, typed, code)
    return true
  } catch (error) {
    // Its stack names files of the machine; what WebAssembly says of the fault does not.
    const why = error instanceof RangeError ? 'its stack overflowed' : 'it broke inside'
    complain(engine, `The engine ended: ${why}`)
    return false
  }
}

function run(engine: Engine, typed: boolean, code: string): void {
  const { runtime, context: vm } = engine
  let source: string
  try {
    source = typed ? withoutTypes(code) : code
  } catch (error) {
    return complain(engine, `SyntaxError: ${(error as Error).message}`)
  }
  const fault = (error: QuickJSHandle): void =>
    complain(engine, errorText(error.consume((handle) => vm.dump(handle) as unknown)))
  const asModule = /^\s*(?:import|export)\b|\bawait\b/mu.test(source)
  const result = vm.evalCode(source, asModule ? 'main.mjs' : 'main.js', { type: asModule ? 'module' : 'global' })
  if (result.error) return fault(result.error)
  for (;;) {
    const jobs = runtime.executePendingJobs()
    if (jobs.error) return fault(jobs.error)
    const next = vm.evalCode('__tick()', 'timers.js')
    if (next.error) return fault(next.error)
    if (next.value.consume((handle) => vm.dump(handle) as unknown) !== true && !runtime.hasPendingJob()) break
  }
  if (!asModule) return
  const state = vm.getPromiseState(result.value)
  if (state.type === 'rejected') fault(state.error)
}

/** Takes the types out of TypeScript. Bun has a tool of its own in place of Node's function. */
function withoutTypes(code: string): string {
  const { stripTypeScriptTypes: strip } = nodeModule as Partial<typeof nodeModule>
  if (strip) return strip(code, { mode: 'transform' })
  const { Bun } = globalThis as unknown as { Bun: { Transpiler: new (options: object) => BunTranspiler } }
  return new Bun.Transpiler({ loader: 'ts', deadCodeElimination: false }).transformSync(code)
}

/** The part of Bun's transpiler that is used. */
type BunTranspiler = Readonly<Record<'transformSync', (code: string) => string>>

function complain(engine: Engine, text: string): void {
  if (engine.exitCode !== null) return
  engine.exitCode = 1
  print('stderr', `${text}\n`)
}

function print(out: 'stdout' | 'stderr', text: string): void {
  const data = Buffer.from(text)
  for (let from = 0; from < data.length; from += MAX_PRINT_BYTES)
    writeFrame({ out }, data.subarray(from, from + MAX_PRINT_BYTES))
}

function errorText(error: unknown): string {
  if (typeof error !== 'object' || error === null) return `Uncaught ${String(error)}`
  const { name, message, stack } = error as { name?: unknown; message?: unknown; stack?: unknown }
  const frames = typeof stack === 'string' ? stack.replaceAll(INNER_FRAME, '').trimEnd() : ''
  return `${String(name)}: ${String(message)}${frames === '' ? '' : `\n${frames}`}`
}
