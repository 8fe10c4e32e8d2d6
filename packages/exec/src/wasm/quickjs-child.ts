/** Process that runs blocks of JavaScript in QuickJS, one after another, each in an engine of its own. */
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

/** Message that starts a block; its body is the code. */
export interface ScriptTask {
  /** True for TypeScript. */
  readonly typed: boolean
  /** Bytes to which the memory of the engine may grow. */
  readonly memoryBytes: number
}

/** Engine that has not run a block yet. */
interface Engine {
  readonly runtime: QuickJSRuntime
  readonly context: QuickJSContext
  /** Exit code; null until the code exits or fails. */
  exitCode: number | null
}

/** Bytes of the stack. A larger stack would overflow the stack of the process first, and break the engine. */
const STACK_BYTES = 256 * 1024

/** Bytes of the longest frame with output. */
const MAX_PRINT_BYTES = 2 ** 20

/** Stack frames of the scripts of this package. */
const INNER_FRAME = /^.*(?:prelude|timers)\.js.*\n?/gmu

// Compiled once; each engine is an instance with a memory of its own.
const file = nodeModule.createRequire(import.meta.url).resolve('@jitl/quickjs-wasmfile-release-sync/wasm')
const assembly = (globalThis as unknown as { WebAssembly: { compile(bytes: Uint8Array): Promise<never> } }).WebAssembly
const wasmModule = await assembly.compile(readFileSync(file))
// The types of the package are those of CommonJS.
const { default: variant } = (await import('@jitl/quickjs-wasmfile-release-sync')) as unknown as {
  default: QuickJSSyncVariant
}

for (;;) {
  const engine = await newEngine()
  writeFrame({ ready: true })
  const task = readFrame()
  // The parent is gone.
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
  // After an exit, no `catch` of the code may continue.
  runtime.setInterruptHandler(() => engine.exitCode !== null)
  installGlobals(engine)
  return engine
}

/** Installs the console and timers of an engine. */
function installGlobals(engine: Engine): void {
  const vm = engine.context
  // In one object that the bootstrap script reads and deletes, so that code never sees it.
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

/** Runs a block; returns false if the engine itself broke, after which its process must not be reused. */
function runTask(engine: Engine, { typed, memoryBytes }: ScriptTask, code: string): boolean {
  try {
    engine.runtime.setMemoryLimit(memoryBytes)
    // The time limit of the code begins here.
    writeFrame({ begin: true })
    run(engine, typed, code)
    return true
  } catch (error) {
    // The stack of the error would name files of the machine.
    const why = error instanceof RangeError ? 'its stack overflowed' : 'it broke inside'
    failWith(engine, `The engine ended: ${why}`)
    return false
  }
}

function run(engine: Engine, typed: boolean, code: string): void {
  const { runtime, context: vm } = engine
  let source: string
  try {
    source = typed ? stripTypes(code) : code
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_INTERNAL_ASSERTION') {
      return failWith(engine, `SyntaxError: ${(error as Error).message}`)
    }
    failWith(engine, 'SyntaxError: the parser of TypeScript broke, as it does on code that nests too deeply')
    // A parser that broke may be wrong about the next block.
    throw error
  }
  const fault = (error: QuickJSHandle): void =>
    failWith(engine, errorText(error.consume((handle) => vm.dump(handle) as unknown)))
  const asModule = /^[^\S\n\r\u2028\u2029]*(?:import|export)\b|\bawait\b/mu.test(source)
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

/**
 * Removes the types from TypeScript, and translates enums and the like where the runtime can: Node 26 cannot. Bun has a
 * transpiler in place of the function of Node.
 */
function stripTypes(code: string): string {
  const { stripTypeScriptTypes: strip } = nodeModule as Partial<typeof nodeModule>
  if (strip) {
    try {
      return strip(code, { mode: 'transform' })
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'ERR_INVALID_ARG_VALUE') throw error
      return strip(code, { mode: 'strip' })
    }
  }
  const { Bun } = globalThis as unknown as { Bun: { Transpiler: new (options: object) => BunTranspiler } }
  return new Bun.Transpiler({ loader: 'ts', deadCodeElimination: false }).transformSync(code)
}

/** The part of the transpiler of Bun that is used. */
type BunTranspiler = Readonly<Record<'transformSync', (code: string) => string>>

function failWith(engine: Engine, text: string): void {
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
