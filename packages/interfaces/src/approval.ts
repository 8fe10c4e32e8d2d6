/** When an agent asks a human: always, never, or when a chat is about to end. */
export type HumanInputMode = 'ALWAYS' | 'NEVER' | 'TERMINATE'

/** A block of code in a message. */
export interface CodeBlock {
  /** Language after the fence; empty without one. */
  language: string
  code: string
}

/** A call of a tool or function, before it is made. */
export interface ToolCallToVet {
  /** Name of the agent that will make the call. */
  readonly agent: string
  readonly name: string
  /** The parsed arguments, before they are checked. */
  readonly arguments: Readonly<Record<string, unknown>>
  readonly callId: string | null
}

/** Code, before it runs. */
export interface CodeToVet {
  /** Name of the agent that will run the code. */
  readonly agent: string
  readonly blocks: readonly CodeBlock[]
}

/** An action that waits for a decision. */
export interface PendingApproval {
  /** Place of the action in the chat. */
  readonly id: string
  readonly chatId: string | null
  readonly agentPath: readonly string[]
  /** Name of the agent that will act. */
  readonly agent: string
  readonly action: ActionToApprove
}

/** A tool call or code that waits for a decision, or a question to a person that waits for an answer. */
export type ActionToApprove =
  | ({
      readonly type: 'toolCall'
      /** Words of the tool about this call for whoever decides, such as what has changed in it; absent if there are none. */
      readonly note?: string | undefined
    } & Omit<ToolCallToVet, 'agent'>)
  | ({ readonly type: 'code' } & Omit<CodeToVet, 'agent'>)
  | { readonly type: 'question'; readonly prompt: string }

/**
 * The decision on a pending action: allow it, with other arguments if need be, or deny it and tell the model why. A question
 * is allowed with its `answer`; denied, it is answered by the reason, or by an empty text without one.
 */
export type ApprovalDecision = (
  | {
      readonly allow: true
      readonly arguments?: Readonly<Record<string, unknown>> | undefined
      readonly answer?: string | undefined
    }
  | { readonly allow: false; readonly reason?: string | undefined }
) & {
  /** Name of the person or program that decided, for the events and records of the chat. */
  readonly by?: string | undefined
}
