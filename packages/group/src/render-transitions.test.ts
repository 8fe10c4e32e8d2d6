import { expect, it } from 'vitest'
import { member, members } from './fakes.fake.ts'
import { GroupChat } from './group-chat.ts'
import { nestedChat, randomAgent, revertToUser, stay, terminate } from './handoff/target.ts'
import { defaultPattern } from './pattern/pattern.ts'
import { renderTransitions } from './render-transitions.ts'

it('draws who may follow whom', () => {
  const [planner, cook, critic] = members('planner', 'cook', 'critic')
  const group = new GroupChat({
    agents: [planner!, cook!, critic!],
    allowedOrDisallowedSpeakerTransitions: { planner: [cook!], cook: [critic!, planner!], critic: [] },
    speakerTransitionsType: 'allowed',
  })
  expect(renderTransitions(group)).toBe(`flowchart LR
  m0["planner"]
  m1["cook"]
  m2["critic"]
  m0 --> m1
  m1 --> m2
  m1 --> m0`)
})

it('draws no arrows where anyone may follow anyone, and keeps names as they are', () => {
  const group = new GroupChat({ agents: [member('a "b"'), member('c')] })
  expect(renderTransitions(group)).toBe(`flowchart LR
  m0["a #quot;b#quot;"]
  m1["c"]
  %% anyone may follow anyone`)
})

it('draws the handoffs of a pattern', () => {
  const [a, b, c, user] = members('a', 'b', 'c', 'user')
  const pattern = defaultPattern({
    initialAgent: a!,
    userAgent: user!,
    groupAfterWork: revertToUser,
    agents: [
      {
        agent: a!,
        handoffs: [
          { to: b!, when: 'An "invoice".' },
          { to: randomAgent([b!, c!]), when: () => true },
          { to: nestedChat([{ recipient: c! }]), after: () => true },
        ],
        inputGuardrails: [{ name: 'secrets', check: /x/u, to: terminate }],
      },
      { agent: b!, handoffs: [{ to: stay, after: true }] },
      c!,
    ],
  })
  expect(renderTransitions(pattern)).toMatchInlineSnapshot(`
    "flowchart LR
      m0["a"]
      m1["b"]
      m2["c"]
      m3["user"]
      m4(["end"])
      m5[["a nested chat"]]
      m0 -.->|"guardrail secrets"| m4
      m0 -->|"if a test holds"| m1
      m0 -->|"if a test holds"| m2
      m0 -->|"An #quot;invoice#quot;."| m1
      m0 -.->|"after, if a test holds"| m5
      m0 -.->|"otherwise"| m3
      m1 -.->|"after"| m1
      m2 -.->|"otherwise"| m3"
  `)
})
