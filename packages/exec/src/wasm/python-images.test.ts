import { afterAll, expect, it, vi } from 'vitest'
import { createCodeExecutor } from '../create-code-executor.ts'
import { findImage, keepImage, imageOf, latestImage } from './python-images.ts'

afterAll(() => void vi.useRealTimers())

it('keeps the last used image for two minutes, for equal Pythons', () => {
  vi.useFakeTimers()
  const image = imageOf('a', new Uint8Array([1, 2]))
  keepImage(image)
  vi.advanceTimersByTime(100_000)
  expect([findImage('b'), findImage('a')]).toEqual([null, image])
  vi.advanceTimersByTime(100_000)
  expect(latestImage()).toBe(image)
  vi.advanceTimersByTime(30_000)
  expect([findImage('a'), latestImage()]).toEqual([null, null])
  vi.useRealTimers()
})

it('is shared by executors and both kinds of calls, but not between environments', async () => {
  const block = [{ language: 'python', code: 'import os\nprint(os.environ.get("A"))' }]
  await using first = createCodeExecutor('wasm', { env: { A: '1' } })
  expect((await first.executeCodeBlocks(block)).output).toBe('1\n')
  const image = latestImage()
  expect(image!.memory.byteLength).toBeGreaterThan(2 ** 20)
  await using second = createCodeExecutor('wasm', { env: { A: '1' } })
  expect((await second.executeCodeBlocks(block)).output).toBe('1\n')
  expect(second.executeCodeBlocksSync(block).output).toBe('1\n')
  expect(latestImage()).toBe(image)
  await using other = createCodeExecutor('wasm', { env: { A: '2' } })
  expect(other.executeCodeBlocksSync(block).output).toBe('2\n')
  // Made by the thread, and known here.
  expect(latestImage()).not.toBe(image)
}, 120_000)
