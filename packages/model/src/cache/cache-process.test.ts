import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { createDiskCache } from './disk-cache.ts'

const SCRIPT = fileURLToPath(new URL('cache-process.fake.ts', import.meta.url))

function folder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'x-cache-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

function start(dir: string, operations: number) {
  const child = spawn(process.execPath, ['--conditions=@x/source', SCRIPT, dir, String(operations)])
  let errors = ''
  child.stderr.on('data', (data: Buffer) => (errors += data.toString()))
  return { child, ended: once(child, 'close'), working: once(child.stdout, 'data'), errors: () => errors }
}

test('eight processes at once: no error, no corrupt answer, no output', async () => {
  const dir = folder()
  const all = Array.from({ length: 8 }, () => start(dir, 600))
  const ends = await Promise.all(all.map(({ ended }) => ended))
  expect(all.map(({ errors }) => errors())).toEqual(Array.from({ length: 8 }, () => ''))
  expect(ends).toEqual(Array.from({ length: 8 }, () => [0, null]))
}, 60_000)

test('a process killed while it writes leaves a cache that works', async () => {
  const dir = folder()
  const { child, working, ended } = start(dir, 1e9)
  await working
  child.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  const cache = createDiskCache({ dir })
  let hits = 0
  for (let i = 0; i < 50; i++) {
    const answer = await cache.get(`k${i}`)
    if (!answer) continue
    hits++
    expect(answer.answer.choices[0]!.message.content).toBe(`k${i}`.repeat(500))
  }
  expect(hits).toBeGreaterThan(0)
  await cache.set('after', (await cache.get(`k0`)) ?? { answer: {} as never, cost: 0 })
  expect(await cache.get('after')).toBeDefined()
  await cache.close?.()
}, 60_000)

test('eight processes at once, three of them killed while they write: the others are not affected', async () => {
  const dir = folder()
  const all = Array.from({ length: 8 }, (_, i) => start(dir, i < 3 ? 1e9 : 400))
  await Promise.all(all.map(({ working }) => working))
  for (const { child } of all.slice(0, 3)) child.kill('SIGKILL')
  const ends = await Promise.all(all.map(({ ended }) => ended))
  expect(ends.slice(0, 3)).toEqual(Array.from({ length: 3 }, () => [null, 'SIGKILL']))
  expect(ends.slice(3)).toEqual(Array.from({ length: 5 }, () => [0, null]))
  expect(all.map(({ errors }) => errors()).join('')).toBe('')
  const cache = createDiskCache({ dir })
  for (let i = 0; i < 50; i++) {
    const stored = await cache.get(`k${i}`)
    if (stored) expect(stored.answer.choices[0]!.message.content).toBe(`k${i}`.repeat(500))
  }
  await cache.close?.()
}, 60_000)
