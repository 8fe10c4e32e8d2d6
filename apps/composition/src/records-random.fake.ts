import { type ConversableAgent, initiateChats, initiateChatsSync, type NestedChat, UpdateSystemMessage } from '@x/agent'
import {
  defaultPattern,
  GroupChat,
  GroupChatManager,
  type Handoff,
  initiateGroupChat,
  initiateGroupChatStream,
  initiateGroupChatSync,
} from '@x/group'
import { fit, limitMessages } from '@x/history'
import type { ChatOptions, CodeBlock, Face, LlmConfig, QueuedChat, Reply, Tool } from '@x/interfaces'
import { ReasoningAgent } from '@x/reasoning'
import type { ScriptedReply } from '@x/testing'
import { z } from 'zod'
import {
  assistant,
  calls,
  CODE_READER,
  type Given,
  never,
  outcomeOf,
  proxy,
  quiet,
  resultOf,
  type World,
} from './records-world.fake.ts'

/** A reply of a model: a text, calls of tools by their names, or a failure. Models are not part of a program. */
type LinePlan = string | { readonly call: readonly string[] } | { readonly fails: true }

interface ToolPlan {
  readonly name: string
  readonly description: string
  readonly parameter: string
  readonly isOptional: boolean
  readonly result: string
  readonly fails: boolean
  readonly asks: AgentPlan | null
  readonly needsApproval: boolean
}

interface AgentPlan {
  readonly name: string
  readonly description: string
  readonly prompt: string
  readonly temperature: number
  readonly autoReply: string
  readonly lines: readonly LinePlan[]
  readonly tools: readonly ToolPlan[]
  readonly nested: ChatPlan | null
  readonly marks: string | null
  readonly sees: number | null
  readonly wantsPerson: boolean
  readonly ends: string
  readonly maxReplies: number
  readonly variable: number | null
}

interface ChatPlan {
  readonly from: AgentPlan
  readonly to: AgentPlan
  readonly message: string
  readonly carryover: string | null
  readonly maxTurns: number
  readonly summary: 'last_msg' | 'reflection_with_llm' | null
  readonly summaryPrompt: string
}

/** A random program, as plain data. */
export type RandomPlan = { readonly people: readonly string[] } & (
  | { readonly kind: 'chat'; readonly chat: ChatPlan }
  | {
      readonly kind: 'run'
      readonly agent: AgentPlan
      readonly message: string
      readonly maxTurns: number
      readonly field: string | null
    }
  | {
      readonly kind: 'group'
      readonly agents: readonly AgentPlan[]
      readonly speaker: 'auto' | 'round_robin' | 'manual' | 'random'
      readonly template: string
      readonly question: string
      readonly introduces: boolean
      readonly repeats: boolean
      readonly maxRound: number
      readonly message: string
    }
  | {
      readonly kind: 'pattern'
      readonly agents: readonly AgentPlan[]
      readonly handoffs: readonly {
        readonly from: number
        readonly to: number
        readonly when: string
        readonly by: 'model' | 'test' | 'after'
      }[]
      readonly isVip: boolean
      readonly maxRounds: number
      readonly message: string
    }
  | { readonly kind: 'queue'; readonly chats: readonly ChatPlan[]; readonly waits: boolean }
  | {
      readonly kind: 'search'
      readonly method: (typeof METHODS)[number]
      readonly depth: number
      readonly trees: number
      readonly width: number
      readonly scale: number
      readonly message: string
    }
)

const METHODS = [
  ...(['beam_search', 'dfs', 'mcts', 'lats', 'best_first', 'depth_first', 'graded_mcts', 'ab_mcts'] as const),
  ...(['reflective_mcts', 'best_of_n', 'best_by_reward', 'self_consistency'] as const),
] as const

/** A generator of pseudo-random choices. */
class Chance {
  #state: number
  constructor(seed: number) {
    this.#state = (seed * 2654435761 + 1) >>> 0
  }

  /** A whole number below `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }

  is(percent: number): boolean {
    return this.below(100) < percent
  }

  one<T>(all: readonly T[]): T {
    return all[this.below(all.length)]!
  }

  list<T>(min: number, max: number, make: (index: number) => T): T[] {
    return Array.from({ length: min + this.below(max - min + 1) }, (_, index) => make(index))
  }
}

/** Makes the program of a seed. */
export function randomPlan(seed: number): RandomPlan {
  const chance = new Chance(seed)
  let count = 0
  const text = (what: string): string => `${what} ${++count}.`
  const tool = (depth: number): ToolPlan => ({
    name: `tool${++count}`,
    description: text('Does'),
    parameter: chance.one(['item', 'city', 'x']),
    isOptional: chance.is(30),
    result: text('Gives'),
    fails: chance.is(15),
    asks: depth > 0 && chance.is(25) ? agent('inner', depth - 1) : null,
    needsApproval: chance.is(15),
  })
  const agent = (role: string, depth: number): AgentPlan => {
    const tools = depth > 0 && chance.is(50) ? chance.list(1, 3, () => tool(depth - 1)) : []
    const line = (): LinePlan => {
      if (tools.length > 0 && chance.is(45)) return { call: chance.list(1, 3, () => chance.one(tools).name) }
      if (chance.is(12)) return `\`\`\`sh\n${text('echo')}\n\`\`\``
      return chance.is(4) ? { fails: true } : text('Says')
    }
    const lines = chance.list(1, 4, line)
    return {
      name: `${role}${++count}`,
      description: text('Is'),
      prompt: text('You are'),
      temperature: chance.below(3),
      autoReply: text('Auto'),
      lines,
      tools,
      nested: role === 'to' && depth > 1 && chance.is(40) ? chat(depth - 1) : null,
      marks: chance.is(15) ? text('Marked') : null,
      sees: chance.is(15) ? 1 + chance.below(3) : null,
      wantsPerson: chance.is(15),
      ends: (chance.is(20) && lines.find((each) => typeof each === 'string')) || 'TERMINATE',
      maxReplies: 1 + chance.below(4),
      variable: chance.is(15) ? chance.below(3) : null,
    }
  }
  const chat = (depth: number): ChatPlan => ({
    from: agent('from', depth),
    to: agent('to', depth),
    message: text('Asks'),
    carryover: chance.is(30) ? text('Before') : null,
    maxTurns: 1 + chance.below(3),
    summary: chance.one(['last_msg', 'reflection_with_llm', null]),
    summaryPrompt: text('Sum up'),
  })
  const people = chance.list(0, 6, () => chance.one(['yes', 'no', '1', '2', '', text('Person')]))
  const kind = chance.one([
    'chat',
    'chat',
    'chat',
    'run',
    'run',
    'group',
    'group',
    'pattern',
    'queue',
    'search',
  ] as const)
  switch (kind) {
    case 'chat':
      return { kind, people, chat: chat(2) }
    case 'run': {
      const field = chance.is(30) ? 'euros' : null
      const asked = agent('agent', 2)
      const json: readonly LinePlan[] = ['no', '{"euros":"many"}', '{"euros":3}']
      const lines = field === null ? asked.lines : [...asked.lines, ...json]
      return { kind, people, agent: { ...asked, lines }, message: text('Asks'), maxTurns: 1 + chance.below(6), field }
    }
    case 'group':
      return {
        kind,
        people,
        agents: chance.list(2, 4, () => agent('member', 1)),
        speaker: chance.one(['auto', 'auto', 'round_robin', 'manual', 'random']),
        template: `${text('Who')} {agentlist} {roles}`,
        question: `${text('Next')} {agentlist}`,
        introduces: chance.is(30),
        repeats: chance.is(60),
        maxRound: 2 + chance.below(5),
        message: text('Asks'),
      }
    case 'pattern': {
      const agents = chance.list(2, 4, () => agent('member', 1))
      const handoffs = chance.list(1, 4, () => ({
        from: chance.below(agents.length),
        to: chance.below(agents.length),
        when: text('If'),
        by: chance.one(['model', 'model', 'test', 'after'] as const),
      }))
      return {
        kind,
        people,
        agents,
        handoffs,
        isVip: chance.is(50),
        maxRounds: 2 + chance.below(6),
        message: text('Asks'),
      }
    }
    case 'queue':
      return { kind, people, chats: chance.list(2, 3, () => chat(1)), waits: chance.is(50) }
    case 'search':
      return {
        kind,
        people,
        method: chance.one(METHODS),
        depth: 1 + chance.below(2),
        trees: 1 + chance.below(2),
        width: 1 + chance.below(2),
        scale: 10,
        message: text('Asks'),
      }
  }
}

/** A change of one part of a program. */
export interface Mutation {
  /** Path of the part, such as `chat.to.prompt`. */
  readonly path: readonly string[]
  readonly value: unknown
}

/** Parts that are not of a program: models, people and what kind of program it is. */
const OUTSIDE: ReadonlySet<string> = new Set(['lines', 'people', 'kind'])

/** Words of which a part has to be one. */
const WORDS: Readonly<Record<string, readonly (string | null)[]>> = {
  summary: ['last_msg', 'reflection_with_llm', null],
  speaker: ['auto', 'round_robin', 'manual'],
  method: METHODS,
  by: ['model', 'after'],
  parameter: ['item', 'city', 'x'],
}

/** Lists every change that is made in a program, one part each. */
export function* mutationsOf(plan: unknown, path: readonly string[] = []): Generator<Mutation> {
  for (const [key, value] of Object.entries(plan as object)) {
    if (OUTSIDE.has(key)) continue
    const here = [...path, key]
    if (WORDS[key]) {
      const words = WORDS[key]
      yield { path: here, value: words[(words.indexOf(value as string) + 1) % words.length] }
    } else if (key === 'from' && typeof value === 'number') yield { path: here, value: value === 0 ? 1 : 0 }
    else if (key === 'to' && typeof value === 'number') yield { path: here, value: value === 0 ? 1 : 0 }
    else if (typeof value === 'string') yield { path: here, value: key === 'name' ? `${value}x` : `${value} Changed.` }
    else if (typeof value === 'number') yield { path: here, value: value + 1 }
    else if (typeof value === 'boolean') yield { path: here, value: !value }
    else if (Array.isArray(value)) {
      if (value.length > 1) yield { path: here, value: value.toReversed() }
      if (value.length > (key === 'tools' ? 0 : 2)) yield { path: here, value: value.slice(0, -1) }
      yield* mutationsOf(value, here)
    } else if (value !== null) yield* mutationsOf(value, here)
  }
}

/** Chooses some of a list by a seed. */
export function chosen<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const chance = new Chance(seed + 0.5)
  const left = [...all]
  while (left.length > count) left.splice(chance.below(left.length), 1)
  return left
}

/** Returns a program with a change. */
export function mutated<T>(plan: T, { path, value }: Mutation, depth = 0): T {
  if (depth === path.length) return value as T
  const key = path[depth]! as keyof T
  const part = mutated(plan[key], { path, value }, depth + 1)
  if (Array.isArray(plan)) return plan.with(Number(key), part) as T
  return { ...plan, [key]: part }
}

/** Faces in which a program can run. */
export const facesOf = (plan: RandomPlan): readonly Face[] =>
  plan.kind === 'run' || plan.kind === 'search' || JSON.stringify(plan).includes('"asks":{')
    ? ['async', 'stream']
    : ['sync', 'async', 'stream']

/** Runs a program. */
export async function runPlan(plan: RandomPlan, world: World, given: Given): Promise<unknown> {
  const made = new Builder(world, plan.people)
  switch (plan.kind) {
    case 'chat': {
      const { from, to, options } = made.chat(plan.chat)
      return await world.chat(from, to, { ...options, ...given })
    }
    case 'run': {
      const { agent, field, message, maxTurns } = plan
      const tools = agent.tools.map((each) => made.tool(each))
      const options = {
        ...{ tools, maxTurns, ...given },
        ...(field !== null && {
          result: z.object({
            [field.split(' ')[0]!]: z.number(),
            ...(field.includes(' ') && { more: z.string().optional() }),
          }),
        }),
      }
      const asked = made.agent({ ...agent, tools: [] })
      const run =
        world.face === 'async'
          ? await asked.run(message, options as never)
          : await resultOf(asked.runStream(message, options as never), world.emit)
      const { text, result, toolCalls, cost, terminationReason, messages } = run as unknown as Record<string, unknown>
      return { text, result, toolCalls, cost, terminationReason, messages }
    }
    case 'group': {
      const agents = plan.agents.map((each) => made.agent(each))
      const groupchat = new GroupChat({
        ...{ agents, maxRound: plan.maxRound, io: made.io, speakerSelectionMethod: plan.speaker },
        ...{ selectSpeakerMessageTemplate: plan.template, selectSpeakerPromptTemplate: plan.question },
        ...{ sendIntroductions: plan.introduces, allowRepeatSpeaker: plan.repeats },
        random: () => world.outside('speaker', () => 0.7),
      })
      const llmConfig = made.chooser(plan.agents.map(({ name }) => name))
      const manager = new GroupChatManager({ groupchat, llmConfig, silent: true, io: made.io })
      return await world.chat(proxy('user'), manager, { message: plan.message, ...given })
    }
    case 'pattern':
      return await made.pattern(plan, given)
    case 'queue': {
      const queue = plan.chats.map((each, index): QueuedChat => {
        const { from, to, options } = made.chat(each)
        const isLast = index === plan.chats.length - 1 && plan.waits
        const before = plan.chats.slice(0, -1).map((_, at) => at)
        return { ...options, sender: from, recipient: to, chatId: index, ...(isLast && { prerequisites: before }) }
      })
      const results =
        world.face === 'sync' ? initiateChatsSync(queue, given) : [...(await initiateChats(queue, given)).values()]
      return results.map(outcomeOf)
    }
    case 'search': {
      const { method, depth, trees, width, scale } = plan
      const reasoner = new ReasoningAgent({
        ...{ name: 'reasoner', llmConfig: made.thinker(), silent: true, io: quiet },
        reasonConfig: {
          method,
          maxDepth: depth,
          forestSize: trees,
          beamSize: width,
          nsim: width + 1,
          ratingScale: scale,
        },
      })
      return await world.chat(proxy('user'), reasoner, { message: plan.message, maxTurns: 1, ...given })
    }
  }
}

class Builder {
  readonly #world: World
  readonly io: ReturnType<World['person']>

  constructor(world: World, people: readonly string[]) {
    this.#world = world
    this.io = world.person(...people)
  }

  #model(lines: readonly LinePlan[], temperature: number): LlmConfig {
    return this.#world.asks({ temperature }, ({ messages }) => {
      const said = messages.filter(({ role }) => role === 'assistant').length
      const line = lines[Math.min(said, lines.length - 1)]!
      if (typeof line === 'string') return line
      return 'fails' in line ? ({ error: 'server' } satisfies ScriptedReply) : calls(...line.call)
    })
  }

  chooser(names: readonly string[]): LlmConfig {
    return this.#world.asks(
      {},
      ({ messages }) => names[JSON.stringify(messages.at(-1)).length % (names.length + 1)] ?? 'nobody',
    )
  }

  thinker(): LlmConfig {
    return this.#world.asks({}, ({ agent }) => {
      if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10'
      return agent === 'tot_grader' ? 'Option 1: Rating: 6\nOption 2: Rating: 5' : '16 + 4 = 20'
    })
  }

  tool(plan: ToolPlan): Tool {
    const { name, description, parameter, isOptional, result, fails, asks, needsApproval } = plan
    return this.#world.outsideTool({
      ...{ name, description, needsApproval },
      parameters: z.object({ [parameter]: isOptional ? z.string().optional() : z.unknown(), item: z.string() }),
      execute: (args, { run }) => {
        if (fails) throw new Error(result)
        if (asks === null) return `${result} ${JSON.stringify(args)}`
        const agent = this.agent(asks)
        return agent.run(result, { run, maxTurns: 3 }).then(({ text }) => text)
      },
    })
  }

  agent(plan: AgentPlan): ConversableAgent {
    const {
      name,
      description,
      prompt,
      temperature,
      autoReply,
      lines,
      tools,
      marks,
      sees,
      wantsPerson,
      ends,
      maxReplies,
      variable,
    } = plan
    const agent = assistant(name, this.#model(lines, temperature), {
      ...{ description, systemMessage: prompt, defaultAutoReply: autoReply, io: this.io },
      humanInputMode: wantsPerson ? 'TERMINATE' : 'NEVER',
      maxConsecutiveAutoReply: maxReplies,
      ...(variable !== null && {
        contextVariables: { count: variable },
        updateAgentStateBeforeReply: new UpdateSystemMessage(`${prompt} {count}`),
      }),
      isTerminationMsg: ({ content }: { content?: unknown }) => content === ends,
      ...(sees !== null && { history: fit(limitMessages(sees)) }),
    })
    for (const each of tools) {
      const made = this.tool(each)
      agent.registerForLlm(made)
      agent.registerForExecution(made)
    }
    if (marks !== null) {
      agent.registerHook('processMessageBeforeSend', ({ message }) => this.#mark(message, marks) as Reply)
    }
    return agent
  }

  /** A hook of the program, whose answer shows where it is made. */
  #mark(text: unknown, marks: string): unknown {
    const marked = typeof text === 'string' ? `${text} ${marks}` : text
    return this.#world.outside('hook', () => marked, marked)
  }

  chat(plan: ChatPlan): { from: ConversableAgent; to: ConversableAgent; options: ChatOptions } {
    const { message, carryover, maxTurns, summary, summaryPrompt } = plan
    const to = this.agent(plan.to)
    const code = (blocks: readonly CodeBlock[]) =>
      this.#world.outside('code', () => ({ exitCode: 0, output: `ran ${blocks.length}`, codeFile: null }), blocks)
    const executor = {
      ...{ codeReader: CODE_READER, isolation: 'host', executeCodeBlocksSync: code },
      executeCodeBlocks: async (blocks: readonly CodeBlock[]) => code(blocks),
    }
    const { name, autoReply, marks, wantsPerson } = plan.from
    const from = proxy(name, {
      ...never,
      ...{ defaultAutoReply: autoReply, codeExecutionConfig: { executor }, io: this.io },
      ...(wantsPerson && { humanInputMode: 'ALWAYS' }),
    })
    for (const each of plan.to.tools) from.registerForExecution(this.tool(each))
    if (plan.to.nested) {
      const { to: recipient, options } = this.chat(plan.to.nested)
      to.registerNestedChats([{ ...options, recipient } as NestedChat], from)
    }
    if (marks !== null) {
      from.registerHook('processLastReceivedMessage', (content) => this.#mark(content, marks) as typeof content)
    }
    return {
      ...{ from, to },
      options: {
        ...{ message, maxTurns, summaryMethod: summary, summaryArgs: { summaryPrompt } },
        ...(carryover !== null && { carryover }),
      },
    }
  }

  async pattern(plan: Extract<RandomPlan, { kind: 'pattern' }>, given: Given): Promise<unknown> {
    const agents = plan.agents.map((each) => this.agent(each))
    const rule = ({ to, when, by }: (typeof plan.handoffs)[number]): Handoff => {
      const target = agents[to % agents.length]!
      if (by === 'model') return { to: target, when }
      const test = (variables: Record<string, unknown>): unknown => variables['vip']
      return by === 'test' ? { to: target, when: test } : { to: target, after: test }
    }
    const pattern = defaultPattern({
      contextVariables: { vip: plan.isVip },
      initialAgent: agents[0]!,
      agents: agents.map((agent, at) => ({
        agent,
        handoffs: plan.handoffs.filter(({ from }) => from % agents.length === at).map(rule),
      })),
      groupManagerArgs: { io: quiet, silent: true },
    })
    const options = { maxRounds: plan.maxRounds, silent: true, ...given }
    const { face } = this.#world
    const { contextVariables, terminationReason, chatHistory } =
      face === 'sync'
        ? initiateGroupChatSync(pattern, plan.message, options)
        : face === 'async'
          ? await initiateGroupChat(pattern, plan.message, options)
          : await resultOf(initiateGroupChatStream(pattern, plan.message, options), this.#world.emit)
    return { contextVariables, terminationReason, chatHistory }
  }
}
