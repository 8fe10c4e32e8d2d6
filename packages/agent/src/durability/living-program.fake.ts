import type { ChatMessage, ChatOptions, CodeBlock, CodeReader, QueuedChat, Run, ToolCall } from '@x/interfaces'
import { functionModel, type FunctionModel, type ScriptedReply } from '@x/testing'
import fc from 'fast-check'
import { ConversableAgent, tool, type ConversableAgentOptions, type NestedChat } from '../index.ts'

/** A chat of a random program. */
export interface ChatPlan {
  readonly from: AgentPlan
  readonly to: AgentPlan
  readonly maxTurns: number
  readonly summary: 'last_msg' | 'reflection_with_llm' | 'function' | null
  readonly message: 'text' | 'function' | 'human'
  readonly carryover: boolean
}

/** An agent of a random program. */
export interface AgentPlan {
  /** What answers for it; `shared` is one model for all that have it. */
  readonly mind: 'model' | 'shared' | 'function' | 'nothing'
  readonly lines: readonly Line[]
  readonly human: 'ALWAYS' | 'NEVER' | 'TERMINATE'
  readonly hooks: boolean
  readonly code: 'none' | 'executor' | 'runner'
  readonly vet: 'none' | 'allow' | 'ask' | 'deny' | 'fails once'
  readonly tools: readonly ToolPlan[]
  readonly nested: readonly ChatPlan[]
}

/** A tool of a random program. */
export interface ToolPlan {
  readonly does: 'answers' | 'throws' | 'keeps' | 'chats' | 'queues' | 'runs' | 'catches'
  readonly approval: 'none' | 'needed' | 'fails once'
  readonly chat: ChatPlan | null
}

/** What is said: a text, calls of tools by number, code, the end. */
type Line = 'text' | 'code' | 'legacy call' | 'end' | 'failure' | readonly number[]

const line: fc.Arbitrary<Line> = fc.oneof(
  { weight: 12, arbitrary: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 3 }) },
  { weight: 8, arbitrary: fc.constant<Line>('text') },
  { weight: 4, arbitrary: fc.constantFrom<Line>('code', 'legacy call', 'end') },
  { weight: 1, arbitrary: fc.constant<Line>('failure') },
)

/** How deep chats are in chats. */
const deep = { maxDepth: 1, depthIdentifier: 'chats', withCrossShrink: true }

const { chat } = fc.letrec<{ chat: ChatPlan; agent: AgentPlan; tool: ToolPlan }>((tie) => ({
  chat: fc.record<ChatPlan>({
    from: tie('agent'),
    to: tie('agent'),
    maxTurns: fc.integer({ min: 1, max: 2 }),
    summary: fc.constantFrom('last_msg', 'reflection_with_llm', 'function', null),
    message: fc.constantFrom('text', 'text', 'function', 'human'),
    carryover: fc.boolean(),
  }),
  agent: fc.record<AgentPlan>({
    mind: fc.constantFrom('model', 'shared', 'function', 'nothing'),
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    human: fc.constantFrom('NEVER', 'NEVER', 'NEVER', 'ALWAYS', 'TERMINATE'),
    hooks: fc.boolean(),
    code: fc.constantFrom('none', 'none', 'executor', 'runner'),
    vet: fc.constantFrom('none', 'none', 'allow', 'ask', 'deny', 'fails once'),
    tools: fc.array(tie('tool'), { maxLength: 2 }),
    nested: fc.oneof(deep, fc.constant([]), fc.array(tie('chat'), { minLength: 1, maxLength: 1 })),
  }),
  tool: fc.record<ToolPlan>({
    does: fc.constantFrom('answers', 'throws', 'keeps', 'chats', 'queues', 'runs', 'catches'),
    approval: fc.constantFrom('none', 'none', 'none', 'needed', 'fails once'),
    chat: fc.oneof(deep, fc.constant(null), tie('chat')),
  }),
}))

/** A random chat with whatever may happen in one. */
export const chatPlan: fc.Arbitrary<ChatPlan> = chat

/** What survives a process: what was done, and what has failed once. */
export interface World {
  readonly done: string[]
  readonly failed: Set<string>
}

/** A program built anew, as a process does. */
export interface Process {
  readonly from: ConversableAgent
  readonly to: ConversableAgent
  readonly options: ChatOptions
  /** Every agent that is there however the chat goes on. */
  readonly agents: readonly ConversableAgent[]
  /** Those that tools made, too. */
  readonly made: readonly ConversableAgent[]
}

/** Builds a program; in the blocking one nothing is a promise. */
export function build(plan: ChatPlan, world: World, { blocking = false }: { blocking?: boolean } = {}): Process {
  const agents: ConversableAgent[] = []
  const made: ConversableAgent[] = []
  const shared = mind('shared', ['text', [0, 1], 'text'], world)
  const its = new Builder(world, blocking, shared, { agents, made })
  const { from, to, options } = its.chat(plan, 'top', true)
  return { from, to, options, agents, made }
}

class Builder {
  readonly #world: World
  readonly #blocking: boolean
  readonly #shared: FunctionModel
  readonly #agents: ConversableAgent[]
  readonly #made: ConversableAgent[]

  constructor(world: World, blocking: boolean, shared: FunctionModel, lists: Pick<Process, 'agents' | 'made'>) {
    this.#world = world
    this.#blocking = blocking
    this.#shared = shared
    this.#agents = lists.agents as ConversableAgent[]
    this.#made = lists.made as ConversableAgent[]
  }

  chat(plan: ChatPlan, path: string, lasting: boolean): Pick<Process, 'from' | 'to' | 'options'> {
    const [from, to] = [this.agent(plan.from, `${path}-a`, lasting), this.agent(plan.to, `${path}-b`, lasting)]
    const reflects = plan.summary === 'reflection_with_llm' && [plan.from, plan.to].some(({ mind }) => thinks(mind))
    const options: ChatOptions = {
      message:
        plan.message === 'text' ? `begin ${path}` : plan.message === 'human' ? null : () => this.#done(`begin ${path}`),
      maxTurns: plan.maxTurns,
      summaryMethod:
        plan.summary === 'function'
          ? () => this.#done(`summary of ${path}`)
          : plan.summary === 'reflection_with_llm' && !reflects
            ? 'last_msg'
            : plan.summary,
      ...(plan.carryover && { carryover: [`carried to ${path}`] }),
    }
    return { from, to, options }
  }

  /** Notes what was done; the answer is a promise unless nothing may be one. */
  #done<T = string>(what: string, answer: T = what as T): T {
    this.#world.done.push(what)
    return this.#blocking ? answer : (Promise.resolve().then(() => answer) as T)
  }

  #failsOnce(what: string): void {
    if (this.#world.failed.has(what)) return
    this.#world.failed.add(what)
    throw new Error(`${what} failed`)
  }

  agent(plan: AgentPlan, name: string, lasting: boolean): ConversableAgent {
    const model =
      plan.mind === 'shared' ? this.#shared : plan.mind === 'model' ? mind(name, plan.lines, this.#world) : undefined
    const vet = plan.vet
    const verdict = (what: string) => (): 'allow' | 'ask' | { deny: string } => {
      this.#world.done.push(`${what} is vetted by ${name}`)
      if (vet === 'fails once') this.#failsOnce(`vetting ${what} of ${name}`)
      return vet === 'ask' ? 'ask' : vet === 'deny' ? { deny: 'no' } : 'allow'
    }
    const options: ConversableAgentOptions = {
      name,
      humanInputMode: plan.human,
      maxConsecutiveAutoReply: 4,
      defaultAutoReply: `auto of ${name}`,
      io: {
        send: () => {},
        input: (prompt) => this.#done(`human of ${name} at ${prompt.length}`, prompt.length % 3 === 0 ? '' : 'typed'),
      },
      ...(model && { llmConfig: model }),
      ...(vet !== 'none' && { beforeToolCall: verdict('a call'), beforeCodeExecution: verdict('code') }),
      ...(plan.code === 'executor' && {
        codeExecutionConfig: {
          executor: {
            codeReader,
            isolation: 'host',
            executeCodeBlocks: () => Promise.resolve(this.#done(`code of ${name}`, { exitCode: 0, output: 'printed' })),
            executeCodeBlocksSync: () => this.#done(`code of ${name}`, { exitCode: 0, output: 'printed' }),
            restart: () => {},
            dispose: () => {},
          },
        } as never,
      }),
      ...(plan.code === 'runner' && {
        codeExecutionConfig: {
          runner: { codeReader, runCode: () => this.#done(`code of ${name}`, [0, 'ran', 'an-image']) },
        } as never,
      }),
    }
    const agent = new ConversableAgent(options)
    this.#made.push(agent)
    if (lasting) this.#agents.push(agent)
    if (plan.mind === 'function') {
      agent.registerReply(
        () => true,
        (_, { messages }) => {
          const reply = messageOf(lineFor(plan.lines, messages), messages, name)
          if (reply === null) throw new Error(`${name} fails`)
          return this.#done(`reply of ${name} to ${messages.length}`, [true, reply] as const) as never
        },
        { position: 6, ignoreAsyncInSyncChat: true },
      )
    }
    if (plan.hooks) {
      agent.registerHook('processMessageBeforeSend', ({ message }) => this.#done(`hook of ${name}`, message) as never)
      agent.registerHook(
        'processLastReceivedMessage',
        (content) => this.#done(`hook of ${name}`, typeof content === 'string' ? `${content}!` : content) as never,
      )
    }
    for (const [index, each] of plan.tools.entries()) this.#addTool(agent, each, `${name}-t${index}`, index)
    agent.registerFunction({
      legacy: () => this.#done(`legacy of ${name}`, [{ type: 'text', text: 'some parts' }]),
    })
    if (plan.nested.length > 0) {
      const chats = plan.nested.map((each, index): NestedChat => {
        const { to, options: given } = this.chat(
          { ...each, from: { ...plan, nested: [], tools: [] } },
          `${name}-n${index}`,
          lasting,
        )
        return { ...given, recipient: to, message: `nested ${index}`, carryover: undefined }
      })
      // Only others start them: those inside would start them again.
      const fromOutside = (sender: { name: string } | null): boolean => !sender?.name.startsWith(`${name}-n`)
      agent.registerNestedChats(chats, fromOutside, { position: 5 })
    }
    return agent
  }

  #addTool(agent: ConversableAgent, plan: ToolPlan, path: string, index: number): void {
    const act = async (callId: string, run: Run | undefined): Promise<unknown> =>
      await this.#acted(plan, path, { callId, run })
    agent.registerForExecution(
      tool({
        name: `t${index}`,
        description: 'a tool',
        parameters: { type: 'object', properties: {} },
        needsApproval:
          plan.approval === 'needed'
            ? true
            : plan.approval === 'none'
              ? false
              : () => {
                  this.#failsOnce(`the question about ${path}`)
                  return false
                },
        execute: (args, { callId = '', run }): unknown => {
          this.#world.done.push(`tool ${path} ${callId} ${JSON.stringify(args)}`)
          if (plan.does === 'throws') throw new Error(`${path} throws`)
          // Calls at once are in no order: what each changes is its own.
          if (plan.does === 'keeps') agent.setContext(`${path} ${callId}`, callId)
          if (plan.does === 'keeps') return { kept: [path, agent.getContext(`${path} ${callId}`)] }
          if (this.#blocking) return this.#actedSync(plan, path, run)
          return act(callId, run)
        },
      }) as never,
    )
  }

  #actedSync(plan: ToolPlan, path: string, run: Run | undefined): unknown {
    if (!plan.chat) return `${path} is done`
    // A tool that makes its agents for each call.
    const { from, to, options } = this.chat(plan.chat, path, false)
    return from.initiateChatSync(to, { ...options, run }).summary
  }

  async #acted(
    plan: ToolPlan,
    path: string,
    { callId, run }: { callId: string; run: Run | undefined },
  ): Promise<unknown> {
    await Promise.resolve()
    if (!plan.chat) return `${path} is done`
    // A tool that makes its agents for each call.
    const { from, to, options } = this.chat(plan.chat, path, false)
    if (plan.does === 'queues') {
      const others = [0, 1].map((each) => this.chat(plan.chat!, `${path}-q${each}`, false))
      const queue = [{ from, to, options }, ...others].map((each, chatId): QueuedChat => ({
        ...(each.options as object),
        message: `queued ${chatId}`,
        sender: each.from,
        recipient: each.to,
        chatId,
        prerequisites: chatId === 2 ? [0, 1] : [],
      }))
      const results = await from.initiateChats(queue, { run })
      return [...results.values()].map(({ summary }) => summary)
    }
    if (plan.does === 'runs') {
      const { text } = await to.run(`run ${callId}`, { maxTurns: 2, run })
      return text
    }
    if (plan.does === 'catches') {
      try {
        return (await from.initiateChat(to, { ...options, run })).summary
      } catch (error) {
        return `caught ${(error as Error).message}`
      }
    }
    return (await from.initiateChat(to, { ...options, run })).summary
  }
}

const thinks = (mind: AgentPlan['mind']): boolean => mind === 'model' || mind === 'shared'

const codeReader: CodeReader = {
  extractCode: (content): CodeBlock[] =>
    typeof content === 'string' && content.includes('CODE') ? [{ language: 'python', code: 'print()' }] : [],
  inferLang: () => 'python',
}

function mind(name: string, lines: readonly Line[], world: World): FunctionModel {
  return functionModel(({ messages }): ScriptedReply => {
    world.done.push(`model of ${name} to ${messages.length}`)
    const reply = messageOf(lineFor(lines, messages), messages, name)
    if (reply === null) return { error: 'server' }
    return {
      ...(typeof reply === 'string' ? { content: reply } : reply),
      usage: [messages.length, 1],
      cost: 1 / 8,
    } as never
  })
}

/** The line that fits what was said so far: the same in every process. */
const lineFor = (lines: readonly Line[], messages: readonly ChatMessage[]): Line =>
  lines[messages.length % lines.length]!

function messageOf(its: Line, messages: readonly ChatMessage[], name: string): string | ChatMessage | null {
  const length = messages.length
  if (its === 'failure') return null
  if (its === 'end') return 'TERMINATE'
  if (its === 'text') return `${name} says ${length}`
  if (its === 'code') return `CODE of ${name} ${length}`
  if (its === 'legacy call') return { content: null, function_call: { name: 'legacy', arguments: '{}' } }
  const calls = its.map((each, index): ToolCall => ({
    id: `${name}-${length}-${index}`,
    type: 'function',
    function: { name: `t${each}`, arguments: JSON.stringify({ from: name, length, index }) },
  }))
  return { content: null, tool_calls: calls }
}
