/**
 * Parses the JSON in a reply: the whole reply, a fenced block, an object inside a text, or one value in each line.
 * Returns `undefined` if there is none. Trailing commas are allowed.
 */
export function parseJson(reply: string): unknown {
  const fenced = /```(?:json[5cl]?)?[^\S\n]*\n([\s\S]*?)\n\s*```/i.exec(reply)?.[1]
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
