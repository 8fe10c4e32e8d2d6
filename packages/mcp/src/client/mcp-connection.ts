import type { RunOptions } from '@x/interfaces'
import type { McpContents, McpPrompt, McpPromptMessage, McpResource } from './readable.ts'
import type { McpTool, McpToolDefinition } from './tool-definition.ts'
import type { McpToolsOptions } from './tool-options.ts'
import type { McpResult } from '../text/mcp-result.ts'

/** Options of a request to a server. */
export interface McpRequestOptions extends Pick<RunOptions, 'signal'> {
  /** Seconds it may take; default 60. */
  readonly timeout?: number | undefined
}

/** Options of one call of a tool. */
export interface McpCallOptions extends McpRequestOptions {
  /** Goes along as `_meta['x/key']`, so that the server can tell a repetition; default: none. */
  readonly key?: string | undefined
}

/** The description that a server gives of itself. It is text of the server, and not to be trusted. */
export interface McpServerInfo {
  readonly name: string
  readonly version: string
  /** How it wants to be used; the framework does nothing with it. */
  readonly instructions: string
  /** Version of the protocol that both speak. */
  readonly protocolVersion: string
}

/** A connection to a server, until it is closed; one that breaks is made anew by the next request. */
export interface McpConnection extends AsyncDisposable {
  /** Prefix of the names of its tools. */
  readonly name: string
  /** What the server says of itself; undefined while it cannot be reached. */
  readonly info: McpServerInfo | undefined
  /** The tools of the server, as they were when it was asked: at the beginning, or by `refresh`. */
  readonly definitions: readonly McpToolDefinition[]
  /** Tools that cannot be used, with the reason. */
  readonly leftOut: readonly { readonly name: string; readonly why: string }[]
  /** Gives tools for agents; those that are not allowed are not there. A name that the server does not have is refused. */
  tools(options: McpToolsOptions): McpTool[]
  /** Lists the tools anew, for `tools` from now on; tools that agents have stay as they are. */
  refresh(options?: McpRequestOptions): Promise<readonly McpToolDefinition[]>
  /**
   * Calls a tool by the server's own name of it, without an approval, and gives all of its result. A tool that fails says
   * so by `isError`.
   */
  callTool(name: string, args?: Readonly<Record<string, unknown>>, options?: McpCallOptions): Promise<McpResult>
  /** Lists the prompts that the server offers. */
  prompts(options?: McpRequestOptions): Promise<McpPrompt[]>
  /** Reads a prompt, with a value for each of its arguments. Its messages are texts of the server. */
  readPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: McpRequestOptions,
  ): Promise<McpPromptMessage[]>
  /** Lists the resources that the server offers, templates of addresses included. */
  resources(options?: McpRequestOptions): Promise<McpResource[]>
  /** Reads a resource: its texts, and its bytes in base64. */
  readResource(uri: string, options?: McpRequestOptions): Promise<McpContents[]>
  /** Ends the connection; what was started for it, and what that has started, is gone when it resolves. */
  close(): Promise<void>
}
