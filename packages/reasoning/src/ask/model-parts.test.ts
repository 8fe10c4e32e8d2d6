import type { JsonSchema, Model, ModelRequest } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { messageText } from '../agent/prompt.ts'
import {
  abMcts,
  beam,
  bestOfN,
  modelParts,
  modelProposer,
  proposerByModel,
  search,
  searchMethod,
  searchSync,
  ThinkNode,
} from '../index.ts'

/** A model whose requests are noted; `reply` answers by the system message. */
function noted(reply: (system: string, text: string) => string): { model: Model; requests: ModelRequest[] } {
  const requests: ModelRequest[] = []
  const inner = functionModel(({ messages }) => {
    const [first] = messages
    return reply(first?.role === 'system' ? messageText(first) : '', messageText(messages.at(-1)))
  }).createModel()
  const note = <T>(request: ModelRequest, ask: () => T): T => {
    requests.push(request)
    return ask()
  }
  const model = Object.create(inner, {
    create: { value: (request: ModelRequest, options: object) => note(request, () => inner.create(request, options)) },
    createSync: {
      value: (request: ModelRequest, options: object) => note(request, () => inner.createSync(request, options)),
    },
  }) as Model
  return { model, requests }
}

const roleOf = (system: string): 'thinker' | 'grader' | 'answerer' =>
  /grader/.test(system) ? 'grader' : /You plan/.test(system) ? 'thinker' : 'answerer'

describe('a reasoning model', () => {
  it('has thoughts that no option, rating, answer or later prompt contains', async () => {
    const { model, requests } = noted((system) => {
      const role = roleOf(system)
      const thought = '<think>\nOption 1: a secret\nRating: 1\n</think>\n'
      return thought + { thinker: 'Option 1: left\nOption 2: right', grader: 'Rating: 9', answerer: '42' }[role]
    })
    const { answer, trees } = await search('Q', {
      ...modelParts({ model }),
      method: beam({ beamSize: 1, maxDepth: 2 }),
    })
    expect(answer).toBe('42')
    const nodes = [...trees[0]!.walk()].slice(1)
    expect(nodes.map(({ content }) => content)).toEqual(['left', 'left', 'right', 'right'])
    expect(nodes.map(({ ratingDetails }) => ratingDetails)).toEqual(Array.from({ length: 4 }, () => 'Rating: 9'))
    expect(JSON.stringify(requests)).not.toContain('secret')
  })

  it('with nothing but thoughts in its reply gives no answer', () => {
    const { model } = noted((system) => (roleOf(system) === 'answerer' ? '<think>It is 42, so' : 'Option 1: left'))
    const result = searchSync('Q', { ...modelParts({ model }), method: bestOfN({ n: 1 }) })
    expect(result).toMatchObject({ answer: null, status: 'exhausted', reason: expect.stringContaining('empty') })
    expect(result.failures).toHaveLength(2)
  })
})

describe('a model that takes a schema', () => {
  it('gets a schema for options, for one rating and for several, but not for an answer', () => {
    const { model, requests } = noted((system, text) => {
      if (roleOf(system) === 'thinker') return '{"reflection": "Good.", "options": ["left", "right", "TERMINATE"]}'
      if (roleOf(system) === 'answerer') return '42'
      if (!text.includes('Options:')) return '{"explanation": "3 errors", "rating": 7}'
      return '{"ratings": [{"option": 2, "explanation": "", "rating": 9}, {"option": 1, "explanation": "", "rating": 3}, {"option": 3, "explanation": "", "rating": 1}]}'
    })
    const parts = modelParts({ model })
    const one = searchSync('Q', { ...parts, method: beam({ beamSize: 1, maxDepth: 1 }) })
    expect(one.trees[0]!.reflection).toBe('Good.')
    expect(one.trees[0]!.children.map(({ grade }) => grade)).toEqual([6 / 9, 6 / 9, 6 / 9])
    const several = searchSync('Q', { ...parts, method: beam({ beamSize: 1, maxDepth: 1, gradeMode: 'per-parent' }) })
    expect(several.trees[0]!.children.map(({ grade }) => grade)).toEqual([2 / 9, 8 / 9, 0])
    const shapes = new Map(requests.map(({ answerSchema }) => [JSON.stringify(answerSchema), answerSchema]))
    const fields = [...shapes.values()].map((shape) => shape && Object.keys(shape['properties'] as JsonSchema))
    expect(fields).toEqual([['reflection', 'options'], ['explanation', 'rating'], undefined, ['ratings']])
  })

  it('rates its own options in a field', async () => {
    const { model } = noted(
      () => '{"reflection": "", "options": [{"content": "left", "rating": 10}, {"content": "right", "rating": 1}]}',
    )
    const node = new ThinkNode({ content: 'Q' })
    const proposer = modelProposer({ model, rateUpTo: 10 })
    const result = await search('Q', {
      proposer,
      grader: { grade: () => expect.unreachable() },
      answerer: { answer: ({ from }) => ({ text: from[0]!.content }) },
      method: beam({ beamSize: 1, maxDepth: 1 }),
    })
    expect(result.answer).toBe('left')
    expect(node.children).toEqual([])
  })
})

it.each([functionModel(() => ''), { provider: '@x/provider-openai', model: 'gpt-5-mini' }])(
  'parts refuse what makes a model, and say how: %o',
  (model) => {
    expect(() => modelParts({ model: model as never })).toThrow("`llmConfig(openai('gpt-5-mini')).createModel()`")
  },
)

it('shows the grader the paths of several nodes that are not siblings', () => {
  const { model, requests } = noted((system, text) => {
    if (roleOf(system) === 'grader') return 'Option 1: Rating: 3\nOption 2: Rating: 9'
    return text.includes('Step 1') ? 'Option 1: further' : 'Option 1: left\nOption 2: right'
  })
  const method = searchMethod(function* (context) {
    const [[left, right] = []] = yield* context.expand([context.root])
    yield* context.gradeTogether([left!, right!])
    const [[below] = []] = yield* context.expand([right!])
    const other = context.tree.add(context.root, 'on')
    yield* context.gradeTogether([other, below!])
  })
  const { trees } = searchSync('Q', { ...modelParts({ model }), method })
  const asked = requests.map(({ messages }) => messageText(messages.at(-1))).filter((text) => text.includes('Options:'))
  expect(asked).toEqual([
    expect.stringContaining('Option 1: left\nOption 2: right'),
    expect.stringContaining('\n\nOptions:\nOption 1: Step 1: on\nOption 2: Step 1: right\nStep 2: further'),
  ])
  const steps = [...trees[0]!.walk()].filter(({ fate }) => fate !== 'answer')
  expect(steps.map(({ content, grade }) => [content, grade])).toEqual([
    ['Q', null],
    ['left', 2 / 9],
    ['right', 8 / 9],
    ['further', 8 / 9],
    ['on', 2 / 9],
  ])
})

it('a search warns once if a method names a model to a part with a single one', () => {
  const { model } = noted(
    (system) => ({ thinker: 'Option 1: left', grader: 'Rating: 3', answerer: '42' })[roleOf(system)],
  )
  const method = abMcts({ nsim: 4, maxDepth: 1, models: ['small'] })
  const { warnings } = searchSync('Q', { ...modelParts({ model }), method })
  expect(warnings).toEqual([expect.stringMatching(/`tot_thinker` for the model `small`.*`proposerByModel`/)])
  const proposer = proposerByModel({ small: modelProposer({ model }) })
  expect(searchSync('Q', { ...modelParts({ model }), proposer, method }).warnings).toEqual([])
})

it('an option with a rating in another language gets that rating', () => {
  const { model } = noted(() => 'Вариант 1: налево\nОценка: 9\nВариант 2: направо\nОценка: 2')
  const { trees } = searchSync('Q', {
    proposer: modelProposer({ model, rateUpTo: 10 }),
    grader: { grade: () => expect.unreachable() },
    answerer: { answer: () => ({ text: '42' }) },
    method: beam({ beamSize: 1, maxDepth: 1 }),
  })
  expect(trees[0]!.children.map(({ content, grade }) => [content, grade])).toEqual([
    ['налево', 8 / 9],
    ['направо', 1 / 9],
  ])
})

it.each([
  ['Antwort: 42', 'Die Antwort ist 42.'],
  ['答案：42', '答案是42。'],
  ['Ответ: ٤٢', 'ответ: 42'],
  ['Respuesta final: 42', 'La respuesta es 42'],
  ['Answer: \\boxed{42}', '42'],
])('%j and %j are one vote', (first, second) => {
  let asked = 0
  const { answer } = searchSync('Q', {
    proposer: { propose: () => expect.unreachable() },
    grader: { grade: () => expect.unreachable() },
    answerer: { answer: () => ({ text: ['7', first, second][asked++]! }) },
    method: bestOfN({ n: 3 }),
  })
  expect(answer).toBe(first)
})
