import type { JsonSchema, Tool, ToolContent } from '@x/interfaces'

/** A tool of a server, as it was when the program connected. */
export interface McpToolDefinition {
  /** Name for models: `server__tool`. */
  readonly name: string
  /** The server's own name of it. */
  readonly originalName: string
  readonly title: string | undefined
  /** Text of the server: bounded, without hidden characters, and not to be trusted. */
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema
  /** JSON Schema of the structured result. */
  readonly outputSchema: JsonSchema | undefined
  /** Whether the server says that it changes nothing. */
  readonly readOnly: boolean
  /** Whether the server says that a second equal call changes nothing more. */
  readonly idempotent: boolean
  /** Whether the server says that it may destroy something. */
  readonly destructive: boolean
  /** SHA-256 of all of it, as the server gave it: it changes when anything of the tool does. */
  readonly fingerprint: string
}

/**
 * A tool of a server, as agents use it. It takes any object: the server checks the arguments. It gives a text, or parts where
 * the server gives images, sounds or files.
 */
export type McpTool = Tool<Readonly<Record<string, unknown>>, Promise<string | ToolContent>>
