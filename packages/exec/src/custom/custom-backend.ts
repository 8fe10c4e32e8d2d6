import { XError, isThenable } from '@x/kernel'
import type { LimitedBackend } from '../run/job.ts'
import { limitBackend } from './limit-backend.ts'
import { isProgram } from '../backend/thread.ts'
import type { Backend, BackendContext, BackendFactory } from './backend.ts'

/** Creates a backend from a custom factory, with the limits of the executor enforced around it. */
export function customBackend(factory: BackendFactory<unknown>, context: BackendContext<unknown>): LimitedBackend {
  const backend: Partial<Backend> | undefined = factory.createBackend(context)
  if (typeof backend?.run !== 'function' || typeof backend.fault !== 'function') {
    const advice = 'Return an object with `fault` and `run`, and no promise: what takes long belongs into `fault`'
    throw new XError('invalid-argument', `cannot run code: \`createBackend\` gave no backend. ${advice}`)
  }
  return limitBackend(backend as Backend, { isolation: factory.isolation, workDir: context.workDir })
}

/** Creates the same backend in a thread that has to import the factory. */
export async function importBackend({ module, context }: ImportedSpec): Promise<LimitedBackend> {
  return customBackend(await importFactory(module), context)
}

/** Imports a factory by the URL of its module, or by the name of its package if a bundle has changed the URL. */
async function importFactory({
  specifier,
  url,
  export: name,
}: ImportedSpec['module']): Promise<BackendFactory<unknown>> {
  const errors: unknown[] = []
  for (const source of url === undefined ? [specifier] : [url, specifier]) {
    try {
      const factory = ((await import(source)) as Record<string, BackendFactory<unknown> | undefined>)[name]
      if (factory) return factory
      errors.push(new Error(`the module has no export \`${name}\``))
    } catch (error) {
      errors.push(error)
    }
  }
  const why = errors[0] instanceof Error ? errors[0].message : String(errors[0])
  throw new XError(
    'invalid-state',
    `cannot run code in a blocking call: its thread cannot import \`${name}\` from \`${specifier}\` (${why}). Correct \`module\` of the backend, or call without \`Sync\``,
    { cause: errors[0] },
  )
}

/** Description of a custom backend in the thread that has its factory. */
export interface CustomSpec {
  readonly kind: 'custom'
  readonly factory: BackendFactory<unknown>
  readonly context: BackendContext<unknown>
}

/** Description of a custom backend for a thread that imports the factory: plain data. */
export interface ImportedSpec {
  readonly kind: 'imported'
  readonly module: NonNullable<BackendFactory['module']>
  readonly context: BackendContext<unknown>
}

/** Returns the description of a backend for another thread; fails with `async-in-sync` if that thread cannot create it. */
export function importedSpec({ factory: { module }, context }: CustomSpec): ImportedSpec {
  if (!module) {
    throw new XError(
      'async-in-sync',
      'cannot run code in a blocking call: the backend has no `module` from which a thread can import it. Call without `Sync`, or add `module` to its factory',
    )
  }
  const path = findUnsendable(context.settings, 'settings')
  if (path !== undefined) {
    throw new XError(
      'async-in-sync',
      `cannot run code in a blocking call: \`${path}\` cannot be sent to the thread that runs it. Give plain data, or call without \`Sync\``,
      { details: { key: path } },
    )
  }
  const { url, ...withoutUrl } = module
  return { kind: 'imported', module: url !== undefined && isProgram(url) ? withoutUrl : module, context }
}

/** Returns the path of the first part of a value that is not plain data; undefined if there is none. */
function findUnsendable(value: unknown, path: string, ancestors: readonly object[] = []): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol' || isThenable(value)) return path
  if (typeof value !== 'object' || value === null) return undefined
  // Instances of classes would lose their methods, and a cycle would never end here.
  if (ancestors.includes(value) || !isPlain(value)) return path
  for (const [key, item] of Object.entries(value)) {
    const nested = findUnsendable(item, `${path}.${key}`, [...ancestors, value])
    if (nested !== undefined) return nested
  }
  return undefined
}

function isPlain(value: object): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array || value instanceof Date) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
