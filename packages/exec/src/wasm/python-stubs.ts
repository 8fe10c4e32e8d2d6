/** Functions of the process that a realm calls, with numbers, texts and its own bytes only. */
export interface HostFunctions {
  /** URL of the directory of Pyodide. */
  readonly url: string
  readonly module: object
  readonly now: () => number
  readonly random: (view: Uint8Array) => void
  readonly decode: (view: Uint8Array, label: string, fatal: boolean, ignoreBOM: boolean) => string
  /** Writes a text as UTF-8 into bytes; returns their number. */
  readonly encode: (text: string, view: Uint8Array) => number
  /** Resolves a URL that may be relative. */
  readonly resolve: (address: string, base: string | undefined) => string
  readonly later: (work: () => void, milliseconds: number) => number
  readonly never: (id: number) => void
  /** Returns the bytes of an asset; -1 if there is none. */
  readonly size: (address: string) => number
  readonly fill: (address: string, view: Uint8Array) => void
  readonly text: (address: string) => string
  readonly print: (out: 'stdout' | 'stderr', data: Uint8Array) => void
}

/** Functions of a realm for the process; they belong to the realm. */
export interface RealmFunctions {
  readonly limit: (bytes: number) => void
  readonly bytes: (length: number) => Uint8Array
  readonly parse: (json: string) => Record<string, unknown>
  /** Makes a function of the realm that calls a function of the process. */
  readonly wrap: <Work extends (...args: never[]) => unknown>(work: Work) => Work
  /** Removes the globals that only the loading of Python needs. */
  readonly close: () => void
}

/**
 * Script that gives a realm the globals that Pyodide needs beside the language. It runs in the realm before anything else. No
 * object of the process reaches code: functions of the process stay in closures, their errors are replaced, and their results
 * are numbers or texts.
 */
export const REALM_STUBS: string = String.raw`
'use strict';
(outside) => {
  const { url, module, now, random, decode, encode, resolve, later, never, size, fill, text, print } = outside
  const guarded = (work) => {
    try {
      return work()
    } catch {
      throw new TypeError('refused')
    }
  }
  const { apply } = Reflect
  const { instantiate } = WebAssembly
  const { grow } = WebAssembly.Memory.prototype
  const silent = () => {}
  let most = Infinity

  class TextDecoder {
    #label
    #fatal
    #ignoreBOM
    constructor(label = 'utf-8', { fatal = false, ignoreBOM = false } = {}) {
      this.#label = String(label)
      this.#fatal = Boolean(fatal)
      this.#ignoreBOM = Boolean(ignoreBOM)
    }
    decode(view) {
      return view === undefined ? '' : guarded(() => decode(view, this.#label, this.#fatal, this.#ignoreBOM))
    }
  }
  class TextEncoder {
    encode(given = '') {
      const view = new Uint8Array(String(given).length * 3)
      return view.slice(0, guarded(() => encode(String(given), view)))
    }
    encodeInto(given, view) {
      return { read: String(given).length, written: guarded(() => encode(String(given), view)) }
    }
  }
  class URL {
    constructor(address, base) {
      this.href = guarded(() => resolve(String(address), base === undefined ? undefined : String(base)))
    }
    toString() {
      return this.href
    }
  }
  const props = {
    self: globalThis,
    WorkerGlobalScope: Object,
    location: { href: url, toString: () => url },
    fetch: async (given) => {
      const address = String(given)
      // The engine is already compiled.
      const length = address.endsWith('.wasm') ? 0 : guarded(() => size(address))
      if (length < 0) throw new Error('there is no network here')
      return {
        ok: true,
        arrayBuffer: async () => {
          const view = new Uint8Array(length)
          if (length > 0) guarded(() => fill(address, view))
          return view.buffer
        },
        json: async () => JSON.parse(guarded(() => text(address))),
      }
    },
  }
  Object.assign(globalThis, props, {
    TextDecoder,
    TextEncoder,
    URL,
    crypto: { getRandomValues: (view) => (guarded(() => random(view)), view) },
    performance: { now: () => now() },
    setTimeout: (work, delay, ...args) => {
      if (typeof work !== 'function') throw new TypeError('a timer needs a function')
      return guarded(() => later(() => void work(...args), Number(delay) || 0))
    },
    clearTimeout: (id) => guarded(() => never(Number(id))),
    // Messages of Pyodide about its own faults would name files of the machine.
    console: { log: silent, info: silent, debug: silent, warn: silent, trace: silent, error: silent },
  })
  Object.defineProperty(Error, 'prepareStackTrace', { value: undefined, writable: false, configurable: false })
  WebAssembly.instantiateStreaming = async (response, imports) => {
    await response
    return { instance: await apply(instantiate, WebAssembly, [module, imports]), module }
  }
  Object.defineProperty(WebAssembly.Memory.prototype, 'grow', {
    value(pages) {
      if (this.buffer.byteLength + pages * 65_536 > most) throw new RangeError('no more memory')
      return apply(grow, this, [pages])
    },
  })
  Object.defineProperty(globalThis, '__x_streams', {
    configurable: true,
    value: (out) => ({ write: (data) => (guarded(() => print(out, data)), data.length), isatty: false }),
  })
  return {
    limit: (bytes) => {
      most = bytes
    },
    bytes: (length) => new Uint8Array(length),
    parse: (json) => JSON.parse(json),
    wrap: (work) => (...args) => work(...args),
    close() {
      for (const name of Object.keys(props)) delete globalThis[name]
      delete WebAssembly.instantiateStreaming
    },
  }
}
`
