// Events as several processes, parallel runs and sparing models tell them.
import type { EventEnvelope, XEvent } from '@x/interfaces'

const ENVELOPE: EventEnvelope = { runId: 'run', seq: 0, time: 7, chatId: '1', agentPath: ['bot'], parentId: null }
export const make = (type: XEvent['type'], fields: object): XEvent =>
  ({ ...ENVELOPE, type, agent: 'bot', ...fields }) as unknown as XEvent
export const ENDED = { ms: 3, outcome: 'ok', error: null }

const chat = { id: '1.chat', agent: 'user', recipient: 'bot' }
export const chatStart = (fields = {}): XEvent => make('chatStart', { ...chat, ...fields })
export const chatEnd = (fields = {}): XEvent =>
  make('chatEnd', { ...ENDED, ...chat, terminationReason: 'answered', ...fields })
export const reply = (id: string, fields = {}): XEvent => make('replyStart', { id, parentId: '1.chat', ...fields })
export const replyEnd = (id: string, fields = {}): XEvent =>
  make('replyEnd', { ...ENDED, id, parentId: '1.chat', reply: null, ...fields })
export const callStart = (id: string, parentId = 'reply', fields = {}): XEvent =>
  make('modelCallStart', { id, parentId, ...fields })
export const callEnd = (id: string, parentId = 'reply', fields = {}): XEvent =>
  make('modelCallEnd', {
    ...ENDED,
    id,
    parentId,
    message: 'x',
    details: null,
    finishReason: 'stop',
    usage: null,
    ...fields,
  })
export const begin = (parentId: string): XEvent => make('answerBegin', { parentId, responseId: 'r', model: 'm' })
export const text = (parentId: string, piece: string): XEvent => make('textDelta', { parentId, index: 0, text: piece })
export const reasoning = (parentId: string, piece: string): XEvent =>
  make('reasoningDelta', { parentId, index: 0, text: piece })
export const input = (parentId: string, callId: string, piece: string): XEvent =>
  make('toolInputDelta', { parentId, index: 0, call: 0, callId, name: 'look', text: piece })
