import { tool } from '@x/agent'
import { createSessionAgents, type SessionAgents } from '@x/session'
import { simulatedModel } from '@x/simulated-model'
import type { Io, LlmConfig, Tool } from '@x/interfaces'
import { z } from 'zod'

/** What the assistant of the example is made of. */
export interface AssistantParts {
  /** Default: a simulated model, which knows when to call which tool. */
  readonly llmConfig?: LlmConfig | undefined
  /** Where a tool asks the person something. */
  readonly io: Io
  /** Sends a letter, once somebody has allowed it. */
  readonly send: (to: string, text: string) => void
}

/** The two sides of the example: an assistant that looks the weather up, sends letters after an approval, and may ask back. */
export function createExampleAgents({ llmConfig = simulated(), io, send }: AssistantParts): SessionAgents {
  return createSessionAgents({
    llmConfig,
    systemMessage: 'You are a helpful assistant. Use the tools you are given; keep your answers short.',
    tools: exampleTools(io, send),
    io,
  })
}

function exampleTools(io: Io, send: AssistantParts['send']): Tool[] {
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
      execute({ to, text }) {
        send(to, text)
        return `sent to ${to}`
      },
    }),
    tool({
      name: 'ask_person',
      description: 'Asks the person a question that only they can answer.',
      parameters: z.object({ question: z.string() }),
      execute: async ({ question }, { signal }) => await io.input(question, { signal, agent: 'assistant' }),
    }),
  ]
}

const simulated = (): LlmConfig =>
  simulatedModel({
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
