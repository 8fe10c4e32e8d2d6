import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { withSnippets, type Read } from './snippets.ts'
import { root } from './workspace.ts'

const readTracked: Read = (file) => readFileSync(join(root, file), 'utf8')
const documents = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

it('shows in documents the code that the checks run (`pnpm fix` copies it)', () => {
  const stale = documents.filter((file) => readTracked(file) !== withSnippets(readTracked(file), readTracked))
  expect(stale).toEqual([])
})

it('has a fence for the code below each comment that names a file', () => {
  const lost = documents.filter((file) => /^<!-- from \S+ -->\n+(?!\n|```)/mu.test(readTracked(file)))
  expect(lost).toEqual([])
})

it('puts in a file, or a region of it without its indent', () => {
  const read: Read = () => 'before()\n  // #region part\n  if (a) {\n    b()\n  }\n  // #endregion\nafter()\n'
  const document = '<!-- from a.ts#part -->\n\n```ts\nold\n```\n\ntext\n\n<!-- from a.ts -->\n```js\n```\n'
  expect(withSnippets(document, read)).toBe(
    `<!-- from a.ts#part -->\n\n\`\`\`ts\n// Part of a.ts\nif (a) {\n  b()\n}\n\`\`\`\n\ntext\n\n<!-- from a.ts -->\n\`\`\`ts\n${read('').trim()}\n\`\`\`\n`,
  )
  const twice = () => '// #region part\na()\n// #endregion\nhidden()\n// #region part\nb()\n// #endregion\n'
  expect(withSnippets('<!-- from a.ts#part -->\n```ts\n```', twice)).toBe(
    '<!-- from a.ts#part -->\n```ts\n// Part of a.ts\na()\n\nb()\n```',
  )
  expect(() => withSnippets('<!-- from a.ts#other -->\n```ts\n```', read)).toThrow('no region `other`')
})

it('says where the whole program is: above the first part of a file, unless the part begins with its imports', () => {
  const read: Read = (file) =>
    `// #region all\nimport { a } from 'a'\na()\n// #endregion\n// #region one\n${file}()\n// #endregion\n`
  const fence = (part: string): string => `<!-- from ${part} -->\n\`\`\`ts\n\`\`\`\n`
  const shown = withSnippets(['a.ts#one', 'a.ts#one', 'b.ts#all', 'b.ts#one'].map(fence).join(''), read)
  expect(shown.match(/(?<=```ts\n).+/gu)).toEqual(['// Part of a.ts', 'a.ts()', "import { a } from 'a'", 'b.ts()'])
})
