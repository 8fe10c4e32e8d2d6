import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makeTemporaryDirectory, removeTemporaryDirectory, sweepTemporaryDirectories } from './temporary-directory.ts'

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

test('directories of programs that were killed are removed, and no others', async () => {
  const parent = mkdtempSync(join(tmpdir(), 'sweep-'))
  const target = mkdtempSync(join(tmpdir(), 'target-'))
  const { pid: gone } = spawnSync(process.execPath, ['-e', ''])
  const stays = ['a-1', `x-exec-a-${gone}`, `x-exec-b-${gone}-c`, `x-exec-a-${process.pid}-c`, `x-exec-a-${gone}-link`]
  try {
    for (const name of [...stays.slice(0, -1), `x-exec-a-${gone}-c`])
      mkdirSync(join(parent, name, 'd'), { recursive: true })
    symlinkSync(target, join(parent, stays.at(-1)!))
    writeFileSync(join(parent, `x-exec-a-${gone}-file`), '')
    // As code leaves them that does not want to be removed.
    for (const name of ['d', '']) chmodSync(join(parent, `x-exec-a-${gone}-c`, name), 0o000)
    await sweepTemporaryDirectories(parent, 'x-exec-a-')
    expect(readdirSync(parent).toSorted()).toEqual([...stays, `x-exec-a-${gone}-file`].toSorted())
    expect(existsSync(target)).toBe(true)
  } finally {
    for (const path of [parent, target]) rmSync(path, { recursive: true })
  }
})
