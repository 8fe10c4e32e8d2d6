import type { Tool as ListedTool } from '@modelcontextprotocol/client'
import type { JsonSchema } from '@x/interfaces'
import { plainText } from '../text/plain-text.ts'
import { plainSchema } from '../text/plain-schema.ts'
import type { McpToolDefinition } from './tool-definition.ts'
import { sha256, toolNameFor } from './tool-name.ts'

/** The offer of a server: the tools that can be used, and those that were left out, with the reason. */
export interface ListedTools {
  readonly tools: readonly McpToolDefinition[]
  readonly leftOut: readonly { readonly name: string; readonly why: string }[]
}

/** Most characters of a description. */
const LONGEST_DESCRIPTION = 4000

/** Most characters of the schemas of a tool, as JSON. */
const LONGEST_SCHEMA = 100_000

/** Most tools of a server. */
const MOST_TOOLS = 1000

/** Reads what a server lists: each tool with its name for models; what cannot be used is left out. */
export async function readTools(server: string, listed: readonly ListedTool[]): Promise<ListedTools> {
  const tools = new Map<string, McpToolDefinition>()
  const leftOut: { name: string; why: string }[] = []
  for (const each of listed) {
    const why =
      tools.size >= MOST_TOOLS
        ? `a server may have ${MOST_TOOLS} tools`
        : [...tools.values()].some(({ originalName }) => originalName === each.name)
          ? 'another tool has the same name'
          : unusable(each)
    if (why !== undefined) {
      leftOut.push({ name: plainText(each.name, 100), why })
      continue
    }
    const its = await readTool(server, each)
    if (tools.has(its.name)) leftOut.push({ name: its.originalName, why: 'another tool has the same name for models' })
    else tools.set(its.name, its)
  }
  return { tools: [...tools.values()], leftOut }
}

function unusable({ name, inputSchema, outputSchema }: ListedTool): string | undefined {
  if (!name || name.length > 1000) return 'its name is empty or too long'
  const long = [inputSchema, outputSchema].find((its) => its && JSON.stringify(its).length > LONGEST_SCHEMA)
  return long && `one of its schemas has more than ${LONGEST_SCHEMA} characters`
}

async function readTool(server: string, its: ListedTool): Promise<McpToolDefinition> {
  const { name, title, description = '', inputSchema, outputSchema, annotations = {} } = its
  const shown = plainText(description, LONGEST_DESCRIPTION).trim()
  const heading = title ?? annotations.title
  return Object.freeze({
    name: await toolNameFor(server, name),
    originalName: name,
    title: heading === undefined ? undefined : plainText(heading, 200),
    description: shown || `The tool ${plainText(name, 100)} of ${server}.`,
    inputSchema: plainSchema(inputSchema as JsonSchema),
    outputSchema: outputSchema && plainSchema(outputSchema as JsonSchema),
    readOnly: annotations.readOnlyHint === true,
    idempotent: annotations.idempotentHint === true || annotations.readOnlyHint === true,
    destructive: annotations.readOnlyHint !== true && annotations.destructiveHint !== false,
    fingerprint: await sha256(canonical({ name, title: heading, description, inputSchema, outputSchema, annotations })),
  })
}

/** Plain data as a text in which the order of keys does not count. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    typeof each === 'object' && each !== null && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  )
