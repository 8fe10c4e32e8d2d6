import { readFileSync } from 'node:fs'
import { win32 } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeReader, contentText } from './code-reader.ts'
import { fencedCode } from './fenced-reading.ts'
import { readNameComment, nameFault, requestedName } from './file-name.ts'
import { inferLang } from './infer-lang.ts'
import { quietPip } from '../run/plan.ts'
import { extractCode, markdownCode } from './reference-reading.ts'
import { commandWarning } from './command-warning.ts'

type Pair = [language: string, code: string]
interface Vectors {
  texts: { text: string; extract_code: Pair[]; with_single_line: Pair[]; extractor: Pair[] }[]
  infer_lang: [code: string, language: string][]
  file_name: [line: string, outcome: { value?: string | null; error?: string }][]
  silence_pip: [language: string, code: string, quiet: string][]
  content_str: [content: unknown, outcome: { value?: string; error?: string }][]
}

/** How the reference reads code out of texts, recorded. */
const vectors = JSON.parse(readFileSync(new URL('code-reading.json', import.meta.url), 'utf8')) as Vectors
const pairs = (blocks: { language: string; code: string }[]): Pair[] => blocks.map((b) => [b.language, b.code])

describe('the readings of the Python library', () => {
  it.each(vectors.texts)('$text', ({ text, extract_code, with_single_line, extractor }) => {
    expect(pairs(extractCode(text))).toEqual(extract_code)
    expect(pairs(extractCode(text, { detectSingleLineCode: true }))).toEqual(with_single_line)
    expect(pairs(markdownCode(text))).toEqual(extractor)
  })

  it('equal those of its regular expressions for any text', () => {
    const blocks = (text: string): Pair[] =>
      [...text.matchAll(/```[ \t]*([\p{L}\p{N}_]+)?[ \t]*\r?\n(.*?)\r?\n[ \t]*```/gsu)].map(
        ([, language = '', code = '']) => [language, code],
      )
    const withTicks = (text: string): Pair[] =>
      [...text.matchAll(/```[ \t]*([\p{L}\p{N}_]+)?[ \t]*\r?\n([^\n]*?)\r?\n[ \t]*```|`([^`]+)`/gu)].flatMap(
        ([, language = '', code, single]): Pair[] =>
          code ? [[language, code.trim()]] : single ? [['', single.trim()]] : [],
      )
    const piece = fc.constantFrom(
      '```',
      '`',
      '\n',
      '\r',
      '\r\n',
      ' ',
      '\t',
      'x',
      'питон',
      '_',
      'a b',
      'c++',
      '\u2028',
      '\n```',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const text = pieces.join('')
        const expected = blocks(text)
        expect(pairs(markdownCode(text, () => ''))).toEqual(expected)
        expect(pairs(extractCode(text))).toEqual(expected.length > 0 ? expected : [['unknown', text]])
        expect(pairs(extractCode(text, { detectSingleLineCode: true }))).toEqual(withTicks(text))
      }),
      { numRuns: 2_000 },
    )
  })

  it.each(vectors.infer_lang)('the language of %j is %s', (code, language) => {
    expect(inferLang(code)).toBe(language)
  })

  it.each(vectors.file_name)('the file name in %j', (line, { value, error }) => {
    const named = readNameComment(line)
    if (error === undefined) expect(named?.name ?? null).toBe(value)
    else expect(nameFault(named!.name)).toBe('is not in the workspace')
  })

  it.each(vectors.silence_pip)('quiet pip in %s: %j', (language, code, quiet) => {
    expect(quietPip(code, language)).toBe(quiet)
  })

  it.each(vectors.content_str)('the text of %j', (content, { value, error }) => {
    const read = (): string => contentText(content as string)
    if (error === undefined) expect(read()).toBe(value)
    else expect(read).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })
})

describe('the reading by fences', () => {
  const table: [what: string, text: string, blocks: Pair[]][] = [
    [
      'a language that is not a word',
      '```c++\nint x;\n```\nprose\n```python\nprint(1)\n```',
      [
        ['c++', 'int x;'],
        ['python', 'print(1)'],
      ],
    ],
    ['a version', '```python3.11\nprint(1)\n```', [['python3.11', 'print(1)']]],
    ['a title', '```python title="a.py"\nprint(1)\n```', [['python', 'print(1)']]],
    ['braces', '```{python}\nprint(1)\n```', [['python', 'print(1)']]],
    ['braces with options', '```{python, echo=FALSE}\n1\n```', [['python', '1']]],
    ['tildes', '~~~sh\nls\n~~~', [['sh', 'ls']]],
    ['a longer fence round a shorter', '````markdown\n```python\n1\n```\n````', [['markdown', '```python\n1\n```']]],
    ['tildes round ticks', '~~~md\n```\nx\n```\n~~~', [['md', '```\nx\n```']]],
    ['never closed', 'Here:\n```python\nprint(1)', [['python', 'print(1)']]],
    ['never closed and empty', 'Here:\n```', []],
    ['an empty block', '```python\n```', [['python', '']]],
    ['a list', '1. do\n   ```python\n   if x:\n     y()\n   ```', [['python', 'if x:\n  y()']]],
    ['in the line of a bullet', '- ```sh\n  ls\n  ```', [['sh', 'ls']]],
    ['a quote', '> ```sh\n> ls\n> ```', [['sh', 'ls']]],
    ['CRLF', '```python\r\na\r\nb\r\n```\r\n', [['python', 'a\nb']]],
    ['ticks inside a line', 'use ```x``` here', []],
    ['text before the ticks', 'text ```python\n1\n```', []],
    ['a closing fence that is longer', '```sh\nls\n`````', [['sh', 'ls']]],
    ['a fence with a language does not close', '```md\n```python\n```\nafter', [['md', '```python']]],
    ['an upper-case language', '```Python\nx\n```', [['Python', 'x']]],
    [
      'a fence in a docstring',
      '```python\n"a"\n    ```\n    b\n    ```\n```\nafter',
      [['python', '"a"\n    ```\n    b\n    ```']],
    ],
    ['a fence behind a tab', '```python\n\t```\n```', [['python', '\t```']]],
    ['a fence that closes a little further in', '```sh\nls\n   ```\nafter', [['sh', 'ls']]],
    ['a fence that closes further out', '    ```sh\n    ls\n```\nafter', [['sh', 'ls']]],
    ['a docstring in a list', '10. do\n    ```py\n        ```\n    ```', [['py', '    ```']]],
    ['a list in a quote', '> 10. ```sh\n>     ls\n>     ```\nafter', [['sh', '    ls']]],
    ['a docstring in a quote', '> ```py\n>     ```\n> ```', [['py', '    ```']]],
    ['tabs', '\t```sh\n\tls\n\t```\nafter', [['sh', 'ls']]],
  ]
  it.each(table)('%s', (_, text, blocks) => {
    expect(pairs(fencedCode(text))).toEqual(blocks)
  })

  it('returns any code that was fenced', () => {
    const line = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll(/[\r\n]/gu, ' '))
    fc.assert(
      fc.property(fc.array(line, { minLength: 1 }), fc.constantFrom('`', '~'), (lines, tick) => {
        const longest = Math.max(2, ...lines.map((text) => text.trim().length))
        const code = lines.join('\n')
        const fence = tick.repeat(longest + 1)
        expect(pairs(fencedCode(`${fence}python\n${code}\n${fence}\n`))).toEqual([['python', code]])
      }),
    )
  })

  it('recognizes fences as one expression would, and removes quote marks', () => {
    const opening = /^(?<indent>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+|>[ \t]?)*)(?<fence>`{3,}|~{3,})(?<info>.*)$/u
    const piece = fc.constantFrom(
      '`',
      '```',
      '~',
      '~~~',
      ' ',
      '\t',
      '> ',
      '>',
      '- ',
      '-',
      '1. ',
      '12',
      '.',
      'x',
      '\r',
      '\u2028',
    )
    const mark = fc.constantFrom('> ', '>', ' ', '\t')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), fc.array(mark, { maxLength: 6 }), (first, second) => {
        // Carriage returns before the line end would belong to that.
        const line = first.join('').replace(/\r+$/u, '')
        const body = `${second.join('')}y`
        const { indent = '', fence, info = '' } = opening.exec(line)?.groups ?? {}
        const inline = fence?.startsWith('`') === true && info.includes('`')
        const blocks = fencedCode(`${line}\n${body}\nz`)
        expect(blocks.length).toBe(fence === undefined || inline ? 0 : 1)
        if (blocks.length > 0 && indent.includes('>')) {
          expect(blocks[0]!.code).toBe(`${body.replace(/^(?:[ \t]*>[ \t]?)+/u, '')}\nz`)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('infers missing labels, and leaves unknown ones empty', () => {
    const text = '```\npip install x\n```\n```\nx = 1\n```\n```\nhello world\n```'
    expect(
      codeReader()
        .extractCode(text)
        .map((block) => block.language),
    ).toEqual(['sh', 'python', ''])
  })
})

describe('file names', () => {
  it.each([
    ['# This is a comment', null],
    ['# -*- coding: utf-8 -*-', null],
    ['# a.py', 'a.py'],
    ['# sub/a.py', 'sub/a.py'],
    ['# see https://example.com/a.py', null],
    ['# version 1.2', null],
    ['# filename: notes', 'notes'],
    ['// a.js', 'a.js'],
    ['print(1)', null],
  ])('%j asks for %j', (line, name) => {
    expect(requestedName(line)).toBe(name)
  })

  it.each([
    '../x.py',
    '/tmp/x.py',
    'sub/../../x',
    '..',
    '.',
    '',
    'a\0.py',
    'a\n.py',
    `${'x'.repeat(300)}.py`,
    '-rf',
    'a/-rf',
    'a\u202Egpj.py',
    '\u200Bx.py',
    'x\u061Cy.py',
    'a\u{E0041}.py',
    'a\u3164.py',
    'a\uFE0F.py',
    'a\u00AD.py',
    '\uFEFFa.py',
    'a//b.py',
    'a/',
    '\u001b[2J.py',
    'C:\\x.py',
    'C:x.py',
    '\\\\host\\x',
  ])('refuses %j', (name) => {
    expect(nameFault(name)).not.toBeNull()
  })

  it.each(['a.py', 'sub/a.py', '$(id).sh', "it's.py", 'ü.py', '...py', '~/a.py'])('takes %j', (name) => {
    expect(nameFault(name)).toBeNull()
  })
})

describe('a file name on Windows', () => {
  it.each([
    ['..\\x.py', 'is not in the workspace'],
    ['sub\\..\\..\\x.py', 'is not in the workspace'],
    ['C:\\x.py', 'is not in the workspace'],
    ['C:x.py', 'is not in the workspace'],
    ['\\\\host\\share\\x.py', 'is not in the workspace'],
    ['sub\\\\x.py', 'is not a file name'],
    ['a.py:stream', 'is not a file name'],
    ['NUL', 'is not a file name'],
    ['sub\\con.py', 'is not a file name'],
    ['LPT1.txt', 'is not a file name'],
    ['a.py.', 'is not a file name'],
    ['a.py ', 'is not a file name'],
    ['sub\\-rf', 'starts with `-`, like an option'],
    ['sub\\a.py', null],
    ['console.py', null],
  ])('%j: %j', (name, fault) => {
    expect(nameFault(name, true)).toBe(fault)
  })

  it('never leaves the workspace, however it is composed', () => {
    const part = fc.constantFrom('..', '.', '', 'a', 'C:', 'nul', 'x.py', ' ', '..\u0000')
    fc.assert(
      fc.property(fc.array(fc.tuple(part, fc.constantFrom('/', '\\')), { minLength: 1 }), (parts) => {
        const name = parts.flat().join('').slice(0, -1)
        if (nameFault(name, true) !== null) return
        const there = win32.resolve('C:\\work', name)
        expect(there.startsWith('C:\\work\\')).toBe(true)
      }),
    )
  })
})

it('warns of a shell line as the expression of the Python library does', () => {
  const piece = fc.constantFrom('mv', 'mv a', ' ', '\t', '\n', '\r', '\u2028', '/dev/null', '/dev/nul', 'x', '-')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const code = pieces.join('')
      expect(commandWarning(code) !== null).toBe(/\bmv\b.*?\s+\/dev\/null/u.test(code))
    }),
    { numRuns: 2_000 },
  )
})
it.each([
  ['echo hi', null],
  ['rm -rf /', 'deletes by `rm -rf`'],
  ['mv a /dev/null', 'moves files to `/dev/null`'],
  ['dd if=/dev/zero', 'calls `dd`'],
  ['echo > /dev/sda', 'overwrites a disk'],
  [':(){ :|:& };:', 'is a fork bomb'],
])('%j: %j', (code, warning) => {
  expect(commandWarning(code)).toBe(warning)
})
