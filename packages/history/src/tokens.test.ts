import { isThenable, runAsync, runSync } from '@x/kernel'
import { functionModel } from '@x/testing'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, it } from 'vitest'
import { encodingOf, loadCounter } from './count/tokenizer.steps.ts'
import { estimateText, maxTokensOfText } from './count/text-tokens.ts'
import { maxTokensOf, tokensOf } from './count/message-tokens.ts'
import { questionFor, chatOf } from './fakes.fake.ts'
import { fit } from './fit.ts'
import { limitTokens } from './views/limit.ts'

const TEXTS: Readonly<Record<string, string>> = {
  prose: 'The quick brown fox jumps over the lazy dog, and nobody in the village was surprised by it. '.repeat(20),
  code: 'export const add = (a: number, b: number): number => {\n  return a + b // sum\n}\n'.repeat(20),
  json: '{"id":4711,"name":"kettle","tags":["blue","1.5 l"],"price":{"eur":39.9}}'.repeat(20),
  german: 'Die Überprüfung der Geschäftsunterlagen verzögert sich um mehrere Wochen. '.repeat(20),
  russian: 'Быстрая лиса прыгает через ленивую собаку, и никто не удивляется. '.repeat(20),
  chinese: '敏捷的棕色狐狸跳过了懒狗，村里没有人感到惊讶。'.repeat(20),
  emoji: '👍🎉 ok 🚀 '.repeat(40),
}

describe.each(Object.entries(TEXTS))('%s', (_, text) => {
  it('is estimated with an error below the half, and never has more tokens than bytes', () => {
    const tokens = countTokens(text)
    expect(estimateText(text) / tokens).toBeGreaterThan(0.7)
    expect(estimateText(text) / tokens).toBeLessThan(1.8)
    expect(tokens).toBeLessThanOrEqual(maxTokensOfText(text))
  })

  it('is counted as the tokenizer counts it, in both kinds of runs', async () => {
    const counters = [
      await runAsync(loadCounter('o200k_base', undefined)),
      runSync(loadCounter('o200k_base', { face: 'sync', signal: undefined, emit: () => undefined })),
    ]
    // The tokenizer gets long runs without spaces in pieces.
    for (const count of counters) expect(Math.abs(count(text) / countTokens(text) - 1)).toBeLessThan(0.05)
  })
})

it('counts texts that would take the tokenizer minutes, and texts that look like special tokens', async () => {
  const count = await runAsync(loadCounter('o200k_base', undefined))
  expect(count('x'.repeat(200_000))).toBe(25_000)
  expect(count('<|endoftext|>')).toBeGreaterThan(1)
})

it('estimates if the tokenizer cannot be loaded', async () => {
  const counters = [
    await runAsync(loadCounter('missing' as never, { face: 'sync', signal: undefined, emit: () => undefined })),
  ]
  for (const count of counters) expect(count('hello there')).toBe(estimateText('hello there'))
})

it('knows which models have a tokenizer', () => {
  const names = [
    'gpt-5-mini',
    'gpt-4o',
    'o3',
    'openai/gpt-4.1',
    'gpt-oss-20b',
    'gpt-4',
    'claude-opus-4-6',
    'qwen3',
    null,
  ]
  expect(names.map(encodingOf)).toEqual([
    'o200k_base',
    'o200k_base',
    'o200k_base',
    'o200k_base',
    'o200k_base',
    'cl100k_base',
    null,
    null,
    null,
  ])
})

it('counts calls, parts and attachments of a message', () => {
  const call = { id: 'a', function: { name: 'read', arguments: '{"path":"a"}' } }
  const message = {
    role: 'assistant' as const,
    content: [
      { type: 'text' as const, text: 'hello there' },
      { type: 'image_url' as const, image_url: { url: 'https://x/y.png' } },
      { type: 'input_audio' as const, input_audio: { data: 'a'.repeat(60_000), format: 'wav' as const } },
      { type: 'file' as const, file: { file_data: 'a'.repeat(600_000) } },
    ],
    tool_calls: [call],
  }
  const tokens = tokensOf(message, estimateText)
  expect(tokens).toBeGreaterThan(1600 + 1000 + 10_000)
  expect(maxTokensOf(message)).toBeGreaterThan(tokens)
})

it('loads the tokenizer of the model only when the lengths of the texts do not prove that everything fits', async () => {
  const llmConfig = functionModel(() => 'ok', { model: 'gpt-5-mini' })
  const view = fit(limitTokens(9000))
  const conversation = {}
  // 40 messages of 20 words are some 1,000 tokens, and at most 13,000.
  const few = view.choose(questionFor(chatOf(10), { llmConfig, conversation }))
  expect(isThenable(few)).toBe(false)
  const many = view.choose(questionFor(chatOf(40), { llmConfig, conversation }))
  expect(isThenable(many)).toBe(true)
  expect((await many).cut).toBe(null)
  // Once it is loaded, nothing is asynchronous.
  expect(isThenable(view.choose(questionFor(chatOf(40), { llmConfig, conversation })))).toBe(false)
})
