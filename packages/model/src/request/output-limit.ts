import type { ModelParams } from '@x/interfaces'
import { isRecord } from '../data/plain-data.ts'

/** Returns the most output tokens that a request allows in all its choices; undefined if it sets no limit. */
export function outputLimit(params: ModelParams): number | undefined {
  const max = limitOf(params)
  return max === undefined ? undefined : max * choicesOf(params)
}

/** Returns the number of choices that a request asks for. */
export function choicesOf(params: ModelParams): number {
  const { n } = params as { n?: unknown }
  return typeof n === 'number' && n > 1 ? n : 1
}

const isLimit = (value: unknown): value is number => typeof value === 'number' && value > 0

/** Returns the most output tokens that a request allows for one choice. */
function limitOf({ max_tokens: older, max_completion_tokens: newer }: ModelParams): number | undefined {
  if (isLimit(newer)) return newer
  return isLimit(older) ? older : undefined
}

/** Returns a request with a limit for each of its choices, and whether that is lower than its own; undefined if it has it already. */
export function withOutputLimit(
  given: ModelParams,
  limit: number,
): { readonly params: ModelParams; readonly isLowered: boolean } | undefined {
  // A vendor may let its model think beyond the older limit.
  const countsReasoning = isLimit(given.max_completion_tokens) || asksToReason(given)
  const key = countsReasoning ? 'max_completion_tokens' : 'max_tokens'
  const shared = withoutOwnLimits(given)
  if (given[key] === limit && shared === given) return undefined
  const { max_tokens: _, max_completion_tokens: __, ...rest } = shared
  return { params: { ...rest, [key]: limit }, isLowered: limitOf(given) !== limit }
}

/** Where the parameters of a request stand: those of all providers, and those of one. */
export function paramsOf(params: ModelParams): Readonly<Record<string, unknown>>[] {
  return [params, ...Object.values(params.providerOptions ?? {})].filter(isRecord)
}

/** Limits of an answer that a request may have for one provider, or in its body. */
const LIMIT_NAMES = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'] as const

/** Leaves out the limits that would win over those of all providers; returns the request itself if it has none. */
function withoutOwnLimits(params: ModelParams): ModelParams {
  const { providerOptions, extra_body: body } = params
  const hasLimit = (part: unknown): boolean => isRecord(part) && LIMIT_NAMES.some((name) => name in part)
  if (!hasLimit(body) && !Object.values(providerOptions ?? {}).some(hasLimit)) return params
  const cleaned = (part: unknown): unknown =>
    isRecord(part) ? Object.fromEntries(Object.entries(part).filter(([name]) => !hasLimit({ [name]: 0 }))) : part
  const options = Object.entries(providerOptions ?? {}).map(([name, part]) => [name, cleaned(part)])
  return {
    ...params,
    ...(providerOptions && { providerOptions: Object.fromEntries(options) as typeof providerOptions }),
    ...(body && { extra_body: cleaned(body) as typeof body }),
  }
}

/** Tells whether a request asks its model to reason. */
const asksToReason = (params: ModelParams): boolean =>
  paramsOf(params).some(({ reasoning_effort: effort, thinking }) => effort !== undefined || thinking !== undefined)
