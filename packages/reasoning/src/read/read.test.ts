import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readThinkerReply } from './thinker-reply.ts'
import { readRating, toReward } from './rating.ts'
import { readRatings } from './ratings.ts'

describe('readThinkerReply', () => {
  it.each<[string, string[]]>([
    ['REFLECTION:\nGood.\n\n**Possible Options:**\nOption 1: one\n\nOption 2: two', ['one', 'two']],
    ['**REFLECTION**: Good.\n\n**Possible Options:**\n**Option 1**: one\n**Option 2**: two', ['one', 'two']],
    ['Reflection\nGood.\n\n## Options\n### Option 1\none\n### Option 2\ntwo', ['one', 'two']],
    ['Reflection: Good.\n\nOption A - one\nOption B - two', ['one', 'two']],
    ['Reflection: Good.\n\nPossible Options:\n1. one\n2. two', ['one', 'two']],
    ['Reflection: Good.\n\n1) one\n2) two', ['one', 'two']],
    ['Reflection: Good.\n\n(1) one\n(2) two', ['one', 'two']],
    ['Reflection: Good.\n\n**1.** one\n**2.** two', ['one', 'two']],
    ['Reflection: Good.\n\n- one\n- two', ['one', 'two']],
    ['Reflection: Good.\n\n* *Option 1:* one\n* *Option 2:* two', ['one', 'two']],
    ['Reflection: Good. Option 1: one Option 2: two', ['one', 'two']],
    ['```json\n{"reflection": "Good.", "options": ["one", "two"]}\n```', ['one', 'two']],
    ['{"reflection": "Good.", "options": [{"title": "one"}, {"title": "two"}]}', ['one', 'two']],
    ['Reflection: Good.\n\nOption One: one\nOption Two: two', ['one', 'two']],
    ['Reflection: Good.\n\nOption: one\nOption: two', ['one', 'two']],
    [
      'Reflection: Good.\n\n<options>\n<option id="1">one</option>\n<option id="2">two</option>\n</options>',
      ['one', 'two'],
    ],
    ['Reflection: Good.\n\n| # | Option |\n|---|---|\n| 1 | one |\n| 2 | two |', ['one', 'two']],
    ['Reflection: Good.\n\ni. one\nii. two', ['one', 'two']],
    ['Reflection: Good.\n\n1️⃣ one\n2️⃣ two', ['one', 'two']],
    ['    Reflection: Good.\n\n    - one\n    - two', ['one', 'two']],
    ['{"reflection": "Good.", "Option 1": "one", "Option 2": "two"}', ['one', 'two']],
    [
      'Here you are: {"reflection": "Good.", "next_steps": [{"id": "x", "text": "one"}, {"id": "y", "text": "two"}]}',
      ['one', 'two'],
    ],
    ['Reflection: Good.\r\n\r\nOption 1: one\r\nOption 2: two', ['one', 'two']],
    ['{"reflection": "Good.", "steps_so_far": ["three"], "options": ["one", "two"]}', ['one', 'two']],
    ['{"reflection": "Good.", "steps_so_far": ["three"], "next_steps": ["one", "two"]}', ['one', 'two']],
  ])('reads %j', (reply, options) => {
    expect(readThinkerReply(reply)).toEqual({ reflection: 'Good.', options })
  })

  it('keeps a mention of another option inside an option', () => {
    expect(readThinkerReply('Option 1: do it\nOption 2: see Option 3: it is worse\nOption 3: last').options).toEqual([
      'do it',
      'see Option 3: it is worse',
      'last',
    ])
  })

  it('keeps code whole, whatever it contains', () => {
    const code = '```python\n# Option 2: not one\n1. not one\nprint(1)\n```'
    expect(readThinkerReply(`Option 1: run\n${code}\nOption 2: other`).options).toEqual([`run\n${code}`, 'other'])
  })

  it('keeps sub-lists with their option and lists of the reflection out', () => {
    const reply = 'REFLECTION:\n1. fine\n2. wrong\n\nPossible Options:\n1. one\n   - detail\n2. two'
    expect(readThinkerReply(reply).options).toEqual(['one\n   - detail', 'two'])
  })

  it.each([
    ['- one\n  - detail\n- two', ['one\n  - detail', 'two']],
    ['1. one\n   1. first\n   2. then\n2. two', ['one\n   1. first\n   2. then', 'two']],
    ['a) one\n   i) detail\nb) two', ['one\n   i) detail', 'two']],
    ['1. one\n   2. two\n   3. three', ['one', 'two', 'three']],
  ])('keeps inner lists of the same style with their option: %j', (reply, options) => {
    expect(readThinkerReply(reply).options).toEqual(options)
  })

  it('keeps lists in the prose of an option', () => {
    expect(readThinkerReply('Option 1: sort ["b", "a"]\nOption 2: count [1, 2]').options).toEqual([
      'sort ["b", "a"]',
      'count [1, 2]',
    ])
  })

  it('reads a lone TERMINATE as the only option', () => {
    expect(readThinkerReply('**TERMINATE**').options).toEqual(['**TERMINATE**'])
  })

  it('finds nothing in prose and never throws', () => {
    expect(readThinkerReply('It is hard to say.').options).toEqual([])
    fc.assert(fc.property(fc.string({ unit: 'grapheme' }), (text) => Array.isArray(readThinkerReply(text).options)))
  })

  it('reads any options in any of the styles', () => {
    const text = fc.stringMatching(/^[A-Za-z][a-z ,+*/()0-9=]{0,30}[a-z)]$/)
    const styles = [
      (i: number) => `Option ${i}: `,
      (i: number) => `**Option ${i}:** `,
      (i: number) => `- Option ${i}: `,
      (i: number) => `${i}. `,
      (i: number) => `${i}) `,
      () => '- ',
    ]
    fc.assert(
      fc.property(fc.array(text, { minLength: 2, maxLength: 6 }), fc.constantFrom(...styles), (options, label) => {
        const tame = options
          .filter((option) => !/option|step|choice|idea|^[a-z][.)]/i.test(option))
          .map((o) => o.trim())
        fc.pre(tame.length > 1)
        expect(readThinkerReply(tame.map((option, i) => label(i + 1) + option).join('\n')).options).toEqual(tame)
      }),
    )
  })
})

describe('readRating', () => {
  it.each<[string, number | null]>([
    ['7', 7],
    ['8.5 - nearly perfect', 8.5],
    ['Rating: 9. Solid.', 9],
    ['4 of 10', 4],
    ['I would give this an 8, because it is right.', 8],
    ['On a scale of 1 to 10, I would give this an 8.', 8],
    ['Rating (1-10): 7', 7],
    ['Rating on a scale from 1 to 10: 7', 7],
    ['**Rating:** 9/10', 9],
    ['Rating: **7**', 7],
    ['Rating: eight', 8],
    ['Three of four are fine. Rating - 7', 7],
    ['**Rating**\n\n8', 8],
    ['On a scale from 1 (worst) to 10 (best) this is an 8', 8],
    ['<rating>7</rating>', 7],
    ['★★★★☆', 8],
    ['I give it eight out of ten.', 8],
    ['ten', 10],
    ['4/5', 8],
    ['80%', 8.2],
    ['Step 2 is wrong. Rating: 3', 3],
    ['Rating of step 2: 7', 7],
    ['Rating: 3\nOn reflection, the final rating: 8', 8],
    ['100/3 is impossible: 2/10', 2],
    ['The rating of 20/3 is 4', 4],
    ['{"rating": 6, "why": "10 reasons"}', 6],
    ['{"option": 7, "rating": null}', null],
    ['```json\n{"option": 7, "comment": "I would say 4 of 5"}\n```', 8],
    ['{"option": 7} Rating: 6', 6],
    ['12', 10],
    ['Rating: 11/10', 10],
    ['-3', 1],
    ['0', 1],
    ['1.2.3', null],
    ['Hmm... well', null],
    ['excellent work', null],
    ['one of the best', null],
    ['', null],
  ])('reads %j as %j', (reply, rating) => {
    const read = readRating(reply, 10)
    if (rating === null) expect(read).toBeNull()
    else expect(read).toBeCloseTo(rating)
  })

  it('stays within the scale for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.float().map(String)), fc.integer({ min: 2, max: 100 }), (text, scale) => {
        const rating = readRating(text, scale)
        if (rating === null) return
        expect(toReward(rating, scale)).toBeGreaterThanOrEqual(0)
        expect(toReward(rating, scale)).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('readRatings', () => {
  const read = (reply: string, count: number): (number | null)[] =>
    readRatings(reply, count, 10).map(({ rating }) => rating)

  it.each<[string, (number | null)[]]>([
    ['Option 1: fine\nRating: 7\n\nOption 2: not\nRating: 3', [7, 3]],
    ['Option 2: Rating: 3\nOption 1: Rating: 7', [7, 3]],
    ['**Option 1** 7/10\n**Option 2** 3/10', [7, 3]],
    ['1. 7/10 - good\n2. 3/10 - bad', [7, 3]],
    ['| 1 | 7 |\n| 2 | 3 |', [7, 3]],
    ['[7, 3]', [7, 3]],
    ['7, 3', [7, 3]],
    ['7\n3', [7, 3]],
    ['{"ratings": [{"option": 1, "rating": 7}, {"option": 2, "rating": 3}]}', [7, 3]],
    ['On a scale of 1 to 10:\nOption 1: I give it a 7\nOption 2: I give it a 3', [7, 3]],
    ['Option 1: Rating: 7', [7, null]],
    ['Option 1: Rating: 7\nOption 2: no idea', [7, null]],
    ['no idea', [null, null]],
    ['{"ratings": [{"option": "2 + 8 = 10", "rating": 7}, {"option": "1 + 8 = 9", "rating": 3}]}', [7, 3]],
    ['{"ratings": [{"option": "Option 2: 8 - 1", "rating": 3}, {"option": "1. 8 + 2", "rating": 7}]}', [7, 3]],
    ['[{"index": 1, "rating": 3}, {"index": 0, "rating": 7}]', [7, 3]],
    ['{"reasons": ["8 cards are left", "9 cards are left"], "ratings": [7, 3]}', [7, 3]],
    ['{"ratings": [{"option": 2, "rating": 3}]}', [null, 3]],
    ['{"option 1": 7}', [7, null]],
    ['{"ratings": [{"option": 1, "rating": 7}, {"option": 2, "rating": 3}, {"option": 3, "rating": 9}]}', [7, 3]],
    ['{"ratings": [{"option": 1, "rating": "NaN"}, {"option": 2, "rating": null}]}', [null, null]],
    ['[7]', [null, null]],
    ['[{"option": 2, "rating": 7}, {"option": 3, "rating": 3}]', [7, 3]],
    ['[{"option": 3, "rating": 7}]', [null, null]],
  ])('reads %j', (reply, ratings) => {
    expect(read(reply, 2)).toEqual(ratings)
  })
})

it('reads a reply of one line', () => {
  const reply = 'REFLECTION: Fine. **Possible Options:** Option 1: a good step Option 2: an ok step\nwith two lines'
  expect(readThinkerReply(reply)).toEqual({
    reflection: 'Fine.',
    options: ['a good step', 'an ok step\nwith two lines'],
  })
})

describe('any reply', () => {
  const piece = fc.constantFrom(
    ...[
      'Option 1:',
      'Option 2 (safe):',
      '**',
      '1.',
      '2)',
      '- ',
      '| 1 |',
      '<option id="1">',
      '</option>',
      '```json',
      '```',
    ],
    ...[
      'REFLECTION:',
      '**Possible Options:**',
      'Rating:',
      'rated',
      '7',
      '-3',
      '8.5',
      '1e999',
      '10/10',
      '3 out of 5',
      '80%',
    ],
    ...['ten', 'NaN', '★★☆', '{"rating": 1e400}', '{"rating": -7}', '{"ratings": [1, "x"]}', '{"options": [null]}'],
    ...['{', '}', '[', ']', '"', '\\', '\n', '\r\n', '\t', ' ', '\u0000', '\uD800', '١٢', 'TERMINATE', '__proto__'],
  )
  const reply = fc.array(fc.oneof(piece, fc.string({ unit: 'binary', maxLength: 4 }), fc.json()), { maxLength: 24 })

  it('is read without an error, into texts and into ratings within the scale', () => {
    fc.assert(
      fc.property(reply, fc.integer({ min: 2, max: 100 }), fc.integer({ min: 1, max: 5 }), (pieces, scale, count) => {
        const text = pieces.join('')
        const { options, reflection } = readThinkerReply(text)
        for (const option of [...options, reflection]) expect(option).toBe(option.trim())
        expect(options).not.toContain('')
        const ratings = readRatings(text, count, scale).map(({ rating }) => rating)
        expect(ratings).toHaveLength(count)
        for (const rating of [readRating(text, scale), ...ratings]) {
          if (rating === null) continue
          expect(toReward(rating, scale)).toBeGreaterThanOrEqual(0)
          expect(toReward(rating, scale)).toBeLessThanOrEqual(1)
        }
      }),
      { numRuns: 500 },
    )
  })

  // With a quadratic pattern one of these takes minutes.
  it.each([
    ' ',
    '\n',
    ' \n',
    '\t',
    '{',
    '| ',
    '| a |\n',
    '</option> ',
    'Option 1: ',
    'rating ',
    '```json\n',
    '1.',
    '★',
  ])('is read in time when it is nothing but %j', (filling) => {
    const long = filling.repeat(200_000 / filling.length)
    for (const text of [long, `Option 1: a\n${long}\nOption 2: b`, `I rate it ${long}x`]) {
      readRatings(text, 3, 10)
      readRating(text, 10)
      expect(readThinkerReply(text).options).not.toContain('')
    }
  })
})
