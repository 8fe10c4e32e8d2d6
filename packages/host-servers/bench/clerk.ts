import { AssistantAgent, tool } from '@x/agent'
import type { Io, Run } from '@x/interfaces'
import { defineChat, type DefinedChat } from '@x/host'
import { functionModel } from '@x/testing'

/** Milliseconds of each model call and tool call of a chat. */
export interface Pace {
  readonly model: number
  readonly tool: number
}

/** Runs a chat of three model answers and two tool calls, in process or in a host. */
export async function runClerk({ model, tool: toolMs }: Pace, order: string, run?: Run): Promise<unknown> {
  const llmConfig = functionModel(async ({ messages }) => {
    if (model > 0) await pause(model)
    const results = messages.filter(({ role }) => role === 'tool').length
    return results === 0 ? call('look', { order }) : results === 1 ? call('pay', { euros: 5 }) : ANSWER
  })
  const parameters = { type: 'object' } as const
  const execute = async (): Promise<string> => {
    if (toolMs > 0) await pause(toolMs)
    return `order ${order}: one lamp, broken, 5 euros`
  }
  const look = tool({ name: 'look', description: 'Looks an order up.', parameters, execute })
  const pay = tool({ name: 'pay', description: 'Gives money back.', parameters, execute })
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig, io: LISTENING_IO })
  return (await clerk.run(`Order ${order} came broken.`, { tools: [look, pay], run })).text
}

/** Defines the same chat as a hosted one. */
export const clerkChat = (pace: Pace): DefinedChat<Record<string, unknown>> =>
  defineChat({
    name: 'clerk',
    version: '1',
    run: async ({ input, run }) => await runClerk(pace, String(input['order']), run),
  })

/** Receives all events, as a host does. */
const LISTENING_IO: Io = { send: () => {}, input: () => '' }

/** An answer of 26 words, which the model streams one by one. */
const ANSWER = `The lamp of your order came broken, and that is ours to mend: five euros are on their way back to you, with many regrets of ours.`

const call = (name: string, args: object) => ({
  content: `I shall ${name} first.`,
  tool_calls: [{ id: name, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }],
})

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
