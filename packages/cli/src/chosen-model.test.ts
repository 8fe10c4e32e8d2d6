import { describe, expect, it } from 'vitest'
import { chosenModel } from './chosen-model.ts'

it('says where the model is without the secrets of its address', () => {
  const chosen = chosenModel({ model: 'm', baseUrl: 'https://me:pass-word@host/v1?sig=signed&lang=en' }, {})
  expect(chosen!.words).toBe('The model is m, of https://[redacted]@host/v1?sig=[redacted]&lang=en.')
})

describe('a model that a person names', () => {
  const all = { OPENAI_API_KEY: 'k', ANTHROPIC_API_KEY: 'k', GEMINI_API_KEY: 'k' }

  it.each([
    ['gpt-5-nano', all, 'openai'],
    ['claude-haiku-4-5', all, 'anthropic'],
    ['gemini-2.5-flash', all, 'google'],
    ['o3', all, 'openai'],
    ['claude-haiku-4-5', { OPENAI_API_KEY: 'of a gateway' }, 'openai'],
  ])('%s is asked of its vendor, if there is a key', (model, env, vendor) => {
    expect(chosenModel({ model }, env)!.words).toBe(`The model is ${model}, of ${vendor}.`)
  })

  it('is never simulated', () => {
    expect(() => chosenModel({ model: 'gpt-5' }, {})).toThrow(
      'cannot ask `gpt-5`: there is no model to ask; set OPENAI_API_KEY, ANTHROPIC_API_KEY or GEMINI_API_KEY, or give `--provider` or `--base-url`',
    )
  })
})
