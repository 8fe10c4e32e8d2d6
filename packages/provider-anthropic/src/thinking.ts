import type { AnthropicModelFamily } from './family.ts'

/** Fewest tokens that a budget for thinking may have. */
const LEAST_BUDGET = 1024

/** Budgets for models that are told one, by effort. */
const BUDGETS: Readonly<Record<string, number>> = {
  minimal: 1024,
  low: 2048,
  medium: 8192,
  high: 16_384,
  xhigh: 32_768,
  max: 32_768,
}

type Warn = (topic: string, text: string) => void

/** Reasoning parameters of a request. */
export interface Thinking {
  /** The parameter; absent when nothing was said. */
  readonly thinking?: Record<string, unknown> | undefined
  readonly effort?: string | undefined
  /** Tokens to add to the answer's. */
  readonly budget: number
  /** Whether the model reasons, which forbids other parameters. */
  readonly on: boolean
}

/** Returns `thinking` or `reasoning_effort` of a request as the model takes them. */
export function lowerThinking(
  given: Record<string, unknown> | undefined,
  effort: string | undefined,
  family: AnthropicModelFamily,
  warn: Warn,
): Thinking {
  if (given) return explicit(given, effort, family, warn)
  if (effort === undefined) return NONE
  if (effort === 'none') return off(undefined, family, warn)
  if (family.thinking === 'none') {
    warn('parameter', 'the model cannot reason: `reasoning_effort` was left out')
    return NONE
  }
  if (family.thinking === 'adaptive') return { thinking: { type: 'adaptive' }, effort, budget: 0, on: true }
  return byBudget(effort)
}

const NONE: Thinking = { budget: 0, on: false }

/** Switches thinking off, as far as the model can: some think unless they are told not to, so it must be said. */
function off(
  effort: string | undefined,
  { thinking, thinkingOff, efforts }: AnthropicModelFamily,
  warn: Warn,
): Thinking {
  if (thinking === 'none') return NONE
  const told = effort !== undefined && effort !== 'none' && efforts.length > 0 ? { effort } : {}
  if (thinkingOff === 'never') {
    warn('thinking', 'the model always thinks: it was asked for the least effort instead')
    return { effort: 'low', ...told, budget: 0, on: true }
  }
  const type = thinkingOff === 'between_tools' ? 'between_tools' : 'disabled'
  return { thinking: { type }, ...told, budget: 0, on: false }
}

function byBudget(effort: string | undefined): Thinking {
  const budget = BUDGETS[effort ?? 'medium'] ?? BUDGETS['medium']!
  return { thinking: { type: 'enabled', budget_tokens: budget }, budget, on: true }
}

const ORDER = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Returns an effort as the model takes it: the nearest level below that it has; undefined where it takes none. */
export function fitEffort(
  effort: unknown,
  thinking: Thinking,
  { efforts, known, thinkingOff }: AnthropicModelFamily,
  warn: Warn,
): unknown {
  if (!known || typeof effort !== 'string') return effort
  const isOff = thinking.thinking !== undefined && !thinking.on
  const levels = isOff && thinkingOff !== 'disabled' ? efforts.filter((level) => !/xhigh|max/u.test(level)) : efforts
  if (levels.includes(effort)) return effort
  const fitted = levels.findLast((level) => ORDER.indexOf(level) <= ORDER.indexOf(effort)) ?? levels[0]
  warn(
    'effort',
    `the model does not take the effort \`${effort}\` here: ${fitted ? `\`${fitted}\` was sent` : 'it was left out'}`,
  )
  return fitted
}

/** A message as far as it tells whether a turn began with thinking. */
interface Sent {
  readonly role: string
  readonly content: readonly { readonly type: string }[]
}

/**
 * Leaves thinking out where the turn that goes on did not begin with it: calls of another provider, or of a time without
 * thinking. Models that are told a budget refuse that; those that are told an effort do not.
 */
export function fitThinking(thinking: Thinking, messages: readonly Sent[], warn: Warn): Thinking {
  if (thinking.thinking?.['type'] !== 'enabled') return thinking
  const begun = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.every(({ type }) => type !== 'tool_result'),
  )
  const first = messages[begun + 1]?.content[0]?.type
  if (first === undefined || first === 'thinking' || first === 'redacted_thinking') return thinking
  warn('thinking', 'the turn that goes on did not begin with thinking: the model goes on without it')
  return { budget: 0, on: false }
}

function explicit(
  given: Record<string, unknown>,
  effort: string | undefined,
  family: AnthropicModelFamily,
  warn: Warn,
): Thinking {
  const { type, budget_tokens: asked, ...rest } = given
  const told = effort !== undefined && effort !== 'none' ? { effort } : {}
  const isOff = type === 'disabled' || type === 'between_tools'
  if (isOff && family.known) return off(effort, family, warn)
  const isBudget = type === 'enabled'
  if ((!isBudget && type !== 'adaptive') || !family.known) {
    const budget = isBudget ? leastBudget(asked) : 0
    return { thinking: isBudget ? { ...given, budget_tokens: budget } : given, ...told, budget, on: !isOff }
  }
  if (family.thinking === 'none') {
    warn('thinking', 'the model cannot reason: `thinking` was left out')
    return NONE
  }
  if (family.thinking === 'adaptive') {
    if (isBudget) warn('thinking', 'the model thinks by effort, not by a budget: `budget_tokens` was left out')
    return { thinking: { ...rest, type: 'adaptive' }, ...told, budget: 0, on: true }
  }
  if (!isBudget) {
    warn('thinking', 'the model thinks by a budget: `adaptive` was replaced by one')
    return byBudget(effort)
  }
  const budget = leastBudget(asked)
  return { thinking: { ...given, budget_tokens: budget }, budget, on: true }
}

const leastBudget = (asked: unknown): number => Math.max(typeof asked === 'number' ? asked : LEAST_BUDGET, LEAST_BUDGET)
