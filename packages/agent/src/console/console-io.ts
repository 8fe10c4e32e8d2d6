import type { ActionToApprove, ChatMessage, HistoryCutReport, Io, UsageSummary, XEvent } from '@x/interfaces'
import { textOfResult } from '../data/message.ts'
import { readLine, readLineNow } from './read-line.ts'

/** Shows events on the console and asks a human at the terminal. */
export function consoleIo(): Io {
  const { console: out } = globalThis
  return {
    takes: PRINTED_EVENT_TYPES,
    send(event) {
      const text = shown(event)
      if (text === undefined) return
      if (event.type === 'warning') out.warn(printable(text))
      else out.log(printable(text))
    },
    // What models wrote is in prompts too, as in the question whether a call may be made.
    input: (prompt, options = {}) =>
      options.blocking ? readLineNow(printable(prompt), options) : readLine(printable(prompt), options),
  }
}

/** An event as a person reads it; nothing for those that only programs need. */
function shown(event: XEvent): string | undefined {
  switch (event.type) {
    case 'receivedMessage':
      return `${event.sender} (to ${event.recipient}):\n\n${messageText(event.message)}\n\n${'-'.repeat(80)}`
    case 'executeFunction':
      return `>>> ${event.recipient} calls ${event.funcName}(${JSON.stringify(event.arguments)})`
    case 'executedFunction':
      return `>>> ${event.funcName} gave ${event.content}`
    case 'executeCodeBlock':
      return `>>> ${event.recipient} runs code block ${event.codeBlockCount} (${event.language})`
    case 'usingAutoReply':
      return `>>> ${event.recipient} answers by itself`
    case 'terminationAndHumanReply':
      return `>>> ${event.noHumanInputMsg}`
    case 'clearConversableAgentHistory':
      return event.noMessagesPreserved > 0
        ? `>>> ${event.agent} kept ${event.noMessagesPreserved} further message(s), so that tool results stay with their calls`
        : undefined
    case 'clearConversableAgentHistoryWarning':
      return `>>> ${event.recipient} cleared one conversation, and the number of messages to keep was ignored`
    case 'conversableAgentUsageSummary':
      return `Agent '${event.recipient}':`
    case 'conversableAgentUsageSummaryNoCostIncurred':
      return `Agent '${event.recipient}' has no model and no cost.`
    case 'usageSummary':
      return usageText(event)
    case 'groupChatRunChat':
    case 'groupChatResume':
    case 'clearAgentsHistory':
    case 'selectSpeaker':
    case 'selectSpeakerInvalidInput':
    case 'selectSpeakerTryCountExceeded':
    case 'speakerAttemptSuccessful':
    case 'speakerAttemptFailedMultipleAgents':
    case 'speakerAttemptFailedNoAgents':
      return groupText(event)
    case 'approvalRequested':
      return `>>> ${event.agent} waits for a decision on ${event.id}: ${actionText(event.action)}`
    case 'historyCut':
      return `>>> ${cutText(event)}`
    case 'warning':
      return `warning: ${event.text}`
    default:
      return undefined
  }
}

function messageText({ content, tool_calls: calls = [], function_call: call }: ChatMessage): string {
  const text = Array.isArray(content)
    ? content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`)).join('\n')
    : textOfResult(content)
  const asked = [...(call ? [call] : []), ...calls.map((each) => each.function)]
  return [...(text ? [text] : []), ...asked.map((each) => `calls ${each.name}(${each.arguments})`)].join('\n')
}

function usageText({ mode, actualUsageSummary, totalUsageSummary }: Extract<XEvent, { type: 'usageSummary' }>): string {
  const lines: string[] = []
  if (mode !== 'total') lines.push(summaryText('without cached answers', actualUsageSummary))
  if (mode !== 'actual') lines.push(summaryText('with cached answers', totalUsageSummary))
  return lines.join('\n')
}

function summaryText(title: string, summary: UsageSummary | null): string {
  if (!summary) return `Usage ${title}: none.`
  const rows = Object.entries(summary.models).map(
    ([model, { cost, promptTokens, completionTokens, totalTokens }]) =>
      `  ${model}: $${cost.toFixed(6)}, ${promptTokens} + ${completionTokens} = ${totalTokens} tokens`,
  )
  return [`Usage ${title}: $${summary.totalCost.toFixed(6)}`, ...rows].join('\n')
}

// Joiners and selectors belong to emoji and to scripts: they stay behind what they can shape, one of each.
const JOINER_CHARACTERS = String.raw`\u200C\u200D`
const SELECTOR_CHARACTERS = String.raw`\u180B-\u180D\uFE00-\uFE0F\u{E0100}-\u{E01EF}`

/** Control characters but tab and line feed, what turns the direction of writing round, and what nobody sees. */
const HARMFUL_CHARACTERS = new RegExp(
  [
    String.raw`[\p{Cc}--[\t\n]]`,
    String.raw`[[\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB]--[${JOINER_CHARACTERS}${SELECTOR_CHARACTERS}]]`,
    String.raw`(?<=[\0-\x7F${JOINER_CHARACTERS}])[${JOINER_CHARACTERS}]`,
    String.raw`(?<=[\0-\x7F${JOINER_CHARACTERS}${SELECTOR_CHARACTERS}])(?!\uFE0F\u20E3)[${SELECTOR_CHARACTERS}]`,
  ].join('|'),
  'gv',
)

/**
 * A text that models, tools or files wrote, as a terminal may show it: no character of it starts an escape sequence, moves
 * the cursor, turns text round or is invisible; a picture stands in its place. It needs no memory, so pieces may be cut
 * anywhere.
 */
export const printable = (text: string): string => text.replaceAll(HARMFUL_CHARACTERS, picture)

function picture(character: string): string {
  const code = character.charCodeAt(0)
  if (character === '\r') return ''
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  return code === 0x7f ? '\u2421' : '\uFFFD'
}

/** Types of events that the console shows: those that a person reads. */
export const PRINTED_EVENT_TYPES: ReadonlySet<XEvent['type']> = new Set([
  'receivedMessage',
  'executeFunction',
  'executedFunction',
  'executeCodeBlock',
  'usingAutoReply',
  'terminationAndHumanReply',
  'clearConversableAgentHistory',
  'clearConversableAgentHistoryWarning',
  'conversableAgentUsageSummary',
  'conversableAgentUsageSummaryNoCostIncurred',
  'usageSummary',
  'groupChatRunChat',
  'groupChatResume',
  'clearAgentsHistory',
  'selectSpeaker',
  'selectSpeakerInvalidInput',
  'selectSpeakerTryCountExceeded',
  'speakerAttemptSuccessful',
  'speakerAttemptFailedMultipleAgents',
  'speakerAttemptFailedNoAgents',
  'approvalRequested',
  'historyCut',
  'warning',
])

/** Whether what is sent to an `io` is printed on the console. */
export const isConsole = ({ takes }: Io): boolean => takes === PRINTED_EVENT_TYPES

/** The `io` of a silent agent's model: a console prints the usage that somebody asks for, and no warnings. */
export const silentIo = (io: Io): Io =>
  isConsole(io) ? { ...io, send: (event) => (event.type === 'warning' ? undefined : io.send(event)) } : io

/** An event of a group chat. */
type GroupEvent = Extract<
  XEvent,
  {
    type:
      | 'groupChatRunChat'
      | 'groupChatResume'
      | 'clearAgentsHistory'
      | 'selectSpeaker'
      | 'selectSpeakerInvalidInput'
      | 'selectSpeakerTryCountExceeded'
      | 'speakerAttemptSuccessful'
      | 'speakerAttemptFailedMultipleAgents'
      | 'speakerAttemptFailedNoAgents'
  }
>

/** Formats an event of a group chat for a person. */
export function groupText(event: GroupEvent): string {
  switch (event.type) {
    case 'groupChatRunChat':
      return `>>> next speaker: ${event.speaker}`
    case 'groupChatResume':
      return `>>> the chat goes on behind ${event.messages.length} message(s), the last of ${event.lastSpeaker}`
    case 'clearAgentsHistory':
      return `>>> the history of ${event.agent ?? 'all agents'} is cleared${kept(event.nrMessagesToPreserve)}`
    case 'selectSpeaker':
      return ['Who speaks next?', ...event.agents.map((name, index) => `${index + 1}: ${name}`)].join('\n')
    case 'selectSpeakerInvalidInput':
      return `>>> type a number from 1 to ${event.agents.length}`
    case 'selectSpeakerTryCountExceeded':
      return '>>> no speaker was chosen; the next in order speaks'
    case 'speakerAttemptSuccessful':
      return `>>> the model chose ${Object.keys(event.mentions).join(', ')}`
    case 'speakerAttemptFailedMultipleAgents':
      return `>>> the model named several speakers: ${Object.keys(event.mentions).join(', ')}; attempts left: ${event.attemptsLeft}`
    case 'speakerAttemptFailedNoAgents':
      return `>>> the model named no speaker; attempts left: ${event.attemptsLeft}`
  }
}

const kept = (count: number | null): string => (count ? `, but for the newest ${count} message(s)` : '')

/** Says in a line what a cut of a history has left out. */
export function cutText(event: HistoryCutReport & { readonly agent: string }): string {
  const { agent, leftOut, summarized, cleared, shortened, tokensBefore, tokensAfter, reason } = event
  const parts = [
    ...(summarized > 0 ? [`${summarized} messages summed up`] : []),
    ...(leftOut > summarized ? [`${leftOut - summarized} left out`] : []),
    ...(cleared > 0 ? [`${cleared} cleared`] : []),
    ...(shortened > 0 ? [`${shortened} shortened`] : []),
  ]
  const why = reason === 'overflow' ? ', since the provider refused more' : ''
  return `the history of ${agent} was cut: ${parts.join(', ')} (about ${tokensBefore} tokens before, ${tokensAfter} after${why})`
}

/** Describes a pending action for the person who decides on it. */
export function actionText(action: ActionToApprove): string {
  if (action.type === 'toolCall') return `call ${action.name}(${JSON.stringify(action.arguments)})`
  const blocks = action.blocks.map(({ language, code }) => `\n[${language}]\n${code}`).join('\n')
  return `run this code:${blocks}\n`
}
