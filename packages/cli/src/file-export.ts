import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
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
  const path = resolve(file)
  if (!existsSync(path)) throw new XError('invalid-argument', `cannot load \`${file}\`: there is no such file`)
  const exported = ((await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>)[name]
  if (typeof exported === type && exported !== null) return exported as T
  const wrong = exported === undefined ? `it exports no \`${name}\`` : `its \`${name}\` must be of type ${type}`
  throw new XError('invalid-argument', `cannot use \`${file}\`: ${wrong}; write ${example}`)
}
