import type { XEvent } from '@x/interfaces'

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
