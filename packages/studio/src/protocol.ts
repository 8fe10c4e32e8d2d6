import type { ChatMessage, ContentPart, Reply, XEvent } from '@x/interfaces'
import type { KeptRunInfo, RunStep } from '@x/records'

/** Most runs that are put side by side. */
export const MAX_COMPARED = 8

/** Facts that the page asks for once. */
export interface StudioInfo {
  readonly title: string
  /** Names of the agents that a person can chat with. */
  readonly agents: readonly string[]
  /** True if runs can go on from a place with another answer. */
  readonly forks: boolean
  /** True if runs and places can be labelled. */
  readonly labels: boolean
  /** True if calls and questions that wait can be decided. */
  readonly decides: boolean
}

/** The number of runs, and their cost together. */
export interface RunTotals {
  readonly runs: number
  readonly failed: number
  readonly calls: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cost: number
  /** Calls of unknown price, which cost 0 here. */
  readonly unpriced: number
  /** The last days on which runs began or cost something, the oldest first. */
  readonly days: readonly { readonly day: string; readonly runs: number; readonly cost: number }[]
}

/** A page of runs, the newest first. */
export interface RunList {
  readonly runs: readonly KeptRunInfo[]
  readonly totals: RunTotals
  /** Names of the agents and tags of all runs, to choose from. */
  readonly agents: readonly string[]
  readonly tags: readonly string[]
}

/** A step of a run as a row of a list: a step comes behind the one that it is inside of. */
export interface StepRow extends Pick<
  RunStep,
  'id' | 'kind' | 'agent' | 'name' | 'place' | 'time' | 'ms' | 'outcome' | 'cost' | 'cached'
> {
  readonly depth: number
  /** The beginning of what was said or asked. */
  readonly text: string
  /** The beginning of what came of it; empty for none. */
  readonly result: string
  readonly error: string | null
  /** Tokens of the request and of the answer. */
  readonly tokens: readonly [number, number] | null
  /** Model that answered; null for other steps. */
  readonly model: string | null
  /** True for a call or a question that waits for a decision. */
  readonly waits: boolean
  /** True if the step is that of the run that this one was forked from. */
  readonly isShared: boolean
}

/** The rows of a run from one on: those before it are as the page has them. */
export interface RunRows {
  readonly info: KeptRunInfo
  readonly from: number
  readonly rows: readonly StepRow[]
  /** Number of the last event; the page gives it to ask for what is new. */
  readonly seq: number
}

/** A question to a model, beside the one before it of the same agent. */
export interface AskedModel {
  /** The messages, from the first one on that is sent to the page. */
  readonly messages: readonly ChatMessage[]
  /** Number of messages before those; they are sent when they are asked for. */
  readonly leftOut: number
  /** Number of messages at the beginning that the question before it had too. */
  readonly shared: number
  /** The further messages of the question before it. */
  readonly before: readonly ChatMessage[]
  /** Parameters and tools, by the configs of the model. */
  readonly settings: unknown
}

/** A node of a search's tree. */
export interface ThoughtNode {
  readonly id: string
  readonly parent: string | null
  readonly text: string
  readonly grade: number | null
  readonly fate: string | null
  readonly isBest: boolean
}

/** Everything that is known of a step. */
export interface StepDetail {
  readonly id: string
  readonly input: string
  readonly output: string
  readonly error: string | null
  readonly asked: AskedModel | null
  readonly answer: Reply | null
  readonly reasoning: string | null
  /** Content that a tool or code gave beside text. */
  readonly parts: readonly ContentPart[]
  readonly thoughts: readonly ThoughtNode[]
  /** The events of the step. */
  readonly events: readonly XEvent[]
}

/** A future of a run: the messages that were said in it. */
export interface RunFuture {
  readonly info: KeptRunInfo
  readonly said: readonly { readonly who: string; readonly text: string }[]
}

/** A request to go on from a place, or to begin again. */
export interface ForkRequest {
  /** Place of the call; null for the first one. */
  readonly place: string | null
  /** The answer at the place; absent to ask again. */
  readonly answer?: string | undefined
  /** The first message, in the place of the recorded one. */
  readonly message?: string | undefined
  readonly samples: number
}

/** A line of an agent's answer in a chat; `id` is that of an answer of a model, or of a call. An answer that begins again was void. */
export type ChatLine =
  | { readonly type: 'text'; readonly id: string; readonly agent: string; readonly text: string }
  | { readonly type: 'begin'; readonly id: string; readonly agent: string; readonly model: string }
  | {
      readonly type: 'tool'
      readonly agent: string
      readonly name: string
      readonly input: string
      readonly output: string | null
      readonly id: string
    }
  | { readonly type: 'end'; readonly runId: string | null; readonly text: string }
  | { readonly type: 'error'; readonly error: string }
