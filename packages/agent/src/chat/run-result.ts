import type { ChatMessage, PendingApproval, TerminationReason, ToolCall, UsageSummary } from '@x/interfaces'
import type { ChatJournal } from '../durability/chat-journal.ts'
import { contentText as textOfContent } from '@x/kernel/tool-content'
import { contentText, TERMINATION_WORD, unrolled } from '../data/message.ts'
import { callArguments } from '../reply/tools.steps.ts'

/** The outcome of a `run`. */
export interface RunResult<T = null> {
  /** The answer as text; empty for a run that ended without one, as while it waits for a decision. */
  readonly text: string
  /**
   * All messages, oldest first, as the model has them: those that the run was given, the question, calls with their results,
   * the answer. Plain JSON: store them, and hand them in again with the next question, as in
   * `run([...messages, { role: 'user', content }])`.
   */
  readonly messages: readonly ChatMessage[]
  /** The checked value of a run with a `result`, otherwise null. While such a run waits for a decision, reading it is an error. */
  readonly result: T
  /** The calls of this run, in the order in which the model made them. */
  readonly toolCalls: readonly RunToolCall[]
  /** Tokens of the requests that the run and everything in it sent; an answer from a cache has none. */
  readonly usage: RunUsage
  /** Price of these requests in US dollars; a model without a known price counts as 0, and a warning says so. */
  readonly cost: number
  /** Why the run ended: `answered`, `result`, `suspended`, `budget`, `max-turns`, … */
  readonly terminationReason: TerminationReason
  /** The decisions that a `suspended` run waits for; otherwise empty. */
  readonly pending: readonly PendingApproval[]
  /**
   * The journal of a `suspended` run: decide in it on what is pending, as in `journal.decide(id, { allow: true })`, and call
   * `run` again with the same question and this `journal`; its `saveState()` is JSON for another process. Null for a run that
   * has ended, and for one in a journal of another make.
   */
  readonly journal: ChatJournal | null
}

/** A call of a tool in a run. */
export interface RunToolCall {
  /** Identifier that the model gave the call; null if it gave none. */
  readonly id: string | null
  readonly name: string
  /** The arguments; null if their JSON could not be read. */
  readonly arguments: Readonly<Record<string, unknown>> | null
  /** The result as the model reads it, an error included; null for a call that was not answered. */
  readonly result: string | null
}

/** Tokens that a run used. */
export interface RunUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  /** The same with the cost of each model, by its name. */
  readonly models: UsageSummary['models']
}

/** A run that has ended, as its result is read from it. */
interface EndedRun<T> {
  /** The messages as the agent has them. */
  readonly messages: readonly ChatMessage[]
  /** Number of messages before those of the run. */
  readonly before: number
  /** The message with the answer; default: the last one. */
  readonly answer?: ChatMessage | undefined
  /** Sum of what the answers used. */
  readonly used: UsageSummary
  readonly terminationReason: TerminationReason
  readonly result: T
  /** The error of reading the result of a run that should give one and waits for a decision. */
  readonly unfinished: Error | undefined
  readonly pending: readonly PendingApproval[]
  readonly journal: ChatJournal | null
}

/** Makes the result of a run. */
export function runResultOf<T>(ended: EndedRun<T>): RunResult<T> {
  const { messages, before, answer, used, terminationReason, result, unfinished, pending, journal } = ended
  const isSuspended = terminationReason === 'suspended'
  const own = messages.slice(before).flatMap(unrolled)
  const whole: RunResult<T> = {
    text: isSuspended ? '' : answerText(answer ?? own.at(-1)),
    messages: Object.freeze(messages.slice(0, before).flatMap(unrolled).concat(own)),
    result,
    toolCalls: Object.freeze(callsIn(own)),
    usage: usageOf(used),
    cost: used.totalCost,
    terminationReason,
    pending: isSuspended ? pending : [],
    journal,
  }
  if (!unfinished) return whole
  const fail = (): never => {
    throw unfinished
  }
  // Not among the fields that a copy or JSON takes.
  return Object.defineProperty(whole, 'result', { get: fail, enumerable: false })
}

/** Returns the text of an answer, without the word that ends a chat; empty for a call and for what is not of the agent. */
function answerText(message: ChatMessage | undefined): string {
  if (!message || message.role !== 'assistant' || message.tool_calls || message.function_call) return ''
  const text = contentText(message)
  const trimmed = text.trimEnd()
  return trimmed.endsWith(TERMINATION_WORD) ? trimmed.slice(0, -TERMINATION_WORD.length).trimEnd() : text
}

/** Lists the calls in messages, each with its result. */
function callsIn(messages: readonly ChatMessage[]): RunToolCall[] {
  const results = new Map<string, string>()
  for (const message of messages)
    if (message.tool_call_id !== undefined) results.set(message.tool_call_id, textOfContent(message.content))
  const read = ({ id, function: call }: ToolCall): RunToolCall => {
    const args = callArguments(call?.arguments)
    return {
      id: id ?? null,
      name: call?.name ?? '',
      arguments: 'value' in args ? args.value : null,
      result: (id === undefined ? undefined : results.get(id)) ?? null,
    }
  }
  return messages.flatMap(({ tool_calls: calls }) => (calls ?? []).map(read))
}

function usageOf({ models }: UsageSummary): RunUsage {
  const sum = { promptTokens: 0, completionTokens: 0, totalTokens: 0 }
  for (const used of Object.values(models)) {
    sum.promptTokens += used.promptTokens
    sum.completionTokens += used.completionTokens
    sum.totalTokens += used.totalTokens
  }
  return { ...sum, models }
}
