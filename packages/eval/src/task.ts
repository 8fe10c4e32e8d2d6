import type { JsonSchema, JsonValue, MaybePromise, Model, Run, Tool } from '@x/interfaces'

/** A world that a task is about: tools that change it, and its state. Each answer has a new one. */
export interface World {
  readonly tools: readonly Tool[]
  /** Returns the state as plain JSON. */
  readonly state: () => JsonValue
}

/** A task: a question, and what a scorer compares its answer with. */
export interface EvalTask {
  /** Name of the task, once in an evaluation. */
  readonly id: string
  /** The question as contestants get it. */
  readonly input: string
  /** The kind of task, by which the table has rows; default `task`. */
  readonly kind?: string | undefined
  /** The right answer, for scorers; contestants do not get it. */
  readonly expected?: unknown
  /** JSON Schema of the answer, for contestants and the scorer `schema`. */
  readonly answerSchema?: JsonSchema | undefined
  /** Makes the world of one answer. */
  readonly world?: (() => World) | undefined
  /** The scorer of this task; default: that of the evaluation. */
  readonly scorer?: Scorer | undefined
}

/** A task as a contestant gets it. */
export interface AskedTask extends Pick<EvalTask, 'id' | 'input' | 'answerSchema'> {
  readonly kind: string
  /** Tools of the world of the task; empty without one. */
  readonly tools: readonly Tool[]
}

/** The context in which a contestant answers. */
export interface AnswerContext {
  /** The run of this answer: pass it to every agent, search and model, so that budget, record and stop hold inside. */
  readonly run: Run
  /** Fires when the time is over or the evaluation is stopped. */
  readonly signal: AbortSignal
  /** Number of the answer to this task, from 0. */
  readonly repeat: number
  /** A number for the program's own choices: the same for all contestants at a task and repeat. */
  readonly seed: number
}

/** An answer with what a program says of it. The results of `agent.run` and of `search` are such answers. */
export interface ContestantAnswer {
  /** The text; or `answer`. */
  readonly text?: string | null | undefined
  readonly answer?: string | null | undefined
  /** How sure the contestant is that the answer is right, from 0 to 1. */
  readonly confidence?: number | null | undefined
}

/** A program, agent or method that answers tasks. */
export interface Contestant {
  readonly name: string
  /**
   * All that its answers depend on beside the text of `answer`: model, prompts, parameters, version. With other settings its
   * answers are asked anew.
   */
  readonly settings?: JsonValue | undefined
  /** Answers a task. Plain texts are answers; an error counts as a wrong answer, unless a provider or the budget failed. */
  readonly answer: (task: AskedTask, context: AnswerContext) => MaybePromise<string | ContestantAnswer>
}

/** An answer as a scorer gets it. Its text comes from a model or program, and may be hostile. */
export interface GivenAnswer {
  readonly task: EvalTask
  readonly text: string
  /** State of the world after the answer; null without one. */
  readonly state: JsonValue
}

/** The context in which a scorer judges. */
export interface ScoreContext {
  /** The run of this judgement, for models and agents: the file keeps the answers of models in it. */
  readonly run: Run
  /** Asks a model, or returns the answer that the file has of an earlier time. */
  readonly ask: (model: Model, request: Parameters<Model['create']>[0]) => Promise<string>
}

/** A verdict: right or wrong, or a number from 0 to 1, perhaps with a reason; null if it cannot be told. */
export type Score =
  | boolean
  | number
  | null
  | { readonly score: number | boolean | null; readonly reason?: string | undefined }

/** Judges answers. */
export interface Scorer {
  (given: GivenAnswer, context: ScoreContext): MaybePromise<Score>
  /** Name in results; default: that of the function. */
  readonly title?: string | undefined
  /** Answers with the verdicts of people, by which an evaluation measures a judge. */
  readonly labelled?: readonly LabelledAnswer[] | undefined
}

/** An answer that a person has judged. */
export interface LabelledAnswer {
  readonly input: string
  readonly answer: string
  readonly expected?: unknown
  /** True if the answer is right. */
  readonly label: boolean
}
