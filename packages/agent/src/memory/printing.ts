import type { Io, XEvent } from '@x/interfaces'

/** Types of events that the console shows: those that a person reads. */
export const PRINTED: ReadonlySet<XEvent['type']> = new Set([
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
export const isConsole = ({ takes }: Io): boolean => takes === PRINTED

/** The `io` of a silent agent's model: a console prints the usage that somebody asks for, and no warnings. */
export const silentIo = (io: Io): Io =>
  isConsole(io) ? { ...io, send: (event) => (event.type === 'warning' ? undefined : io.send(event)) } : io
