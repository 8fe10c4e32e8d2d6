import type { ChatOptions } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import type { ConversableAgent } from '../index.ts'
import { ChatJournal, tool, type ChatState } from '../index.ts'
import { agent } from '../run/tool-chat.fake.ts'

/** The parts of one version of the program. */
interface Program {
  user: ConversableAgent
  clerk: ConversableAgent
  options: ChatOptions
}

const look = (name: string, approval: boolean) =>
  tool({
    name,
    description: name,
    parameters: { type: 'object' },
    needsApproval: approval,
    execute: () => `${name} done`,
  })

const mind = () =>
  functionModel(({ messages }) =>
    messages.some(({ role }) => role === 'tool')
      ? 'TERMINATE'
      : { content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'pay', arguments: '{}' } }] },
  )

function program(): Program {
  const user = agent('user')
  user.registerForExecution(look('pay', true))
  return { user, clerk: agent('clerk', { llmConfig: mind() }), options: { message: 'go', maxTurns: 3 } }
}

async function chat({ user, clerk, options }: Program, journal: ChatJournal): Promise<string> {
  const result = await user.initiateChat(clerk, { ...options, journal })
  return `${result.terminationReason}: ${JSON.stringify(result.chatHistory.at(2)?.content)}`
}

/** A chat that waits for a decision. */
async function waiting(options: ChatOptions = {}): Promise<ChatState> {
  const [its, journal] = [program(), new ChatJournal()]
  Object.assign(its.options, options)
  expect(await chat(its, journal)).toMatch(/^suspended/u)
  return JSON.parse(JSON.stringify(journal.saveState())) as ChatState
}

async function goOn(saved: ChatState, change: (its: Program) => void): Promise<string> {
  const journal = ChatJournal.load(saved)
  await journal.decide(journal.pending[0]!.id, { allow: true })
  const its = program()
  change(its)
  return await chat(its, journal)
}

const sync = (its: Program): void => its.clerk.registerHook('processLastReceivedMessage', (content) => content)
const slow = (its: Program): void =>
  its.clerk.registerHook('processLastReceivedMessage', async (content) => await Promise.resolve(content))

const may: Record<string, (its: Program) => void> = {
  nothing: () => {},
  'another prompt': ({ clerk }) => clerk.updateSystemMessage('Be brief.'),
  'one more tool': ({ user }) => void user.registerForExecution(look('more', false)),
  'other `maxTurns`': ({ options }) => void Object.assign(options, { maxTurns: 8 }),
  'another summary': ({ options }) => void Object.assign(options, { summaryMethod: () => 'in short' }),
  'another limit of replies': ({ clerk }) => clerk.updateMaxConsecutiveAutoReply(7),
  'a reply function that answers nothing': ({ clerk }) =>
    clerk.registerReply(
      () => false,
      () => [true, 'never'],
    ),
  'a hook that answers at once': sync,
  'a hook that takes its time': slow,
  'a hook before messages are sent': ({ user }) =>
    user.registerHook('processMessageBeforeSend', async ({ message }) => await Promise.resolve(message)),
  'a model that answers differently': (its) => {
    its.clerk = agent('clerk', { llmConfig: functionModel(() => 'TERMINATE') })
  },
  'a budget': ({ options }) =>
    void Object.assign(options, {
      budget: {
        spent: { cost: 0, tokens: 0, calls: 0 },
        reserve: () => ({ settle: () => {}, release: () => {} }),
      },
    }),
  'a first version': ({ options }) => void Object.assign(options, { version: '1' }),
}

const mayNot: Record<string, [change: (its: Program) => void, place: string, reason: RegExp]> = {
  'another first message': [({ options }) => void Object.assign(options, { message: 'stop' }), '1.0', /"go".*"stop"/u],
  'a carryover': [({ options }) => void Object.assign(options, { carryover: 'more' }), '1.0', /carryover/u],
  'a history that stays': [
    ({ options }) => void Object.assign(options, { clearHistory: false }),
    '1.0',
    /clearHistory/u,
  ],
  'an approval that is not needed any more': [
    ({ user }) => void user.registerForExecution(look('pay', false)),
    '1.2.0.0',
    /kind `question`.*kind `tool` for `pay`/u,
  ],
  'another name': [
    (its) => {
      its.clerk = agent('boss', { llmConfig: mind() })
    },
    '1.0',
    /a chat of user with clerk.*a chat of user with boss/u,
  ],
  'a reply function that answers first': [
    ({ clerk }) =>
      clerk.registerReply(
        () => true,
        function greets() {
          return [true, 'hello']
        },
      ),
    '1.1',
    /kind `model`.*kind `reply`/u,
  ],
}

describe('a program that is deployed while a chat waits', () => {
  it.each(Object.keys(may))('goes on with %s', async (name) => {
    expect(await goOn(await waiting(), may[name]!)).toContain('pay done')
  })

  it.each(Object.keys(mayNot))('is refused with its place and reason: %s', async (name) => {
    const [change, place, reason] = mayNot[name]!
    await expect(goOn(await waiting(), change)).rejects.toMatchObject({
      code: 'invalid-state',
      details: { place },
      message: expect.stringMatching(reason) as string,
    })
  })

  it('is refused by its version before anything else is compared', async () => {
    const saved = await waiting({ version: '1' })
    expect(await goOn(saved, () => {})).toContain('pay done')
    expect(await goOn(saved, ({ options }) => void Object.assign(options, { version: '1' }))).toContain('pay done')
    const other = goOn(saved, ({ options }) => void Object.assign(options, { version: '2', message: 'stop' }))
    await expect(other).rejects.toMatchObject({
      code: 'invalid-state',
      details: { place: '0', saved: { version: '1' }, given: { version: '2' } },
      message: expect.stringContaining('finish it with the program that began it') as string,
    })
  })
})
