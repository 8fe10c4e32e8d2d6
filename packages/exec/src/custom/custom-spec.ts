import { isThenable, XError } from '@x/kernel'
import { isProgram } from '../backend/thread.ts'
import type { BackendContext, BackendFactory } from './backend-factory.ts'

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
