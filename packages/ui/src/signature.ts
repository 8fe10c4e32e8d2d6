import { XError } from '@x/kernel'
import { kind, type OptionKinds } from '@x/kernel/options'

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

/** Signs the ids of decisions, and checks signatures. */
export interface Signer {
  sign(approvalId: string): Promise<string>
  verify(approvalId: string, signature: string): Promise<boolean>
}

const MIN_SECRET = 32

/** Returns a signer by HMAC-SHA-256; null without a secret. A secret that is too short is refused with `invalid-argument`. */
export function signerOf({ secret, scope = '' }: UiSigning): Signer | null {
  if (secret === undefined) return null
  if (secret.length < MIN_SECRET) {
    throw new XError(
      'invalid-argument',
      `the \`secret\` has ${secret.length} characters: give at least ${MIN_SECRET} random ones`,
    )
  }
  const encoder = new TextEncoder()
  const bytes = typeof secret === 'string' ? encoder.encode(secret) : new Uint8Array(secret)
  const key = crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])
  // JSON keeps the fields apart, whatever is in them; the first one keeps other uses of the secret apart.
  const payload = (approvalId: string): Uint8Array<ArrayBuffer> =>
    encoder.encode(JSON.stringify(['ui-decision-1', scope, approvalId]))
  return {
    async sign(approvalId) {
      const mac = new Uint8Array(await crypto.subtle.sign('HMAC', await key, payload(approvalId)))
      return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('')
    },
    async verify(approvalId, signature) {
      if (!/^[0-9a-f]{64}$/u.test(signature)) return false
      const mac = Uint8Array.from(signature.match(/../gu)!, (byte) => Number.parseInt(byte, 16))
      return await crypto.subtle.verify('HMAC', await key, mac, payload(approvalId))
    },
  }
}
