import { expect, test } from 'vitest'
import { fencedCode } from './fenced-code.ts'

test.each<[string, [language: string, code: string][]]>([
  ['Run this:\n```python\nprint(1)\n```\n', [['python', 'print(1)']]],
  ['```\nprint(1)\n\nprint(2)\n```', [['', 'print(1)\n\nprint(2)']]],
  [
    '```sh\necho 1\n```\nand\n```python\n# filename: two.py\nprint(2)\n```',
    [
      ['sh', 'echo 1'],
      ['python', '# filename: two.py\nprint(2)'],
    ],
  ],
  ['  ```python\n  print(1)\n  ```', [['python', '  print(1)']]],
  ['just words', []],
  ['```python\nprint(1)', []],
])('%j', (text, blocks) => {
  expect(fencedCode.extractCode(text).map(({ language, code }) => [language, code])).toEqual(blocks)
})

test('the texts of a list are read, pictures are not', () => {
  const content = [
    { type: 'image_url' as const, image_url: { url: 'x' } },
    { type: 'text' as const, text: '```sh\nls\n```' },
  ]
  expect(fencedCode.extractCode(content)).toEqual([{ language: 'sh', code: 'ls' }])
  expect(fencedCode.extractCode(null)).toEqual([])
})
