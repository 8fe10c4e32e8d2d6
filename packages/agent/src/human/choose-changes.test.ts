import type { CodeExecutor } from '@x/interfaces'
import { expect, it } from 'vitest'
import { ChatJournal, ConversableAgent } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

type Options = NonNullable<Parameters<CodeExecutor['executeCodeBlocks']>[1]>

const CHANGESET = { changes: [{ name: 'a', kind: 'added', entry: 'file' }], diff: '1 change:\n  added a\n' } as const
const MESSAGES = [{ role: 'user', content: 'echo hi' }] as const

/** An executor that asks its caller about a change, and prints the answer. */
const asking: CodeExecutor = {
  codeReader: { extractCode: () => [{ language: 'sh', code: 'echo hi' }], inferLang: () => 'sh' },
  isolation: 'sandbox',
  executeCodeBlocks: async (_, { chooseChanges, run, signal }: Options = {}) => ({
    exitCode: 0,
    output: String(await chooseChanges?.(CHANGESET, { run, signal })),
  }),
  executeCodeBlocksSync: (_, { chooseChanges, run }: Options = {}) => ({
    exitCode: 0,
    output: chooseChanges?.(CHANGESET, { run }) as string,
  }),
}

it.each([
  ['yes', 'all'],
  ['S', 'safe'],
  ['no', 'none'],
  ['', 'none'],
  ['package.json too', 'none'],
])('asks the person behind an agent, in both faces: %j', async (typed, choice) => {
  const io = recordingIo([typed, typed])
  const agent = new ConversableAgent({ name: 'a', io, codeExecutionConfig: { executor: asking } })
  const [, reply] = await agent.generateCodeExecutionReply({ messages: [...MESSAGES] })
  expect(reply).toBe(`exitcode: 0 (execution succeeded)\nCode output: ${choice}`)
  expect(agent.generateCodeExecutionReplySync({ messages: [...MESSAGES] })[1]).toBe(reply)
  expect(io.prompts[0]).toContain(CHANGESET.diff)
})

it('asks nobody where there is no person, or an answer would wait in a journal', async () => {
  const agent = new ConversableAgent({
    name: 'a',
    humanInputMode: 'NEVER',
    io: recordingIo(),
    codeExecutionConfig: { executor: asking },
  })
  const [, reply] = await agent.generateCodeExecutionReply({ messages: [...MESSAGES] })
  expect(reply).toContain('Code output: undefined')
  const person = new ConversableAgent({
    name: 'b',
    io: recordingIo(['exit']),
    codeExecutionConfig: { executor: asking },
  })
  const other = new ConversableAgent({ name: 'c', humanInputMode: 'NEVER', io: recordingIo(), defaultAutoReply: '' })
  const journal = new ChatJournal()
  const { chatHistory } = await other.initiateChat(person, { message: 'echo hi', maxTurns: 1, journal })
  expect(chatHistory.at(-1)!.content).toBe('exitcode: 0 (execution succeeded)\nCode output: undefined')
})
