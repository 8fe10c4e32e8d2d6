/**
 * The marks around the thoughts of reasoning models: `<think>`, `<thinking>`, `<thought>`, `<reasoning>`, `[THINK]`,
 * `◁think▷`, `<|begin_of_thought|>`.
 */
const MARK =
  /<(\/?)(?:seed:)?(?:think(?:ing)?|thoughts?|reasoning)(?:\s[^<>\n]{0,80})?>|\[(\/?)THINK\]|◁(\/?)think▷|<\|(begin|end)_of_thought\|>/gi

/** The beginning of the final part in replies that have named channels. */
const FINAL = /<\|channel\|>final(?:\s[^<>|\n]{0,40})?<\|message\|>/g

/**
 * Removes the thoughts that a reasoning model wrote around its reply: marked blocks at the beginning of a line, everything
 * before a lone closing mark, and everything behind an opening mark that is never closed. A mark in the middle of a line
 * is a part of the text.
 */
export function withoutThinking(reply: string): string {
  const text = finalPart(reply)
  const kept: string[] = []
  let depth = 0
  let from = 0
  for (const mark of text.matchAll(MARK)) {
    const closes = mark[1] === '/' || mark[2] === '/' || mark[3] === '/' || mark[4]?.toLowerCase() === 'end'
    const end = mark.index + mark[0].length
    if (!closes && depth === 0) {
      if (!opensLine(text, from, mark.index)) continue
      kept.push(text.slice(from, mark.index))
    } else if (closes && depth === 0) {
      if (kept.length > 0 || text[mark.index - 1] === '`') continue
      // The opening mark was a part of the prompt: all so far was thought.
      kept.push('')
    }
    depth = closes ? Math.max(0, depth - 1) : depth + 1
    from = end
  }
  if (depth === 0) kept.push(text.slice(from))
  return kept.length > 1 || depth > 0 ? kept.join('').trim() : text
}

/** Whether only blanks stand between a position and the beginning of its line, or the end of the mark before. */
function opensLine(text: string, from: number, at: number): boolean {
  let i = at - 1
  while (i >= from && text[i] !== '\n' && text[i]!.trim() === '') i -= 1
  return i < from || text[i] === '\n'
}

function finalPart(reply: string): string {
  const last = [...reply.matchAll(FINAL)].at(-1)
  return last ? reply.slice(last.index + last[0].length).replace(/<\|(?:end|return)\|>\s*$/, '') : reply
}
