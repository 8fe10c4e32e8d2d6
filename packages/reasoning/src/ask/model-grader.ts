import type { Model, ModelResponse } from '@x/interfaces'
import { XError } from '@x/kernel'
import { readRating, reward } from '../read/rating.ts'
import { readRatings } from '../read/ratings.ts'
import type { Grader, GradeRequest } from '../search/parts.ts'
import { after, askModel } from './ask-model.ts'
import { graderMessage, repairNote } from './prompts.ts'

/** Options of a grader that asks a model. */
export interface ModelGraderOptions {
  model: Model
  /** Takes note of every answer. */
  note?: ((response: ModelResponse) => void) | undefined
  /** Name for the log; default `tot_grader`. */
  name?: string | undefined
  /** Best rating, at least 2; default 10. */
  ratingScale?: number | undefined
  /** What is known to be true; only the grader sees it. Default null. */
  groundTruth?: string | null | undefined
}

/** Grades by asking a model for a rating: of one node, or of all children of a parent in one call. */
export function modelGrader(options: ModelGraderOptions): Grader {
  const { model, note, name = 'tot_grader', ratingScale = 10, groundTruth = null } = options
  checkScale(ratingScale)
  return {
    grade(request, run) {
      const { nodes, outcome, sample } = request
      const several = nodes.length > 1
      const systemMessage = graderMessage({ scale: ratingScale, outcome, several, groundTruth })
      return after(
        askModel({ name, systemMessage, model, note }, shown(request), { sample, run }),
        ({ text, used }) => {
          const read = several
            ? readRatings(text, nodes.length, ratingScale)
            : [{ rating: readRating(text, ratingScale), details: text }]
          const grades = read.map(({ rating, details }) => ({
            value: rating === null ? null : reward(rating, ratingScale),
            details,
          }))
          return { grades, used }
        },
      )
    },
  }
}

/** Refuses a scale on which nothing can be told apart. */
export function checkScale(ratingScale: number): void {
  if (ratingScale >= 2) return
  throw new XError('invalid-argument', `a grader was given \`ratingScale: ${ratingScale}\`: give at least 2`)
}

/** The trajectory comes last, so that the reader of a single rating ends with the step it is about. */
function shown({ nodes, context, repair }: GradeRequest): string {
  const again = repair === null ? '' : repairNote(repair, 'Write `Rating:` and the number.')
  const lessons = context ? `Earlier tries and their ratings:\n${context}\n\n---\n\n` : ''
  const [node] = nodes
  if (nodes.length === 1) return `${again}${lessons}Rate:\n${node!.trajectory}`
  const list = nodes.map(
    ({ content, output }, i) => `Option ${i + 1}: ${content}${output === null ? '' : `\n${output}`}`,
  )
  return `${again}${lessons}Rate each of the options.\n${node!.parent!.trajectory}\n\nOptions:\n${list.join('\n')}`
}
