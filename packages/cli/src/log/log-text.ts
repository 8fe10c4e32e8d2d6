import { printable } from '@x/agent'
import type { KeptRunInfo, ModelSpending } from '@x/records'
import { contentText } from '@x/kernel/tool-content'
import type { ChatMessage, Reply } from '@x/interfaces'

/** Characters of a run's id that are shown, where it is a random one. */
const SHORT_ID_LENGTH = 8

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/u

/** Shortens a random id of a run; other ids are whole. */
export const shortId = (runId: string): string => printable(UUID.test(runId) ? runId.slice(0, SHORT_ID_LENGTH) : runId)

/** Returns a text on one line; where it is cut to a number of characters, it ends with `…`. */
export function oneLine(text: string, maxLength: number = Infinity): string {
  const whole = text.trim()
  // A text may be a book: only as much of it is read as a line with some blanks takes.
  const begin = whole.slice(0, maxLength * 4)
  const line = printable(begin.replaceAll(/\s+/gu, ' '))
  if (line.length <= maxLength && begin.length === whole.length) return line
  return `${line.slice(0, maxLength - 1).replace(/\p{Cs}$/u, '')}…`
}

/** Formats a duration. */
export function durationText(ms: number): string {
  const [wholeMs, tenths] = [Math.round(ms), Math.round(ms / 100)]
  if (wholeMs < 1000) return `${wholeMs} ms`
  if (tenths < 600) return `${(tenths / 10).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  return minutes < 60 ? `${minutes} min ${seconds % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Cost from which cents are enough, in US dollars. */
const FEW_DECIMALS_FROM = 0.01

/** Formats US dollars; null is an unknown price. */
export function dollarsText(cost: number | null): string {
  if (cost === null) return 'price unknown'
  if (cost === 0) return '$0'
  if (cost >= FEW_DECIMALS_FROM) return `$${cost.toFixed(4)}`
  return isNothing(cost) ? 'below $0.000001' : `$${Number(cost.toFixed(6))}`
}

const isNothing = (cost: number): boolean => Number(cost.toFixed(6)) === 0

/**
 * Formats the cost of several calls. Where some have no known price, it is at least what the others cost; a sum of the others that
 * is nothing, or rounds to nothing, says no more than that.
 */
export function costText({
  cost,
  unpriced = 0,
}: {
  readonly cost: number
  readonly unpriced?: number | undefined
}): string {
  if (unpriced === 0) return dollarsText(cost)
  return isNothing(cost) ? dollarsText(null) : `at least ${dollarsText(cost)}`
}

/** Formats a number of things. */
export const countText = (count: number, thing: 'run' | 'call'): string =>
  `${count.toLocaleString('en')} ${thing}${count === 1 ? '' : 's'}`

/** Formats tokens: those of requests, and those of answers. */
export const tokensText = (input: number, output: number): string =>
  `${input.toLocaleString('en')} → ${output.toLocaleString('en')} tokens`

/** Formats a time as a day and a minute, in UTC. */
export const timeText = (time: number): string => new Date(time).toISOString().slice(0, 16).replace('T', ' ')

/** The spending of a run, all agents and models together. */
export interface Spending {
  readonly calls: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cost: number
  /** Calls of unknown price; absent for none. */
  readonly unpriced?: number
}

/** Adds up spending. */
export function sumOf(spent: readonly ModelSpending[]): Spending {
  const sum = (key: keyof Spending): number => spent.reduce((total, each) => total + (each[key] ?? 0), 0)
  const unpriced = sum('unpriced')
  return {
    calls: sum('calls'),
    promptTokens: sum('promptTokens'),
    completionTokens: sum('completionTokens'),
    cost: sum('cost'),
    ...(unpriced > 0 && { unpriced }),
  }
}

/** Puts rows under each other in columns; a column of numbers stands to the right. The last one is not filled up. */
export function tableText(rows: readonly (readonly string[])[], right: ReadonlySet<number> = new Set()): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    rows.reduce((widest, row) => Math.max(widest, widthOf(row[column]!)), 0),
  )
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const blanks = ' '.repeat(widths[column]! - widthOf(cell))
        return right.has(column) ? blanks + cell : column === row.length - 1 ? cell : cell + blanks
      })
      .join('  ')
      .trimEnd(),
  )
  return lines.map((line) => `${line}\n`).join('')
}

const WIDE =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Emoji_Presentation}\uFF01-\uFF60]/u
const MARK = /\p{Mark}/u
const ASCII = /^[ -~]*$/u

/** Counts the columns that a text takes in a terminal. */
export function widthOf(text: string): number {
  if (ASCII.test(text)) return text.length
  let width = 0
  for (const character of text) width += MARK.test(character) ? 0 : WIDE.test(character) ? 2 : 1
  return width
}

/** Returns the words of a message: its text, or the calls that it asks for. */
export function replyText(reply: Reply | null): string {
  if (reply === null) return ''
  if (typeof reply === 'string') return reply
  const { content, tool_calls: calls = [], function_call: call }: ChatMessage = reply
  const text = content === null || content === undefined || typeof content === 'function' ? '' : contentText(content)
  const called = [...calls.map((each) => each.function), ...(call ? [call] : [])]
  return [...(text ? [text] : []), ...called.map(({ name, arguments: given }) => `→ ${name}(${given})`)].join('\n')
}

/** Returns the outcome of a run in a word. */
export const outcomeText = ({ outcome, cutOff }: Pick<KeptRunInfo, 'outcome' | 'cutOff'>): string =>
  outcome ?? (cutOff ? 'cut off' : 'open')
