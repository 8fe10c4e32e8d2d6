import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const read = (file: string): string => readFileSync(new URL(`../../../../${file}`, import.meta.url), 'utf8')

test.each(['acme.ts', 'acme.test.ts'])('the starter template holds the tested %s', (file) => {
  expect(read(`templates/provider/src/${file}`)).toBe(read(`apps/conformance/src/acme/${file}`))
})

test('the example on the page is under 150 lines', () => {
  expect(read('apps/conformance/src/acme/acme.ts').split('\n').length).toBeLessThan(150)
})
