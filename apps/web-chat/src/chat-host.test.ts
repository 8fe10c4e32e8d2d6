import type { LlmConfig } from '@x/interfaces'
import { llmConfig } from '@x/model'
import { scriptedProvider } from '@x/testing'
import { describe, expect, it } from 'vitest'
import type { Conversation } from './conversation.ts'
import { answered, startExample, until } from './example-server.fake.ts'

const lastText = ({ lines: { items } }: Conversation): unknown => (items.at(-1) as { text?: string } | undefined)?.text

describe('budgets', () => {
  /** A model whose answers cost 10 cents each. */
  const dear = (): LlmConfig =>
    llmConfig({
      providers: [scriptedProvider(() => ({ content: 'Yes.', usage: [100, 100] as [number, number] }))],
      configList: [{ apiType: 'scripted', model: 'm', price: [0, 1], max_tokens: 100 }],
      cacheSeed: null,
    })

  it('of a chat are shown, and end a turn in clear words; another chat goes on', async () => {
    await using example = await startExample(dear(), { chatLimits: { chatBudget: 0.25 } })
    const { conversation, server } = example
    expect(conversation.state.left).toEqual({ chat: 0.25, day: null })
    for (const said of ['one', 'two']) await answered(conversation, () => conversation.say(said))
    expect(lastText(conversation)).toBe('Yes.')
    expect(conversation.state.left.chat).toBeCloseTo(0.05)
    await answered(conversation, () => conversation.say('three'))
    expect(lastText(conversation)).toBe('The budget of this chat is used up: begin a new chat.')
    using other = (await server.chats.use(server.chats.begin('assistant')))!
    await answered(other.chat, () => other.chat.say('one'))
    expect(lastText(other.chat)).toBe('Yes.')
  })

  it('of the day hold for all chats together', async () => {
    await using example = await startExample(dear(), { chatLimits: { dayBudget: 0.25, chatBudget: 5 } })
    const { conversation, server } = example
    await answered(conversation, () => conversation.say('one'))
    await until(() => conversation.state.left.day !== 0.25)
    expect(conversation.state.left.day).toBeCloseTo(0.15)
    using other = (await server.chats.use(server.chats.begin('assistant')))!
    await answered(other.chat, () => other.chat.say('one'))
    await answered(conversation, () => conversation.say('two'))
    expect(lastText(conversation)).toBe(
      'The budget of the day is used up for all chats. It begins anew at midnight UTC.',
    )
  })
})
