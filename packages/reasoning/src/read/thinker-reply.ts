import { collapseBlanks } from './collapse-blanks.ts'
import { parseJson } from './parse-json.ts'

/** The parts of a thinker's reply. */
export interface ThinkerReply {
  /** The review of the steps so far; may be empty. */
  reflection: string
  /** The options for the next step, in order. */
  options: string[]
}

/** Patterns of a line that starts an option, in the styles that models use, most explicit first. */
const STYLES: readonly RegExp[] = [
  // Option 1: … · **Option 1**: … · ### Option A - … · 1. Option 1: … · - *Option 2 (safe)*: …
  /^[\s>]*(?:[-*•+]\s+|\d+[.)]\s+)?[#*_`([\s]*(?:option|choice|idea|possibility|alternative|candidate)[\s*_#]*(?:no\.?\s*)?(?:\d+|[A-Z](?![A-Za-z])|one|two|three|four|five|six)[*_`)\]]*\s*(?:[:.)–—-]|(?=\()|$)[*_`\s]*/i,
  // Option: …
  /^[\s>]*(?:[-*•+]\s+)?[#*_`]*option[*_`]*:[*_`\s]*/i,
  // <option id="1">…</option>
  /^\s*<option\b[^>]*>\s*/i,
  // | 1 | … |
  /^\s*\|\s*[*_`]*(?:option\s*)?\d{1,2}[*_`]*\s*\|\s*/i,
  // Step 3: … is how some repeat the numbering of the path.
  /^[\s>]*[#*_`]*(?:next\s+)?step\s*\d*\s*[*_`]*\s*[:.)–—-][*_`\s]*/i,
  // 1. … · 1) … · (1) … · **1.** … · 1: … · a) … · iv. …
  /^ {0,3}[*_`#\s]{0,4}\(?(?:\d{1,2}|(?:[ivx]{1,4}|[a-zA-Z])(?=[.)]))[.):]+[*_`]*\s+/,
  // 1️⃣ …
  /^\s*\d\uFE0F?\u20E3[*_`\s]*/,
  // - … · * … · • …
  /^ {0,3}[-*•+–]\s+/,
]

const HEADING =
  /^[\s#*_>]*(?:(?:here are\s+)?(?:the\s+|some\s+|my\s+)?(?:possible|next|available|potential|candidate)?\s*(?:next\s+)?(?:options?|steps|ideas|alternatives|choices|possibilities))(?:\s+for[^:\n]*)?[\s*_]*:?[\s*_]*$/i
/** A heading after a reflection in the same line. */
const HEADING_BEHIND = /\*{0,3}possible options\*{0,3}:?\*{0,3}$/i
const REFLECTION = /^[\s#*_>]*reflections?[\s*_]*(?::[\s*_]*|$)/i
const INLINE = /(?:^|[\s;,.])[*_]*option\s+(\d+)[*_]*\s*[:.)-][*_]*\s/gi
/** The end of an option in a tag or a table. */
const END = /(?:<\/options?>|\|)$/i
/** A line before the first option of a table or a list of tags. */
const OPENING = /^\s*(?:<options?>|\|.*\|)?\s*$/i
const FENCE = /^\s*(```|~~~)/

/** Reads the reflection and the options from a thinker's reply, in any common list style, as prose, or as JSON. */
export function readThinkerReply(reply: string): ThinkerReply {
  return readJsonOptions(parseJson(reply)) ?? readTextOptions(collapseBlanks(reply))
}

function readTextOptions(reply: string): ThinkerReply {
  const lines = outdent(reply.split('\n'))
  const inCode = markCode(lines)
  for (const style of STYLES) {
    const starts = [...lines.keys()].filter((i) => !inCode[i] && style.test(lines[i]!) && !HEADING.test(lines[i]!))
    const heading = lines.findIndex((line, i) => !inCode[i] && HEADING.test(line))
    // A list above the heading is part of the reflection.
    const own = starts.some((i) => i > heading) ? starts.filter((i) => i > heading) : starts
    if (own.length === 0) continue
    const options = own.map((start, k) => {
      const body = lines.slice(start, own[k + 1] ?? lines.length)
      body[0] = stripLabel(body[0]!, style)
      return stripEnd(body.join('\n'))
    })
    const before = lines.slice(0, heading >= 0 && heading < own[0]! ? heading : own[0])
    return {
      reflection: readReflection(before),
      options: (options.length === 1 ? splitInline(options[0]!) : options).filter((option) => option !== ''),
    }
  }
  const sequence = splitInline(reply)
  if (sequence.length > 1) return { reflection: readReflection([reply.split(INLINE)[0]!]), options: sequence.slice(1) }
  // The single word is a complete reply: nothing is left to do.
  if (/^[\s*_`"']*TERMINATE\b/.test(reply)) return { reflection: '', options: [reply.trim()] }
  return { reflection: readReflection(lines), options: [] }
}

/** Removes the common indentation of all lines. */
function outdent(lines: readonly string[]): string[] {
  const written = lines.filter((line) => line.trim() !== '')
  const margin = Math.min(...written.map((line) => line.length - line.trimStart().length))
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
  for (const match of text.matchAll(INLINE)) {
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
  const at = lines.findIndex((line) => REFLECTION.test(line))
  if (at < 0) return ''
  const [first, ...rest] = lines.slice(at)
  while (rest.length > 0 && OPENING.test(rest.at(-1)!)) rest.pop()
  const text = [first!.replace(REFLECTION, ''), ...rest].join('\n').trim()
  return text.replace(HEADING_BEHIND, '').trim()
}

/** Removes the tags or the bar at the end of an option. */
function stripEnd(option: string): string {
  let text = option.trim()
  for (let end = END.exec(text); end; end = END.exec(text)) text = text.slice(0, end.index).trimEnd()
  return text
}

/** Removes the label of a line, and the emphasis that it opens: `**Option 1: a title**`. */
function stripLabel(line: string, style: RegExp): string {
  const label = style.exec(line)![0]
  const rest = line.slice(label.length)
  const opened = (label.match(/\*\*/g)?.length ?? 0) % 2 === 1
  return opened ? rest.replace('**', '') : rest
}

const OPTION_KEY = /^(?:option|step|choice|idea)?[\s_-]*\d+$/i
const TEXT_KEYS = ['title', 'name', 'content', 'text', 'description', 'option', 'step'] as const

function readJsonOptions(value: unknown): ThinkerReply | null {
  if (typeof value !== 'object' || value === null) return null
  const record = value as Record<string, unknown>
  const named = Object.entries(record).filter(([key]) => OPTION_KEY.test(key))
  const lists = Object.entries(record).filter(([, field]) => Array.isArray(field))
  const [, listed] = lists.find(([key]) => /option|step|choice|idea/i.test(key)) ?? lists[0] ?? []
  const items = Array.isArray(value) ? value : named.length > 0 ? named.map(([, field]) => field) : listed
  const options = ((items ?? []) as unknown[]).flatMap((item) => readOptionText(item) ?? [])
  if (options.length === 0) return null
  const reflection = record['reflection'] ?? record['REFLECTION']
  return { reflection: typeof reflection === 'string' ? reflection.trim() : '', options }
}

function readOptionText(item: unknown): string | null {
  if (typeof item === 'string') return item.trim() || null
  if (typeof item !== 'object' || item === null) return null
  const record = item as Record<string, unknown>
  const known = TEXT_KEYS.flatMap((key) => (typeof record[key] === 'string' ? [record[key]] : []))
  const texts = known.length > 0 ? known : Object.values(record).filter((field) => typeof field === 'string')
  return texts.join('\n').trim() || null
}
