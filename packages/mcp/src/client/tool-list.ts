import type { JsonSchema, RunContext } from '@x/interfaces'
import { LEFT_OUT_META } from './broken-parts.ts'
import type { Connector } from './connector.ts'
import type { McpToolDefinition } from './tool-definition.ts'
import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import { MAX_SHOWN_NAME_LENGTH, plainLine, plainSchema, plainText } from '../text/plain-text.ts'
import { sha256, toolNameFor } from './tool-name.ts'

/**
 * The listed tools of a server, and whether the server has changed them since. A new list is requested on demand only; a
 * failed request changes nothing.
 */
export class ToolList {
  readonly #server: string
  readonly #request: Connector['request']
  readonly #timeoutMs: number
  #listed: ListedTools = { tools: [], leftOut: [] }
  /** Fingerprints of the listed tools, by original name. */
  #own: ReadonlyMap<string, string> = new Map()
  /** Those of the latest list; the same map as long as no other list was requested. */
  #latest = this.#own
  #isStale = false
  #lastWarning = ''
  #checking: Promise<boolean> | undefined

  constructor(server: string, request: Connector['request'], timeoutMs: number) {
    this.#server = server
    this.#request = request
    this.#timeoutMs = timeoutMs
  }

  get listed(): ListedTools {
    return this.#listed
  }

  /** Notes that the list of the server may have changed. */
  invalidate(): void {
    this.#isStale = true
  }

  /** Requests the list again; tools of agents keep the earlier one. */
  async load(signal?: AbortSignal): Promise<void> {
    const listed = await this.#fetch(signal)
    this.#listed = listed
    this.#own = fingerprintsOf(listed)
    this.#latest = this.#own
    this.#isStale = false
  }

  /** True if a tool has changed or cannot be compared; requests the list if it may have changed. */
  hasChanged({ originalName, fingerprint }: McpToolDefinition): boolean | Promise<boolean> {
    const differs = (): boolean => this.#latest.get(originalName) !== fingerprint
    if (!this.#isStale) return differs()
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    return this.#checking.then((known) => !known || differs())
  }

  /** Sends one warning for each change of the list. */
  async warnOfChanges({ emit }: RunContext): Promise<void> {
    const before = this.#own
    if (this.#latest === before) return
    const changed = [...before]
      .filter(([name, fingerprint]) => this.#latest.get(name) !== fingerprint)
      .map(([name]) => name)
    const added = [...this.#latest.keys()].filter((name) => !before.has(name))
    const warning = JSON.stringify([changed, added, [...this.#latest.values()]])
    if ((changed.length === 0 && added.length === 0) || warning === this.#lastWarning || !emit) return
    this.#lastWarning = warning
    const list = (names: readonly string[]): string =>
      names
        .slice(0, 10)
        .map((name) => `\`${plainLine(name, MAX_SHOWN_NAME_LENGTH)}\``)
        .join(', ')
    const parts = [
      changed.length > 0 && `changed or removed ${list(changed)}`,
      added.length > 0 && `added ${list(added)}`,
    ]
    await emit({
      type: 'warning',
      agent: null,
      topic: 'mcp-tools-changed',
      text: `the MCP server \`${this.#server}\` has ${parts.filter(Boolean).join(' and ')}; this run continues with the tools as listed, calls of changed tools need approval, and \`refresh()\` takes the new list`,
    })
  }

  async #check(): Promise<boolean> {
    try {
      this.#latest = fingerprintsOf(await this.#fetch())
      this.#isStale = false
      return true
    } catch {
      return false
    }
  }

  async #fetch(signal?: AbortSignal): Promise<ListedTools> {
    return await this.#request({
      what: 'list the tools',
      repeatable: true,
      signal,
      send: async ({ client }) => {
        // Without this capability the SDK would write to the console.
        if (!client.getServerCapabilities()?.tools) return { tools: [], leftOut: [] }
        const options = { timeout: this.#timeoutMs, maxTotalTimeout: this.#timeoutMs, cacheMode: 'bypass' as const }
        const { tools } = await client.listTools(undefined, { ...options, ...(signal && { signal }) })
        return await pinTools(this.#server, tools)
      },
    })
  }
}

const fingerprintsOf = ({ tools }: ListedTools): Map<string, string> =>
  new Map(tools.map(({ originalName, fingerprint }) => [originalName, fingerprint]))

/** The tools of a server that can be used, and the omitted ones with the reason. */
interface ListedTools {
  readonly tools: readonly McpToolDefinition[]
  readonly leftOut: readonly { readonly name: string; readonly why: string }[]
}

/** Most characters of the description of a tool. */
const MAX_DESCRIPTION_LENGTH = 4000

/** Most characters of one schema of a tool, as JSON. */
const MAX_SCHEMA_LENGTH = 100_000

/** Most tools of a server. */
const MAX_TOOLS = 1000

/** Reads the list of a server: each tool with its name for models and its fingerprint; unusable tools are omitted. */
async function pinTools(server: string, listed: readonly ListedTool[]): Promise<ListedTools> {
  const tools = new Map<string, McpToolDefinition>()
  const leftOut: { name: string; why: string }[] = []
  for (const each of listed) {
    const why =
      tools.size >= MAX_TOOLS
        ? `a server may have ${MAX_TOOLS} tools`
        : [...tools.values()].some(({ originalName }) => originalName === each.name)
          ? 'another tool has the same name'
          : findDefect(each)
    if (why !== undefined) {
      leftOut.push({ name: plainText(each.name, 100), why })
      continue
    }
    const tool = await pinTool(server, each)
    if (tools.has(tool.name))
      leftOut.push({ name: tool.originalName, why: 'another tool has the same name for models' })
    else tools.set(tool.name, tool)
  }
  return { tools: [...tools.values()], leftOut }
}

function findDefect({ name, inputSchema, outputSchema, _meta }: ListedTool): string | undefined {
  const leftOut = _meta?.[LEFT_OUT_META]
  if (typeof leftOut === 'string') return plainText(leftOut, 200)
  if (!name || name.length > 1000) return 'its name is empty or too long'
  const tooLong = [inputSchema, outputSchema].some(
    (schema) => schema && JSON.stringify(schema).length > MAX_SCHEMA_LENGTH,
  )
  return tooLong ? `one of its schemas has more than ${MAX_SCHEMA_LENGTH} characters` : undefined
}

async function pinTool(server: string, listed: ListedTool): Promise<McpToolDefinition> {
  const { name, title, description = '', inputSchema, outputSchema, annotations = {} } = listed
  const safeDescription = plainText(description, MAX_DESCRIPTION_LENGTH).trim()
  const heading = title ?? annotations.title
  return Object.freeze({
    name: await toolNameFor(server, name),
    originalName: name,
    title: heading === undefined ? undefined : plainText(heading, 200),
    description: safeDescription || `The tool ${plainText(name, 100)} of ${server}.`,
    inputSchema: plainSchema(inputSchema as JsonSchema),
    outputSchema: outputSchema && plainSchema(outputSchema as JsonSchema),
    readOnly: annotations.readOnlyHint === true,
    idempotent: annotations.idempotentHint === true || annotations.readOnlyHint === true,
    destructive: annotations.readOnlyHint !== true && annotations.destructiveHint !== false,
    fingerprint: await sha256(
      canonicalJson({ name, title: heading, description, inputSchema, outputSchema, annotations }),
    ),
  })
}

/** Writes plain data as JSON with sorted keys. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
