import { describe, expect, it } from 'vitest'
import { groupOf, lines, members } from '../fakes.fake.ts'

describe('the function `candidates`', () => {
  it('narrows the eligible speakers by member or by name, whatever the method', async () => {
    const seen: string[][] = []
    const { group, manager } = groupOf(members('a', 'b', 'c'), {
      allowRepeatSpeaker: false,
      candidates: async (eligible) => {
        seen.push(eligible.map(({ name }) => name))
        return ['c', 'a'].filter((name) => eligible.some((agent) => agent.name === name))
      },
    })
    await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(lines(group.messages)).toEqual(['a: "hi"', 'c: "from c"', 'a: "from a"', 'c: "from c"'])
    expect(seen).toEqual([
      ['b', 'c'],
      ['a', 'b'],
      ['b', 'c'],
    ])
  })

  it('ends the chat when it returns an empty list', () => {
    const { group, manager } = groupOf(members('a', 'b', 'c'), { candidates: () => [] })
    expect(group.agents[0]!.initiateChatSync(manager, { message: 'hi' }).terminationReason).toBe('no-next-speaker')
  })

  it('cannot return an agent that may not speak; the error names the agent', () => {
    const { group, manager } = groupOf(members('a', 'b', 'c'), {
      allowRepeatSpeaker: false,
      candidates: (_, { agents }) => agents,
    })
    expect(() => group.agents[0]!.initiateChatSync(manager, { message: 'hi' })).toThrow(/returned `a`, who may not/u)
  })

  it.each([undefined, null, 'b', [undefined]])('cannot return %j, which is no list of agents', (value) => {
    const { group, manager } = groupOf(members('a', 'b', 'c'), { candidates: () => value as never })
    expect(() => group.agents[0]!.initiateChatSync(manager, { message: 'hi' })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('return a list') }),
    )
  })
})
