import type { ContentPart } from '@x/interfaces'

/** A picture or sound of a result. */
export interface McpMedia {
  readonly type: 'image' | 'audio'
  readonly mimeType: string
  /** In base64. */
  readonly data: string
}

/** A resource that a result names; `readResource` reads it. */
export interface McpLink {
  readonly uri: string
  readonly name: string
  readonly mimeType: string | undefined
}

/** The result of a tool of a server. All of it is text of the server, and not to be trusted. */
export interface McpResult {
  /** What a model that sees nothing reads: the texts, the texts of embedded resources, and a line for everything else. */
  readonly text: string
  /** What a model is given: texts, images, sounds and files, and a line for links and what models cannot take. */
  readonly content: readonly ContentPart[]
  /** Whether the server says that the tool failed. */
  readonly isError: boolean
  /** The structured result; undefined where there is none. */
  readonly structured: unknown
  readonly media: readonly McpMedia[]
  readonly links: readonly McpLink[]
}
