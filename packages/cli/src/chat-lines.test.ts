import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Lines, type LineSource } from './chat-lines.ts'

it('keeps the beginning of a line that is pasted behind another one', async () => {
  const typed = Object.assign(new PassThrough(), { isTTY: true })
  const shown = Object.assign(new PassThrough(), { isTTY: true, columns: 40 })
  const source = { input: typed, output: shown, onInterrupt() {} } as unknown as LineSource
  const lines = new Lines(source)
  const { signal } = new AbortController()
  const first = lines.ask('', signal)
  typed.write('one\rtwo\rthr')
  expect(await first).toBe('one')
  expect(await lines.ask('', signal)).toBe('two')
  const third = lines.ask('', signal)
  typed.write('ee\r')
  expect(await third).toBe('three')
})
