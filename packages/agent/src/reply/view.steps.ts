import type {
  Agent,
  ChatMessage,
  ChosenHistory,
  HistoryCut,
  HistoryQuestion,
  HistoryView,
  Model,
  ModelResponse,
  OpenCall,
  Run,
  ToolSchema,
  UsageSummary,
} from '@x/interfaces'
import { currentRun, isXError, type Steps, wait } from '@x/kernel'
import { needsAwait } from '@x/kernel/run'
import { unrolled } from '../data/message.ts'
import type { ConversationQuestion } from '../options/operations.ts'
import { type Conversation, openConversation, type State, stateOf } from '../memory/state.ts'
import { type CallUnderWay, keepAnswer } from '../run/external-call.steps.ts'
import { noteUse, type Participants } from '../run/recorder.ts'
import { scopeIn } from '../run/scope.ts'

/** A question whose messages the history of an agent chooses. */
export interface QuestionInView {
  readonly history: HistoryView
  readonly before: readonly ChatMessage[]
  readonly seen: readonly ChatMessage[]
  /** The conversation it is part of; undefined for a question of an agent beside its conversations. */
  readonly conversation: Conversation | undefined
  /** Tools beside those of the model's config. */
  readonly tools: readonly ToolSchema[] | undefined
  readonly state: State
  readonly owner: State
  readonly model: Model
  readonly participants: Participants | null
}

/** Names of what a journal keeps of cuts beside the answer: before the model was asked, and after it refused. */
const FIRST_CUT_NAME = 'history'
const REPEATED_CUT_NAME = 'history-again'

/**
 * Asks the model with the messages that the history of its agent chooses. When the provider refuses them as too long, they
 * are cut once more, and the model is asked again.
 */
export function* answerInView(
  open: CallUnderWay,
  its: QuestionInView,
  ask: (messages: readonly ChatMessage[]) => Steps<ModelResponse>,
): Steps<ModelResponse> {
  const { messages } = yield* choose(open, its, { name: FIRST_CUT_NAME, refused: false })
  let response: ModelResponse
  try {
    response = yield* ask(its.before.concat(messages))
  } catch (error) {
    if (!isXError(error) || error.kind !== 'context-overflow') throw error
    open.reopen()
    try {
      const again = yield* choose(open, its, { name: REPEATED_CUT_NAME, refused: true })
      if (!again.cut) throw error
      response = yield* ask(its.before.concat(again.messages))
    } finally {
      open.end()
    }
  }
  const { usage } = response
  if (usage) its.history.noteUsage(keyOf(its), usage.prompt_tokens ?? 0)
  return response
}

/** Lets a history know of a question that a journal has answered, so that later ones are cut as if it had been asked. */
export function* passInView(
  open: CallUnderWay,
  its: QuestionInView,
  { total }: { readonly total: UsageSummary | null },
): Steps<void> {
  yield* repeatKeptCuts(open, its)
  const tokens = Object.values(total?.models ?? {}).reduce((sum, { promptTokens }) => sum + promptTokens, 0)
  if (tokens > 0) its.history.noteUsage(keyOf(its), tokens)
}

/** The call that a question is asked in; a journal keeps cuts as its parts. */
export type AskingCall = Pick<OpenCall, 'recorded' | 'part'> & { readonly run: Run }

/** The messages of a question that has no answer yet; null when the provider refused them, and nothing more can be cut. */
export function* chooseMessages(
  open: AskingCall,
  its: QuestionInView,
  { refused }: { readonly refused: boolean },
): Steps<readonly ChatMessage[] | null> {
  const { messages, cut } = yield* choose(open, its, { name: refused ? REPEATED_CUT_NAME : FIRST_CUT_NAME, refused })
  return refused && !cut ? null : messages
}

/** Repeats the cuts that a journal has kept of a question that it has answered. */
export function* repeatKeptCuts(open: AskingCall, its: QuestionInView): Steps<void> {
  yield* choose(open, its, { name: FIRST_CUT_NAME, refused: false, answered: true })
  if (open.part(REPEATED_CUT_NAME).known)
    yield* choose(open, its, { name: REPEATED_CUT_NAME, refused: true, answered: true })
}

/** A choice of messages. */
interface Choice {
  /** Name under which a journal keeps a cut. */
  readonly name: string
  readonly refused: boolean
  readonly answered?: boolean
}

function* choose(
  open: AskingCall,
  its: QuestionInView,
  { name, refused, answered = false }: Choice,
): Steps<ChosenHistory> {
  const { history, before, seen, tools, owner, model, state } = its
  const part = open.recorded ? open.part(name) : undefined
  const conversation = keyOf(its)
  loadSaved(its)
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
  const given = history.choose(question)
  const chosen = needsAwait(open.run, given)
    ? yield* wait(given, `the history of ${state.name}`)
    : (given as ChosenHistory)
  if (chosen.cut) {
    if (part && !part.known) yield* keepAnswer(part, chosen.cut.record)
    yield* reportCut(its, chosen.cut)
  }
  return chosen
}

/** Sends the event of a cut, after the warnings on its way; what it used counts as the agent's. */
function* reportCut(
  { state: { name }, owner, participants }: QuestionInView,
  { report, usage, warnings }: HistoryCut,
): Steps<void> {
  if (usage && participants) noteUse(participants, owner, usage)
  for (const text of warnings) yield { type: 'warning', agent: name, topic: 'history', text }
  yield { type: 'historyCut', agent: name, ...report }
}

/** Names a conversation for a history; questions beside conversations are one. */
const keyOf = ({ conversation, owner }: QuestionInView): object => conversation ?? owner

/** Gives a history what was saved of a conversation that was loaded. */
function loadSaved({ conversation, history }: QuestionInView): void {
  if (conversation?.savedHistory === undefined) return
  history.load(conversation, conversation.savedHistory)
  delete conversation.savedHistory
}

/** Without a place of its own, a question is kept nowhere. */
const UNRECORDED_CALL: Omit<AskingCall, 'run'> = {
  recorded: false,
  part: () => ({ known: undefined, keep: () => undefined }),
}

/**
 * Chooses the messages that an agent's `history` leaves of a conversation; all of them without one. Cuts are told, and what
 * they use counts as the agent's. After a refusal of the provider it gives null when nothing more can be cut.
 */
export function* viewMessages(
  agent: Agent,
  question: ConversationQuestion,
  { refused = false }: { readonly refused?: boolean | undefined } = {},
): Steps<readonly ChatMessage[] | null> {
  const asked = yield* inView(agent, question)
  if (asked) return yield* chooseMessages(asked.open, asked.its, { refused })
  return refused ? null : question.messages
}

/** Lets an agent's `history` know of a question that a journal has answered: the cuts that it has kept are repeated. */
export function* repeatCuts(agent: Agent, question: ConversationQuestion): Steps<void> {
  const asked = yield* inView(agent, question)
  if (asked) yield* repeatKeptCuts(asked.open, asked.its)
}

function* inView(
  agent: Agent,
  { sender, messages, open }: ConversationQuestion,
): Steps<{ readonly open: AskingCall; readonly its: QuestionInView } | null> {
  const state = stateOf(agent)
  const { history, model } = state
  if (!history || !model) return null
  const run = yield* currentRun()
  const { chat, journal } = scopeIn(run)
  const participants = journal?.participants ?? null
  const conversation = openConversation(state, sender, chat)
  const seen = messages.flatMap(unrolled)
  const its = { history, before: [], seen, conversation, tools: undefined, state, owner: state, model, participants }
  return { open: open ?? { ...UNRECORDED_CALL, run }, its }
}
