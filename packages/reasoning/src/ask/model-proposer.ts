import type { Model, ModelResponse } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { parseJson } from '../read/parse-json.ts'
import { readRating, toReward } from '../read/rating.ts'
import { readRatings } from '../read/ratings.ts'
import { readThinkerReply } from '../read/thinker-reply.ts'
import { RATING_WORD } from '../read/words.ts'
import { chain } from '../search/chain.ts'
import type { Proposer } from '../search/parts.ts'
import { withFingerprint } from '../strategy/fingerprint.ts'
import type { ProposedOption } from '../strategy/job.ts'
import { askModel, fitPrompt, MODEL_KIND, factsOf, PROMPT_LENGTH_KIND, SCALE_KIND, warnOfModel } from './ask-model.ts'
import { optionsSchema, repairNote, thinkerMessage } from './prompts.ts'

/** Options of `modelProposer`. */
export interface ModelProposerOptions {
  /** The model that proposes. */
  model: Model
  /** Receives every response, for example to count its usage. */
  note?: ((response: ModelResponse) => void) | undefined
  /** Name for the log; default `tot_thinker`. */
  name?: string | undefined
  /** The system message; default: that of a thinker, without the lines about code. */
  systemMessage?: string | undefined
  /** The best rating; with it, the same call rates every option, which halves the calls of a search. Default null. */
  rateUpTo?: number | null | undefined
  /** Most characters of the texts in a prompt; default 200,000. */
  maxPromptLength?: number | undefined
}

const PROPOSER_KINDS: OptionKinds<ModelProposerOptions> = {
  model: MODEL_KIND,
  note: kind.call,
  name: kind.text,
  systemMessage: kind.text,
  rateUpTo: kind.orNull(SCALE_KIND),
  maxPromptLength: PROMPT_LENGTH_KIND,
}

/** Makes a proposer that asks a model for options. */
export function modelProposer(options: ModelProposerOptions): Proposer {
  checkOptions(options ?? null, PROPOSER_KINDS, 'run `modelProposer`')
  const { model, note, name = 'tot_thinker', rateUpTo = null, maxPromptLength } = options
  const rating =
    rateUpTo === null ? '' : `\n\nEnd every option with \`Rating: <1 to ${rateUpTo}>\`: how good you find it.`
  const answerSchema = optionsSchema(rateUpTo)
  const systemMessage = (options.systemMessage ?? thinkerMessage({ code: false })) + rating
  const proposer: Proposer = {
    ...factsOf(model),
    propose({ node, context, sample, repair, model: wantedModel }, run) {
      const again = repair === null ? '' : repairNote(repair, 'Number the options: `Option 1: …`, one after the other.')
      // The varying part comes last, so that the prefix cache of a provider serves the rest.
      const { texts, warnings } = fitPrompt(name, [node.trajectory, context ?? ''], maxPromptLength)
      const lessons = context ? `\n\nEarlier tries and their ratings:\n${texts[1]}` : ''
      const content = `${again}${texts[0]}\n---\nWhat are the possible next steps?${lessons}`
      const reply = askModel({ name, systemMessage, model, note }, content, { sample, run, answerSchema })
      return chain(reply, ({ text, used }) => {
        const { reflection, options } = readThinkerReply(text)
        return {
          text: text || '(an empty reply)',
          used,
          warnings: [...warnOfModel(name, wantedModel), ...(warnings ?? [])],
          reflection,
          options: splitRatings(text, options, rateUpTo),
        }
      })
    },
  }
  return withFingerprint(proposer, 'model-proposer', { systemMessage })
}

/** The rating in the last line of an option. */
const RATING_LINE = new RegExp(
  `[\\s([*_|]*(?:\\brating\\b|(?<![\\p{Ll}])(?:${RATING_WORD})[\\s*_]*[:：=])[^\\n]*$`,
  'iu',
)

/** Separates options from their ratings, which follow each option or are fields of JSON. */
function splitRatings(reply: string, contents: readonly string[], scale: number | null): ProposedOption[] {
  if (scale === null) return contents.map((content) => ({ content }))
  if (parseJson(reply) !== undefined) {
    const ratings = readRatings(reply, contents.length, scale)
    if (ratings.some(({ rating }) => rating !== null)) {
      return contents.map((content, i) => ({ content, grade: gradeOf(ratings[i]!.rating, scale) }))
    }
  }
  return contents.map((content) => {
    const at = content.search(RATING_LINE)
    if (at < 0) return { content }
    return { content: content.slice(0, at).trim(), grade: gradeOf(readRating(content.slice(at), scale), scale) }
  })
}

const gradeOf = (rating: number | null, scale: number): number | null =>
  rating === null ? null : toReward(rating, scale)
