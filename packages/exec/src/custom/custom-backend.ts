import { XError } from '@x/kernel'
import type { LimitedBackend } from '../run/job.ts'
import type { BackendContext, BackendFactory } from './backend-factory.ts'
import type { ImportedSpec } from './custom-spec.ts'
import { limitBackend } from './limit-backend.ts'

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
