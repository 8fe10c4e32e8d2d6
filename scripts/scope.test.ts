import { expect, it } from 'vitest'
import { originOf, renameRepository, renameScope } from './scope.ts'

it.each([
  ["import { XError } from '@x/kernel'", "import { XError } from '@acme/kernel'"],
  ['"name": "@x/agent"', '"name": "@acme/agent"'],
  ["'@x/agent@file:packages/agent':", "'@acme/agent@file:packages/agent':"],
  ['--conditions=@x/source', '--conditions=@acme/source'],
  ['node_modules/@x/agent', 'node_modules/@acme/agent'],
  ['npm create @x@latest my-agent', 'npm create @acme@latest my-agent'],
  ['"@x/kit": "^0.1.0"', '"@acme/kit": "^0.1.0"'],
  ['the `@x` packages, all of @x.', 'the `@acme` packages, all of @acme.'],
  ['mail@x.org, a@x/b, @xyz/kernel, @x-y/z, @x.org', 'mail@x.org, a@x/b, @xyz/kernel, @x-y/z, @x.org'],
])('%s', (text, renamed) => {
  expect(renameScope(text, 'x', 'acme')).toBe(renamed)
})

it('moves every address of the repository', () => {
  const from = 'https://forge.example/x/agents'
  const to = 'https://github.com/acme/agents'
  const text = (repository: string): string => `${JSON.stringify(originOf(repository, 'packages/kit'))} ${repository}.`
  expect(renameRepository(text(from), from, to)).toBe(text(to))
  const others = `${from}-next, ${from}2, https://forge.example/x/agents.io, https://forgeXexample/x/agents`
  expect(renameRepository(others, from, to)).toBe(others)
})
