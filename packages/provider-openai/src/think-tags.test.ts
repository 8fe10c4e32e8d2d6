import { describe, expect, test } from 'vitest'
import { alwaysThinks, ThinkTags, type ThinkTagRules } from './think-tags.ts'
import fc from 'fast-check'

/** Splits a text that comes in pieces. */
function split(pieces: readonly string[], rules: Partial<ThinkTagRules> = {}): { reasoning: string; text: string } {
  const out = { reasoning: '', text: '' }
  const tags = new ThinkTags(
    {
      reasoning: (piece) => void (out.reasoning += piece),
      text: (piece) => void (out.text += piece),
      textWasReasoning() {
        out.reasoning += out.text
        out.text = ''
      },
    },
    { alwaysThinks: false, hasReasoning: false, ...rules },
  )
  for (const piece of pieces) tags.push(piece)
  tags.end()
  return out
}

const parts = fc.constantFrom('<think>', '</think>', '<thi', '</', 'nk>', '<', ' ', '\n', 'a', '<b>')

/** The thoughts and the text of a whole text, by a rule of one line each. */
function expected(text: string, hasReasoning: boolean): { reasoning: string; text: string } {
  const begun = text.trimStart()
  const [open, close] = [text.indexOf('<think>'), text.indexOf('</think>')]
  const opened = begun.startsWith('<think>')
  if (!opened && (hasReasoning || close === -1 || (open !== -1 && open < close))) return { reasoning: '', text }
  const [thoughts, ...rest] = (opened ? begun.slice('<think>'.length) : text).split('</think>')
  return { reasoning: thoughts!, text: rest.join('</think>').trimStart() }
}

test.each([
  { alwaysThinks: false, hasReasoning: false },
  { alwaysThinks: true, hasReasoning: false },
  { alwaysThinks: false, hasReasoning: true },
])(
  'E5: however a text is cut, its thoughts are the same, and only tags and blanks around them are lost: %j',
  (rules) => {
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), fc.array(fc.nat(40), { maxLength: 8 }), (words, cuts) => {
        const text = words.join('')
        const places = [0, ...cuts.filter((cut) => cut < text.length).sort((a, b) => a - b), text.length]
        const whole = split([text], rules)
        expect(
          split(
            places.slice(1).map((place, at) => text.slice(places[at], place)),
            rules,
          ),
        ).toEqual(whole)
        // A model that always thinks may name the opening tag in its thoughts.
        if (!rules.alwaysThinks) expect(whole).toEqual(expected(text, rules.hasReasoning))
      }),
      { numRuns: 500 },
    )
  },
)

describe('E5: thoughts without an opening tag', () => {
  test.each([
    'deepseek-r1',
    'deepseek-ai/DeepSeek-R1-Distill-Qwen-32B',
    'QwQ-32B',
    'qwen3-30b-a3b-thinking-2507',
    'sonar-reasoning',
  ])('of `%s` are never told as text', (model) => {
    expect(alwaysThinks(model)).toBe(true)
    const told: string[] = []
    const tags = new ThinkTags(
      {
        reasoning: (text) => void told.push(`r:${text}`),
        text: (text) => void told.push(text),
        textWasReasoning: () => expect.unreachable(),
      },
      { alwaysThinks: true, hasReasoning: false },
    )
    for (const piece of ['Hm', ', hm.\n</th', 'ink>\n\n', 'Pa', 'ris']) tags.push(piece)
    tags.end()
    expect(told).toEqual(['r:Hm, hm.\n', 'Pa', 'ris'])
  })

  test.each(['gpt-oss-120b', 'llama-3.1-8b', 'qwen3', 'mistral-large-latest', 'sonar'])(
    '`%s` may not think',
    (model) => {
      expect(alwaysThinks(model)).toBe(false)
    },
  )
})
