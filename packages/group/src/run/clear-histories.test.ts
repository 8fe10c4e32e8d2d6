import { describe, expect, it } from 'vitest'
import { calling, groupOf, lines, member, members } from '../fakes.fake.ts'
import { readClearCommand, type ClearCommand } from './clear-histories.ts'

describe('the command to clear histories', () => {
  const command = (member: string | null, preserved: number | null, rest: string): ClearCommand => ({
    member,
    preserved,
    rest,
  })

  it.each<[string, ClearCommand | null]>([
    ['CLEAR HISTORY', command(null, null, '')],
    ['so: clear  history now', command(null, null, 'so: now')],
    ['CLEAR HISTORY b 5', command('b', 5, '')],
    ['CLEAR HISTORY 5, b. thanks', command('b', 5, 'thanks')],
    ['"clear history" please', command(null, null, 'please')],
    ['CLEAR HISTORY then all is clear now', command(null, null, 'then all is clear now')],
    ['clear history, clear history b', command('b', null, 'clear history,')],
    ['CLEAR HISTORY be quick', command(null, null, 'be quick')],
    ['CLEAR HISTORY 5k runs', command(null, null, '5k runs')],
    ['CLEAR HISTORY thanks c', command(null, null, 'thanks c')],
    ['CLEAR HISTORY 5 6', command(null, 5, '6')],
    ['CLEAR HISTORY b c', command('b', null, 'c')],
    ['unclear history', null],
    ['clear the history', null],
  ])('%j', (text, expected) => {
    expect(readClearCommand(text, ['b', 'c'])).toEqual(expected)
  })
})

describe('clearing', () => {
  it('keeps a history that is shorter than the number to keep, and returns the text without the command', () => {
    const { group, manager } = groupOf(members('a', 'b'), { maxRound: 2 })
    group.agents[0]!.initiateChatSync(manager, { message: 'hi' })
    expect(manager.clearAgentsHistory({ content: 'well. CLEAR HISTORY 9' })).toBe('well.')
    expect(lines(group.messages)).toEqual(['a: "hi"', 'b: "from b"'])
    expect(group.agents[1]!.chatMessages.get(manager)).toHaveLength(2)
  })

  it('does not change the default reply of a member', () => {
    const defaultAutoReply = { content: 'on we go CLEAR HISTORY' }
    const [a, b] = [member('a'), member('b', { defaultAutoReply })]
    const { group, manager } = groupOf([a, b], { maxRound: 2, enableClearHistory: true })
    a.initiateChatSync(manager, { message: 'hi' })
    expect(lines(group.messages)).toEqual(['b: "on we go"'])
    expect(defaultAutoReply).toEqual({ content: 'on we go CLEAR HISTORY' })
  })

  it('keeps the call that the last message answers', () => {
    const b = member('b', { functionMap: { f: () => 'CLEAR HISTORY' } })
    const { group, manager } = groupOf([member('a'), b], { maxRound: 2, enableClearHistory: true })
    group.agents[0]!.initiateChatSync(manager, { message: calling('f') })
    expect(group.messages.map(({ role }) => role)).toEqual(['assistant', 'tool'])
  })

  it('keeps in the result what a person has typed, the command too', () => {
    const typed = ['CLEAR HISTORY', 'go on']
    const io = { send: () => {}, input: () => typed.shift()! }
    const [user, b] = [member('user', { humanInputMode: 'ALWAYS', io }), member('b')]
    const { manager } = groupOf([user, b], { maxRound: 6, enableClearHistory: true })
    const { humanInput } = user.initiateChatSync(manager, { message: 'hi' })
    expect(humanInput).toEqual(['CLEAR HISTORY', 'go on'])
  })
})
