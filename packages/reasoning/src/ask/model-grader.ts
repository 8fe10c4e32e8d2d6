import type { Model, ModelResponse } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { readRating, toReward } from '../read/rating.ts'
import { readRatings } from '../read/ratings.ts'
import type { Grader, GradeRequest } from '../search/parts.ts'
import { chain } from '../search/chain.ts'
import { askModel } from './ask-model.ts'
import { MODEL, SCALE } from './model-kind.ts'
import { graderMessage, repairNote } from './prompts.ts'

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
}

const KINDS: OptionKinds<ModelGraderOptions> = {
  model: MODEL,
  note: kind.call,
  name: kind.text,
  ratingScale: SCALE,
  groundTruth: kind.orNull(kind.text),
}

/** Makes a grader that asks a model for ratings: of one node, or of all children of a parent in one call. */
export function modelGrader(options: ModelGraderOptions): Grader {
  checkOptions(options ?? null, KINDS, 'run `modelGrader`')
  const { model, note, name = 'tot_grader', ratingScale = 10, groundTruth = null } = options
  return {
    grade(request, run) {
      const { nodes, isOutcome, sample } = request
      const several = nodes.length > 1
      const systemMessage = graderMessage({ scale: ratingScale, isOutcome, several, groundTruth })
      return chain(
        askModel({ name, systemMessage, model, note }, gradeMessage(request), { sample, run }),
        ({ text, used }) => {
          const read = several
            ? readRatings(text, nodes.length, ratingScale)
            : [{ rating: readRating(text, ratingScale), details: text }]
          const grades = read.map(({ rating, details }) => ({
            value: rating === null ? null : toReward(rating, ratingScale),
            details,
          }))
          return { grades, used }
        },
      )
    },
  }
}

/** Writes the request for ratings; the trajectory of a single node comes last, so that it ends with the step to rate. */
function gradeMessage({ nodes, context, repair }: GradeRequest): string {
  const again = repair === null ? '' : repairNote(repair, 'Write `Rating:` and the number.')
  const lessons = context ? `Earlier tries and their ratings:\n${context}\n\n---\n\n` : ''
  const [node] = nodes
  if (nodes.length === 1) return `${again}${lessons}Rate:\n${node!.trajectory}`
  const list = nodes.map(
    ({ content, output }, i) => `Option ${i + 1}: ${content}${output === null ? '' : `\n${output}`}`,
  )
  return `${again}${lessons}Rate each of the options.\n${node!.parent!.trajectory}\n\nOptions:\n${list.join('\n')}`
}
