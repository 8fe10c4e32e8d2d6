/**
 * Parses the JSON in a reply: the whole reply, a fenced block, an object inside a text, or one value in each line.
 * Returns `undefined` if there is none. Trailing commas are allowed.
 */
export function parseJson(reply: string): unknown {
  const fenced = fencedIn(reply)
  const whole = reply.trim()
  // Inside a text only an object is read as JSON: a list there is part of the text.
  const outer = whole.slice(Math.max(0, whole.indexOf('{')), whole.lastIndexOf('}') + 1)
  for (const text of [whole, fenced, outer]) {
    if (!text || !/^\s*[[{]/.test(text)) continue
    const value = tryParse(text) ?? tryParse(text.replaceAll(/,(?=\s{0,100}[}\]])/g, '')) ?? parseLines(text)
    if (value !== undefined) return value
  }
  return undefined
}

const FENCE = '```'
const FENCE_LABEL = /(?:json[5cl]?)?[^\S\n]*\n/iy

/** Returns the content of the first fenced block without a label, or with that of JSON; it ends at a fence that begins a line. */
function fencedIn(text: string): string | undefined {
  for (let at = text.indexOf(FENCE); at !== -1; at = text.indexOf(FENCE, at + FENCE.length)) {
    FENCE_LABEL.lastIndex = at + FENCE.length
    if (!FENCE_LABEL.test(text)) continue
    return upToFence(text, FENCE_LABEL.lastIndex)
  }
  return undefined
}

function upToFence(text: string, begin: number): string | undefined {
  for (let end = text.indexOf(FENCE, begin); end !== -1; end = text.indexOf(FENCE, end + FENCE.length)) {
    let last = end
    let beginsLine = false
    for (; last > begin && /\s/.test(text[last - 1]!); last--) beginsLine ||= text[last - 1] === '\n'
    if (beginsLine) return text.slice(begin, last)
  }
  return undefined
}

function tryParse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    // The braces are part of prose or code: the reply is a text.
    return undefined
  }
}

/** Parses one object in each line, as a list. */
function parseLines(text: string): unknown[] | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  if (lines.length < 2 || !lines.every((line) => line.trim().startsWith('{'))) return undefined
  const values = lines.map((line) => tryParse(line.replace(/,\s*$/, '')))
  return values.every((value) => value !== undefined) ? values : undefined
}
