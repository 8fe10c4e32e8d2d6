import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent, type ConversableAgent, tool, UserProxyAgent } from '@x/agent'
import { GroupChat, GroupChatManager } from '@x/group'
import type { Face } from '@x/interfaces'
import { openRecords, type Records, replay } from '@x/records'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { ALL, calls, resultOf } from './records-world.fake.ts'

let dir: string
let records: Records

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'records-'))
  records = openRecords(join(dir, 'runs.db'))
})

afterEach(() => {
  records.close()
  rmSync(dir, { recursive: true, force: true })
})

type FacedProgram = (face: Face, options: object, changed?: string) => Promise<unknown>

const clerkOf = (prompt: string, answer: Parameters<typeof functionModel>[0]): AssistantAgent =>
  new AssistantAgent({ name: 'clerk', systemMessage: prompt, llmConfig: functionModel(answer) })

const personOf = (name: string, reply: string): UserProxyAgent =>
  new UserProxyAgent({ name, humanInputMode: 'NEVER', codeExecutionConfig: false, defaultAutoReply: reply })

async function chat(face: Face, from: UserProxyAgent, to: ConversableAgent, options: object): Promise<unknown> {
  const given = { message: 'Hello.', silent: true, ...options }
  if (face === 'sync') return from.initiateChatSync(to, given)
  return face === 'async' ? await from.initiateChat(to, given) : await resultOf(from.initiateChatStream(to, given))
}

/** Programs of which one text is changed. A console is not told the messages of a silent run one by one, and a stream is. */
const PROGRAMS: Readonly<Record<string, FacedProgram>> = {
  async 'a run of an agent'(face, options, prompt = 'You sell tea.') {
    const clerk = clerkOf(prompt, ({ messages }) => (messages.at(-1)?.role === 'tool' ? 'It is 3.' : calls('price')))
    const tools = tool({
      ...{ name: 'price', description: 'The price.', parameters: z.object({ item: z.string() }), execute: () => '3' },
    })
    const given = { tools, ...options }
    if (face === 'sync') return clerk.runSync('How much?', given)
    return face === 'async' ? await clerk.run('How much?', given) : await resultOf(clerk.runStream('How much?', given))
  },
  'a silent chat': (face, options, prompt = 'You sell tea.') =>
    chat(
      face,
      personOf('user', 'On.'),
      clerkOf(prompt, () => 'Tea.'),
      { maxTurns: 2, ...options },
    ),
  'a silent chat without a call': (face, options, reply = 'Thanks.') =>
    chat(face, personOf('user', 'On.'), personOf('other', reply), { maxTurns: 1, ...options }),
  'a silent group that ends without a call': (face, options, reply = 'Thanks.') => {
    const members = [clerkOf('You sell tea.', () => 'Tea.'), personOf('ann', 'Cake.'), personOf('bob', reply)]
    const groupchat = new GroupChat({ agents: members, maxRound: 4, speakerSelectionMethod: 'round_robin' })
    return chat(face, personOf('user', 'On.'), new GroupChatManager({ groupchat }), options)
  },
}

const CASES = Object.entries(PROGRAMS).flatMap(([name, program]) =>
  ALL.flatMap((face) => ALL.map((other): [string, Face, Face, FacedProgram] => [name, face, other, program])),
)

it.each(CASES)('%s that is recorded in the face %s is the same in the face %s', async (_, face, other, program) => {
  await program(face, { tracer: records })
  const run = (await records.read((await records.list())[0]!.runId))!
  expect(await replay(run, (options) => program(other, options))).toEqual({ outcome: 'same' })
  expect(await replay(run, (options) => program(other, options, 'Changed.'))).toMatchObject({ outcome: 'differs' })
})
