import type { Change } from './changeset.ts'
import { diffLines, type DiffLine } from './line-diff.ts'

/** Characters of the text of a changeset. */
const MAX_TEXT_LENGTH = 20_000

/** Changes that the text of a changeset names; the rest is counted. */
const MAX_NAMED_CHANGES = 200

/** Changed lines of one file that a text shows, with the lines around them. */
const MAX_FILE_LINES = 200

/** Characters of a line, or of a name, that a text shows. */
const MAX_LINE_LENGTH = 300

/** Bytes of a file whose lines are compared. */
export const MAX_DIFF_BYTES: number = 2 ** 20

/** Lines around a change that a text shows. */
const CONTEXT_LINES = 3

/** Content of a file before and after a change: undefined if it is not there, and its size if it is over `MAX_DIFF_BYTES`. */
export interface ChangedContent {
  readonly before: Uint8Array | number | undefined
  readonly after: Uint8Array | number | undefined
  /** Permission that the change sets or takes away. */
  readonly becomes?: 'executable' | 'not executable' | undefined
}

/** Control characters of terminals, invisible characters, and characters that change the order of others. */
const UNSEEN_CHARACTER: RegExp = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]/gu

/** Returns a text in which every character is seen, and which is not too long: others are shown by their number. */
export function visibleText(text: string, maxLength: number = MAX_LINE_LENGTH): string {
  const seen = text
    .slice(0, maxLength)
    .replaceAll(UNSEEN_CHARACTER, (character) =>
      character === '\t' ? character : String.raw`\u{${character.codePointAt(0)!.toString(16)}}`,
    )
  const isWhole = text.length <= maxLength && seen.length <= maxLength
  return isWhole ? seen : `${seen.slice(0, maxLength)} … (${text.length} characters)`
}

/**
 * Returns changes as a person reads them before deciding: the names, those with a risk first, then the changed lines of text
 * files in the same order, as far as there is room. What is left out is said. No character acts on a terminal.
 */
export function changesetText(changes: readonly Change[], contentOf: (change: Change) => ChangedContent): string {
  const ordered = [...changes.filter(({ risk }) => risk !== undefined), ...changes.filter(({ risk }) => !risk)]
  const risky = ordered.filter(({ risk }) => risk !== undefined).length
  const parts = [
    `${changes.length === 1 ? '1 change' : `${changes.length} changes`}${risky > 0 ? `, ${risky} with a risk (!)` : ''}:`,
    ...ordered.slice(0, MAX_NAMED_CHANGES).map(headLine),
    ...(ordered.length > MAX_NAMED_CHANGES ? [`… and ${ordered.length - MAX_NAMED_CHANGES} more changes`] : []),
  ]
  let room = MAX_TEXT_LENGTH - parts.reduce((sum, part) => sum + part.length, 0)
  const files = ordered.filter(({ entry, kind }) => entry === 'file' && kind !== 'removed')
  for (const [index, change] of files.entries()) {
    if (room <= 0) {
      parts.push('', `… the lines of ${files.length - index} more changed files are not shown`)
      break
    }
    const [head = '', ...lines] = fileLines(change, contentOf(change))
    const fitting: string[] = []
    for (const line of lines) {
      if (fitting.length >= MAX_FILE_LINES || room <= 0) break
      fitting.push(line)
      room -= line.length + 1
    }
    room -= head.length
    const more = lines.length - fitting.length
    parts.push('', head, ...fitting, ...(more > 0 ? [`… ${more} more lines of this file are not shown`] : []))
  }
  return `${parts.join('\n')}\n`
}

function headLine({ name, kind, entry, target, risk }: Change): string {
  const what = entry === 'file' ? kind : `${kind} ${entry}`
  const leads = target === undefined ? '' : ` -> ${visibleText(target)}`
  return `${risk === undefined ? ' ' : '!'} ${what} ${visibleText(name)}${leads}${risk === undefined ? '' : ` (${risk})`}`
}

/** Returns a line with the name of a file, then those of its comparison; or one line with its sizes if it is no text. */
function fileLines({ name, kind }: Change, { before, after, becomes }: ChangedContent): string[] {
  const head = `=== ${kind} ${visibleText(name)}${becomes === undefined ? '' : `, now ${becomes}`}`
  const [old, young] = [textOf(before), textOf(after)]
  if (old === null || young === null)
    return [`${head}: no text, or long: ${sizeOf(before)} before, ${sizeOf(after)} after`]
  if (old === young) return [`${head}: no changed lines`]
  return [head, ...hunks(diffLines(linesOf(old), linesOf(young)))]
}

const textOf = (content: Uint8Array | number | undefined): string | null => {
  if (content === undefined) return ''
  if (typeof content === 'number' || content.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content)
  } catch {
    return null
  }
}

const sizeOf = (content: Uint8Array | number | undefined): string => {
  if (content === undefined) return 'nothing'
  return `${typeof content === 'number' ? content : content.length} bytes`
}

function linesOf(text: string): string[] {
  const lines = text.split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines
}

/** Returns the changed lines with those around them; each part begins with its line numbers in both texts. */
function hunks(lines: readonly DiffLine[]): string[] {
  const near = new Set<number>()
  for (const [index, { sign }] of lines.entries())
    if (sign !== ' ') for (let at = index - CONTEXT_LINES; at <= index + CONTEXT_LINES; at++) near.add(at)
  const shown: string[] = []
  let [before, after, wasNear] = [1, 1, false]
  for (const [index, { sign, text }] of lines.entries()) {
    const isNear = near.has(index)
    if (isNear && !wasNear) shown.push(`@@ -${before} +${after} @@`)
    if (isNear) shown.push(`${sign}${visibleText(text)}`)
    wasNear = isNear
    if (sign !== '+') before++
    if (sign !== '-') after++
  }
  return shown
}

/** Held changes that a text names; the rest is counted. */
const MAX_TOLD_CHANGES = 20

/** Characters of a name that a text shows. */
const MAX_NAME_LENGTH = 200

/** Returns the sentence that tells model and user which changes were held back; null if there is nothing to tell. */
export function heldText(changes: readonly Change[]): string | null {
  const held = changes.filter((change) => change.held !== undefined && change.isRoutine !== true)
  if (held.length === 0) return null
  const lines = held
    .slice(0, MAX_TOLD_CHANGES)
    .map(({ name, kind, held }) => `- ${JSON.stringify(visibleText(name, MAX_NAME_LENGTH))} ${kind}: ${held}`)
  const more = held.length > MAX_TOLD_CHANGES ? [`- and ${held.length - MAX_TOLD_CHANGES} more`] : []
  return ['Not written to the directory of the user (later blocks see these changes):', ...lines, ...more, ''].join(
    '\n',
  )
}
