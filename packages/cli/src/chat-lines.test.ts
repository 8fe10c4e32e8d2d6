import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { Lines, type LineSource } from './chat-lines.ts'

const { signal } = new AbortController()

/** Lines of a person at a terminal, and what they type there. */
function atTerminal(): { readonly lines: Lines; readonly typed: PassThrough; readonly shown: PassThrough } {
  const typed = Object.assign(new PassThrough(), { isTTY: true })
  const shown = Object.assign(new PassThrough(), { isTTY: true, columns: 40 })
  const source = { input: typed, output: shown, onInterrupt() {} } as unknown as LineSource
  return { lines: new Lines(source), typed, shown }
}

it('keeps the beginning of a line that is pasted behind another one', async () => {
  const { lines, typed } = atTerminal()
  const first = lines.ask('', signal)
  typed.write('one\rtwo\rthr')
  expect(await first).toBe('one')
  expect(await lines.ask('', signal)).toBe('two')
  const third = lines.ask('', signal)
  typed.write('ee\r')
  expect(await third).toBe('three')
})

it('takes no line that was typed before the question for a decision, and keeps it for the next message', async () => {
  const { lines, typed, shown } = atTerminal()
  const asked = new Promise<void>((resolve) =>
    shown.on('data', (text: Buffer) => {
      if (text.includes('Allow?')) resolve()
    }),
  )
  const first = lines.ask('', signal)
  typed.write('run it\ryes\r')
  expect(await first).toBe('run it')
  typed.write('y\ry')
  const decision = lines.decide('Allow? ', signal)
  await asked
  typed.write('no\r')
  expect(await decision).toBe('no')
  expect([await lines.ask('', signal), await lines.ask('', signal)]).toEqual(['yes', 'y'])
  const next = lines.ask('', signal)
  typed.write('es\r')
  expect(await next).toBe('yes')
})
