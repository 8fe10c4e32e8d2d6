import type { ModelAnswer, ModelEvent } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import { withShortName, withShortNames } from './answer-fields.ts'

const LONG = 'x'.repeat(100_000)

const answer = (name: string): ModelAnswer => ({
  id: name,
  model: name,
  created: 0,
  choices: [
    {
      index: 0,
      finish_reason: name,
      message: { content: 'Hi', tool_calls: [{ id: name, type: 'function', function: { name, arguments: '{}' } }] },
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
})

describe('names that a server chooses', () => {
  it('are cut where they are too long, and the rest of an answer stays', () => {
    const short = withShortNames(answer(LONG))
    expect(JSON.stringify(short).length).toBeLessThan(20_000)
    expect(short.choices[0]!.message).toMatchObject({ content: 'Hi', tool_calls: [{ function: { arguments: '{}' } }] })
  })

  it('stay as they are otherwise, in the same object', () => {
    const given = answer('stop')
    expect(withShortNames(given)).toBe(given)
  })

  it.each<ModelEvent>([
    { type: 'start', id: LONG, model: LONG },
    { type: 'toolCallStart', index: 0, call: 0, id: LONG, name: LONG },
  ])('are cut in an event of a stream: $type', (event) => {
    expect(JSON.stringify(withShortName(event)).length).toBeLessThan(20_000)
  })
})
