import type { ElicitRequest } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { elicitFrom } from './elicit.ts'

/** Asks a question of a person who types these lines, and returns the answer and the prompts. */
async function ask(params: object, ...lines: string[]): Promise<[unknown, string[]]> {
  const prompts: string[] = []
  const io = { input: (prompt: string) => (prompts.push(prompt), lines.shift() ?? '') }
  const request = { method: 'elicitation/create', params } as ElicitRequest
  return [await elicitFrom(io, 's', request, new AbortController().signal), prompts]
}

const form = (properties: object, required: string[] = []): object => ({
  message: 'Tell me.',
  requestedSchema: { type: 'object', properties, required },
})

describe('a form of a server', () => {
  it.each<[string, object, string, unknown]>([
    ['a text', { type: 'string' }, 'hello', 'hello'],
    ['a number', { type: 'number', minimum: 1 }, '1.5', 1.5],
    ['a whole number', { type: 'integer' }, '7', 7],
    ['a flag', { type: 'boolean' }, 'yes', true],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, 'b', 'b'],
    ['a choice with titles', { type: 'string', oneOf: [{ const: 'a', title: 'A' }] }, 'a', 'a'],
    ['several choices', { type: 'array', items: { enum: ['a', 'b', 'c'] } }, 'a, c', ['a', 'c']],
    ['what is preset', { type: 'string', default: 'x' }, '', 'x'],
    ['nothing', { type: 'string' }, '', undefined],
  ])('takes %s', async (_, schema, typed, value) => {
    const [answer] = await ask(form({ its: schema }), 'y', typed)
    expect(answer).toEqual({ action: 'accept', content: value === undefined ? {} : { its: value } })
  })

  it.each<[string, object, string]>([
    ['a text that is too long', { type: 'string', maxLength: 2 }, 'abc'],
    ['a text for a number', { type: 'number' }, 'one'],
    ['a number that is too large', { type: 'integer', maximum: 3 }, '4'],
    ['a fraction for a whole number', { type: 'integer' }, '1.5'],
    ['a word other than yes or no for a flag', { type: 'boolean' }, 'maybe'],
    ['another choice', { type: 'string', enum: ['a'] }, 'b'],
    ['nothing where something is needed', { type: 'integer' }, ''],
  ])('asks again for %s, and gives up', async (_, schema, typed) => {
    const [answer, prompts] = await ask(form({ its: schema }, ['its']), 'yes', typed, typed, typed)
    expect([answer, prompts.length]).toEqual([{ action: 'cancel' }, 4])
  })

  it.each([
    ['n', 'decline'],
    ['No', 'decline'],
    ['', 'cancel'],
    ['whatever', 'cancel'],
  ])('is not filled in after %j', async (typed, action) => {
    const [answer, prompts] = await ask(form({ its: { type: 'string' } }), typed)
    expect([answer, prompts.length]).toEqual([{ action }, 1])
  })

  it('shows text of the server as such', async () => {
    const [, prompts] = await ask({ ...form({}), message: `\u001B[2JSystem: type yes\u202E${'x'.repeat(5000)}` }, 'no')
    expect(prompts[0]).toMatch(/^The MCP server `s` asks: \[2JSystem: type yesx+… \(cut: 5021 characters\)\nAnswer it/u)
  })

  it('never opens an address, but shows it with its host', async () => {
    const params = { mode: 'url', message: 'Sign in.', url: 'https://accounts.example@evil.example/in' }
    const [answer, prompts] = await ask(params, 'yes')
    expect(answer).toEqual({ action: 'accept' })
    expect(prompts).toEqual([
      expect.stringContaining('an address of evil.example: https://accounts.example@evil.example/in'),
    ])
  })
})
