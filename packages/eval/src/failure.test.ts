import { describe, expect, it } from 'vitest'
import { evaluate } from './index.ts'

/** Asks a contestant whose answer is the result of a search that has lost a call, and says what comes of it. */
async function statusOf(status: string, code: string): Promise<unknown> {
  const failures = [
    { code: 'invalid-result', message: 'it cannot be read' },
    { code, message: 'it is down' },
  ]
  const answer = (): object => ({ answer: 'half', status, failures })
  const { cells } = await evaluate({
    tasks: [{ id: 't', input: 'q', expected: 'x' }],
    contestants: [{ name: 's', answer }],
  })
  return [cells[0]!.status, cells[0]!.reason]
}

describe('the result of a search', () => {
  it.each(['model-failed', 'timeout'])('that lost a call (%s) is no answer', async (code) => {
    expect(await statusOf('accepted', code)).toEqual(['missing', 'it is down'])
    expect(await statusOf('exhausted', code)).toEqual(['missing', 'it is down'])
  })

  it('is an answer if a verifier has accepted it, or if all calls were answered', async () => {
    const wrong = ['scored', '`half` is not `x`']
    expect(await statusOf('verified', 'model-failed')).toEqual(wrong)
    expect(await statusOf('accepted', 'no-response')).toEqual(wrong)
  })
})
