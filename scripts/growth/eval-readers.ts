import { readTasks } from '../../packages/eval/src/index.ts'
import { exact, finalAnswer } from '../../packages/eval/src/scorers/exact.ts'
import { readVerdict } from '../../packages/eval/src/scorers/judge.ts'
import { schema } from '../../packages/eval/src/scorers/schema.ts'
import { gameOf24 } from '../../packages/eval/src/sets/game-of-24.ts'
import type { Scorer } from '../../packages/eval/src/task.ts'
import type { Reader } from './growth.ts'

const game = gameOf24('game', 'game')

/** Judges a text with a scorer that asks no model. */
const judgedBy =
  (scorer: Scorer, task: object = {}) =>
  (text: string): unknown =>
    scorer({ task: { id: 'task', input: '', ...task }, text, state: null }, null as never)

const ANSWER_MARKS = ['Answer:', 'answer: ', '**', '$', '\\boxed{', '}', '.', '`', '\n', '−', '1,000', '1/2', '0.5']

/** Readers of @x/eval. */
export const READERS: Readonly<Record<string, Reader>> = {
  finalAnswer: { read: finalAnswer, marks: ANSWER_MARKS },
  'exact answers': { read: judgedBy(exact(), { expected: '1/2' }), marks: ANSWER_MARKS },
  'answers in JSON': {
    read: judgedBy(schema({ type: 'object' })),
    marks: ['```json\n', '```', '{', '"', ':', '[', ']', '}'],
  },
  'expressions of the Game of 24': {
    read: judgedBy(game.scorer!, game),
    marks: ['(', ')', '+', '-', '*', '/', '=', '24', '÷'],
  },
  readVerdict: { read: readVerdict, marks: ['{', '}', '"verdict"', ':', '"right"', ','] },
  readTasks: { read: readTasks, marks: ['\n', '{"input":"', '"}', '{"input":"a"}\n', '[', '\uFEFF'] },
}
