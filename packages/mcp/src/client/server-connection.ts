import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { plainText } from '../text/plain-text.ts'
import type { McpResult } from '../text/mcp-result.ts'
import { readResult } from '../text/result-text.ts'
import { callServerTool } from './call-tool.ts'
import type { Connector } from './connector.ts'
import type { McpCallOptions, McpConnection, McpRequestOptions, McpServerInfo } from './mcp-connection.ts'
import { createMcpTool, type ToolServer } from './mcp-tool.ts'
import { readContents, readPrompt } from './read-contents.ts'
import type { McpContents, McpPrompt, McpPromptMessage, McpResource } from './readable.ts'
import type { McpTool, McpToolDefinition } from './tool-definition.ts'
import { allowedTools, type McpToolsOptions } from './tool-options.ts'

const REQUEST: OptionKinds<McpRequestOptions> = {
  signal: kind.having('an `AbortSignal`', 'addEventListener'),
  timeout: kind.timeout,
}
const CALL: OptionKinds<McpCallOptions> = { ...REQUEST, key: kind.text }

/** A connection to a server, as it works. */
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
    checkOptions(options, REQUEST, 'run `refresh`', this.name)
    await this.#server.list.load(options.signal)
    return this.definitions
  }

  async callTool(
    name: string,
    args: Readonly<Record<string, unknown>> = {},
    options: McpCallOptions = {},
  ): Promise<McpResult> {
    checkOptions(options, CALL, 'run `callTool`', this.name)
    const { signal, timeout = 60, key } = options
    const [tool] = allowedTools(this.name, { allow: [name] }, this.definitions)
    const { request, open, io } = this.#server
    const result = await callServerTool(this.name, request, open, {
      ...{ tool: tool!, args, key, signal, io, callId: null, emit: undefined, repeatable: tool!.idempotent },
      ...{ timeoutMs: timeout * 1000, totalMs: Math.max(600, timeout) * 1000 },
    })
    return readResult(this.name, result, Number.MAX_SAFE_INTEGER)
  }

  async prompts(options: McpRequestOptions = {}): Promise<McpPrompt[]> {
    checkOptions(options, REQUEST, 'run `prompts`', this.name)
    return await this.#ask('list the prompts', options, async ({ client }, each) => {
      if (!client.getServerCapabilities()?.prompts) return []
      const { prompts } = await client.listPrompts(undefined, each)
      return prompts.map(({ name, description = '', arguments: args = [] }) => ({
        name,
        description: plainText(description, 4000),
        arguments: args.map((its) => ({ name: its.name, required: its.required === true })),
      }))
    })
  }

  async readPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: McpRequestOptions = {},
  ): Promise<McpPromptMessage[]> {
    checkOptions(options, REQUEST, 'run `readPrompt`', this.name)
    return await this.#ask(`read the prompt \`${name}\``, options, async ({ client }, each) =>
      readPrompt(await client.getPrompt({ name, arguments: { ...args } }, each)),
    )
  }

  async resources(options: McpRequestOptions = {}): Promise<McpResource[]> {
    checkOptions(options, REQUEST, 'run `resources`', this.name)
    return await this.#ask('list the resources', options, async ({ client }, each) => {
      if (!client.getServerCapabilities()?.resources) return []
      const { resources } = await client.listResources(undefined, each)
      const { resourceTemplates } = await client.listResourceTemplates(undefined, each)
      return [
        ...resources.map((its) => ({ ...its, isTemplate: false })),
        ...resourceTemplates.map((its) => ({ ...its, uri: its.uriTemplate, isTemplate: true })),
      ].map(({ uri, name, description = '', mimeType, isTemplate }) => ({
        ...{ uri, mimeType, isTemplate },
        name: plainText(name, 200),
        description: plainText(description, 4000),
      }))
    })
  }

  async readResource(uri: string, options: McpRequestOptions = {}): Promise<McpContents[]> {
    checkOptions(options, REQUEST, 'run `readResource`', this.name)
    return await this.#ask(`read the resource \`${plainText(uri, 200)}\``, options, async ({ client }, each) =>
      readContents(await client.readResource({ uri }, each)),
    )
  }

  async close(): Promise<void> {
    await this.#connector.close()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }

  async #ask<T>(
    what: string,
    { signal, timeout = 60 }: McpRequestOptions,
    send: (link: Parameters<Parameters<Connector['request']>[0]['send']>[0], options: SendOptions) => Promise<T>,
  ): Promise<T> {
    const each: SendOptions = { timeout: timeout * 1000, ...(signal && { signal }) }
    return await this.#server.request({ what, signal, repeatable: true, send: async (link) => await send(link, each) })
  }
}

interface SendOptions {
  readonly timeout: number
  readonly signal?: AbortSignal
}
