import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// `pnpm check template` installs, tests and builds it from the packed packages.
test('the starter for providers is an adapter of under 150 lines', () => {
  const file = new URL('../../../templates/provider/src/acme.ts', import.meta.url)
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(150)
})
