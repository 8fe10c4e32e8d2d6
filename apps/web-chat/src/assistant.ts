import { tool, type ConversableAgent } from '@x/agent'
import { createSessionAgents, type SessionAgents } from '@x/session'
import { simulatedModel } from '@x/testing'
import type { Io, LlmConfig, Tool } from '@x/interfaces'
import { z } from 'zod'
import { codeTool } from './code-tool.ts'
import { groupTool } from './group-tool.ts'

/** Options of {@link createExampleAgents}. */
export interface AssistantParts {
  /** Default: a simulated model, which calls tools on certain words. */
  readonly llmConfig?: LlmConfig | undefined
  /** Through this, a tool asks the person something. */
  readonly io: Io
  /** Sends a letter after its approval; `key` is the same when the call is repeated. */
  readonly send: (letter: { readonly to: string; readonly text: string }, key: string) => void
  /** Runs code; default: one of its own, which does not wait for those of other chats. */
  readonly runCode?: Tool | undefined
  /** Milliseconds between two words of the simulated model; default 30. */
  readonly pace?: number | undefined
}

/**
 * Makes the two agents of the example: the person's, and an assistant that looks the weather up, sends letters after an
 * approval, runs code, asks a group, and may ask back.
 */
export function createExampleAgents(parts: AssistantParts): SessionAgents {
  const { llmConfig, io, send, runCode = codeTool(), pace } = parts
  const agents: SessionAgents = createSessionAgents({
    llmConfig: llmConfig ?? simulated(pace),
    systemMessage: 'You are a helpful assistant. Use the tools you are given; keep your answers short.',
    tools: [...exampleTools(() => agents.user, send), runCode, groupTool({ llmConfig, io, pace })],
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
      {
        when: /(?:compute|calculate|run) (.+)/iu,
        name: 'run_code',
        arguments: ([, code = '1 + 1']) => ({ language: 'javascript', code: `console.log(${code})` }),
      },
      { when: /ask the group:? (.+)/iu, name: 'ask_group', arguments: ([, question = 'Why?']) => ({ question }) },
    ],
    about:
      'I am a simulated model. Ask me "What is the weather in Oslo?" and I call a tool; say "Send a letter to Ada" and you ' +
      'are asked first; say "Ask me something" and I ask back; "Compute 6 * 7" and I run code; "Ask the group where to go" ' +
      'and three others talk first. Set OPENAI_API_KEY, or start me with --base-url, to talk with a real model.',
  })
