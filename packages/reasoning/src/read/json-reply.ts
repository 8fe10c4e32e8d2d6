/** Reads the JSON that a reply consists of, holds in a fence, or an object in its midst; undefined when there is none. */
export function jsonReply(reply: string): unknown {
  const fenced = /```(?:json)?\s*\n([\s\S]*?)\n\s*```/i.exec(reply)?.[1]
  const whole = reply.trim()
  // A list in the midst of prose is what the prose is about.
  const outer = whole.slice(Math.max(0, whole.indexOf('{')), whole.lastIndexOf('}') + 1)
  for (const text of [whole, fenced, outer]) {
    if (!text || !/^\s*[[{]/.test(text)) continue
    try {
      return JSON.parse(text)
    } catch {
      // Braces in prose or code: the reply is read as a text.
    }
  }
  return undefined
}
