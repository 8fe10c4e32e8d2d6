import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { plainText } from '../text/plain-text.ts'
import { readResult, type McpResult } from '../text/mcp-result.ts'
import { callServerTool, createMcpTool, type ToolServer } from './mcp-tool.ts'
import type { Connector } from './connector.ts'
import type {
  McpCallOptions,
  McpConnection,
  McpContents,
  McpPrompt,
  McpPromptMessage,
  McpRequestOptions,
  McpResource,
  McpServerInfo,
} from './mcp-connection.ts'
import type { McpTool, McpToolDefinition } from './tool-definition.ts'
import { allowedTools, type McpToolsOptions } from './tool-options.ts'
import {
  METHOD_NOT_FOUND,
  ProtocolError,
  type GetPromptResult,
  type ReadResourceResult,
} from '@modelcontextprotocol/client'

const REQUEST_KINDS: OptionKinds<McpRequestOptions> = {
  signal: kind.having('an `AbortSignal`', 'addEventListener'),
  timeout: kind.timeout,
}
const CALL_TOOL_KINDS: OptionKinds<McpCallOptions> = { ...REQUEST_KINDS, key: kind.text }

/** The implementation of a connection to a server. */
export class ServerConnection implements McpConnection {
  readonly name: string
  readonly #server: ToolServer
  readonly #connector: Connector

  constructor(server: ToolServer, connector: Connector) {
    this.name = server.name
    this.#server = server
    this.#connector = connector
  }

  get info(): McpServerInfo | undefined {
    const client = this.#connector.link?.client
    if (!client) return undefined
    const { name = '', version = '' } = client.getServerVersion() ?? {}
    return {
      name: plainText(name, 200),
      version: plainText(version, 100),
      instructions: plainText(client.getInstructions() ?? '', 10_000),
      protocolVersion: client.getNegotiatedProtocolVersion() ?? '',
    }
  }

  get definitions(): readonly McpToolDefinition[] {
    return this.#server.list.listed.tools
  }

  get leftOut(): readonly { readonly name: string; readonly why: string }[] {
    return this.#server.list.listed.leftOut
  }

  tools(options: McpToolsOptions): McpTool[] {
    return allowedTools(this.name, options, this.definitions).map((each) => createMcpTool(this.#server, each, options))
  }

  async refresh(options: McpRequestOptions = {}): Promise<readonly McpToolDefinition[]> {
    checkOptions(options, REQUEST_KINDS, 'run `refresh`', this.name)
    await this.#server.list.load(options.signal)
    return this.definitions
  }

  async callTool(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: McpCallOptions = {},
  ): Promise<McpResult> {
    checkOptions(options, CALL_TOOL_KINDS, 'run `callTool`', this.name)
    const { signal, timeout = 60, key } = options
    const [tool] = allowedTools(this.name, { allow: [name] }, this.definitions)
    const { io } = this.#server
    const result = await callServerTool(this.#server, {
      tool: tool!,
      args,
      key,
      signal,
      io,
      callId: null,
      emit: undefined,
      repeatable: tool!.idempotent,
      timeoutMs: timeout * 1000,
      totalTimeoutMs: Math.max(600, timeout) * 1000,
    })
    return readResult(this.name, result, Number.MAX_SAFE_INTEGER)
  }

  async prompts(options: McpRequestOptions = {}): Promise<McpPrompt[]> {
    checkOptions(options, REQUEST_KINDS, 'run `prompts`', this.name)
    return await this.#request('list the prompts', options, async ({ client }, each) => {
      if (!client.getServerCapabilities()?.prompts) return []
      const { prompts } = await client.listPrompts(undefined, each)
      return prompts.map(({ name, description = '', arguments: args = [] }) => ({
        name,
        description: plainText(description, 4000),
        arguments: args.map((argument) => ({ name: argument.name, required: argument.required === true })),
      }))
    })
  }

  async readPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: McpRequestOptions = {},
  ): Promise<McpPromptMessage[]> {
    checkOptions(options, REQUEST_KINDS, 'run `readPrompt`', this.name)
    return await this.#request(`read the prompt \`${name}\``, options, async ({ client }, each) =>
      readPrompt(await client.getPrompt({ name, arguments: { ...args } }, each)),
    )
  }

  async resources(options: McpRequestOptions = {}): Promise<McpResource[]> {
    checkOptions(options, REQUEST_KINDS, 'run `resources`', this.name)
    return await this.#request('list the resources', options, async ({ client }, each) => {
      if (!client.getServerCapabilities()?.resources) return []
      const { resources } = await client.listResources(undefined, each).catch(noneIfUnknown({ resources: [] }))
      const { resourceTemplates } = await client
        .listResourceTemplates(undefined, each)
        .catch(noneIfUnknown({ resourceTemplates: [] }))
      return [
        ...resources.map((resource) => ({ ...resource, isTemplate: false })),
        ...resourceTemplates.map((template) => ({ ...template, uri: template.uriTemplate, isTemplate: true })),
      ].map(({ uri, name, description = '', mimeType, isTemplate }) => ({
        uri,
        mimeType,
        isTemplate,
        name: plainText(name, 200),
        description: plainText(description, 4000),
      }))
    })
  }

  async readResource(uri: string, options: McpRequestOptions = {}): Promise<McpContents[]> {
    checkOptions(options, REQUEST_KINDS, 'run `readResource`', this.name)
    return await this.#request(`read the resource \`${plainText(uri, 200)}\``, options, async ({ client }, each) =>
      readContents(await client.readResource({ uri }, each)),
    )
  }

  async close(): Promise<void> {
    await this.#connector.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #request<T>(
    what: string,
    { signal, timeout = 60 }: McpRequestOptions,
    send: (link: Parameters<Parameters<Connector['request']>[0]['send']>[0], options: SendOptions) => Promise<T>,
  ): Promise<T> {
    const each: SendOptions = { timeout: timeout * 1000, ...(signal && { signal }) }
    return await this.#server.request({ what, signal, repeatable: true, send: async (link) => await send(link, each) })
  }
}

/** Gives an empty list where a server does not know the method: many have resources and no templates, or the reverse. */
const noneIfUnknown =
  <T>(none: T) =>
  (error: unknown): T => {
    if (error instanceof ProtocolError && error.code === METHOD_NOT_FOUND) return none
    throw error
  }

interface SendOptions {
  readonly timeout: number
  readonly signal?: AbortSignal
}

/** Reads the messages of a prompt; content other than text becomes a line with its type. */
const readPrompt = ({ messages }: GetPromptResult): McpPromptMessage[] =>
  messages.map(({ role, content }) => ({
    role,
    text:
      content.type === 'text'
        ? content.text
        : content.type === 'resource' && 'text' in content.resource
          ? content.resource.text
          : `[${content.type}]`,
  }))

/** Reads the parts of a resource. */
const readContents = ({ contents }: ReadResourceResult): McpContents[] =>
  contents.map((part) => ({
    uri: part.uri,
    mimeType: part.mimeType,
    text: 'text' in part ? part.text : undefined,
    data: 'blob' in part ? part.blob : undefined,
  }))
