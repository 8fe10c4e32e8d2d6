import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { functionModel } from '@x/testing'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ChatSession } from './chat-session.ts'
import { listChats } from './list-chats.ts'
import { createSessionAgents } from './session-agents.ts'

let parent: string
beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), 'chats-'))
})
afterEach(() => rmSync(parent, { recursive: true }))

it('lists only chats, the most recently changed first', () => {
  for (const [name, seconds] of [
    ['a', 2],
    ['b', 3],
    ['c', 1],
  ] as const) {
    const file = join(parent, name, 'chat.json')
    mkdirSync(join(parent, name))
    writeFileSync(file, '{}')
    utimesSync(file, seconds, seconds)
  }
  mkdirSync(join(parent, 'not-a-chat'))
  expect(listChats(parent).map(({ name }) => name)).toEqual(['b', 'a', 'c'])
  expect(listChats(join(parent, 'none'))).toEqual([])
})

it('uses the first message of the person as title, from the first turn on', async () => {
  const llmConfig = functionModel(() => 'Hello.')
  const session = new ChatSession({
    folder: join(parent, 'a'),
    agents: () => createSessionAgents({ llmConfig, systemMessage: '' }),
  })
  const titles = (): (string | null)[] => listChats(parent).map(({ title }) => title)
  expect(titles()).toEqual([])
  const first = session.say('Hi')
  expect(titles()).toEqual(['Hi'])
  await first.result
  await session.say('And?').result
  expect(titles()).toEqual(['Hi'])
  writeFileSync(join(parent, 'a', 'chat.json'), '{"version":')
  expect(titles()).toEqual([null])
})
