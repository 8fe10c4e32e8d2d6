import type { ChatKind, ChatState, ShownBudgets, ShownUsage } from '../src/change.ts'
import { waitsForDecision } from './composer.tsx'
import { dollarsText } from './parts.ts'

/** What may be said first, by the kind of the chat. */
export const SUGGESTIONS: Readonly<Record<ChatKind, readonly string[]>> = {
  assistant: [
    'What is the weather in Oslo?',
    'Write a letter to Ada',
    'Compute 6 * 7',
    'Ask the group where to go for a weekend',
  ],
  group: ['A dinner for four, please.', 'A birthday picnic for ten, half of them children.'],
}

/** Title of a chat. */
export const titleOf = ({ title, kind }: ChatState): string => title ?? (kind === 'group' ? 'New group' : 'New chat')

/** Tokens and cost so far. */
export function spentText({ promptTokens, completionTokens, cost, unpriced }: ShownUsage): string {
  const price = unpriced ? (cost === 0 ? 'price unknown' : `${dollarsText(cost)} and more`) : dollarsText(cost)
  return `${promptTokens.toLocaleString('en')} in, ${completionTokens.toLocaleString('en')} out · ${price}`
}

/** What is left of the budgets; empty without any. */
export function leftText({ chat, day }: ShownBudgets): string {
  const left = [
    [chat, 'this chat'],
    [day, 'today'],
  ] as const
  const texts = left.flatMap(([dollars, of]) => (dollars === null ? [] : [`$${dollars.toFixed(2)} for ${of}`]))
  return texts.length > 0 ? `left: ${texts.join(', ')}` : ''
}

/** What happens next while nobody writes. */
export function nextText(state: ChatState | null, isLive: boolean): string {
  if (!state) return ''
  const { next, turn, kind } = state
  const why = next?.reason ? ` (${next.reason})` : ''
  if (turn !== null) return `It is your turn${why}: say something, or stay silent.`
  if (waitsForDecision(state)) return 'A call waits: decide on it first, then go on.'
  if (!next || isLive) return ''
  return kind === 'group' ? `${next.name} is next${why} …` : `${next.name} is writing …`
}
