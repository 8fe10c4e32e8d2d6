import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { Io, LlmConfig, Run, Tool } from '@x/interfaces'
import { simulatedModel } from '@x/testing'
import { z } from 'zod'

/** The members: name, task for the model, and what the simulated model says. */
const MEMBERS = [
  [
    'researcher',
    'Name the facts that matter, at most five.',
    'Three things matter: the time, the price, and the way back.',
  ],
  ['critic', 'Say what is missing or wrong in what was said.', 'The price is a guess: nobody has looked it up.'],
  [
    'writer',
    'Answer the question from what was said, in at most four sentences.',
    'Go early, come back before dark, and ask for the price first.',
  ],
] as const

/** Names of the members, in the order in which they speak. */
export const MEMBER_NAMES: readonly string[] = MEMBERS.map(([name]) => name)

/** Options of {@link groupTool}. */
export interface GroupToolOptions {
  /** Model of all members; default: simulated ones. */
  readonly llmConfig: LlmConfig | undefined
  /** Receives the events of the members. */
  readonly io: Io
  /** Milliseconds between two words of a simulated model. */
  readonly pace: number | undefined
}

/** Makes the tool by which the assistant lets a group of three work on a question: each speaks once, and the last one answers. */
export function groupTool(options: GroupToolOptions): Tool {
  return tool({
    name: 'ask_group',
    description:
      'Lets a researcher, a critic and a writer work on a question that deserves more than one view; returns their answer.',
    parameters: z.object({ question: z.string() }),
    // On a host, a failure of the provider that passes is no result: the turn waits it out, and the talk goes on.
    execute: async ({ question }, { run }) => await askGroup(question, options, run),
  })
}

/** Lets the members talk once, and returns what the last one says. */
async function askGroup(
  question: string,
  { llmConfig, io, pace }: GroupToolOptions,
  run: Run | undefined,
): Promise<unknown> {
  const agents = MEMBERS.map(
    ([name, task, says]) =>
      new AssistantAgent({
        name,
        systemMessage: `You are the ${name} of a group that works on a question. ${task}`,
        llmConfig: llmConfig ?? simulatedModel({ calls: [], about: says, pace }),
        isTerminationMsg: () => false,
        io,
      }),
  )
  const groupchat = new GroupChat({ agents, maxRound: agents.length + 1, speakerSelectionMethod: 'round_robin', io })
  const manager = new GroupChatManager({ groupchat, io })
  const asker = new UserProxyAgent({ name: 'asker', humanInputMode: 'NEVER', codeExecutionConfig: false, io })
  const { summary } = await asker.initiateChat(manager, { message: question, maxTurns: 1, run })
  return summary
}
