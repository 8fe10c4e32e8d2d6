import { expect, it } from 'vitest'
import { isNamed, plainName, RISK_MARKS, riskOf } from './risk-marks.ts'

/** Names of the table, with a text in place of a `*`. */
const named = (kind: 'files' | 'directories'): string[] =>
  RISK_MARKS.flatMap((mark) => mark[kind] ?? []).map((name) => name.replace('*', 'x'))

/** Ways to write a name that some file system takes for the same. */
const disguises = (name: string): string[] => [
  name.toUpperCase(),
  `${name[0]}\u200C${name.slice(1)}`,
  `${name}\u2060`,
  `\uFEFF${name}`,
  `${name}.`,
  `${name} `,
  `${name}::$DATA`,
  Array.from(name, (sign) => (/[a-z]/iu.test(sign) ? String.fromCodePoint(sign.codePointAt(0)! + 0xfee0) : sign)).join(
    '',
  ),
]

it('marks every name of the table, however it is disguised, at every depth', () => {
  const paths = named('files').flatMap((name) => [name, ...disguises(name)].map((path) => [path, 'file'] as const))
  const below = named('directories').flatMap((name) =>
    [name, ...disguises(name)].flatMap((path) => [
      [path, 'directory'] as const,
      [`${path}/a/b.txt`, 'file'] as const,
      [path, 'link'] as const,
    ]),
  )
  const unmarked = [...paths, ...below].filter(([path, entry]) =>
    ['', 'packages/a/', 'x/y/z/'].some((depth) => !riskOf(depth + path, entry)?.reason),
  )
  expect(unmarked).toEqual([])
})

it('gives a reason in each row, and no name twice', () => {
  for (const kind of ['files', 'directories'] as const) {
    const names = RISK_MARKS.flatMap((mark) => mark[kind] ?? []).map(plainName)
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  }
  expect(new Set(RISK_MARKS.map(({ reason }) => reason)).size).toBe(RISK_MARKS.length)
})

it('leaves ordinary files alone', () => {
  const ordinary = [
    ...['src/index.ts', 'README.md', 'data.csv', 'out/result.json', 'main.py', 'tests/test_a.py', 'docs/guide.md'],
    ...[
      'config',
      'hooks/useThing.ts',
      'build/out.js',
      'git/x',
      'environment.ts',
      'report.html',
      'a.config.txt',
      'info',
    ],
  ]
  for (const name of ordinary) expect([name, riskOf(name, 'file')]).toEqual([name, undefined])
})

it('marks settings and hooks beside a file `HEAD`', () => {
  const isRepository = (directory: string): boolean => directory === 'bare'
  for (const name of ['bare/config', 'bare/hooks/post-checkout', 'bare/commondir', 'bare/HEAD'])
    expect([name, riskOf(name, 'file', isRepository)?.reason]).toEqual([name, expect.stringContaining('repository')])
  expect(riskOf('other/config', 'file', isRepository)).toBeUndefined()
})

it('finds names at every depth, and paths from the root', () => {
  expect(isNamed('packages/a/package.json', ['package.json'])).toBe(true)
  expect(isNamed('packages/a/package.json', ['packages/a/package.json'])).toBe(true)
  expect(isNamed('packages/b/package.json', ['packages/a/package.json'])).toBe(false)
  expect(isNamed('node_modules/.bin/tsc', ['node_modules/.bin'])).toBe(true)
  expect(isNamed('x/node_modules/.bin/tsc', ['node_modules/.bin'])).toBe(false)
  // What hides another name is not the name.
  for (const name of ['package.json:evil.pth', 'package.json.', 'package\u200C.json'])
    expect(isNamed(name, ['package.json'])).toBe(false)
})

it('marks names that Windows reads as others', () => {
  for (const name of [
    'PACKAG~1.JSO',
    'a/GIT~2/config',
    String.raw`a\.git\config`,
    String.raw`x\package.json`,
    'x:evil.pth',
    'a:.gradle',
  ])
    expect([name, riskOf(name, 'file')?.reason]).toEqual([name, expect.any(String)])
  for (const name of ['notes.txt~', 'a.~1~', '~1', 'a~b.txt']) expect(riskOf(name, 'file')).toBeUndefined()
})

it('marks packages that Python loads at its start, and what is installed', () => {
  for (const name of [
    ...[
      'sitecustomize/__init__.py',
      'lib/sitecustomize.cpython-313-x86_64-linux-gnu.so',
      'x.dist-info/entry_points.txt',
    ],
    ...[
      'evil.egg-info/entry_points.txt',
      'vendor/autoload.php',
      'gradle/wrapper/gradle-wrapper.jar',
      '.vscode-test.mjs',
    ],
  ])
    expect([name, riskOf(name, 'file')?.reason]).toEqual([name, expect.any(String)])
})
