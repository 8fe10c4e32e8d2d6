/** Parses the JSON in a reply: the whole reply, a fenced block, or an object inside a text; `undefined` when there is none. */
export function parseJson(reply: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/i.exec(reply)?.[1]
  const whole = reply.trim()
  // Only an object is searched inside a text: a list there is part of the text.
  const outer = whole.slice(Math.max(0, whole.indexOf('{')), whole.lastIndexOf('}') + 1)
  for (const text of [whole, fenced, outer]) {
    if (!text || !/^\s*[[{]/.test(text)) continue
    try {
      return JSON.parse(text)
    } catch {
      // Braces in prose or code: the reply is a text.
    }
  }
  return undefined
}
