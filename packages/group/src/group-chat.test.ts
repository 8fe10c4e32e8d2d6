import { describe, expect, it } from 'vitest'
import { groupOf, lines, member, members, quiet, recordingIo } from './fakes.fake.ts'
import { GroupChatManager } from './group-chat-manager.ts'
import { GroupChat } from './group-chat.ts'
import { initiateGroupChat } from './initiate-group-chat.ts'
import { defaultPattern } from './pattern/pattern.ts'

describe('a group', () => {
  it.each<[string, () => unknown]>([
    ['two members of one name', () => new GroupChat({ agents: members('a', 'a') })],
    ['names that differ by `_` and a space', () => new GroupChat({ agents: [member('a_b'), member('a b')] })],
    ['a member that is no agent', () => new GroupChat({ agents: [{ name: 'a' } as never] })],
    [
      'a method that is neither text nor function',
      () => new GroupChat({ agents: [], speakerSelectionMethod: 1 as never }),
    ],
    ['a misspelt option', () => new GroupChat({ agents: [], maxRounds: 3 } as never)],
    ['no agents', () => new GroupChat({} as never)],
    ['a manager with the name of a member', () => groupOf(members('a', 'manager'))],
    ['a manager without a group', () => new GroupChatManager({} as never)],
  ])('refuses %s', (_, make) => {
    expect(make).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it.each<[make: () => unknown, text: string]>([
    [() => new GroupChat(members('a') as never), 'its options are a list; write `new GroupChat({ agents })`'],
    [() => new GroupChat({ members: [] } as never), 'the option `members` is unknown; write `agents`'],
    [() => new GroupChat({ agents: [], maxTurns: 3 } as never), 'write `maxRound`'],
    [() => new GroupChat({ agents: [], selector: 'auto' } as never), 'write `speakerSelectionMethod`'],
    [() => new GroupChat({ agents: [], llm_config: {} } as never), '`new GroupChatManager({ groupchat, llmConfig })`'],
    [() => new GroupChat({ agents: [], initialAgent: 'a' } as never), 'it belongs to a pattern'],
    [
      () => new GroupChatManager(groupOf(members('a')).group as never),
      'its options are a group; write `new GroupChatManager({ groupchat: group })`',
    ],
    [() => new GroupChatManager({ group: 1 } as never), 'the option `group` is unknown; write `groupchat`'],
    [() => new GroupChatManager({ agents: [] } as never), '`groupchat: new GroupChat({ agents })`'],
    [() => new GroupChatManager({ maxRound: 3 } as never), '`groupchat: new GroupChat({ agents, maxRound: 10 })`'],
  ])('tells a word of elsewhere in the words of this library: %s', (make, text) => {
    expect(make).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) as string }),
    )
  })

  it('refuses an agent of another copy of the package, and says how to find it', () => {
    const foreign = Object.assign(Object.create(null) as object, { name: 'a', '~state': {} })
    const text = 'member 0 is an agent of another copy of `@x/agent`; `npm ls @x/agent` shows the copies'
    expect(() => new GroupChat({ agents: [foreign as never] })).toThrow(text)
    const pattern = defaultPattern({ agents: [foreign as never], initialAgent: foreign as never })
    return expect(initiateGroupChat(pattern, 'Go.')).rejects.toThrow(text)
  })

  it.each(['roundrobin', 'Round-Robin', 'round_robbin', 'rounds_robin', 'ramdom', 'manuall', 'atuo'])(
    'refuses the misspelt method %s, and says which is meant',
    (method) => {
      const { group } = groupOf(members('a', 'b'))
      const nearest = /did you mean '(?:round_robin|random|manual|auto)'\?$/u
      expect(() => new GroupChat({ agents: members('a', 'b'), speakerSelectionMethod: method })).toThrow(nearest)
      expect(() => (group.speakerSelectionMethod = method)).toThrow(nearest)
    },
  )

  it.each(['AUTO', 'Round_Robin', 'haiku'])('takes the method %s, which the first choice judges', (method) => {
    expect(new GroupChat({ agents: members('a', 'b'), speakerSelectionMethod: method }).speakerSelectionMethod).toBe(
      method,
    )
  })

  it('is refused with a method that overrides one of its class, since a run does not call it', () => {
    class Own extends GroupChat {
      override selectSpeaker(): never {
        throw new Error('never called')
      }
    }
    class OwnManager extends GroupChatManager {
      override runChat(): never {
        throw new Error('never called')
      }
    }
    const options = { agents: members('a', 'b') }
    expect(() => new GroupChatManager({ groupchat: new Own(options) })).toThrow(
      '`Own` overrides `selectSpeaker`, which no run calls: give the group options, such as a function as `speakerSelectionMethod`',
    )
    expect(() => new OwnManager({ groupchat: new GroupChat(options) })).toThrow('`OwnManager` overrides `runChat`')
  })

  it('can be changed after the same checks', () => {
    const { group, manager } = groupOf(members('a', 'b', 'c'))
    group.maxRound = 2
    group.speakerSelectionMethod = (_, { agents }) => agents[2]!
    group.selectSpeakerPromptTemplate = ''
    group.agents[0]!.initiateChatSync(manager, { message: 'hi' })
    expect(lines(group.messages)).toEqual(['a: "hi"', 'c: "from c"'])
    expect(group.selectSpeakerPromptTemplate).toBeNull()
    expect(() => (group.maxRound = '3' as never)).toThrow(/cannot change a group chat: `maxRound` is '3'/u)
    expect(() => (group.adminName = null as never)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
    expect(group.maxRound).toBe(2)
  })

  it('takes transitions by name', () => {
    const [a, b, c] = members('a', 'b', 'c')
    const group = new GroupChat({
      agents: [a!, b!, c!],
      allowedOrDisallowedSpeakerTransitions: { a: [b!], b: [c!], c: [a!] },
      speakerTransitionsType: 'allowed',
    })
    expect(group.allowedSpeakerTransitionsDict).toEqual(
      new Map([
        [a, [b]],
        [b, [c]],
        [c, [a]],
      ]),
    )
  })

  it('refuses a name in the transitions that no member has, and says which', () => {
    const [a, b] = members('a', 'b')
    const make = (): GroupChat =>
      new GroupChat({
        agents: [a!, b!],
        allowedOrDisallowedSpeakerTransitions: { z: [b!] },
        speakerTransitionsType: 'allowed',
      })
    expect(make).toThrow(/`z` .* is not a member/u)
  })

  it('does not change a given message', () => {
    const { group } = groupOf(members('a', 'b'))
    const message = Object.freeze({ content: [{ type: 'text' as const, text: 'hi' }], role: 'user' as const })
    group.append(message, group.agents[0]!)
    expect(message).toEqual({ content: [{ type: 'text', text: 'hi' }], role: 'user' })
    expect(lines(group.messages)).toEqual(['a: "hi"'])
  })

  it('keeps braces in templates that are not placeholders', () => {
    const group = new GroupChat({
      agents: members('a', 'b'),
      io: quiet,
      selectSpeakerMessageTemplate: 'Answer {"next": "…"} out of {agentlist}; {{roles}} are {roles}',
    })
    expect(group.selectSpeakerMsg()).toBe(
      'Answer {"next": "…"} out of [\'a\', \'b\']; {a: a knows a\nb: b knows b} are a: a knows a\nb: b knows b',
    )
  })

  it('warns of an agent without a description by its own `io`', () => {
    const io = recordingIo()
    new GroupChat({ agents: [member('a', { description: ' ' }), member('b')], io }).introductionsMsg()
    expect(io.events).toMatchObject([{ type: 'warning', topic: 'group', agent: null, chatId: null }])
  })

  it('ends the list of nested agents where a group contains itself', () => {
    const inner = groupOf(members('c', 'd'), {}, { name: 'inner' })
    const outer = groupOf([member('a'), inner.manager])
    expect(outer.group.nestedAgents().map(({ name }) => name)).toEqual(['a', 'inner', 'c', 'd'])
  })
})
