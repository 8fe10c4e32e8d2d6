import { XError } from '@x/kernel'

/** Longest name of a tool that all providers take. */
const LONGEST = 64

/** Between the name of a server and that of its tool. */
const BETWEEN = '__'

/** Ends names that were changed; a tool's own name that ends so is changed too, so that no two names meet. */
const MARKED = /_[\da-f]{10}$/u

const SERVER_NAME = /^[a-zA-Z\d](?:[a-zA-Z\d-]|_(?!_|$)){0,31}$/u

/** Refuses a name of a server that cannot be the prefix of its tools. */
export function checkServerName(name: unknown): asserts name is string {
  if (typeof name === 'string' && SERVER_NAME.test(name)) return
  throw new XError(
    'invalid-name',
    `cannot connect to a server under the name ${JSON.stringify(name)}: give \`name\`, at most 32 letters, digits, \`-\` and single \`_\`, beginning with a letter or digit`,
    { details: { name } },
  )
}

/**
 * Names a tool for models: `server__tool`. A name that providers would refuse, or that is too long, keeps its beginning
 * and ends with ten digits of a digest of the whole, so that the name of a tool depends on nothing but its server and
 * its own name.
 */
export async function toolNameFor(server: string, tool: string): Promise<string> {
  const name = `${server}${BETWEEN}${tool}`
  if (name.length <= LONGEST && /^[\w-]+$/u.test(name) && !MARKED.test(tool)) return name
  const digest = (await sha256(`${server}\0${tool}`)).slice(0, 10)
  const kept = name.replaceAll(/[^\w-]+/gu, '_').slice(0, LONGEST - 1 - digest.length)
  return `${kept}_${digest}`
}

/** The SHA-256 of a text, in hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
