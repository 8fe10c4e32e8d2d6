import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { runInNewContext } from 'node:vm'

/** Names that Pyodide needs beside the language itself, and that give code no access to the machine. */
const NEEDED: ReadonlySet<string> = new Set(['setTimeout', 'clearTimeout', 'TextDecoder', 'TextEncoder', 'URL'])

/** The part of `WebAssembly` that is used here; its types come with a browser's alone. */
interface Assembly {
  instantiate(bytes: ArrayBuffer, imports: unknown): Promise<unknown>
  readonly Memory: { readonly prototype: Memory }
}
interface Memory {
  readonly buffer: ArrayBuffer
  readonly grow: (pages: number) => number
}

const ASSETS = ['pyodide.asm.wasm', 'python_stdlib.zip', 'pyodide-lock.json']

/**
 * Makes this whole process a place where code of Pyodide's, and so of Python's, reaches nothing: Pyodide is let believe
 * that it is in a web worker, so that it takes none of the ways it has in Node; all globals but the language's own go;
 * no module is found any more but Pyodide's two; memory does not grow beyond a number of bytes. What is not there
 * cannot be reached by any trick; `--permission` and `--disallow-code-generation-from-strings` stand behind. Returns the
 * address to load Pyodide from, and what takes the last props away once it is loaded.
 */
export function emptyRealm(
  directory: string,
  memoryBytes: number,
  complain: (text: string) => void,
): { url: string; close: () => void } {
  const url = pathToFileURL(`${directory}/`).href
  const assets = new Map(ASSETS.map((name) => [url + name, readFileSync(join(directory, name))]))
  keepOnlyTheLanguage(complain)
  disguise(url, assets)
  capMemory(memoryBytes)
  let open = true
  registerHooks({
    resolve(specifier, context, next) {
      if (open && specifier.startsWith(`${url}pyodide.`)) return next(specifier, context)
      throw new Error('modules cannot be loaded here')
    },
  })
  return {
    url,
    close() {
      open = false
      assets.clear()
      for (const name of ['fetch', 'location', 'self', 'WorkerGlobalScope']) Reflect.deleteProperty(globalThis, name)
    },
  }
}

function keepOnlyTheLanguage(complain: (text: string) => void): void {
  const language = new Set(runInNewContext('Object.getOwnPropertyNames(globalThis)') as string[])
  const random = crypto.getRandomValues.bind(crypto)
  const now = performance.now.bind(performance)
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (!language.has(name) && !NEEDED.has(name)) Reflect.deleteProperty(globalThis, name)
  }
  for (const symbol of Object.getOwnPropertySymbols(globalThis)) Reflect.deleteProperty(globalThis, symbol)
  const line = (...values: unknown[]): void => complain(`${values.map(String).join(' ')}\n`)
  const silent = (): void => {}
  Object.assign(globalThis, {
    crypto: { getRandomValues: (view: Uint8Array<ArrayBuffer>): unknown => random(view) },
    performance: { now: (): number => now() },
    console: { log: silent, info: silent, debug: silent, warn: silent, trace: silent, error: line },
  })
  // Frames of a stack would hand out the functions of those who call.
  Object.defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: false })
}

function disguise(url: string, assets: ReadonlyMap<string, Buffer<ArrayBuffer>>): void {
  const fetch = async (address: unknown): Promise<object> => {
    const asset = assets.get(String(address))
    if (!asset) throw new Error('there is no network here')
    return {
      ok: true,
      arrayBuffer: async () => asset.buffer.slice(asset.byteOffset, asset.byteOffset + asset.length),
      json: async () => JSON.parse(asset.toString()) as unknown,
    }
  }
  Object.assign(globalThis, {
    self: globalThis,
    WorkerGlobalScope: Object,
    location: { href: url, toString: () => url },
    fetch,
  })
  // There are no streams, and no need for them.
  const assembly = webAssembly()
  Object.assign(assembly, {
    instantiateStreaming: async (response: Promise<{ arrayBuffer(): Promise<ArrayBuffer> }>, imports: unknown) =>
      await assembly.instantiate(await (await response).arrayBuffer(), imports),
  })
}

/** Refuses to let a memory grow beyond the limit, which Python raises as `MemoryError`. */
function capMemory(bytes: number): void {
  const { prototype } = webAssembly().Memory
  const { grow } = prototype
  const { apply } = Reflect
  Object.defineProperty(prototype, 'grow', {
    value(this: Memory, pages: number): number {
      if (this.buffer.byteLength + pages * 65_536 > bytes) throw new RangeError('no more memory')
      return apply(grow, this, [pages])
    },
  })
}

const webAssembly = (): Assembly => (globalThis as unknown as { WebAssembly: Assembly }).WebAssembly
