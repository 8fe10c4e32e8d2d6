import { XError, isThenable } from '@x/kernel'
import type { LimitedBackend } from '../run/job.ts'
import { limitBackend } from './limit-backend.ts'
import { isProgram } from '../backend/thread.ts'
import type { BackendContext, BackendFactory } from './backend.ts'

/** Makes a backend of somebody else's factory, and has the executor's limits enforced around it. */
export function customBackend(factory: BackendFactory<unknown>, context: BackendContext<unknown>): LimitedBackend {
  return limitBackend(factory.createBackend(context), { isolation: factory.isolation, workDir: context.workDir })
}

/** Makes the same backend in a thread that has to import its factory. */
export async function importBackend({ module, context }: ImportedSpec): Promise<LimitedBackend> {
  return customBackend(await importFactory(module), context)
}

/** Imports by the address of the module; in a bundle that address is another one, so then by the package's name. */
async function importFactory({
  specifier,
  url,
  export: name,
}: ImportedSpec['module']): Promise<BackendFactory<unknown>> {
  const errors: unknown[] = []
  for (const from of url === undefined ? [specifier] : [url, specifier]) {
    try {
      const factory = ((await import(from)) as Record<string, BackendFactory<unknown> | undefined>)[name]
      if (factory) return factory
      errors.push(new Error(`the module has no export \`${name}\``))
    } catch (error) {
      errors.push(error)
    }
  }
  const why = errors[0] instanceof Error ? errors[0].message : String(errors[0])
  throw new XError(
    'invalid-state',
    `the thread of blocking calls cannot import \`${name}\` from \`${specifier}\` (${why}): correct \`module\` of the backend, or call without \`Sync\``,
    { cause: errors[0] },
  )
}

/** A backend of somebody else's, in the thread that has its factory. */
export interface CustomSpec {
  readonly kind: 'custom'
  readonly factory: BackendFactory<unknown>
  readonly context: BackendContext<unknown>
}

/** The same backend for a thread that imports the factory: plain data. */
export interface ImportedSpec {
  readonly kind: 'imported'
  readonly module: NonNullable<BackendFactory['module']>
  readonly context: BackendContext<unknown>
}

/** Describes a backend to another thread; fails with `async-in-sync` where it cannot be made there. */
export function importedSpec({ factory: { module }, context }: CustomSpec): ImportedSpec {
  if (!module) {
    throw new XError(
      'async-in-sync',
      'cannot run code in a blocking call: the backend names no `module` that a thread could import it from. Call without `Sync`, or add `module` to its factory',
    )
  }
  const path = unportable(context.settings, 'settings')
  if (path !== undefined) {
    throw new XError(
      'async-in-sync',
      `cannot run code in a blocking call: \`${path}\` cannot be sent to the thread that runs it. Give plain data, or call without \`Sync\``,
      { details: { key: path } },
    )
  }
  const { url, ...named } = module
  return { kind: 'imported', module: url !== undefined && isProgram(url) ? named : module, context }
}

/** Finds the first part of a value that is not plain data; undefined when there is none. */
function unportable(value: unknown, path: string, above: readonly object[] = []): string | undefined {
  if (typeof value === 'function' || typeof value === 'symbol' || isThenable(value)) return path
  if (typeof value !== 'object' || value === null) return undefined
  // Instances of classes lose their methods on the way, and a cycle has no end here.
  if (above.includes(value) || !isPlain(value)) return path
  for (const [key, item] of Object.entries(value)) {
    const place = unportable(item, `${path}.${key}`, [...above, value])
    if (place !== undefined) return place
  }
  return undefined
}

function isPlain(value: object): boolean {
  if (Array.isArray(value) || value instanceof Uint8Array || value instanceof Date) return true
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
