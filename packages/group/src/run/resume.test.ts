import type { ChatMessage } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { calling, groupOf, lines, members } from '../fakes.fake.ts'

const said: ChatMessage[] = [
  { role: 'user', content: 'hi', name: 'a' },
  { role: 'user', content: 'from b', name: 'b' },
]

describe('a resumed group', () => {
  it.each<[string, unknown]>([
    ['no messages', []],
    ['a name that nobody has', [{ content: 'hi', name: 'z' }]],
    ['a text that is no JSON', 'hi'],
    ['JSON of another shape', '{"content":"hi"}'],
    ['a list of texts', ['hi']],
    [
      'a message that says nothing',
      [
        { name: 'a', content: null },
        { content: 'hi', name: 'b' },
      ],
    ],
  ])('refuses %s, and leaves everything as it was', (_, messages) => {
    const { group, manager } = groupOf(members('a', 'b'), { maxRound: 2 })
    group.agents[0]!.initiateChatSync(manager, { message: 'before' })
    expect(() => manager.resumeSync(messages as string)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    expect(lines(group.messages)).toEqual(['a: "before"', 'b: "from b"'])
    expect(group.agents[0]!.chatMessages.get(manager)).toHaveLength(2)
  })

  it('goes on where it stopped, in every form', async () => {
    for (const face of ['sync', 'async'] as const) {
      const { group, manager } = groupOf(members('a', 'b', 'c'), { maxRound: 2 })
      const [speaker, message] = face === 'sync' ? manager.resumeSync(said) : await manager.resume(said)
      expect(speaker).toBe(group.agents[1])
      await speaker.initiateChat(manager, { message, clearHistory: false })
      expect(lines(group.messages)).toEqual(['a: "hi"', 'b: "from b"', 'c: "from c"'])
      expect(group.agents[0]!.chatMessages.get(manager)?.map(({ role }) => role)).toEqual(['assistant', 'user', 'user'])
    }
  })

  it('reads the text of `messagesToString`, with results of functions and messages without a role', () => {
    const { group, manager } = groupOf(members('a', 'b'), { maxRound: 2 })
    const messages: ChatMessage[] = [
      { content: 'call', name: 'a', function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'done' },
      { content: 'so', name: 'b' },
    ]
    manager.resumeSync(manager.messagesToString(messages))
    expect(lines(group.messages)).toEqual(['a: "call"', 'f: "done"'])
    for (const agent of group.agents) {
      expect(agent.chatMessages.get(manager)?.map(({ role }) => role)).toEqual(['assistant', 'function'])
    }
  })

  it('answers the calls that earlier messages leave open', () => {
    const { group, manager } = groupOf(members('a', 'b'))
    manager.resumeSync([{ ...calling('f', 'g'), name: 'a' }, ...said])
    expect(group.messages.map(({ name, tool_responses: responses }) => [name, responses?.length])).toEqual([
      ['a', undefined],
      ['manager', 2],
      ['a', undefined],
    ])
    const [open] = manager.resumeSync([...said, { ...calling('f'), name: 'a' }])
    expect([open.name, group.messages.length]).toEqual(['a', 2])
  })

  it('does not change the given messages', () => {
    const { manager } = groupOf(members('a', 'b'))
    const given = said.map((each) => Object.freeze({ ...each }))
    const [, last] = manager.resumeSync(given, { removeTerminationString: 'from ' })
    expect(last.content).toBe('b')
    expect(given).toEqual(said)
  })
})
