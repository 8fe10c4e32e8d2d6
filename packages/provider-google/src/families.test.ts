import type { ChatMessage, ConfigEntry, ModelParams } from '@x/interfaces'
import { googleFormat } from '@x/testing/google'
import { exchange, type Exchange } from '@x/testing/provider-contract'
import { describe, expect, test } from 'vitest'
import { google } from './google.ts'

const HI: ChatMessage[] = [{ role: 'user', content: 'Hi' }]
const tools = [{ type: 'function' as const, function: { name: 'f', parameters: { type: 'object', properties: {} } } }]

/** Asks a model and returns what was sent; the request is one that the strict server takes. */
async function asked(
  model: string,
  params: Partial<ModelParams> = {},
  { config = {}, whole = googleFormat.whole({ text: 'Hello' }) }: { config?: ConfigEntry; whole?: unknown } = {},
): Promise<Exchange> {
  const entry = { model, sdk: 'fetch', ...config }
  const sent = await exchange(google, entry, { model, messages: HI, ...params }, { whole })
  const path = `/v1beta/models/${model}:generateContent`
  const request = { method: 'POST', path, query: {}, headers: { 'x-goog-api-key': 'k' }, body: sent.body }
  expect(googleFormat.refusal(request)).toBeUndefined()
  return sent
}

const configOf = ({ body }: Exchange): Record<string, unknown> =>
  (body['generationConfig'] as Record<string, unknown> | undefined) ?? {}
const topics = ({ warnings }: Exchange): string[] => warnings.map(([topic]) => topic)

describe('G31: thinking in the words of the provider is fitted to the model', () => {
  test.each([
    ['gemini-3.8-flash', { thinkingLevel: 'minimal' }, { thinkingLevel: 'low' }, 1],
    ['gemini-3.5-flash', { thinkingLevel: 'MINIMAL' }, { thinkingLevel: 'MINIMAL' }, 0],
    ['gemini-3.1-flash-lite', { thinkingLevel: 'minimal' }, { thinkingLevel: 'minimal' }, 0],
    ['gemini-3.1-flash-image', { thinkingLevel: 'low' }, { thinkingLevel: 'high' }, 1],
    ['gemini-3-pro-preview', { thinkingLevel: 'medium' }, { thinkingLevel: 'high' }, 1],
    ['gemini-4-argon', { thinkingLevel: 'minimal' }, { thinkingLevel: 'low' }, 1],
    ['gemini-2.5-flash', { thinkingLevel: 'low' }, { thinkingBudget: 1024 }, 1],
    ['gemini-2.5-flash', { thinkingBudget: 0 }, { thinkingBudget: 0 }, 0],
    ['gemini-2.5-pro', { thinkingBudget: 0 }, { thinkingBudget: 128 }, 1],
    ['gemini-2.5-pro', { thinkingBudget: -1 }, { thinkingBudget: -1 }, 0],
    ['gemini-3.1-pro-preview', { thinkingBudget: 0 }, { thinkingLevel: 'low' }, 1],
    ['gemini-3.1-pro-preview', { thinkingBudget: 900 }, { thinkingBudget: 900 }, 0],
  ])('%s told %j thinks as %j', async (model, thinkingConfig, sent, warned) => {
    const exchanged = await asked(model, {}, { config: { thinkingConfig } })
    expect(configOf(exchanged)['thinkingConfig']).toEqual(sent)
    expect(topics(exchanged)).toEqual(Array.from({ length: warned }, () => 'thinking'))
  })

  test('of a model of another maker, as it was given', async () => {
    const thinkingConfig = { thinkingLevel: 'minimal' }
    const params = { model: 'someone-elses', messages: HI }
    const config = { model: 'someone-elses', sdk: 'fetch', thinkingConfig }
    const exchanged = await exchange(google, config, params, { whole: googleFormat.whole({ text: 'Hello' }) })
    expect(configOf(exchanged)['thinkingConfig']).toEqual(thinkingConfig)
    expect(topics(exchanged)).toEqual([])
  })

  test('a budget and an effort are not sent together', async () => {
    const exchanged = await asked('gemini-3.8-flash', {
      reasoning_effort: 'high',
      thinking_config: { thinkingBudget: 500, includeThoughts: true },
    })
    expect(configOf(exchanged)['thinkingConfig']).toEqual({ thinkingBudget: 500, includeThoughts: true })
  })

  test.each([
    ['gemini-2.5-pro', ['parameter']],
    ['gemini-3.8-flash', ['parameter']],
    ['gemini-2.5-flash', []],
  ])('%s that cannot be told not to think says so: %j', async (model, warned) => {
    expect(topics(await asked(model, { reasoning_effort: 'none' }))).toEqual(warned)
  })
})

test.each([
  ['gemini-3.8-flash', 100_000, 65_536],
  ['gemini-2.5-pro', 65_536, 65_536],
  ['gemini-2.0-flash', 100_000, 8192],
  ['gemini-3.1-flash-image', 100_000, 32_768],
  ['someone-elses', 100_000, 100_000],
])('G32: %s asked for %s tokens is sent %s', async (model, max_tokens, most) => {
  const exchanged = await asked(model, { max_tokens })
  expect(configOf(exchanged)['maxOutputTokens']).toBe(most)
  expect(topics(exchanged)).toEqual(most < max_tokens ? ['max_tokens'] : [])
})

describe('G33: signatures go back to the model that made them', () => {
  const whole = {
    responseId: 'r',
    modelVersion: 'gemini-3.1-pro-preview',
    candidates: [
      {
        content: {
          role: 'model',
          parts: [
            { text: 'I look.', thoughtSignature: 'sig-1' },
            { functionCall: { name: 'f', args: {}, id: 'c1' }, thoughtSignature: 'sig-2' },
          ],
        },
        finishReason: 'STOP',
      },
    ],
  }
  const sentBack = async (from: string, to: string) => {
    const { answer } = await asked(from, { tools }, { whole })
    const history: ChatMessage[] = [
      ...HI,
      answer!.choices[0]!.message,
      { role: 'tool', tool_call_id: 'c1', content: '1' },
    ]
    const exchanged = await asked(to, { tools, messages: history })
    const contents = exchanged.body['contents'] as { parts: Record<string, unknown>[] }[]
    return { signatures: contents[1]!.parts.map((part) => part['thoughtSignature']), warned: topics(exchanged) }
  }

  test.each([
    ['gemini-3.1-pro-preview', 'gemini-3.1-pro-preview'],
    ['gemini-pro-latest', 'gemini-pro-latest'],
    ['gemini-pro-latest', 'gemini-3.1-pro-preview'],
  ])('from %s to %s', async (from, to) => {
    expect(await sentBack(from, to)).toEqual({ signatures: ['sig-1', 'sig-2'], warned: [] })
  })

  test('another model gets the stand-in that Google documents, and a warning says so', async () => {
    expect(await sentBack('gemini-3.1-pro-preview', 'gemini-3.8-flash')).toEqual({
      signatures: [undefined, 'skip_thought_signature_validator'],
      warned: ['reasoning'],
    })
    expect(await sentBack('gemini-3.1-pro-preview', 'gemini-2.5-flash')).toEqual({
      signatures: [undefined, undefined],
      warned: ['reasoning'],
    })
  })
})

describe('G20: JSON beside tools, before Gemini 3', () => {
  const json = { response_format: { type: 'json_object' } }

  test('leaves the choice of a function to the caller', async () => {
    const calling = async (tool_choice: ModelParams['tool_choice']): Promise<unknown> =>
      (await asked('gemini-2.5-flash', { ...json, tools, tool_choice })).body['toolConfig']
    const config = (more: object): object => ({ functionCallingConfig: { mode: 'ANY', ...more } })
    expect(await calling('auto')).toEqual(config({}))
    expect(await calling('none')).toEqual(config({ allowedFunctionNames: ['json'] }))
    expect(await calling({ type: 'function', function: { name: 'f' } })).toEqual(
      config({ allowedFunctionNames: ['f'] }),
    )
  })

  test('is left out beside tools of the provider alone, with a warning', async () => {
    const search = { tools: [{ googleSearch: {} }] } as unknown as Partial<ModelParams>
    const older = await asked('gemini-2.5-flash', { ...json, ...search })
    expect([older.body['toolConfig'], configOf(older), topics(older)]).toEqual([undefined, {}, ['response_format']])
    const newer = await asked('gemini-3-flash-preview', { ...json, ...search })
    expect(configOf(newer)).toEqual({ responseMimeType: 'application/json' })
  })
})
