import type {
  Agent,
  ChatMessage,
  ChosenHistory,
  HistoryCut,
  HistoryQuestion,
  HistoryView,
  Model,
  ModelRequest,
  ModelResponse,
  OpenCall,
  Run,
  ToolSchema,
  UsageSummary,
} from '@x/interfaces'
import { currentRun, isXError, type Steps, wait, XError } from '@x/kernel'
import { needsAwait } from '@x/kernel/run'
import { unrolled } from '../data/message.ts'
import type { ConversationQuestion } from '../options/operations.ts'
import { type Conversation, openConversation, type State, stateOf } from '../memory/state.ts'
import { type CallUnderWay, keepAnswer } from '../run/external-call.steps.ts'
import { noteUse, type Participants } from '../run/recorder.ts'
import { scopeIn } from '../run/scope.ts'

/** A question with messages that the `history` of an agent may cut. */
export interface QuestionInView {
  readonly history: HistoryView
  readonly before: readonly ChatMessage[]
  readonly seen: readonly ChatMessage[]
  /** The conversation of the question; undefined for a question outside of conversations. */
  readonly conversation: Conversation | undefined
  /** Tools beside those of the model's config. */
  readonly tools: readonly ToolSchema[] | undefined
  readonly state: State
  readonly owner: State
  readonly model: Model
  readonly participants: Participants | null
  /** The request, whose messages are chosen; undefined where nobody asks a model. */
  readonly request?: ModelRequest | undefined
}

/** Names of the journal entries of cuts: before the model was asked, and after the provider refused. */
const FIRST_CUT_NAME = 'history'
const REPEATED_CUT_NAME = 'history-again'

/**
 * Asks the model with the messages that the `history` of the agent chooses. If the provider refuses them as too long, the
 * `history` cuts again, and the model is asked once more.
 */
export function* answerInView(
  open: CallUnderWay,
  question: QuestionInView,
  ask: (messages: readonly ChatMessage[]) => Steps<ModelResponse>,
): Steps<ModelResponse> {
  const { messages } = yield* choose(open, question, { name: FIRST_CUT_NAME, refused: false })
  let response: ModelResponse
  try {
    response = yield* ask(question.before.concat(messages))
  } catch (error) {
    if (!isXError(error) || error.kind !== 'context-overflow') throw error
    open.reopen()
    try {
      const shorter = yield* choose(open, question, { name: REPEATED_CUT_NAME, refused: true })
      if (!shorter.cut) throw error
      response = yield* ask(question.before.concat(shorter.messages))
    } finally {
      open.end()
    }
  }
  const { usage } = response
  if (usage) question.history.noteUsage(keyOf(question), usage.prompt_tokens ?? 0)
  return response
}

/** Tells a `history` about a question that a journal has answered, so that it cuts later questions as in the earlier run. */
export function* recallInView(
  open: CallUnderWay,
  question: QuestionInView,
  { total }: { readonly total: UsageSummary | null },
): Steps<void> {
  yield* repeatKeptCuts(open, question)
  const tokens = Object.values(total?.models ?? {}).reduce((sum, { promptTokens }) => sum + promptTokens, 0)
  if (tokens > 0) question.history.noteUsage(keyOf(question), tokens)
}

/** The call of a question; a journal keeps the cuts as parts of it. */
export type AskingCall = Pick<OpenCall, 'recorded' | 'part' | 'noteInput'> & { readonly run: Run }

/** Chooses the messages of a new question; null if the provider refused them (`refused`) and nothing more can be cut. */
function* chooseMessages(
  open: AskingCall,
  question: QuestionInView,
  { refused }: { readonly refused: boolean },
): Steps<readonly ChatMessage[] | null> {
  const { messages, cut } = yield* choose(open, question, {
    name: refused ? REPEATED_CUT_NAME : FIRST_CUT_NAME,
    refused,
  })
  return refused && !cut ? null : messages
}

const choseNothing = ({ name }: State): XError =>
  new XError(
    'invalid-result',
    `the \`history\` of \`${name}\` chose no messages: return \`{ messages, cut }\` from \`choose\``,
  )

/** Repeats the cuts that a journal has kept for a question that it has answered. */
function* repeatKeptCuts(open: AskingCall, question: QuestionInView): Steps<void> {
  yield* choose(open, question, { name: FIRST_CUT_NAME, refused: false, answered: true })
  if (open.part(REPEATED_CUT_NAME).known)
    yield* choose(open, question, { name: REPEATED_CUT_NAME, refused: true, answered: true })
}

/** Circumstances in which messages are chosen. */
interface CutOptions {
  /** Name of the journal entry of a cut. */
  readonly name: string
  readonly refused: boolean
  readonly answered?: boolean
}

function* choose(
  open: AskingCall,
  viewed: QuestionInView,
  { name, refused, answered = false }: CutOptions,
): Steps<ChosenHistory> {
  const { history, before, seen, tools, owner, model, state } = viewed
  const part = open.recorded ? open.part(name) : undefined
  const conversation = keyOf(viewed)
  loadSaved(viewed)
  const question: HistoryQuestion = {
    agent: state.agent,
    conversation,
    before,
    messages: seen,
    tools,
    model,
    llmConfig: model === owner.model ? owner.llmConfig || null : null,
    run: answered ? undefined : open.run,
    refused,
    answered,
    record: part?.known?.value,
  }
  const choice = history.choose(question)
  const chosen = needsAwait(open.run, choice)
    ? yield* wait(choice, `the history of ${state.name}`)
    : (choice as ChosenHistory)
  if (!Array.isArray((chosen as ChosenHistory | null)?.messages)) throw choseNothing(state)
  const { request, before: leading } = viewed
  const asked = refused ? part : open
  if (request && asked?.noteInput) {
    const messages = leading.concat(chosen.messages)
    asked.noteInput({ messages, settings: model.settingsOf?.(request) ?? null, view: history.limits ?? null })
  }
  if (chosen.cut) {
    if (part && !part.known) yield* keepAnswer(part, chosen.cut.record)
    // Outside of a question of the agent, the model counts what it is asked itself.
    const isCounted = !part?.known && scopeIn(open.run).callKind !== 'model'
    if (!isCounted) yield* countCut(viewed, chosen.cut)
    if (!answered) yield* reportCut(viewed, chosen.cut)
  }
  return chosen
}

/** Counts the usage of a cut as the agent's. */
function* countCut({ owner, participants }: QuestionInView, { usage }: HistoryCut): Steps<void> {
  if (!usage) return
  if (participants) noteUse(participants, owner, usage)
  scopeIn(yield* currentRun()).tally?.add(usage.actual)
}

/** Sends the warnings and the event of a new cut. */
function* reportCut({ state: { name } }: QuestionInView, { report, warnings }: HistoryCut): Steps<void> {
  for (const text of warnings) yield { type: 'warning', agent: name, topic: 'history', text }
  yield { type: 'historyCut', agent: name, ...report }
}

/** Returns the key of a conversation for a `history`; all questions outside of conversations share the owner as key. */
const keyOf = ({ conversation, owner }: QuestionInView): object => conversation ?? owner

/** Passes the saved state of a loaded conversation to its `history`, once. */
function loadSaved({ conversation, history }: QuestionInView): void {
  if (conversation?.savedHistory === undefined) return
  history.load(conversation, conversation.savedHistory)
  delete conversation.savedHistory
}

/** The call of a question without a place: no journal keeps it. */
const UNRECORDED_CALL: Omit<AskingCall, 'run'> = {
  recorded: false,
  part: () => ({ known: undefined, keep: () => undefined }),
}

/**
 * Chooses the messages that an agent's `history` leaves of a conversation; without a `history`, all messages. Sends cuts as
 * events, and counts their usage as the agent's. Returns null if the provider `refused` and nothing more can be cut.
 */
export function* viewMessages(
  agent: Agent,
  question: ConversationQuestion,
  { refused = false }: { readonly refused?: boolean | undefined } = {},
): Steps<readonly ChatMessage[] | null> {
  const view = yield* inView(agent, question)
  if (view) return yield* chooseMessages(view.open, view.question, { refused })
  return refused ? null : question.messages
}

/** Repeats the cuts of a question that a journal has answered, so that the agent's `history` knows them. */
export function* repeatCuts(agent: Agent, question: ConversationQuestion): Steps<void> {
  const view = yield* inView(agent, question)
  if (view) yield* repeatKeptCuts(view.open, view.question)
}

/** Makes the question that the `history` of an agent cuts; null for an agent without a `history` or a model. */
function* inView(
  agent: Agent,
  { sender, messages, open }: ConversationQuestion,
): Steps<{ readonly open: AskingCall; readonly question: QuestionInView } | null> {
  const state = stateOf(agent)
  const { history, model } = state
  if (!history || !model) return null
  const run = yield* currentRun()
  const { chat, journal } = scopeIn(run)
  const participants = journal?.participants ?? null
  const conversation = openConversation(state, sender, chat)
  const seen = messages.flatMap(unrolled)
  const question = {
    history,
    before: [],
    seen,
    conversation,
    tools: undefined,
    state,
    owner: state,
    model,
    participants,
  }
  return { open: open ?? { ...UNRECORDED_CALL, run }, question }
}
