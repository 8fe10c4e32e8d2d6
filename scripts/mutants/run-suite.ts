/** Runs the suite for providers on a mutant of a plugin, in this process, until a test fails. */
import { deepStrictEqual, ok } from 'node:assert'
import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Provider } from '../../packages/interfaces/src/index.ts'
import * as kit from '../../packages/provider-kit/src/index.ts'
import { providerContract, type ProviderContract } from '../../packages/testing/src/provider-contract/index.ts'
import { root } from '../workspace.ts'

/** A plugin with its test. */
export interface Plugin {
  readonly name: string
  /** Source of the plugin and of its test, from the root. */
  readonly file: string
  readonly test: string
  /** Name under which the plugin exports its provider. */
  readonly provider: string
}

/** Plugins whose mutants the suite has to catch. */
export const PLUGINS: readonly Plugin[] = [
  {
    name: 'template',
    file: 'templates/provider/src/acme.ts',
    test: 'templates/provider/src/acme.test.ts',
    provider: 'acme',
  },
  {
    name: 'cohere',
    file: 'examples/providers/cohere.ts',
    test: 'examples/providers/cohere.test.ts',
    provider: 'cohere',
  },
  {
    name: 'ollama',
    file: 'examples/providers/ollama-chat.ts',
    test: 'examples/providers/ollama-chat.test.ts',
    provider: 'ollamaChat',
  },
]

/** Returns the source of a file of the repository. */
export const sourceOf = (file: string): string => readFileSync(join(root, file), 'utf8')

/** A test of the suite. */
interface SuiteTest {
  readonly name: string
  readonly body: () => Promise<void>
}

/** Milliseconds after which a test counts as failed: a mutant may wait for ever. */
const TEST_TIMEOUT_MS = 5000

/** Returns the name of the first test that a plugin with this source fails; undefined if it passes all. */
export async function firstFailure(plugin: Plugin, source: string): Promise<string | undefined> {
  let tests: SuiteTest[]
  try {
    tests = testsOf(plugin, run(source, kit, plugin.provider) as Provider)
  } catch {
    return 'the module loads'
  }
  for (const { name, body } of tests) if (!(await passes(body))) return name
  return undefined
}

/** Tests of what the kit does for every plugin; they take most of the time, and leaving them out catches fewer mutants, never more. */
const KIT_TESTS = /bytes may be cut anywhere|after its time|^billing,/u

/** Collects the tests of a plugin. */
function testsOf(plugin: Plugin, provider: Provider): SuiteTest[] {
  const tests: SuiteTest[] = []
  const names = {
    describe: (_: string, body: () => void) => body(),
    test: (name: string, body: () => Promise<void>) => void tests.push({ name, body }),
    expect,
    // The account of budgets is that of `@x/model`, and has mutants of its own.
    model: undefined,
    providerContract: (_: unknown, contract: ProviderContract) =>
      providerContract({ describe: names.describe, test: names.test, expect }, contract),
    [plugin.provider]: provider,
  }
  run(sourceOf(plugin.test), names, 'undefined')
  return tests.filter(({ name }) => !KIT_TESTS.test(name))
}

/** Runs a file without its imports, which it gets as arguments. */
function run(source: string, names: Readonly<Record<string, unknown>>, result: string): unknown {
  const plain = stripTypeScriptTypes(source)
    .replaceAll(/^import [\s\S]*?from '[^']*'$/gmu, '')
    .replaceAll(/^export /gmu, '')
    .replaceAll('import.meta.url', "'file:///plugin.ts'")
  // oxlint-disable-next-line no-implied-eval -- a plugin of this repository, with one change
  return new Function(...Object.keys(names), `'use strict'\n${plain}\nreturn ${result}`)(...Object.values(names))
}

async function passes(body: () => Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => (timer = setTimeout(resolve, TEST_TIMEOUT_MS, false)))
  try {
    return await Promise.race([body().then(() => true), late])
  } catch {
    return false
  } finally {
    clearTimeout(timer)
  }
}

type Expectation = ReturnType<Parameters<typeof providerContract>[0]['expect']>

/** The assertions that suites use; quicker than those of a test runner, which describe what differs. */
function expect(value: unknown): Expectation {
  const contains = (expected: unknown): boolean => (value as string | unknown[]).includes(expected as string)
  return {
    toBe: (expected) => ok(Object.is(value, expected), `${String(value)} is not ${String(expected)}`),
    toEqual: (expected) => deepStrictEqual(plain(value), plain(expected)),
    toMatchObject: (expected) => ok(matches(value, expected)),
    toContain: (expected) => ok(contains(expected)),
    not: {
      toBe: (expected) => ok(!Object.is(value, expected)),
      toEqual: (expected) => ok(!isDeepStrictEqual(plain(value), plain(expected))),
      toMatchObject: (expected) => ok(!matches(value, expected)),
      toContain: (expected) => ok(!contains(expected)),
    },
  }
}

/** Returns a value without keys that are undefined, as `toEqual` compares. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || value instanceof Error) return value
  const entries = Object.entries(value).filter(([, each]) => each !== undefined)
  return Object.fromEntries(entries.map(([key, each]) => [key, plain(each)]))
}

function matches(value: unknown, expected: object): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(expected).every(([key, each]) => {
    const got: unknown = Reflect.get(value, key)
    return typeof each === 'object' && each !== null && !Array.isArray(each)
      ? matches(got, each as object)
      : isDeepStrictEqual(plain(got), plain(each))
  })
}
