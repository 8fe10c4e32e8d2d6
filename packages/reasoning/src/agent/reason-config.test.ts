import { ConversableAgent, tool } from '@x/agent'
import type { Io, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { messageText } from './prompt.ts'
import { bestFirst, forest, ReasoningAgent, type Method } from '../index.ts'
import type { ReasonConfig } from './settings.ts'

interface Call {
  readonly role: string
  readonly text: string
}

/** A reasoner in a chat with a user; `reply` may answer instead of the usual model. */
function stage(reasonConfig: ReasonConfig = {}, reply: (call: Call) => string | undefined = () => undefined) {
  const calls: Call[] = []
  const events: XEvent[] = []
  const io: Io = { send: (event) => void events.push(event), input: () => 'exit' }
  const llmConfig = functionModel(({ agent, messages }) => {
    const call = { role: agent ?? '', text: messageText(messages.at(-1)) }
    calls.push(call)
    const options = ['left', 'right', 'on'].map((option, i) => `Option ${i + 1}: ${option}\nRating: ${9 - i}`)
    return reply(call) ?? { tot_thinker: options.join('\n'), tot_grader: options.join('\n') }[call.role] ?? 'It is 42.'
  })
  const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', llmConfig: false, silent: true, io })
  const reasoner = new ReasoningAgent({ name: 'reasoner', llmConfig, silent: true, io, reasonConfig })
  const ask = async (message = 'What is it?'): Promise<unknown> =>
    (await user.initiateChat(reasoner, { message, maxTurns: 1, silent: true, clearHistory: false })).summary
  return {
    calls,
    events,
    user,
    reasoner,
    ask,
    count: (role: string) => calls.filter((call) => call.role === role).length,
  }
}

describe('every advice of docs/choosing-a-method.md can be followed in a chat', () => {
  it.each<[string, ReasonConfig]>([
    ['code that checks answers', { method: 'best_first', verifier: (answer) => answer.includes('42') }],
    ['depth first with a verifier', { method: 'depth_first', verifier: (answer) => answer.includes('42') }],
    ['answers that agree', { method: 'best_first', agree: 2, acceptAt: 0.5 }],
    ['a width', { method: 'best_first', width: 4 }],
    ['a forest that votes', { method: 'beam_search', forestSize: 3, merge: 'vote' }],
    ['a vote', { method: 'best_of_n', nsim: 3 }],
    ['a vote that stops', { method: 'self_consistency', nsim: 12, atOnce: 2, confidence: 0.9 }],
    ['the answer with the best steps', { method: 'best_by_reward', nsim: 3, rewards: 'process' }],
    ['wider or deeper', { method: 'ab_mcts', nsim: 6, width: 2, rewardWeight: 5 }],
    ['lessons of failed attempts', { method: 'reflective_mcts', nsim: 3, samples: 2, reflections: 1, gradeWeight: 1 }],
    ['all finished paths', { method: 'beam_search', answerApproach: 'pool' }],
    ['one grade call per parent', { method: 'beam_search', gradeMode: 'per-parent', gradeSamples: 2 }],
    ['ratings by the thinker', { method: 'best_first', rateUpTo: 10 }],
    ['a budget', { method: 'graded_mcts', widenEvery: 2, budget: { calls: 9 } }],
    ['more at once', { method: 'mcts', virtualLoss: true }],
    ['a method of the engine', { method: bestFirst({ maxDepth: 2, width: 2 }) }],
    ['bounds', { maxOptions: 2, maxOptionLength: 100, maxPromptLength: 5000 }],
  ])('%s', async (_, reasonConfig) => {
    expect(
      await stage({
        maxDepth: 2,
        ...(typeof reasonConfig.method === 'function' && { maxDepth: undefined }),
        ...reasonConfig,
      }).ask(),
    ).toBe('It is 42.')
  })

  it('and each option does what it says', async () => {
    const two = stage({ method: 'best_first', maxDepth: 1, agree: 2, acceptAt: 0.5 })
    await two.ask()
    expect(two.count('reasoner')).toBe(2)
    const own = stage({ method: 'beam_search', maxDepth: 1, beamSize: 1, rateUpTo: 10 })
    await own.ask()
    expect(own.count('tot_grader')).toBe(0)
    expect(own.reasoner.root!.children.map(({ content, grade }) => [content, grade])).toEqual([
      ['left', 8 / 9],
      ['right', 7 / 9],
      ['on', 6 / 9],
    ])
    const parents = stage({ method: 'beam_search', maxDepth: 1, beamSize: 1, gradeMode: 'per-parent' })
    await parents.ask()
    expect(parents.count('tot_grader')).toBe(1)
    const voted = stage({ method: 'best_of_n', nsim: 2, forestSize: 2, merge: 'vote' })
    await voted.ask()
    expect(voted.count('reasoner')).toBe(4)
    const wide = stage({ method: forest(bestFirst({ maxDepth: 1 }), { size: 2, merge: 'vote' }) })
    await wide.ask()
    expect(wide.count('tot_thinker')).toBe(2)
    expect(wide.reasoner.method).toBe('own')
  })
})

describe('reasonConfig', () => {
  it.each<[string, object, RegExp]>([
    ['a misspelt option', { widht: 2 }, /did you mean `width`/],
    [
      'an option of another method',
      { method: 'beam_search', agree: 2 },
      /`agree`; it is an option of `best_first`, `depth_first`/,
    ],
    ['an option of one method', { method: 'mcts', rewardWeight: 2 }, /`rewardWeight`; it is an option of `ab_mcts`/],
    ['a number of answers by its other name', { method: 'self_consistency', n: 3 }, /option `n`/],
    ['an option beside a method', { method: bestFirst(), width: 2 }, /own options/],
    ['a way to merge one tree', { merge: 'vote' }, /forestSize/],
    ['a wrong value', { method: 'best_first', gradeMode: 'all' }, /gradeMode/],
    ['what AG2 calls grading in batches', { batch_grading: true }, /write `gradeMode: 'per-parent'`/],
    ['what AG2 calls execution between steps', { interimExecution: true }, /give the agent a `codeExecutionConfig`/],
    ['an unknown part', { parts: { thinker: {} } }, /thinker/],
    ['a part that is none', { parts: { grader: {} } }, /grader with `grade`/],
    ['an unknown rewriter', { rewriter: 'always' }, /rewriter/],
  ])('refuses %s', (_, reasonConfig, message) => {
    expect(() => stage(reasonConfig)).toThrow(message)
    expect(() => stage(reasonConfig)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it('accepts the settings of AG2 with any method, and names the nearest method', async () => {
    expect(await stage({ method: 'best_first', beamSize: 3, nsim: 3, answerApproach: 'pool', maxDepth: 2 }).ask()).toBe(
      'It is 42.',
    )
    await expect(stage({ method: 'best_frist' as never }).ask()).rejects.toThrow(/did you mean `best_first`/)
    await expect(stage({ method: 'self-consistency' as never }).ask()).rejects.toThrow(
      /did you mean `self_consistency`/,
    )
    await expect(stage({ method: 'abMcts' as never }).ask()).rejects.toThrow(/did you mean `ab_mcts`/)
  })

  it('accepts custom parts', async () => {
    const seen: string[] = []
    const { ask, calls, reasoner } = stage({
      maxDepth: 1,
      beamSize: 1,
      parts: {
        proposer: {
          propose: () => ({ text: '', reflection: '', options: ['a', 'b'].map((content) => ({ content })) }),
        },
        grader: {
          grade: ({ nodes }) => ({
            grades: nodes.map(({ content }) => ({ value: content === 'b' ? 1 : 0, details: '' })),
          }),
        },
        answerer: { answer: ({ from }) => ({ text: `by ${from[0]!.content}` }) },
        verifier: (answer) => seen.push(answer) > 0,
      },
    })
    expect(await ask()).toBe('by b')
    expect([calls.length, seen]).toEqual([0, ['by b']])
    expect(await reasoner.rateNode(reasoner.root!.children[0]!)).toBe(0)
  })

  it('accepts a custom method', async () => {
    const straight: Method = (task) => bestFirst({ maxDepth: 1, widen: 0 })(task)
    const { ask, reasoner } = stage({ method: straight })
    expect(await ask()).toBe('It is 42.')
    expect(reasoner.root!.children).toHaveLength(3)
  })
})

describe('a further question', () => {
  const first = 'Who wrote Faust? GROUND_TRUTH: Goethe'

  it('stands alone without a rewriter, as in AG2', async () => {
    const { ask, calls } = stage({ method: 'best_of_n', nsim: 1 })
    await ask(first)
    await ask('And when?')
    expect(calls.map(({ text }) => text.includes('Faust'))).toEqual([true, false])
  })

  it('is rewritten by the model so that it can be understood alone, without the ground truth', async () => {
    const { ask, calls, reasoner } = stage({ method: 'best_of_n', nsim: 1, rewriter: 'model' }, ({ role }) =>
      role === 'prompt_rewriter' ? '<think>hm</think>When was Faust written?' : undefined,
    )
    await ask(first)
    expect(calls.map(({ role }) => role)).toEqual(['reasoner'])
    await ask('And when?')
    expect(calls.map(({ role }) => role)).toEqual(['reasoner', 'prompt_rewriter', 'reasoner'])
    expect(calls[1]!.text).toMatch(/Who wrote Faust\?[\s\S]*It is 42\.[\s\S]*And when\?/)
    expect(calls[1]!.text).not.toContain('Goethe')
    expect(reasoner.root!.content).toBe('When was Faust written?')
  })

  it('is rewritten by a function, and stays as it is if the function returns an empty text', async () => {
    const { ask, reasoner } = stage({
      method: 'best_of_n',
      nsim: 1,
      rewriter: (messages) => messages.map(messageText).join(' | '),
    })
    await ask(first)
    await ask('And when?')
    expect(reasoner.root!.content).toBe('Who wrote Faust? | It is 42. | And when?')
    const silent = stage({ method: 'best_of_n', nsim: 1, rewriter: 'model' }, ({ role }) =>
      role === 'prompt_rewriter' ? ' ' : undefined,
    )
    await silent.ask(first)
    await silent.ask('And when?')
    expect(silent.reasoner.root!.content).toBe('And when?')
  })
})

describe('a tool of a reasoning agent', () => {
  const add = tool({
    name: 'add',
    description: 'Adds.',
    parameters: { type: 'object', properties: {} },
    execute: () => 1,
  })

  it('is refused when it is registered, and never lost', async () => {
    const { reasoner, ask } = stage({ method: 'best_of_n', nsim: 1 })
    const refusal = expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining('`add`') })
    expect(() => reasoner.registerForLlm(add)).toThrow(refusal)
    expect(() => reasoner.updateFunctionSignature({ name: 'add', parameters: {} })).toThrow(refusal)
    expect(await ask()).toBe('It is 42.')
    const run = reasoner.run('What is it?', { tools: [add], userInput: false, maxTurns: 1, silent: true })
    await expect(run).rejects.toMatchObject({ code: 'invalid-argument' })
    const { llmConfig } = reasoner
    const tools = [{ type: 'function', function: { name: 'add', parameters: {} } }]
    const withTools = { ...(llmConfig as object), config: { ...(llmConfig as { config: object }).config, tools } }
    expect(() => new ReasoningAgent({ name: 'r', llmConfig: withTools as never })).toThrow(refusal)
    expect(() => new ReasoningAgent({ name: 'r', llmConfig: llmConfig as never, functions: [add] })).toThrow(refusal)
  })

  it('may be registered for execution', () => {
    const { reasoner } = stage()
    reasoner.registerForExecution(add)
    expect(reasoner.canExecuteFunction('add')).toBe(true)
  })
})
