import { ConversableAgent, UserProxyAgent } from '@x/agent'
import type { Io, LlmConfig, ModelAnswer, ModelCallOptions, ModelParams, Provider, XEvent } from '@x/interfaces'
import { isXError, XError } from '@x/kernel'
import { createBudget, createMemoryCache, llmConfig } from '@x/model'
import { ReasoningAgent, ThinkNode, type ReasoningAgentOptions } from '@x/reasoning'
import { StandInClient } from '@x/game-of-24'
import { describe, expect, it } from 'vitest'

interface Asked {
  model: string
  system: string
  text: string
  options: ModelCallOptions
  tools: unknown
}

/** A model by rule: thinkers give two options, graders a 7, everybody else an answer. */
class Rules extends StandInClient {
  readonly asked: Asked[]
  readonly rule: (asked: Asked) => string | undefined

  constructor(asked: Asked[], rule: (asked: Asked) => string | undefined) {
    super()
    this.asked = asked
    this.rule = rule
  }

  override create({ model = '', messages, tools }: ModelParams, options: ModelCallOptions): ModelAnswer {
    const said = messages.map(({ content }) => (typeof content === 'string' ? content : ''))
    const asked = { model, system: messages[0]?.role === 'system' ? said[0]! : '', text: said.at(-1)!, options, tools }
    this.asked.push(asked)
    const usual = /next step/.test(asked.system)
      ? 'Option 1: left\nOption 2: right'
      : /rate/i.test(asked.system)
        ? 'Rating: 7'
        : 'It is 42.'
    return {
      id: 'a',
      model,
      created: 0,
      choices: [
        { index: 0, message: { role: 'assistant', content: this.rule(asked) ?? usual }, finish_reason: 'stop' },
      ],
      usage: { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 },
    }
  }

  override getUsage({ model }: ModelAnswer): ReturnType<StandInClient['getUsage']> {
    return { model, promptTokens: 100, completionTokens: 10, totalTokens: 110, cost: 0.01 }
  }

  override cost(): number {
    return 0.01
  }
}

interface Stage {
  readonly asked: Asked[]
  readonly events: XEvent[]
  readonly config: (model: string, more?: object) => LlmConfig
  readonly reasoner: (options?: Partial<ReasoningAgentOptions>) => ReasoningAgent
  readonly user: ConversableAgent
}

function stage(rule: (asked: Asked) => string | undefined = () => undefined): Stage {
  const asked: Asked[] = []
  const events: XEvent[] = []
  const io: Io = {
    send: (event) => void events.push(event),
    input: () => {
      throw new Error('nobody is asked')
    },
  }
  const provider: Provider = { apiTypes: ['rules'], specVersion: 1, createClient: () => new Rules(asked, rule) }
  const config = (model: string, more: object = {}): LlmConfig =>
    llmConfig({ providers: [provider], configList: [{ model, apiType: 'rules' }], cacheSeed: null, ...more })
  const reasoner = (options: Partial<ReasoningAgentOptions> = {}): ReasoningAgent =>
    new ReasoningAgent({ name: 'reasoner', llmConfig: config('answerer'), io, ...options })
  const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', llmConfig: false, io })
  return { asked, events, config, reasoner, user }
}

const SMALL = { maxDepth: 1, beamSize: 1 }
const messages = [{ role: 'user' as const, content: 'What is it? GROUND_TRUTH: 42' }]

describe('ReasoningAgent', () => {
  it('counts every call of its thinker and its grader in the cost of the chat, each apart as well', async () => {
    const { config, reasoner, user } = stage()
    const agent = reasoner({
      thinkerLlmConfig: config('thinker'),
      graderLlmConfig: config('grader'),
      reasonConfig: SMALL,
    })
    const chat = await user.initiateChat(agent, { message: 'What is it?', maxTurns: 1 })
    expect(chat.summary).toBe('It is 42.')
    const cost = chat.cost.usageIncludingCachedInference
    expect(cost.totalCost).toBeCloseTo(0.04)
    expect(Object.fromEntries(Object.entries(cost.models).map(([name, used]) => [name, used.totalTokens]))).toEqual({
      answerer: 110,
      thinker: 110,
      grader: 220,
    })
    expect(agent.thinker.totalUsage).toMatchObject({ totalCost: 0.01 })
    expect(agent.grader.actualUsage?.models['grader']?.totalTokens).toBe(220)
  })

  it('asks all with one model when it has one, and counts that as well', async () => {
    const { asked, reasoner, user } = stage()
    const chat = await user.initiateChat(reasoner({ reasonConfig: SMALL }), { message: 'What?', maxTurns: 1 })
    expect(asked).toHaveLength(4)
    expect(chat.cost.usageIncludingCachedInference.totalCost).toBeCloseTo(0.04)
  })

  it('has internal agents by their names, asked without history and beyond any cap', async () => {
    const { asked, reasoner, user } = stage()
    const agent = reasoner({ reasonConfig: { method: 'mcts', nsim: 40, maxDepth: 3 } })
    expect([agent.thinker.name, agent.grader.name]).toEqual(['tot_thinker', 'tot_grader'])
    await agent.generateForestResponse({ messages, sender: user })
    const graded = asked.filter(({ system }) => /rate/i.test(system))
    expect(graded).toHaveLength(40)
    expect(new Set(graded.map(({ text }) => text.split('Question:').length))).toEqual(new Set([2]))
    expect(agent.root!.visits).toBe(40)
  })

  it('shows the ground truth to the grader only', async () => {
    const { asked, reasoner, user } = stage()
    await reasoner({ reasonConfig: SMALL }).generateForestResponse({ messages, sender: user })
    for (const { system, text } of asked) {
      expect(`${system}${text}`.includes('42')).toBe(/grader/.test(system))
    }
  })

  it('answers several at once, each with its own ground truth and without what was asked before', async () => {
    const { asked, reasoner, user } = stage()
    const agent = reasoner({ reasonConfig: { maxDepth: 2, beamSize: 1 } })
    const ask = (n: number): Promise<unknown> => {
      const content = `What is number ${n}? GROUND_TRUTH: truth ${n}`
      return agent.generateForestResponse({ messages: [{ role: 'user', content }], sender: user })
    }
    await Promise.all([1, 2, 3].map(ask))
    const graded = asked.filter(({ system }) => /grader/.test(system))
    expect(graded).toHaveLength(12)
    for (const { system, text } of graded) {
      expect(/truth (\d)/.exec(system)![1]).toBe(/number (\d)/.exec(text)![1])
    }
    const sizes = asked.map(({ text }) => text.length)
    await ask(4)
    expect(Math.max(...asked.slice(sizes.length).map(({ text }) => text.length))).toBe(Math.max(...sizes))
  })

  it('asks each tree of a forest anew, although the cache knows the question', async () => {
    const { asked, config, reasoner, user } = stage()
    const llm = config('answerer', { cache: createMemoryCache() })
    const agent = reasoner({ llmConfig: llm, reasonConfig: { ...SMALL, forestSize: 3 } })
    await agent.generateForestResponse({ messages, sender: user })
    const thought = asked.filter(({ system }) => /next step/.test(system))
    expect(thought.map(({ options }) => options.sample)).toEqual([0, 1, 2])
    expect(new Set(thought.map(({ text }) => text)).size).toBe(1)
  })

  it.each([false, true])('sends what its search does as events of the chat: silent %s', async (silent) => {
    const { reasoner, user } = stage()
    const stream = user.initiateChatStream(reasoner({ silent, reasonConfig: SMALL }), {
      message: 'What?',
      maxTurns: 1,
      silent,
    })
    const events: XEvent[] = []
    for await (const event of stream) events.push(event)
    const types = events.map(({ type }) => type)
    expect(types).toEqual(
      expect.arrayContaining(['receivedMessage', 'searchStart', 'searchNode', 'searchGrade', 'searchEnd']),
    )
    const ofSearch = events.filter(({ type }) => type.startsWith('search'))
    expect(new Set(ofSearch.map(({ agent }) => agent))).toEqual(new Set(['reasoner']))
    const jobs = events.filter((event) => event.type === 'searchJobStart').map(({ id }) => id)
    const parents = events.filter((event) => event.type === 'modelCallStart').map(({ parentId }) => parentId)
    expect(jobs).toHaveLength(4)
    expect(parents).toEqual(jobs)
    const heard = stage()
    await heard.reasoner({ silent, reasonConfig: SMALL }).generateForestResponse({ messages, sender: heard.user })
    expect(heard.events.filter(({ type }) => type === 'searchJobEnd')).toHaveLength(4)
  })

  it('stops with the chat: nothing is asked or stored afterwards', async () => {
    const stop = new AbortController()
    const { asked, reasoner, user } = stage(({ system }) => {
      if (/rate/i.test(system)) stop.abort()
      return undefined
    })
    const agent = reasoner({ reasonConfig: { concurrency: 1 } })
    const chat = user.initiateChat(agent, { message: 'What?', maxTurns: 1, signal: stop.signal })
    await expect(chat).rejects.toMatchObject({ code: 'aborted' })
    const before = asked.length
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toHaveLength(before)
    expect(user.chatMessages.get(agent)).toHaveLength(1)
  })

  it('loses a branch and not the answer when a call fails; says why when all do', async () => {
    let calls = 0
    const once = stage(({ system }) => {
      if (/next step/.test(system) && ++calls === 2) throw new XError('model-failed', 'down', { kind: 'server' })
      return undefined
    })
    const asked = { messages, sender: once.user }
    expect(await once.reasoner({ reasonConfig: { beamSize: 2 } }).generateForestResponse(asked)).toEqual([
      true,
      'It is 42.',
    ])
    const always = stage(() => {
      throw new XError('model-failed', 'the model is down', { kind: 'server' })
    })
    const failed = always.reasoner().generateForestResponse(asked)
    await expect(failed).rejects.toMatchObject({ code: 'no-response', message: expect.stringContaining('down') })
  })

  it('answers within a budget', async () => {
    const { asked, reasoner, user } = stage()
    const agent = reasoner({ reasonConfig: { budget: { calls: 9 } } })
    expect(await agent.generateForestResponse({ messages, sender: user })).toEqual([true, 'It is 42.'])
    expect(asked.length).toBeLessThanOrEqual(9)
  })

  it('searches by any method that `reasonConfig` names, with a verifier if there is one', () => {
    const { reasoner, user } = stage()
    const reasonConfig = { method: 'best_of_n', nsim: 5, verifier: (answer: string) => answer.includes('42') } as const
    expect(reasoner({ reasonConfig }).generateForestResponseSync({ messages, sender: user })).toEqual([
      true,
      'It is 42.',
    ])
    expect(() => reasoner({ reasonConfig: { method: 'guess' as never } })).not.toThrow()
    const lost = (): unknown =>
      reasoner({ reasonConfig: { method: 'guess' as never } }).generateForestResponseSync({ messages })
    expect(lost).toThrow(expect.objectContaining({ code: 'unknown-method' }))
  })

  it('leaves its own messages to the next reply function, and can be left out by either form', async () => {
    const { reasoner, user, asked } = stage()
    const agent = reasoner()
    expect(await agent.generateForestResponse({ messages, sender: agent })).toEqual([false, ''])
    for (const operation of [agent.generateForestResponse, agent.generateForestResponseSync]) {
      asked.length = 0
      expect(await agent.generateReply({ messages, sender: user, exclude: [operation] })).toBe('It is 42.')
      expect(asked).toHaveLength(1)
    }
  })

  it('reads the stored history when it is given no messages', async () => {
    const { reasoner, user } = stage()
    const agent = reasoner({ reasonConfig: SMALL })
    await user.send('What is it?', agent, { requestReply: false })
    await agent.generateForestResponse({ sender: user })
    expect(agent.root!.content).toBe('What is it?')
    expect(await agent.generateForestResponse({ sender: agent.userProxy })).toEqual([true, 'TERMINATE'])
  })

  it('rates a node once, also when the rating is the worst; what could not be read is asked again', async () => {
    const replies = ['Rating: 1', 'no idea', 'no idea', 'On a scale of 1 to 10 I give it an 8']
    const { asked, reasoner } = stage(() => replies[asked.length - 1])
    const agent = reasoner()
    for (const [reward, grade] of [
      [0, 0],
      [0, null],
      [7 / 9, 7 / 9],
    ] as const) {
      const node = new ThinkNode({ content: 'a step', parent: new ThinkNode({ content: 'Q' }) })
      const before = asked.length
      expect(await agent.rateNode(node)).toBeCloseTo(reward)
      expect(await agent.rateNode(node)).toBeCloseTo(reward)
      expect(asked).toHaveLength(before + (grade === null ? 2 : 1))
      if (grade === null) expect(node.grade).toBeNull()
      else expect(node.grade).toBeCloseTo(grade)
    }
  })

  it('shows the grader of a node the tries of the last search by lats, and only by lats', async () => {
    for (const method of ['lats', 'mcts'] as const) {
      const { asked, reasoner, user } = stage(({ system }) =>
        /rate/i.test(system) ? 'Rating: 3 of a kind' : undefined,
      )
      const agent = reasoner({ reasonConfig: { method, nsim: 2, maxDepth: 1 } })
      const node = new ThinkNode({ content: 'a step', parent: new ThinkNode({ content: 'Q' }) })
      await agent.rateNode(node)
      expect(asked.at(-1)!.text).not.toContain('Try 1')
      await agent.generateForestResponse({ messages, sender: user })
      await agent.rateNode(new ThinkNode({ content: 'another', parent: node }))
      const shown = asked.at(-1)!.text
      expect(shown.includes('Try 1') && shown.includes('Try 2') && shown.includes('3 of a kind')).toBe(
        method === 'lats',
      )
      expect(shown).toMatch(/Step 2: another$/)
    }
  })

  it('ends with the budget of the chat, whose calls are counted there', async () => {
    const { asked, reasoner, user } = stage()
    const budget = createBudget({ calls: 9 })
    const chat = await user.initiateChat(reasoner(), { message: 'What is it?', maxTurns: 1, budget })
    expect(asked.length).toBeLessThanOrEqual(9)
    expect(budget.spent.calls).toBe(asked.length)
    // No call was left to write an answer, and a step is none.
    expect(chat).toMatchObject({ summary: '', terminationReason: 'budget' })
  })

  it('fails as the model does when the rating fails', () => {
    const { reasoner } = stage(() => {
      throw new XError('model-failed', 'down', { kind: 'auth' })
    })
    const node = new ThinkNode({ content: 'Q' })
    try {
      reasoner().rateNodeSync(node)
      expect.unreachable()
    } catch (error) {
      expect(isXError(error, 'model-failed')).toBe(true)
      expect(node.ratingDetails).toBe('')
    }
  })

  it('warns of what is deprecated and keeps to it', async () => {
    const { events, reasoner, user } = stage()
    const agent = reasoner({ verbose: false, maxDepth: 2, beamSize: 1, answerApproach: 'best' })
    expect(events.map((event) => (event.type === 'warning' ? event.topic : event.type))).toEqual([
      'deprecated',
      'deprecated',
    ])
    expect(agent.silent).toBe(true)
    expect(agent.method).toBe('beam_search')
    await agent.generateForestResponse({ messages, sender: user })
    const expanded = [...agent.root!.walk()].filter(({ fate }) => fate === 'expanded')
    expect(expanded.map(({ depth }) => depth)).toEqual([0, 1])
  })

  it('runs the code of steps through a proxy of its own, in turn, and never in itself', async () => {
    const running: string[] = []
    let most = 0
    const executor = {
      isolation: 'sandbox' as const,
      codeReader: {
        extractCode: () => [{ language: 'python', code: 'print(6*7)' }],
        inferLang: () => 'python',
      },
      async executeCodeBlocks() {
        running.push('run')
        most = Math.max(most, running.length)
        await new Promise((resolve) => setImmediate(resolve))
        running.pop()
        return { exitCode: 0, output: '42' }
      },
    }
    const { reasoner, user, asked } = stage(({ system }) =>
      /next step/.test(system) ? 'Option 1: run\n```python\nprint(6*7)\n```\nOption 2: think' : undefined,
    )
    const agent = reasoner({ codeExecutionConfig: { executor }, reasonConfig: { maxDepth: 2, beamSize: 2 } })
    expect(agent.userProxy).toBeInstanceOf(UserProxyAgent)
    expect(agent.userProxy?.name).toBe('reasoner_user_proxy')
    await agent.generateForestResponse({ messages, sender: user })
    expect(agent.root!.children[0]!.content).toMatch(
      /```\n\n---\nCode Execution Result:\nexitcode: 0 .*\nCode output: 42$/,
    )
    expect(most).toBe(1)
    expect(asked.some(({ system }) => system.includes('python'))).toBe(true)
  })

  it('is refused without a model', () => {
    expect(() => new ReasoningAgent({ name: 'r', llmConfig: false as never })).toThrow(/llmConfig/)
  })
})
