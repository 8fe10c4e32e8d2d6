import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { REALM_STUBS, type RealmFunctions, type HostFunctions } from './python-stubs.ts'

/** Globals of the language in which one Python runs, with nothing that leads out of them. */
export interface PythonRealm {
  /** Loads Pyodide, if possible from an image of the memory of a loaded one, which is consumed and returned anew. */
  readonly load: (options: object, image?: ArrayBuffer) => Promise<{ python: unknown; image?: ArrayBuffer | undefined }>
  /** Evaluates a script of this package; its objects belong to the realm. */
  readonly run: (script: string) => unknown
  /** Sets the bytes to which its memory may grow. */
  readonly limit: (bytes: number) => void
  /** Makes a function of the realm that calls a function of the process. */
  readonly wrap: RealmFunctions['wrap']
  /** Copies bytes into the realm. */
  readonly bytes: (data: Uint8Array) => Uint8Array
  /** Ends the realm: its output goes nowhere, and its timers are cleared. */
  readonly end: () => void
}

/** The part of `WebAssembly` that is used here; only the types of browsers declare it. */
interface Assembly {
  compile(bytes: Uint8Array): Promise<object>
}

const LOADER_FILE = 'pyodide.mjs'
const ENGINE_FILE = 'pyodide.asm.mjs'

/** Receives the output of code in a realm. */
export type Print = (out: 'stdout' | 'stderr', data: Uint8Array) => void

/** Parts that all realms of the process share. */
interface SharedParts {
  /** URL of the directory of Pyodide. */
  readonly url: string
  /** Sources of modules, by URL. */
  readonly sources: ReadonlyMap<string, string>
  /** Compiled forms of the sources in V8, by URL. */
  readonly compiled: Map<string, Buffer>
  /** Files that Pyodide reads, by URL. */
  readonly assets: ReadonlyMap<string, Buffer>
  /** Engine, compiled once; each Python is an instance with a memory of its own. */
  readonly module: object
  readonly host: Platform
  readonly print: Print
}

/** State of one realm. */
interface RealmState {
  /** True until Python is loaded: only then modules and assets can be read. */
  isLoading: boolean
  /** True until the realm ends. */
  isLive: boolean
  readonly timers: Map<number, unknown>
}

/**
 * Removes everything from this process that gives access to the machine, and returns a function that creates realms. A realm
 * has globals of its own, so that what code does to them ends with it. Pyodide takes the realm for a web worker, so that it
 * uses none of its ways into Node. A realm finds no modules but the two of Pyodide, and no function of this process but those
 * that `python-stubs.ts` wraps. Code that escapes from a realm finds nothing either: all globals but those of the language
 * are gone, intrinsics are frozen, no module can be loaded, and `--permission` and `--disallow-code-generation-from-strings`
 * are the last line of defence.
 */
export async function emptyProcess(directory: string, print: Print): Promise<() => PythonRealm> {
  const url = pathToFileURL(`${directory}/`).href
  const read = (name: string): Buffer => readFileSync(join(directory, name))
  const sources = new Map([LOADER_FILE, ENGINE_FILE].map((name) => [url + name, read(name).toString()]))
  const assets = new Map(['python_stdlib.zip', 'pyodide-lock.json'].map((name) => [url + name, read(name)]))
  const assembly = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly
  const module = await assembly.compile(read('pyodide.asm.wasm'))
  const host = keepOnlyTheLanguage()
  registerHooks({
    resolve() {
      throw new Error('modules cannot be loaded here')
    },
  })
  const parts: SharedParts = { url, sources, compiled: new Map(), assets, module, host, print }
  return () => newRealm(parts)
}

function newRealm(parts: SharedParts): PythonRealm {
  const { url, module, host } = parts
  const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: true } })
  const run = (script: string): unknown => vm.runInContext(script, context)
  const prototypeOf = (name: string): object => run(`${name}.prototype`) as object
  const state: RealmState = { isLoading: true, isLive: true, timers: new Map() }
  // Only the newest realm uses the module.
  Object.setPrototypeOf(module, prototypeOf('WebAssembly.Module'))
  const realm = (run(REALM_STUBS) as (host: HostFunctions) => RealmFunctions)(hostFunctions(parts, state))
  return {
    run,
    bytes(data) {
      const copy = realm.bytes(data.length)
      copy.set(data)
      return copy
    },
    limit: realm.limit,
    wrap: realm.wrap,
    async load(options, image) {
      const all = realm.parse(JSON.stringify({ indexURL: url, ...options }))
      // The realm gets the image without a copy. The transfer below leaves it an empty one.
      if (image) all['_loadSnapshot'] = Object.setPrototypeOf(image, prototypeOf('ArrayBuffer'))
      const { namespace } = await importModule(parts, state, context, url + LOADER_FILE)
      const { loadPyodide } = namespace as { loadPyodide: (options: object) => Promise<unknown> }
      const python = await loadPyodide(all)
      state.isLoading = false
      realm.close()
      return { python, image: image && ArrayBuffer.prototype.transfer.call(image) }
    },
    end() {
      state.isLive = false
      for (const timer of state.timers.values()) host.clearTimeout(timer)
    },
  }
}

/** Returns the functions of the process that a realm calls, with numbers, texts and its own bytes only. */
function hostFunctions({ url, module, assets, host, print }: SharedParts, state: RealmState): HostFunctions {
  const { timers } = state
  let lastTimer = 0
  return {
    url,
    module,
    now: host.now,
    random: host.random,
    decode: host.decode,
    encode: host.encode,
    resolve: (address, base) => new host.URL(address, base).href,
    later(work, milliseconds) {
      const id = ++lastTimer
      const timer = host.setTimeout(() => {
        timers.delete(id)
        work()
      }, milliseconds)
      timers.set(id, timer)
      return id
    },
    never(id) {
      host.clearTimeout(timers.get(id))
      timers.delete(id)
    },
    size: (address) => (state.isLoading ? (assets.get(address)?.length ?? -1) : -1),
    fill: (address, view) => assets.get(address)!.copy(view),
    text: (address) => assets.get(address)!.toString(),
    print(out, data) {
      if (state.isLive) print(out, data)
    },
  }
}

/** Loads and evaluates one of the modules of Pyodide in a realm. */
async function importModule(
  parts: SharedParts,
  state: RealmState,
  context: vm.Context,
  address: string,
): Promise<vm.SourceTextModule> {
  const { sources, compiled } = parts
  const source = state.isLoading ? sources.get(address) : undefined
  if (source === undefined) throw new Error('modules cannot be loaded here')
  const module = new vm.SourceTextModule(source, {
    context,
    identifier: address,
    cachedData: compiled.get(address),
    initializeImportMeta: (meta) => {
      meta.url = address
    },
    importModuleDynamically: async (specifier) => await importModule(parts, state, context, specifier),
  })
  // The types of Node lack this method.
  const cacheable = module as unknown as { createCachedData(): Buffer }
  if (!compiled.has(address)) compiled.set(address, cacheable.createCachedData())
  await module.link(() => {
    throw new Error('modules cannot be loaded here')
  })
  await module.evaluate()
  return module
}

/** Functions of Node that realms need; `python-stubs.ts` wraps each of them. */
interface Platform extends Pick<HostFunctions, 'now' | 'random' | 'decode' | 'encode'> {
  readonly URL: typeof URL
  readonly setTimeout: (work: () => void, milliseconds: number) => unknown
  readonly clearTimeout: (timer: unknown) => void
}

/** Deletes all globals but those of the language; returns the functions that realms need. */
function keepOnlyTheLanguage(): Platform {
  const language = new Set(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
  const decoders = new Map<string, { decode(view: Uint8Array): string }>()
  const { TextDecoder: Decoder, URL: Address, setTimeout: start, clearTimeout: stop } = globalThis
  const encoder = new TextEncoder()
  const random = crypto.getRandomValues.bind(crypto)
  const now = performance.now.bind(performance)
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!language.has(name)) Reflect.deleteProperty(globalThis, name)
  }
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) Reflect.deleteProperty(globalThis, symbol)
  // Stack frames would give access to the functions of callers. Frozen intrinsics freeze this property too.
  Reflect.defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: false })
  return {
    URL: Address,
    now,
    random: (view) => void random(view as Uint8Array<ArrayBuffer>),
    decode(view, label, fatal, ignoreBOM) {
      const key = `${label} ${fatal} ${ignoreBOM}`
      let decoder = decoders.get(key)
      if (!decoder) decoders.set(key, (decoder = new Decoder(label, { fatal, ignoreBOM })))
      return decoder.decode(view)
    },
    encode: (text, view) => encoder.encodeInto(text, view).written,
    setTimeout: (work, milliseconds) => start(work, milliseconds),
    clearTimeout: (timer) => stop(timer as NodeJS.Timeout | undefined),
  }
}
