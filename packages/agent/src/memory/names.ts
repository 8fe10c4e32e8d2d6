import { XError } from '@x/kernel'

/** Makes a name that a model made up fit for the wire: other characters become `_`, at most 64 of them. */
export const normalizeName = (name: string): string => name.replaceAll(/[^a-zA-Z0-9_-]/gu, '_').slice(0, 64)

/** Gives the name back, or fails with `invalid-name`: letters, digits, `_` and `-`, at most 64. */
export function assertValidName(name: string): string {
  if (/^[a-zA-Z0-9_-]{1,64}$/u.test(name)) return name
  throw new XError(
    'invalid-name',
    `\`${name}\` is no name for a function: use 1 to 64 letters, digits, \`_\` and \`-\``,
  )
}
