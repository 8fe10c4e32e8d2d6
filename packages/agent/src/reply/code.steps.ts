import type {
  ChatMessage,
  CodeBlock,
  CodeExecutionConfig,
  CodeResult,
  CodeRunner,
  MaybePromise,
  ReplyOutcome,
  Run,
  RunCodeOptions,
} from '@x/interfaces'
import { XError, type Steps } from '@x/kernel'
import { externalCall } from '../run/external-call.steps.ts'
import { scopeIn } from '../run/scope.ts'
import { withSilence } from '../run/within.steps.ts'
import { CODE_RESULT_SHAPE, RUNNER_RESULT_SHAPE } from '../durability/saved-shapes.ts'
import { openConversation, type State } from '../memory/state.ts'
import type { AskedInRun } from '../options/operations.ts'
import { personToChoose, vetCode } from '../human/ask-human.steps.ts'

const SHELL_LANGUAGES: ReadonlySet<string> = new Set(['bash', 'shell', 'sh'])
const PYTHON_LANGUAGES: ReadonlySet<string> = new Set(['python', 'Python', 'PY', 'py'])
const UNKNOWN_LANGUAGE = 'unknown'
const FILE_NAME_PREFIX = '# filename: '

/** Runs the code of the newest message that has some. */
export function* generateCodeExecutionReply(
  state: State,
  { messages, sender, config, run }: AskedInRun<CodeExecutionConfig | false>,
): Steps<ReplyOutcome> {
  const execution = config ?? state.codeExecution
  if (!execution || isAskedInRun(state, run)) return [false, null]
  const all = messages ?? openConversation(state, sender, scopeIn(run).chat).messages
  for (const { content } of all.slice(all.length - countScanned(execution, all)).toReversed()) {
    if (!content || typeof content === 'function') continue
    const reader = 'executor' in execution ? execution.executor.codeReader : execution.runner.codeReader
    const blocks = reader.extractCode(content)
    if (blocks.length === 0) continue
    if ('executor' in execution) {
      const reason = yield* vetCode(state, blocks)
      if (reason !== undefined) return [true, outcome(1, denied(reason))]
      const { exitCode, output } = yield* runByExecutor(state, execution, blocks)
      return [true, outcome(exitCode, output)]
    }
    if (blocks.length === 1 && blocks[0]!.language === UNKNOWN_LANGUAGE) continue
    const [exitCode, logs] = yield* executeCodeBlocks(state, blocks, execution)
    return [true, outcome(exitCode, logs)]
  }
  return [false, null]
}

/** True for an agent with a model that a `run` asks: the user runs the code of its answers, and the question is for the model. */
function isAskedInRun({ agent, model }: State, run: Run): boolean {
  const watch = scopeIn(run).chat?.watch
  return Boolean(model && watch?.endsByItself && watch.agent === agent)
}

const denied = (reason: string): string => `the code was denied and did not run: ${reason}`

const outcome = (exitCode: number, output: string): string =>
  `exitcode: ${exitCode} (${exitCode === 0 ? 'execution succeeded' : 'execution failed'})\nCode output: ${output}`

/** Counts the newest messages to search for code; `auto`: those after the agent's last one. */
function countScanned({ lastNMessages = 'auto' }: CodeExecutionConfig, messages: readonly ChatMessage[]): number {
  if (lastNMessages === 'auto') {
    const own = messages.findLastIndex(({ role }) => role !== 'user')
    return messages.length - own - 1
  }
  if (typeof lastNMessages === 'number' && lastNMessages >= 0) return Math.min(messages.length, lastNMessages)
  throw new XError(
    'invalid-argument',
    `\`lastNMessages\` is ${String(lastNMessages)}: give a number of at least 0, or 'auto'`,
  )
}

function* runByExecutor(
  state: State,
  { executor }: Extract<CodeExecutionConfig, { executor: unknown }>,
  blocks: readonly CodeBlock[],
): Steps<{ exitCode: number; output: string }> {
  const { agent } = state
  const chooseChanges = yield* personToChoose(state)
  const span = codeSpan(agent.name, blocks, (result: CodeResult) => result)
  const call = {
    ...codeCall(state, `the executor of ${agent.name}`),
    shape: CODE_RESULT_SHAPE,
    asks: () => ({ blocks }),
    span,
  }
  return yield* externalCall(call, (context): MaybePromise<CodeResult> => {
    const { run, signal, emit } = context
    if (run.face === 'sync' && executor.executeCodeBlocksSync)
      return executor.executeCodeBlocksSync(blocks, chooseChanges ? { run, emit, chooseChanges } : context)
    return executor.executeCodeBlocks(blocks, chooseChanges ? { run, signal, emit, chooseChanges } : context)
  })
}

/** Runs code blocks in order, and stops at the first that fails. */
export const executeCodeBlocks = (
  state: State,
  blocks: readonly CodeBlock[],
  config: CodeExecutionConfig | false = state.codeExecution ?? false,
): Steps<[exitCode: number, logs: string]> => withSilence(state.silent, runBlocks(state, blocks, config))

function* runBlocks(
  state: State,
  blocks: readonly CodeBlock[],
  config: CodeExecutionConfig | false,
): Steps<[exitCode: number, logs: string]> {
  if (!config || !('runner' in config)) throw noRunner(state)
  const reason = yield* vetCode(state, blocks)
  if (reason !== undefined) return [1, `\n${denied(reason)}`]
  let all = ''
  let last = 0
  for (const [index, { language, code }] of blocks.entries()) {
    const lang = language || config.runner.codeReader.inferLang(code)
    yield {
      type: 'executeCodeBlock',
      code,
      language: lang,
      codeBlockCount: index,
      agent: state.name,
      recipient: state.name,
    }
    const [exitCode, logs] = yield* runBlock(state, config.runner, lang, code)
    all += `\n${logs}`
    last = exitCode
    if (exitCode !== 0) break
  }
  return [last, all]
}

type RunnerResult = [exitCode: number, logs: string, image: string | null]

function* runBlock(state: State, runner: CodeRunner, lang: string, code: string): Steps<RunnerResult> {
  const shell = SHELL_LANGUAGES.has(lang)
  if (!shell && !PYTHON_LANGUAGES.has(lang)) return [1, `unknown language ${lang}`, null]
  const filename =
    !shell && code.startsWith(FILE_NAME_PREFIX)
      ? code.slice(FILE_NAME_PREFIX.length).split('\n', 1)[0]!.trim()
      : undefined
  const result = yield* runByRunner(state, runner, code, { lang: shell ? lang : 'python', filename })
  // A run may name its image; later runs use the same one.
  state.dockerImage = result[2] ?? state.dockerImage
  return result
}

function* runByRunner(state: State, runner: CodeRunner, code: string, options: RunCodeOptions): Steps<RunnerResult> {
  const image = state.dockerImage === undefined ? {} : { useDocker: state.dockerImage }
  const blocks = [{ language: options.lang ?? '', code }]
  const span = codeSpan(state.name, blocks, ([exitCode, output]: RunnerResult) => ({ exitCode, output }))
  return yield* externalCall(
    { ...codeCall(state, 'the code runner'), shape: RUNNER_RESULT_SHAPE, asks: () => ({ blocks }), span },
    ({ run }): MaybePromise<RunnerResult> => {
      const all = { ...image, ...options, run, signal: run.signal, emit: undefined }
      return run.face === 'sync' && runner.runCodeSync ? runner.runCodeSync(code, all) : runner.runCode(code, all)
    },
  )
}

/** Describes a call that runs code. It is `closed`: the journal keeps its result, and nothing inside it. */
const codeCall = ({ agent }: State, label: string) => ({ kind: 'code', label, agent, closed: true }) as const

/** Describes the span of code; `read` returns the parts of its result. */
const codeSpan = <T>(
  agent: string,
  blocks: readonly CodeBlock[],
  read: (result: T) => Pick<CodeResult, 'exitCode' | 'output' | 'artifacts'>,
) =>
  ({
    common: { type: 'code', agent },
    atStart: { blocks },
    atEnd: (result: T | undefined) => {
      if (result === undefined) return { exitCode: null, output: '', artifacts: [] }
      const { exitCode, output, artifacts = [] } = read(result)
      return { exitCode, output, artifacts }
    },
  }) as const

/** Runs a piece of code with the code runner. */
export function* runCode(state: State, code: string, options: RunCodeOptions): Steps<RunnerResult> {
  const { codeExecution: config } = state
  if (!config || !('runner' in config)) throw noRunner(state)
  return yield* runByRunner(state, config.runner, code, options)
}

const noRunner = ({ agent }: State): XError =>
  new XError('invalid-state', `\`${agent.name}\` has no code runner: give it a \`codeExecutionConfig\` with one`)
