import type { CodeResult, Listener, OpenCall, Run, XEvent } from '@x/interfaces'
import { currentRun, runAsync, runSync, type Steps, wait } from '@x/kernel'
import { EventCounter, EventScope } from '@x/kernel/run'
import { afterEach, describe, expect, it } from 'vitest'
import { createCustomExecutor } from '../create-custom-executor.ts'
import type { Backend, JobResult } from '../custom/backend.ts'
import { echo } from '../custom/backends.fake.ts'
import type { BlockExecutor } from '../executor.ts'

const BLOCKS = [{ language: 'javascript', code: 'say it' }]

const open: BlockExecutor[] = []
afterEach(async () => {
  for (const executor of open.splice(0)) await executor.close()
})

/** An executor whose code prints a line, leaves a file and ends with an exit code. */
function printing(exitCode: number = 0): BlockExecutor {
  const createBackend = (): Backend => ({
    fault: () => null,
    run: (_, { onOutput }) => {
      onOutput({ stream: 'stdout', text: 'said\n' })
      return { exitCode, savedAs: '/there/code.js' }
    },
    artifacts: () => [{ name: 'a.txt', size: 1, kind: 'file' }],
  })
  const executor = createCustomExecutor({ isolation: 'container', specVersion: 1, createBackend })
  open.push(executor)
  return executor
}

function listening(): { events: XEvent[]; emit: Listener } {
  const events: XEvent[] = []
  return { events, emit: (event) => void events.push(event) }
}

describe('an executor that is closed', () => {
  it('refuses code, in both calls, from the call of `close` on', async () => {
    let jobs = 0
    const createBackend = (): Backend => ({ fault: () => null, run: () => ({ exitCode: 0, stdout: `${++jobs}` }) })
    const executor = createCustomExecutor({ isolation: 'container', specVersion: 1, createBackend })
    await executor.executeCodeBlocks(BLOCKS)
    const closing = executor.close()
    await expect(executor.executeCodeBlocks(BLOCKS)).rejects.toMatchObject({ code: 'invalid-state' })
    await closing
    await expect(executor.executeCodeBlocks(BLOCKS)).rejects.toMatchObject({ code: 'invalid-state' })
    expect(() => executor.executeCodeBlocksSync(BLOCKS)).toThrow(expect.objectContaining({ code: 'invalid-state' }))
    expect(jobs).toBe(1)
  })

  it('ends an execution between two of its blocks', async () => {
    let jobs = 0
    const run = (): JobResult => (void executor.close(), { exitCode: 0, stdout: `${++jobs}` })
    const createBackend = (): Backend => ({ fault: () => null, run })
    const executor = createCustomExecutor({ isolation: 'container', specVersion: 1, createBackend })
    await expect(executor.executeCodeBlocks([...BLOCKS, ...BLOCKS])).rejects.toMatchObject({ code: 'invalid-state' })
    expect(jobs).toBe(1)
  })
})

describe('an execution outside of runs', () => {
  it('is a span with the code and what came of it, and its output is inside', async () => {
    const { events, emit } = listening()
    await printing().executeCodeBlocks(BLOCKS, { emit })
    const place = { chatId: null, agentPath: null, agent: null, runId: events[0]!.runId }
    expect(events).toMatchObject([
      { type: 'codeStart', seq: 0, id: 'span0', parentId: null, blocks: [{ code: 'say it' }], ...place },
      { type: 'codeOutput', seq: 1, parentId: 'span0', stream: 'stdout', text: 'said\n', block: 0, ...place },
      { type: 'codeEnd', seq: 2, id: 'span0', parentId: null, outcome: 'ok', exitCode: 0, output: 'said\n', ...place },
    ])
    expect(events[2]).toMatchObject({ artifacts: [{ name: 'a.txt' }] })
    expect(events[0]!.runId).toMatch(/^[\da-f-]{36}$/u)
  })

  it('tells a failed block by its exit code', async () => {
    const { events, emit } = listening()
    await printing(3).executeCodeBlocks(BLOCKS, { emit })
    expect(events.at(-1)).toMatchObject({ type: 'codeEnd', outcome: 'ok', exitCode: 3 })
  })

  it('ends without a result when it is stopped', async () => {
    const stop = new AbortController()
    const { events, emit } = listening()
    const running = printing().executeCodeBlocks(BLOCKS, {
      signal: stop.signal,
      emit: (event) => {
        void emit(event)
        if (event.type === 'codeOutput') stop.abort()
      },
    })
    await expect(running).rejects.toMatchObject({ code: 'aborted' })
    expect(events.at(-1)).toMatchObject({ type: 'codeEnd', outcome: 'aborted', exitCode: null, artifacts: [] })
  })

  it('has no content in its events if the caller wants none', async () => {
    const { events, emit } = listening()
    await printing().executeCodeBlocks(BLOCKS, { emit, events: { content: false } })
    expect(events.map(({ type }) => type)).toEqual(['codeStart', 'codeEnd'])
    expect(JSON.stringify(events)).not.toMatch(/sa(?:y it|id)/u)
  })

  it('tells the same in a blocking call', () => {
    const executor = createCustomExecutor(echo, { id: 'an-executor', settings: { greeting: 'hello' } })
    open.push(executor)
    const { events, emit } = listening()
    executor.executeCodeBlocksSync(BLOCKS, { emit })
    expect(events).toMatchObject([
      { type: 'codeStart', id: 'span0' },
      { type: 'codeOutput', parentId: 'span0' },
      { type: 'codeEnd', id: 'span0', exitCode: 0, output: 'hello an-executor\nsay it' },
    ])
  })
})

/** A scope that keeps the answers of calls, as that of a tool in a chat with a journal does. */
class KeepingScope extends EventScope {
  readonly log: string[]
  readonly kept: { value: unknown }[]
  readonly tellsRecalled: boolean

  constructor(log: string[], kept: { value: unknown }[], tellsRecalled: boolean) {
    super(new EventCounter(Date.now, () => 'a-run'), undefined, { spanId: 'the-tool' })
    this.log = log
    this.kept = kept
    this.tellsRecalled = tellsRecalled
  }

  open(run: Run): OpenCall {
    const known = this.kept[0]
    const keep = (value: unknown): void => {
      this.log.push('keep')
      this.kept.push({ value })
    }
    const call = {
      place: '1.0',
      spanId: '1.0',
      begunBefore: false,
      isUntold: false,
      run,
      known,
      beforeCall: async () => void (await Promise.resolve(this.log.push('before'))),
      keep,
      recorded: true,
      end: () => {},
    }
    return { ...call, part: () => ({ known: undefined, keep: () => {} }) }
  }
}

describe('an execution in a run with a journal', () => {
  const executed = async (
    kept: { value: unknown }[],
    tellsRecalled: boolean = false,
  ): Promise<{ log: string[]; events: XEvent[]; result: CodeResult }> => {
    const log: string[] = []
    const events: XEvent[] = []
    function* steps(): Steps<CodeResult> {
      const run = yield* currentRun()
      return yield* wait(printing().executeCodeBlocks(BLOCKS, { run }), 'the code')
    }
    const scope = new KeepingScope(log, kept, tellsRecalled)
    const emit = (event: XEvent): void => {
      log.push(event.type)
      events.push(event)
    }
    const result = await runAsync(steps(), { scope, emit: emit as never })
    return { log, events, result }
  }

  it('asks the journal first, and sends its end before the result is kept', async () => {
    const { log, events } = await executed([])
    expect(log).toEqual(['before', 'codeStart', 'codeOutput', 'codeEnd', 'keep'])
    expect(events).toMatchObject([
      { id: '1.0', parentId: 'the-tool' },
      { parentId: '1.0' },
      { id: '1.0', parentId: 'the-tool' },
    ])
  })

  it('tells a kept result only to a listener who wants it again', async () => {
    const kept: { value: unknown }[] = []
    const first = await executed(kept)
    const again = await executed(kept)
    expect([again.log, again.result]).toEqual([[], first.result])
    const told = await executed(kept, true)
    expect(told.events).toMatchObject([
      { type: 'codeStart', id: '1.0', recalled: true, resumed: true },
      { type: 'codeEnd', id: '1.0', recalled: true, exitCode: 0, output: 'said\n' },
    ])
    expect(told.log).toEqual(['codeStart', 'codeEnd'])
  })
})

it('sends the events of a blocking call into its run', () => {
  const executor = createCustomExecutor(echo, { id: 'an-executor', settings: { greeting: 'hello' } })
  open.push(executor)
  const { events, emit } = listening()
  function* steps(): Steps<CodeResult> {
    return executor.executeCodeBlocksSync(BLOCKS, { run: yield* currentRun() })
  }
  const scope = new EventScope(new EventCounter(Date.now, () => 'a-run'), undefined)
  runSync(steps(), { scope, emit: emit as never })
  expect(events.map(({ type, runId }) => [type, runId])).toEqual([
    ['codeStart', 'a-run'],
    ['codeOutput', 'a-run'],
    ['codeEnd', 'a-run'],
  ])
})
