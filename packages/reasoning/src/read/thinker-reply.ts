import { collapseBlanks } from './collapse-blanks.ts'
import { readJsonOptions } from './json-options.ts'
import type { ThinkerReply } from './reply-parts.ts'
import { OPTION_STYLES, type OptionStyle } from './option-styles.ts'
import { parseJson } from './parse-json.ts'
import { withPlainDigits } from './plain-digits.ts'
import { withoutThinking } from './without-thinking.ts'
import { OPTION_WORD, REFLECTION_WORD, STEP_WORD } from './words.ts'

const HEADING =
  /^[\s#*_>]*(?:(?:here are\s+)?(?:the\s+|some\s+|my\s+)?(?:possible|next|available|potential|candidate)?\s*(?:next\s+)?(?:options?|steps|ideas|alternatives|choices|possibilities))(?:\s+for[^:\n]*)?[\s*_]*:?[\s*_]*$/i
/** A heading in other languages: a short line that names options and ends with a colon, or is emphasized. */
const OTHER_HEADING = new RegExp(
  `^\\s*(?:[#*_>][\\s#*_>]*[^\\d\\n:]{0,40}(?:${OPTION_WORD}|${STEP_WORD})[^\\d\\n:]{0,30}:?|[^\\d\\n:]{0,40}(?:${OPTION_WORD}|${STEP_WORD})[^\\d\\n:]{0,30}:)[\\s*_]*$`,
  'iu',
)
/** A heading after a reflection in the same line. */
const HEADING_BEHIND = /\*{0,3}possible options\*{0,3}:?\*{0,3}$/i
const REFLECTION = new RegExp(`^[\\s#*_>]*(?:${REFLECTION_WORD})[\\s*_]*(?::[\\s*_]*|$)`, 'iu')
const INLINE = new RegExp(
  `(?:^|[\\s;,.。；，])[*_]*(?:${OPTION_WORD})\\s*(\\d+)[*_]*\\s?[:.)-][*_]*(?:\\s|(?=\\p{Lo}))`,
  'giu',
)
/** The end of an option in a tag or a table. */
const END = /(?:<\/options?>|\|)$/i
/** A line before the first option of a table or a list of tags. */
const OPENING = /^\s*(?:<options?>|\|.*\|)?\s*$/i
const FENCE = /^\s*(```|~~~)/
const TABLE_RULE = /^\s*\|?\s*:?-{3,}:?\s*(?:\|\s*:?-{3,}:?\s*)*\|?\s*$/

/**
 * Reads the reflection and the options from a thinker's reply, in any common list style of many languages, as a table, as
 * prose, or as JSON. The thoughts of a reasoning model are left out.
 */
export function readThinkerReply(reply: string): ThinkerReply {
  const said = withoutThinking(reply)
  return readJsonOptions(parseJson(said)) ?? readTextOptions(collapseBlanks(said))
}

/** The lines of a reply, and the same lines with plain digits, of the same length. */
interface ReplyLines {
  readonly lines: readonly string[]
  readonly plain: readonly string[]
  readonly inCode: readonly boolean[]
}

function readTextOptions(reply: string): ThinkerReply {
  const lines = outdent(reply.split('\n'))
  const text: ReplyLines = { lines, plain: lines.map(withPlainDigits), inCode: markCode(lines) }
  const { plain, inCode } = text
  const isHeading = plain.map((line, i) => !inCode[i] && (HEADING.test(line) || OTHER_HEADING.test(line)))
  const heading = isHeading.indexOf(true)
  for (const style of OPTION_STYLES) {
    const starts = startsOf(style, text).filter((i) => !isHeading[i])
    // A list above the heading is part of the reflection.
    const own = starts.some((i) => i > heading) ? starts.filter((i) => i > heading) : starts
    if (own.length === 0) continue
    const options = own.map((start, k) => {
      const body = lines.slice(start, own[k + 1] ?? lines.length)
      body[0] = stripLabel(body[0]!, style.label.exec(plain[start]!)![0])
      return stripEnd(body.join('\n'))
    })
    const before = lines.slice(0, heading >= 0 && heading < own[0]! ? heading : own[0])
    return {
      reflection: readReflection(before),
      options: (options.length === 1 ? splitInline(options[0]!) : options).filter((option) => option !== ''),
    }
  }
  const table = lines.findIndex((line) => line.includes('|') && TABLE_RULE.test(line))
  const rows = table < 0 ? [] : lines.slice(table + 1).filter((line) => line.includes('|'))
  if (rows.length > 1) {
    return {
      reflection: readReflection(lines.slice(0, Math.max(0, table - 1))),
      options: rows.map((row) => row.replaceAll(/^\s*\||\|\s*$/g, '').trim()).filter((option) => option !== ''),
    }
  }
  const sequence = splitInline(reply)
  if (sequence.length > 1) return { reflection: readReflection([sequence[0]!]), options: sequence.slice(1) }
  // The single word is a complete reply: nothing is left to do.
  if (/^[\s*_`"']*TERMINATE\b/.test(reply)) return { reflection: '', options: [reply.trim()] }
  return { reflection: readReflection(lines), options: [] }
}

/** Finds the lines that start an option in a style. */
function startsOf({ label, runs = false }: OptionStyle, { plain, inCode }: ReplyLines): number[] {
  const starts: number[] = []
  let word: string | undefined
  for (const [i, line] of plain.entries()) {
    const match = inCode[i] ? null : label.exec(line)
    if (!match) continue
    if (runs) {
      const { n, w } = match.groups!
      if (Number(n) !== starts.length + 1 || (starts.length > 0 && w?.toLowerCase() !== word)) continue
      word = w?.toLowerCase()
    }
    starts.push(i)
  }
  return runs && starts.length < 2 ? [] : starts
}

/** Removes the common indentation of all lines. */
function outdent(lines: readonly string[]): string[] {
  let margin = Infinity
  for (const line of lines) if (line.trim() !== '') margin = Math.min(margin, line.length - line.trimStart().length)
  return lines.map((line) => line.slice(margin))
}

function markCode(lines: readonly string[]): boolean[] {
  let open = false
  return lines.map((line) => {
    const fence = FENCE.test(line)
    if (fence) open = !open
    return open || fence
  })
}

/** Splits `first Option 2: second Option 3: third`, where the numbers are consecutive; any other text stays whole. */
function splitInline(text: string): string[] {
  const cuts: { from: number; to: number }[] = []
  let expected: number | null = null
  for (const match of withPlainDigits(text).matchAll(INLINE)) {
    const number = Number(match[1])
    expected ??= cuts.length === 0 && number <= 2 ? number : null
    if (number !== expected) continue
    cuts.push({ from: match.index, to: match.index + match[0].length })
    expected += 1
  }
  if (cuts.length === 0) return [text]
  const parts = [text.slice(0, cuts[0]!.from), ...cuts.map(({ to }, i) => text.slice(to, cuts[i + 1]?.from))]
  return parts.map((part) => part.trim())
}

function readReflection(lines: readonly string[]): string {
  const at = lines.findIndex((line) => REFLECTION.test(withPlainDigits(line)))
  if (at < 0) return ''
  const [first, ...rest] = lines.slice(at)
  while (rest.length > 0 && OPENING.test(rest.at(-1)!)) rest.pop()
  const label = REFLECTION.exec(withPlainDigits(first!))![0]
  const text = [first!.slice(label.length), ...rest].join('\n').trim()
  return text.replace(HEADING_BEHIND, '').trim()
}

/** Removes the tags or the bar at the end of an option. */
function stripEnd(option: string): string {
  let text = option.trim()
  for (let end = END.exec(text); end; end = END.exec(text)) text = text.slice(0, end.index).trimEnd()
  return text
}

/** Removes the label of a line, and the emphasis that it opens: `**Option 1: a title**`. */
function stripLabel(line: string, label: string): string {
  const rest = line.slice(label.length)
  const opened = (label.match(/\*\*/g)?.length ?? 0) % 2 === 1
  return opened ? rest.replace('**', '') : rest
}
