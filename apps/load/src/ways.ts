import { AssistantAgent, tool, UserProxyAgent } from '@x/agent'
import type { ChatMessage } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { openai } from '@x/provider-openai'
import { OpenAI } from 'openai'
import { ANSWER, lookedUp, question, TOOL_NAME } from './script.ts'

/** Runs the chat with a number, from its question to its answer; returns its messages. */
export type Way = (chat: number) => Promise<readonly unknown[]>

/** The implementations that are compared. */
export interface Ways {
  /** Two agents and a tool. */
  readonly agents: Way
  /** The same, streamed: every token is an event. */
  readonly agentsStreamed: Way
  /** A hand-written loop on the SDK: no history per agent, no events, no failover, no check of arguments. */
  readonly loop: Way
  /** The same, streamed. */
  readonly loopStreamed: Way
}

const MODEL = 'gpt-4o-mini'
const KEY = 'key-for-the-bench'
const SYSTEM = 'You answer questions about orders.'
const DESCRIPTION = 'The state of an order.'
const parameters = { type: 'object', properties: { order: { type: 'number' } }, required: ['order'] } as const

/** Returns all implementations, for one server. */
export function waysOn(baseUrl: string): Ways {
  const llm = llmConfig({
    providers: [openai],
    cacheSeed: null,
    configList: [{ model: MODEL, apiKey: KEY, baseUrl }],
  })
  const lookup = tool({
    name: TOOL_NAME,
    description: DESCRIPTION,
    parameters,
    execute: ({ order }) => lookedUp(order),
  })
  const cast = (): { user: UserProxyAgent; assistant: AssistantAgent } => {
    const assistant = new AssistantAgent({ name: 'assistant', systemMessage: SYSTEM, llmConfig: llm, silent: true })
    const user = new UserProxyAgent({ name: 'user', humanInputMode: 'NEVER', isTerminationMsg: ends, silent: true })
    assistant.registerForLlm(lookup)
    user.registerForExecution(lookup)
    return { user, assistant }
  }
  const sdk = new OpenAI({ apiKey: KEY, baseURL: baseUrl })
  return {
    async agents(chat) {
      const { user, assistant } = cast()
      return (await user.initiateChat(assistant, { message: question(chat), emit: ignore })).chatHistory
    },
    async agentsStreamed(chat) {
      const { user, assistant } = cast()
      const events = user.initiateChatStream(assistant, { message: question(chat) })
      for await (const event of events) ignore(event)
      return (await events.result).chatHistory
    },
    loop: (chat) => runLoop(chat, (messages) => askWhole(sdk, messages)),
    loopStreamed: (chat) => runLoop(chat, (messages) => askStreamed(sdk, messages)),
  }
}

const ignore: (event: unknown) => void = () => {}
const ends = ({ content }: ChatMessage): boolean => typeof content === 'string' && content.endsWith('TERMINATE')

type Message = OpenAI.ChatCompletionMessageParam
type Answer = OpenAI.ChatCompletionAssistantMessageParam

const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: TOOL_NAME, description: DESCRIPTION, parameters } },
]

async function runLoop(chat: number, ask: (messages: Message[]) => Promise<Answer>): Promise<Message[]> {
  const messages: Message[] = [
    { role: 'system', content: SYSTEM },
    { role: 'user', content: question(chat) },
  ]
  for (;;) {
    const answer = await ask(messages)
    messages.push(answer)
    if (typeof answer.content === 'string' && answer.content.endsWith('TERMINATE')) return messages.slice(1)
    for (const call of answer.tool_calls ?? []) {
      if (call.type !== 'function') continue
      const { order } = JSON.parse(call.function.arguments) as { order: number }
      messages.push({ role: 'tool', tool_call_id: call.id, content: JSON.stringify(lookedUp(order)) })
    }
  }
}

async function askWhole(sdk: OpenAI, messages: Message[]): Promise<Answer> {
  const { choices } = await sdk.chat.completions.create({ model: MODEL, messages, tools })
  return choices[0]!.message
}

async function askStreamed(sdk: OpenAI, messages: Message[]): Promise<Answer> {
  const calls: { id: string; type: 'function'; function: { name: string; arguments: string } }[] = []
  let content = ''
  for await (const { choices } of await sdk.chat.completions.create({ model: MODEL, messages, tools, stream: true })) {
    const delta = choices[0]?.delta
    content += delta?.content ?? ''
    for (const { index, id, function: fragment } of delta?.tool_calls ?? []) {
      const call = (calls[index] ??= { id: '', type: 'function', function: { name: '', arguments: '' } })
      call.id += id ?? ''
      call.function.name += fragment?.name ?? ''
      call.function.arguments += fragment?.arguments ?? ''
    }
  }
  return { role: 'assistant', content, ...(calls.length > 0 && { tool_calls: calls }) }
}

/** True if a chat ended as expected. */
export const isWhole = (messages: readonly unknown[]): boolean =>
  messages.length === 4 && (messages.at(-1) as { content?: unknown }).content === ANSWER
