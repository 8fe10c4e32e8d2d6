import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { blockingClient } from './blocking.ts'

const request = { model: 'any', messages: [{ role: 'user' as const, content: 'Hi' }] }
const answer = `{ choices: [{ index: 0, message: { role: 'assistant', content: 'later' } }], usage: null }`

/** Makes a provider of a text of JavaScript, in a file that the thread imports. */
function blocking(create: string): () => unknown {
  const folder = mkdtempSync(join(tmpdir(), 'x-blocking-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'acme.mjs')
  writeFileSync(file, `export const acme = { createClient: () => ({ create: ${create} }) }`)
  const client = blockingClient({ specifier: 'acme', export: 'acme', url: pathToFileURL(file).href }, {})
  return () => client.create(request, {})
}

test('a provider that fails where nobody waits is the error of the call, and the next call has a new thread', () => {
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
