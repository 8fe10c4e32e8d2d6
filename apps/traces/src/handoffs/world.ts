import type { Agent } from '@x/interfaces'

/** Functions and constants, by our names, that the traces of groups with handoffs need beside the agents. */
export interface HandoffWorld {
  /** Makes a pattern by its kind: `default`, `auto`, `round_robin`, `random`, `manual`. */
  pattern(kind: string, options: Readonly<Record<string, unknown>>): object
  /** The operation, with its blocking and streaming forms. */
  readonly operations: object
  /** Makes a target by its kind. */
  readonly targets: Readonly<Record<string, (options: Readonly<Record<string, unknown>>) => unknown>>
  /** Makes a test of an expression. */
  expression(text: string): (variables: object) => unknown
  /** Makes context variables that several chats share. */
  variables(initial: object): { toJSON(): object; update(changes: object): void }
  /** Makes the result with which a tool hands over. */
  replyResult(result: object): unknown
  /** Makes the hook that renews a system message by a template. */
  systemMessage(template: string): unknown
  /** What an agent has in common with each of its counterparts. */
  readonly conversations: (agent: Agent) => Iterable<{
    readonly counterpart: Agent | null
    readonly messages: readonly object[]
  }>
}
