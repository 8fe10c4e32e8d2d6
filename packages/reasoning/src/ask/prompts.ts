import type { JsonSchema } from '@x/interfaces'

const THINKER = `You plan how to solve a question, one step at a time, and others choose among the steps you propose.
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

/** Returns the system message of a thinker; without code execution, without the lines about code. */
export function thinkerMessage({ code }: { code: boolean }): string {
  if (code) return THINKER
  const lines: string[] = []
  let fenced = false
  for (const line of THINKER.split('\n')) {
    const fence = line.includes('```')
    if (fence) fenced = !fenced
    if (!fence && !fenced && !line.includes('python')) lines.push(line)
  }
  return lines.join('\n')
}

const PROCESS = `The path must bring the question closer to its solution.
It should also fit the question, hold nothing false and nothing that does not belong to it.
A path that fails in one of these is a bad one.`

const OUTCOME = `The answer must address the question itself, be right and complete, and follow from clear reasoning.
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
  const what = isOutcome ? 'the answer' : several ? 'each of the options for the next step' : 'the steps so far'
  const form = several
    ? 'For every option write one line `Option <number>: Rating: <rating>` and a few words that explain it.'
    : 'Write `Rating: <rating>` and a few words that explain it.'
  const truth = groundTruth ? `\n\nWhat is known to be true, for your eyes only:\n${groundTruth}` : ''
  return `You are a grader. Rate ${what} on a scale of 1 to ${scale}: 1 is the worst, ${scale} the best.\n\n${isOutcome ? OUTCOME : PROCESS}\n\n${form}${truth}`
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

/** Returns the request for one answer made of several. */
export const mergeMessage = (question: string, answers: readonly string[]): string =>
  `Question:\n${question}\n---\nAnswer the question. Others answered it in different ways; use what is right in it.\n\n${answers
    .map((answer, i) => `--- Answer ${i + 1} ---\n${answer}`)
    .join('\n\n')}`

/**
 * Shapes of the replies of thinkers and graders, for models that are known to keep to one. All fields are required, as
 * strict modes ask; explanations come before numbers, so that a model thinks before it rates.
 */
const shape = (properties: Record<string, JsonSchema>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

const TEXT: JsonSchema = { type: 'string' }

const rating = (scale: number): JsonSchema => ({ type: 'number', description: `From 1 (worst) to ${scale} (best).` })

/** Returns the shape of a thinker's reply; with a scale every option has a rating. */
export const optionsShape = (rateUpTo: number | null): JsonSchema =>
  shape({
    reflection: { ...TEXT, description: 'Your view of the steps so far.' },
    options: {
      type: 'array',
      description: 'The options for the next step, or the single option TERMINATE.',
      items: rateUpTo === null ? TEXT : shape({ content: TEXT, rating: rating(rateUpTo) }),
    },
  })

/** Returns the shape of a grader's reply on one node. */
export const ratingShape = (scale: number): JsonSchema => shape({ explanation: TEXT, rating: rating(scale) })

/** Returns the shape of a grader's reply on several options. */
export const ratingsShape = (scale: number): JsonSchema =>
  shape({
    ratings: {
      type: 'array',
      description: 'One entry for every option, in their order.',
      items: shape({ option: { type: 'integer' }, explanation: TEXT, rating: rating(scale) }),
    },
  })
