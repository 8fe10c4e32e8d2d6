import type { Provider } from '@x/interfaces'
import { providerContract } from '@x/testing/provider-contract'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { expect, test } from 'vitest'
import * as kit from './index.ts'
import { MUTATIONS } from './template-mutations.fake.ts'

const FOLDER = new URL('../../../templates/provider/src/', import.meta.url)
const sourceOf = (name: string): string => readFileSync(new URL(name, FOLDER), 'utf8')

/** Runs a file of the template without its imports, which it gets as arguments. */
function run(source: string, names: Readonly<Record<string, unknown>>, result: string): unknown {
  const plain = stripTypeScriptTypes(source)
    .replaceAll(/^import [\s\S]*?from '[^']*'$/gmu, '')
    .replaceAll(/^export /gmu, '')
    .replaceAll('import.meta.url', "'file:///acme.ts'")
  // oxlint-disable-next-line no-implied-eval -- the template, with one line changed
  return new Function(...Object.keys(names), `${plain}\nreturn ${result}`)(...Object.values(names))
}

/** Runs the tests of the template on a provider until one fails; gives that one's name. */
async function firstFailure(acme: Provider): Promise<string | undefined> {
  const tests: [name: string, body: () => Promise<void>][] = []
  const runner = {
    describe: (_: string, body: () => void) => body(),
    test: (name: string, body: () => Promise<void>) => void tests.push([name, body]),
    expect,
  }
  run(sourceOf('acme.test.ts'), { providerContract, ...runner, acme, model: undefined }, 'undefined')
  // Those that cut every byte take most of the time.
  const [slow, fast] = [
    tests.filter(([name]) => name.includes('anywhere')),
    tests.filter(([name]) => !name.includes('anywhere')),
  ]
  for (const [name, body] of [...fast, ...slow]) {
    try {
      await body()
    } catch {
      return name
    }
  }
  return undefined
}

const SOURCE = sourceOf('acme.ts')
const mutant = (source: string): Provider => run(source, kit, 'acme') as Provider

test('the template passes the suite for providers', async () => {
  expect(await firstFailure(mutant(SOURCE))).toBeUndefined()
})

test.each(Object.entries(MUTATIONS))('the suite catches that %s', async (_, [part, instead]) => {
  expect(SOURCE.split(part)).toHaveLength(2)
  expect(await firstFailure(mutant(SOURCE.replace(part, () => instead)))).toBeDefined()
})
