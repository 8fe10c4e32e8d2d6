import type { ChatMessage, ModelAnswer, ModelCallOptions, ModelClient, ModelParams, Usage } from '@x/interfaces'
import { readPrompt } from './prompt.ts'
import { StandIn, type StandInSettings } from './stand-in.ts'

/** Options of the stand-in's client. */
export interface StandInOptions extends StandInSettings {
  /** Name of the model in answers; default `game-of-24-stand-in`. */
  model?: string | undefined
}

/**
 * A model client for Game of 24 without a network: a calibrated stand-in for a language model, with four characters per
 * token. Measurements with it are about the search, never about a language model.
 */
export class StandInClient implements ModelClient {
  readonly #standIn: StandIn
  readonly #model: string
  /** Number of times that each question was asked without a `sample`: every time is another sample, as with a real model. */
  readonly #timesAsked = new Map<string, number>()

  constructor(options: StandInOptions = {}) {
    this.#standIn = new StandIn(options)
    this.#model = options.model ?? 'game-of-24-stand-in'
  }

  create({ messages }: ModelParams, { sample }: ModelCallOptions = {}): ModelAnswer {
    const prompt = readPrompt(messages)
    const question = `${prompt.system}\n${prompt.user}`
    const content = this.#standIn.reply(prompt, sample ?? this.#countOf(question))
    const prompt_tokens = Math.ceil(question.length / 4)
    const completion_tokens = Math.ceil(content.length / 4)
    return {
      id: 'stand-in',
      model: this.#model,
      created: 0,
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
      usage: { prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    }
  }

  /** Returns how often a question was asked, and counts it. */
  #countOf(question: string): number {
    const times = this.#timesAsked.get(question) ?? 0
    this.#timesAsked.set(question, times + 1)
    return times
  }

  messageRetrieval(answer: ModelAnswer): string[] | ChatMessage[] {
    return answer.choices.map(({ message }) => (typeof message.content === 'string' ? message.content : ''))
  }

  getUsage({ usage }: ModelAnswer): Usage {
    const { prompt_tokens = 0, completion_tokens = 0 } = usage ?? {}
    return {
      model: this.#model,
      promptTokens: prompt_tokens,
      completionTokens: completion_tokens,
      totalTokens: prompt_tokens + completion_tokens,
      cost: 0,
    }
  }

  cost(): number {
    return 0
  }
}
