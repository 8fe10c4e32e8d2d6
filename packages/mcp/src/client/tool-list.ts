import type { RunContext } from '@x/interfaces'
import type { Connector } from './connector.ts'
import { readTools, type ListedTools } from './pinned-tools.ts'
import type { McpToolDefinition } from './tool-definition.ts'

/**
 * The tools of a server as they were listed, and whether the server has changed them since. Nothing is listed anew before
 * somebody asks; a list that fails changes nothing.
 */
export class ToolList {
  readonly #server: string
  readonly #request: Connector['request']
  readonly #timeout: number
  #listed: ListedTools = { tools: [], leftOut: [] }
  /** Fingerprints of what the server last listed, by its own names. */
  #latest: ReadonlyMap<string, string> = new Map()
  #isStale = false
  #told = ''
  #checking: Promise<boolean> | undefined

  constructor(server: string, request: Connector['request'], timeout: number) {
    this.#server = server
    this.#request = request
    this.#timeout = timeout
  }

  get listed(): ListedTools {
    return this.#listed
  }

  /** Marks the list as one that may have changed. */
  invalidate(): void {
    this.#isStale = true
  }

  /** Lists the tools anew, for those who ask from now on. */
  async load(signal?: AbortSignal): Promise<void> {
    const listed = await this.#fetch(signal)
    this.#listed = listed
    this.#latest = fingerprints(listed)
    this.#isStale = false
  }

  /** Whether a tool is no longer what it was, or cannot be compared; asks the server where its list may have changed. */
  hasChanged({ originalName, fingerprint }: McpToolDefinition): boolean | Promise<boolean> {
    const differs = (): boolean => this.#latest.get(originalName) !== fingerprint
    if (!this.#isStale) return differs()
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined))
    return this.#checking.then((known) => !known || differs())
  }

  /** Tells a run once of what has changed. */
  async tell({ emit }: RunContext): Promise<void> {
    const before = fingerprints(this.#listed)
    const changed = [...before].filter(([name, its]) => this.#latest.get(name) !== its).map(([name]) => name)
    const added = [...this.#latest.keys()].filter((name) => !before.has(name))
    const news = JSON.stringify([changed, added, [...this.#latest.values()]])
    if ((changed.length === 0 && added.length === 0) || news === this.#told || !emit) return
    this.#told = news
    const list = (names: readonly string[]): string =>
      names
        .slice(0, 10)
        .map((name) => `\`${name}\``)
        .join(', ')
    const parts = [
      changed.length > 0 && `changed or took away ${list(changed)}`,
      added.length > 0 && `added ${list(added)}`,
    ]
    await emit({
      type: 'warning',
      agent: null,
      topic: 'mcp-tools-changed',
      text: `the MCP server \`${this.#server}\` has ${parts.filter(Boolean).join(' and ')}; this run goes on with the tools as they were listed, calls of changed ones ask for approval, and \`refresh()\` takes the new list`,
    })
  }

  async #check(): Promise<boolean> {
    try {
      this.#latest = fingerprints(await this.#fetch())
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
        // Without the capability the SDK would write to the console.
        if (!client.getServerCapabilities()?.tools) return { tools: [], leftOut: [] }
        const options = { timeout: this.#timeout, maxTotalTimeout: this.#timeout, cacheMode: 'bypass' as const }
        const { tools } = await client.listTools(undefined, { ...options, ...(signal && { signal }) })
        return await readTools(this.#server, tools)
      },
    })
  }
}

const fingerprints = ({ tools }: ListedTools): Map<string, string> =>
  new Map(tools.map(({ originalName, fingerprint }) => [originalName, fingerprint]))
