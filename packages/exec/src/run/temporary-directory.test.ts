import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryDirectory, removeTemporaryDirectory } from './temporary-directory.ts'

test('temporary directories share one exit listener, which goes with the last of them', async () => {
  const before = process.listenerCount('exit')
  const directories = Array.from({ length: 12 }, makeTemporaryDirectory)
  for (const directory of directories) writeFileSync(join(directory, 'a.txt'), 'a')
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const directory of directories) await removeTemporaryDirectory(directory)
  expect([directories.some(existsSync), process.listenerCount('exit')]).toEqual([false, before])
})

test('a directory of the user is not removed', async () => {
  const given = mkdtempSync(join(tmpdir(), 'given-'))
  await removeTemporaryDirectory(given)
  expect(existsSync(given)).toBe(true)
  rmSync(given, { recursive: true })
})
