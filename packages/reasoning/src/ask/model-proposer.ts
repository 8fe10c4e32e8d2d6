import type { Model, ModelResponse } from '@x/interfaces'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import type { ProposedOption } from '../strategy/job.ts'
import { readThinkerReply } from '../read/thinker-reply.ts'
import { readRating, toReward } from '../read/rating.ts'
import type { Proposer } from '../search/parts.ts'
import { chain } from '../search/chain.ts'
import { askModel } from './ask-model.ts'
import { MODEL, SCALE } from './model-kind.ts'
import { repairNote, thinkerMessage } from './prompts.ts'

/** Options of `modelProposer`. */
export interface ModelProposerOptions {
  /** The model that proposes. */
  model: Model
  /** Receives every response, for example to count its usage. */
  note?: ((response: ModelResponse) => void) | undefined
  /** Name for the log; default `tot_thinker`. */
  name?: string | undefined
  /** Default: the system message of a thinker, without the lines about code. */
  systemMessage?: string | undefined
  /** The best rating; when given, the same call rates every option, which halves the calls of a search. Default null. */
  rateUpTo?: number | null | undefined
}

const KINDS: OptionKinds<ModelProposerOptions> = {
  model: MODEL,
  note: kind.call,
  name: kind.text,
  systemMessage: kind.text,
  rateUpTo: kind.orNull(SCALE),
}

/** Makes a proposer that asks a model for options. */
export function modelProposer(options: ModelProposerOptions): Proposer {
  checkOptions(options ?? null, KINDS, 'run `modelProposer`')
  const { model, note, name = 'tot_thinker', rateUpTo = null } = options
  const rating =
    rateUpTo === null ? '' : `\n\nEnd every option with \`Rating: <1 to ${rateUpTo}>\`: how good you find it.`
  const systemMessage = (options.systemMessage ?? thinkerMessage({ code: false })) + rating
  return {
    propose({ node, context, sample, repair }, run) {
      const again = repair === null ? '' : repairNote(repair, 'Number the options: `Option 1: …`, one after the other.')
      // The varying part comes last, so that the prefix cache of a provider serves the rest.
      const lessons = context ? `\n\nEarlier tries and their ratings:\n${context}` : ''
      const content = `${again}${node.trajectory}\n---\nWhat are the possible next steps?${lessons}`
      return chain(askModel({ name, systemMessage, model, note }, content, { sample, run }), ({ text, used }) => {
        const read = readThinkerReply(text)
        return {
          text,
          used,
          reflection: read.reflection,
          options: read.options.map((option) => splitRating(option, rateUpTo)),
        }
      })
    },
  }
}

function splitRating(content: string, scale: number | null): ProposedOption {
  const at = scale === null ? -1 : content.search(/[\s([*_]*\brating\b[^\n]*$/i)
  if (at < 0) return { content }
  const rating = readRating(content.slice(at), scale!)
  return { content: content.slice(0, at).trim(), grade: rating === null ? null : toReward(rating, scale!) }
}
