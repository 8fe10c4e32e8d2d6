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

/** Throws if there are tools or functions. */
export function refuseToolsOf(agent: string, given: ToolsOfModel): void {
  const { tools, functions } = given
  const [first] = [...(tools ?? []), ...(functions ?? [])]
  if (first) refuseTool(agent, first.function?.name ?? first.name)
}

/** The tools and functions of a model, as a config has them. */
export interface ToolsOfModel {
  readonly tools?: readonly ConfiguredTool[] | null | undefined
  readonly functions?: readonly ConfiguredTool[] | null | undefined
}
