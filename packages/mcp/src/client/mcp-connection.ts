import type { RunOptions } from '@x/interfaces'
import type { McpTool, McpToolDefinition } from './tool-definition.ts'
import type { McpToolsOptions } from './tool-options.ts'
import type { McpResult } from '../text/mcp-result.ts'

/** Options of a request to a server. */
export interface McpRequestOptions extends Pick<RunOptions, 'signal'> {
  /** Timeout in seconds; default 60. */
  readonly timeout?: number | undefined
}

/** Options of `callTool`. */
export interface McpCallOptions extends McpRequestOptions {
  /** Sent as `_meta['x/key']`, so that the server can recognize a repeated call; default: none. */
  readonly key?: string | undefined
}

/** The description of a server by itself, which must not be trusted. */
export interface McpServerInfo {
  readonly name: string
  readonly version: string
  /** Instructions for clients; the framework does not use them. */
  readonly instructions: string
  /** The negotiated version of the protocol. */
  readonly protocolVersion: string
}

/** A connection to a server until it is closed; after a break the next request reconnects. */
export interface McpConnection extends AsyncDisposable {
  /** Prefix of the tool names. */
  readonly name: string
  /** The description of the server by itself; undefined while it cannot be reached. */
  readonly info: McpServerInfo | undefined
  /** The tools of the server, as listed at the beginning or by `refresh`. */
  readonly definitions: readonly McpToolDefinition[]
  /** Tools that cannot be used, with the reason. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[]
  /** Returns the allowed tools for agents; names that the server does not have are refused. */
  tools(options: McpToolsOptions): McpTool[]
  /** Lists the tools again, for later calls of `tools`; tools of agents stay as they are. */
  refresh(options?: McpRequestOptions): Promise<readonly McpToolDefinition[]>
  /**
   * Calls a tool by its original name, without approval, and resolves with the whole result; `isError` tells that the tool
   * failed.
   */
  callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: McpCallOptions): Promise<McpResult>
  /** Lists the prompts that the server offers. */
  prompts(options?: McpRequestOptions): Promise<McpPrompt[]>
  /** Reads a prompt with values for its arguments; the messages are texts of the server. */
  readPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: McpRequestOptions,
  ): Promise<McpPromptMessage[]>
  /** Lists the resources that the server offers, with templates of addresses. */
  resources(options?: McpRequestOptions): Promise<McpResource[]>
  /** Reads a resource as texts, and as bytes in base64. */
  readResource(uri: string, options?: McpRequestOptions): Promise<McpContents[]>
  /** Ends the connection; resolves when its processes and their children have ended. */
  close(): Promise<void>
}

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
  /** Address; the address of a template has names in braces. */
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
