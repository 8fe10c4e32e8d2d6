import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listChats } from './chat-folders.ts'

it('lists chats, the one that changed last first', () => {
  const parent = mkdtempSync(join(tmpdir(), 'chats-'))
  try {
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
  } finally {
    rmSync(parent, { recursive: true })
  }
})
