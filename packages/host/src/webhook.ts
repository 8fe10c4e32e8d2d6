import type { ChatKind } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { abortable } from '@x/kernel/abort'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { platformFetch, platformNow, signatureOf } from './platform.ts'

/** An address that a host tells of its chats. */
export interface Webhook {
  /** Address that takes a POST request. */
  readonly url: string
  /** Secret of the signature, in Base64, `whsec_` before it or not: at least 24 bytes. It is never stored. */
  readonly secret: string
  /** The moments that are told: a chat has `ended`, or asks a `question` for a decision. Default: both. */
  readonly on?: readonly ('ended' | 'question')[] | undefined
  /** Chats of one tenant; default: all. */
  readonly tenant?: string | undefined
  /** Chats that have this tag; default: all. */
  readonly tag?: string | undefined
  /** Whether values, errors and questions are sent, and not only that there are some. Default true. */
  readonly content?: boolean | undefined
  /** Seconds that the address may take to answer; default 15. */
  readonly timeout?: number | undefined
}

const WEBHOOK_KINDS: OptionKinds<Webhook> = {
  url: {
    // No request takes a name and a password in it, and the error for that would show them.
    expected: 'an address with `http:` or `https:`, and without a name and a password',
    takes: (url) => /^https?:\/\//u.test(url) && URL.canParse(url) && !hasLogin(new URL(url)),
  },
  secret: {
    expected: 'at least 24 bytes in Base64, such as of `openssl rand -base64 32`',
    takes: (secret) => /^[\w+/-]{32,}={0,2}$/u.test(secret.replace(SECRET_PREFIX, '')),
  },
  on: {
    expected: 'a list of `ended` and `question`',
    takes: (list) => list.every((each) => ['ended', 'question'].includes(each)),
  },
  tenant: kind.text,
  tag: kind.text,
  content: kind.flag,
  timeout: kind.timeout,
}

const hasLogin = ({ username, password }: URL): boolean => username !== '' || password !== ''

/** Beginning of secrets in the form of Standard Webhooks. */
const SECRET_PREFIX = /^whsec_/u
const DEFAULT_TIMEOUT_S = 15

/** Name of the program that tells the addresses. */
export const WEBHOOK_PROGRAM = 'webhook'

/** Refuses wrong webhooks, and a program that has the name of theirs. */
export function checkWebhooks(
  webhooks: Readonly<Record<string, Webhook>> | undefined,
  chats: readonly ChatKind[],
): void {
  if (webhooks && chats.some(({ name }) => name === WEBHOOK_PROGRAM)) {
    throw new XError(
      'invalid-argument',
      `cannot create a host: \`${WEBHOOK_PROGRAM}\` is the name of the program that tells its \`webhooks\`; give yours another`,
    )
  }
  for (const [name, webhook] of Object.entries(webhooks ?? {})) {
    const attempt = `tell the webhook \`${name}\``
    checkOptions((webhook as object | undefined) ?? null, WEBHOOK_KINDS, attempt)
    const missing = (['url', 'secret'] as const).find((key) => webhook[key] === undefined)
    const problem =
      (missing && `it has no \`${missing}\`; give ${WEBHOOK_KINDS[missing].expected}`) ??
      (/^[\w-]{1,64}$/u.test(name) ? undefined : 'its name takes 1 to 64 letters, digits, `_` and `-`')
    if (problem) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
  }
}

/** Most milliseconds of a timer, which counts whole ones. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Sends a body, signed by the rules of Standard Webhooks (https://www.standardwebhooks.com). */
export async function postNotice(
  { url, secret, timeout = DEFAULT_TIMEOUT_S }: Webhook,
  { id, body }: { readonly id: string; readonly body: string },
  stop: AbortSignal | undefined,
): Promise<string> {
  const limit = AbortSignal.timeout(Math.min(Math.ceil(timeout * 1000), MAX_TIMER_MS))
  const signal = stop ? AbortSignal.any([stop, limit]) : limit
  const seconds = Math.floor(platformNow() / 1000)
  const signature = signatureOf(secret.replace(SECRET_PREFIX, ''), `${id}.${seconds}.${body}`)
  const headers = {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': `v1,${signature}`,
  }
  const host = new URL(url).host
  try {
    const response = await abortable(
      platformFetch(url, { method: 'POST', headers, body, redirect: 'manual', signal }),
      signal,
    )
    // The answer is not read: it may be of any length.
    await response.body?.cancel()
    if (response.ok) return `told with status ${response.status}`
    const isFinal = response.status === 410
    const text = `the address of a webhook at ${host} answered with status ${response.status}`
    throw new XError(isFinal ? 'invalid-state' : 'connection-failed', isFinal ? `${text}: it is gone` : text)
  } catch (error) {
    if (isXError(error, 'invalid-state') || isXError(error, 'connection-failed')) throw error
    const address = `the address of a webhook at ${host}`
    if (limit.aborted) throw new XError('timeout', `${address} does not answer in time`, { cause: error })
    throw new XError('connection-failed', `${address} cannot be reached`, { cause: error })
  }
}
