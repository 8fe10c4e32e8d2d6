import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeOwnDirectory, removeOwnDirectory } from './own-directory.ts'

test('directories of many executors listen once for the end, and no longer than they are there', async () => {
  const before = process.listenerCount('exit')
  const directories = Array.from({ length: 12 }, makeOwnDirectory)
  for (const directory of directories) writeFileSync(join(directory, 'a.txt'), 'a')
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const directory of directories) await removeOwnDirectory(directory)
  expect([directories.some(existsSync), process.listenerCount('exit')]).toEqual([false, before])
})

test('a directory that was given is left alone', async () => {
  const given = mkdtempSync(join(tmpdir(), 'given-'))
  await removeOwnDirectory(given)
  expect(existsSync(given)).toBe(true)
  rmSync(given, { recursive: true })
})
