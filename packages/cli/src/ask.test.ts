import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openRecords } from '@x/records'
import { startFakeOpenAI } from '@x/testing'
import { expect, it, onTestFinished } from 'vitest'
import { ask, questionIn } from './ask.ts'

async function asked(question: string, choice: Parameters<typeof ask>[1], env: Record<string, string> = {}) {
  let text = ''
  const told: string[] = []
  const tell = (piece: string): void => void told.push(piece)
  await ask(question, choice, { write: (piece) => void (text += piece), tell, env })
  return { text, told }
}

it('answers on a simulated model, and says so', async () => {
  expect(await asked('How are you?', {})).toEqual({
    text: 'Simulated: you asked "How are you?"\n',
    told: ['The model is simulated. Set OPENAI_API_KEY or --base-url for a real one.\n', '(15 tokens, $0)\n'],
  })
})

it('is recorded where it is asked to be', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-ask-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  await asked('How are you?', { record: true }, { XDG_STATE_HOME: folder })
  const records = openRecords(join(folder, 'x', 'runs.db'))
  onTestFinished(() => records.close())
  expect(await records.list()).toMatchObject([{ title: 'How are you?', tags: { command: 'ask' }, problem: null }])
})

it('takes no word of the question for the file of the records', async () => {
  await expect(asked('is tea', { record: 'What' })).rejects.toThrow('may be the first word of the question')
})

it('streams the answer of a model, without control characters, and says what it used', async () => {
  await using server = await startFakeOpenAI({
    replies: [{ content: 'Par\u001B[31mis.', usage: { prompt: 12, completion: 3 } }],
  })
  const { text, told } = await asked('The capital of France?', {
    baseUrl: server.url,
    model: 'm',
    system: 'Answer in French.',
  })
  expect(text).toMatch(/^Par.*is\.\n$/u)
  expect(told).toEqual(['(15 tokens, price unknown)\n'])
  expect(text).not.toContain('\u001B')
  expect(server.requests).toHaveLength(1)
  expect(server.requests[0]!.body).toMatchObject({ messages: [{ content: 'Answer in French.' }, {}] })
})

it('ends its line when it is stopped', async () => {
  await using server = await startFakeOpenAI({ replies: [{ content: 'Paris.', pieces: ['Par', 'is.'] }] })
  const stop = new AbortController()
  let text = ''
  const write = (piece: string): void => {
    text += piece
    stop.abort()
  }
  const choice = { baseUrl: server.url, model: 'm' }
  await expect(
    ask('The capital of France?', choice, { write, tell() {}, env: {}, signal: stop.signal }),
  ).rejects.toThrow('stopped')
  expect(text).toMatch(/^Par.*\n$/u)
})

it('takes a question that is typed or piped in', async () => {
  const piped = (): Readable => Readable.from([Buffer.from('Is it\nso?\n')])
  expect(await questionIn(['Is', 'it?'], piped())).toBe('Is it?')
  expect(await questionIn([], piped())).toBe('Is it\nso?')
  expect(await questionIn([], Object.assign(piped(), { isTTY: true }))).toBe('')
})
