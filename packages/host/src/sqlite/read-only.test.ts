import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { sqlite } from './sqlite.ts'

function folder(): string {
  const made = mkdtempSync(join(tmpdir(), 'chats-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

it('sees what other processes write after it was opened to read', async () => {
  const file = join(folder(), 'chats.db')
  await sqlite(file).close()
  const reader = sqlite(file, { readOnly: true })
  for (const id of ['a', 'b']) {
    expect(await reader.store.get(id)).toBeNull()
    const writer = sqlite(file)
    await writer.store.submit({ id, name: 'n', version: '1', input: null })
    expect(await reader.store.get(id)).toMatchObject({ id })
    await writer.close()
    expect(await reader.store.get(id)).toMatchObject({ id })
  }
  await reader.close()
  expect(() => reader.store.get('a')).toThrow('were closed by this program')
})

it.each([false, true])('names the file that cannot be opened, `readOnly: %s`', (readOnly) => {
  const file = join(folder(), 'none', 'chats.db')
  expect(() => sqlite(file, { readOnly })).toThrow(`cannot open the chats in \`${file}\` (`)
})
