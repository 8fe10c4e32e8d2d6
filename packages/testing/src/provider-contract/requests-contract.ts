import type { ChatMessage } from '@x/interfaces'
import { withAdapter, requestAnswer, requestStream } from './adapter-case.ts'
import { deepFreeze } from '../contracts/deep-freeze.ts'
import { bytesOf } from './fake-fetch.ts'
import { longHistory } from './long-history.ts'
import { CANARY_KEY, type CompleteContract } from './contract.ts'
import type { ContractRunner } from '../contracts/contract-runner.ts'

/** Checks requests: any history can be sent, equal input gives equal bytes, and the input is not changed. */
export function requestsContract({ test, expect }: ContractRunner, contract: CompleteContract): void {
  const { provider } = contract
  const sentFor = async (messages: ChatMessage[]): Promise<string[]> => await sendTwice(contract, messages)

  test('a history that other providers made is sent, always as the same bytes, and left as it is', async () => {
    const messages = deepFreeze(longHistory())
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

  for (const { name, whole: body, stream } of contract.recordings) {
    test(`${name}: the answer is plain data, and goes back the same after it was saved`, async () => {
      const whole = await requestAnswer(contract, body)
      const { answer } = await requestStream(contract, stream)
      for (const { choices } of [whole, answer!]) {
        const { message } = choices[0]!
        const saved = JSON.parse(JSON.stringify(message)) as ChatMessage
        expect(saved).toEqual(message)
        const results = (message.tool_calls ?? []).map(({ id }): ChatMessage => ({
          role: 'tool',
          tool_call_id: id,
          content: 'Sunny.',
        }))
        const after = (answer: ChatMessage): ChatMessage[] =>
          deepFreeze([{ role: 'user', content: 'Hi' }, answer, ...results, { role: 'user', content: 'And then?' }])
        const [sent] = await sentFor(after(message))
        const [again] = await sentFor(after(saved))
        expect(again).toBe(sent)
        expect(sent).toContain('And then?')
      }
    })
  }

  test('a key is in no body', async () => {
    for (const body of await sentFor(longHistory())) expect(body).not.toContain(CANARY_KEY)
  })

  test('the provider says what it is', async () => {
    expect(provider.specVersion).toBe(1)
    expect(provider.apiTypes.length > 0 && provider.apiTypes.every((name) => name !== '')).toBe(true)
    const client = provider.createClient({ ...contract.config, apiKey: CANARY_KEY })
    expect(JSON.stringify(client) ?? '').not.toContain(CANARY_KEY)
    const { clock } = client
    expect(clock === undefined || typeof clock.sleep === 'function').toBe(true)
  })
}

/** Sends equal messages in two requests and returns both bodies. */
async function sendTwice(contract: CompleteContract, messages: ChatMessage[]): Promise<string[]> {
  const [{ whole }] = contract.recordings as [CompleteContract['recordings'][number]]
  return await withAdapter(
    contract,
    () => ({ headers: { 'content-type': 'application/json' }, pieces: bytesOf(whole) }),
    async ({ client, params, requests }) => {
      await client.create({ ...params, messages }, {})
      await client.create({ ...params, messages: structuredClone(messages) }, {})
      return requests.map(({ body }) => body)
    },
  )
}
