import { jsonReply } from './json-reply.ts'
import { tamed } from './tamed.ts'

/** A thinker's reply, taken apart. */
export interface ReadOptions {
  /** What it says of the steps so far; empty when it says nothing. */
  reflection: string
  /** The options for the next step, in order. */
  options: string[]
}

/** A line that opens an option, in the styles that models use, most explicit first. */
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
/** The heading behind a reflection, all in one line. */
const HEADING_BEHIND = /\*{0,3}possible options\*{0,3}:?\*{0,3}$/i
const REFLECTION = /^[\s#*_>]*reflections?[\s*_]*(?::[\s*_]*|$)/i
const INLINE = /(?:^|[\s;,.])[*_]*option\s+(\d+)[*_]*\s*[:.)-][*_]*\s/gi
/** What closes an option that a tag or a table opened. */
const END = /(?:<\/options?>|\|)$/i
/** What stands before the first option of a table or a list of tags. */
const OPENING = /^\s*(?:<options?>|\|.*\|)?\s*$/i
const FENCE = /^\s*(```|~~~)/

/** Reads reflection and options out of a thinker's reply, in any common list style, as prose, or as JSON. */
export function readOptions(reply: string): ReadOptions {
  const json = fromJson(jsonReply(reply))
  return json ?? fromText(tamed(reply))
}

function fromText(reply: string): ReadOptions {
  const lines = outdented(reply.split('\n'))
  const inCode = fences(lines)
  for (const style of STYLES) {
    const starts = [...lines.keys()].filter((i) => !inCode[i] && style.test(lines[i]!) && !HEADING.test(lines[i]!))
    const heading = lines.findIndex((line, i) => !inCode[i] && HEADING.test(line))
    // A list above the heading belongs to the reflection.
    const own = starts.some((i) => i > heading) ? starts.filter((i) => i > heading) : starts
    if (own.length === 0) continue
    const options = own.map((start, k) => {
      const body = lines.slice(start, own[k + 1] ?? lines.length)
      body[0] = unlabelled(body[0]!, style)
      return closed(body.join('\n'))
    })
    const before = lines.slice(0, heading >= 0 && heading < own[0]! ? heading : own[0])
    return {
      reflection: reflectionOf(before),
      options: (options.length === 1 ? inline(options[0]!) : options).filter((option) => option !== ''),
    }
  }
  const sequence = inline(reply)
  if (sequence.length > 1) return { reflection: reflectionOf([reply.split(INLINE)[0]!]), options: sequence.slice(1) }
  // One word is a whole reply: the thinker has nothing to add.
  if (/^[\s*_`"']*TERMINATE\b/.test(reply)) return { reflection: '', options: [reply.trim()] }
  return { reflection: reflectionOf(lines), options: [] }
}

/** Takes off the blanks that all lines begin with. */
function outdented(lines: readonly string[]): string[] {
  const written = lines.filter((line) => line.trim() !== '')
  const margin = Math.min(...written.map((line) => line.length - line.trimStart().length))
  return lines.map((line) => line.slice(margin))
}

function fences(lines: readonly string[]): boolean[] {
  let open = false
  return lines.map((line) => {
    const fence = FENCE.test(line)
    if (fence) open = !open
    return open || fence
  })
}

/** Splits `first Option 2: second Option 3: third`, where the numbers count on; anything else is one text. */
function inline(text: string): string[] {
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

function reflectionOf(lines: readonly string[]): string {
  const at = lines.findIndex((line) => REFLECTION.test(line))
  if (at < 0) return ''
  const [first, ...rest] = lines.slice(at)
  while (rest.length > 0 && OPENING.test(rest.at(-1)!)) rest.pop()
  const text = [first!.replace(REFLECTION, ''), ...rest].join('\n').trim()
  return text.replace(HEADING_BEHIND, '').trim()
}

/** Takes off the tags or the bar that close an option. */
function closed(option: string): string {
  let text = option.trim()
  for (let end = END.exec(text); end; end = END.exec(text)) text = text.slice(0, end.index).trimEnd()
  return text
}

/** Takes the label off a line, and the emphasis that it opened: `**Option 1: a title**`. */
function unlabelled(line: string, style: RegExp): string {
  const label = style.exec(line)![0]
  const rest = line.slice(label.length)
  const opened = (label.match(/\*\*/g)?.length ?? 0) % 2 === 1
  return opened ? rest.replace('**', '') : rest
}

const OPTION_KEY = /^(?:option|step|choice|idea)?[\s_-]*\d+$/i
const TEXT_KEYS = ['title', 'name', 'content', 'text', 'description', 'option', 'step'] as const

function fromJson(value: unknown): ReadOptions | null {
  if (typeof value !== 'object' || value === null) return null
  const record = value as Record<string, unknown>
  const named = Object.entries(record).filter(([key]) => OPTION_KEY.test(key))
  const lists = Object.entries(record).filter(([, field]) => Array.isArray(field))
  const [, listed] = lists.find(([key]) => /option|step|choice|idea/i.test(key)) ?? lists[0] ?? []
  const items = Array.isArray(value) ? value : named.length > 0 ? named.map(([, field]) => field) : listed
  const options = ((items ?? []) as unknown[]).flatMap((item) => optionText(item) ?? [])
  if (options.length === 0) return null
  const reflection = record['reflection'] ?? record['REFLECTION']
  return { reflection: typeof reflection === 'string' ? reflection.trim() : '', options }
}

function optionText(item: unknown): string | null {
  if (typeof item === 'string') return item.trim() || null
  if (typeof item !== 'object' || item === null) return null
  const record = item as Record<string, unknown>
  const known = TEXT_KEYS.flatMap((key) => (typeof record[key] === 'string' ? [record[key]] : []))
  const texts = known.length > 0 ? known : Object.values(record).filter((field) => typeof field === 'string')
  return texts.join('\n').trim() || null
}
