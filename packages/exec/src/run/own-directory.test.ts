import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeOwnDirectory, removeOwnDirectory } from './own-directory.ts'

test('directories of many executors listen once for the end, and no longer than they are there', () => {
  const before = process.listenerCount('exit')
  const directories = Array.from({ length: 12 }, makeOwnDirectory)
  for (const directory of directories) writeFileSync(join(directory, 'a.txt'), 'a')
  expect(process.listenerCount('exit')).toBe(before + 1)
  for (const directory of directories) removeOwnDirectory(directory)
  expect([directories.some(existsSync), process.listenerCount('exit')]).toEqual([false, before])
})

test('a directory that was given is left alone', () => {
  const given = mkdtempSync(join(tmpdir(), 'given-'))
  removeOwnDirectory(given)
  expect(existsSync(given)).toBe(true)
  rmSync(given, { recursive: true })
})
