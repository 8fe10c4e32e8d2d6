import type { ActionToApprove, ChatMessage, HistoryCutReport, Io, UsageSummary, XEvent } from '@x/interfaces'
import { textOfResult } from '../data/message.ts'
import { readLine, readLineNow } from './read-line.ts'

/** Consoles that show events, shared by agents: an idle one takes little memory. */
const sharedConsoles = new WeakMap<object, Io>()

/** The same for silent agents, by what shows all events. */
const silentConsoles = new WeakMap<Io, Io>()

/** Shows events on the console and asks a human at the terminal. */
export function consoleIo(): Io {
  const { console: out } = globalThis
  const shared = sharedConsoles.get(out)
  if (shared) return shared
  const io: Io = Object.freeze({
    takes: PRINTED_EVENT_TYPES,
    send(event: XEvent) {
      const text = consoleText(event)
      if (text === undefined) return
      if (event.type === 'warning') out.warn(printable(text))
      else out.log(printable(text))
    },
    // What models wrote is in prompts too, as in the question whether a call may be made.
    input: (prompt, options = {}) =>
      options.blocking ? readLineNow(printable(prompt), options) : readLine(printable(prompt), options),
  } satisfies Io)
  sharedConsoles.set(out, io)
  return io
}

/** The text of each event that a person reads on the console, by its type; an event without a text is not printed. */
const CONSOLE_TEXTS: ConsoleTexts = {
  receivedMessage: ({ sender, recipient, message }) =>
    `${sender} (to ${recipient}):\n\n${printedMessage(message)}\n\n${'-'.repeat(80)}`,
  executeFunction: (event) => `>>> ${event.recipient} calls ${event.funcName}(${JSON.stringify(event.arguments)})`,
  executedFunction: ({ funcName, content }) => `>>> ${funcName} gave ${content}`,
  executeCodeBlock: ({ recipient, codeBlockCount, language }) =>
    `>>> ${recipient} runs code block ${codeBlockCount} (${language})`,
  usingAutoReply: ({ recipient }) => `>>> ${recipient} answers by itself`,
  terminationAndHumanReply: ({ noHumanInputMsg }) => `>>> ${noHumanInputMsg}`,
  clearConversableAgentHistory: ({ agent, noMessagesPreserved }) =>
    noMessagesPreserved > 0
      ? `>>> ${agent} kept ${noMessagesPreserved} further message(s), so that tool results stay with their calls`
      : undefined,
  clearConversableAgentHistoryWarning: ({ recipient }) =>
    `>>> ${recipient} cleared one conversation, and the number of messages to keep was ignored`,
  conversableAgentUsageSummary: ({ recipient }) => `Agent '${recipient}':`,
  conversableAgentUsageSummaryNoCostIncurred: ({ recipient }) => `Agent '${recipient}' has no model and no cost.`,
  usageSummary: usageText,
  groupChatRunChat: ({ speaker }) => `>>> next speaker: ${speaker}`,
  groupChatResume: ({ messages, lastSpeaker }) =>
    `>>> the chat goes on behind ${messages.length} message(s), the last of ${lastSpeaker}`,
  clearAgentsHistory: ({ agent, nrMessagesToPreserve: kept }) =>
    `>>> the history of ${agent ?? 'all agents'} is cleared${kept ? `, but for the newest ${kept} message(s)` : ''}`,
  selectSpeaker: ({ agents }) =>
    ['Who speaks next?', ...agents.map((name, index) => `${index + 1}: ${name}`)].join('\n'),
  selectSpeakerInvalidInput: ({ agents }) => `>>> type a number from 1 to ${agents.length}`,
  selectSpeakerTryCountExceeded: () => '>>> no speaker was chosen; the next in order speaks',
  speakerAttemptSuccessful: ({ mentions }) => `>>> the model chose ${Object.keys(mentions).join(', ')}`,
  speakerAttemptFailedMultipleAgents: ({ mentions, attemptsLeft }) =>
    `>>> the model named several speakers: ${Object.keys(mentions).join(', ')}; attempts left: ${attemptsLeft}`,
  speakerAttemptFailedNoAgents: ({ attemptsLeft }) => `>>> the model named no speaker; attempts left: ${attemptsLeft}`,
  approvalRequested: ({ agent, id, action }) => `>>> ${agent} waits for a decision on ${id}: ${actionText(action)}`,
  steeringMessage: ({ agent, text }) => `>>> message to the run, for ${agent}: ${text}`,
  historyCut: (event) => `>>> ${cutText(event)}`,
  warning: ({ text }) => `warning: ${text}`,
}

type ConsoleTexts = { readonly [T in XEvent['type']]?: (event: Extract<XEvent, { type: T }>) => string | undefined }

/** Types of events that the console prints. */
const PRINTED_EVENT_TYPES: ReadonlySet<XEvent['type']> = new Set(Object.keys(CONSOLE_TEXTS) as XEvent['type'][])

/** Returns an event as a person reads it; undefined for an event that only programs need. */
export const consoleText = (event: XEvent): string | undefined =>
  (CONSOLE_TEXTS[event.type] as ((event: XEvent) => string | undefined) | undefined)?.(event)

function printedMessage({ content, tool_calls: calls = [], function_call: call }: ChatMessage): string {
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
  const { models, totalCost, unpriced = [] } = summary
  const rows = Object.entries(models).map(
    ([model, { cost, promptTokens, completionTokens, totalTokens }]) =>
      `  ${model}: ${costText(cost, unpriced.includes(model))}, ${promptTokens} + ${completionTokens} = ${totalTokens} tokens`,
  )
  return [`Usage ${title}: ${costText(totalCost, unpriced.length > 0)}`, ...rows].join('\n')
}

/** Formats a cost in US dollars; one of requests whose price is not known counts as 0, which it may not be. */
function costText(cost: number, isUnpriced: boolean): string {
  if (!isUnpriced) return `$${cost.toFixed(6)}`
  return cost === 0 ? 'price unknown' : `at least $${cost.toFixed(6)}`
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

/** True if the `io` is the console, so that its events are printed. */
export const isConsole = ({ takes }: Io): boolean => takes === PRINTED_EVENT_TYPES

/** Topics of warnings that concern money or correctness: they are told also where the agents are silent. */
export const UNSILENCED_TOPICS: ReadonlySet<string> = new Set([
  // What is paid, or paid again.
  'budget',
  'cache',
  'empty-auto-reply',
  'max_tokens',
  'price',
  'timeout',
  'unpriced',
  'usage',
  // What a model or a caller did not get, or got otherwise than written.
  'content',
  'empty-answer',
  'history',
  'lost-run',
  'mcp-tools-changed',
  'own-function',
  'parameter',
  'search',
  'summary',
  'tool-fault',
  'tool_choice',
  'tools',
])

/** The `io` of a silent agent's model: a console prints the usage that somebody asks for, and only warnings that matter. */
export const silentIo = (io: Io): Io => {
  if (!isConsole(io)) return io
  const known = silentConsoles.get(io)
  if (known) return known
  const isSilent = (event: XEvent): boolean => event.type === 'warning' && !UNSILENCED_TOPICS.has(event.topic)
  const silent: Io = Object.freeze({ ...io, send: (event: XEvent) => (isSilent(event) ? undefined : io.send(event)) })
  silentConsoles.set(io, silent)
  return silent
}

/** Says in a line what a cut of a history has left out. */
function cutText(event: HistoryCutReport & { readonly agent: string }): string {
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
  if (action.type === 'question') return `ask: ${action.prompt}`
  if (action.type === 'toolCall') {
    return `call ${action.name}(${JSON.stringify(action.arguments)})${action.note === undefined ? '' : ` (${action.note})`}`
  }
  const blocks = action.blocks.map(({ language, code }) => `\n[${language}]\n${code}`).join('\n')
  return `run this code:${blocks}\n`
}
