import { tool, type OutputOf, type Parameters } from '@x/agent'
import { checkApprovals } from './run/deadlines.ts'
import { checkRetry } from './run/retry.ts'
import { runRecorded } from '@x/agent/steps'
import type { Journal, JsonSchema, ToolIssue } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { partRun, RUN_PLACE, unescapeTexts } from '@x/kernel/run'
import { fewTurns } from './run/activity.ts'
import { type Awaited, Messages } from './run/messages.ts'
import { beginProgram } from './run/program-start.ts'
import { recordedPart } from './run/parts.ts'
import { chatRunOf } from './run/chat-run.ts'
import type {
  ChatDefinition,
  ChatRun,
  ConversationDefinition,
  DefinedChat,
  RepeatedChat,
  SavedState,
} from './defined-chat.ts'

const SCHEMA_KIND = { ...kind.either(kind.object, kind.call), expected: 'a schema' }

const CHAT_DEFINITION_KINDS: OptionKinds<
  Omit<ChatDefinition<Parameters, unknown>, 'onMessage'> &
    Pick<ConversationDefinition<Parameters, unknown>, 'onMessage'>
> = {
  name: kind.text,
  version: kind.text,
  input: SCHEMA_KIND,
  state: kind.any,
  stateSchema: SCHEMA_KIND,
  migrate: kind.call,
  continues: kind.list,
  run: kind.call,
  onMessage: kind.call,
  concurrency: kind.whole(1),
  keeps: kind.oneOf('all', 'value'),
  retry: kind.object,
  approvals: kind.object,
}

/** Defines the program of hosted chats: a conversation by its state and `onMessage`, any other chat by `run`. */
export function defineChat<P extends Parameters = JsonSchema, R = unknown, S = unknown>(
  definition: ConversationDefinition<P, S> | ChatDefinition<P, R, S>,
): DefinedChat<OutputOf<P>, R> {
  checkOptions((definition as object | undefined) ?? null, CHAT_DEFINITION_KINDS, ATTEMPT)
  const { name, version, input, continues = [], concurrency, keeps = 'all', retry, approvals } = definition
  checkRetry(retry, 'choose the `retry` of a chat')
  checkApprovals(approvals)
  const problem = problemOf(definition)
  if (problem) throw new XError('invalid-argument', `cannot ${ATTEMPT}: ${problem}`)
  const parse = parserOf(input, 'input')
  const check = async (value: unknown): Promise<OutputOf<P>> => {
    const parsed = await parse(value)
    if ('value' in parsed) return parsed.value as OutputOf<P>
    throw new XError(
      'invalid-argument',
      `the input of a chat \`${name}\` does not fit its schema: ${issuesText(parsed.issues)}`,
    )
  }
  const begin = beginOf(definition)
  const save = (state: unknown): SavedState => ({ state, program: version })
  const run = definition.run ?? runMessages(definition)
  const chat: DefinedChat<OutputOf<P>, R> = Object.freeze({
    name,
    version,
    check,
    run: run as never,
    begin,
    save,
    continues,
    concurrency,
    keeps,
    retry,
    approvals,
    repeat: (value: unknown) => repeatChat(chat, value),
  })
  return chat
}

const ATTEMPT = 'define a chat'
const VERSION_PATTERN = /^[\w.-]{1,64}$/u

type AnyDefinition = ConversationDefinition<Parameters, never> | ChatDefinition<Parameters, unknown, never>

function problemOf(definition: object): string | false | undefined {
  const { name, version, run, onMessage, keeps, continues = [] } = definition as AnyDefinition
  return (
    (!/^[\w-]{1,64}$/u.test(name ?? '') && '`name` takes 1 to 64 letters, digits, `_` and `-`') ||
    (!VERSION_PATTERN.test(version ?? '') && '`version` takes 1 to 64 letters, digits, `.`, `_` and `-`') ||
    (!continues.every((each) => VERSION_PATTERN.test(each)) && '`continues` takes a list of versions') ||
    (continues.includes(version) && '`continues` takes earlier versions, and not its own') ||
    (!run &&
      !onMessage &&
      'it has no `run`; give the function that runs the chat: ({ input, run }) => …, or `state` and `onMessage` for a conversation') ||
    (run && onMessage && '`run` and `onMessage` are two forms of a program; give one of them') ||
    (onMessage && !('state' in definition) && '`onMessage` needs a `state`, with which the chat begins') ||
    (onMessage && keeps === 'value' && '`onMessage` waits for messages, which a chat that `keeps` its value cannot')
  )
}

type Parsed = { readonly value: unknown } | { readonly issues: readonly ToolIssue[] }

/** Returns what parses values by a schema; without one every value fits. */
function parserOf(schema: Parameters | undefined, name: string): (value: unknown) => Promise<Parsed> {
  const shape = schema && tool({ name, description: '', parameters: schema, execute: () => '' })
  return async (value) => (await shape?.validate?.(value)) ?? { value }
}

/** Returns what gives a start of the program its state. */
function beginOf(definition: object): DefinedChat['begin'] {
  const { name, version, state: initial, stateSchema, migrate } = definition as ChatDefinition<Parameters, unknown>
  const parse = parserOf(stateSchema, 'state')
  const refuse = (what: string, problem: string): never => {
    throw new XError(
      'invalid-state',
      `the state of a chat \`${name}\`, which ${what}, does not fit version ${version} of its program: ${problem}`,
      { details: { name, version } },
    )
  }
  return async (saved, input) => {
    const isOther = saved !== null && saved.program !== version
    const what = saved ? `version ${saved.program} has saved` : 'its definition begins with'
    const given = saved
      ? saved.state
      : typeof initial === 'function'
        ? (initial as (input: unknown) => unknown)(input)
        : initial
    if (isOther && !migrate && !stateSchema) refuse(what, 'give `migrate`, or a `stateSchema` that both fit')
    const first = isOther && migrate ? { issues: [] } : await parse(structuredClone(given))
    if ('value' in first) return first.value
    if (!saved || !migrate) return refuse(what, issuesText(first.issues))
    const migrated = await parse(await migrate(structuredClone(given), saved.program))
    return 'value' in migrated ? migrated.value : refuse(what, `after \`migrate\`: ${issuesText(migrated.issues)}`)
  }
}

/** Returns what `repeat` of a defined chat gives. */
function repeatChat(definition: DefinedChat, input: unknown): RepeatedChat {
  const { name, version, keeps } = definition
  return async (options) => {
    const runId = idOfRun(options.journal)
    const given = await beginProgram(definition, input, [])
    const stop = new AbortController()
    const onWait = (awaited: Awaited): void => {
      stop.abort(
        new XError('suspended', `the program \`${name}\` waits for a ${awaited.for} that the record does not have`),
      )
    }
    const messages = new Messages({ id: runId, messages: [], entries: [], heard: 0 }, { onWait })
    let missing: XError | undefined
    const fail = (what: string): never => {
      const problem = `cannot repeat the program \`${name}\`: the record has no ${what}`
      missing ??= new XError('invalid-state', problem, { details: { name, unrepeatable: true } })
      throw missing
    }
    const submit = async (): Promise<never> => fail('identifier of a chat that it submits')
    const value = await runRecorded(
      async (run, recorded) => {
        const part = partRun(run, {})
        const perform: ChatRun<never>['perform'] = async (program, value, performOptions) => {
          const place = { run: part.run, journal: options.journal, parent: runId }
          const known = await recordedPart(place, program, { value, options: performOptions })
          return known ? known.value : fail(`value of a part \`${program.name}\``)
        }
        try {
          const chat = chatRunOf(part.run, recorded, { ...given, messages, id: runId, definition, perform, submit })
          return await definition.run(chat)
        } finally {
          part.end()
        }
      },
      { ...options, runId, version, streams: keeps !== 'value', whole: true, signal: stop.signal, suspends: fewTurns },
    ).catch((error: unknown) => {
      throw missing ?? error
    })
    // Also where the program has caught it.
    if (missing) throw missing
    return value
  }
}

/** Returns the identifier of the run of a journal: that of the record, or of a fork of it. */
function idOfRun(journal: Journal): string {
  const { runId } = (unescapeTexts(journal.recall(RUN_PLACE)[0]?.value) ?? {}) as { readonly runId?: unknown }
  if (typeof runId === 'string') return runId
  throw new XError(
    'invalid-argument',
    'cannot repeat a program without a recorded run: give it to `replay`, `expectReplay` or `forkRun`',
  )
}

/** Returns the program of a conversation: it takes one message after the other, each with a checkpoint behind it. */
const runMessages =
  <P extends Parameters, S>({ onMessage }: ConversationDefinition<P, S>) =>
  async (chat: ChatRun<OutputOf<P>, S>): Promise<unknown> => {
    let { state } = chat
    for (;;) {
      const message = await chat.receive()
      let ended: { readonly value: unknown } | undefined
      const part = partRun(chat.run, {})
      const { id, input, io, receive, sleep, now, submit, perform, usage } = chat
      const end = (value: unknown = null): void => void (ended ??= { value })
      const own = { id, input, io, receive, sleep, now, submit, perform, usage, run: part.run, end }
      try {
        state = (await onMessage(state, message, part.run, own)) ?? state
      } finally {
        part.end()
      }
      if (ended) return ended.value
      await chat.checkpoint(state)
    }
  }

const issuesText = (issues: readonly ToolIssue[]): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `\`${path.join('.')}\`: ${message}` : message)).join('; ')
