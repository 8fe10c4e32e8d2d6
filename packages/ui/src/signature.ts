import type { ActionToApprove } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, type OptionKinds } from '@x/kernel/options'
import { isObject } from './json.ts'

/** The signature of questions to a page. */
export interface UiSigning {
  /**
   * The secret of the server that signs what a page may decide on, at least 32 characters or bytes. Without it pages are asked
   * for no decisions, and none of theirs counts.
   */
  readonly secret?: string | Uint8Array | undefined
  /** The owner of the page, such as the id of the user: a decision of another page does not count. Default: anybody. */
  readonly scope?: string | undefined
}

/** The kinds of the options of a signature. */
export const signingKinds: OptionKinds<UiSigning> = { secret: kind.either(kind.text, kind.object), scope: kind.text }

/** Signs a question by its id and what it is about. */
export type Sign = (approvalId: string, action: ActionToApprove) => Promise<string>

/** Returns the digest of the action that a signature names; null if the server has not given it to this question. */
export type Verify = (approvalId: string, signature: string) => Promise<string | null>

const MIN_SECRET = 32
/** Hexadecimal digits of a digest: 128 bits. */
const DIGEST_LENGTH = 32
const HMAC = 'HMAC'

/** Returns a signer by HMAC-SHA-256; null without a secret. A secret that is too short is refused with `invalid-argument`. */
export function signerOf(signing: UiSigning): Sign | null {
  const key = keyOf(signing)
  return (
    key &&
    (async (approvalId, action) => {
      const digest = await digestOf(action)
      return `${digest}.${hex(await crypto.subtle.sign(HMAC, await key, payload(signing, approvalId, digest)))}`
    })
  )
}

/** Returns the check of signatures; null without a secret. */
export function verifierOf(signing: UiSigning): Verify | null {
  const key = keyOf(signing)
  return (
    key &&
    (async (approvalId, signature) => {
      const [, digest, mac] = /^(\w+\.[0-9a-f]{32})\.([0-9a-f]{64})$/u.exec(signature) ?? []
      if (!digest || !mac) return null
      const bytes = Uint8Array.from(mac.match(/../gu)!, (byte) => Number.parseInt(byte, 16))
      return (await crypto.subtle.verify(HMAC, await key, bytes, payload(signing, approvalId, digest))) ? digest : null
    })
  )
}

/** Returns the type of an action with a digest of the whole, whatever the order of its fields. */
export async function digestOf(action: ActionToApprove): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-256', encode(JSON.stringify(action, sortFields)))
  return `${action.type}.${hex(hash).slice(0, DIGEST_LENGTH)}`
}

function keyOf({ secret }: UiSigning): ReturnType<typeof crypto.subtle.importKey> | null {
  if (secret === undefined) return null
  if (secret.length < MIN_SECRET) {
    throw new XError(
      'invalid-argument',
      `the \`secret\` has ${secret.length} characters: give at least ${MIN_SECRET} random ones`,
    )
  }
  const bytes = typeof secret === 'string' ? encode(secret) : new Uint8Array(secret)
  return crypto.subtle.importKey('raw', bytes, { name: HMAC, hash: 'SHA-256' }, false, ['sign', 'verify'])
}

/** JSON keeps the fields apart, whatever is in them; the first one keeps other uses of the secret apart. */
const payload = ({ scope = '' }: UiSigning, approvalId: string, digest: string): Uint8Array<ArrayBuffer> =>
  encode(JSON.stringify(['ui-decision-2', scope, approvalId, digest]))

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const hex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')

const sortFields = (_: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value
