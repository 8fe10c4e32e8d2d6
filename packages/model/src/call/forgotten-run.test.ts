import type { ModelResponse, Run, RunOptions } from '@x/interfaces'
import { currentRun, runAsync, wait, type Steps } from '@x/kernel'
import { SIGNAL_OF_RUN } from '@x/kernel/options'
import { expect, test } from 'vitest'
import { fakeProvider, hello } from '../fakes/provider.fake.ts'
import { ModelWrapper } from '../wrapper/model-wrapper.ts'

type Create = (model: ModelWrapper, options: RunOptions) => unknown

const operations: Record<string, Create> = {
  create: async (model, options) => await model.create({ messages: hello }, options),
  createSync: (model, options) => model.createSync({ messages: hello }, options),
  createStream: async (model, options) => await model.createStream({ messages: hello }, options).result,
}

const forgets: Record<string, (run: Run) => RunOptions> = {
  'the signal': ({ signal }) => ({ signal }),
  'the emit': ({ emit }) => ({ emit }),
}

const cases = Object.keys(operations).flatMap((name) => Object.keys(forgets).map((what) => [name, what] as const))

function wrapper() {
  const { provider } = fakeProvider(['hi'])
  return new ModelWrapper({
    providers: [provider],
    configList: [{ model: 'm', apiType: 'fake' }],
    cacheSeed: null,
    io: { send: () => {}, input: () => '' },
  })
}

test.each(cases)('%s ends a run whose `run` was forgotten beside %s, whoever catches', async (name, what) => {
  function* outer(): Steps<string> {
    const run = yield* currentRun()
    try {
      yield* wait(operations[name]!(wrapper(), forgets[what]!(run)), 'a model')
    } catch {
      // The run has ended all the same.
    }
    return 'went on'
  }
  await expect(runAsync(outer())).rejects.toMatchObject({
    code: 'invalid-argument',
    message: expect.stringContaining('pass `{ run }`') as string,
  })
})

test('a call with the run is part of it', async () => {
  function* outer(): Steps<ModelResponse> {
    const run = yield* currentRun()
    return yield* wait(wrapper().create({ messages: hello }, { run, signal: run.signal }), 'a model')
  }
  expect((await runAsync(outer())).choices[0]?.message.content).toBe('hi')
})

/** Options as agents give them, whose signal is made when it is read. */
class Context implements RunOptions {
  readonly run: Run
  #isRead = false

  constructor(run: Run) {
    this.run = run
  }

  get signal(): AbortSignal | undefined {
    this.#isRead = true
    return this.run.signal
  }

  get [SIGNAL_OF_RUN](): true {
    return true
  }

  static isRead(context: Context): boolean {
    return context.#isRead
  }
}

test.each(['create', 'createStream'])('%s stops with a run whose signal nobody reads', async (name) => {
  const stop = new AbortController()
  let context: Context | undefined
  const { provider } = fakeProvider([
    async (_, options) =>
      await new Promise<never>((_resolve, reject) => {
        options.onStop?.(reject)
        stop.abort()
      }),
  ])
  const model = new ModelWrapper({
    providers: [provider],
    configList: [{ model: 'm', apiType: 'fake' }],
    cacheSeed: null,
  })
  function* outer(): Steps<unknown> {
    context = new Context(yield* currentRun())
    return yield* wait(operations[name]!(model, context), 'a model')
  }
  await expect(runAsync(outer(), { signal: stop.signal })).rejects.toMatchObject({ code: 'aborted' })
  expect(Context.isRead(context!)).toBe(false)
})

const signal = AbortSignal.abort()
const ownSignals = [
  ['create', { signal }],
  ['createStream', { signal }],
  ['create', Object.create({ signal })],
  ['createStream', Object.create({ signal })],
] as const

test.each(ownSignals)('a signal of its own, also an inherited one, stops %s inside a run', async (name, options) => {
  function* outer(): Steps<unknown> {
    const run = yield* currentRun()
    return yield* wait(operations[name]!(wrapper(), Object.assign(options as object, { run })), 'a model')
  }
  await expect(runAsync(outer())).rejects.toMatchObject({ code: 'aborted' })
})
