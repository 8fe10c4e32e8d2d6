/** When an agent asks a human: always, never, or when a chat is about to end. */
export type HumanInputMode = 'ALWAYS' | 'NEVER' | 'TERMINATE'

/** A piece of code that a message holds. */
export interface CodeBlock {
  /** Language as written after the fence; empty when none was. */
  language: string
  code: string
}

/** A call of a tool or function that is about to be made. */
export interface ToolCallToVet {
  /** Name of the agent that is to make it. */
  readonly agent: string
  readonly name: string
  /** The arguments as they were read, before their check. */
  readonly arguments: Readonly<Record<string, unknown>>
  readonly callId: string | null
}

/** Code that is about to run. */
export interface CodeToVet {
  /** Name of the agent that is to run it. */
  readonly agent: string
  readonly blocks: readonly CodeBlock[]
}

/** Something that is not done before somebody has decided on it. */
export interface PendingApproval {
  /** Its place in the chat. */
  readonly id: string
  readonly chatId: string | null
  readonly agentPath: readonly string[]
  /** Name of the agent that is to do it. */
  readonly agent: string
  readonly action: ActionToApprove
}

/** What waits for a decision. */
export type ActionToApprove =
  | ({ readonly type: 'toolCall' } & Omit<ToolCallToVet, 'agent'>)
  | ({ readonly type: 'code' } & Omit<CodeToVet, 'agent'>)

/** What was decided on a pending action: do it, with other arguments if need be, or do not and tell the model why. */
export type ApprovalDecision =
  | { readonly allow: true; readonly arguments?: Readonly<Record<string, unknown>> | undefined }
  | { readonly allow: false; readonly reason?: string | undefined }
