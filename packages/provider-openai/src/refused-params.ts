import { vendorOf, type CheckedParams, type LowerContext } from '@x/provider-kit'
import type { NamedProfile } from './endpoint-profile.ts'

/**
 * Tells which parameters of a request an endpoint refuses: those of other vendors and those that its row of the table
 * names, unless they are written for it in `providerOptions`.
 */
export function isRefused(key: string, { own }: CheckedParams, { name, refusedParams }: NamedProfile): boolean {
  if (key in own) return false
  if (refusedParams.includes(key)) return true
  switch (vendorOf(key)) {
    case 'google':
      return true
    case 'anthropic':
      // Many servers of open models have taken this one over.
      return key !== 'thinking' || isOpenAI(name)
    case 'open':
      return isOpenAI(name)
    default:
      return false
  }
}

/** Tells OpenAI's own endpoints. */
export const isOpenAI = (name: string): boolean => name === 'openai' || name === 'azure'

/** Names under which options are written for an endpoint: its row, and for those that are OpenAI's or unknown, `openai`. */
export const optionNames = ({ name }: NamedProfile): readonly string[] =>
  isOpenAI(name) || name === 'compatible' ? [...new Set(['openai', name])] : [name]

/** Warns of a parameter that is left out because another vendor invented it. */
export function warnRefused(key: string, { name }: NamedProfile, warn: LowerContext['warn']): void {
  warn(
    'parameter',
    `\`${key}\` was left out: the endpoint (\`${name}\`) does not take it; write it in \`providerOptions: { ${name}: … }\` to send it all the same`,
  )
}
