import type { EventBody } from '@x/interfaces'
import { eventOutside } from '@x/kernel/run'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { consoleIo } from '../index.ts'
import { printable } from './console-io.ts'

describe('printable', () => {
  it.each([
    ['plain\ttext\n', 'plain\ttext\n'],
    ['\u001B]0;title\u0007\u001B[2J', '␛]0;title␇␛[2J'],
    ['a\rb', 'ab'],
    ['\u009B31m', '\uFFFD31m'],
    ['abc\u202Edcba', 'abc\uFFFDdcba'],
    ['del\u007F', 'del␡'],
    ['naïve 猫 🐈', 'naïve 猫 🐈'],
    ['a\u061Cb\u200Ec\u200Fd', 'a\uFFFDb\uFFFDc\uFFFDd'],
    ['rm\u200B -\u2060rf\uFEFF\u00AD\u3164', 'rm\uFFFD -\uFFFDrf\uFFFD\uFFFD\uFFFD'],
    ['say\u{E0068}\u{E0069}', 'say\uFFFD\uFFFD'],
    ['a\u2028b\u2029c\uFFF9d', 'a\uFFFDb\uFFFDc\uFFFDd'],
    // Joiners and selectors where they shape nothing.
    ['a\u200Db\u200Cc\uFE0Fd', 'a\uFFFDb\uFFFDc\uFFFDd'],
    ['猫\u{E0101}\u{E0102}\u200D\u200D', '猫\u{E0101}\uFFFD\u200D\uFFFD'],
    // And where they belong.
    ['❤\uFE0F\u200D🔥 1\uFE0F\u20E3 👩\u200D💻 می\u200Cروم', '❤\uFE0F\u200D🔥 1\uFE0F\u20E3 👩\u200D💻 می\u200Cروم'],
  ])('shows %j as %j', (text, shown) => {
    expect(printable(text)).toBe(shown)
  })
})

describe('the console', () => {
  afterEach(() => void vi.restoreAllMocks())

  it('is never sent an escape sequence that a model or a tool wrote', async () => {
    const lines: unknown[] = []
    for (const method of ['log', 'warn'] as const) {
      vi.spyOn(console, method).mockImplementation((...all: unknown[]) => void lines.push(...all))
    }
    const io = consoleIo()
    const evil = '\u001B[2Jgone\u0007'
    const shown: readonly EventBody[] = [
      { type: 'receivedMessage', agent: 'a', sender: evil, recipient: 'b', message: { content: evil }, index: 0 },
      { type: 'executeFunction', agent: 'a', funcName: evil, callId: null, arguments: { evil }, recipient: 'b' },
      { type: 'warning', agent: null, topic: 'a', text: evil },
    ]
    for (const event of shown) await io.send(eventOutside(event, 0))
    expect(lines).toHaveLength(3)
    expect(lines.join('')).not.toMatch(/(?![\t\n])\p{Cc}/u)
  })
})
