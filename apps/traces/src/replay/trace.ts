import type { JsonValue } from '@x/interfaces'

/** A value of a trace: JSON, in which an object with a single key that begins with `$` is a reference. */
export type TraceValue = JsonValue

/** One recorded conversation: its setting, its steps, its observations. Names are those of the reference. */
export interface Trace {
  /** Folder and file name, as in `agent/send/text`. */
  readonly name: string
  readonly about: string
  readonly given: Given
  readonly steps: readonly Step[]
  /** In a file: `then`; an object with that name would look like a promise. */
  readonly recorded: Then
  /** Whether logging is on. */
  readonly log?: boolean
  /** True if only the number of model calls was recorded, and not their content. */
  readonly count_model_calls?: boolean
}

/** The beginning of a trace. */
export interface Given {
  readonly models?: Readonly<Record<string, GivenModel>>
  readonly agents?: Readonly<Record<string, GivenAgent>>
  /** Lines typed, in order, whoever asks; or an interrupt in place of a line. */
  readonly human?: readonly (string | { readonly interrupt: true })[]
  readonly groups?: Readonly<Record<string, GivenGroup>>
  /** Random numbers in [0, 1), in order; the last one repeats. */
  readonly random?: readonly number[]
  readonly tools?: Readonly<Record<string, GivenTool>>
  readonly functions?: Readonly<Record<string, GivenFunction>>
}

/** One group: its options, and the model that chooses speakers in place of the manager's. */
export interface GivenGroup {
  readonly select_model?: string
  readonly [option: string]: TraceValue | undefined
}

/** A scripted model: answers in order, the last one again and again, or by rule. */
export interface GivenModel {
  readonly replies?: readonly GivenReply[]
  readonly rules?: readonly { readonly when: string; readonly reply: GivenReply }[]
  /** Tokens of a call, default `[10, 5]`. */
  readonly usage?: readonly [prompt: number, completion: number]
  /** Cost of a call in US dollars, default 0. */
  readonly cost?: number
}

/** One scripted answer: a text, a message, or a failure. */
export type GivenReply =
  | string
  | { readonly error: GivenFailure; readonly message?: string }
  | {
      readonly content?: string | null
      readonly tool_calls?: readonly TraceValue[]
      readonly function_call?: TraceValue
      readonly usage?: readonly [prompt: number, completion: number]
    }

/** A failure of a scripted call. */
export type GivenFailure = 'timeout' | 'connection' | 'rate-limit' | 'server' | 'auth' | 'content-filter' | 'other'

/** One agent: its class, its constructor's options and the scripts behind it. */
export interface GivenAgent {
  readonly class: string
  readonly options?: Readonly<Record<string, TraceValue>>
  /** Name of the model behind its only config. */
  readonly model?: string
  /** Further keys of that model's config. */
  readonly request?: Readonly<Record<string, TraceValue>>
  /** Results of `run_code` in order; the last one repeats. */
  readonly run_code?: readonly (readonly [exitCode: number, logs: string, image: string | null])[]
  /** Name of the group that it manages. */
  readonly group?: string
  readonly thinker_model?: string
  readonly grader_model?: string
}

/** A scripted tool: its arguments and its result. */
export interface GivenTool {
  readonly description?: string
  /** JSON Schemas of the arguments by name; one with a default may be left out. */
  readonly params?: Readonly<
    Record<string, { readonly default?: TraceValue; readonly [keyword: string]: TraceValue | undefined }>
  >
  readonly result: GivenToolResult
  readonly async?: boolean
}

/** The result of a scripted tool: a sum of arguments, a filled text, an error, a value. */
export type GivenToolResult =
  | { readonly sum: readonly string[] }
  | { readonly template: string }
  | { readonly raise: string }
  | { readonly value: TraceValue }

/** A scripted callable; its kind tells its use, its fields its behaviour. */
export type GivenFunction =
  | ({ readonly kind: 'tool' } & GivenTool)
  | {
      readonly kind: 'reply'
      /** Outcomes in order; the last one repeats. */
      readonly results: readonly (readonly [final: boolean, reply: TraceValue] | GivenFault)[]
      /** True if it notes the last speaker, as its manager knows it. */
      readonly note_last_speaker?: boolean
      /** Key of the config that counts the calls. */
      readonly count_in_config?: string
      readonly async?: boolean
    }
  | {
      readonly kind: 'nested_reply'
      readonly result: readonly [final: boolean, reply: TraceValue]
      readonly async?: boolean
    }
  | { readonly kind: 'termination' | 'filter'; readonly contains?: string; readonly ends_with?: string }
  | { readonly kind: 'trigger'; readonly sender_in: readonly string[] }
  | { readonly kind: 'content_hook' | 'send_hook'; readonly append: string }
  | { readonly kind: 'messages_hook'; readonly keep_last: number }
  | { readonly kind: 'state_hook'; readonly set_system_message: string }
  | { readonly kind: 'message' | 'nested_message' | 'summary' | 'template'; readonly template: string }
  | { readonly kind: 'reset_config'; readonly to: Readonly<Record<string, TraceValue>> }
  | { readonly kind: 'speaker_selection'; readonly results: readonly TraceValue[] }
  | { readonly kind: 'transform'; readonly keep_last: number }
  | { readonly kind: 'text'; readonly replace: string; readonly by: string }

/** A scripted callable fails, or its person interrupts it. */
export type GivenFault = { readonly raise: string } | { readonly interrupt: true }

/** One operation: `args` by position, `with` by name. */
export interface Step {
  readonly do: string
  /** Name of the agent it is done on, or a reference to it. */
  readonly on?: TraceValue
  /** Name of the group it is done on. */
  readonly group?: string
  /** Name of the wrapper it is done on. */
  readonly wrapper?: string
  readonly args?: readonly TraceValue[]
  readonly with?: Readonly<Record<string, TraceValue>>
  /** Attributes from the agent or wrapper on, for `get`. */
  readonly path?: readonly string[]
  /** Name under which a later step finds the result. */
  readonly as?: string
  /** Name of an earlier result, for `extract`. */
  readonly of?: string
  readonly tool?: string
  readonly fn?: string
  /** Name of the attribute, for `set`. */
  readonly name?: string
}

/** The recordings of a trace: the same for both faces, or by face. */
export interface Then {
  readonly both?: Recorded
  readonly sync?: Recorded
  readonly async?: Recorded
}

/** The end of a step: with a value, or with an error (a null code: an error handed on as it is). */
export type Result = { readonly value: TraceValue } | { readonly error: string; readonly code: string | null }

/** The recording of a run, in the spelling of the reference. Absent fields are empty. */
export interface Recorded {
  readonly results: readonly Result[]
  /** Messages by agent and counterpart, at the end. */
  readonly histories?: Readonly<Record<string, Readonly<Record<string, readonly TraceValue[]>>>>
  /** Consecutive auto replies by agent and counterpart, at the end; `none` is no counterpart. */
  readonly auto_reply_counters?: Readonly<Record<string, Readonly<Record<string, number>>>>
  readonly model_calls?: readonly { readonly model: string; readonly params: Readonly<Record<string, TraceValue>> }[]
  readonly model_call_counts?: Readonly<Record<string, number>>
  readonly function_calls?: readonly Facts[]
  readonly events?: readonly Facts[]
  /** Questions to the human. */
  readonly prompts?: readonly string[]
  readonly log?: readonly Facts[]
  /** How many different warnings were given. */
  readonly warnings?: number
  /** Messages of each group, at the end. */
  readonly groups?: Readonly<Record<string, readonly TraceValue[]>>
  /** Each random choice: among whom, and who was drawn. */
  readonly draws?: readonly Facts[]
  /** The wordings of a replay, by the names that recordings have for those of the reference. */
  readonly wordings?: Readonly<Record<string, string>>
}

/** A record of named values. */
export type Facts = Readonly<Record<string, TraceValue | undefined>>

/** Whether a value is a record of named values. */
export const isFacts = (value: TraceValue | undefined): value is Facts & TraceValue =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
