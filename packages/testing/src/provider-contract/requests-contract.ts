import type { ChatMessage } from '@x/interfaces'
import { asking } from './asked.ts'
import { deepFrozen } from './collected.ts'
import { bytesOf } from './fake-fetch.ts'
import { longHistory } from './long-history.ts'
import { CANARY, type ProviderContract } from './contract.ts'
import type { ContractRunner } from './runner.ts'

/** What requests must be: made of any history, always the same, without touching what they are made of. */
export function requestsContract({ test, expect }: ContractRunner, contract: ProviderContract): void {
  const { provider } = contract
  const [{ whole }] = contract.recordings as [ProviderContract['recordings'][number]]

  const sentFor = async (messages: ChatMessage[]): Promise<string[]> =>
    await asking(
      contract,
      () => ({ headers: { 'content-type': 'application/json' }, pieces: bytesOf(whole) }),
      async ({ client, params, sent }) => {
        await client.create({ ...params, messages }, { last: false })
        await client.create({ ...params, messages: structuredClone(messages) }, { last: false })
        return [...sent]
      },
    )

  test('a history that other providers made is sent, always as the same bytes, and left as it is', async () => {
    const messages = deepFrozen(longHistory())
    const [first, second] = await sentFor(messages)
    expect(first!.length > 100).toBe(true)
    expect(second).toBe(first)
    expect(messages).toEqual(longHistory())
  })

  test('names and ids are sent in a form of their own, and calls keep their results', async () => {
    const [body] = await sentFor(longHistory())
    expect(body).not.toContain('geo.locate!')
    expect(body).toContain('Sunny.')
    expect(body).toContain('no such city')
  })

  test('a key is in no body', async () => {
    for (const body of await sentFor(longHistory())) expect(body).not.toContain(CANARY)
  })

  test('the provider says what it is', async () => {
    expect(provider.specVersion).toBe(1)
    expect(provider.apiTypes.length > 0).toBe(true)
    const client = provider.createClient({ ...contract.config, apiKey: CANARY })
    expect(JSON.stringify(client) ?? '').not.toContain(CANARY)
  })
}
