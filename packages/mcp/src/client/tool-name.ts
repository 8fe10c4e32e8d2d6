import { XError } from '@x/kernel'

/** Most characters of a tool name that all providers take. */
const MAX_TOOL_NAME_LENGTH = 64

/** Separates the name of a server from the name of its tool. */
const NAME_SEPARATOR = '__'

/** Suffix of changed names; an original name with such a suffix is changed too, so that names stay unique. */
const DIGEST_SUFFIX_PATTERN = /_[\da-f]{10}$/u

const SERVER_NAME_PATTERN = /^[a-zA-Z\d](?:[a-zA-Z\d-]|_(?!_|$)){0,31}$/u

/** Refuses a server name that cannot be the prefix of tool names. */
export function checkServerName(name: unknown): asserts name is string {
  if (typeof name === 'string' && SERVER_NAME_PATTERN.test(name)) return
  throw new XError(
    'invalid-name',
    `cannot connect to a server under the name ${JSON.stringify(name)}: give \`name\`, at most 32 letters, digits, \`-\` and single \`_\`, beginning with a letter or digit`,
    { details: { name } },
  )
}

/**
 * Makes the name of a tool for models: `server__tool`. A name that is too long, or that providers would refuse, keeps its
 * beginning and ends with ten hexadecimal digits of its digest; it depends on the names of server and tool alone.
 */
export async function toolNameFor(server: string, tool: string): Promise<string> {
  const name = `${server}${NAME_SEPARATOR}${tool}`
  if (name.length <= MAX_TOOL_NAME_LENGTH && /^[\w-]+$/u.test(name) && !DIGEST_SUFFIX_PATTERN.test(tool)) return name
  const digest = (await sha256(`${server}\0${tool}`)).slice(0, 10)
  const kept = name.replaceAll(/[^\w-]+/gu, '_').slice(0, MAX_TOOL_NAME_LENGTH - 1 - digest.length)
  return `${kept}_${digest}`
}

/** Returns the SHA-256 of a text as hexadecimal digits. */
export async function sha256(text: string): Promise<string> {
  const bytes = new Uint8Array(await globalThis.crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
