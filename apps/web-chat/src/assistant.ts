import { tool, type ConversableAgent } from '@x/agent'
import { createSessionAgents, type SessionAgents } from '@x/session'
import { simulatedModel } from '@x/testing'
import type { Io, LlmConfig, Tool } from '@x/interfaces'
import { z } from 'zod'

/** Options of {@link createExampleAgents}. */
export interface AssistantParts {
  /** Default: a simulated model, which calls tools on certain words. */
  readonly llmConfig?: LlmConfig | undefined
  /** Through this, a tool asks the person something. */
  readonly io: Io
  /** Sends a letter after its approval; `key` is the same when the call is repeated. */
  readonly send: (letter: { readonly to: string; readonly text: string }, key: string) => void
  /** Milliseconds between two words of the simulated model; default 30. */
  readonly pace?: number | undefined
}

/** Makes the two agents of the example: the person's, and an assistant that looks the weather up, sends letters after an approval, and may ask back. */
export function createExampleAgents({ llmConfig, io, send, pace }: AssistantParts): SessionAgents {
  const agents: SessionAgents = createSessionAgents({
    llmConfig: llmConfig ?? simulated(pace),
    systemMessage: 'You are a helpful assistant. Use the tools you are given; keep your answers short.',
    tools: exampleTools(() => agents.user, send),
    io,
  })
  return agents
}

function exampleTools(person: () => ConversableAgent, send: AssistantParts['send']): Tool[] {
  return [
    tool({
      name: 'get_weather',
      description: 'The weather of a city today.',
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => ({ city, sky: 'light rain', celsius: 6 }),
    }),
    tool({
      name: 'send_letter',
      description: 'Sends a letter in the name of the person; they decide on it first.',
      parameters: z.object({ to: z.string(), text: z.string() }),
      needsApproval: true,
      execute({ to, text }, { key }) {
        send({ to, text }, key)
        return `sent to ${to}`
      },
    }),
    tool({
      name: 'ask_person',
      description: 'Asks the person a question that only they can answer.',
      parameters: z.object({ question: z.string() }),
      // With `run`, the answer is recorded, and the call waits for it without a process.
      execute: async ({ question }, { run }) => await person().getHumanInput(question, { run }),
    }),
  ]
}

const simulated = (pace?: number): LlmConfig =>
  simulatedModel({
    pace,
    calls: [
      {
        when: /weather(?: \w+)* in (\w+)/iu,
        name: 'get_weather',
        arguments: ([, city = 'Oslo']) => ({ city }),
      },
      {
        when: /(?:write|letter|send)(?: \w+)* to (\w+)/iu,
        name: 'send_letter',
        arguments: ([, to = 'nobody']) => ({ to, text: `Dear ${to}, greetings from the simulated model.` }),
      },
      { when: /ask me/iu, name: 'ask_person', arguments: () => ({ question: 'What is your favourite colour?' }) },
    ],
    about:
      'I am a simulated model. Ask me "What is the weather in Oslo?" and I call a tool; say "Send a letter to Ada" and you ' +
      'are asked first; say "Ask me something" and I ask back. Set OPENAI_API_KEY, or start me with --base-url, to talk with a real model.',
  })
