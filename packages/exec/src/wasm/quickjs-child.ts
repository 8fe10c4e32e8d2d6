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

/** Flag of QuickJS for a script that may `await` outside of functions. */
const EVAL_ASYNC = 1 << 7

/** Exit code of code that waits for ever, as of Node. */
const UNSETTLED_EXIT_CODE = 13

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
  define('write', (stream, text) => {
    // A job that exits does not end the jobs behind it.
    if (engine.exitCode === null) print(stream === 'stderr' ? 'stderr' : 'stdout', String(text))
  })
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
  const isModule = /^[^\S\n\r\u2028\u2029]*(?:import|export)\b/mu.test(source)
  const waits = !isModule && /\bawait\b/u.test(source)
  const result = isModule
    ? vm.evalCode(source, 'main.mjs', { type: 'module' })
    : vm.evalCode(source, 'main.js', waits ? EVAL_ASYNC : { type: 'global' })
  if (result.error) return fault(result.error)
  // The promise of the code, then that of its last statement, as of `main()` at its end, which nobody waits for. Promises of
  // other statements are out of sight.
  let open: QuickJSHandle | null = result.value
  let isOfCode = isModule || waits
  for (;;) {
    const jobs = runtime.executePendingJobs()
    if (jobs.error) return fault(jobs.error)
    if (engine.exitCode !== null) return
    while (open) {
      const state = vm.getPromiseState(open)
      if (state.type === 'rejected') return fault(state.error)
      if (state.type === 'pending') break
      // Code that may wait ends with an object that has the value of its last statement.
      open = waits && isOfCode ? vm.getProp(state.value, 'value') : null
      isOfCode = false
    }
    const next = vm.evalCode('__tick()', 'timers.js')
    if (next.error) return fault(next.error)
    if (next.value.consume((handle) => vm.dump(handle) as unknown) !== true && !runtime.hasPendingJob()) break
  }
  if (open && isOfCode)
    return failWith(engine, 'An `await` outside of functions waits for what never comes', UNSETTLED_EXIT_CODE)
  const status = vm.evalCode('Number(process.exitCode ?? 0)', 'timers.js')
  if (status.error) return
  const wanted = status.value.consume((handle) => vm.dump(handle) as number)
  if (Number.isInteger(wanted)) engine.exitCode ??= wanted & 255
}

/**
 * Removes the types from TypeScript, and translates enums and the like where the runtime can: Node 26 cannot. Bun has a
 * transpiler in place of the function of Node.
 */
function stripTypes(code: string): string {
  const { stripTypeScriptTypes: strip } = nodeModule as Partial<typeof nodeModule>
  if (strip) {
    try {
      // It leaves every line in its place, so that errors name the lines of the code.
      return strip(code, { mode: 'strip' })
    } catch (error) {
      if (codeOf(error) !== 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX') throw error
      try {
        return strip(code, { mode: 'transform' })
      } catch (untranslated) {
        throw codeOf(untranslated) === 'ERR_INVALID_ARG_VALUE' ? error : untranslated
      }
    }
  }
  const { Bun } = globalThis as unknown as { Bun: { Transpiler: new (options: object) => BunTranspiler } }
  return new Bun.Transpiler({ loader: 'ts', deadCodeElimination: false }).transformSync(code)
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | null)?.code
}

/** The part of the transpiler of Bun that is used. */
type BunTranspiler = Readonly<Record<'transformSync', (code: string) => string>>

function failWith(engine: Engine, text: string, exitCode = 1): void {
  if (engine.exitCode !== null) return
  engine.exitCode = exitCode
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
  if (typeof name !== 'string' || typeof message !== 'string') return `Uncaught ${JSON.stringify(error)}`
  const frames = typeof stack === 'string' ? stack.replaceAll(INNER_FRAME, '').trimEnd() : ''
  return `${name}: ${message}${frames === '' ? '' : `\n${frames}`}`
}
