import type { ModelCallOptions, ModelParams } from '@x/interfaces'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { callInThread, findThreadFile, importable } from './blocking.ts'

const request = { model: 'any', messages: [{ role: 'user' as const, content: 'Hi' }] }
const answer = `{ choices: [{ index: 0, message: { role: 'assistant', content: 'later' } }], usage: null }`

/** Makes a provider of a text of JavaScript, in a file that the thread imports. */
function blocking(
  create: string,
  { params = request, options = {} }: { params?: ModelParams; options?: ModelCallOptions } = {},
): () => unknown {
  const folder = mkdtempSync(join(tmpdir(), 'x-blocking-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'acme.mjs')
  writeFileSync(file, `export const acme = { createClient: () => ({ create: ${create} }) }`)
  const module = { specifier: 'acme', export: 'acme', url: pathToFileURL(file).href }
  return () => callInThread({ module, config: {}, params, method: 'create' }, options)
}

test('an unawaited error of a provider is the error of the call, and the next call gets a new thread', () => {
  const failing = blocking(`() => new Promise(() => setImmediate(() => { throw new TypeError('nobody waits') }))`)
  expect(failing).toThrow(expect.objectContaining({ name: 'TypeError', message: 'nobody waits' }))
  expect(blocking(`async () => (${answer})`)()).toMatchObject({ choices: [{ message: { content: 'later' } }] })
})

test('a provider that ends the thread is an error of the call', () => {
  expect(blocking('() => process.exit(3)')).toThrow(
    expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('blocking call') as unknown }),
  )
})

test('a runtime without threads says so', () => {
  const call = blocking(`async () => (${answer})`)
  const { process } = globalThis
  // The thread of an earlier test would still answer.
  expect(blocking('() => process.exit(3)')).toThrow()
  try {
    Object.assign(globalThis, { process: undefined })
    expect(call).toThrow(
      expect.objectContaining({ code: 'invalid-state', message: expect.stringContaining('no threads') as unknown }),
    )
  } finally {
    Object.assign(globalThis, { process })
  }
})

describe('a blocking call reports', () => {
  const failing = `{ throw new Error('no') }`
  test.each<[string, string, ModelParams, boolean[]]>([
    ['what its client reports', `(_, { onSend }) => { onSend(false); onSend(); ${failing} }`, request, [false, true]],
    [
      'that it turned out not to have left',
      `(_, { onSend }) => { onSend(); onSend(false); ${failing} }`,
      request,
      [true, false],
    ],
    ['nothing of a client that reports nothing', `() => ${failing}`, request, []],
    ['that a request did not leave which the thread cannot take', '() => {}', { ...request, live: () => 1 }, [false]],
  ])('%s', (_, create, params, reports) => {
    const heard: unknown[] = []
    const onSend = (hasLeft?: boolean): boolean => heard.push(hasLeft) > 0
    expect(blocking(create, { params, options: { onSend } })).toThrow()
    expect(heard).toEqual(reports)
  })

  test.each([
    ['cannot be imported', { specifier: 'no-package', export: 'acme' }, 'install the package'],
    ['has another export', { specifier: 'node:path', export: 'acme' }, 'name its export in the `module`'],
  ])('that nothing has left if its provider %s', (_, module, message) => {
    const heard: unknown[] = []
    const onSend = (hasLeft?: boolean): boolean => heard.push(hasLeft) > 0
    const refused = { code: 'unknown-provider', message: expect.stringContaining(message) as string }
    const call = { module, config: {}, params: request, method: 'create' } as const
    expect(() => callInThread(call, { onSend })).toThrow(expect.objectContaining(refused))
    expect(heard).toEqual([false])
  })
})

/** Makes a folder with these empty files and gives the address of each. */
function folderWith(...files: readonly string[]): (file: string) => string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'x-installed-')))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const file of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), file.endsWith('.json') ? '{"exports":"./index.js"}' : '')
  }
  return (file) => pathToFileURL(join(folder, file)).href
}

const MODEL = ['package.json', 'index.js', 'clients/blocking-worker.js'].map((file) => `node_modules/@x/model/${file}`)

describe('the file of the thread', () => {
  test('is beside the module', () => {
    const neighbour = new URL('./blocking.ts', import.meta.url).href
    const file = new URL('./blocking-worker.ts', import.meta.url)
    expect(findThreadFile(neighbour)).toEqual({ file, bundled: false })
  })

  test('is below the entry of the built package, whose files hold the module', () => {
    const at = folderWith(...MODEL, 'node_modules/@x/model/shared-1.js')
    const file = new URL(at('node_modules/@x/model/clients/blocking-worker.js'))
    for (const built of ['index.js', 'shared-1.js'])
      expect(findThreadFile(at(`node_modules/@x/model/${built}`))).toEqual({ file, bundled: false })
  })

  test('is that of the installed package in a bundle, and no file of its name beside it', () => {
    const at = folderWith(...MODEL, 'out/blocking-worker.js')
    const file = new URL(at('node_modules/@x/model/clients/blocking-worker.js'))
    expect(findThreadFile(at('out/bundle.js'))).toEqual({ file, bundled: true })
  })
})

describe('a provider', () => {
  const module = { specifier: '@x/model', export: 'acme' }

  test('is imported by its URL', () => {
    const own = { ...module, url: 'file:///somewhere/acme.js' }
    expect(importable(own, import.meta.url, false)).toEqual(own)
  })

  test('of a bundle is imported by its name, as installed: its address is that of the program', () => {
    const at = folderWith(...MODEL)
    const url = at('out/bundle.js')
    expect(importable({ ...module, url }, url, true)).toEqual({ ...module, url: at('node_modules/@x/model/index.js') })
    expect(importable({ specifier: 'no-package', export: 'acme', url }, url, true)).toEqual({
      specifier: 'no-package',
      export: 'acme',
    })
  })

  test('is never the program itself, which would run a second time', () => {
    const url = pathToFileURL(realpathSync(process.argv[1]!)).href
    expect(importable({ specifier: 'no-package', export: 'acme', url }, import.meta.url, false)).not.toHaveProperty(
      'url',
    )
  })
})
