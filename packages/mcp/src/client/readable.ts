/** A prompt that a server offers. */
export interface McpPrompt {
  readonly name: string
  readonly description: string
  readonly arguments: readonly { readonly name: string; readonly required: boolean }[]
}

/** A message of a prompt. */
export interface McpPromptMessage {
  readonly role: 'user' | 'assistant'
  readonly text: string
}

/** A resource that a server offers. */
export interface McpResource {
  /** Its address; of a template, one with names in braces. */
  readonly uri: string
  readonly name: string
  readonly description: string
  readonly mimeType: string | undefined
  readonly isTemplate: boolean
}

/** A part of a resource: text, or bytes in base64. */
export interface McpContents {
  readonly uri: string
  readonly mimeType: string | undefined
  readonly text: string | undefined
  readonly data: string | undefined
}
