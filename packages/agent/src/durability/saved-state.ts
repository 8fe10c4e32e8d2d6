import type { JsonSchema, ToolIssue } from '@x/interfaces'
import { XError } from '@x/kernel'
import { validatorFor } from '../schema/json-schema-validator.ts'
import { AGENT, CHAT } from './saved-shapes.ts'
import { AGENT_VERSION, CHAT_VERSION } from '../options/operations.ts'

/** Checks saved state: a version that is not known is refused, and a shape that does not fit with its path. */
export function checkedState(saved: unknown, kind: 'agent' | 'chat'): unknown {
  const { version, kind: its } = (saved ?? {}) as { version?: unknown; kind?: unknown }
  if (its !== undefined && its !== kind) {
    throw new XError(
      'invalid-state',
      `the saved state of ${article(kind)} was expected, and \`kind\` is ${JSON.stringify(its)}`,
    )
  }
  if (version !== undefined && version !== VERSIONS[kind]) throw unknownVersion(kind, version)
  const shape = kind === 'agent' ? AGENT : CHAT
  return checkedShape(plain(saved, kind), shape, `the saved state of ${article(kind)}`)
}

const VERSIONS = { agent: AGENT_VERSION, chat: CHAT_VERSION } as const

/** The error for saved state of another version. */
export const unknownVersion = (kind: 'agent' | 'chat', version: unknown): XError =>
  new XError(
    'unknown-state-version',
    `the saved state of ${article(kind)} has the version ${JSON.stringify(version)} and this program knows ${VERSIONS[kind]}: load it with the version that wrote it, or a newer one`,
    { details: { version, known: [VERSIONS[kind]] } },
  )

/** A check is made once for a shape: a long chat that goes on has thousands of answers of few shapes. */
const checks = new WeakMap<JsonSchema, ReturnType<typeof validatorFor>>()

/** Checks what was read back; `what` it is and the path say where it does not fit. */
export function checkedShape(saved: unknown, shape: JsonSchema, what: string): unknown {
  let check = checks.get(shape)
  if (!check) checks.set(shape, (check = validatorFor(shape)))
  const valid = check(saved)
  if ('value' in valid) return valid.value
  const [{ path, message } = { path: [], message: 'it does not fit' }] = valid.issues
  throw brokenAt(what, path, message, valid.issues)
}

/** The error for saved state that does not fit. */
export function brokenAt(
  what: string,
  path: readonly (string | number)[],
  message: string,
  issues?: readonly ToolIssue[],
): XError {
  const where = path.length > 0 ? `\`${path.join('.')}\`` : 'the whole'
  return new XError('invalid-state', `${what} is broken at ${where}: ${message}`, {
    details: { path, ...(issues && { issues }) },
  })
}

const article = (kind: 'agent' | 'chat'): string => (kind === 'agent' ? 'an agent' : 'a chat')

/** State that was not JSON is refused before anything else looks at it. */
function plain(saved: unknown, kind: 'agent' | 'chat'): unknown {
  try {
    return JSON.parse(JSON.stringify(saved ?? null))
  } catch (error) {
    throw new XError('invalid-state', `the saved state of ${article(kind)} is not plain JSON`, { cause: error })
  }
}
