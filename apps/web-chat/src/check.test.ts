import { ConversableAgent, tool } from '@x/agent'
import { GroupChat, GroupChatManager, type GroupChatOptions } from '@x/group'
import { createHost, defineChat, type DefinedChat, sqlite } from '@x/host'
import { functionModel } from '@x/testing'
import { expect, it } from 'vitest'

/** A version of a program in which a group speaks, and a member pays with an approval. */
interface Version {
  readonly critic?: string
  readonly asks?: string
  readonly options?: Partial<GroupChatOptions>
  readonly log?: string[]
}

const PAYS = { tool_calls: [{ id: 'c', type: 'function' as const, function: { name: 'pay', arguments: '{}' } }] }

function grouped({ critic = 'critic', asks = 'A dinner, please.', options = {}, log = [] }: Version = {}): DefinedChat {
  return defineChat({
    name: 'grouped',
    version: '1',
    async run({ run }) {
      const member = (name: string, reply: Parameters<typeof functionModel>[0]): ConversableAgent => {
        const llmConfig = functionModel((request) => (log.push(name), (reply as (given: unknown) => string)(request)))
        return new ConversableAgent({ name, humanInputMode: 'NEVER', llmConfig })
      }
      const cook = member('cook', () => 'Soup.')
      const buyer = member('buyer', () => PAYS as never)
      const last = member(critic, () => 'TERMINATE')
      buyer.registerForExecution(
        tool({
          name: 'pay',
          description: 'Pays.',
          parameters: { type: 'object' },
          needsApproval: true,
          execute: () => (log.push('pay'), 'paid'),
        }),
      )
      const agents = [cook, buyer, last]
      const groupchat = new GroupChat({ agents, maxRound: 6, speakerSelectionMethod: 'round_robin', ...options })
      const manager = new GroupChatManager({ groupchat, humanInputMode: 'NEVER' })
      const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER' })
      return (await user.initiateChat(manager, { message: asks, maxTurns: 1, run })).summary
    },
  }) as DefinedChat
}

it('a program with a group inside is checked within the group', async () => {
  const at = sqlite(':memory:')
  const program = grouped()
  const host = createHost({ chats: [program], at })
  const stop = new AbortController()
  const work = host.work({ signal: stop.signal })
  await host.submit(program, {} as never, { id: 'a' })
  await expect.poll(async () => (await host.get('a'))!.state).toBe('suspended')
  stop.abort()
  await work
  const log: string[] = []
  const checked = async (version: Version): Promise<unknown> => {
    for await (const { goesOn, next, unused, problem } of host.check(grouped({ ...version, log }))) {
      return { goesOn, next: next?.name ?? next?.label, unused, problem: problem?.message }
    }
    return undefined
  }
  expect(await checked({})).toMatchObject({ goesOn: true, next: 'pay', unused: 0 })
  for await (const { pending } of host.pending()) await host.decide('a', pending.id, { allow: true })
  expect(await checked({})).toMatchObject({ goesOn: true, next: 'pay', unused: 0 })
  expect(await checked({ options: { maxRound: 9 } })).toMatchObject({ goesOn: true, unused: 0 })
  const members = expect.stringMatching(/a group of cook, buyer, critic, and this run has one of cook, buyer, judge/u)
  expect(await checked({ critic: 'judge' })).toMatchObject({ goesOn: false, problem: members as string })
  const message = expect.stringContaining('A lunch, please.') as string
  expect(await checked({ asks: 'A lunch, please.' })).toMatchObject({ goesOn: false, problem: message })
  expect(log).toEqual([])
  await host.close()
})
