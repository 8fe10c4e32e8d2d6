// Lets every event happen, and prints the first of each type as a line of JSON: the examples of docs/events.md.
import { AssistantAgent, ChatJournal, ConversableAgent, Steering, tool, UserProxyAgent } from '@x/agent'
import { createCodeExecutor } from '@x/exec'
import { defaultPattern, GroupChat, GroupChatManager, type GroupChatOptions, initiateGroupChat } from '@x/group'
import { fit, limitMessages } from '@x/history'
import { createHost, defineChat, sqlite } from '@x/host'
import type { CodeRunner, Io, LlmConfig, XEvent } from '@x/interfaces'
import { XError } from '@x/kernel'
import { mcp } from '@x/mcp'
import { llmConfig } from '@x/model'
import { createOpenAI, openai } from '@x/provider-openai'
import { bestFirst, modelParts, search } from '@x/reasoning'
import { functionModel, startFakeOpenAI } from '@x/testing'

const first = new Map<string, XEvent>()
const see = (event: XEvent): void => {
  if (!first.has(event.type)) first.set(event.type, event)
}

// A clock that stands still but for work that takes time: the examples are the same in every run.
let time = Date.UTC(2026, 0, 1)
const now = (): number => time
const taking = <T>(ms: number, value: T): T => {
  time += ms
  return value
}

/** A person who types these lines. */
const typing = (...lines: string[]): Io => ({ send: see, input: () => taking(4000, lines.shift() ?? 'exit') })
const nobody = typing()
const says = (...texts: string[]): LlmConfig => functionModel(() => taking(800, texts.shift() ?? 'TERMINATE'))
const calling = (name: string, args: object): LlmConfig =>
  functionModel(({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? taking(800, 'It is done. TERMINATE')
      : taking(600, { tool_calls: [{ id: 'call_1', function: { name, arguments: JSON.stringify(args) } }] }),
  )
const agent = (name: string, model = says(`${name} has worked.`)): ConversableAgent =>
  new ConversableAgent({
    name,
    description: `Does the work of ${name}.`,
    humanInputMode: 'NEVER',
    llmConfig: model,
    io: nobody,
    now,
  })

/** A provider over HTTP: attempts of its configs, and answers in pieces. */
async function askProvider(): Promise<void> {
  await using server = await startFakeOpenAI({
    models: {
      'gpt-5': [
        {
          reasoning_content: 'Oslo: look it up.',
          tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
          usage: { prompt: 86, completion: 21, cached: 64, reasoning: 7 },
        },
        { content: 'Take a coat. TERMINATE', usage: { prompt: 120, completion: 6 } },
      ],
      qwen3: {
        content: 'Three twos are six.</think>It is.',
        pieces: ['Three twos are six.', '</think>', 'It is.'],
      },
    },
  })
  const fetch: typeof globalThis.fetch = (url, init) => {
    const local = String(url instanceof Request ? url.url : url).replace('https://api.openai.com/v1', server.url)
    return globalThis.fetch(taking(900, local), init)
  }
  const models = llmConfig({
    providers: [createOpenAI({ fetch, now })],
    configList: [{ model: 'gpt-5', apiKey: 'sk-of-the-example', temperature: 1 }],
    price: [0.00125, 0.01],
    cacheSeed: null,
  })
  const weather = tool({
    name: 'weather',
    description: 'The weather of a city.',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    execute: ({ city }, { run }) => {
      void run?.emit({ type: 'custom', name: 'lookedUp', data: { city: String(city), source: 'yr.no' } })
      return taking(120, { celsius: 6 })
    },
  })
  const assistant = new AssistantAgent({ name: 'assistant', llmConfig: models, io: nobody, now })
  const chat = assistant.runStream('What do I wear in Oslo?', { tools: weather })
  for await (const event of chat) see(event)

  // This model marks only the end of its reasoning.
  const local = llmConfig({
    providers: [openai],
    model: 'qwen3',
    baseUrl: server.url,
    apiKey: 'none',
    cacheSeed: null,
  })
  for await (const event of agent('thinker', local).runStream('Is 6 even?')) see(event)
}

/** A tool call that a person has to allow, with its journal. */
async function askForApproval(): Promise<void> {
  const refund = tool({
    name: 'refund',
    description: 'Gives money back.',
    parameters: { type: 'object', properties: { euros: { type: 'number' } } },
    needsApproval: true,
    execute: ({ euros }) => taking(90, `${String(euros)} euros were given back`),
  })
  const clerk = new AssistantAgent({ name: 'clerk', llmConfig: calling('refund', { euros: 25 }), io: nobody, now })
  const journal = new ChatJournal()
  await clerk.run('Order 17 came broken.', { tools: refund, journal, emit: see })
}

/** A hosted chat that waits until its provider is no longer overloaded. */
async function waitToRetry(): Promise<void> {
  const model = functionModel(() => {
    throw new XError('model-failed', 'the provider is overloaded', { kind: 'overloaded', retryAfterMs: 20_000 })
  })
  const chat = defineChat({
    name: 'refund',
    version: '1',
    run: async ({ run }) => (await agent('clerk', model).run('Order 17 came broken.', { run })).text,
    // Delays are random, but for the last one, which ends with this time.
    retry: { for: 20 },
  })
  const host = createHost({ chats: [chat], at: sqlite(':memory:') })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  await host.submit(chat, {}, { id: 'order-17' })
  for await (const { event } of host.events('order-17')) {
    if (event.type !== 'waitingToRetry') continue
    see(event)
    break
  }
  stop.abort()
  await work
  await host.close()
}

/** A tool of an MCP server, in a process of its own. */
async function callServer(): Promise<void> {
  const program = `
const send = (message) => console.log(JSON.stringify({ jsonrpc: '2.0', ...message }))
const answers = {
  initialize: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'maps', version: '1' } },
  'tools/list': { tools: [{ name: 'route', inputSchema: { type: 'object' }, annotations: { readOnlyHint: true } }] },
  'tools/call': { content: [{ type: 'text', text: '307 km' }] },
}
require('readline').createInterface(process.stdin).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  const progressToken = params?._meta?.progressToken
  if (progressToken !== undefined)
    send({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2, message: 'half-way' } })
  if (id !== undefined) send(answers[method] ? { id, result: answers[method] } : { id, error: { code: -32601, message: method } })
})`
  await using maps = await mcp({ name: 'maps', command: process.execPath, args: ['-e', program] })
  const driver = new AssistantAgent({ name: 'driver', llmConfig: calling('maps__route', {}), io: nobody, now })
  driver.use(maps.tools({ allow: ['route'], trust: 'annotations' }))
  await driver.run('How far is Bergen?', { emit: see })
}

/** Code in a message, which the other agent runs: by an executor, and by a runner of the program's own. */
async function runCode(): Promise<void> {
  await using executor = createCodeExecutor('wasm')
  const { codeReader } = executor
  const runner: CodeRunner = { codeReader, useDocker: null, runCode: () => taking(50, [0, '42\n', null]) }
  for (const [code, codeExecutionConfig] of [
    ['```js\nconsole.log(6 * 7)\n```', { executor }],
    ['```sh\necho $((6 * 7))\n```', { runner }],
  ] as const) {
    const coder = agent('coder', says(code))
    const machine = new UserProxyAgent({
      name: 'machine',
      humanInputMode: 'NEVER',
      codeExecutionConfig,
      io: nobody,
      now,
    })
    await machine.initiateChat(coder, { message: 'What is 6 times 7?', maxTurns: 2, emit: see })
  }
}

/** A message to a run under way. */
async function steerRun(): Promise<void> {
  const helper = new AssistantAgent({ name: 'helper', llmConfig: says('Yes.'), io: nobody, now })
  const steering = new Steering()
  void steering.steer('Be brief.')
  await helper.run('Can you help me?', { steering, emit: see })
}

/** A person behind an agent, a history that is cut, and the usage in the end. */
async function talkToPerson(): Promise<void> {
  const helper = new AssistantAgent({
    name: 'helper',
    llmConfig: says('Hello.', 'Yes.', 'No.'),
    history: fit(limitMessages(2)),
    io: nobody,
    now,
  })
  const person = new UserProxyAgent({
    name: 'person',
    io: typing('Can you help me?', 'And today?', ''),
    codeExecutionConfig: false,
    now,
  })
  await person.initiateChat(helper, { message: 'Good morning.', emit: see })
  helper.printUsageSummary()
  person.printUsageSummary()
  helper.clearHistory(null, { nrMessagesToPreserve: 1 })
  helper.clearHistory(person, { nrMessagesToPreserve: 1 })
}

/** A group whose speakers a model chooses, and one whose speakers a person chooses. */
async function talkInGroups(): Promise<void> {
  const group = (options: Partial<GroupChatOptions>): GroupChat =>
    new GroupChat({ agents: [agent('planner'), agent('cook'), agent('critic')], maxRound: 4, io: nobody, ...options })
  const user = agent('user')
  const chooses = says('planner and cook', 'nobody', 'the cook')
  const chosen = group({ selectSpeakerAutoVerbose: true })
  const manager = new GroupChatManager({ groupchat: chosen, llmConfig: chooses, io: nobody, now })
  await user.initiateChat(manager, { message: 'A dinner for four, please.', emit: see })
  await manager.resume(chosen.messages.slice(1), { emit: see })
  const host = new UserProxyAgent({ name: 'host', io: typing('CLEAR HISTORY cook'), now })
  const led = new GroupChatManager({
    groupchat: group({ agents: [agent('cook'), host], speakerSelectionMethod: 'manual', enableClearHistory: true }),
    io: typing('9', 'cook?', '2', '1'),
    now,
  })
  await agent('guest').initiateChat(led, { message: 'And tomorrow?', emit: see })
}

/** A pattern in which an agent hands over, and a policy that watches. */
async function handOver(): Promise<void> {
  const [triage, billing] = [
    agent('triage', calling('transfer_to_billing_1', {})),
    agent('billing', says('It was paid twice.')),
  ]
  const desk = defaultPattern({
    initialAgent: triage,
    agents: [{ agent: triage, handoffs: [{ to: billing, when: 'It is about an invoice.' }] }, billing],
  })
  await initiateGroupChat(desk, 'My invoice is wrong.', {
    emit: see,
    safeguardPolicy: {
      inter_agent_safeguards: {
        agent_transitions: [
          {
            message_source: 'billing',
            message_destination: '*',
            check_method: 'regex',
            pattern: 'twice',
            violation_response: 'warning',
          },
        ],
      },
    },
  })
}

/** A search of a tree of thoughts, which a tool makes. */
async function searchTree(): Promise<void> {
  const model = functionModel(({ agent: role, messages }) => {
    if (role === 'tot_thinker') return taking(700, 'Option 1: take 16\nOption 2: take 10')
    if (role === 'tot_grader') return taking(300, 'Option 1: Rating: 6\nOption 2: Rating: 5')
    const [a, b] = [...JSON.stringify(messages.at(-1)).matchAll(/take (\d+)/g)].map(([, coin]) => Number(coin))
    return taking(400, `${a} + ${b} = ${a! + b!}`)
  }).createModel()
  const pay = tool({
    name: 'pay',
    description: 'Finds coins.',
    parameters: { type: 'object', properties: { euros: { type: 'number' } }, required: ['euros'] },
    execute: async ({ euros }, { run }) => {
      const parts = { ...modelParts({ model }), method: bestFirst({ maxDepth: 2 }), run }
      const verifier = (answer: string): boolean => answer.endsWith(` = ${String(euros)}`)
      const { answer } = await search(`Pay ${String(euros)} by two coins of 16 or 10.`, { ...parts, verifier })
      return answer
    },
  })
  await agent('cashier', calling('pay', { euros: 20 })).run('20, please.', { tools: pay, emit: see })
}

for (const happen of [
  askProvider,
  askForApproval,
  waitToRetry,
  callServer,
  runCode,
  talkToPerson,
  steerRun,
  talkInGroups,
  handOver,
  searchTree,
]) {
  await happen()
}
// The runs have random names.
const runs = [...new Set([...first.values()].map(({ runId }) => runId))]
for (const event of first.values()) {
  const runId = event.runId && `run-${runs.indexOf(event.runId) + 1}`
  console.log(JSON.stringify({ ...event, runId }))
}
