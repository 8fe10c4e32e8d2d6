import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'

const moduleOf = (file: string): string => JSON.stringify(new URL(file, import.meta.url).href)

/** Calls functions with texts of megabytes, and writes the beginnings of what they return. */
const PROGRAM = `
import { contentText, toolContent } from ${moduleOf('content-parts.ts')}
import { redact } from ${moduleOf('redact.ts')}
const long = (text) => text + 'a'.repeat(9_000_000)
const image = (url) => [{ type: 'image_url', image_url: { url } }]
const file = (data) => [{ type: 'file', file: { file_data: 'data:application/pdf;base64,' + data } }]
const told = [
  redact(long('sk-'), []),
  redact(long('https://a.example/?') + '=b', []),
  redact(long('https://a.example/?key='), []),
  redact('the key sk-0123456789abcdef', []),
  redact(long('password='), []),
  redact(long('"token":"') + '"', []),
  redact(long('eyJ'), []),
  redact('token='.repeat(1_500_000), []),
  toolContent(image(long('data:image/png;base64,'))),
  toolContent(file(long(''))),
  contentText(image(long('data:image/'))),
]
console.log(JSON.stringify(told.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)).slice(0, 50))))
`

it('texts of megabytes are read in a program of which V8 no longer optimizes the regular expressions', () => {
  // With many of them, a repetition needs memory for each character, and fails at about eight megabytes.
  const flags = ['--no-regexp-optimization', '--conditions=@x/source', '--no-warnings', '--input-type=module']
  const told = execFileSync(process.execPath, [...flags, '-e', PROGRAM], { encoding: 'utf8' })
  expect(JSON.parse(told)).toEqual([
    '[redacted]',
    '[redacted]',
    '[redacted]',
    'the key [redacted]',
    '[redacted]',
    '[redacted]',
    '[redacted]',
    '[redacted]',
    '{"parts":[{"type":"text","text":"[image: image/png',
    '{"parts":[{"type":"file","file":{"file_data":"data',
    `[image: image/${'a'.repeat(36)}`,
  ])
})
