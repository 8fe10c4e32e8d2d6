import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { METHOD_NAMES } from '@x/reasoning'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { reason, type ReasonOptions } from './reason.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'reason-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

async function run(
  asked: string,
  options: ReasonOptions = {},
): Promise<{ text: string; lines: (string | null)[]; status: string }> {
  let text = ''
  const lines: (string | null)[] = []
  const { status } = await reason(asked, options, {
    write: (piece) => {
      text += piece
    },
    progress: (line) => lines.push(line),
  })
  return { text, lines, status }
}

describe('x reason', () => {
  it.each(METHOD_NAMES)('searches by %s on the simulated model', async (method) => {
    const { text, status } = await run('4 5 6 10', { method })
    expect(text).toContain(`${status}: `)
    expect(text).toContain('Answer: ')
    expect(text).toMatch(/\d+ calls · \d+k? tokens/)
  })

  it('shows progress and takes it away', async () => {
    const { lines } = await run('4 5 6 10')
    expect(lines.length).toBeGreaterThan(5)
    expect(lines[0]).toMatch(/^1 calls/)
    expect(lines.at(-1)).toBeNull()
  })

  it('writes the page and the drawing', async () => {
    await run('4 5 6 10', { html: join(folder, 'tree.html'), mermaid: join(folder, 'tree.mmd') })
    expect(readFileSync(join(folder, 'tree.html'), 'utf8')).toContain('aria-label="Search the texts of all nodes"')
    expect(readFileSync(join(folder, 'tree.mmd'), 'utf8')).toMatch(/^flowchart TD/)
  })

  it('goes on from its journal', async () => {
    const file = join(folder, 'journal.json')
    const whole = await run('4 5 6 10')
    await run('4 5 6 10', { journal: file, calls: 3 })
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(1 + 3)
    expect((await run('4 5 6 10', { journal: file })).text).toBe(whole.text)
    writeFileSync(file, '{"version":99}\n')
    await expect(run('4 5 6 10', { journal: file })).rejects.toMatchObject({ code: 'unknown-state-version' })
  })

  it('says what the simulated model knows', async () => {
    await expect(run('Who wrote Faust?')).rejects.toThrow(/four numbers/)
  })
})
