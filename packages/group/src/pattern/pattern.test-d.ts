import type { ConversableAgent } from '@x/agent'
import { expectTypeOf, test } from 'vitest'
import {
  defaultPattern,
  expression,
  functionTarget,
  groupChat,
  groupManager,
  groupTool,
  handoff,
  initiateGroupChat,
  randomAgent,
  replyResult,
  revertToUser,
  stay,
  terminate,
  type Handoff,
} from '../index.ts'

declare const [triage, tech, billing, person]: ConversableAgent[] & { length: 4 }

interface Support {
  level: number
  vip: boolean
  city: string
}

test('variables are inferred from the pattern, in every place', async () => {
  const inner = defaultPattern({ initialAgent: tech!, agents: [tech!, billing!] })
  const support = defaultPattern({
    contextVariables: { level: 1, vip: false, city: '' },
    initialAgent: triage!,
    userAgent: person!,
    groupAfterWork: revertToUser,
    agents: [
      {
        agent: triage!,
        handoffs: [
          { to: tech!, when: (c) => c.vip },
          { to: billing!, when: 'It is about an invoice.', available: (c) => c.level > 1 },
          { to: 'tech', when: 'At level {level} only.' },
          handoff({ to: groupManager(), when: 'Nobody fits.' }),
          { to: groupChat(inner, { maxRounds: 5 }), when: 'Ask the team.' },
          { to: randomAgent([tech!, billing!]), after: (c) => c.city === '' },
          {
            to: functionTarget<Support>(({ variables }) => ({
              target: variables.vip ? tech! : terminate,
              contextVariables: { level: 2 },
            })),
            after: (c) => c.level === 3,
          },
          { to: tech!, when: expression('${level} > 3') },
          { to: stay, after: true },
        ],
        inputGuardrails: [{ name: 'secrets', check: /password/u, to: terminate }],
      },
      tech!,
      { agent: billing!, handoffs: [{ to: triage!, after: true }] },
    ],
    until: ({ variables, rounds }) => (variables.level > 9 || rounds > 30) && 'enough',
  })
  const { contextVariables } = await initiateGroupChat(support, 'Hello', { maxRounds: 20 })
  expectTypeOf(contextVariables).toEqualTypeOf<Support>()
})

test('what cannot be is an error', () => {
  defaultPattern({
    contextVariables: { level: 1 },
    initialAgent: triage!,
    // @ts-expect-error a variable that is not there
    agents: [{ agent: triage!, handoffs: [{ to: tech!, when: (c) => c.levle > 1 }] }],
  })
  // @ts-expect-error two times at once
  const twice: Handoff<{ a: number }> = { to: tech!, when: 'x', after: true }
  // @ts-expect-error nobody to hand over to
  const nobody: Handoff<{ a: number }> = { when: 'x' }
  expectTypeOf([twice, nobody]).toBeArray()
})

test('a tool of a group knows the variables', () => {
  groupTool<Support>()({
    name: 'note',
    description: 'Notes the city.',
    execute: (_, { contextVariables, caller }) => {
      expectTypeOf(contextVariables.get('level')).toEqualTypeOf<number>()
      expectTypeOf(caller.name).toEqualTypeOf<string>()
      // @ts-expect-error another type
      contextVariables.set('city', 1)
      return replyResult<Support>({ message: 'noted', target: tech!, contextVariables: { level: 2 } })
    },
  })
})
