import type { ChatResult, QueuedChat } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../agent/conversable-agent.ts'
import { recordingIo } from '../recording-io.fake.ts'
import { initiateChats, initiateChatsSync } from './queue.steps.ts'

const agent = (name: string): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: 'NEVER', defaultAutoReply: `from ${name}`, io: recordingIo() })

const queueOf = (sender: ConversableAgent): QueuedChat[] =>
  ['a', 'b', 'c'].map((name) => ({ sender, recipient: agent(name), message: 'hi', maxTurns: 1 }))

const places = (results: Iterable<ChatResult>): unknown[] =>
  [...results].map(({ position, summary }) => [position, summary])

const IN_ORDER = [
  [0, 'from a'],
  [1, 'from b'],
  [2, 'from c'],
]

describe('the result of a chat of a queue', () => {
  it('tells its position where no chat has a `chatId`', async () => {
    const sender = agent('sender')
    expect(places(initiateChatsSync(queueOf(sender)))).toEqual(IN_ORDER)
    expect(places(sender.initiateChatsSync(queueOf(sender)))).toEqual(IN_ORDER)
    const alone = await sender.initiateChat(agent('d'), { message: 'hi', maxTurns: 1 })
    expect(alone).not.toHaveProperty('position')
  })

  it('tells its position where a chat waits for a later one', async () => {
    const sender = agent('sender')
    const queue = queueOf(sender).map((chat, index) => ({
      ...chat,
      chatId: 7 - index,
      prerequisites: index ? [] : [5],
    }))
    for (const results of [await initiateChats(queue), await sender.initiateChats(queue)]) {
      expect([...results.entries()].map(([id, { chatId, position }]) => [id, chatId, position])).toEqual([
        [5, 5, 2],
        [7, 7, 0],
        [6, 6, 1],
      ])
    }
  })
})
