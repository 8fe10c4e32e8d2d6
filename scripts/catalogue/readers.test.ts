import { deflateRawSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { readTarball, readZip } from './archive.ts'
import { readGenaiPrices } from './genai-prices.ts'
import { isAnswering, isEmbedding } from './is-answering.ts'
import { readLitellm } from './litellm.ts'
import { readModelsDev, readModelsDevApi } from './models-dev.ts'
import { readPython } from './read-python.ts'

describe('data in Python', () => {
  test.each<[string, unknown]>([
    ["['a', \"b'\", 'c\\n\\u00e9']", ['a', "b'", 'c\né']],
    ["('one ' 'two')", 'one two'],
    ['(1, 2.5, -3, 1_000)', [1, 2.5, -3, 1000]],
    ["{'a': True, 'b': None}", { a: true, b: null }],
    [
      "Model(id='x', price=Decimal('0.25'), since=datetime.date(2026, 3, 1))",
      { call: 'Model', id: 'x', price: 0.25, since: '2026-03-01' },
    ],
    ['At(start=datetime.time(16, 30, tzinfo=datetime.timezone.utc))', { call: 'At', start: { call: 'datetime.time' } }],
  ])('%s', (source, value) => expect(readPython(source)).toEqual(value))

  test.each(['[1', '@', '[lambda: 1]', 'Call(x)'])('%s is not data', (source) => {
    expect(() => readPython(source)).toThrow('cannot read Python data')
  })
})

describe('archives', () => {
  test('a packed and a stored file of a zip archive', () => {
    const wheel = zipOf([
      ['a/data.py', 'x = 1', true],
      ['a/other.py', 'y', false],
      ['b.json', '{}', false],
    ])
    expect([...readZip(wheel, (name) => name !== 'a/other.py')]).toEqual([
      ['a/data.py', 'x = 1'],
      ['b.json', '{}'],
    ])
    expect(() => readZip(new Uint8Array(30), () => true)).toThrow('not a zip file')
  })

  test('files of an npm package', () => {
    const text = 'x'.repeat(700)
    const files = [
      ['package/a.json', text],
      ['package/b.json', '{}'],
    ] as const
    const blocks = files.flatMap(([name, body]) => {
      const head = Buffer.alloc(512)
      head.write(name, 0)
      head.write(body.length.toString(8).padStart(11, '0'), 124)
      const padded = Buffer.alloc(Math.ceil(body.length / 512) * 512)
      padded.write(body)
      return [head, padded]
    })
    const packed = gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]))
    expect([...readTarball(packed, (name) => name.endsWith('a.json'))]).toEqual([['package/a.json', text]])
  })
})

/** A zip archive with the fields that are read. */
function zipOf(files: readonly (readonly [name: string, text: string, packed: boolean])[]): Uint8Array {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const [name, text, packed] of files) {
    const data = packed ? deflateRawSync(text) : Buffer.from(text)
    const local = Buffer.alloc(30)
    local.writeUInt16LE(name.length, 26)
    const entry = Buffer.alloc(46)
    entry.writeUInt16LE(packed ? 8 : 0, 10)
    entry.writeUInt32LE(data.length, 20)
    entry.writeUInt16LE(name.length, 28)
    entry.writeUInt32LE(offset, 42)
    directory.push(entry, Buffer.from(name))
    bodies.push(local, Buffer.from(name), data)
    offset += 30 + name.length + data.length
  }
  const end = Buffer.alloc(22)
  end.write('PK\u0005\u0006', 0, 'latin1')
  end.writeUInt16LE(files.length, 10)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...bodies, ...directory, end])
}

test('genai-prices: the prices of the day, tiers and names that are as good', () => {
  const source = `
providers: list[Provider] = [
    Provider(id='anthropic', models=[ModelInfo(
        id='m', match=ClauseOr(or_=[ClauseEquals(equals='m-latest'), ClauseRegex(regex='^m-\\\\d$')]), context_window=1000,
        prices=[
            ConditionalPrice(prices=ModelPrice(input_mtok=Decimal('9'), output_mtok=Decimal('9'))),
            ConditionalPrice(
                constraint=StartDateConstraint(start_date=datetime.date(2026, 5, 1)),
                prices=ModelPrice(
                    input_mtok=TieredPrices(base=Decimal('2'), tiers=[Tier(start=100, price=Decimal('4'))]),
                    output_mtok=Decimal('8'), cache_write_1h_mtok=Decimal('3'))),
            ConditionalPrice(
                constraint=StartDateConstraint(start_date=datetime.date(2027, 1, 1)),
                prices=ModelPrice(input_mtok=Decimal('7'), output_mtok=Decimal('7'))),
        ],
        price_variants=[
            PriceVariant(when={'processing': 'batch'}, prices=ModelPrice(
                input_mtok=TieredPrices(base=Decimal('1'), tiers=[Tier(start=100, price=Decimal('2'))]),
                output_mtok=Decimal('4'))),
            PriceVariant(when={'service_tier': 'fast'}, prices=ModelPrice(input_mtok=Decimal('6'))),
            PriceVariant(when={'route': 'eu'}, prices=ModelPrice(input_mtok=Decimal('6'))),
        ],
    )]),
]`
  const models = readGenaiPrices(source, 'test', '2026-11-22').models.get('anthropic')!
  expect([...models.keys()]).toEqual(['m', 'm-latest'])
  expect(models.get('m')).toEqual({
    contextWindow: 1000,
    price: {
      input: 2,
      output: 8,
      cacheWriteHour: 3,
      long: { above: 100, input: 4, output: 8 },
      tiers: { batch: 0.5, fast: { input: 6 } },
    },
  })
})

test('LiteLLM: answering models with their tiers, and those that embed', () => {
  const table = {
    'gemini/a': {
      litellm_provider: 'gemini',
      mode: 'chat',
      max_input_tokens: 1000,
      max_output_tokens: 100,
      input_cost_per_token: 2e-6,
      output_cost_per_token: 8e-6,
      input_cost_per_token_above_200k_tokens: 4e-6,
      input_cost_per_token_flex: 1e-6,
      output_cost_per_token_flex: 4e-6,
      input_cost_per_token_above_200k_tokens_flex: 2e-6,
      input_cost_per_token_priority: 3e-6,
      search_context_cost_per_query: { search_context_size_medium: 0.014 },
      supports_vision: true,
      supports_reasoning: false,
    },
    'gemini/gemini-embedding-1': { litellm_provider: 'gemini', mode: 'embedding', input_cost_per_token: 1e-6 },
    'gemini/gemini-9-image': { litellm_provider: 'gemini', mode: 'image_generation' },
    'claude-x': { litellm_provider: 'anthropic', mode: 'chat', provider_specific_entry: { fast: 2, us: 1 } },
  }
  const { models } = readLitellm(JSON.stringify(table), 'test')
  expect([...models.get('google')!]).toEqual([
    [
      'a',
      {
        contextWindow: 1000,
        maxOutput: 100,
        abilities: ['images'],
        price: {
          input: 2,
          output: 8,
          long: { above: 200_000, input: 4 },
          searches: 14,
          tiers: { flex: 0.5, priority: { input: 3 } },
        },
      },
    ],
    ['gemini-embedding-1', { price: { input: 1, output: 0 } }],
    ['gemini-9-image', {}],
  ])
  expect([...models.get('anthropic')!]).toEqual([['claude-x', {}]])
})

test('models.dev: zero stands for what is not known', () => {
  const row = { type: 'chat', input: ['text', 'image'], reasoning: true, contextWindow: 10, maxTokens: 5 }
  const tier = { inputTokensAbove: 200, input: 4, output: 9, cacheRead: 0.4, cacheWrite: 0 }
  const file = {
    api: {
      'chat:a': { ...row, id: 'a', cost: { input: 2, output: 8, cacheRead: 0.2, cacheWrite: 0, tiers: [tier] } },
      'chat:b': { ...row, id: 'b', cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } },
      'classifier:a': { ...row, id: 'a', type: 'classifier' },
    },
  }
  const models = readModelsDev(new Map([['groq', JSON.stringify(file)]]), 'test').models.get('groq')!
  const facts = { contextWindow: 10, maxOutput: 5, abilities: ['tools', 'images', 'reasoning'] }
  expect([...models]).toEqual([
    [
      'a',
      { ...facts, price: { input: 2, output: 8, cached: 0.2, long: { above: 200, input: 4, output: 9, cached: 0.4 } } },
    ],
    ['b', facts],
  ])
})

test('models.dev itself', () => {
  const a = {
    id: 'a',
    tool_call: true,
    structured_output: true,
    modalities: { input: ['text', 'audio'], output: ['text'] },
    cost: { input: 2, output: 8, cache_read: 0.2, input_audio: 5, context_over_200k: { input: 4, output: 12 } },
    limit: { context: 1000, output: 100 },
  }
  const draws = { id: 'draws', modalities: { output: ['image'] } }
  const { models } = readModelsDevApi(JSON.stringify({ togetherai: { models: { a, draws, b: { id: 'b' } } } }))
  expect([...models.get('together')!]).toEqual([
    [
      'a',
      {
        contextWindow: 1000,
        maxOutput: 100,
        abilities: ['tools', 'audio', 'schema'],
        price: { input: 2, output: 8, cached: 0.2, audioInput: 5, long: { above: 200_000, input: 4, output: 12 } },
      },
    ],
    ['b', {}],
  ])
})

test.each([
  ['gpt-5', true],
  ['gpt-audio', true],
  ['gemini-3-pro-image', true],
  ['claude-opus-5', true],
  ['text-embedding-3-large', false],
  ['gpt-4o-mini-tts', false],
  ['gemini-3.8-live', false],
  ['gpt-image-2', false],
])('whether %s answers chats: %s', (name, answers) => expect(isAnswering(name)).toBe(answers))

test.each([
  ['text-embedding-3-small', true],
  ['gemini-embedding-001', true],
  ['codestral-embed', true],
  ['gpt-5', false],
  ['whisper-1', false],
])('whether %s embeds: %s', (name, embeds) => expect(isEmbedding(name)).toBe(embeds))
