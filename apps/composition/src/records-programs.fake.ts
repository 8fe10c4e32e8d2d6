import {
  AssistantAgent,
  ConversableAgent,
  initiateChats,
  initiateChatsSync,
  tool as makeTool,
  UserProxyAgent,
} from '@x/agent'
import {
  terminate,
  defaultPattern,
  GroupChat,
  GroupChatManager,
  type GroupChatOptions,
  groupTool,
  initiateGroupChat,
  initiateGroupChatStream,
  initiateGroupChatSync,
  replyResult,
} from '@x/group'
import { fit, limitMessages } from '@x/history'
import type {
  ChatMessage,
  ChatOptions,
  CodeBlock,
  CodeReader,
  Face,
  Io,
  LlmConfig,
  MaybePromise,
  QueuedChat,
  Reply,
  Run,
  RunTracer,
  Tool,
  ToolContext,
} from '@x/interfaces'
import { llmConfig } from '@x/model'
import { bestFirst, modelParts, ReasoningAgent, search } from '@x/reasoning'
import { functionModel, type ScriptedReply, scriptedProvider } from '@x/testing'
import { z } from 'zod'

/** Options that programs pass on to the operations that they start. */
export interface Given {
  readonly tracer?: RunTracer
  readonly emit?: ChatOptions['emit']
}

/** How a program runs: what answers from outside, in which face, and what is changed in it. */
export interface WorldOptions {
  readonly face?: Face | undefined
  /** True: everything outside of the program fails when it is asked. */
  readonly offline?: boolean | undefined
  /** Kinds of functions of the program that answer nonetheless. */
  readonly made?: ReadonlySet<string> | undefined
  /** The part that is changed, and how. */
  readonly mutation?: { readonly part: string; readonly change?: ((value: unknown) => unknown) | undefined } | undefined
}

/** The world of a program: everything outside of it, and a name for each part that may be changed. */
export class World {
  readonly face: Face
  /** Parts that were asked for, with their values. */
  readonly parts = new Map<string, unknown>()
  /** The calls outside, in order. */
  readonly asked: string[] = []
  /** Keys of the tools that were called, in order. */
  readonly keys: string[] = []
  readonly #options: WorldOptions

  constructor(options: WorldOptions = {}) {
    this.face = options.face ?? 'async'
    this.#options = options
  }

  /** A part of the program, as it is or changed. */
  vary<T>(part: string, value: T): T {
    this.parts.set(part, value)
    const { mutation } = this.#options
    if (mutation?.part !== part) return value
    return (mutation.change ?? changed)(value) as T
  }

  /** Answers from outside, or fails. */
  outside<T>(kind: string, answer: () => T): T {
    if (this.#options.offline && !this.#options.made?.has(kind)) throw new Error(`a ${kind} was asked in a replay`)
    this.asked.push(kind)
    return answer()
  }

  /** A function of the program that is answered from a record, and may be a promise where the face has promises. */
  function<A extends readonly unknown[], T>(kind: string, call: (...args: A) => T): (...args: A) => MaybePromise<T> {
    return (...args) => {
      if (this.face === 'sync') return this.outside(kind, () => call(...args))
      return Promise.resolve().then(() => this.outside(kind, () => call(...args)))
    }
  }

  /** A model that answers by a function of the number of messages or of the last one. */
  model(part: string, answer: (messages: readonly ChatMessage[], agent: string) => ScriptedReply): LlmConfig {
    const config = { temperature: this.vary(`temperature of ${part}`, 0), topP: 1 }
    return functionModel(({ messages, agent }) => this.outside('model', () => answer(messages as never, agent ?? '')), {
      config,
      usage: [7, 3],
      cost: 0.5,
    })
  }

  /** A model that says texts one after the other, by the replies that stand in the request. */
  says(part: string, ...lines: ScriptedReply[]): LlmConfig {
    return this.model(part, (messages) => {
      const said = messages.filter(({ role }) => role === 'assistant').length
      return lines[Math.min(said, lines.length - 1)]!
    })
  }

  person(...lines: string[]): Io {
    return { takes: new Set(), send() {}, input: () => this.outside('human', () => lines.shift() ?? 'exit') }
  }

  tool(
    name: string,
    execute: (args: Record<string, unknown>, context: ToolContext) => unknown,
    more: { needsApproval?: boolean; properties?: Record<string, z.ZodType> } = {},
  ): Tool {
    const { properties = { item: z.string() }, needsApproval } = more
    const extra = this.vary(`schema of ${name}`, {})
    return makeTool({
      name,
      description: this.vary(`description of ${name}`, `Does ${name}.`),
      parameters: z.object({ ...properties, ...extra }),
      ...(needsApproval && { needsApproval }),
      execute: (args, context) =>
        this.outside('tool', () => {
          this.keys.push(context.key)
          return execute(args, context)
        }),
    })
  }

  /** Starts a chat in the face of the world. */
  async chat(from: ConversableAgent, to: ConversableAgent, options: ChatOptions): Promise<unknown> {
    if (this.face === 'sync') return outcomeOf(from.initiateChatSync(to, options))
    if (this.face === 'async') return outcomeOf(await from.initiateChat(to, options))
    return outcomeOf(await resultOf(from.initiateChatStream(to, options)))
  }
}

/** Awaits the result of a stream whose events are all read. */
async function resultOf<T>(stream: AsyncGenerator<unknown, T, void>): Promise<T> {
  for (;;) {
    const next = await stream.next()
    if (next.done) return next.value
  }
}

const outcomeOf = (result: {
  summary: unknown
  chatHistory: readonly unknown[]
  cost: unknown
  humanInput: unknown
  terminationReason: unknown
}): unknown => {
  const { summary, chatHistory, cost, humanInput, terminationReason } = result
  return { summary, chatHistory, cost, humanInput, terminationReason }
}

/** A value that is plainly another one. */
function changed(value: unknown): unknown {
  if (typeof value === 'string') return `${value} Changed.`
  if (typeof value === 'number') return value + 1
  if (typeof value === 'boolean') return !value
  if (Array.isArray(value)) return value.length > 1 ? value.toReversed() : [...value, ...value]
  return { ...(value as object), changed: z.string().optional() }
}

/** A reply that calls tools. */
const calls = (...names: (string | [name: string, args: object])[]): ScriptedReply => ({
  tool_calls: names.map((each, at) => {
    const [name, args] = typeof each === 'string' ? [each, { item: 'tea' }] : each
    return { id: `c${at}`, type: 'function' as const, function: { name, arguments: JSON.stringify(args) } }
  }),
})

const quiet: Io = { takes: new Set(), send() {}, input: () => 'exit' }
const never = { humanInputMode: 'NEVER', silent: true, io: quiet, codeExecutionConfig: false } as const
const proxy = (name: string, more: object = {}): UserProxyAgent => new UserProxyAgent({ name, ...never, ...more })
const assistant = (name: string, config: LlmConfig, more: object = {}): AssistantAgent =>
  new AssistantAgent({ name, llmConfig: config, silent: true, io: quiet, ...more })

/** A program: it starts one run with the given options. */
export interface Program {
  readonly faces: readonly Face[]
  /** True if calls run side by side. */
  readonly isParallel?: boolean
  /** True if the run is another one in each face. */
  readonly differsByFace?: boolean
  /** Parts whose change is no difference of the run by itself: only functions that are made again show it. */
  readonly made?: Readonly<Record<string, string>>
  run(world: World, given: Given): Promise<unknown>
}

const ALL: readonly Face[] = ['sync', 'async', 'stream']

const CODE_READER: CodeReader = {
  extractCode: (text) => {
    const code = /```sh\n([^]*?)```/u.exec(typeof text === 'string' ? text : '')?.[1]
    return code === undefined ? [] : [{ language: 'sh', code }]
  },
  inferLang: () => 'sh',
}

/** Twenty programs of different kinds. */
export const PROGRAMS: Readonly<Record<string, Program>> = {
  'two agents': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'One.', 'Two.', 'Three.'), {
        systemMessage: world.vary('prompt', 'You count.'),
      })
      const user = proxy('user', { defaultAutoReply: world.vary('auto reply', 'And then?') })
      const maxTurns = world.vary('maxTurns', 3)
      return world.chat(user, helper, { message: world.vary('message', 'Count.'), maxTurns, ...given })
    },
  },
  'parallel tools': {
    isParallel: true,
    faces: ['async', 'stream'],
    made: { 'code of price': 'tool' },
    async run(world, given) {
      const model = world.says('clerk', calls('price', 'stock', 'price'), 'Tea costs 3.')
      const tools = [
        world.tool('price', async ({ item }) => `${String(item)} costs ${world.vary('code of price', 3)}`),
        world.tool('stock', async () => ({ left: 7 })),
      ]
      const clerk = assistant('clerk', model, { systemMessage: world.vary('prompt', 'You sell.') })
      const options = { tools: world.vary('order of tools', tools), maxTurns: 4, ...given }
      const run = clerk.runStream(world.vary('message', 'Tea?'), options)
      const { text, toolCalls, cost, terminationReason, messages } = await resultOf(run)
      return { text, toolCalls, cost, terminationReason, messages }
    },
  },
  'tools that fail': {
    faces: ALL,
    run(world, given) {
      const model = world.says('clerk', calls('price', 'nothing'), calls(['price', { item: 7 }]), 'I cannot tell.')
      const price = world.tool('price', () => {
        throw new Error(world.vary('error', 'the till is broken'))
      })
      const clerk = assistant('clerk', model)
      const user = proxy('user')
      clerk.registerForLlm(price)
      user.registerForExecution(price)
      return world.chat(user, clerk, { message: world.vary('message', 'Tea?'), maxTurns: 4, ...given })
    },
    made: { error: 'tool' },
  },
  'agents inside tools': {
    isParallel: true,
    faces: ['async', 'stream'],
    made: {
      'prompt of ann': 'tool',
      'prompt of bob': 'tool',
      'temperature of ann': 'tool',
      'temperature of bob': 'tool',
    },
    async run(world, given) {
      const expert = (name: string): Tool =>
        world.tool(`ask_${name}`, async (_, { run }) => {
          const agent = assistant(name, world.says(name, `I am ${name}.`), {
            systemMessage: world.vary(`prompt of ${name}`, 'You know.'),
          })
          return (await agent.run('Who?', { run })).text
        })
      const model = world.says('chief', calls('ask_ann', 'ask_bob'), calls('ask_ann'), 'Both.')
      const chief = assistant('chief', model)
      const { text, cost, toolCalls } = await chief.run(world.vary('message', 'Who is there?'), {
        tools: [expert('ann'), expert('bob')],
        ...given,
      })
      return { text, cost, toolCalls }
    },
  },
  'an approval at once': {
    faces: ALL,
    run(world, given) {
      const refund = world.tool('refund', () => 'given back', { needsApproval: true })
      const clerk = assistant('clerk', world.says('clerk', calls('refund'), 'Done.'))
      const desk = proxy('desk', { io: world.person('yes'), humanInputMode: 'NEVER' })
      clerk.registerForLlm(refund)
      desk.registerForExecution(refund)
      return world.chat(desk, clerk, { message: world.vary('message', 'It broke.'), maxTurns: 3, ...given })
    },
  },
  'nested chats': {
    faces: ALL,
    made: { 'code of message': 'message' },
    run(world, given) {
      const writer = assistant('writer', world.says('writer', 'A raincoat.', 'And boots.'))
      const critic = assistant('critic', world.says('critic', 'Name shoes.'), {
        systemMessage: world.vary('prompt of critic', 'You judge.'),
      })
      const user = proxy('user')
      user.registerNestedChats(
        [
          {
            recipient: critic,
            message: world.function(
              'message',
              (_: unknown, { messages }: { messages: readonly ChatMessage[] }) =>
                `${world.vary('code of message', 'Judge:')} ${messages.at(-1)?.content as string}`,
            ) as never,
            maxTurns: 1,
            summaryMethod: 'last_msg',
          },
        ],
        writer,
      )
      return world.chat(user, writer, { message: world.vary('message', 'What do I wear?'), maxTurns: 2, ...given })
    },
  },
  'a queue of chats': {
    isParallel: true,
    faces: ['sync', 'async'],
    differsByFace: true,
    async run(world, given) {
      const user = proxy('user')
      const once = { sender: user, maxTurns: world.vary('maxTurns', 1) }
      const chat = (chatId: number, name: string, message: string, more: object = {}): QueuedChat => ({
        ...once,
        chatId,
        recipient: assistant(name, world.says(name, `This is ${name}.`)),
        message,
        ...more,
      })
      const queue = [
        chat(1, 'geographer', world.vary('message', 'Where?')),
        chat(2, 'historian', 'When?'),
        chat(3, 'writer', 'Write.', { prerequisites: [1, 2], summaryMethod: 'reflection_with_llm' }),
      ]
      const results =
        world.face === 'sync' ? initiateChatsSync(queue, given) : [...(await initiateChats(queue, given)).values()]
      return results.map(outcomeOf)
    },
  },
  'a group with a model that chooses': {
    faces: ALL,
    run: (world, given) =>
      groupOf(world, given, {
        speakerSelectionMethod: 'auto',
        selectSpeakerMessageTemplate: world.vary('template', 'Who of {agentlist} is next? {roles}'),
      }),
  },
  'a group led by a person': {
    faces: ALL,
    run: (world, given) => groupOf(world, given, { speakerSelectionMethod: 'manual', io: world.person('2', '1', '2') }),
  },
  'a group by chance': {
    faces: ALL,
    run: (world, given) =>
      groupOf(world, given, { speakerSelectionMethod: 'random', random: () => world.outside('speaker', () => 0.7) }),
  },
  'a group by a function': {
    faces: ALL,
    made: { choice: 'speaker' },
    run: (world, given) =>
      groupOf(world, given, {
        speakerSelectionMethod: world.function(
          'speaker',
          (last: unknown, group: { agents: readonly ConversableAgent[] }) => {
            const agents = world.vary('choice', group.agents)
            return agents[(agents.indexOf(last as never) + 1) % agents.length]!
          },
        ) as never,
      }),
  },
  'a pattern with handoffs': {
    faces: ALL,
    async run(world, given) {
      const lookUp = groupTool<{ vip: boolean; invoice: number }>()({
        name: 'look_up',
        description: 'Looks it up.',
        parameters: { type: 'object', properties: { number: { type: 'number' } } },
        execute: ({ number }, { contextVariables }) =>
          world.outside('tool', () => {
            contextVariables.set('invoice', number as number)
            return replyResult<{ vip: boolean; invoice: number }>({ message: 'paid twice' })
          }),
      })
      const never2 = { humanInputMode: 'NEVER', silent: true, io: quiet } as const
      const triage = new ConversableAgent({
        name: 'triage',
        ...never2,
        llmConfig: world.says('triage', calls(['look_up', { number: 7 }]), calls(['transfer_to_billing_1', {}]), '?'),
        functions: lookUp,
        systemMessage: world.vary('prompt of triage', 'You sort.'),
      })
      const workers = world.says('workers', 'We have worked.')
      const agent = (name: string): ConversableAgent =>
        new ConversableAgent({ name, description: name, ...never2, llmConfig: workers })
      const [tech, billing] = [agent('tech'), agent('billing')]
      const pattern = defaultPattern({
        contextVariables: { vip: world.vary('variable', false), invoice: 0 },
        initialAgent: triage,
        userAgent: proxy('person', { io: world.person('Thank you.'), humanInputMode: 'ALWAYS' }),
        agents: [
          {
            agent: triage,
            handoffs: [
              { to: tech, when: (variables) => variables['vip'] },
              { to: billing, when: world.vary('condition', 'It is about the invoice {invoice}.') },
            ],
            inputGuardrails: [
              {
                name: 'secrets',
                check: world.function('handoff', () => false as const) as never,
                to: terminate('told'),
              },
            ],
          },
          tech,
          billing,
        ],
      })
      const options = { maxRounds: 8, ...given }
      const message = world.vary('message', 'My invoice is wrong.')
      const { contextVariables, terminationReason, chatHistory } =
        world.face === 'sync'
          ? initiateGroupChatSync(pattern, message, options)
          : world.face === 'async'
            ? await initiateGroupChat(pattern, message, options)
            : await resultOf(initiateGroupChatStream(pattern, message, options))
      return { contextVariables, terminationReason, chatHistory }
    },
  },
  'code that is run': {
    faces: ALL,
    run(world, given) {
      const code = (blocks: readonly CodeBlock[]) =>
        world.outside('code', () => ({ exitCode: 0, output: `ran ${blocks.length}`, codeFile: null }))
      const executor = {
        codeReader: CODE_READER,
        isolation: 'host',
        executeCodeBlocks: async (blocks: readonly CodeBlock[]) => code(blocks),
        executeCodeBlocksSync: code,
      }
      const coder = assistant('coder', world.says('coder', '```sh\nls\n```', 'Done.'))
      const machine = proxy('machine', { codeExecutionConfig: { executor } })
      return world.chat(machine, coder, { message: world.vary('message', 'List.'), maxTurns: 2, ...given })
    },
  },
  hooks: {
    faces: ALL,
    made: { 'code of a hook': 'hook' },
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'The secret is 7.', 'No.'))
      const user = proxy('user', { defaultAutoReply: 'More.' })
      const hooks = world.vary('order of hooks', [
        function mask(text: string) {
          return text.replaceAll('secret', '***')
        },
        function mark(text: string) {
          return `${text} ${world.vary('code of a hook', 'marked')}`
        },
      ])
      for (const hook of hooks) {
        helper.registerHook(
          'processMessageBeforeSend',
          {
            [hook.name]: ({ message }: { message: Reply }) => hook(message as string),
          }[hook.name]!,
        )
      }
      helper.registerHook(
        'processLastReceivedMessage',
        world.function('hook', (content: unknown) => `${String(content)} (read)`) as never,
      )
      helper.registerHook('processAllMessagesBeforeReply', (messages) => messages.slice(-2))
      helper.registerHook('updateAgentState', (agent, messages) => {
        ;(agent as AssistantAgent).updateSystemMessage(`${world.vary('prompt', 'Message')} ${messages.length}`)
      })
      return world.chat(user, helper, { message: world.vary('message', 'Tell.'), maxTurns: 2, ...given })
    },
  },
  'reply functions': {
    faces: ALL,
    made: { 'code of a reply': 'reply' },
    run(world, given) {
      const helper = new ConversableAgent({ name: 'helper', ...never })
      const user = proxy('user')
      const replies = world.vary('order of replies', [
        { answer: [false, null] as const, name: 'passesOn' },
        { answer: [true, `A reply, ${world.vary('code of a reply', 'made')}.`] as const, name: 'answers' },
      ])
      for (const { answer, name } of replies.toReversed()) {
        const reply = world.function('reply', () => answer)
        Object.defineProperty(reply, 'name', { value: name })
        helper.registerReply(ConversableAgent, reply)
      }
      return world.chat(user, helper, { message: world.vary('message', 'Say.'), maxTurns: 2, ...given })
    },
  },
  'functions for message, carryover and summary': {
    faces: ALL,
    made: { 'code of message': 'message', 'code of summary': 'summary' },
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'Yes.'))
      const message = world.function(
        'message',
        (_: unknown, __: unknown, args: { city?: string }) =>
          `${world.vary('code of message', 'Is it')} ${String(args.city)}?`,
      )
      const summaryMethod = world.function('summary', () => ({ said: world.vary('code of summary', 'yes') }))
      return world.chat(proxy('user'), helper, {
        message: message as never,
        messageArgs: { city: world.vary('argument of message', 'Oslo') },
        summaryMethod: summaryMethod,
        summaryArgs: { style: world.vary('argument of summary', 'short') },
        carryover: [world.vary('carryover', 'It rained.')],
        maxTurns: 1,
        ...given,
      })
    },
  },
  'a reasoning agent': {
    isParallel: true,
    faces: ['async', 'stream'],
    run(world, given) {
      const reasoner = new ReasoningAgent({
        name: 'reasoner',
        llmConfig: coins(world),
        silent: true,
        io: quiet,
        reasonConfig: {
          method: 'best_first',
          maxDepth: world.vary('depth', 2),
          verifier: (answer) => answer.endsWith(' = 20'),
        },
      })
      return world.chat(proxy('user'), reasoner, { message: world.vary('message', 'Pay 20.'), maxTurns: 1, ...given })
    },
  },
  'a forest of reasoning': {
    isParallel: true,
    faces: ['async', 'stream'],
    run(world, given) {
      const reasoner = new ReasoningAgent({
        name: 'reasoner',
        llmConfig: coins(world),
        silent: true,
        io: quiet,
        reasonConfig: { method: 'beam_search', forestSize: world.vary('trees', 2), maxDepth: 2, beamSize: 1 },
      })
      return world.chat(proxy('user'), reasoner, { message: world.vary('message', 'Pay 20.'), maxTurns: 1, ...given })
    },
  },
  'a search in a tool': {
    isParallel: true,
    faces: ['async', 'stream'],
    made: { question: 'tool', 'temperature of thinker': 'tool' },
    async run(world, given) {
      const pay = world.tool('pay', async ({ item }, { run }) => {
        const parts = { ...modelParts({ model: coins(world).createModel() }), method: bestFirst({ maxDepth: 2 }), run }
        const verifier = (answer: string): boolean => answer.endsWith(' = 20')
        return (await search(`${world.vary('question', 'Pay 20')} for ${String(item)}`, { ...parts, verifier })).answer
      })
      const cashier = assistant('cashier', world.says('cashier', calls('pay'), 'Paid.'))
      const { text, cost, toolCalls } = await cashier.run(world.vary('message', '20, please.'), {
        tools: pay,
        ...given,
      })
      return { text, cost, toolCalls }
    },
  },
  'a result with repairs': {
    faces: ['async', 'stream'],
    async run(world, given) {
      const clerk = assistant('clerk', world.says('clerk', '{"euros":"many"}', 'no', '{"euros":3}'))
      const { result, text, cost } = await clerk.run(world.vary('message', 'What is it?'), {
        result: z.object({
          euros: z.number(),
          ...(world.vary('schema of result', false) ? { more: z.string().optional() } : {}),
        }),
        ...given,
      } as never)
      return { result, text, cost }
    },
  },
  'a history that is cut': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'a', 'b', 'c', 'd', 'e', 'f'), {
        history: fit(limitMessages(world.vary('messages of the view', 3))),
      })
      const user = proxy('user', { defaultAutoReply: 'On.' })
      return world.chat(user, helper, { message: world.vary('message', 'Go.'), maxTurns: 6, ...given })
    },
  },
  'a person in the chat': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'Hello.', 'Yes.', 'Bye.'))
      const io = world.person('Good morning.', 'Is it late?', '', 'exit')
      const user = new UserProxyAgent({
        name: 'user',
        humanInputMode: 'ALWAYS',
        io,
        silent: true,
        codeExecutionConfig: false,
      })
      return world.chat(user, helper, { maxTurns: world.vary('maxTurns', 4), ...given })
    },
  },
  'a model inside a tool': {
    faces: ['async', 'stream'],
    made: { 'question of the tool': 'tool' },
    async run(world, given) {
      const inner = llmConfig({
        providers: [scriptedProvider(() => world.outside('model', () => 'six'))],
        ...{ cacheSeed: null, apiType: 'scripted', model: 'inner', price: [1, 2] },
        apiKey: 'sk-canary-of-config',
      }).createModel()
      const ask = world.tool('ask', async (_, { run }) => {
        const content = world.vary('question of the tool', 'How many?')
        const { choices } = await inner.create({ messages: [{ role: 'user', content }] }, { run: run as Run })
        return choices[0]!.message.content
      })
      const outer = llmConfig({
        providers: [
          scriptedProvider(({ messages }) =>
            world.outside('model', () => (messages.at(-1)?.role === 'tool' ? 'It is six.' : calls('ask'))),
          ),
        ],
        ...{ cacheSeed: null, apiType: 'scripted', model: 'outer', price: [1, 2] },
        temperature: world.vary('temperature', 0),
        apiKey: 'sk-canary-of-config',
        baseUrl: 'https://user:sk-canary-of-config@models.example/v1?key=sk-canary-of-config',
        defaultHeaders: { authorization: 'Bearer sk-canary-of-config' },
      })
      const chief = assistant('chief', outer)
      const { text, cost } = await chief.run(world.vary('message', 'Ask.'), { tools: ask, ...given })
      return { text, cost }
    },
  },
  'context variables': {
    faces: ALL,
    run(world, given) {
      const count = world.tool('count', (_, { contextVariables }) => {
        const seen = Number(contextVariables?.get('seen') ?? 0) + 1
        contextVariables?.set('seen', seen)
        return seen
      })
      const clerk = assistant('clerk', world.says('clerk', calls('count'), calls('count'), 'Twice.'), {
        contextVariables: { seen: world.vary('variable', 0) },
      })
      const user = proxy('user', { contextVariables: { seen: 1 } })
      clerk.registerForLlm(count)
      user.registerForExecution(count)
      return world.chat(user, clerk, { message: world.vary('message', 'Count.'), maxTurns: 3, ...given })
    },
  },
  'a model that fails': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'Once.', { error: 'rate-limit' }))
      const user = proxy('user', { defaultAutoReply: 'Again.' })
      return world.chat(user, helper, { message: world.vary('message', 'Go.'), maxTurns: 3, ...given })
    },
  },
}

function coins(world: World): LlmConfig {
  return world.model('thinker', (messages, agent) => {
    if (agent === 'tot_thinker') return 'Option 1: take 16\nOption 2: take 10'
    if (agent === 'tot_grader') return 'Option 1: Rating: 6\nOption 2: Rating: 5'
    const [first, second] = [...JSON.stringify(messages.at(-1)).matchAll(/take (\d+)/gu)].map(([, coin]) =>
      Number(coin),
    )
    return `${first} + ${second} = ${Number(first) + Number(second)}`
  })
}

function groupOf(world: World, given: Given, options: Partial<GroupChatOptions>): Promise<unknown> {
  const isAuto = options.speakerSelectionMethod === 'auto'
  const speaks = world.says('members', 'I speak.')
  const member = (name: string): AssistantAgent => {
    const description = `Is ${name}.`
    return assistant(name, speaks, {
      description: isAuto ? world.vary(`description of ${name}`, description) : description,
    })
  }
  const agents = world.vary('order of agents', [member('ann'), member('bob'), member('eve')])
  const groupchat = new GroupChat({ agents, maxRound: world.vary('maxRound', 4), io: quiet, ...options })
  const chooses = (): LlmConfig =>
    world.model('chooser', (messages) => (JSON.stringify(messages.at(-1)).length % 2 ? 'ann' : 'bob'))
  const manager = new GroupChatManager({
    groupchat,
    ...(isAuto && { llmConfig: chooses() }),
    silent: true,
    io: options.io ?? quiet,
  })
  return world.chat(proxy('user'), manager, { message: world.vary('message', 'A dinner.'), ...given })
}
