import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

// `pnpm check template` installs, tests and builds them from the packed packages.
test.each(['provider', 'executor'])('the starter of a %s has under 170 lines', (name) => {
  const file = new URL(`../../../templates/${name}/src/acme.ts`, import.meta.url)
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThan(170)
})
