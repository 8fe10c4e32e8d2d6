import type {
  ActionToApprove,
  ApprovalDecision,
  CallInput,
  CodeBlock,
  CodeExecutor,
  MaybePromise,
  PendingApproval,
  Run,
  SpanEvent,
  Vet,
} from '@x/interfaces'
import { currentRun, isThenable, type Steps, XError } from '@x/kernel'
import { redact } from '@x/kernel/redact'
import { actionText } from '../console/console-io.ts'
import { ATTEMPT_SHAPE, DECISION_SHAPE, PENDING_APPROVAL_SHAPE, HUMAN_INPUT_SHAPE } from '../durability/saved-shapes.ts'
import { type Conversation, conversationOf, type State } from '../memory/state.ts'
import type { MappedFunction } from '../options/operations.ts'
import { externalCall, keepAnswer } from '../run/external-call.steps.ts'
import { recallAnswer, suspendCalls } from '../run/recorder.ts'
import { type Scope, scopeIn } from '../run/scope.ts'
import type { AgentSpan } from '../run/within.steps.ts'

/** A call that is about to be made. */
interface Call {
  readonly name: string
  readonly args: Record<string, unknown>
  readonly callId: string | null
}

/** The permission to make a call with certain arguments, or the refusal. */
export type Permission = ({ readonly args: Record<string, unknown> } | { readonly denied: string }) & {
  /** The decision, as the events of the call tell it; null if nobody was asked. */
  readonly approval: Extract<SpanEvent, { type: 'toolEnd' }>['approval']
}

/** The vetting function of an agent, as the one that decided on a call. */
const VETTING = 'vetting'
/** The person behind an agent, as the one that decided on a call. */
const HUMAN = 'human'

/** Asks whether a call may be made: the vetting function of the agent, and a person if that function or the tool demands it. */
export function* permitCall(state: State, mapped: MappedFunction, { name, args, callId }: Call): Steps<Permission> {
  const call = { name, arguments: args, callId }
  const { beforeToolCall: vet } = state
  const verdict = vet ? yield* askVet(state, vet, { agent: state.name, ...call }) : ALLOWED
  if (typeof verdict === 'string') {
    return { denied: verdict, approval: { allow: false, reason: verdict, by: VETTING } }
  }
  const { needsApproval } = mapped
  const wanted =
    typeof needsApproval === 'function' ? yield* wantsApproval(state, needsApproval, args) : needsApproval === true
  if (verdict === ALLOWED && wanted === false) {
    return { args, approval: vet ? { allow: true, reason: null, by: VETTING } : null }
  }
  const note = typeof wanted === 'string' ? { note: wanted } : {}
  return yield* askPermission(state, { type: 'toolCall', ...call, ...note }, args)
}

/** Asks whether code may run; returns the reason if it may not. */
export function* vetCode(state: State, blocks: readonly CodeBlock[]): Steps<string | undefined> {
  const { beforeCodeExecution: vet } = state
  const verdict = vet ? yield* askVet(state, vet, { agent: state.name, blocks }) : ALLOWED
  if (typeof verdict === 'string') return verdict
  if (verdict === ALLOWED) return undefined
  const permission = yield* askPermission(state, { type: 'code', blocks }, {})
  return 'denied' in permission ? permission.denied : undefined
}

const ALLOWED = Symbol('allowed')
const NEEDS_APPROVAL = Symbol('needs approval')

/** Asks the vetting function of an agent; returns a text with the reason if it denies the action, or could not vet it. */
function* askVet<T>(state: State, vet: Vet<T>, action: T): Steps<string | typeof ALLOWED | typeof NEEDS_APPROVAL> {
  const call = {
    kind: 'vetting',
    label: vet.name || 'a vetting function',
    shape: ATTEMPT_SHAPE,
    agent: state.agent,
    asks: () => ({ action }),
  } as const
  const { said: verdict, failure } = yield* externalCall(call, (context) => attempt(() => vet(action, context)))
  if (failure !== undefined) return `it could not be vetted: ${failure || 'the vetting function failed'}`
  if (verdict === 'allow') return ALLOWED
  if (verdict === 'ask') return NEEDS_APPROVAL
  const reason = (verdict as { deny?: unknown } | null | undefined)?.deny
  return typeof reason === 'string' ? reason : 'it was not allowed'
}

/** Asks whether a tool needs an approval, or what it says about it; yes if its question fails. */
function* wantsApproval(
  state: State,
  needsApproval: Extract<MappedFunction['needsApproval'], Function>,
  args: Record<string, unknown>,
): Steps<boolean | string> {
  const label = 'the question whether a tool needs approval'
  const asks = (): CallInput => ({ arguments: args })
  const call = { kind: 'vetting', label, shape: ATTEMPT_SHAPE, agent: state.agent, asks } as const
  const { said } = yield* externalCall(call, (context) => attempt(() => needsApproval(args, context)))
  return typeof said === 'string' && said !== '' ? said : said !== false
}

/**
 * The answer of a function, or the message of its failure without what looks like a key, since a model may read it: a resumed
 * chat recalls a failure as well, and does not ask again.
 */
interface Attempt {
  readonly said?: unknown
  readonly failure?: string
}

function attempt(ask: () => unknown): MaybePromise<Attempt> {
  const failed = (error: unknown): Attempt => ({ failure: error instanceof Error ? redact(error.message, []) : '' })
  try {
    const said = ask()
    return isThenable(said) ? said.then((answer): Attempt => ({ said: answer }), failed) : { said }
  } catch (error) {
    return failed(error)
  }
}

function* askPermission(state: State, action: ActionToApprove, args: Record<string, unknown>): Steps<Permission> {
  const decision = yield* askApproval(state, action)
  const { by = null } = decision
  if (!decision.allow) {
    const { reason = 'the user said no' } = decision
    return { denied: reason, approval: { allow: false, reason, by } }
  }
  return { args: { ...(decision.arguments ?? args) }, approval: { allow: true, reason: null, by } }
}

/**
 * Asks for a decision: the human at once; with a journal the chat is suspended until somebody decides in that journal, in
 * this process or another.
 */
function* askApproval(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  const { waits, unattended } = scopeIn(yield* currentRun())
  return waits || unattended ? yield* recordedDecision(state, action) : yield* askHuman(state, action)
}

const DECISION = { kind: 'decision', label: 'a decision', shape: DECISION_SHAPE } as const
const QUESTION = { kind: 'question', label: 'the question for a decision', shape: PENDING_APPROVAL_SHAPE } as const

function* recordedDecision(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  const run = yield* currentRun()
  const scope = scopeIn(run)
  const { chatId, agentPath, journal } = scope
  if (!journal?.recorder.waits) throw nobodyToAsk(state, action)
  const { recorder, participants } = journal
  const id = scope.places.take()
  recorder.noteInput?.(id, DECISION, { action })
  const known = recallAnswer(journal, run, id, DECISION)
  if (known) return known.value as ApprovalDecision
  const agent = actorOf(state, scope)
  const pending: PendingApproval = { id, chatId, agentPath: [...agentPath, agent], agent, action }
  yield* keepAnswer({ keep: (value) => recorder.keep(run, { place: id, call: QUESTION, value }) }, pending)
  yield { type: 'approvalRequested', id, agent, action }
  const error = new XError(
    'suspended',
    `the chat waits for a decision on \`${id}\`: ${agent} is about to ${actionText(action)}`,
    { details: { pending } },
  )
  suspendCalls(participants, error, pending)
  throw error
}

/** Returns the name of the agent that acts: the executor of a run acts for the agent of the run. */
function actorOf({ agent, name }: State, { chat }: Scope): string {
  const watch = chat?.watch
  return watch?.endsByItself && watch.user === agent ? watch.agent.name : name
}

/** Makes the error for a question inside a call of which a journal keeps the answer and nothing else, as that of a model. */
const nobodyToAsk = ({ name }: State, action: ActionToApprove): XError =>
  new XError(
    'suspended',
    `nobody is there to decide: ${name} is about to ${actionText(action)}; give the run \`userInput: true\``,
  )

/** Asks the human at once: `yes` allows the action, any other text is the reason to deny it. */
function* askHuman(state: State, action: ActionToApprove): Steps<ApprovalDecision> {
  const prompt = `${state.name} is about to ${actionText(action)} Allow? (yes, or a reason why not): `
  const typed = (yield* humanInput(state, prompt)).trim()
  if (/^y(?:es)?$/iu.test(typed)) return { allow: true, by: HUMAN }
  const reason = typed && !/^no?$/iu.test(typed) ? `the user said: ${typed}` : 'the user said no'
  return { allow: false, reason, by: HUMAN }
}

type ChooseChanges = NonNullable<NonNullable<Parameters<CodeExecutor['executeCodeBlocks']>[1]>['chooseChanges']>

/**
 * Returns a function that asks the person which changes of code come back to a directory of theirs; undefined where nobody can
 * be asked at once. An answer that waits in a journal comes too late: the changes are in the process that ran the code.
 */
export function* personToChoose(state: State): Steps<ChooseChanges | undefined> {
  const { waits, unattended } = scopeIn(yield* currentRun())
  if (state.humanInputMode === 'NEVER' || waits || unattended) return undefined
  const { io, name } = state
  return ({ diff }, { run, signal }) => {
    const prompt = `The code of ${name} has changed files of yours.\n${diff}Write them back? (yes: all, safe: those without a risk, or no): `
    const typed = io.input(prompt, { agent: name, signal, blocking: run?.face === 'sync', run })
    const choose = (answer: string): Awaited<ReturnType<ChooseChanges>> => {
      state.humanInput = [...state.humanInput, answer]
      const word = answer.trim()
      return /^y(?:es)?$/iu.test(word) ? 'all' : /^s(?:afe)?$/iu.test(word) ? 'safe' : 'none'
    }
    return isThenable(typed) ? typed.then(choose) : choose(typed)
  }
}

/** Describes the span of a question to a human. */
export const humanSpan = (
  agent: string,
  prompt: string,
): Pick<AgentSpan<'humanInput', unknown>, 'common' | 'atStart' | 'atEnd'> => ({
  common: { type: 'humanInput', agent },
  atStart: { prompt },
  atEnd: (answer) => ({ answer: typeof answer === 'string' ? answer : null }),
})

/**
 * Asks the human, and keeps the typed text with the agent and with the conversation. Where nobody is there to answer, the
 * question waits in the journal.
 */
export function* humanInput(state: State, prompt: string, conversation?: Conversation): Steps<string> {
  const run = yield* currentRun()
  const typed = scopeIn(run).unattended ? yield* answerLater(state, prompt) : yield* typedNow(state, prompt, run)
  // The text typed in a chat with its own conversations is in the result of the chat only.
  if (!conversation || conversationOf(state, conversation.counterpart) === conversation)
    state.humanInput = [...state.humanInput, typed]
  if (conversation) conversation.humanInput = Object.freeze([...conversation.humanInput, typed])
  return typed
}

function* answerLater(state: State, prompt: string): Steps<string> {
  const decision = yield* recordedDecision(state, { type: 'question', prompt })
  return (decision.allow ? decision.answer : decision.reason) ?? ''
}

function typedNow({ agent, io, name }: State, prompt: string, { face }: Run): Steps<string> {
  const call = {
    kind: 'human',
    label: 'the human input',
    shape: HUMAN_INPUT_SHAPE,
    agent,
    asks: () => ({ prompt }),
    span: humanSpan(name, prompt),
  } as const
  const blocking = face === 'sync'
  return externalCall(call, ({ signal, run }) => io.input(prompt, { agent: name, signal, blocking, run }))
}
