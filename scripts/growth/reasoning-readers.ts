import { parseJson } from '../../packages/reasoning/src/read/parse-json.ts'
import {
  withoutThinking,
  collapseBlanks,
  bothEnds,
  withPlainDigits,
} from '../../packages/reasoning/src/read/normalize-reply.ts'
import { readThinkerReply } from '../../packages/reasoning/src/read/thinker-reply.ts'
import { readRating } from '../../packages/reasoning/src/read/rating.ts'
import { readRatings } from '../../packages/reasoning/src/read/ratings.ts'
import { readNumeral } from '../../packages/reasoning/src/read/words.ts'
import { publicText, readPrompt } from '../../packages/reasoning/src/agent/prompt.ts'
import { findMajority } from '../../packages/reasoning/src/strategy/vote.ts'
import { MemorySearchJournal } from '../../packages/reasoning/src/search/search-journal.ts'
import type { Reader } from './growth.ts'

const REPLY_MARKS = [
  '```',
  '```json\n',
  '<think>',
  '</think>',
  '{',
  '}',
  '[',
  ']',
  ',',
  '"',
  ':',
  '**',
  '#',
  '- ',
  '1. ',
  '|',
  '---',
  '\t',
  '½',
  '★',
  '満点',
]
const RATING_MARKS = [
  '1.',
  '1,',
  '1/',
  '1 ',
  '-1',
  ' to ',
  '1-',
  'scale ',
  'steps ',
  'Rating: ',
  'Score',
  '/10',
  ' out of ',
  '10',
  '7.5',
  '-',
  '%',
  '**',
  '`',
  'final',
  'is',
  ' not ',
  '½',
  '★',
  '10点満点',
  '(',
  ')',
  '满分',
  'seven',
  'Option 1: ',
  ', ',
]
const options = { marks: REPLY_MARKS }

/** Readers of @x/reasoning. */
export const READERS: Readonly<Record<string, Reader>> = {
  parseJson: { read: parseJson, ...options },
  withoutThinking: { read: withoutThinking, ...options },
  collapseBlanks: { read: collapseBlanks, marks: [' ', '\n', '\r\n', '\t', '\u00a0'] },
  bothEnds: { read: bothEnds, ...options },
  withPlainDigits: { read: withPlainDigits, marks: ['٣', '三', '🔟', '½', 'a'] },
  readThinkerReply: {
    read: readThinkerReply,
    sources: [
      'packages/reasoning/src/read/thinker-reply.ts',
      'packages/reasoning/src/read/option-styles.ts',
      'packages/reasoning/src/read/words.ts',
    ],
    marks: [...REPLY_MARKS, 'x```\n', ' \n', 'REFLECTION', 'Possible Options', 'Option 1', 'Step 1: '],
  },
  readRating: {
    read: (text) => readRating(text, 10),
    sources: [
      'packages/reasoning/src/read/rating.ts',
      'packages/reasoning/src/read/rating-phrases.ts',
      'packages/reasoning/src/read/words.ts',
    ],
    marks: RATING_MARKS,
  },
  readRatings: {
    read: (text) => readRatings(text, 3, 10),
    sources: ['packages/reasoning/src/read/ratings.ts', 'packages/reasoning/src/read/rating-phrases.ts'],
    marks: RATING_MARKS,
  },
  readNumeral: { read: readNumeral, marks: ['三', 'iv', 'one', '1'] },
  readPrompt: {
    read: (text) => readPrompt([{ role: 'user', content: text }]),
    sources: ['packages/reasoning/src/agent/prompt.ts'],
    marks: ['GROUND_TRUTH', 'GROUND_TRUTH:', '\n'],
  },
  publicText: { read: (text) => publicText({ role: 'user', content: text }), marks: ['GROUND_TRUTH', '###'] },
  findMajority: {
    read: (text) => findMajority([text, `${text} `]),
    sources: ['packages/reasoning/src/strategy/vote.ts', 'packages/reasoning/src/read/words.ts'],
    marks: ['\n', '. ', '**', '$', '`', '。'],
  },
  searchJournal: {
    read: (text) => new MemorySearchJournal({ question: 'q', saved: text }),
    marks: ['\n', '{', '[', '"}', '{"checksum":"'],
  },
}
