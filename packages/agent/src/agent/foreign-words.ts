import type { ForeignWords } from '../options/kinds.ts'
import { llmRemedy, modelRemedy } from './model-remedy.ts'

/** The words of one form of an agent. */
interface AgentWords {
  /** Option of the system message. */
  readonly instructions: string
  /** Code that gives an agent models. */
  readonly models: (code: string) => string
}

/** Keys of a model that other libraries have at the agent, in their spelling and in that of this library. */
const MODEL_KEYS: Readonly<Record<string, string>> = {
  temperature: 'temperature',
  topP: 'top_p',
  maxTokens: 'max_tokens',
  maxOutputTokens: 'max_tokens',
  maxCompletionTokens: 'max_completion_tokens',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
  reasoningEffort: 'reasoning_effort',
  seed: 'seed',
  stop: 'stop',
  stopSequences: 'stop',
  apiKey: 'apiKey',
  baseUrl: 'baseUrl',
  baseURL: 'baseUrl',
  maxRetries: 'maxRetries',
  cache: 'cache',
  cacheSeed: 'cacheSeed',
}

const ofRun = (options: string, more = ''): string =>
  `give it to a run, as in \`agent.run(question, { ${options} })\`${more}`

const TURNS_WORD = ofRun('maxTurns: 5', ', where it is a cap: a run ends at its answer')
const MESSAGES_WORD =
  "a run keeps nothing: hand the `messages` of its result in with the next question, as in `agent.run([...messages, { role: 'user', content }])`"
const VETTING_WORD = 'write `needsApproval: true` at the tool, or give `beforeToolCall`'
const AGENTS_WORD = 'give it tools of them, as in `tools: [helper.asTool()]`, or make a group of them with `@x/group`'

/** Words that every form of an agent answers alike. */
const COMMON_WORDS: ForeignWords = {
  'maxTurns maxSteps maxIterations maxRounds stopWhen recursionLimit': TURNS_WORD,
  'result resultType output outputType outputSchema responseFormat responseModel structuredOutput schema':
    'give the schema to the question, as in `agent.run(question, { result: schema })`',
  'signal abortSignal abortController': ofRun('signal'),
  'timeout timeoutMs': ofRun('signal: AbortSignal.timeout(milliseconds)'),
  'budget maxCost maxBudget': ofRun('budget: createBudget({ cost: 0.5 })'),
  'userInput humanInput': ofRun('userInput: true'),
  'messages initialMessages session sessionId thread threadId': MESSAGES_WORD,
  'memory memorySaver': `${MESSAGES_WORD}; \`history: fit()\`, with \`fit\` of \`@x/history\`, keeps long ones inside the window of the model`,
  'journal checkpointer checkpoint store storage persistence': `${ofRun('journal')} for one that outlives its process, with a \`ChatJournal\`; for the next question, hand in its \`messages\``,
  'emit callbacks listeners onEvent onStepFinish onFinish onChunk onToolCall':
    'give `emit` to a run, as in `agent.run(question, { emit })`, or read `agent.runStream(question)`',
  'stream streaming': 'call `agent.runStream(question)`',
  'middleware hooks plugins prepareStep prepareCall processors inputProcessors outputProcessors stateModifier preModelHook postModelHook':
    'use `beforeToolCall`, `history`, `agent.registerHook(…)` or `agent.registerReply(…)`',
  'guardrails inputGuardrails outputGuardrails':
    'write them at the member of a group, as in `{ agent, inputGuardrails }` of a pattern of `@x/group`',
  handoffs:
    'write them at the member of a group, as in `{ agent, handoffs: [{ to, when }] }` of a pattern of `@x/group`',
  'agents subagents subAgents workers workflows': AGENTS_WORD,
  'mcp mcpServers mcpClients':
    "connect to each, and give the agent its tools: `(await mcp({ name, url })).tools({ allow: 'all' })`, with `mcp` of `@x/mcp`",
  'context contextSchema deps dependencies runtimeContext requestContext variables': 'write `contextVariables`',
  'verbose debug': 'print the messages of a run, by `agent.run(question, { silent: false })`',
  'needsApproval requireApproval requireToolApproval interruptOn humanInTheLoop': VETTING_WORD,
  'executor codeExecutor codeInterpreter codeExecution':
    'write `codeExecutionConfig: { executor: createCodeExecutor() }`, with `createCodeExecutor` of `@x/exec`',
  'id agentId agentName': (_, options) =>
    (options as { name?: unknown }).name ? 'leave it out: an agent is known by its `name`' : 'write `name`',
}

/** Words that are answered with the options of one form. */
function wordsOfForm({ instructions, models }: AgentWords): ForeignWords {
  const atModel = (keys: string): string => `\`${models(`openai('gpt-5-mini', { ${keys} })`)}\``
  const keys = Object.entries(MODEL_KEYS).map(([word, key]): [string, string] => [
    word,
    `it belongs to the model: write ${atModel(`${key}: …`)}`,
  ])
  return {
    ...COMMON_WORDS,
    ...Object.fromEntries(keys),
    'modelSettings modelConfig modelKwargs providerOptions generationConfig defaultOptions': `write its keys at the model, as in ${atModel('temperature: …')}`,
    'models fallbacks fallbackModels fallbackModel': `give a list, as in \`${models("[openai('gpt-5'), openai('gpt-5-mini')]")}\`: models are asked in order`,
    'instruction system prompt systemPrompt systemInstruction messageModifier': `write \`${instructions}\`, which is its name here`,
    'role goal backstory persona': `write it into \`${instructions}\``,
  }
}

const inLlmConfig = (value: unknown): string =>
  `an agent takes its models as \`llmConfig\`: ${llmRemedy(value, 'llmConfig: ') ?? 'give a value of `llmConfig({ providers, configList })` of `@x/model`'}`

/** Words of other libraries for the options of a `ConversableAgent`. */
export const FOREIGN_AGENT_WORDS: ForeignWords = {
  ...wordsOfForm({ instructions: 'systemMessage', models: (code) => `llmConfig: llmConfig(${code})` }),
  instructions: 'write `systemMessage`, which is its name here',
  model: inLlmConfig,
  llm: inLlmConfig,
  llm_config: (value) => (typeof value === 'object' && value !== null ? inLlmConfig(value) : undefined),
  tools:
    'give them to the agent, as in `new AssistantAgent({ … }).use(tools)`, or to one question, as in `agent.run(question, { tools })`',
}

/** Words of other libraries, and of a `ConversableAgent`, for the options of `createAgent`; see `modelRemedy`. */
export function createAgentWords(takesRefs: boolean): ForeignWords {
  const models = (code: string): string => `model: ${takesRefs ? code : `llmConfig(${code})`}`
  return {
    ...wordsOfForm({ instructions: 'instructions', models }),
    systemMessage: 'write `instructions`, which is its name here',
    llm: (value) => modelRemedy(value, takesRefs),
    llmConfig: 'write `model`, which takes it',
    llm_config: 'write `model`, which takes what `llmConfig` returns',
    functions: 'write `tools`, which the agent executes itself',
  }
}

const QUESTION_WORD = 'give it as the first argument, as in `run(question)`'
const HISTORY_WORD =
  "a run keeps nothing: hand the messages of the result before in, as in `run([...messages, { role: 'user', content }])`"
const EVENTS_WORD = 'give `emit`, which gets every event, or read `runStream`'
const MODEL_WORD = "give it to the model, as in `openai('gpt-5-mini', { temperature: 0 })`"
const JOURNAL_WORD =
  'a suspended run goes on with the same question and its journal, as in `run(question, { journal })`'

/** Words of other libraries for the options of a `run`. */
export const FOREIGN_RUN_WORDS: ForeignWords = {
  'output outputType outputSchema schema responseFormat responseModel structuredOutput resultType':
    'give the schema as `result`, as in `run(question, { result: schema })`',
  'abortSignal abort abortController': 'write `signal`',
  'timeout timeoutMs': 'write `signal: AbortSignal.timeout(milliseconds)`',
  'maxSteps stopWhen maxIterations maxRounds maxToolCalls maxToolRoundtrips recursionLimit':
    'write `maxTurns`, which is a cap: a run ends at its answer',
  'prompt input message messages question query': QUESTION_WORD,
  'history session sessionId thread threadId memory resourceId resource conversationId chatId configurable config':
    HISTORY_WORD,
  'model llmConfig instructions system systemMessage systemPrompt name':
    'give it to the agent, as in `createAgent({ name, model, instructions })`',
  'temperature maxTokens maxOutputTokens topP toolChoice seed stop reasoningEffort modelSettings providerOptions maxRetries parallelToolCalls cache cacheSeed apiKey':
    MODEL_WORD,
  'onStepFinish onFinish onChunk onEvent onToolCall callbacks hooks listeners': EVENTS_WORD,
  'stream onText onToken onDelta': 'call `runStream`, and read its `textStream`',
  'resume state checkpoint checkpointer approvals decisions command': JOURNAL_WORD,
  'maxCost maxCalls maxBudget costLimit tokenLimit': 'write `budget: createBudget({ cost: 0.5 })`, in US dollars',
  'recipient to agent': 'call `run` of that agent; of two agents that talk, `initiateChat(recipient, { message })`',
  'userId user context contextVariables deps dependencies runtimeContext requestContext experimentalContext':
    'put it into the closure of the tools of this run, as in `run(question, { tools: toolsOf(user) })`',
  'verbose debug print log': 'write `silent: false`, which prints the messages',
  'humanInput humanInputMode': 'write `userInput: true`, which asks a person',
  'autoApprove approve':
    'a tool without `needsApproval` needs none; decide on others in the `journal` of the suspended run',
  '~state':
    'an agent stands where the options belong; of two agents that talk, write `initiateChat(recipient, { message })`',
  'retries maxResultRetries': 'write `resultRepairs`',
}
