import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { evaluate, type EvalReport, makeTasks } from '@x/eval'
import { createAgent } from '@x/kit'
import { bestOfN, modelParts, search } from '@x/reasoning'
import { openRecords, replay } from '@x/records'
import { type ChatRequest, type FakeOpenAI, scriptedModel, type ServerReply, startFakeOpenAI } from '@x/testing'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { listRuns } from '../log/log-actions.ts'
import sell from '../log/shop.fake.ts'
import { type EvalCommandOptions, evaluateTasks } from './eval-actions.ts'

const MAIN = fileURLToPath(new URL('../main.ts', import.meta.url))

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'x-eval-command-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const answers = new Map(makeTasks('all', { seed: 1 }).map(({ input, expected }) => [input, expected]))

const questionOf = ({ messages }: ChatRequest): string => {
  const content = messages.findLast(({ role }) => role === 'user')?.content
  return typeof content === 'string' ? content : ''
}

/** A server whose model `good` knows the answers, and whose model `poor` knows those of every other question. */
function startModels(answersCall: (call: number) => boolean = () => true): Promise<FakeOpenAI> {
  let calls = 0
  const model =
    (knows: (question: string) => boolean) =>
    (request: ChatRequest): ServerReply => {
      if (!answersCall(++calls)) return { failure: 'hang' }
      const question = questionOf(request)
      return { content: `Answer: ${knows(question) ? String(answers.get(question)) : 'unknown'}` }
    }
  return startFakeOpenAI({ models: { good: model(() => true), poor: model((question) => question.length % 2 === 0) } })
}

interface Ran {
  readonly report: EvalReport
  readonly text: string
  readonly failed: boolean
}

/** Runs the command in this process. */
async function run(what: string, { url, ...options }: EvalCommandOptions & { readonly url?: string }): Promise<Ran> {
  let text = ''
  let failed = false
  const report = await evaluateTasks(
    what,
    { out: join(folder, 'answers.jsonl'), ...(url !== undefined && { baseUrl: url }), ...options },
    {
      env: { OPENAI_API_KEY: 'sk-test' },
      write: (piece) => void (text += piece),
      signal: new AbortController().signal,
      fail: () => void (failed = true),
    },
  )
  return { report, text, failed }
}

describe('x eval', () => {
  it('shows a table of models, and their difference', async () => {
    await using server = await startModels()
    const page = join(folder, 'page.html')
    const options = { url: server.url, model: ['good', 'poor'], n: 10, page, budget: 1 }
    const { text, failed, report } = await run('logic', options)
    expect(failed).toBe(false)
    expect(text).toContain('The budget holds no calls whose price is unknown: limit them by --max-calls.')
    expect(text.replaceAll(/ +\d+ ms|\d\.\d s/gu, ' …')).toContain(
      'contestant  kind    score  95 %           answers  calls',
    )
    expect(text).toMatch(/^good {8}all +100\.0 % {2}\[72\.2, 100\.0\] +10 +10 /mu)
    expect(text).toMatch(/^good − poor: \+\d+\.0 points \[\d+\.\d, \d+\.\d\]; of 10 tasks better in \d, worse in 0/mu)
    expect(report.spent.calls).toBe(20)
    expect(text).toContain('\nIn all 20 calls, price unknown.\n')
    expect(text).toMatch(/^warning: .*price.*good/mu)
    expect(text).toMatch(/^good .* 10 {2}price unknown /mu)
    expect(report.spent).toMatchObject({ cost: 0, unpriced: 20 })
    expect(report.spentNow).toMatchObject({ cost: 0, unpriced: 20 })
    expect(readFileSync(page, 'utf8')).toContain('20 calls · price unknown')
    expect(readFileSync(page, 'utf8')).toContain('<h2>Side by side</h2>')
  })

  it('asks nothing again, and prints the same report as JSON', async () => {
    await using server = await startModels()
    const options = { url: server.url, model: ['good', 'poor'], n: 5 }
    const { report } = await run('arithmetic', options)
    const asked = server.requests.length
    const again = await run('arithmetic', { ...options, json: true })
    expect(server.requests.length).toBe(asked)
    expect(again.report.rows[0]!.spent).toMatchObject({ cost: 0, calls: 5, unpriced: 5 })
    const printed = JSON.parse(again.text) as EvalReport
    expect(printed.rows).toEqual(report.rows)
    expect(printed.spentNow).toEqual({ cost: 0, tokens: 0, calls: 0 })
    await run('arithmetic', { ...options, model: ['good'], seed: 2 })
    expect(server.requests.length).toBe(asked + 5)
  })

  it('stops at the budget, says so, and goes on with a larger one', async () => {
    await using server = await startModels()
    const options = { url: server.url, model: ['good'], n: 6, concurrency: 2 }
    const first = await run('logic', { ...options, maxCalls: 4 })
    expect(first.failed).toBe(true)
    expect(first.text).toMatch(/^NOT COMPLETE: 2 of 6 answers are missing .*the budget is used up/u)
    expect(first.text).toContain('the same command with a larger budget goes on from there')
    expect(first.text).not.toMatch(/^warning: the budget/mu)
    const second = await run('logic', { ...options, maxCalls: 6 })
    expect([second.failed, server.requests.length]).toEqual([false, 6])
  })

  it('fails below the floor', async () => {
    await using server = await startModels()
    const { failed, text } = await run('logic', { url: server.url, model: ['good'], n: 4, floor: 0.9 })
    expect(failed).toBe(true)
    expect(text).toContain('good is not above the floor of 0.9')
  })

  it('evaluates searches, whose calls count', async () => {
    await using server = await startModels()
    const { report } = await run('logic', {
      ...{ url: server.url, model: ['good'], method: ['agent', 'best_of_n'], calls: 3, n: 2 },
    })
    expect(report.contestants).toEqual(['good', 'good best_of_n'])
    expect(report.cells.find(({ contestant }) => contestant === 'good best_of_n')!.spent.calls).toBeGreaterThan(1)
  })

  it('does not take a provider that fails for a wrong answer', async () => {
    await using server = await startFakeOpenAI({ models: { good: () => ({ failure: { status: 401 } }) as never } })
    const { report, failed } = await run('logic', {
      ...{ url: server.url, model: ['good'], method: ['agent', 'best_of_n'], calls: 3, n: 1 },
    })
    expect(failed).toBe(true)
    expect(report.cells.map(({ status }) => status)).toEqual(['missing', 'missing'])
  })

  it('takes the answer of a search that lost calls for missing, and asks those alone again', async () => {
    let [calls, isDown] = [0, true]
    const reply = (): ServerReply => {
      if (isDown && ++calls > 1) return { failure: { status: 401 } } as never
      return { content: `Answer: ${isDown ? 'first' : 'later'}` }
    }
    await using server = await startFakeOpenAI({ models: { good: reply } })
    const options = { url: server.url, model: ['good'], method: ['self_consistency'], calls: 5, n: 1 } as const
    const first = await run('arithmetic', options)
    expect([first.failed, first.report.cells[0]!.status]).toEqual([true, 'missing'])
    isDown = false
    const asked = server.requests.length
    const { failed, report } = await run('arithmetic', options)
    expect([failed, report.cells[0]!.answer, server.requests.length - asked]).toEqual([
      ...[false, expect.stringContaining('later'), 4],
    ])
  })

  it('judges a data set by a model that is measured', async () => {
    const judgement = (request: ChatRequest): ServerReply => {
      const { answer } = JSON.parse(questionOf(request)) as { answer: string }
      return { content: JSON.stringify({ reason: 'short', verdict: answer.length < 20 ? 'right' : 'wrong' }) }
    }
    await using server = await startFakeOpenAI({ models: { it: () => ({ content: 'Paris' }), judge: judgement } })
    const data = join(folder, 'data.jsonl')
    const labelled = join(folder, 'labelled.jsonl')
    writeFileSync(data, '{"input": "The capital of France?"}\n{"input": "And of Peru?", "id": "peru"}\n')
    const rows = [true, true, false, false].map((label, index) => ({
      input: 'q',
      answer: 'x'.repeat(index * 15),
      label,
    }))
    writeFileSync(labelled, rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
    const { text, report } = await run(data, { url: server.url, model: ['it'], judge: 'judge', labelled })
    expect(report.cells.map(({ task, score }) => [task, score])).toEqual([
      ['line 1', 1],
      ['peru', 1],
    ])
    expect(text).toContain('\nIn all 8 calls, price unknown.\n')
    expect(text).toMatch(/^judge judge: agrees with people in 100\.0 % \[51\.0, 100\.0\] \(n = 4\); kappa 1\.00/mu)
  })

  it('takes a data set that is named as NDJSON, and says which file is not a module', async () => {
    const data = join(folder, 'data.NDJSON')
    writeFileSync(data, '{"input": "1 + 1?", "expected": 2}\n')
    const module = join(folder, 'mine.mjs')
    writeFileSync(module, "export const contestants = [{ name: 'mine', answer: () => '2' }]")
    const { report, text } = await run(data, { contestants: module, record: join(folder, 'runs.db') })
    expect(report.rows[0]!.score!.value).toBe(1)
    expect(text).toContain('No answer has a run')
    await expect(run(data, { contestants: data })).rejects.toMatchObject({
      code: 'invalid-argument',
      message: expect.stringContaining('not a module of JavaScript or TypeScript') as string,
    })
  })

  it('takes no data set in which letters are lost', async () => {
    const data = join(folder, 'latin.jsonl')
    writeFileSync(data, '{"input": "café", "expected": 1}', 'latin1')
    await expect(run(data, {})).rejects.toThrow('it is not UTF-8')
  })

  it('tells how sure a search was beside what was right', async () => {
    await using server = await startModels()
    const { report, text } = await run('logic', { url: server.url, model: ['good'], method: ['auto'], n: 4, calls: 6 })
    expect(report.cells.every(({ confidence }) => confidence !== null && confidence > 0)).toBe(true)
    expect(report.rows[0]!.calibration).toMatchObject({ n: 4 })
    expect(text).toContain('good auto, confidence: Brier 0.')
  })

  it('makes tasks of recorded runs, and takes contestants from a module', async () => {
    const file = join(folder, 'runs.db')
    const records = openRecords(file)
    await sell({ tracer: records.tagged({ app: 'shop' }) })
    const [info] = await records.list()
    await records.label(info!.runId, { name: 'expected', value: 'three' })
    records.close()
    const module = join(folder, 'mine.mjs')
    writeFileSync(
      module,
      "export const contestants = [{ name: 'mine', answer: (task) => 'Three' }, { name: 'other', answer: (task) => task.input }]",
    )
    const { report } = await run(file, { contestants: module, compare: ['other', 'mine'] })
    expect(report.contestants).toEqual(['other', 'mine'])
    expect(report.cells.map(({ score }) => score)).toEqual([0, 1])
    expect(report.cells[0]!.answer).not.toBe('')
  })

  it('takes as many recorded runs as are wanted, beside those without a question', async () => {
    const file = join(folder, 'runs.db')
    const records = openRecords(file)
    for (const _ of [1, 2]) await sell({ tracer: records.tagged({ app: 'shop' }) })
    const parts = modelParts({ model: scriptedModel(['It is 7.']).createModel() })
    await search('3 + 4?', { ...parts, method: bestOfN({ n: 1 }), tracer: records.tagged({ app: 'search' }) })
    records.close()
    const module = join(folder, 'mine.mjs')
    const contestants = "export const contestants = [{ name: 'mine', answer: () => 'Three' }]"
    const tasks = async (n?: number): Promise<number> =>
      (await run(file, { contestants: module, n, out: false })).report.tasks
    writeFileSync(module, contestants)
    await expect(tasks()).rejects.toThrow('none of its runs has a right answer; label some')
    const again = openRecords(file)
    const { runId } = (await again.list()).at(-1)!
    await again.label(runId, { name: 'expected', value: 'three' })
    again.close()
    // The other run cannot be judged.
    expect([await tasks(1), await tasks()]).toEqual([1, 1])
    writeFileSync(join(folder, 'scored.mjs'), `${contestants}; export const scorer = () => true`)
    const scored = await run(file, { contestants: join(folder, 'scored.mjs'), out: false })
    expect(scored.report.cells.map(({ score }) => score)).toEqual([1, 1])
  })

  it('records the run of each answer with its score, an agent and a search', async () => {
    await using server = await startModels()
    const record = join(folder, 'runs.db')
    const options = {
      url: server.url,
      model: ['poor'],
      method: ['agent', 'best_of_n'],
      calls: 2,
      n: 4,
      record,
    } as const
    const { text, report } = await run('logic', options)
    expect(text).toContain(`x log ls ${record} --tag eval=logic\n`)
    const records = openRecords({ file: record, readOnly: true })
    onTestFinished(() => records.close())
    const infos = await records.list({ tags: { eval: 'logic', contestant: 'poor', task: 'logic/1/2' } })
    const { runs, score } = report.cells.find((cell) => cell.task === 'logic/1/2' && cell.contestant === 'poor')!
    expect(infos).toMatchObject([
      { runId: runs[0], outcome: 'ok', problem: null, labels: [{ name: 'score', value: score }, { name: 'reason' }] },
    ])
    expect(JSON.stringify((await records.read(runs[0]!))!.message)).toContain('Hana')
    const [searched] = await records.list({ tags: { contestant: 'poor best_of_n', task: 'logic/1/2' } })
    expect(searched).toMatchObject({ outcome: 'ok', problem: expect.stringContaining('without an agent'), agents: [] })
    expect(searched!.title).toContain('Hana')
    expect(searched!.spent).toMatchObject([{ model: 'poor', calls: 2 }])
    expect(await records.list()).toHaveLength(8)
    // A run is there once, and an answer of the file has the same one.
    const again = await run('logic', { ...options, wrong: true })
    expect(again.report.cells.map((cell) => cell.runs)).toEqual(report.cells.map((cell) => cell.runs))
    expect(await records.list()).toHaveLength(8)
    expect(again.text).toContain(`(run ${searched!.runId.slice(0, 8)})`)
    let listed = ''
    const output = { env: {}, write: (piece: string) => void (listed += piece), paint: (_: string, of: string) => of }
    await listRuns(record, { tags: ['contestant=poor'] }, { ...output, json: false } as never)
    expect(listed.match(/ {2}ok {2}score [01] {2}/gu)).toHaveLength(4)
  })

  it('records the runs of agents so that they are repeated as any other', async () => {
    const records = openRecords(join(folder, 'runs.jsonl'))
    onTestFinished(() => records.close())
    const agent = createAgent({ name: 'clerk', model: scriptedModel(['Ann.', 'Bob.', 'Cleo.']) })
    const { cells } = await evaluate({
      tasks: [{ id: 'who', input: 'Who?', expected: 'Ann.' }],
      contestants: [{ name: 'clerk', answer: async ({ input }, { run: around }) => agent.run(input, { run: around }) }],
      records,
    })
    const recorded = (await records.read(cells[0]!.runs[0]!))!
    const repeat = async (question: string): Promise<string> =>
      (await replay(recorded, (options) => agent.run(question, options))).outcome
    expect([await repeat('Who?'), await repeat('Who else?')]).toEqual(['same', 'differs'])
  })

  it('takes instances of a class from a module', async () => {
    const module = join(folder, 'bots.mjs')
    writeFileSync(
      module,
      `class Bot { name = 'bot'; #answer = 'Three'; answer() { return this.#answer } }
       export const contestants = [new Bot()]
       export const tasks = [{ id: 'how many', input: 'How many?', expected: 'three' }]`,
    )
    const { report } = await run(module, {})
    expect(report.cells).toMatchObject([{ contestant: 'bot', score: 1 }])
  })

  it('ends with its results alone, whatever a module has left open and alone, and printed', () => {
    const module = join(folder, 'open.mjs')
    writeFileSync(
      module,
      `setInterval(() => {}, 1000)
       console.log('noise')
       const fail = async () => { throw new Error('left alone') }
       export const contestants = [{ name: 'late', answer: () => new Promise(() => void fail()) }]
       export const tasks = [{ id: 'a', input: 'b', expected: 'c' }]`,
    )
    const words = ['--conditions=@x/source', MAIN, 'eval', module, '--timeout', '1', '--no-out', '--json']
    const { stdout, stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 30_000 })
    const warning = 'warning: something failed that nobody waited for: left alone'
    expect([status, stderr]).toEqual([0, `noise\n${warning}\n`])
    expect(JSON.parse(stdout)).toMatchObject({ contestants: ['late'], isComplete: true })
  })

  it.skipIf(process.platform !== 'linux')('ends where nothing can be told beside its output', () => {
    const module = join(folder, 'alone.mjs')
    writeFileSync(
      module,
      `export const contestants = [{ name: 'left', answer: () => void Promise.reject(new Error('alone')) }]
       export const tasks = [{ id: 'a', input: 'b', expected: 'c' }]`,
    )
    const words = [process.execPath, '--conditions=@x/source', MAIN, 'eval', module, '--no-out']
    const { stdout, status } = spawnSync('sh', ['-c', '"$0" "$@" 2>/dev/full', ...words], { timeout: 30_000 })
    expect([status, String(stdout)]).toEqual([0, expect.stringMatching(/^left +all +0\.0 %/mu)])
  })

  it('fails by a module that fails', () => {
    const module = join(folder, 'broken.mjs')
    writeFileSync(module, `throw new TypeError('broken')`)
    const words = ['--conditions=@x/source', MAIN, 'eval', module, '--no-out']
    const { stderr, status } = spawnSync(process.execPath, words, { encoding: 'utf8', timeout: 30_000 })
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^TypeError: broken/mu)])
  })

  it('says which contestant of a module is invalid', async () => {
    const module = join(folder, 'none.mjs')
    writeFileSync(module, "export const contestants = [null]; export const tasks = [{ id: 'a', input: 'b' }]")
    await expect(run(module, {})).rejects.toThrow('the contestant at index 0 needs a `name`')
  })

  it('shows the table also where the page cannot be written', async () => {
    const module = join(folder, 'mine.mjs')
    const data = join(folder, 'data.jsonl')
    writeFileSync(module, "export const contestants = [{ name: 'mine', answer: () => 'x' }]")
    writeFileSync(data, '{"input": "?", "expected": "x"}\n')
    let text = ''
    const output = { env: {}, write: (piece: string) => void (text += piece), signal: new AbortController().signal }
    const page = join(folder, 'none', 'page.html')
    await expect(
      evaluateTasks(data, { contestants: module, out: false, page }, { ...output, fail: () => {} }),
    ).rejects.toThrow(`cannot write the page to \`${page}\``)
    expect(text).toContain('mine')
  })

  it('lets ids and names begin no line and no escape sequence', async () => {
    const module = join(folder, 'mine.mjs')
    const data = join(folder, 'data.jsonl')
    const id = 'x\nmodel: 100 %\u001B[2J'
    const line = `${JSON.stringify({ id, input: '?', expected: 'y' })}\n`
    writeFileSync(module, `export const contestants = [{ name: ${JSON.stringify(id)}, answer: () => 'x' }]`)
    writeFileSync(data, line)
    const { text } = await run(data, { contestants: module, wrong: true, floor: 0.5 })
    expect(text).not.toMatch(/^model/mu)
    expect(text).not.toContain('\u001B')
    writeFileSync(data, line + line)
    const again = ['--conditions=@x/source', MAIN, 'eval', data, '--contestants', module, '--no-out']
    const { stderr, status } = spawnSync(process.execPath, again, { encoding: 'utf8' })
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^invalid-argument: .*two tasks have the id `x\n {2}model/u),
    ])
    expect(stderr).not.toContain('\u001B')
  })

  it.each([
    ['tea', {}, 'it is neither a set of tasks'],
    [
      MAIN.replace('src/main.ts', 'package.json'),
      {},
      'a data set is a file of JSON lines whose name ends with `.jsonl`',
    ],
    [fileURLToPath(new URL('.', import.meta.url)), {}, 'it is a folder'],
    ['logic', { compare: ['x', 'y'], model: ['m'] }, 'there is no such contestant; there are `m`'],
    ['logic', { rubric: 'x', model: ['m'] }, 'give `--judge <model>`'],
    ['logic', { calls: 9, model: ['m'] }, '`--calls` would limit nothing: it is for searches'],
    ['logic', { judge: 'm', model: ['m'] }, '`--judge` would judge nothing: each task has a checker of its own'],
  ] as const)('refuses %s with %j', async (what, options, problem) => {
    await expect(run(what, { n: 1, url: 'http://127.0.0.1:9', ...options })).rejects.toThrow(problem)
  })

  it('refuses a judge beside the scorer of a module', async () => {
    const module = join(folder, 'scored.mjs')
    writeFileSync(module, 'export const tasks = [{ id: "t", input: "q" }], scorer = () => true')
    await expect(run(module, { judge: 'm', url: 'http://127.0.0.1:9' })).rejects.toThrow(
      'would judge nothing: the module exports a `scorer`',
    )
  })

  it('needs a model, and makes no file before it has one', async () => {
    const output = { env: {}, write: () => {}, signal: new AbortController().signal, fail: () => {} }
    const out = join(folder, 'none.jsonl')
    await expect(evaluateTasks('logic', { out }, output)).rejects.toThrow('there is no model to ask')
    expect(existsSync(out)).toBe(false)
  })
})

/** The command in a process of its own, as a person runs it. */
function start(url: string, method: string): { readonly ended: Promise<number | null>; kill(): void; text(): string } {
  const options = ['--base-url', url, '--model', 'good', '--method', method, '--calls', '6', '--n', '4']
  const more = ['--concurrency', '2', '--json', '--out', join(folder, 'answers.jsonl')]
  const child = spawn(process.execPath, ['--conditions=@x/source', MAIN, 'eval', 'logic', ...options, ...more], {
    // Without its compile cache, each program takes the types out of its sources anew.
    env: {
      PATH: process.env['PATH'],
      NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
      OPENAI_API_KEY: 'sk-test',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let text = ''
  child.stdout.on('data', (piece: Buffer) => (text += String(piece)))
  const ended = once(child, 'close').then(() => child.exitCode)
  return { ended, kill: () => void child.kill('SIGKILL'), text: () => text }
}

/** Counts the calls that the file has: those in answers, and those of answers that are not there yet. */
function keptCalls(): number {
  const file = join(folder, 'answers.jsonl')
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const lines = text
    .split('\n')
    .slice(1, -1)
    .map((line) => JSON.parse(line) as KeptLine)
  const answered = new Set(lines.flatMap(({ answer }) => (answer ? [answer.cell] : [])))
  return lines
    .filter(({ call }) => !call || !answered.has(call[0]))
    .reduce((sum, { answer, spent }) => sum + (answer?.spent ?? spent!).calls, 0)
}

interface KeptLine {
  readonly answer?: { readonly cell: string; readonly spent: { readonly calls: number } }
  readonly call?: readonly [cell: string]
  readonly spent?: { readonly calls: number }
}

it.each(['agent', 'best_of_n'])(
  'an evaluation of %s that is killed goes on where it was, and pays nothing twice',
  { timeout: 60_000 },
  async (method) => {
    let allowed = Infinity
    await using server = await startModels((call) => call <= allowed)
    const complete = start(server.url, method)
    expect(await complete.ended).toBe(0)
    const total = server.requests.length
    rmSync(join(folder, 'answers.jsonl'))

    const half = Math.floor(total / 2)
    // All behind the first half hang.
    allowed = total + half
    const killed = start(server.url, method)
    await expect.poll(keptCalls, { timeout: 30_000 }).toBe(half)
    killed.kill()
    expect(await killed.ended).toBeNull()

    allowed = Infinity
    const before = server.requests.length
    const last = start(server.url, method)
    expect(await last.ended).toBe(0)
    expect(JSON.parse(last.text())).toMatchObject({ isComplete: true })
    expect(server.requests.length - before).toBe(total - half)
    const scores = (text: string): unknown => (JSON.parse(text) as EvalReport).rows.map(({ score }) => score)
    expect(scores(last.text())).toEqual(scores(complete.text()))
  },
)
