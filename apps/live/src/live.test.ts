import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  EVIDENCE_DOCUMENT,
  EVIDENCE_FILE,
  triedPairs,
  VENDORS,
  withEvidenceTable,
  withTrials,
  type Evidence,
  type Trial,
  type VendorName,
} from './evidence.ts'
import { createRecorder, createReplayer, writeRecording } from './recording.ts'
import { readRecording, replayed } from './replay.fake.ts'
import { startFakeVendor, type FakeVendor } from './vendors.fake.ts'

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url))
const KEYS = {
  OPENAI_API_KEY: 'sk-live-openai-0123456789abcdef',
  ANTHROPIC_API_KEY: 'a-live-key',
  GEMINI_API_KEY: 'g-live-key',
}

/** Runs `pnpm live` in a process of its own, as blocking calls need it; returns what it printed. */
async function live(
  args: readonly string[],
  env: Readonly<Record<string, string>> = KEYS,
): Promise<{ code: number; text: string }> {
  // Without its compile cache, each program takes the types out of its sources anew.
  const { PATH = '', NODE_OPTIONS = '', NODE_COMPILE_CACHE } = process.env
  const started = promisify(execFile)(process.execPath, ['--conditions=@x/source', MAIN, ...args], {
    env: { PATH, NODE_OPTIONS, NODE_COMPILE_CACHE, ...env },
  })
  return await started.then(
    ({ stdout }) => ({ code: 0, text: stdout }),
    (error: { code: number; stdout: string; stderr: string }) => ({
      code: error.code,
      text: error.stdout + error.stderr,
    }),
  )
}

/** Starts fakes of vendors; returns them with the arguments that name their addresses. */
async function fakes(
  refusing: readonly VendorName[] = [],
): Promise<{ vendors: Record<string, FakeVendor>; args: string[] }> {
  const vendors: Record<string, FakeVendor> = {}
  for (const name of Object.keys(VENDORS) as VendorName[]) {
    const vendor = await startFakeVendor(name, refusing.includes(name))
    onTestFinished(async () => await vendor[Symbol.asyncDispose]())
    vendors[name] = vendor
  }
  return { vendors, args: Object.entries(vendors).map(([name, { url }]) => `--base-url=${name}=${url}`) }
}

const folder = (): string => {
  const path = mkdtempSync(join(tmpdir(), 'x-live-'))
  onTestFinished(() => rmSync(path, { recursive: true }))
  return path
}

const rowsOf = (text: string): string[][] =>
  text
    .split('\n')
    .filter((line) => /^(?:passed|failed|skipped) /u.test(line))
    .map((line) => line.split(/ {2,}/u))

describe('a run with fakes of all vendors', () => {
  it('passes, is kept without keys, and can be replayed', async () => {
    const [{ args }, out] = [await fakes(), folder()]
    const { code, text } = await live(['--budget', '1', '--out', out, ...args])
    expect(
      rowsOf(text).map(([outcome, ...rest]) => [outcome!.trim(), ...rest.slice(0, 2).map((each) => each.trim())]),
    ).toEqual(expect.arrayContaining(triedPairs().map((pair) => ['passed', ...pair])))
    expect(code).toBe(0)

    const evidence = JSON.parse(readFileSync(join(out, EVIDENCE_FILE), 'utf8')) as Record<string, object>
    expect(Object.keys(evidence)).toEqual(Object.keys(VENDORS))
    const recordings = join(out, 'apps/live/recordings')
    const files = readdirSync(recordings)
    // A blocking call passes another thread, and is not recorded.
    expect(files).toHaveLength(triedPairs().length - Object.keys(VENDORS).length)
    for (const file of files) {
      const written = readFileSync(join(recordings, file), 'utf8')
      for (const secret of [...Object.values(KEYS), 'example-team-77', 'authorization'])
        expect(written).not.toContain(secret)
      const recording = readRecording(join(recordings, file))
      const { result, left } = await replayed(recording)
      expect(result, file).toEqual(recording.result)
      expect(left, file).toEqual([])
    }
  })

  it('names vendors without a key, and stops at one that refuses its key', async () => {
    const [{ vendors, args }, out] = [await fakes(['anthropic']), folder()]
    const { ANTHROPIC_API_KEY } = KEYS
    const { code, text } = await live(['--budget', '1', '--out', out, ...args], { ANTHROPIC_API_KEY })
    expect(code).toBe(1)
    expect(text).toContain('OpenAI, responses: OPENAI_API_KEY is not set')
    expect(text).toContain('Google: GEMINI_API_KEY is not set')
    expect(text).not.toContain(ANTHROPIC_API_KEY)
    const [first, ...others] = rowsOf(text).filter(([, vendor]) => vendor!.trim() === 'anthropic')
    expect(first![0]).toBe('failed')
    expect(others.every((row) => row.at(-1) === 'ANTHROPIC_API_KEY was refused')).toBe(true)
    expect(vendors['anthropic']!.count()).toBe(1)
    expect(JSON.parse(readFileSync(join(out, EVIDENCE_FILE), 'utf8'))).toMatchObject({
      anthropic: { answer: { failed: { reason: expect.any(String) } } },
    })
  })

  it('stops before its budget is exceeded', async () => {
    const { args } = await fakes()
    const { code, text } = await live(['--budget', '0.0105', ...args])
    expect(code).toBe(1)
    const [, spent] = /^spent \$(?<spent>[\d.]+) of/mu.exec(text)!
    expect(Number(spent)).toBeLessThanOrEqual(0.0105)
    expect(text).toContain('the budget is used up')
    expect(rowsOf(text)[0]![0]).toBe('passed')
    expect(text).toContain('nothing is kept')
  })

  it('asks no model without a price', async () => {
    const { vendors, args } = await fakes()
    const { code, text } = await live(['--budget', '1', '--vendor', 'google', '--model', 'google=unpriced-1', ...args])
    expect(code).toBe(1)
    expect(text).toContain('it has no price in the catalogue')
    // Vectors have their own model.
    expect(vendors['google']!.count()).toBe(1)
  })
})

it.each([
  [[], 'give `--budget` in US dollars'],
  [['--budget', '0'], 'give `--budget` in US dollars'],
  [['--budget', '1', '--vendor', 'acme'], 'there is no vendor `acme`'],
  [['--budget', '1', '--model', 'google'], 'write `--model vendor=value`'],
])('%j is refused', async (args, reason) => {
  const { code, text } = await live(args, {})
  expect(code).toBe(1)
  expect(text).toContain(reason)
})

const KEPT = fileURLToPath(new URL('../recordings', import.meta.url))

it('every recording that is kept is sent and read as on its day', async () => {
  for (const file of existsSync(KEPT) ? readdirSync(KEPT).filter((name) => name.endsWith('.json')) : []) {
    const recording = readRecording(join(KEPT, file))
    const { result, left } = await replayed(recording)
    expect(result, file).toEqual(recording.result)
    expect(left, file).toEqual([])
  }
})

it('the table of docs/models.md tells what the file of trials says', () => {
  const read = (path: string): string =>
    readFileSync(fileURLToPath(new URL(`../../../${path}`, import.meta.url)), 'utf8')
  const document = read(EVIDENCE_DOCUMENT)
  expect(withEvidenceTable(document, JSON.parse(read(EVIDENCE_FILE)) as Evidence)).toBe(document)
})

it('a pass ends a failure, and a failure keeps the day of the last pass', () => {
  const tried = (evidence: Evidence, trial: Trial): Evidence =>
    withTrials(evidence, [{ vendor: 'google', capability: 'tools', trial }])
  const passed = { day: '2026-12-01', version: '0.1.0', model: 'm' }
  const failed = { day: '2026-12-02', reason: 'status 500' }
  const both = tried(tried({}, { passed }), { failed })
  expect(both).toEqual({ google: { tools: { passed, failed } } })
  const again = { ...passed, day: '2026-12-03' }
  expect(tried(both, { passed: again })).toEqual({ google: { tools: { passed: again } } })
  const table = withEvidenceTable('<!-- live -->\n<!-- end -->', both)
  expect(table).toContain('failed 2026-12-02')
})

describe('a recording', () => {
  const request = { method: 'POST', path: '/v1/x', body: { model: 'm' } }
  const response = { status: 200, type: 'application/json', body: '{}' }
  const ask = async (fetch: typeof globalThis.fetch, model: string): Promise<Response> =>
    await fetch('https://vendor.invalid/v1/x?key=secret', { method: 'POST', body: JSON.stringify({ model }) })

  it('answers each request once, and no other', async () => {
    const { fetch, left } = createReplayer([{ request, response }])
    await expect(ask(fetch, 'other')).rejects.toThrow('the recording has no such request')
    expect(await (await ask(fetch, 'm')).text()).toBe('{}')
    expect(left()).toEqual([])
    await expect(ask(fetch, 'm')).rejects.toThrow('the recording has no such request')
  })

  it('holds no header and no key of a query, and only whole responses', async () => {
    const answered = Promise.withResolvers<Response>()
    const { fetch, taken, identifiers } = createRecorder(async () => await answered.promise)
    const asking = ask(fetch, 'm')
    expect(taken()).toBeNull()
    answered.resolve(
      Response.json({}, { headers: { 'openai-organization': 'acme-team-7', 'x-other': 'acme-other-7' } }),
    )
    await (await asking).text()
    expect(taken()).toEqual([{ request, response }])
    expect([...identifiers]).toEqual(['acme-team-7'])
  })

  it('is written without keys and accounts, and not at all with a key in another form', () => {
    const told = (body: string): string =>
      writeRecording(
        {
          ...{ vendor: 'google', capability: 'answer', model: 'm', day: '2026-12-01', result: body },
          exchanges: [{ request, response: { ...response, body } }],
        },
        ['k+e/y1234'],
        ['acme-team-7'],
      )
    const text = told('k+e/y1234 acme-team-7 org-Abcdefgh12 sk-proj-0123456789abcdefgh AIzaSyA0123456789abcdefghij')
    expect((JSON.parse(text) as { result: string }).result).toBe('[removed] [removed] [removed] [removed] [removed]')
    for (const form of [encodeURIComponent('k+e/y1234'), btoa('k+e/y1234')])
      expect(() => told(form)).toThrow('has its key in another form')
  })
})
