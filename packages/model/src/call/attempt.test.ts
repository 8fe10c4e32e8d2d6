import type { XEvent } from '@x/interfaces'
import { scriptedProvider, type ScriptedReply } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { llmConfig } from '../index.ts'

type AttemptEnd = Extract<XEvent, { type: 'modelAttemptEnd' }>

const ASKED = [{ role: 'user' as const, content: 'Hello.' }]

/** The ends of the attempts of a call of models in order. */
async function endsOf(...replies: ScriptedReply[]): Promise<AttemptEnd[]> {
  const byModel = Object.fromEntries(replies.map((each, at) => [`model-${at}`, [each]]))
  const model = llmConfig({
    providers: [scriptedProvider(byModel)],
    cacheSeed: null,
    configList: replies.map((_, at) => ({ apiType: 'scripted', model: `model-${at}`, price: [1, 2] })),
  }).createModel()
  const ends: AttemptEnd[] = []
  const emit = (event: XEvent): void => {
    if (event.type === 'modelAttemptEnd') ends.push(event)
  }
  await model.create({ messages: ASKED }, { emit })
  return ends
}

describe('the end of an attempt', () => {
  it('has the kind of a failure, or the tokens and cost of an answer', async () => {
    const ends = await endsOf({ error: 'rate-limit' }, { content: 'Hello.', usage: [1000, 500] })
    expect(ends.map(({ model, outcome, kind, usage, cost }) => ({ model, outcome, kind, usage, cost }))).toEqual([
      { model: 'model-0', outcome: 'error', kind: 'rate-limit', usage: null, cost: null },
      {
        model: 'model-1',
        outcome: 'ok',
        kind: null,
        usage: { promptTokens: 1000, completionTokens: 500, totalTokens: 1500 },
        cost: 2,
      },
    ])
  })
})
