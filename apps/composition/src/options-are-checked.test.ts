import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  AssistantAgent,
  ChatJournal,
  ConversableAgent,
  fork,
  initiateChats,
  initiateChatsSync,
  tool,
  UserProxyAgent,
} from '@x/agent'
import { codeExecutionConfig, codeReader, createCodeExecutor, createCustomExecutor, sandboxCommand } from '@x/exec'
import {
  defaultPattern,
  GroupChat,
  GroupChatManager,
  initiateGroupChat,
  initiateGroupChatStream,
  initiateGroupChatSync,
} from '@x/group'
import { clearAttachments, clearToolResults, explain, fit, limitMessages, limitTokens, summarize } from '@x/history'
import { isXError } from '@x/kernel'
import { mcp } from '@x/mcp'
import { mcpServer } from '@x/mcp/server'
import {
  configListFromJson,
  createBudget,
  createDiskCache,
  createKeyvCache,
  createLimiter,
  createMemoryCache,
  llmConfig,
  ModelWrapper,
} from '@x/model'
import { traceRuns } from '@x/otel'
import { createAiSdk } from '@x/provider-ai-sdk'
import { createAnthropic } from '@x/provider-anthropic'
import { createAnthropicBedrock } from '@x/provider-anthropic/bedrock'
import { createAnthropicVertex } from '@x/provider-anthropic/vertex'
import { createGoogle } from '@x/provider-google'
import { createOpenAI, loadCatalogue, openai } from '@x/provider-openai'
import {
  beam,
  bestFirst,
  abMcts,
  auto,
  bestByReward,
  bestOfN,
  reflectiveMcts,
  selfConsistency,
  depthFirst,
  dfs,
  forest,
  extractRlhfPreferenceDataset,
  extractSftDataset,
  extractStepLabels,
  gradedMcts,
  lats,
  mcts,
  MemorySearchJournal,
  methodOf,
  modelAnswerer,
  modelGrader,
  modelParts,
  modelProposer,
  ReasoningAgent,
  renderDot,
  renderHtml,
  renderMermaid,
  renderText,
  search,
  searchStream,
  searchSync,
  ThinkNode,
} from '@x/reasoning'
import { ChatSession, createSessionAgents } from '@x/session'
import { functionModel } from '@x/testing'
import {
  fromAgUi,
  fromUiMessages,
  RunBuffer,
  toAgUi,
  toAgUiResponse,
  toSseResponse,
  toUiMessageResponse,
  toUiMessageStream,
} from '@x/ui'
import { afterAll, describe, expect, it } from 'vitest'

/** The events of a run in which nothing happens. */
async function* noEvents(): AsyncGenerator<never> {}
/** A request of AG-UI. */
const PAGE = { threadId: 't', runId: 'r', messages: [], cursor: undefined }

/** Calls an operation with some options; types are not what is tested. */
type Call = (options: never) => unknown

/** Simple options of an operation by their kinds, with which every operation of them is tried. */
interface Simple {
  readonly flags?: readonly string[]
  readonly counts?: readonly string[]
  readonly amounts?: readonly string[]
  readonly texts?: readonly string[]
  readonly calls?: readonly string[]
}

const WRONG: Readonly<Record<keyof Simple, readonly unknown[]>> = {
  flags: ['true', 1, 0, null, {}],
  counts: ['3', 1.5, Number.NaN, -1, true, {}],
  amounts: ['3', Number.NaN, -1, true, {}],
  texts: [1, true, {}, ['a']],
  calls: ['f', 1, true, {}],
}

const io = { send: () => {}, input: () => '' }
const llm = functionModel(() => 'TERMINATE')
const agent = (name: string): ConversableAgent =>
  new ConversableAgent({ name, io, humanInputMode: 'NEVER', llmConfig: llm })
const [a, b] = [agent('a'), agent('b')]
const groupchat = new GroupChat({ agents: [a, b], io, speakerSelectionMethod: 'round_robin' })
const manager = new GroupChatManager({ groupchat, io })
const GROUP_RUN: Simple = { counts: ['maxRounds'], texts: ['runId', 'version'] }
const pattern = defaultPattern({ initialAgent: a, agents: [a, b], groupManagerArgs: { io } })
const model = new ModelWrapper({ providers: [openai], model: 'gpt-5', apiKey: 'k', cacheSeed: null, io })
const reasoner = new ReasoningAgent({ name: 'r', io, llmConfig: llm })
const node = new ThinkNode({ content: 'q' })
const parts = modelParts({ model: llm.createModel() })
const messages = [{ role: 'user' as const, content: 'hi' }]
const folder = mkdtempSync(join(tmpdir(), 'x-options-'))
const session = new ChatSession({
  folder,
  agents: () => createSessionAgents({ llmConfig: llm, io }),
})
const config = llmConfig({ providers: [openai], configList: [{ model: 'gpt-5', apiKey: 'k' }] })
const backend = { specVersion: 1, isolation: 'host', createBackend: () => ({}) } as never
const call = { name: 'x', arguments: '{}' }

afterAll(() => {
  session[Symbol.dispose]()
  rmSync(folder, { recursive: true, force: true })
})

const CHAT: Simple = {
  flags: ['clearHistory', 'verbose'],
  counts: ['maxTurns'],
  texts: ['runId', 'version'],
  calls: ['emit'],
}
const RUN: Simple = {
  flags: ['userInput', 'clearHistory'],
  counts: ['maxTurns', 'resultRepairs'],
  texts: ['runId', 'version'],
  calls: ['emit'],
}
const AGENT: Simple = {
  counts: ['maxConsecutiveAutoReply'],
  texts: ['systemMessage', 'description'],
  calls: ['isTerminationMsg', 'beforeToolCall', 'beforeCodeExecution', 'now'],
}
const EMIT: Simple = { calls: ['emit'] }
const EXECUTOR: Simple = { amounts: ['timeout'], texts: ['workDir'] }
const BOUNDS: Simple = { counts: ['maxEntries', 'maxBytes'], amounts: ['ttl'], texts: ['name'], calls: ['now'] }
const BUDGET: Simple = { amounts: ['cost', 'tokens', 'calls'] }
const TREE: Simple = { counts: ['nsim', 'maxDepth'], amounts: ['explorationConstant'] }
const FRONTIER: Simple = {
  counts: ['expansions', 'maxDepth', 'width', 'widen', 'confirm', 'answers', 'agree'],
  calls: ['normalize'],
}

/** Every operation that takes options, and what it is called with. */
const OPERATIONS: readonly (readonly [name: string, call: Call, simple?: Simple])[] = [
  ['new ConversableAgent', (o) => new ConversableAgent({ name: 'x', ...(o as object) }), AGENT],
  ['new AssistantAgent', (o) => new AssistantAgent({ name: 'x', ...(o as object) }), AGENT],
  ['new UserProxyAgent', (o) => new UserProxyAgent({ name: 'x', ...(o as object) }), AGENT],
  ['send', (o) => a.send('x', b, o)],
  ['sendSync', (o) => a.sendSync('x', b, o)],
  ['receive', (o) => a.receive('x', b, o)],
  ['receiveSync', (o) => a.receiveSync('x', b, o)],
  ['generateReply', (o) => a.generateReply(o), EMIT],
  ['generateReplySync', (o) => a.generateReplySync(o)],
  ['generateReplyStream', (o) => a.generateReplyStream(o)],
  ['initiateChat', (o) => a.initiateChat(b, o), CHAT],
  ['initiateChatSync', (o) => a.initiateChatSync(b, o), CHAT],
  ['initiateChatStream', (o) => a.initiateChatStream(b, o), CHAT],
  ['initiateChats', (o) => a.initiateChats([], o)],
  ['initiateChatsSync', (o) => a.initiateChatsSync([], o)],
  ['initiateChats of its own', (o) => initiateChats([], o)],
  ['initiateChatsSync of its own', (o) => initiateChatsSync([], o)],
  ['a queued chat', (o) => a.initiateChats([{ recipient: b, chatId: 1, ...(o as object) }])],
  ['a queued chat, blocking', (o) => initiateChatsSync([{ sender: a, recipient: b, ...(o as object) }])],
  ['run', (o) => a.run('x', o), RUN],
  ['runSync', (o) => a.runSync('x', o), RUN],
  ['runStream', (o) => a.runStream('x', o), RUN],
  ['executorKwargs', (o) => agent('x').run('x', { executorKwargs: o }), AGENT],
  ['checkTerminationAndHumanReply', (o) => a.checkTerminationAndHumanReply(o)],
  ['checkTerminationAndHumanReplySync', (o) => a.checkTerminationAndHumanReplySync(o)],
  ['generateOaiReply', (o) => a.generateOaiReply(o)],
  ['generateOaiReplySync', (o) => a.generateOaiReplySync(o)],
  ['generateToolCallsReply', (o) => a.generateToolCallsReply(o)],
  ['generateToolCallsReplySync', (o) => a.generateToolCallsReplySync(o)],
  ['generateFunctionCallReply', (o) => a.generateFunctionCallReply(o)],
  ['generateFunctionCallReplySync', (o) => a.generateFunctionCallReplySync(o)],
  ['generateCodeExecutionReply', (o) => a.generateCodeExecutionReply(o)],
  ['generateCodeExecutionReplySync', (o) => a.generateCodeExecutionReplySync(o)],
  ['getHumanInput', (o) => a.getHumanInput('?', o), EMIT],
  ['runCode', (o) => a.runCode('1', o), { amounts: ['timeout'], texts: ['lang', 'filename', 'workDir'] }],
  ['runCodeSync', (o) => a.runCodeSync('1', o)],
  ['executeCodeBlocks', (o) => a.executeCodeBlocks([], o)],
  ['executeCodeBlocksSync', (o) => a.executeCodeBlocksSync([], o)],
  ['executeFunction', (o) => a.executeFunction(call, o), { flags: ['verbose'] }],
  ['executeFunctionSync', (o) => a.executeFunctionSync(call, o), { flags: ['verbose'] }],
  ['generateInitMessage', (o) => a.generateInitMessage('x', o)],
  ['generateInitMessageSync', (o) => a.generateInitMessageSync('x', o)],
  ['updateAgentStateBeforeReply', (o) => a.updateAgentStateBeforeReply(messages, o)],
  ['processAllMessagesBeforeReply', (o) => a.processAllMessagesBeforeReply(messages, o)],
  ['processLastReceivedMessage', (o) => a.processLastReceivedMessage(messages, o)],
  [
    'registerReply',
    (o) => agent('x').registerReply('a', () => [false, null], o),
    { flags: ['ignoreAsyncInSyncChat', 'removeOtherReplyFuncs', 'async'] },
  ],
  ['registerNestedChats', (o) => agent('x').registerNestedChats([], 'a', o), { flags: ['ignoreAsyncInSyncChat'] }],
  ['a nested chat', (o) => agent('x').registerNestedChats([{ recipient: b, ...(o as object) }], 'a')],
  ['carryoverConfig', (o) => agent('x').registerNestedChats([{ recipient: b, carryoverConfig: o }], 'a')],
  ['registerForLlm', (o) => agent('x').registerForLlm(tool(LOOK), o), { texts: ['name', 'description'] }],
  ['registerForExecution', (o) => agent('x').registerForExecution(tool(LOOK), o), { texts: ['name', 'description'] }],
  ['updateToolSignature', (o) => agent('x').updateToolSignature('look', o), { flags: ['isRemove'] }],
  ['updateFunctionSignature', (o) => agent('x').updateFunctionSignature('look', o), { flags: ['isRemove'] }],
  ['clearHistory', (o) => a.clearHistory(null, o), { counts: ['nrMessagesToPreserve'] }],
  ['loadState', (o) => agent('x').loadState(a.saveState(), o)],
  [
    'tool',
    (o) => tool({ ...LOOK, ...(o as object) }),
    { amounts: ['timeout'], texts: ['description'], calls: ['execute'] },
  ],
  [
    'new GroupChat',
    (o) => new GroupChat({ agents: [a, b], io, ...(o as object) }),
    {
      flags: ['funcCallFilter', 'enableClearHistory', 'sendIntroductions', 'selectSpeakerAutoVerbose'],
      counts: ['maxRound', 'maxRetriesForSelectingSpeaker'],
      texts: ['adminName', 'selectSpeakerMessageTemplate', 'roleForSelectSpeakerMessages'],
      calls: ['random'],
    },
  ],
  [
    'mcpServer',
    (o) => mcpServer({ name: 's', ...(o as object) }),
    {
      flags: ['sessions'],
      amounts: ['approvalTimeout'],
      texts: ['version', 'instructions'],
      calls: ['authenticate', 'now'],
    },
  ],
  [
    'mcp',
    async (o) => await mcp({ name: 's', command: 'no-such-program', ...(o as object) }),
    { flags: ['elicitation'], amounts: ['connectTimeout'], texts: ['command', 'cwd'], calls: ['sandbox'] },
  ],
  ['new GroupChatManager', (o) => new GroupChatManager({ groupchat, io, ...(o as object) }), { flags: ['silent'] }],
  ['agentByName', (o) => groupchat.agentByName('a', o), { flags: ['recursive', 'raiseOnNameConflict'] }],
  ['selectSpeaker', (o) => groupchat.selectSpeaker(a, manager, o), EMIT],
  ['selectSpeakerSync', (o) => groupchat.selectSpeakerSync(a, manager, o)],
  ['manualSelectSpeaker', (o) => groupchat.manualSelectSpeaker([a, b], o), EMIT],
  ['manualSelectSpeakerSync', (o) => groupchat.manualSelectSpeakerSync([a, b], o)],
  [
    'defaultPattern',
    (o) => defaultPattern({ initialAgent: a, agents: [a, b], ...(o as object) }),
    { flags: ['excludeTransitMessage'], calls: ['until', 'random'] },
  ],
  ['initiateGroupChat', (o) => initiateGroupChat(pattern, 'hi', o as object), { ...EMIT, ...GROUP_RUN }],
  ['initiateGroupChatSync', (o) => initiateGroupChatSync(pattern, 'hi', o as object), GROUP_RUN],
  ['initiateGroupChatStream', (o) => initiateGroupChatStream(pattern, 'hi', o as object), GROUP_RUN],
  ['runChat', (o) => manager.runChat({ messages, sender: a, ...(o as object) }), EMIT],
  ['runChatSync', (o) => manager.runChatSync({ messages, sender: a, ...(o as object) })],
  ['runChatStream', (o) => manager.runChatStream({ messages, sender: a, ...(o as object) })],
  ['resume', (o) => manager.resume(messages, o), { flags: ['silent'] }],
  ['resumeSync', (o) => manager.resumeSync(messages, o)],
  ['limitTokens', (o) => limitTokens(o), { amounts: ['total', 'perMessage', 'to'] }],
  ['limitMessages', (o) => limitMessages({ max: 5, ...(o as object) }), { counts: ['max', 'to'] }],
  ['clearToolResults', (o) => clearToolResults(o), { counts: ['keep'], amounts: ['at'] }],
  ['clearAttachments', (o) => clearAttachments(o), { counts: ['keep'], amounts: ['at'] }],
  ['summarize', (o) => summarize(o), { counts: ['maxTokens'], amounts: ['at', 'keep'] }],
  ['explain', (o) => explain(messages, fit(), o), { texts: ['systemMessage'] }],
  ['traceRuns', (o) => traceRuns(o), { flags: ['content', 'propagates'] }],
  [
    'toUiMessageStream',
    (o) => toUiMessageStream(noEvents(), o),
    { texts: ['scope', 'messageId'], flags: ['reasoning', 'agents'], calls: ['onEnd', 'errorText'] },
  ],
  ['toUiMessageResponse', (o) => toUiMessageResponse(noEvents(), o), { texts: ['scope'], amounts: ['heartbeat'] }],
  ['toSseResponse', (o) => toSseResponse(noEvents(), o), { amounts: ['heartbeat'] }],
  [
    'fromUiMessages',
    async (o) => await fromUiMessages([{ role: 'user', parts: [{ type: 'text', text: 'x' }] }], o),
    { texts: ['by', 'scope'], counts: ['maxLength'] },
  ],
  [
    'toAgUi',
    (o) => toAgUi(noEvents(), { input: PAGE, ...(o as object) }),
    { texts: ['scope'], flags: ['reasoning', 'agents'], calls: ['onEnd', 'errorText'] },
  ],
  [
    'toAgUiResponse',
    (o) => toAgUiResponse(noEvents(), { input: PAGE, ...(o as object) }),
    { texts: ['scope'], amounts: ['heartbeat'] },
  ],
  ['new RunBuffer', (o) => new RunBuffer(o), { counts: ['maxLength'], amounts: ['retention'] }],
  ['keep', (o) => new RunBuffer().keep('a', noEvents(), o), { calls: ['onEnd'] }],
  ['fromAgUi', async (o) => await fromAgUi(PAGE, o), { texts: ['by', 'scope'], counts: ['maxLength'] }],
  ['new ChatJournal', (o) => new ChatJournal(o), { calls: ['onEntry'] }],
  ['fork', (o) => fork([], '1', o), { texts: ['runId'] }],
  ['llmConfig.createModel', (o) => config.createModel(o)],
  ['llmConfig.where', (o) => config.where(o)],
  ['create', (o) => model.create({ messages }, o), EMIT],
  ['createSync', (o) => model.createSync({ messages }, o), EMIT],
  ['createStream', (o) => model.createStream({ messages }, o), EMIT],
  ['countTokens', (o) => model.countTokens({ messages }, o), EMIT],
  ['countTokensSync', (o) => model.countTokensSync({ messages }, o), EMIT],
  ['countTokensStream', (o) => model.countTokensStream({ messages }, o), EMIT],
  ['batch', (o) => model.batch([{ messages }], o), { calls: ['sleep'] }],
  ['embed', (o) => model.embed({ input: 'a' }, o), EMIT],
  ['embedSync', (o) => model.embedSync({ input: 'a' }, o), EMIT],
  ['embedStream', (o) => model.embedStream({ input: 'a' }, o), EMIT],
  ['loadCatalogue', (o) => loadCatalogue({}, o), { calls: ['fetch'], amounts: ['timeout'] }],
  ['createBudget', (o) => createBudget(o), { ...BUDGET, texts: ['name'] }],
  ['perCall of createBudget', (o) => createBudget({ perCall: o }), BUDGET],
  ['spent of createBudget', (o) => createBudget({ spent: o }), BUDGET],
  ['createLimiter', (o) => createLimiter({ m: { requests: 1 } }, o), { calls: ['now'] }],
  [
    'limits of createLimiter',
    (o) => createLimiter({ m: { inFlight: 1, ...(o as object) } }),
    { counts: ['requests', 'tokens'] },
  ],
  ['createMemoryCache', (o) => createMemoryCache(o), BOUNDS],
  ['createDiskCache', (o) => createDiskCache({ dir: folder, ...(o as object) }), BOUNDS],
  ['createKeyvCache', (o) => createKeyvCache({} as never, { namespace: 'x', ...(o as object) }), { amounts: ['ttl'] }],
  ['configListFromJson', (o) => configListFromJson('X', o), { texts: ['fileLocation'], calls: ['readFile'] }],
  ['createOpenAI', (o) => createOpenAI(o), { calls: ['now', 'fetch'] }],
  ['createAiSdk', (o) => createAiSdk(o), { calls: ['now'] }],
  ['createAnthropic', (o) => createAnthropic(o), { calls: ['now', 'fetch'] }],
  ['createAnthropicBedrock', (o) => createAnthropicBedrock(o), { calls: ['now', 'fetch'] }],
  ['createAnthropicVertex', (o) => createAnthropicVertex(o), { calls: ['now', 'fetch'] }],
  ['createGoogle', (o) => createGoogle(o), { calls: ['now', 'fetch'] }],
  ['sandboxCommand', (o) => sandboxCommand(o)],
  ['createCodeExecutor', (o) => createCodeExecutor('auto', o), EXECUTOR],
  ['createCustomExecutor', (o) => createCustomExecutor(backend, o), EXECUTOR],
  ['codeExecutionConfig', (o) => codeExecutionConfig(o), EXECUTOR],
  ['codeReader', (o) => codeReader(o), { calls: ['inferLang'] }],
  ['executeCodeBlocks of an executor', (o) => createCodeExecutor().executeCodeBlocks([], o)],
  ['executeCodeBlocksSync of an executor', (o) => createCodeExecutor().executeCodeBlocksSync([], o)],
  [
    'search',
    (o) => search('q', { ...parts, ...(o as object) }),
    { counts: ['concurrency'], calls: ['verifier', 'method'] },
  ],
  ['searchSync', (o) => searchSync('q', { ...parts, ...(o as object) }), { counts: ['concurrency'] }],
  ['searchStream', (o) => searchStream('q', { ...parts, ...(o as object) }), { counts: ['concurrency'] }],
  [
    'budget of search',
    (o) => search('q', { ...parts, budget: o }),
    { amounts: ['calls', 'tokens', 'cost', 'seconds', 'nodes'] },
  ],
  ['beam', (o) => beam(o), { counts: ['beamSize', 'maxDepth', 'gradeSamples'] }],
  ['dfs', (o) => dfs(o), { counts: ['maxDepth', 'gradeSamples'] }],
  ['mcts', (o) => mcts(o), { ...TREE, flags: ['virtualLoss'] }],
  ['lats', (o) => lats(o), TREE],
  ['gradedMcts', (o) => gradedMcts(o), { ...TREE, counts: ['nsim', 'maxDepth', 'width', 'widenEvery'] }],
  ['bestFirst', (o) => bestFirst(o), FRONTIER],
  ['depthFirst', (o) => depthFirst(o), FRONTIER],
  ['abMcts', (o) => abMcts(o), { counts: ['nsim', 'maxDepth', 'width'] }],
  ['auto', (o) => auto(o), { counts: ['maxDepth', 'width'], calls: ['normalize'] }],
  ['reflectiveMcts', (o) => reflectiveMcts(o), { counts: ['nsim', 'maxDepth', 'samples', 'reflections'] }],
  ['selfConsistency', (o) => selfConsistency(o), { counts: ['n', 'atOnce'], calls: ['normalize'] }],
  ['bestByReward', (o) => bestByReward(o), { counts: ['n'], calls: ['stepsOf'] }],
  ['bestOfN', (o) => bestOfN(o), { counts: ['n'], calls: ['normalize'] }],
  ['forest', (o) => forest(beam(), o), { counts: ['size'], calls: ['normalize'] }],
  ['methodOf', (o) => methodOf(o), { counts: ['maxDepth', 'forestSize', 'beamSize', 'nsim'] }],
  ['modelParts', (o) => modelParts({ model: llm.createModel(), ...(o as object) }), { amounts: ['ratingScale'] }],
  ['modelProposer', (o) => modelProposer({ model: llm.createModel(), ...(o as object) }), { calls: ['note'] }],
  ['modelGrader', (o) => modelGrader({ model: llm.createModel(), ...(o as object) }), { amounts: ['ratingScale'] }],
  ['modelAnswerer', (o) => modelAnswerer({ model: llm.createModel(), ...(o as object) }), { texts: ['name'] }],
  [
    'new MemorySearchJournal',
    (o) => new MemorySearchJournal({ question: 'q', ...(o as object) }),
    { calls: ['append'] },
  ],
  ['new ReasoningAgent', (o) => new ReasoningAgent({ name: 'x', io, llmConfig: llm, ...(o as object) }), AGENT],
  [
    'reasonConfig',
    (o) => new ReasoningAgent({ name: 'x', io, llmConfig: llm, reasonConfig: o }),
    {
      counts: ['maxDepth', 'beamSize', 'nsim', 'forestSize', 'concurrency', 'width', 'agree', 'maxOptions'],
      calls: ['verifier', 'normalize'],
      flags: ['repair', 'virtualLoss'],
    },
  ],
  ['rateNode', (o) => reasoner.rateNode(node, o), { flags: ['isOutcome'] }],
  ['rateNodeSync', (o) => reasoner.rateNodeSync(node, o), { flags: ['isOutcome'] }],
  ['generateForestResponse', (o) => reasoner.generateForestResponse(o)],
  ['generateForestResponseSync', (o) => reasoner.generateForestResponseSync(o)],
  ['generateForestResponseStream', (o) => reasoner.generateForestResponseStream(o)],
  ['extractSftDataset', (o) => extractSftDataset(node, o), { flags: ['verifiedOnly'] }],
  ['extractStepLabels', (o) => extractStepLabels(node, o), { flags: ['verifiedOnly'] }],
  ['extractRlhfPreferenceDataset', (o) => extractRlhfPreferenceDataset(node, o), { flags: ['verifiedOnly'] }],
  ['renderText', (o) => renderText(node, o), { counts: ['width'], flags: ['color'] }],
  ['renderHtml', (o) => renderHtml([node], o)],
  ['renderDot', (o) => renderDot(node, o)],
  ['renderMermaid', (o) => renderMermaid(node, o)],
  [
    'new ChatSession',
    (o) => new ChatSession({ folder, agents: () => ({}) as never, ...(o as object) }),
    { calls: ['agents'] },
  ],
  ['say', (o) => session.say('x', o)],
  [
    'createSessionAgents',
    (o) => createSessionAgents({ llmConfig: llm, io, ...(o as object) }),
    { texts: ['systemMessage'] },
  ],
]

const LOOK = { name: 'look', description: 'Looks', execute: () => 1 }

interface Refusal {
  readonly message: string
  readonly details: { readonly option: string; readonly nearest?: string; readonly known?: readonly string[] }
}

/** How an operation refuses options; `undefined` where it takes them. */
async function refusalOf(its: Call, options: unknown): Promise<Refusal | undefined> {
  try {
    const made = its(options as never)
    await (made instanceof Promise ? made : undefined)
    return undefined
  } catch (error) {
    if (isXError(error, 'invalid-argument')) return error as unknown as Refusal
    throw error
  }
}

const snake = (name: string): string => name.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`)

/** A name with each letter but the first dropped, with each pair of neighbours swapped, and in snake_case. */
function misspellings(name: string): string[] {
  const letters = name.split('')
  const dropped = letters.map((_, at) => letters.toSpliced(at, 1).join(''))
  const swapped = letters.slice(1).map((letter, at) =>
    letters
      .with(at, letter)
      .with(at + 1, letters[at]!)
      .join(''),
  )
  return [...new Set([...dropped.slice(1), ...swapped, snake(name)])]
}

describe.each(OPERATIONS.map(([name, its, simple = {}]) => ({ name, its, simple })))('$name', ({ its, simple }) => {
  it('refuses every misspelling of an option, and names the one that was meant', async () => {
    const known = (await refusalOf(its, { 'no option': 1 }))?.details.known ?? []
    expect(known).not.toEqual([])
    for (const name of known) {
      for (const wrong of misspellings(name)) {
        if (known.includes(wrong)) continue
        const refusal = await refusalOf(its, { [wrong]: 1 })
        expect(refusal?.message, wrong).toContain(`the option \`${wrong}\` is unknown; `)
        expect([refusal?.details.nearest, refusal?.message], wrong).toSatisfy(
          ([nearest, text]: [string | undefined, string]) =>
            nearest === undefined ? text.includes(`\`${name}\``) : known.includes(nearest),
        )
        if (wrong === snake(name)) expect(refusal?.details.nearest, wrong).toBe(name)
      }
    }
  })

  it.each(
    Object.entries(simple).flatMap(([of, names]) =>
      (names as string[]).map((name) => [name, of as keyof Simple] as const),
    ),
  )('refuses wrong values of `%s`, one of its %s', async (name, of) => {
    for (const value of WRONG[of]) {
      const refusal = await refusalOf(its, { [name]: value })
      expect(refusal?.message, String(value)).toMatch(new RegExp(`: \`${name}\` is .+; (give|write)`, 'u'))
    }
  })
})
