import type { ModelAnswer, ModelResponse, XEvent } from '@x/interfaces'
import { describe, expect, test } from 'vitest'
import { answerOf, type FakeReply, fakeProvider } from '../fakes/provider.fake.ts'
import { ModelWrapper } from './model-wrapper.ts'

const messages = [{ role: 'user' as const, content: 'hi' }]

const schema = {
  type: 'object',
  properties: { items: { type: 'array', items: { type: 'object', properties: { price: { type: 'number' } } } } },
  required: ['items'],
}

interface Setup {
  readonly model: ModelWrapper
  readonly warnings: string[]
}

function wrapped(replies: readonly FakeReply[], models = 1): Setup {
  const warnings: string[] = []
  const { provider } = fakeProvider(replies)
  const io = {
    send: (event: XEvent) => {
      if (event.type === 'warning' && event.topic === 'schema') warnings.push(event.text)
    },
    input: () => '',
  }
  const entry = { model: 'fake-1', apiType: 'fake', price: [0, 0] as [number, number] }
  const configList = Array.from({ length: models }, () => entry)
  return { warnings, model: new ModelWrapper({ providers: [provider], configList, cacheSeed: null, io }) }
}

/** A schema of a library that takes one value, now or later. */
const libraryOf = (fits: unknown, isLate: boolean): object => ({
  '~standard': {
    version: 1,
    vendor: 'test',
    validate: (value: unknown) => {
      const result =
        value === fits ? { value } : { issues: [{ message: 'is another one', path: [{ key: 'items' }, 0] }] }
      return isLate ? Promise.resolve(result) : result
    },
    jsonSchema: { output: () => ({ type: 'number' }) },
  },
})

const wrongPrice = '{"items":[{"price":"much"}]}'
const priceIssue = { path: ['items', 0, 'price'], message: expect.stringContaining('number') }

describe('the answer of `create` is checked against its `response_format`', () => {
  test.each<[what: string, format: object, text: string, issues: unknown]>([
    ['fits a JSON Schema', schema, '{"items":[{"price":1}]}', undefined],
    ['does not fit a JSON Schema', schema, wrongPrice, [priceIssue]],
    [
      'does not fit the form of the wire',
      { type: 'json_schema', json_schema: { name: 'list', schema, strict: false } },
      wrongPrice,
      [priceIssue],
    ],
    ['is not JSON', schema, 'no', [{ path: [], message: 'is not JSON' }]],
    ['is empty', schema, '', [{ path: [], message: 'is not JSON' }]],
    ['fits the validator of a library', libraryOf(7, false), '7', undefined],
    [
      'does not fit the validator of a library',
      libraryOf(7, false),
      '8',
      [{ path: ['items', 0], message: 'is another one' }],
    ],
    ['does not fit one that takes time', libraryOf(7, true), '8', [{ path: ['items', 0], message: 'is another one' }]],
    ['has no schema', { type: 'json_object' }, 'no', undefined],
  ])('an answer that %s', async (_, response_format, text, issues) => {
    const { model, warnings } = wrapped([text])
    const response = await model.create({ messages, response_format })
    expect(response.schemaIssues).toEqual(issues)
    expect(response.choices[0]!.message.content).toBe(text)
    expect(warnings).toHaveLength(issues ? 1 : 0)
  })

  test('in a stream, and in a blocking call by what needs no time', async () => {
    const { model } = wrapped([wrongPrice, '"8"', '8'])
    const stream = model.createStream({ messages, response_format: schema })
    let step = await stream.next()
    while (!step.done) step = await stream.next()
    expect(step.value.schemaIssues).toEqual([priceIssue])
    const response_format = libraryOf(7, true)
    expect(model.createSync({ messages, response_format }).schemaIssues).toEqual([
      { path: [], message: expect.stringContaining('number') },
    ])
    expect(model.createSync({ messages, response_format }).schemaIssues).toBeUndefined()
  })

  test('a filter sees what does not fit, and the next config is asked', async () => {
    const { model } = wrapped([wrongPrice, '{"items":[]}'], 2)
    const filterFunc = ({ response }: { response: ModelResponse }): boolean => !response.schemaIssues
    const response = await model.create({ messages, response_format: schema, filterFunc })
    expect(response).toMatchObject({ configId: 1, passFilter: true })
  })

  test('one warning tells of one problem, wherever it stands in a list', async () => {
    const { model, warnings } = wrapped([wrongPrice, '{"items":[{},{"price":"little"}]}'])
    await model.create({ messages, response_format: schema })
    await model.create({ messages, response_format: schema })
    expect(warnings).toEqual([expect.stringContaining('items.*.price')])
  })

  test('a wrapper remembers a bounded number of warnings', async () => {
    let calls = 0
    const { model, warnings } = wrapped([() => `{"k${calls++ % 1500}":1}`])
    const response_format = { type: 'object', additionalProperties: { type: 'string' } }
    for (let count = 0; count < 1501; count++) await model.create({ messages, response_format })
    expect(warnings).toHaveLength(1501)
  })

  test.each<[what: string, change: (answer: ModelAnswer) => void]>([
    [
      'a call of a tool',
      ({ choices: [choice] }) => {
        choice!.message.tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
      },
    ],
    ['a refusal', ({ choices: [choice] }) => (choice!.finish_reason = 'content_filter')],
  ])('%s is no answer to check', async (_, change) => {
    const answer = answerOf('fake-1', 'I cannot')
    change(answer)
    const { model, warnings } = wrapped([answer])
    expect((await model.create({ messages, response_format: schema })).schemaIssues).toBeUndefined()
    expect(warnings).toEqual([])
  })

  test('each of several alternatives is checked', async () => {
    const answer = answerOf('fake-1', '{"items":[]}')
    answer.choices.push({ ...answerOf('fake-1', wrongPrice).choices[0]!, index: 1 })
    const { model } = wrapped([answer])
    const { schemaIssues } = await model.create({ messages, response_format: schema })
    expect(schemaIssues).toEqual([{ ...priceIssue, path: ['choices', 1, ...priceIssue.path] }])
  })

  test('a schema that nothing can be checked against is told, and the answer stays', async () => {
    const { model, warnings } = wrapped(['"x"'])
    const response = await model.create({ messages, response_format: { type: 'string', pattern: '(a)\\1' } })
    expect([response.schemaIssues, response.choices[0]!.message.content]).toEqual([undefined, '"x"'])
    expect(warnings).toEqual([expect.stringContaining('back-reference')])
  })

  test('a schema that was changed in place counts as it is now', async () => {
    const { model } = wrapped(['{"items":1}'])
    const format = structuredClone(schema) as { properties: { items: object } }
    expect((await model.create({ messages, response_format: format })).schemaIssues).toHaveLength(1)
    format.properties.items = { type: 'number' }
    expect((await model.create({ messages, response_format: format })).schemaIssues).toBeUndefined()
  })
})
