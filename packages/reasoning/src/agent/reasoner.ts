import type { Model, SearchBeliefs } from '@x/interfaces'
import type { ModelCaller } from '../ask/ask-model.ts'
import { modelAnswerer } from '../ask/model-answerer.ts'
import { modelGrader } from '../ask/model-grader.ts'
import { modelProposer } from '../ask/model-proposer.ts'
import { graderMessage, thinkerMessage } from '../ask/prompts.ts'
import { describeAttemptsIn } from '../methods/simulation.ts'
import type { Grader, Proposer } from '../search/parts.ts'
import type { SearchParts } from '../search/search-options.ts'
import type { Random } from '../strategy/random.ts'
import type { ThinkNode } from '../tree/think-node.ts'
import { InternalAgent } from './internal-agent.ts'
import { repairsReplies, type ReasonSettings } from './settings.ts'
import { withExecution, type RunCode } from './with-execution.ts'

/** Options of a `Reasoner`. */
export interface ReasonerOptions {
  settings: ReasonSettings
  /** Returns the caller that writes the answers; called for every search. */
  answerer: () => ModelCaller
  /** Make the models of the internal agents, at their first call. */
  models: { readonly thinker: () => Model; readonly grader: () => Model }
  /** Runs the code of options; without it the thinker's prompt does not mention code. */
  runCode?: RunCode | undefined
  random?: Random | undefined
}

/** The search of a reasoning agent: the settings, the internal agents and the last tree. */
export class Reasoner {
  readonly settings: ReasonSettings
  readonly thinker: InternalAgent
  readonly grader: InternalAgent
  /** The root of the last search tree; null before the first search. */
  root: ThinkNode | null = null
  /** The beliefs of the last search; null before it, and for methods that have none. */
  beliefs: SearchBeliefs | null = null
  readonly #answerer: () => ModelCaller
  readonly #runCode: RunCode | undefined
  readonly #random: Random | undefined

  constructor(options: ReasonerOptions) {
    const { settings } = options
    this.settings = settings
    this.#answerer = options.answerer
    this.#runCode = options.runCode
    this.#random = options.random
    this.thinker = new InternalAgent({
      name: 'tot_thinker',
      description: 'Proposes options for the next step.',
      systemMessage: thinkerMessage({ code: options.runCode !== undefined }),
      model: options.models.thinker,
    })
    this.grader = new InternalAgent({
      name: 'tot_grader',
      description: 'Rates steps and answers.',
      systemMessage: graderMessage({
        scale: settings.ratingScale,
        isOutcome: false,
        several: false,
        groundTruth: null,
      }),
      model: options.models.grader,
    })
  }

  /** The attempts of the last search as text, for `lats`, whose thinker and grader see them; null for other methods. */
  get lessons(): string | null {
    return this.settings.method === 'lats' && this.root ? describeAttemptsIn(this.root) : null
  }

  /** Makes the parts of one search; two searches share none. */
  partsFor(groundTruth: string | null): SearchParts {
    const { maxPromptLength, parts = {}, perform, budget, concurrency, maxOptions, maxOptionLength } = this.settings
    const proposer = parts.proposer ?? this.#modelProposer()
    return {
      proposer: this.#runCode ? withExecution(proposer, this.#runCode) : proposer,
      grader: this.graderFor(groundTruth),
      answerer: parts.answerer ?? modelAnswerer({ ...this.#answerer(), maxPromptLength }),
      verifier: parts.verifier ?? this.settings.verifier,
      perform,
      budget,
      concurrency,
      maxOptions,
      maxOptionLength,
      repair: repairsReplies(this.settings),
      random: this.#random,
    }
  }

  /** Returns the caller that writes answers under another name and without a system message. */
  answererAs(name: string): ModelCaller {
    return { ...this.#answerer(), name, systemMessage: '' }
  }

  #modelProposer(): Proposer {
    const { thinker, settings } = this
    const { name, systemMessage, model } = thinker
    const note: InternalAgent['note'] = (response) => thinker.note(response)
    const { rateUpTo, maxPromptLength } = settings
    return modelProposer({ model, name, systemMessage, note, rateUpTo, maxPromptLength })
  }

  /** Makes the grader, with facts known to be true. */
  graderFor(groundTruth: string | null): Grader {
    const { grader, settings } = this
    const { ratingScale, maxPromptLength, parts } = settings
    if (parts?.grader) return parts.grader
    const { model, name } = grader
    const note: InternalAgent['note'] = (response) => grader.note(response)
    return modelGrader({ model, name, note, ratingScale, groundTruth, maxPromptLength })
  }
}
