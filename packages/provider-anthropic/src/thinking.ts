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
  warn: (topic: string, text: string) => void,
): Thinking {
  if (given) return explicit(given, effort, family)
  if (effort === undefined) return { budget: 0, on: false }
  // Some models think unless they are told not to: it must be said.
  if (effort === 'none') {
    return { ...(family.thinking !== 'none' && { thinking: { type: 'disabled' } }), budget: 0, on: false }
  }
  if (family.thinking === 'none') {
    warn('parameter', 'the model cannot reason: `reasoning_effort` was left out')
    return { budget: 0, on: false }
  }
  if (family.thinking === 'adaptive') {
    return { thinking: { type: 'adaptive' }, effort: effort === 'minimal' ? 'low' : effort, budget: 0, on: true }
  }
  const budget = BUDGETS[effort] ?? BUDGETS['medium']!
  return { thinking: { type: 'enabled', budget_tokens: budget }, budget, on: true }
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
export function fitThinking(
  thinking: Thinking,
  messages: readonly Sent[],
  warn: (topic: string, text: string) => void,
): Thinking {
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
  { thinking }: AnthropicModelFamily,
): Thinking {
  const told = effort !== undefined && effort !== 'none' ? { effort } : {}
  if (given['type'] === 'disabled') return { thinking: { type: 'disabled' }, budget: 0, on: false }
  if (given['type'] !== 'enabled') return { thinking: given, ...told, budget: 0, on: true }
  if (thinking === 'adaptive') return { thinking: { type: 'adaptive' }, ...told, budget: 0, on: true }
  const asked = given['budget_tokens']
  const budget = Math.max(typeof asked === 'number' ? asked : LEAST_BUDGET, LEAST_BUDGET)
  return { thinking: { ...given, budget_tokens: budget }, budget, on: true }
}
