import { describe, expect, it } from 'vitest'
import { scriptedClient } from './scripted-client.ts'
import { scriptedProvider } from './scripted-provider.ts'

const params = { model: 'm', messages: [{ role: 'user' as const, content: 'hi' }] }

describe('a scripted client', () => {
  it('answers at once, so that blocking calls can have it', () => {
    const client = scriptedClient([{ content: 'a', usage: [3, 4], cost: 2 }])
    const answer = client.create(params, {})
    expect(answer).toMatchObject({ model: 'm', choices: [{ message: { content: 'a' } }] })
    if (!('choices' in answer)) return
    expect(client.messageRetrieval(answer)).toEqual(['a'])
    expect(client.cost(answer)).toBe(2)
    expect(client.getUsage(answer)).toEqual({
      model: 'm',
      promptTokens: 3,
      completionTokens: 4,
      totalTokens: 7,
      cost: 2,
    })
    expect(client.calls).toMatchObject([{ face: null, model: 'm' }])
    client.assertComplete()
  })

  it('can be aborted while it waits, complete and streamed', async () => {
    const never = new Promise(() => {})
    const client = scriptedClient([
      { delay: never, reply: 'a' },
      { stream: [{ type: 'textDelta', index: 0, text: 'a' }, never] },
    ])
    const controller = new AbortController()
    const whole = client.create(params, { signal: controller.signal })
    const stream = client.stream(params, { signal: controller.signal })
    await stream.next()
    await stream.next()
    const pieces = stream.next()
    controller.abort()
    await expect(whole).rejects.toMatchObject({ code: 'aborted' })
    await expect(pieces).rejects.toMatchObject({ code: 'aborted' })
  })

  it('keeps an unknown price unknown', async () => {
    const client = scriptedClient(['a'], { cost: null })
    expect(client.cost(await client.create(params, {}))).toBeNull()
  })
})

describe('a scripted provider', () => {
  it('has one script for all clients, or one per model', async () => {
    const shared = scriptedProvider(['a', 'b'])
    const clients = [shared.createClient({ model: 'm' }), shared.createClient({ model: 'n' })]
    await clients[1]!.create(params, {})
    await clients[0]!.create(params, {})
    expect(shared.calls).toHaveLength(2)
    shared.assertComplete()

    const own = scriptedProvider({ m: ['a'], n: ['b'] })
    await own.createClient({ model: 'n' }).create({ ...params, model: 'n' }, {})
    expect(() => own.assertComplete()).toThrow('1 of 1 replies')
    expect(() => own.createClient({ model: 'o' })).toThrow('`m`, `n`')
    expect(own.calls.map(({ model }) => model)).toEqual(['n'])
  })
})
