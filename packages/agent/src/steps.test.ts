import type { ReplyOutcome } from '@x/interfaces'
import { wait } from '@x/kernel'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from './index.ts'
import { recordingIo } from './recording-io.fake.ts'
import { generateReply, initiateChat, internalsOf } from './steps.ts'
import { stepsReply } from './options/operations.ts'

const agent = (name: string, defaultAutoReply = `from ${name}`): ConversableAgent =>
  new ConversableAgent({ name, humanInputMode: 'NEVER', defaultAutoReply, io: recordingIo() })

describe('a reply function in steps', () => {
  const echo = stepsReply('echo', function* (its, { messages, sender, config }) {
    const content = yield* wait(messages.at(-1)?.content as string, 'an echo')
    yield {
      type: 'warning',
      agent: its.name,
      topic: 'echo',
      text: `${its.name} to ${sender?.name}: ${JSON.stringify(config)}`,
    }
    return [true, `${content}, ${content}`] satisfies ReplyOutcome
  })

  it('answers in all three faces, with its config and its events', async () => {
    const asked = agent('asked')
    asked.registerReply('user', echo, { config: { loud: false } })
    const user = agent('user')
    const messages = [{ role: 'user', content: 'hi' } as const]
    expect(asked.generateReplySync({ messages, sender: user })).toBe('hi, hi')
    expect(await asked.generateReply({ messages, sender: user })).toBe('hi, hi')
    const stream = asked.generateReplyStream({ messages, sender: user })
    const events = []
    for await (const event of stream) events.push(event)
    expect(events).toContainEqual(expect.objectContaining({ text: 'asked to user: {"loud":false}' }))
    expect(await stream.result).toBe('hi, hi')
  })

  it('is not asked when it says that it does not apply, and is told of the agent', () => {
    let steps = 0
    const its = agent('asked')
    const never = stepsReply(
      'never',
      function* () {
        steps += yield* wait(1, 'a step')
        return [true, 'never'] satisfies ReplyOutcome
      },
      { applies: ({ messages }, of) => of !== its || messages.length > 1 },
    )
    its.registerReply(() => true, never)
    expect(its.generateReplySync({ messages: [{ role: 'user', content: 'hi' }] })).toBe('from asked')
    expect(steps).toBe(0)
  })

  it('is replaced and left out by its value, as any other', () => {
    const its = agent('asked')
    its.registerReply(() => true, echo)
    const messages = [{ role: 'user', content: 'hi' } as const]
    expect(its.generateReplySync({ messages, exclude: [echo] })).toBe('from asked')
    its.replaceReplyFunc(echo, () => [true, 'other'])
    expect(its.generateReplySync({ messages })).toBe('other')
  })

  it('may chat itself, in the run that it belongs to', async () => {
    const [user, asked, helper] = [agent('user'), agent('asked'), agent('helper', 'helped')]
    const askHelper = stepsReply('askHelper', function* (its, { messages }) {
      const { summary } = yield* initiateChat(its, helper, { message: messages.at(-1)!, maxTurns: 1 })
      const again = yield* generateReply(helper, { messages })
      return [true, `${JSON.stringify(summary)} ${JSON.stringify(again)}`] satisfies ReplyOutcome
    })
    asked.registerReply(user, askHelper)
    const summary = '"helped" "helped"'
    expect(user.initiateChatSync(asked, { message: 'hi', maxTurns: 1 }).summary).toBe(summary)
    expect((await user.initiateChat(asked, { message: 'hi', maxTurns: 1 })).summary).toBe(summary)
    expect(helper.chatMessages.get(asked)).toHaveLength(2)
  })

  it('reads of an agent what is no attribute: its `io`, clock, model and conversations', () => {
    const [io, now] = [recordingIo(), () => 7]
    const [user, asked] = [new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', io, now }), agent('asked')]
    user.initiateChatSync(asked, { message: 'hi', maxTurns: 1 })
    expect(internalsOf(user)).toMatchObject({ io, now, model: null })
    expect(internalsOf(user).conversations.get(asked)).toMatchObject({ counterpart: asked, autoReplies: 0 })
    expect(
      internalsOf(user)
        .conversations.get(asked)
        ?.messages.map(({ content }) => content),
    ).toEqual(['hi', 'from asked'])
  })
})
