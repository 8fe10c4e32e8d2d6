import type { Model, ModelResponse } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { readRating, toReward } from '../read/rating.ts'
import { readRatings } from '../read/ratings.ts'
import { chain } from '../search/chain.ts'
import type { GradeRequest, Grader } from '../search/parts.ts'
import { withFingerprint } from '../strategy/fingerprint.ts'
import { askModel, fitPrompt, MODEL_KIND, factsOf, PROMPT_LENGTH_KIND, SCALE_KIND, warnOfModel } from './ask-model.ts'
import { graderMessage, ratingSchema, ratingsSchema, repairNote } from './prompts.ts'

/** Options of `modelGrader`. */
export interface ModelGraderOptions {
  /** The model that rates. */
  model: Model
  /** Receives every response, for example to count its usage. */
  note?: ((response: ModelResponse) => void) | undefined
  /** Name for the log; default `tot_grader`. */
  name?: string | undefined
  /** The best rating, at least 2; default 10. */
  ratingScale?: number | undefined
  /** Facts known to be true, which only the grader sees; default null. */
  groundTruth?: string | null | undefined
  /** Most characters of the texts in a prompt; default 200,000. */
  maxPromptLength?: number | undefined
}

const GRADER_KINDS: OptionKinds<ModelGraderOptions> = {
  model: MODEL_KIND,
  note: kind.call,
  name: kind.text,
  ratingScale: SCALE_KIND,
  groundTruth: kind.orNull(kind.text),
  maxPromptLength: PROMPT_LENGTH_KIND,
}

/** Makes a grader that asks a model to rate one node, or all children of a parent in one call. */
export function modelGrader(options: ModelGraderOptions): Grader {
  checkOptions(options ?? null, GRADER_KINDS, 'run `modelGrader`')
  const { model, note, name = 'tot_grader', ratingScale = 10, groundTruth = null, maxPromptLength } = options
  const grader: Grader = {
    ...factsOf(model),
    grade(request, run) {
      const { nodes, isOutcome, sample } = request
      const several = nodes.length > 1
      const systemMessage = graderMessage({ scale: ratingScale, isOutcome, several, groundTruth })
      const answerSchema = several ? ratingsSchema(ratingScale) : ratingSchema(ratingScale)
      const { content, warnings } = gradeMessage(request, (texts) => fitPrompt(name, texts, maxPromptLength))
      return chain(
        askModel({ name, systemMessage, model, note }, content, { sample, run, answerSchema }),
        ({ text, used }) => {
          const ratings = several
            ? readRatings(text, nodes.length, ratingScale)
            : [{ rating: readRating(text, ratingScale), details: text }]
          const grades = ratings.map(({ rating, details }) => ({
            value: rating === null ? null : toReward(rating, ratingScale),
            details,
          }))
          return { grades, used, warnings: [...warnOfModel(name, request.model), ...(warnings ?? [])] }
        },
      )
    },
  }
  return withFingerprint(grader, 'model-grader', { ratingScale, groundTruth })
}

/** The request for ratings, and warnings of shortened texts. */
interface GradeMessage {
  readonly content: string
  readonly warnings?: readonly string[] | undefined
}

/** Writes the request for ratings; the trajectory of a single node comes last, so that the request ends with the step to rate. */
function gradeMessage(
  { nodes, context, repair }: GradeRequest,
  fit: (texts: readonly string[]) => ReturnType<typeof fitPrompt>,
): GradeMessage {
  const again = repair === null ? '' : repairNote(repair, 'Write `Rating:` and the number.')
  const single = nodes.length === 1
  const { parent } = nodes[0]!
  const areSiblings = nodes.every((node) => node.parent === parent)
  const path = (single ? nodes[0]! : areSiblings ? parent! : nodes[0]!.path[0]!).trajectory
  const options = single
    ? []
    : nodes.map(({ content, output, steps }) =>
        areSiblings ? (output === null ? content : `${content}\n${output}`) : steps,
      )
  const { texts, warnings } = fit([path, context ?? '', ...options])
  const [trajectory, tries, ...list] = texts
  const lessons = context ? `Earlier tries and their ratings:\n${tries}\n\n---\n\n` : ''
  if (single) return { content: `${again}${lessons}Rate:\n${trajectory}`, warnings }
  const numbered = list.map((option, i) => `Option ${i + 1}: ${option}`).join('\n')
  return { content: `${again}${lessons}Rate each of the options.\n${trajectory}\n\nOptions:\n${numbered}`, warnings }
}
