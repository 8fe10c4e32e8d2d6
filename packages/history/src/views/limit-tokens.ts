import { checkOptions, type OptionKinds } from '@x/kernel/options'
import type { TokenLimit, View } from './view.ts'
import { requireNumber, SHARE, TOKENS } from './share.ts'

const KINDS: OptionKinds<TokenLimit> = { total: TOKENS, perMessage: TOKENS, to: SHARE }

/**
 * Limits the tokens of a request, and those of each message. A number up to 1 is a share of what the model's window has
 * room for. When the limit is exceeded, the oldest messages are left out.
 */
export function limitTokens(limit: number | TokenLimit = {}): View {
  if (typeof limit === 'object') checkOptions(limit, KINDS, 'run `limitTokens`')
  else requireNumber(limit, TOKENS, 'limitTokens')
  return { name: 'limitTokens', limit: typeof limit === 'number' ? { total: limit } : limit }
}
