import { expect, it } from 'vitest'
import { consoleText } from './console-io.ts'

type GroupEvent = Parameters<typeof consoleText>[0]

const attempt = { agent: null, mentions: { a: 2, b: 1 }, attempt: 1, attemptsLeft: 2 } as const
const origin = { runId: 'r', seq: 0, time: 0, chatId: '1', agentPath: null, parentId: null } as const

it.each<[GroupEvent, string]>([
  [{ ...origin, type: 'groupChatRunChat', agent: 'b', speaker: 'b', round: 2, reason: 'auto' }, '>>> next speaker: b'],
  [
    { ...origin, type: 'groupChatResume', agent: 'm', lastSpeaker: 'b', messages: [{ content: 'hi' }] },
    '>>> the chat goes on behind 1 message(s), the last of b',
  ],
  [
    { ...origin, type: 'clearAgentsHistory', agent: null, nrMessagesToPreserve: null },
    '>>> the history of all agents is cleared',
  ],
  [
    { ...origin, type: 'clearAgentsHistory', agent: 'b', nrMessagesToPreserve: 2 },
    '>>> the history of b is cleared, but for the newest 2 message(s)',
  ],
  [{ ...origin, type: 'selectSpeaker', agent: null, agents: ['a', 'b'] }, 'Who speaks next?\n1: a\n2: b'],
  [{ ...origin, type: 'selectSpeakerInvalidInput', agent: null, agents: ['a', 'b'] }, '>>> type a number from 1 to 2'],
  [
    { ...origin, type: 'selectSpeakerTryCountExceeded', agent: null, tryCount: 3, agents: ['a'] },
    '>>> no speaker was chosen; the next in order speaks',
  ],
  [{ ...origin, type: 'speakerAttemptSuccessful', ...attempt, mentions: { a: 1 } }, '>>> the model chose a'],
  [
    { ...origin, type: 'speakerAttemptFailedMultipleAgents', ...attempt },
    '>>> the model named several speakers: a, b; attempts left: 2',
  ],
  [
    { ...origin, type: 'speakerAttemptFailedNoAgents', ...attempt, mentions: {} },
    '>>> the model named no speaker; attempts left: 2',
  ],
])('%j is shown as %j', (event, text) => {
  expect(consoleText(event)).toBe(text)
})
