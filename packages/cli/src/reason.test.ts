import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { METHOD_NAMES } from '@x/reasoning'
import { openRecords } from '@x/records'
import { startFakeOpenAI } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reason, type ReasonOptions } from './reason.ts'

const COINS = fileURLToPath(new URL('coins.fake.ts', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reason-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function run(
  asked: string,
  options: ReasonOptions = {},
): Promise<{ text: string; lines: (string | null)[]; status: string; failed: boolean }> {
  let text = ''
  let failed = false
  const lines: (string | null)[] = []
  const { status } = await reason(
    asked,
    { task: COINS, ...options },
    {
      env: {},
      write: (piece) => {
        text += piece
      },
      progress: (line) => lines.push(line),
      fail: () => void (failed = true),
    },
  )
  return { text, lines, status, failed }
}

describe('x reason', () => {
  it.each(METHOD_NAMES)('searches by %s on the model of a task', async (method) => {
    const { text, status } = await run('30', { method })
    expect(text).toContain(`${status}: `)
    expect(text).toMatch(/\d+ calls · \d+k? tokens/)
  })

  it('shows progress and takes it away', async () => {
    const { lines } = await run('30')
    expect(lines.length).toBeGreaterThan(5)
    expect(lines[0]).toMatch(/^1 calls/)
    expect(lines.at(-1)).toBeNull()
  })

  it('tells how far it trusts a grader that has graded steps', async () => {
    expect((await run('30', { method: 'auto', calls: 1 })).text).toMatch(/^right with \d+ %$/m)
    expect((await run('30', { method: 'auto' })).text).toMatch(/^right with \d+ %; the grader praises /m)
  })

  it('writes the page and the drawing', async () => {
    await run('30', { html: join(folder, 'tree.html'), mermaid: join(folder, 'tree.mmd') })
    expect(readFileSync(join(folder, 'tree.html'), 'utf8')).toContain('aria-label="Search the texts of all nodes"')
    expect(readFileSync(join(folder, 'tree.mmd'), 'utf8')).toMatch(/^flowchart TD/)
  })

  it('is recorded in a file', async () => {
    const file = join(folder, 'runs.jsonl')
    await run('30', { record: file })
    const records = openRecords(file)
    const [info] = await records.list({ tags: { command: 'reason' } })
    records.close()
    const problem = expect.stringContaining('a search without a `run`') as string
    expect(info).toMatchObject({ outcome: 'ok', problem })
    expect(info!.spent.reduce((sum, { calls }) => sum + calls, 0)).toBeGreaterThan(3)
  })

  it('goes on from its journal', async () => {
    const file = join(folder, 'journal.json')
    const whole = await run('30')
    await run('30', { journal: file, calls: 3 })
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1 + 3)
    expect((await run('30', { journal: file })).text).toBe(whole.text)
    writeFileSync(file, '{"version":99}\n')
    await expect(run('30', { journal: file })).rejects.toMatchObject({ code: 'unknown-state-version' })
  })

  it('asks a model that is named in place of that of the task', async () => {
    await using server = await startFakeOpenAI({ replies: ['10 + 10 + 10 = 30'], whenEmpty: 'repeat-last' })
    const { text } = await run('30', { method: 'best_of_n', nsim: 1, baseUrl: server.url, model: 'm' })
    expect(text).toContain('10 + 10 + 10 = 30')
    expect(JSON.stringify(server.requests[0]!.body)).toContain('Pay exactly 30')
  })

  it('tells what failed, and shows no text as more than a text', async () => {
    await using server = await startFakeOpenAI({ replies: ['no idea \u001B[2J'], whenEmpty: 'repeat-last' })
    const { text, failed } = await run('30', { method: 'best_first', baseUrl: server.url, model: 'm' })
    expect(failed).toBe(false)
    expect(text).toMatch(/\nwarning: \d of \d proposals failed, the last with: .*\nexhausted: no idea ␛\[2J\n$/)
    expect(text).not.toContain('\u001B')
  })

  it('has failed without an answer', async () => {
    await using server = await startFakeOpenAI({ replies: [{ failure: '401' }], whenEmpty: 'repeat-last' })
    const options = { method: 'best_of_n', nsim: 2, baseUrl: server.url, model: 'm' } as const
    expect(await run('30', options)).toMatchObject({ failed: true, status: 'exhausted' })
    expect((await run('30', { ...options, seconds: 1e-9 })).failed).toBe(true)
  })

  it('takes a task that is made in its time, and refuses an invalid one', async () => {
    const task = join(folder, 'task.mjs')
    writeFileSync(task, 'export const task = async () => ({ verifier: (answer) => answer === "yes" })')
    await using server = await startFakeOpenAI({ replies: ['yes'], whenEmpty: 'repeat-last' })
    const options = { task, method: 'best_of_n', nsim: 1, baseUrl: server.url, model: 'm' } as const
    expect((await run('Is it?', options)).status).toBe('verified')
    const nothing = join(folder, 'nothing.mjs')
    writeFileSync(nothing, 'export const task = () => {}')
    await expect(run('Is it?', { ...options, task: nothing })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('its `task` did not return an object; write export const task') as string,
    })
  })

  it.each([
    [{ task: undefined }, 'there is no model to ask'],
    [{ html: fileURLToPath(new URL('.', import.meta.url)) }, 'it is a folder; give the name of a file'],
    [{ html: '/nowhere/tree.html' }, 'cannot write `/nowhere/tree.html`: its folder does not exist'],
    [{ mermaid: '/nowhere/tree.mmd' }, 'its folder does not exist'],
    [{ task: 'nowhere.ts' }, 'there is no such file'],
    [
      { task: fileURLToPath(import.meta.resolve('./chosen-model.ts')) },
      'it exports no `task`; write export const task',
    ],
    [{ task: fileURLToPath(import.meta.resolve('./agents.fake.ts')) }, 'its `task` must be of type function'],
  ])('refuses %j', async (options, message) => {
    await expect(run('30', options)).rejects.toThrow(message)
  })

  it('refuses a question of blanks', async () => {
    await expect(run(' ', { task: undefined })).rejects.toThrow('the question is empty; give one')
  })
})
