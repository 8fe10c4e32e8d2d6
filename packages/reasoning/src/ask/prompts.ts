import type { JsonSchema } from '@x/interfaces'

const THINKER_PROMPT = `You plan how to solve a question, one step at a time, and others choose among the steps you propose.
You are given the question and the steps taken so far. Nobody answers questions of yours.

- Say first what is right and what is wrong in the steps so far.
- Then propose at least four options for the next step, each different from the others.
- An option says in a few words what to do and carries it out as far as one step goes.
- When a step so far is mistaken, let some options correct it.
- When choices are given, rule out the wrong ones one by one.
- When the question is solved, give the single option TERMINATE.
- Where a calculation helps, an option may hold a block of python code that prints its result:
\`\`\`python
print(2 + 2)
\`\`\`
- Results of python code are added to the step; do not rest an argument on chance or rounding.

Write exactly in this form:

REFLECTION:
Your view of the steps so far, in a few sentences.

**Possible Options:**
Option 1: the first option

Option 2: the second option

Option 3: the third option

Option 4: the fourth option`

/** Returns the system message of a thinker; the lines about code only if code is run. */
export function thinkerMessage({ code }: { code: boolean }): string {
  if (code) return THINKER_PROMPT
  const lines: string[] = []
  let fenced = false
  for (const line of THINKER_PROMPT.split('\n')) {
    const fence = line.includes('```')
    if (fence) fenced = !fenced
    if (!fence && !fenced && !line.includes('python')) lines.push(line)
  }
  return lines.join('\n')
}

const STEP_CRITERIA = `The path must bring the question closer to its solution.
It should also fit the question, hold nothing false and nothing that does not belong to it.
A path that fails in one of these is a bad one.`

const ANSWER_CRITERIA = `The answer must address the question itself, be right and complete, and follow from clear reasoning.
It should also be short, ordered, free of contradiction, and give evidence where evidence is needed.
An answer that fails in one of the first three is a bad one.`

/** Returns the system message of a grader. */
export function graderMessage(options: {
  scale: number
  isOutcome: boolean
  several: boolean
  groundTruth: string | null
}): string {
  const { scale, isOutcome, several, groundTruth } = options
  const subject = isOutcome ? 'the answer' : several ? 'each of the options for the next step' : 'the steps so far'
  const form = several
    ? 'For every option write one line `Option <number>: Rating: <rating>` and a few words that explain it.'
    : 'Write `Rating: <rating>` and a few words that explain it.'
  const truth = groundTruth ? `\n\nWhat is known to be true, for your eyes only:\n${groundTruth}` : ''
  return `You are a grader. Rate ${subject} on a scale of 1 to ${scale}: 1 is the worst, ${scale} the best.\n\n${isOutcome ? ANSWER_CRITERIA : STEP_CRITERIA}\n\n${form}${truth}`
}

/** Returns the text before a question whose earlier reply could not be read. */
export const repairNote = (reply: string, form: string): string =>
  `An earlier reply to this could not be read:\n"""\n${reply.slice(0, 2000)}\n"""\n${form}\n\n`

/** Returns the request for an answer from the paths to some nodes. */
export function answerMessage(question: string, paths: readonly string[]): string {
  const [only = ''] = paths
  if (paths.length > 1) {
    const numbered = paths.map((path, i) => `--- Possibility ${i + 1} ---\n${path}`).join('\n\n')
    return `Question:\n${question}\n---\nAnswer the question. Others have thought about it; use what is right in it.\n\n${numbered}`
  }
  if (!only) return `Question:\n${question}\n---\nAnswer the question. Think step by step and end with the answer.`
  return `Question:\n${question}\n---\nAnswer the question. This is how it was thought through:\n\n${only}`
}

/** Returns the request to merge several answers into one. */
export const mergeMessage = (question: string, answers: readonly string[]): string =>
  `Question:\n${question}\n---\nAnswer the question. Others answered it in different ways; use what is right in it.\n\n${answers
    .map((answer, i) => `--- Answer ${i + 1} ---\n${answer}`)
    .join('\n\n')}`

/**
 * Makes the schema of a reply, for models that are known to obey one. All fields are required, as strict modes want;
 * explanations come before numbers, so that a model thinks before it rates.
 */
const objectSchema = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const TEXT_SCHEMA: JsonSchema = { type: 'string' }

const ratingField = (scale: number): JsonSchema => ({
  type: 'number',
  description: `From 1 (worst) to ${scale} (best).`,
})

/** Returns the schema of a thinker's reply; with a scale every option has a rating. */
export const optionsSchema = (rateUpTo: number | null): JsonSchema =>
  objectSchema({
    reflection: { ...TEXT_SCHEMA, description: 'Your view of the steps so far.' },
    options: {
      type: 'array',
      description: 'The options for the next step, or the single option TERMINATE.',
      items: rateUpTo === null ? TEXT_SCHEMA : objectSchema({ content: TEXT_SCHEMA, rating: ratingField(rateUpTo) }),
    },
  })

/** Returns the schema of a grader's reply on one node. */
export const ratingSchema = (scale: number): JsonSchema =>
  objectSchema({ explanation: TEXT_SCHEMA, rating: ratingField(scale) })

/** Returns the schema of a grader's reply on several options. */
export const ratingsSchema = (scale: number): JsonSchema =>
  objectSchema({
    ratings: {
      type: 'array',
      description: 'One entry for every option, in their order.',
      items: objectSchema({ option: { type: 'integer' }, explanation: TEXT_SCHEMA, rating: ratingField(scale) }),
    },
  })
