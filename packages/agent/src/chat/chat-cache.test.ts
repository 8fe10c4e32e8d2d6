import type { CacheStore, ReplyOutcome } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { ConversableAgent } from '../index.ts'

const named = (name: string): CacheStore => ({ name, get: () => undefined, set: () => {} })

/** Two agents; the second asks a model that waits for `gate` and notes the cache of each question. */
function pair(gate: (said: string) => Promise<void> | undefined = () => undefined) {
  const asked: string[] = []
  const llmConfig = functionModel(async ({ messages, params }) => {
    const said = messages.at(-1)?.content as string
    await gate(said)
    asked.push(`${said}: ${(params as { cache?: CacheStore }).cache?.name ?? 'none'}`)
    return 'answer'
  })
  const io = { send: () => {}, input: () => '' }
  const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', io })
  const assistant = new ConversableAgent({ name: 'assistant', humanInputMode: 'NEVER', io, llmConfig })
  return { user, assistant, asked }
}

const turn = { maxTurns: 1, clearHistory: false } as const

describe('the cache of a chat', () => {
  it('holds for that chat and no longer, however it ends', async () => {
    const { user, assistant, asked } = pair((said) =>
      said === 'fail' ? Promise.reject(new Error('fault')) : undefined,
    )
    await user.initiateChat(assistant, { ...turn, message: 'one', cache: named('c') })
    await expect(user.initiateChat(assistant, { ...turn, message: 'fail', cache: named('d') })).rejects.toThrow('fault')
    const stop = new AbortController()
    const stopped = user.initiateChat(assistant, { ...turn, message: 'stop', cache: named('e'), signal: stop.signal })
    stop.abort()
    await expect(stopped).rejects.toMatchObject({ code: 'aborted' })
    await user.send('after', assistant, { requestReply: true })
    expect(asked).toEqual(expect.arrayContaining(['one: c', 'after: none']))
  })

  it('takes the place of the own cache of an agent, on both sides', async () => {
    const { user, assistant, asked } = pair()
    assistant.clientCache = named('own')
    await user.initiateChat(assistant, { ...turn, message: 'with', cache: named('c') })
    await user.initiateChat(assistant, { ...turn, message: 'without' })
    user.registerReply(assistant, () => [true, 'go on'])
    await assistant.initiateChat(user, { ...turn, maxTurns: 2, message: 'other side', cache: named('d') })
    await user.send('no chat', assistant, { requestReply: true })
    expect(asked).toEqual(['with: c', 'without: none', 'go on: d', 'no chat: own'])
  })

  it.each([
    ['first', 'second'],
    ['second', 'first'],
  ])('is its own when two chats of the same pair run at once and the %s ends before the %s', async (...order) => {
    const gates: Record<string, PromiseWithResolvers<void>> = {
      first: Promise.withResolvers(),
      second: Promise.withResolvers(),
    }
    const { user, assistant, asked } = pair((said) => gates[said]?.promise)
    const chats: Record<string, Promise<unknown>> = {}
    for (const message of ['first', 'second']) {
      chats[message] = user.initiateChat(assistant, {
        maxTurns: 2,
        conversation: 'own',
        message,
        cache: named(`of ${message}`),
      })
    }
    for (const each of order) {
      gates[each]!.resolve()
      await chats[each]
    }
    await user.send('after', assistant, { requestReply: true })
    expect(asked).toEqual([...order.flatMap((each) => [`${each}: of ${each}`, `: of ${each}`]), 'after: none'])
  })

  it('is that of the chat around a reply function that asks by hand', async () => {
    const { user, assistant, asked } = pair()
    assistant.registerReply(
      user,
      async (agent, { messages, sender }): Promise<ReplyOutcome> => await agent.generateOaiReply({ messages, sender }),
    )
    await user.initiateChat(assistant, { ...turn, message: 'by hand', cache: named('c') })
    expect(asked).toEqual(['by hand: c'])
  })

  it('is not that of another chat inside it', async () => {
    const { user, assistant, asked } = pair()
    const { user: helper, assistant: expert, asked: askedInside } = pair()
    user.registerNestedChats([{ sender: helper, recipient: expert, message: 'inside', maxTurns: 1 }], assistant, {
      position: 0,
    })
    await user.initiateChat(assistant, { message: 'outside', maxTurns: 2, cache: named('c') })
    expect(askedInside).toEqual(['inside: none'])
    expect(asked).toEqual(['outside: c', expect.stringMatching(/: c$/u)])
  })
})
