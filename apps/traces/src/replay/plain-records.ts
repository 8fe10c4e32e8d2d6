import type { EventEnvelope, LogRecord, ModelAnswer, XEvent } from '@x/interfaces'
import { plain, plainUsage } from './plain.ts'
import { snakeCase, withKeys } from './spelling.ts'
import type { Facts } from './trace.ts'

/** The types of the events that the reference sends too. */
const RECORDED = {
  receivedMessage: true,
  usageSummary: true,
  conversableAgentUsageSummary: true,
  conversableAgentUsageSummaryNoCostIncurred: true,
  clearConversableAgentHistory: true,
  clearConversableAgentHistoryWarning: true,
  terminationAndHumanReply: true,
  usingAutoReply: true,
  executeCodeBlock: true,
  executeFunction: true,
  executedFunction: true,
  groupChatRunChat: true,
  groupChatResume: true,
  clearAgentsHistory: true,
  selectSpeaker: true,
  selectSpeakerInvalidInput: true,
  selectSpeakerTryCountExceeded: true,
  speakerAttemptSuccessful: true,
  speakerAttemptFailedMultipleAgents: true,
  speakerAttemptFailedNoAgents: true,
} satisfies Partial<Record<XEvent['type'], true>>

/** Fields that name an agent; the reference has them with `_name`. */
const AGENT_FIELDS: Readonly<Record<string, string>> = {
  sender: 'sender_name',
  recipient: 'recipient_name',
  agent: 'agent_name',
  speaker: 'speaker_name',
  lastSpeaker: 'last_speaker_name',
  agents: 'agent_names',
}

/** The fields of every event, which are ours alone. */
const ENVELOPE = {
  runId: true,
  seq: true,
  time: true,
  chatId: true,
  agentPath: true,
  parentId: true,
  recalled: true,
} satisfies Record<keyof EventEnvelope, true>

/** Fields of ours alone. */
const OWN_FIELDS: ReadonlySet<string> = new Set([...Object.keys(ENVELOPE), 'round', 'reason'])

/** Events that say which agent they are about; of others the field is ours alone. */
const ABOUT_AN_AGENT: ReadonlySet<string> = new Set(['clearConversableAgentHistory', 'clearAgentsHistory'])

/** An event in the spelling of the traces; none for those that the reference does not have. */
export function plainEvent(event: XEvent): Facts | undefined {
  if (!Object.hasOwn(RECORDED, event.type)) return undefined
  if (event.type === 'receivedMessage') {
    const { sender, recipient, message, silent } = event
    // The reference sends no event of a silent message.
    if (silent) return undefined
    return { type: 'received', sender_name: sender, recipient_name: recipient, content: plain(message.content) }
  }
  if (event.type === 'usageSummary') {
    const { actualUsageSummary: actual, totalUsageSummary: total, mode } = event
    return { type: 'usage_summary', actual: plainUsage(actual), total: plainUsage(total), mode }
  }
  // Which agent it is about is ours alone but for two events.
  const { type, agent, ...others } = event
  const fields = ABOUT_AN_AGENT.has(type) ? { agent, ...others } : others
  const theirs = Object.fromEntries(Object.entries(fields).filter(([key]) => !OWN_FIELDS.has(key)))
  const facts = withKeys(theirs, (key) => AGENT_FIELDS[key] ?? snakeCase(key))
  return { type: snakeCase(type), ...(plain(facts) as Facts) }
}

/** A log record in the spelling of the traces; none for those that were not recorded. */
export function plainLogRecord(record: LogRecord): Facts | undefined {
  switch (record.record) {
    case 'newWrapper':
      return { record: 'new wrapper' }
    case 'cacheSeedValue':
      return undefined
    case 'chatCompletion': {
      const { model: _, messages, ...rest } = record.request
      const request = rest['prompt'] === undefined ? { messages, ...rest } : rest
      return {
        record: 'chat completion',
        source: record.agent,
        request: plain(request),
        response: plain(textOf(record.response)),
        is_cached: record.isCached,
        cost: record.cost,
      }
    }
    case 'replyFuncExecuted':
      return {
        record: 'reply_func_executed',
        source: record.source,
        reply_func_name: snakeCase(record.replyFuncName),
        final: record.final,
        reply: plain(record.reply),
      }
  }
}

/** The text of an answer; what is no answer stays as it is. */
export function textOf(response: unknown): unknown {
  const answer = response as Partial<ModelAnswer> | null
  return answer?.choices ? (answer.choices[0]?.message.content ?? null) : response
}
