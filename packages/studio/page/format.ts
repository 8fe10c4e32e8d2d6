import type { ActionToApprove } from '@x/interfaces'

/** Formats a duration, such as `1.2 s`. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 1 : 0)} s`
  const minutes = Math.floor(ms / 60_000)
  return minutes < 60
    ? `${minutes} min ${Math.floor((ms % 60_000) / 1000)} s`
    : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Formats US dollars; null is an unknown price. */
export function dollarsText(cost: number | null): string {
  if (cost === null) return '–'
  // Sums differ in their last digits by the order in which they were added.
  const exact = Number(cost.toPrecision(12))
  if (exact === 0) return '$0'
  if (exact >= 100) return `$${Math.round(exact).toLocaleString('en')}`
  if (exact >= 1) return `$${exact.toFixed(2)}`
  return `$${exact >= 0.001 ? exact.toFixed(4) : exact.toPrecision(2)}`
}

/** Formats the cost of calls: where some have no known price, it is no less than what the others cost. */
export function costText(spent: readonly { readonly cost: number; readonly unpriced?: number | undefined }[]): string {
  const text = dollarsText(spent.reduce((sum, { cost }) => sum + cost, 0))
  if (spent.every(({ unpriced = 0 }) => unpriced === 0)) return text
  return text === '$0' ? 'price unknown' : `≥ ${text}`
}

/** Formats a number shortly, such as `12.3k`. */
export function shortNumber(value: number): string {
  if (value < 10_000) return value.toLocaleString('en')
  return value < 1_000_000
    ? `${(value / 1000).toFixed(value < 100_000 ? 1 : 0)}k`
    : `${(value / 1_000_000).toFixed(1)}M`
}

/** Formats a count of things, such as `1 call`. */
export const countText = (count: number, thing: string): string =>
  `${shortNumber(count)} ${thing}${count === 1 ? '' : 's'}`

/** Formats a time of a day. */
export const clockText = (time: number): string =>
  new Date(time).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })

/** Formats a moment whole. */
export const momentText = (time: number): string =>
  new Date(time).toLocaleString('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Names the day of a time: today, yesterday or a date. */
export function dayText(time: number, now: number): string {
  const day = new Date(time).toDateString()
  if (day === new Date(now).toDateString()) return 'Today'
  if (day === new Date(now - 86_400_000).toDateString()) return 'Yesterday'
  return new Date(time).toLocaleDateString('en-GB', {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
  })
}

/** The place in the page where runs stand side by side. An id may have any sign but none that ends a part of an address. */
export const compareHash = (runIds: readonly string[]): string =>
  `#/compare/${runIds.map(encodeURIComponent).join('/')}`

/** Shortens a random id. */
export const shortId = (id: string): string => (/^[0-9a-f]{8}-[0-9a-f-]{27}$/u.test(id) ? id.slice(0, 8) : id)

/** Takes the marks of Markdown out of a text, where it is not drawn as such. */
export const plainText = (text: string): string =>
  text.replaceAll(/^```\w*$\n?/gmu, '').replaceAll(/\*\*|`|^#{1,6} /gmu, '')

/** Writes JSON for people; a text that is JSON is written so too. */
export function prettyJson(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value, null, 2) ?? ''
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null ? JSON.stringify(parsed, null, 2) : value
  } catch {
    return value
  }
}

/** Signs that nobody sees: controls, and those that turn the direction of a text or take no room. */
const UNSEEN = /[\p{Cc}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu
/** Those of them that stay: ends of lines, and the joiners of emoji and scripts. */
const STAYS = '\t\n\r\u200c\u200d\ufe0e\ufe0f'

/** Writes signs that nobody sees as JSON escapes them: whoever decides on a text has to see all of it. */
export const visibleText = (text: string): string =>
  text.replaceAll(UNSEEN, (sign) =>
    STAYS.includes(sign)
      ? sign
      : sign.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  )

/** Lists what a person has to see of a call or of code to decide on it, with a head for each piece. */
export function piecesOf(
  action: Exclude<ActionToApprove, { type: 'question' }>,
): readonly { readonly head: string; readonly code: string }[] {
  if (action.type === 'toolCall') return [{ head: `asks to call ${action.name}`, code: prettyJson(action.arguments) }]
  return action.blocks.map(({ language, code }) => ({ head: `asks to run ${language || 'code'}`, code }))
}
