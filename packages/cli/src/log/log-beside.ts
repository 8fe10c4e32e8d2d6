import { printable } from '@x/agent'
import type { KeptRun } from '@x/records'
import type { Paint } from '../chat-view.ts'
import {
  countText,
  costText,
  durationText,
  oneLine,
  outcomeText,
  shortId,
  sumOf,
  tokensText,
  widthOf,
} from './log-text.ts'
import { saidMessages } from './log-tree.ts'

/** Fewest characters of a column. */
const MIN_COLUMN_WIDTH = 20
/** Columns of a terminal whose width is not known. */
const USUAL_WIDTH = 100
const GAP = ' │ '

/** How runs are put side by side. */
export interface BesideOptions {
  readonly paint: Paint
  /** Columns of the terminal; undefined: a usual number. */
  readonly columns: number | undefined
}

/**
 * Puts the messages of runs side by side, under what is known of each run. Messages at the beginning that all runs have in common
 * are counted, not shown; later rows that differ are marked.
 */
export function besideText(runs: readonly KeptRun[], { paint, columns = USUAL_WIDTH }: BesideOptions): string {
  const width = Math.max(MIN_COLUMN_WIDTH, Math.floor((columns - 2 - GAP.length * (runs.length - 1)) / runs.length))
  const row = (mark: string, cells: readonly (readonly string[])[]): string => {
    const height = Math.max(...cells.map((lines) => lines.length))
    return Array.from({ length: height }, (_, at) => {
      const line = cells.map((lines) => padded(lines[at] ?? '', width)).join(GAP)
      return `${at === 0 ? mark : ' '} ${line}`.trimEnd()
    })
      .map((line) => `${line}\n`)
      .join('')
  }
  const heads = runs.map((run) => factsOf(run).flatMap((fact) => wrapped(fact, width)))
  const said = runs.map((run) => saidMessages(run).map(({ who, text }) => `${who}: ${text}`))
  const shared = sharedLength(said)
  const rows = Array.from({ length: Math.max(...said.map((each) => each.length)) - shared }, (_, at) => {
    const cells = said.map((each) => each[at + shared] ?? '')
    const differs = cells.some((cell) => cell !== cells[0])
    return row(
      differs ? paint('yellow', '≠') : ' ',
      cells.map((cell) => wrapped(cell, width)),
    )
  })
  const word = shared === 1 ? 'message is' : 'messages are'
  const equal = shared > 0 ? `${paint('dim', `  the first ${shared} ${word} the same in all`)}\n` : ''
  return `${row(' ', heads)}${equal}${rows.join('')}`
}

/** Returns what is known of a run, a line each. */
function factsOf({ info }: KeptRun): readonly string[] {
  const spent = sumOf(info.spent)
  const { calls, promptTokens, completionTokens } = spent
  return [
    shortId(info.runId),
    ...(info.parent ? [`fork of ${shortId(info.parent.runId)} at ${info.parent.place ?? 'its end'}`] : []),
    `${outcomeText(info)}, ${durationText(info.last - info.began)}`,
    `${countText(calls, 'call')}, ${tokensText(promptTokens, completionTokens)}, ${costText(spent)}`,
    ...info.labels.map(({ name, value }) => oneLine(`${name}: ${JSON.stringify(value)}`)),
  ]
}

function sharedLength([first = [], ...others]: readonly (readonly string[])[]): number {
  let length = 0
  while (length < first.length && others.every((each) => each[length] === first[length])) length++
  return length
}

const padded = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)))

/** Breaks a text into lines of a width, at blanks where there are some. */
function wrapped(text: string, width: number): string[] {
  return printable(text)
    .split('\n')
    .flatMap((paragraph) => {
      const lines: string[] = []
      let line = ''
      let taken = 0
      for (const word of paragraph.split(/(?<= )/u)) {
        const wordWidth = widthOf(word.trimEnd())
        if (taken > 0 && taken + wordWidth > width) {
          lines.push(line.trimEnd())
          ;[line, taken] = ['', 0]
        }
        for (const character of word) {
          const characterWidth = widthOf(character)
          if (character !== ' ' && taken + characterWidth > width) {
            lines.push(line)
            ;[line, taken] = ['', 0]
          }
          line += character
          taken += characterWidth
        }
      }
      return [...lines, line.trimEnd()]
    })
}
