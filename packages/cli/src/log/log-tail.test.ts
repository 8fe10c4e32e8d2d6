import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AssistantAgent } from '@x/agent'
import { type KeptRun, type KeptRunInfo, openRecords } from '@x/records'
import { functionModel } from '@x/testing'
import { expect, it, onTestFinished } from 'vitest'
import type { LogOutput } from './log-actions.ts'
import { type LogSource, openLog } from './log-source.ts'
import { newestTeller, runTeller } from './log-tail.ts'

/** An output that keeps what was written. */
function keptOutput(): { readonly output: LogOutput; readonly taken: () => string } {
  let text = ''
  const output: LogOutput = {
    ...{ env: {}, paint: (_, shown) => shown, columns: undefined, json: false, signal: new AbortController().signal },
    write: (part) => void (text += part),
    aside: async (act) => await act(),
    fail() {},
  }
  const taken = (): string => {
    const all = text
    text = ''
    return all
  }
  return { output, taken }
}

it('tells of all runs that came since the look before, the older ones first, each line once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'x-tail-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const file = join(folder, 'runs.db')
  const records = openRecords(file)
  onTestFinished(() => records.close())
  const parrot = new AssistantAgent({
    name: 'parrot',
    llmConfig: functionModel(({ messages }) => `You said ${messages.at(-1)?.content as string}`),
    silent: true,
  })
  const say = async (text: string): Promise<void> => {
    await parrot.run(text, { tracer: records })
    // Of runs that end in one millisecond none is the newest.
    for (const end = Date.now(); Date.now() === end;);
  }
  await say('zero')
  await say('one')
  records.flush()
  const { output, taken } = keptOutput()
  await using source = await openLog(file, {})
  const look = newestTeller(source, runTeller(source, output))
  await look()
  expect(taken()).toMatch(/^run .*\n.*user → parrot: one\n(?:.*\n)*?.*has ended/u)
  for (const text of ['two', 'three', 'four']) await say(text)
  records.flush()
  await look()
  const asked = taken().matchAll(/user → parrot: (.*)|chat of .* has ended/gu)
  expect(Array.from(asked, ([line, text]) => text ?? line.slice(0, 4))).toEqual(
    ['two', 'three', 'four'].flatMap((text) => [text, 'chat']),
  )
  await look()
  expect(taken()).toBe('')
})

it('says once that a run was cut off', async () => {
  const info = { runId: 'lost', last: 1, outcome: null, cutOff: true } as KeptRunInfo
  const part = { info, events: [], entries: [] } as unknown as KeptRun
  const source = { list: async () => [info], follow: () => async () => part } as unknown as LogSource
  const { output, taken } = keptOutput()
  const look = newestTeller(source, runTeller(source, output))
  for (let looks = 0; looks < 3; looks++) await look()
  expect(taken()).toBe('run lost\ncut off\n')
})
