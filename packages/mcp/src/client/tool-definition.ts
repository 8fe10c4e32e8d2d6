import type { JsonSchema, Tool, ToolContent } from '@x/interfaces'

/** A tool of a server, as it was listed. */
export interface McpToolDefinition {
  /** Name for models: `server__tool`. */
  readonly name: string
  /** Name on the server. */
  readonly originalName: string
  readonly title: string | undefined
  /** Text of the server: bounded and without hidden characters, but not to be trusted. */
  readonly description: string
  /** JSON Schema of the arguments. */
  readonly inputSchema: JsonSchema
  /** JSON Schema of the structured result. */
  readonly outputSchema: JsonSchema | undefined
  /** True if the server says that the tool changes nothing. */
  readonly readOnly: boolean
  /** True if the server says that a second equal call changes nothing more. */
  readonly idempotent: boolean
  /** True unless the server says that the tool destroys nothing. */
  readonly destructive: boolean
  /** SHA-256 of the listed tool, which changes with any part of it. */
  readonly fingerprint: string
}

/**
 * A tool of a server for agents. It takes any object, because the server checks the arguments. Its result is a text, or
 * content parts where the server sends images, sounds or files.
 */
export type McpTool = Tool<Readonly<Record<string, unknown>>, Promise<string | ToolContent>>
