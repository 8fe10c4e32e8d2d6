import type { JsonSchema } from '@x/interfaces'

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
