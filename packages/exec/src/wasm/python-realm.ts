import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import vm from 'node:vm'
import { REALM_STUBS, type RealmFunctions, type HostFunctions } from './python-stubs.ts'

/** A place where one Python runs: the globals of the language, and nothing that leads out of them. */
export interface PythonRealm {
  /** Loads Pyodide, from an image of the memory of a loaded one where there is one; the image itself is taken away. */
  readonly load: (options: object, image?: ArrayBuffer) => Promise<{ python: unknown; image?: ArrayBuffer | undefined }>
  /** Evaluates a script of this package; what it makes belongs to the realm. */
  readonly run: (script: string) => unknown
  /** Sets the bytes that its memory may grow to. */
  readonly limit: (bytes: number) => void
  /** Makes a function that belongs to the realm and calls one of the process. */
  readonly wrap: RealmFunctions['wrap']
  /** Makes bytes that belong to the realm. */
  readonly bytes: (data: Uint8Array) => Uint8Array
  /** Ends all that it may still do: what it prints goes nowhere, and its timers are off. */
  readonly end: () => void
}

/** The part of `WebAssembly` that is used here; its types come with a browser's alone. */
interface Assembly {
  compile(bytes: Uint8Array): Promise<object>
}

const LOADER_FILE = 'pyodide.mjs'
const ENGINE_FILE = 'pyodide.asm.mjs'

/** Takes what code of a realm prints. */
export type Print = (out: 'stdout' | 'stderr', data: Uint8Array) => void

/**
 * Takes from this process all that gives access to the machine, and gives a function that makes realms. A realm has
 * globals of its own, so that what code does to them ends with it; Pyodide is let believe that it is in a web worker, so
 * that it takes none of the ways it has in Node; no module is found in it but Pyodide's two; no function of this
 * process gets into it but those that `python-furniture.ts` wraps. Should code come out of it nevertheless, it finds
 * nothing either: all globals but the language's are gone, intrinsics are frozen, no module can be loaded, and
 * `--permission` and `--disallow-code-generation-from-strings` stand behind.
 */
export async function emptyProcess(directory: string, print: Print): Promise<() => PythonRealm> {
  const url = pathToFileURL(`${directory}/`).href
  const read = (name: string): Buffer => readFileSync(join(directory, name))
  const sources = new Map([LOADER_FILE, ENGINE_FILE].map((name) => [url + name, read(name).toString()]))
  const assets = new Map(['python_stdlib.zip', 'pyodide-lock.json'].map((name) => [url + name, read(name)]))
  // Compiled once; each Python is an instance with a memory of its own.
  const assembly = (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly
  const module = await assembly.compile(read('pyodide.asm.wasm'))
  /** What V8 made of the sources, by address. */
  const compiled = new Map<string, Buffer>()
  const transfer = (buffer: ArrayBuffer): ArrayBuffer => ArrayBuffer.prototype.transfer.call(buffer)
  const outside = keepOnlyTheLanguage()
  registerHooks({
    resolve() {
      throw new Error('modules cannot be loaded here')
    },
  })

  return () => {
    const context = vm.createContext(vm.constants.DONT_CONTEXTIFY, { codeGeneration: { strings: false, wasm: true } })
    const run = (script: string): unknown => vm.runInContext(script, context)
    const prototypeOf = (name: string): object => run(`${name}.prototype`) as object
    const timers = new Map<number, unknown>()
    let open = true
    let live = true
    let count = 0
    // It is used in this realm alone.
    Object.setPrototypeOf(module, prototypeOf('WebAssembly.Module'))
    const its = (run(REALM_STUBS) as (host: HostFunctions) => RealmFunctions)({
      url,
      module,
      now: outside.now,
      random: outside.random,
      decode: outside.decode,
      encode: outside.encode,
      resolve: (address, base) => new outside.URL(address, base).href,
      later(work, milliseconds) {
        const id = ++count
        const timer = outside.setTimeout(() => {
          timers.delete(id)
          work()
        }, milliseconds)
        timers.set(id, timer)
        return id
      },
      never(id) {
        outside.clearTimeout(timers.get(id))
        timers.delete(id)
      },
      size: (address) => (open ? (assets.get(address)?.length ?? -1) : -1),
      fill: (address, view) => assets.get(address)!.copy(view),
      text: (address) => assets.get(address)!.toString(),
      print(out, data) {
        if (live) print(out, data)
      },
    })

    const moduleOf = (address: string): vm.SourceTextModule => {
      const source = open ? sources.get(address) : undefined
      if (source === undefined) throw new Error('modules cannot be loaded here')
      const made = new vm.SourceTextModule(source, {
        context,
        identifier: address,
        cachedData: compiled.get(address),
        initializeImportMeta: (meta) => {
          meta.url = address
        },
        importModuleDynamically: async (specifier) => await linked(moduleOf(specifier)),
      })
      // Node's types do not know it.
      const cacheable = made as unknown as { createCachedData(): Buffer }
      if (!compiled.has(address)) compiled.set(address, cacheable.createCachedData())
      return made
    }
    const linked = async (made: vm.SourceTextModule): Promise<vm.SourceTextModule> => {
      await made.link(() => {
        throw new Error('modules cannot be loaded here')
      })
      await made.evaluate()
      return made
    }
    const bytes = (data: Uint8Array): Uint8Array => {
      const made = its.bytes(data.length)
      made.set(data)
      return made
    }

    return {
      run,
      bytes,
      limit: its.limit,
      wrap: its.wrap,
      async load(options, image) {
        const all = its.parse(JSON.stringify({ indexURL: url, ...options }))
        // The realm gets it without a copy, and what it keeps of it is empty afterwards.
        if (image) all['_loadSnapshot'] = Object.setPrototypeOf(image, prototypeOf('ArrayBuffer'))
        const { namespace } = await linked(moduleOf(url + LOADER_FILE))
        const { loadPyodide } = namespace as { loadPyodide: (options: object) => Promise<unknown> }
        const python = await loadPyodide(all)
        open = false
        its.close()
        return { python, image: image && transfer(image) }
      },
      end() {
        live = false
        for (const timer of timers.values()) outside.clearTimeout(timer)
      },
    }
  }
}

/** Functions of Node that realms need, each wrapped there. */
interface Platform extends Pick<HostFunctions, 'now' | 'random' | 'decode' | 'encode'> {
  readonly URL: typeof URL
  readonly setTimeout: (work: () => void, milliseconds: number) => unknown
  readonly clearTimeout: (timer: unknown) => void
}

/** Deletes all globals but the language's; gives the functions that realms need. */
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
  // Frames of a stack would hand out the functions of those who call. Where intrinsics are frozen, this is too.
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
