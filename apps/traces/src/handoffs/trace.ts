import type { Facts, GivenModel, TraceValue } from '../replay/trace.ts'

/** One recorded conversation of a group with handoffs. Names are those of the reference. */
export interface HandoffTrace {
  readonly name: string
  /** The behaviour that it shows. */
  readonly title: string
  readonly given: GivenWorld
  readonly steps: readonly HandoffStep[]
  readonly recorded: Readonly<Partial<Record<'both' | 'sync' | 'async', RecordedGroups>>>
  /** The right behaviour where the reference is wrong; such a recording is not replayed. */
  readonly defect?: string
}

/** The beginning of a trace. */
export interface GivenWorld {
  readonly models?: Readonly<Record<string, GivenModel>>
  readonly agents?: Readonly<Record<string, GivenMember>>
  /** Lines typed, in order, whoever asks. */
  readonly human?: readonly string[]
  /** Which candidate a random choice takes; default the first. */
  readonly random?: readonly number[]
  readonly tools?: Readonly<Record<string, GivenGroupTool>>
  readonly functions?: Readonly<Record<string, Facts>>
  readonly contexts?: Readonly<Record<string, Facts>>
  readonly patterns?: Readonly<Record<string, GivenPattern>>
}

/** An agent, with its handoffs and guardrails in groups. */
export interface GivenMember {
  readonly class?: string
  readonly options?: Facts
  readonly model?: string
  readonly functions?: readonly string[]
  readonly handoffs?: {
    readonly context?: readonly GivenHandoff[]
    readonly llm?: readonly GivenHandoff[]
    readonly after?: readonly GivenHandoff[]
    readonly set_after_work?: Facts
  }
  readonly input_guardrails?: readonly Facts[]
  readonly output_guardrails?: readonly Facts[]
  readonly update_state?: readonly Facts[]
  readonly context_variables?: Facts
}

/** A handoff: its target, its condition, and whether it counts. */
export interface GivenHandoff {
  readonly to: Facts
  readonly when?: Facts
  readonly available?: Facts
}

/** A tool: its parameters and its result. */
export interface GivenGroupTool {
  readonly description?: string
  readonly params?: Readonly<Record<string, Facts>>
  readonly result?: Facts
  readonly results?: readonly Facts[]
  readonly context?: boolean
  readonly async?: boolean
}

/** A pattern: the agents of the group, and its target when nobody decides. */
export interface GivenPattern {
  readonly pattern: string
  readonly initial_agent: string
  readonly agents: readonly string[]
  readonly user_agent?: string
  readonly group_manager_args?: Facts
  readonly manager_model?: string
  readonly context_variables?: Facts
  readonly group_after_work?: Facts
  readonly selection_message?: Facts
  readonly exclude_transit_message?: boolean
  readonly summary_method?: TraceValue
  readonly inner?: boolean
}

/** One operation. */
export interface HandoffStep {
  readonly do: string
  readonly pattern?: string
  readonly with?: Readonly<Record<string, TraceValue>>
  readonly as?: string
  readonly on?: string
  readonly context?: TraceValue
  readonly condition?: GivenHandoff
  readonly conditions?: readonly GivenHandoff[]
  readonly guardrail?: Facts
  readonly expressions?: readonly string[]
}

/** A recording, or the observations of a replay. */
export interface RecordedGroups {
  readonly results: readonly Facts[]
  readonly groups?: readonly Facts[]
  readonly histories?: Readonly<Record<string, Readonly<Record<string, readonly Facts[]>>>>
  readonly model_calls?: readonly { readonly model: string; readonly params: Facts }[]
  readonly function_calls?: readonly Facts[]
  readonly events?: readonly Facts[]
  readonly prompts?: readonly Facts[]
  readonly random_choices?: readonly (readonly string[])[]
}
