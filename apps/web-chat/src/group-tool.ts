import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { Io, LlmConfig, Tool } from '@x/interfaces'
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
export function groupTool({ llmConfig, io, pace }: GroupToolOptions): Tool {
  return tool({
    name: 'ask_group',
    description:
      'Lets a researcher, a critic and a writer work on a question that deserves more than one view; returns their answer.',
    parameters: z.object({ question: z.string() }),
    async execute({ question }, { run }) {
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
      const groupchat = new GroupChat({
        agents,
        maxRound: agents.length + 1,
        speakerSelectionMethod: 'round_robin',
        io,
      })
      const manager = new GroupChatManager({ groupchat, io })
      const asker = new UserProxyAgent({ name: 'asker', humanInputMode: 'NEVER', codeExecutionConfig: false, io })
      const { summary } = await asker.initiateChat(manager, { message: question, maxTurns: 1, run })
      return summary
    },
  })
}
