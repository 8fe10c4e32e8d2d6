import type { LlmConfig } from '@x/interfaces'
import { XError } from '@x/kernel'

/** Throws for a tool for the model of a reasoning agent. */
export function refuseTool(agent: string, tool: string | undefined): never {
  const subject = tool === undefined ? 'a tool' : `the tool \`${tool}\``
  throw new XError(
    'invalid-argument',
    `the reasoning agent \`${agent}\` cannot offer ${subject} to its model: a step and an answer are texts; register it with another agent, or use it in \`reasonConfig.parts\` or \`reasonConfig.verifier\``,
    { details: { agent, tool } },
  )
}

/** A tool or a function of a configuration. */
interface ConfiguredTool {
  readonly name?: string
  readonly function?: { readonly name?: string }
}

/** Throws if a configuration has tools or functions. */
export function refuseToolsOf(agent: string, llmConfig: LlmConfig | false | null | undefined): void {
  const { config = {} } = llmConfig || {}
  const { tools = [], functions = [] } = config as Record<'tools' | 'functions', readonly ConfiguredTool[] | undefined>
  const [first] = [...(tools ?? []), ...(functions ?? [])]
  if (first) refuseTool(agent, first.function?.name ?? first.name)
}
