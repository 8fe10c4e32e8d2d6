import { collapseBlanks, withoutThinking, withPlainDigits } from './normalize-reply.ts'
import { OPTION_STYLES, type OptionStyle } from './option-styles.ts'
import { parseJson } from './parse-json.ts'
import { NUMERAL_PATTERN, OPTION_WORD, REFLECTION_WORD, STEP_WORD } from './words.ts'

/** The parts of a thinker's reply. */
export interface ThinkerReply {
  /** The review of the steps so far; may be empty. */
  reflection: string
  /** The options for the next step, in order. */
  options: string[]
}

/** Characters of a line that may be a heading: the expressions of headings try several readings of its blanks. */
const MAX_HEADING_CHARS = 200
const OPTIONS_HEADING =
  /^[\s#*_>]*(?:(?:here are\s+)?(?:the\s+|some\s+|my\s+)?(?:possible|next|available|potential|candidate)?\s*(?:next\s+)?(?:options?|steps|ideas|alternatives|choices|possibilities))(?:\s+for[^:\n]*)?[\s*_]*:?[\s*_]*$/i
/** A heading in other languages: a short line that names options and ends with a colon, or is emphasized. */
const OTHER_OPTIONS_HEADING = new RegExp(
  `^\\s*(?:[#*_>][\\s#*_>]*[^\\d\\n:]{0,40}(?:${OPTION_WORD}|${STEP_WORD})[^\\d\\n:]{0,30}:?|[^\\d\\n:]{0,40}(?:${OPTION_WORD}|${STEP_WORD})[^\\d\\n:]{0,30}:)[\\s*_]*$`,
  'iu',
)
/** A heading after a reflection in the same line. */
const HEADING_AT_END = /\*{0,3}possible options\*{0,3}:?\*{0,3}$/i
const REFLECTION_HEADING = new RegExp(`^[\\s#*_>]*(?:${REFLECTION_WORD})[\\s*_]*(?::[\\s*_]*|$)`, 'iu')
/** The label of an option inside a line. */
const INLINE_LABEL = new RegExp(
  `(?:^|[\\s;,.。；，])[*_]*(?:${OPTION_WORD})\\s*(\\d+)[*_]*\\s?[:.)-][*_]*(?:\\s|(?=\\p{Lo}))`,
  'giu',
)
/** The end of an option in a tag or a table. */
const OPTION_END = /(?:<\/options?>|\|)$/i
/** A line before the first option of a table or a list of tags. */
const LIST_START = /^(?:<options?>|\|.*\|)?$/i
const CODE_FENCE = /^\s*(```|~~~)/
const TABLE_CELL_RULE = /^:?-{3,}:?$/

/** True for the line below the head of a table: cells of dashes. */
const isTableRule = (line: string): boolean =>
  line
    .trim()
    .replace(/^\|/, '')
    .replace(/\|$/, '')
    .split('|')
    .every((cell) => TABLE_CELL_RULE.test(cell.trim()))

/**
 * Reads the reflection and the options from a thinker's reply, in any common list style of many languages, as a table, as
 * prose, or as JSON. The thoughts of a reasoning model are ignored.
 */
export function readThinkerReply(reply: string): ThinkerReply {
  const visible = withoutThinking(reply)
  return readJsonOptions(parseJson(visible)) ?? readTextOptions(collapseBlanks(visible))
}

/** The lines of a reply, the same lines with plain digits, and the lines inside code fences. */
interface ReplyLines {
  readonly lines: readonly string[]
  readonly plain: readonly string[]
  readonly inCode: readonly boolean[]
}

function readTextOptions(reply: string): ThinkerReply {
  const lines = outdent(reply.split('\n'))
  const text: ReplyLines = { lines, plain: lines.map(withPlainDigits), inCode: markCode(lines) }
  const { plain, inCode } = text
  const isHeading = plain.map(
    (line, i) =>
      !inCode[i] &&
      line.length <= MAX_HEADING_CHARS &&
      (OPTIONS_HEADING.test(line) || OTHER_OPTIONS_HEADING.test(line)),
  )
  const heading = isHeading.indexOf(true)
  for (const style of OPTION_STYLES) {
    const starts = startsOf(style, text).filter((i) => !isHeading[i])
    // A list above the heading is part of the reflection.
    const listed = starts.some((i) => i > heading) ? starts.filter((i) => i > heading) : starts
    const optionStarts = withoutInner(listed, lines)
    if (optionStarts.length === 0) continue
    const options = optionStarts.map((start, k) => {
      const body = lines.slice(start, optionStarts[k + 1] ?? lines.length)
      body[0] = stripLabel(body[0]!, style.label.exec(plain[start]!)![0])
      return stripEnd(body.join('\n'))
    })
    const before = lines.slice(0, heading >= 0 && heading < optionStarts[0]! ? heading : optionStarts[0])
    return {
      reflection: readReflection(before),
      options: (options.length === 1 ? splitInline(options[0]!) : options).filter((option) => option !== ''),
    }
  }
  const table = lines.findIndex((line) => line.includes('|') && isTableRule(line))
  const rows = table < 0 ? [] : lines.slice(table + 1).filter((line) => line.includes('|'))
  if (rows.length > 1) {
    return {
      reflection: readReflection(lines.slice(0, Math.max(0, table - 1))),
      options: rows.map((row) => row.replaceAll(/^\s*\||\|\s*$/g, '').trim()).filter((option) => option !== ''),
    }
  }
  const sequence = splitInline(reply)
  if (sequence.length > 1) return { reflection: readReflection([sequence[0]!]), options: sequence.slice(1) }
  // The word alone is a complete reply: nothing is left to do.
  if (/^[\s*_`"']*TERMINATE\b/.test(reply)) return { reflection: '', options: [reply.trim()] }
  return { reflection: readReflection(lines), options: [] }
}

/** Finds the lines at which an option of a style starts. */
function startsOf({ label, isNumbered = false }: OptionStyle, { plain, inCode }: ReplyLines): number[] {
  const starts: number[] = []
  let word: string | undefined
  for (const [i, line] of plain.entries()) {
    const match = inCode[i] ? null : label.exec(line)
    if (!match) continue
    if (isNumbered) {
      const { n, w } = match.groups!
      if (Number(n) !== starts.length + 1 || (starts.length > 0 && w?.toLowerCase() !== word)) continue
      word = w?.toLowerCase()
    }
    starts.push(i)
  }
  return isNumbered && starts.length < 2 ? [] : starts
}

/** Indentation by which a list belongs to the item above it. */
const INNER_INDENT = 2

/** Leaves out the lists inside of options, if several options stand further left: a reply may have lost its first blanks. */
function withoutInner(starts: readonly number[], lines: readonly string[]): readonly number[] {
  const margins = starts.map((i) => marginOf(lines[i]!))
  const margin = margins.reduce((least, each) => Math.min(least, each), Infinity)
  if (margins.filter((each) => each === margin).length < 2) return starts
  return starts.filter((_, k) => margins[k]! < margin + INNER_INDENT)
}

const marginOf = (line: string): number => line.length - line.trimStart().length

/** Removes the common indentation of all lines. */
function outdent(lines: readonly string[]): string[] {
  let margin = Infinity
  for (const line of lines) if (line.trim() !== '') margin = Math.min(margin, marginOf(line))
  return lines.map((line) => line.slice(margin))
}

function markCode(lines: readonly string[]): boolean[] {
  let open = false
  return lines.map((line) => {
    const fence = CODE_FENCE.test(line)
    if (fence) open = !open
    return open || fence
  })
}

/** Splits `first Option 2: second Option 3: third` if the numbers are consecutive; any other text stays whole. */
function splitInline(text: string): string[] {
  const cuts: { from: number; to: number }[] = []
  let expected: number | null = null
  for (const match of withPlainDigits(text).matchAll(INLINE_LABEL)) {
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
  const at = lines.findIndex((line) => REFLECTION_HEADING.test(withPlainDigits(line)))
  if (at < 0) return ''
  const [first, ...rest] = lines.slice(at)
  while (rest.length > 0 && LIST_START.test(rest.at(-1)!.trim())) rest.pop()
  const label = REFLECTION_HEADING.exec(withPlainDigits(first!))![0]
  const text = [first!.slice(label.length), ...rest].join('\n').trim()
  return text.replace(HEADING_AT_END, '').trim()
}

/** Removes the tags or the bar at the end of an option. */
function stripEnd(option: string): string {
  let text = option.trim()
  for (let end = OPTION_END.exec(text); end; end = OPTION_END.exec(text)) text = text.slice(0, end.index).trimEnd()
  return text
}

/** Removes the label of a line, and the emphasis that the label opens: `**Option 1: a title**`. */
function stripLabel(line: string, label: string): string {
  const rest = line.slice(label.length)
  const opened = (label.match(/\*\*/g)?.length ?? 0) % 2 === 1
  return opened ? rest.replace('**', '') : rest
}

/** Keys of fields that hold one option each: `option 1`, `step_2`. */
const OPTION_KEY = new RegExp(`^(?:(?:${OPTION_WORD}|${STEP_WORD})?[\\s_-]*${NUMERAL_PATTERN})$`, 'iu')
/** Keys of fields that hold the list of options, the clearest first: steps may also be those taken so far. */
const OPTION_LIST_KEYS = [new RegExp(OPTION_WORD, 'iu'), /next/i, new RegExp(STEP_WORD, 'iu'), /^/] as const
const REFLECTION_KEY = new RegExp(`^(?:${REFLECTION_WORD})$`, 'iu')
const OPTION_TEXT_KEYS = ['title', 'name', 'content', 'text', 'description', 'option', 'step'] as const
/** A text that is only the number of an option. */
const LONE_NUMERAL = new RegExp(`^(?:(?:${OPTION_WORD})\\s*)?${NUMERAL_PATTERN}$`, 'iu')
const MAX_JSON_DEPTH = 3

/** Reads the options from the JSON of a reply: a list or numbered fields, perhaps inside other fields; null if there are none. */
function readJsonOptions(value: unknown, depth: number = MAX_JSON_DEPTH): ThinkerReply | null {
  if (typeof value !== 'object' || value === null) return null
  const record = value as Record<string, unknown>
  const entries = Object.entries(record)
  const named = Array.isArray(value) ? [] : entries.filter(([key]) => OPTION_KEY.test(withPlainDigits(key)))
  const lists = entries.filter(([, field]) => Array.isArray(field))
  const [, listed] = OPTION_LIST_KEYS.flatMap((wanted) => lists.filter(([key]) => wanted.test(key)))[0] ?? []
  const items = Array.isArray(value) ? value : named.length > 0 ? named.map(([, field]) => field) : listed
  const options = ((items ?? []) as unknown[]).flatMap((item) => readOptionText(item) ?? [])
  if (options.length > 0) return { reflection: readJsonReflection(entries), options }
  if (depth === 0 || Array.isArray(value)) return null
  for (const [, field] of entries) {
    const inner = readJsonOptions(field, depth - 1)
    if (inner) return { ...inner, reflection: inner.reflection || readJsonReflection(entries) }
  }
  return null
}

function readJsonReflection(entries: readonly (readonly [string, unknown])[]): string {
  const [, text] = entries.find(([key, field]) => typeof field === 'string' && REFLECTION_KEY.test(key)) ?? []
  return typeof text === 'string' ? text.trim() : ''
}

function readOptionText(item: unknown): string | null {
  if (typeof item === 'string') return item.trim() || null
  if (typeof item !== 'object' || item === null) return null
  const record = item as Record<string, unknown>
  const known = OPTION_TEXT_KEYS.flatMap((key) => (typeof record[key] === 'string' ? [record[key]] : []))
  const texts = known.length > 0 ? known : Object.values(record).filter((field) => typeof field === 'string')
  const contents = texts.filter((text) => !LONE_NUMERAL.test(withPlainDigits(text.trim())))
  return (contents.length > 0 ? contents : texts).join('\n').trim() || null
}
