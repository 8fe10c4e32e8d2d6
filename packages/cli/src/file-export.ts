import { statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { XError } from '@x/kernel'

/** An export that a command takes from a file of the person. */
export interface FileExport {
  readonly name: string
  readonly type: 'function' | 'object'
  /** A line that exports it, for the error of a file that does not. */
  readonly example: string
}

/** Imports a module, JavaScript or TypeScript without its own syntax for code, and returns one export of it. */
export async function importFrom<T>(file: string, { name, type, example }: FileExport): Promise<T> {
  const exported = (await loadModule<Readonly<Record<string, unknown>>>(file))[name]
  if (typeof exported === type && exported !== null) return exported as T
  const wrong = exported === undefined ? `it exports no \`${name}\`` : `its \`${name}\` must be of type ${type}`
  throw new XError('invalid-argument', `cannot use \`${file}\`: ${wrong}; write ${example}`)
}

/** Returns what the function of a file has made, if it is an object with these fields. */
export function checkedMade(
  made: unknown,
  {
    file,
    of: { name, example },
    fields,
  }: { readonly file: string; readonly of: FileExport; readonly fields: readonly string[] },
): object {
  if (typeof made === 'object' && made !== null && fields.every((field) => field in made)) return made
  const named = fields.map((field) => `\`${field}\``).join(' and ')
  const wanted = named === '' ? 'an object' : `an object with ${named}`
  throw new XError(
    'invalid-argument',
    `cannot use \`${file}\`: its \`${name}\` did not return ${wanted}; write ${example}`,
  )
}

/** Names of files that Node takes for modules. */
const MODULE_EXTENSION = /^(?:\.[cm]?[jt]s)?$/u

/** Loads a module of the person; the error for any other file says what to name. */
export async function loadModule<T>(file: string): Promise<T> {
  const path = resolve(file)
  const stat = statSync(path, { throwIfNoEntry: false })
  if (!stat) throw new XError('invalid-argument', `cannot load \`${file}\`: there is no such file`)
  if (!stat.isFile() || !MODULE_EXTENSION.test(extname(path))) {
    const next = 'name one that ends with `.js`, `.mjs`, `.ts` or the like'
    throw new XError(
      'invalid-argument',
      `cannot load \`${file}\`: it is not a module of JavaScript or TypeScript; ${next}`,
    )
  }
  return (await import(pathToFileURL(path).href)) as T
}
