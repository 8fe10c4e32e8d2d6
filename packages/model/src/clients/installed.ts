import type { ProviderModule } from '@x/interfaces'

/** The file of the thread of blocking calls, and where its providers are: `bundled` says that a bundle holds this module. */
export interface ThreadFile {
  readonly file: URL
  readonly bundled: boolean
}

/**
 * Finds the file of the thread of blocking calls by the address of its neighbour, `blocking`. A bundle does not hold the
 * file: there it is looked for in the package as installed beside the bundle or in the working directory.
 */
export function findThreadFile(neighbour: string | undefined): ThreadFile | undefined {
  const { existsSync } = process.getBuiltinModule('node:fs')
  const ending = /\/clients\/blocking(\.[jt]s)$/u.exec(neighbour ?? '')?.[1]
  // Sources run as they are under the `@x/source` condition: the file has this one's ending.
  const beside = ending && new URL(`./blocking-worker${ending}`, neighbour)
  if (beside && existsSync(beside)) return { file: beside, bundled: false }
  const entry = resolveInstalled('@x/model', neighbour)
  const file = entry && new URL('./clients/blocking-worker.js', entry)
  return file && existsSync(file) ? { file, bundled: true } : undefined
}

/**
 * Gives a provider's module as the thread can import it. In a bundle, and in a program that is one file, the address of
 * a provider is that of the program, which would run a second time: there the package is imported by its name.
 */
export function importable(module: ProviderModule, neighbour: string | undefined, bundled: boolean): ProviderModule {
  if (!bundled && module.url !== programUrl()) return module
  const { url: _, ...named } = module
  const url = resolveInstalled(module.specifier, neighbour)
  return url ? { ...named, url } : named
}

/** Gives the address of a package's entry as seen from a module, or else from the working directory. */
function resolveInstalled(specifier: string, from: string | undefined): string | undefined {
  const { createRequire } = process.getBuiltinModule('node:module')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  const here = pathToFileURL(`${process.cwd()}/module.js`)
  for (const base of from?.startsWith('file:') ? [from, here] : [here]) {
    try {
      return pathToFileURL(createRequire(base).resolve(specifier)).href
    } catch {
      // Not installed there.
    }
  }
  return undefined
}

/** The address of the file that the process was started with. */
function programUrl(): string | undefined {
  const [, program] = process.argv
  if (!program) return undefined
  const { existsSync, realpathSync } = process.getBuiltinModule('node:fs')
  const { pathToFileURL } = process.getBuiltinModule('node:url')
  return existsSync(program) ? pathToFileURL(realpathSync(program)).href : undefined
}
