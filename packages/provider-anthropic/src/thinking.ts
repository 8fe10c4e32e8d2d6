import type { AnthropicModelFamily } from './family.ts'

/** Budgets by effort, for models that think by a budget. */
const BUDGET_TOKENS: Readonly<Record<string, number>> = {
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
  /** The parameter of the provider; absent when the request does not mention thinking. */
  readonly thinking?: Record<string, unknown> | undefined
  readonly effort?: string | undefined
  /** Tokens to add to the limit of the answer. */
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
  if (given) return lowerExplicit(given, effort, family, warn)
  if (effort === undefined) return NO_THINKING
  if (effort === 'none') return switchOff(undefined, family, warn)
  if (family.thinking === 'none') {
    warn('parameter', 'the model cannot reason: `reasoning_effort` was left out')
    return NO_THINKING
  }
  if (family.thinking === 'adaptive') return { thinking: { type: 'adaptive' }, effort, budget: 0, on: true }
  return byBudget(effort, family)
}

const NO_THINKING: Thinking = { budget: 0, on: false }

/** Switches thinking off, as far as the model allows: some models think by default. */
function switchOff(
  effort: string | undefined,
  { thinking, thinkingOff, efforts }: AnthropicModelFamily,
  warn: Warn,
): Thinking {
  if (thinking === 'none') return NO_THINKING
  const effortPart = effort !== undefined && effort !== 'none' && efforts.length > 0 ? { effort } : {}
  if (thinkingOff === 'never') {
    warn('thinking', 'the model always thinks: it was asked for the least effort instead')
    return { effort: 'low', ...effortPart, budget: 0, on: true }
  }
  const type = thinkingOff === 'between_tools' ? 'between_tools' : 'disabled'
  return { thinking: { type }, ...effortPart, budget: 0, on: false }
}

function byBudget(effort: string | undefined, family: AnthropicModelFamily): Thinking {
  const budget = fitBudget(BUDGET_TOKENS[effort ?? 'medium'] ?? BUDGET_TOKENS['medium'], family)
  return { thinking: { type: 'enabled', budget_tokens: budget }, budget, on: true }
}

const EFFORT_ORDER = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max']

/** Returns an effort as the model takes it: the nearest supported level below; undefined where it supports none. */
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
  const fitted = levels.findLast((level) => EFFORT_ORDER.indexOf(level) <= EFFORT_ORDER.indexOf(effort)) ?? levels[0]
  warn(
    'effort',
    `the model does not take the effort \`${effort}\` here: ${fitted ? `\`${fitted}\` was sent` : 'it was left out'}`,
  )
  return fitted
}

/**
 * Fits thinking into a limit of the whole answer (`max_completion_tokens`, which counts reasoning by OpenAI's definition): half
 * of it where the budget is larger than all, and none where that is less than the model takes.
 */
export function fitToLimit(
  given: Thinking,
  { most, least, warn }: { readonly most: number | undefined; readonly least: number; readonly warn: Warn },
): Thinking {
  const { thinking, budget } = given
  if (most === undefined || thinking?.['type'] !== 'enabled') return given
  const fitted = budget < most ? budget : Math.floor(most / 2)
  if (fitted >= least) return { ...given, thinking: { ...thinking, budget_tokens: fitted }, budget: 0 }
  warn('thinking', '`max_completion_tokens` leaves no room for thinking: the model answers without it')
  return NO_THINKING
}

/** The parts of a message that tell whether a turn began with thinking. */
interface SentMessage {
  readonly role: string
  readonly content: readonly { readonly type: string }[]
}

/**
 * Leaves thinking out where the current turn began without it: after calls of another provider, or before thinking was
 * switched on. Models that think by a budget refuse such a turn; models that think by effort take it.
 */
export function fitThinking(thinking: Thinking, messages: readonly SentMessage[], warn: Warn): Thinking {
  if (thinking.thinking?.['type'] !== 'enabled') return thinking
  const turnStart = messages.findLastIndex(
    ({ role, content }) => role === 'user' && content.every(({ type }) => type !== 'tool_result'),
  )
  const first = messages[turnStart + 1]?.content[0]?.type
  if (first === undefined || first === 'thinking' || first === 'redacted_thinking') return thinking
  warn('thinking', 'the turn that goes on did not begin with thinking: the model goes on without it')
  return { budget: 0, on: false }
}

function lowerExplicit(
  given: Record<string, unknown>,
  effort: string | undefined,
  family: AnthropicModelFamily,
  warn: Warn,
): Thinking {
  const { type, budget_tokens: asked, ...rest } = given
  const effortPart = effort !== undefined && effort !== 'none' ? { effort } : {}
  const isOff = type === 'disabled' || type === 'between_tools'
  if (isOff && family.known) return switchOff(effort, family, warn)
  const isBudget = type === 'enabled'
  if ((!isBudget && type !== 'adaptive') || !family.known) {
    const budget = isBudget ? fitBudget(asked, family) : 0
    return { thinking: isBudget ? { ...given, budget_tokens: budget } : given, ...effortPart, budget, on: !isOff }
  }
  if (family.thinking === 'none') {
    warn('thinking', 'the model cannot reason: `thinking` was left out')
    return NO_THINKING
  }
  if (family.thinking === 'adaptive') {
    if (isBudget) warn('thinking', 'the model thinks by effort, not by a budget: `budget_tokens` was left out')
    return { thinking: { ...rest, type: 'adaptive' }, ...effortPart, budget: 0, on: true }
  }
  if (!isBudget) {
    warn('thinking', 'the model thinks by a budget: `adaptive` was replaced by one')
    return byBudget(effort, family)
  }
  const budget = fitBudget(asked, family)
  return { thinking: { ...given, budget_tokens: budget }, budget, on: true }
}

/** Returns a budget inside the range of the model. */
const fitBudget = (asked: unknown, { leastBudget, mostBudget }: AnthropicModelFamily): number =>
  Math.min(Math.max(typeof asked === 'number' ? asked : leastBudget, leastBudget), mostBudget)
