import type { CacheStore, StoredAnswer } from '@x/interfaces'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { moveAside } from './answer-file.ts'
import { createDiskCache } from './disk-cache.ts'
import { answerOf } from '../fakes/provider.fake.ts'

const stored = (text: string): StoredAnswer => ({ answer: answerOf('m', text), cost: 0.5 })

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'x-cache-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function disk(dir: string): CacheStore {
  const cache = createDiskCache({ dir })
  onTestFinished(() => cache.close?.())
  return cache
}

function locked(dir: string, how: string): DatabaseSync {
  const other = new DatabaseSync(join(dir, 'answers.db'))
  other.exec(how)
  return other
}

describe('a file that another process holds', () => {
  test('a lookup is a miss or finds an older answer, and a write is made later', async () => {
    const dir = folder()
    const cache = disk(dir)
    await cache.set('before', stored('before'))
    const other = locked(dir, 'BEGIN IMMEDIATE')
    expect(await cache.get('a')).toBeUndefined()
    await cache.set('a', stored('a'))
    expect(await cache.get('before')).toEqual(stored('before'))
    other.exec('ROLLBACK')
    other.close()
    await cache.close?.()
    expect(await disk(dir).get('a')).toEqual(stored('a'))
  })

  test('has what was written meanwhile, for the one who wrote it', async () => {
    const dir = folder()
    const cache = disk(dir)
    await cache.set('before', stored('before'))
    const other = locked(dir, 'BEGIN IMMEDIATE')
    for (const text of ['one', 'two']) await cache.set('a', stored(text))
    expect(await cache.get('a')).toEqual(stored('two'))
    other.close()
  })

  test('is a miss while it is created, and not an error', async () => {
    const dir = folder()
    const other = locked(dir, 'PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE; CREATE TABLE t(a)')
    const cache = disk(dir)
    expect(await cache.get('a')).toBeUndefined()
    await cache.set('a', stored('a'))
    other.exec('COMMIT')
    other.close()
    expect(await cache.get('a')).toEqual(stored('a'))
  })
})

test.each([
  ['garbage', (file: string) => writeFileSync(file, 'garbage '.repeat(2000))],
  ['a database that was written over', (file: string) => writeFileSync(file, 'x'.repeat(4096), { flag: 'r+' })],
])('%s is moved aside, which is said once, and a new file begins', async (_, damage) => {
  const dir = folder()
  const first = createDiskCache({ dir })
  await first.set('a', stored('a'))
  await first.close?.()
  damage(join(dir, 'answers.db'))
  const cache = disk(dir)
  await expect(async () => await cache.get('a')).rejects.toThrow(
    /answers\.db` was damaged \(.+\): it was moved to `.+\.damaged-\d+`, and a new cache begins/u,
  )
  expect(await cache.get('a')).toBeUndefined()
  await cache.set('a', stored('b'))
  expect(await cache.get('a')).toEqual(stored('b'))
  expect(readdirSync(dir).filter((name) => name.includes('damaged'))).toHaveLength(1)
})

test('a damaged file that another process has replaced is not moved aside', () => {
  const path = join(folder(), 'answers.db')
  writeFileSync(path, 'of the other one')
  expect(moveAside(path, statSync(path).ino + 1, 'damaged')).toBeUndefined()
  expect(existsSync(path)).toBe(true)
})

test('a file of a newer version is refused, and left as it is', async () => {
  const dir = folder()
  const first = createDiskCache({ dir })
  await first.set('a', stored('a'))
  await first.close?.()
  const other = locked(dir, 'PRAGMA user_version = 2')
  const cache = disk(dir)
  const refused = {
    code: 'unknown-state-version',
    details: { version: 2, known: [1] },
    message: expect.stringMatching(/answers\.db`: .*update `@x\/model`/u) as string,
  }
  await expect(async () => await cache.get('a')).rejects.toMatchObject(refused)
  await expect(async () => await cache.set('b', stored('b'))).rejects.toMatchObject(refused)
  expect(other.prepare('SELECT key FROM answers').all()).toEqual([{ key: '/a' }])
  other.close()
  expect(readdirSync(dir).filter((name) => name.includes('damaged'))).toEqual([])
})

test('an entry that is not JSON is a miss', async () => {
  const dir = folder()
  const cache = disk(dir)
  await cache.set('a', stored('a'))
  const other = locked(dir, 'UPDATE answers SET answer = \'{"answer":\'')
  other.close()
  expect(await cache.get('a')).toBeUndefined()
})

describe.skipIf(process.platform === 'win32')('files', () => {
  const modeOf = (path: string): number => statSync(path).mode & 0o777

  test('belong to their owner alone, those of an older version too', async () => {
    const dir = join(folder(), 'new')
    await disk(dir).set('a', stored('a'))
    const files = readdirSync(dir)
    expect(files).toEqual(expect.arrayContaining(['answers.db', 'answers.db-wal']))
    for (const file of files) expect([file, modeOf(join(dir, file))]).toEqual([file, 0o600])
    expect(modeOf(dir)).toBe(0o700)

    const old = folder()
    writeFileSync(join(old, 'answers.db'), '', { mode: 0o644 })
    await disk(old).set('a', stored('a'))
    expect(modeOf(join(old, 'answers.db'))).toBe(0o600)
  })

  test.each(['answers.db', 'answers.db-wal', 'answers.db-shm'])('a link `%s` is not followed', async (name) => {
    const dir = folder()
    const elsewhere = join(folder(), 'elsewhere')
    symlinkSync(elsewhere, join(dir, name))
    const cache = disk(dir)
    await expect(async () => await cache.get('a')).rejects.toThrow()
    expect(existsSync(elsewhere)).toBe(false)
  })

  test('a folder that is a link is not followed', async () => {
    const parent = folder()
    mkdirSync(join(parent, 'real'))
    symlinkSync(join(parent, 'real'), join(parent, 'link'))
    await expect(async () => await disk(join(parent, 'link')).get('a')).rejects.toThrow(/link`: it is a symbolic link/u)
    expect(readdirSync(join(parent, 'real'))).toEqual([])
  })
})
