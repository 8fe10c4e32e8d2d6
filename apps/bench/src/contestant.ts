/** Contestants, and the parts that they share with the workloads: the shapes, the prompts, the tool, a fake model and a chat by hand. */

/** One request of a workload. */
export interface Question {
  readonly model: string
  readonly system: string
  readonly user: string
}

/** A function that answers a question with the text of the answer. */
export type Ask = (question: Question) => Promise<string>

/** A chat of two agents, which goes on for as many turns as it is asked to. */
export interface Chat {
  run(turns: number): Promise<{ readonly turns: number; readonly messages: number; readonly last: string }>
}

/** Makes chats that use the model of a name. */
export type MakeChat = (options: { readonly model: string }) => Chat

/** Options of the workload `tools`. */
export interface ToolLoopOptions {
  readonly model: string
  readonly maxTurns: number
  /** Is called at every call of the tool. */
  readonly onCall: () => void
}

/** The parts that a contestant can run. One that is missing is reported as n/a. */
export interface Contestant {
  readonly call?: Ask
  readonly stream?: (question: Question, onText: (text: string) => void) => Promise<string>
  /** Asks the models one after the other until one answers. */
  readonly fallback?: (models: readonly string[]) => Ask
  /** Asks a model through a cache in memory. */
  readonly cached?: (model: string) => Ask
  readonly toolLoop?: (options: ToolLoopOptions) => Ask
  /** Chats by variant: `http`, `fake` (a model in the process) and others of the contestant. */
  readonly chats?: Readonly<Record<string, MakeChat>>
  readonly idle?: Readonly<Record<string, MakeChat>>
  /** Answers a question while its thread waits. */
  readonly blocking?: (question: Question) => string
  /** Searches with parts that answer at once, and gives the number of calls of these parts. */
  readonly search?: (calls: number) => Promise<number>
  /** Hosts chats of two tool calls each on a database of the process, one after the other. */
  readonly hosted?: (chats: number) => Promise<HostedWork>
  /** Conversations that are kept in a database between two messages, by variant: the form of the program, and the database. */
  readonly talks?: Readonly<Record<string, MakeTalks>>
}

/** Opens a database for conversations of a number of messages each. */
export type MakeTalks = (messages: number) => Promise<Talks>

/** Conversations in a database. */
export interface Talks {
  /** Sends a message to a conversation, which the first one begins, and returns the answer. */
  say(id: string, message: string): Promise<string>
  close(): Promise<void>
  /** The work so far, where it is counted. */
  readonly counted?: HostedWork
}

/** The work of hosted chats or conversations. */
export interface HostedWork {
  /** Changes that were kept durably, each confirmed before its chat went on. */
  readonly commits: number
  /** Characters of these changes as JSON, with every number as one digit. */
  readonly characters: number
}

/** The facts that a contestant gives of itself. */
export interface ContestantInfo {
  readonly title: string
  /** Packages of its manifest that a user installs; all when left out. */
  readonly packages?: readonly string[]
  /** Specifiers of the workload `import`. */
  readonly imports: readonly string[]
  /** Program of the workload `bundle`. */
  readonly hello: string
  /** The origin of a feature: `built-in`, `agent`, `recipe`, `hand` or `none`. */
  readonly kinds: Readonly<Record<string, string>>
  readonly notes?: Readonly<Record<string, string>>
  /** Modules that the bundle leaves out. */
  readonly external?: readonly string[]
  /** True if its tool loop streams the answers. */
  readonly streamsTools?: boolean
  /** Messages that its chat sends beyond the history and one system message. */
  readonly extraMessages?: number
}

/** The server that a contestant is to ask. */
export interface Connection {
  readonly baseURL: string
  readonly apiKey: string
}

export const SYSTEM = 'You are a helpful assistant. Answer in one short paragraph, without lists and without headings.'
export const USER =
  'Tell me in one paragraph why the sky is blue at noon and red in the evening, for a curious child of ten.'
export const SYSTEM_A =
  'You are Ann, a writer. You discuss the plot of a novel with Bob and you make one proposal at a time.'
export const SYSTEM_B =
  'You are Bob, an editor. You discuss the plot of a novel with Ann and you criticise one thing at a time.'
export const OPENER =
  'Let us begin with the first chapter: where does the story take place, and who tells it to the reader?'

/** Characters of every complete answer, of the server and of the fake model. */
export const ANSWER_CHARACTERS = 160

/** Arguments of the tool. */
interface WeatherArguments {
  readonly city: string
  readonly day: number
}

/** The part of zod that the tool's schema needs; each contestant brings a zod of its own. */
interface Zod<S> {
  object(shape: Readonly<Record<keyof WeatherArguments, unknown>>): S
  string(): { describe(text: string): unknown }
  number(): { int(): { describe(text: string): unknown } }
}

/** The tool of the workload `tools`. */
export const TOOL = {
  name: 'get_weather',
  description: 'The weather of a city on a given day, as one sentence.',
  schema: <S>(z: Zod<S>): S =>
    z.object({ city: z.string().describe('name of the city'), day: z.number().int().describe('days from today') }),
  run: ({ city, day }: WeatherArguments): string => `In ${city} it will be sunny, 21 degrees, on day ${day}.`,
} as const

const PAD = Buffer.alloc(ANSWER_CHARACTERS, 'lorem ipsum dolor sit amet consectetur adipiscing elit ')
let replies = 0

/** The answer of a fake model: a flat string that shares its memory with no other. */
export function makeReply(): string {
  const bytes = Buffer.from(PAD)
  bytes.write(`reply ${++replies}: `, 'latin1')
  return bytes.toString('latin1')
}

/** The form in which a contestant writes the messages of a history. */
export interface MessageKinds<M> {
  readonly assistant: (text: string) => M
  readonly user: (text: string) => M
}

/** Messages as OpenAI's API has them. */
export const openaiMessages: MessageKinds<{ role: 'assistant' | 'user'; content: string }> = {
  assistant: (content) => ({ role: 'assistant', content }),
  user: (content) => ({ role: 'user', content }),
}

/**
 * A chat of two agents for a contestant that has none of its own: each side keeps its own view of the history, in which its
 * own turns are the assistant's and the other's the user's. `reply` gives the text of an agent's next turn.
 */
export function handChat<A, M>(
  agents: readonly [A, A],
  reply: (agent: A, history: readonly M[]) => Promise<string>,
  { assistant, user }: MessageKinds<M>,
): Chat {
  const views: readonly [M[], M[]] = [[], []]
  let done = 0
  const chat = {
    agents,
    views,
    async run(turns: number) {
      if (done === 0) {
        views[0].push(user(OPENER))
        views[1].push(assistant(OPENER))
      }
      let text = ''
      for (let i = 0; i < turns; i++) {
        const me = done % 2 === 0 ? 0 : 1
        text = await reply(agents[me], views[me])
        views[me].push(assistant(text))
        views[me === 0 ? 1 : 0].push(user(text))
        done++
      }
      return { turns: done, messages: views[0].length, last: text }
    },
  }
  return chat
}

/** A complete chat completion, for clients that have a seam below JSON. */
export interface Completion {
  readonly id: string
  readonly object: 'chat.completion'
  readonly created: number
  readonly model: string
  readonly choices: readonly [
    {
      readonly index: 0
      readonly message: CompletionMessage
      readonly logprobs: null
      readonly finish_reason: 'stop' | 'tool_calls'
    },
  ]
  readonly usage: { readonly prompt_tokens: number; readonly completion_tokens: number; readonly total_tokens: number }
}

/** The message of a completion. */
export interface CompletionMessage {
  readonly role: 'assistant'
  readonly content: string
  readonly refusal: null
  readonly tool_calls?: readonly { readonly id: string; readonly function: { readonly arguments: string } }[]
}

/** Makes a completion with a text. */
export function completion(model: string, content: string): Completion {
  return {
    id: 'chatcmpl-fake',
    object: 'chat.completion',
    created: 1_700_000_000,
    model,
    choices: [
      { index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' },
    ],
    usage: { prompt_tokens: 100, completion_tokens: 40, total_tokens: 140 },
  }
}

/** A function that makes the value of every key once. */
export function memo<V>(make: (key: string) => V): (key: string) => V {
  const made = new Map<string, V>()
  return (key) => {
    let value = made.get(key)
    if (value === undefined) made.set(key, (value = make(key)))
    return value
  }
}
