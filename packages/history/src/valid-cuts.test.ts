import type { ChatMessage } from '@x/interfaces'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyTidyHistory, anyViews } from './any-cut.fake.ts'
import { questionFor } from './fakes.fake.ts'
import { fit } from './fit.ts'

/** Finds the fault for which a provider would refuse messages. */
function faultOf(messages: readonly ChatMessage[]): string | undefined {
  let open = new Set<string | undefined>()
  for (const [index, { role, tool_calls: calls, tool_call_id: id, content }] of messages.entries()) {
    if (role === 'tool') {
      if (!open.delete(id)) return `result ${index} has no call`
      continue
    }
    if (open.size > 0) return `the call before ${index} has no result`
    for (const { function: called } of calls ?? []) {
      const args: unknown = JSON.parse(called.arguments)
      if (typeof args !== 'object' || args === null || Array.isArray(args)) return `${index} has no arguments`
    }
    if (content === '' || (Array.isArray(content) && content.length === 0)) return `${index} is empty`
    open = new Set(calls?.map((call) => call.id))
  }
  return open.size > 0 ? 'the last call has no result' : undefined
}

it('cuts any history to a valid one, turn by turn, whatever the views', async () => {
  await fc.assert(
    fc.asyncProperty(anyTidyHistory, anyViews, async (history, views) => {
      const stored = structuredClone(history)
      const view = fit(...views)
      const conversation = {}
      let before: readonly ChatMessage[] = []
      for (let length = 1; length <= history.length; length++) {
        const next = history[length]
        // A model is asked when all results have arrived.
        if (next?.role === 'tool' || history[length - 1]!.role === 'assistant') continue
        const { messages, cut } = await view.choose(questionFor(history.slice(0, length), { conversation }))
        expect(faultOf(messages)).toBe(undefined)
        expect(messages.length).toBeGreaterThan(0)
        if (cut) {
          expect(JSON.parse(JSON.stringify(cut.record))).toEqual(cut.record)
        } else expect(messages.slice(0, before.length)).toEqual(before)
        before = [...messages]
      }
      expect(history).toEqual(stored)
    }),
    { numRuns: 80 },
  )
})

it('begins with a message of the user if the beginning was left out', async () => {
  await fc.assert(
    fc.asyncProperty(anyTidyHistory, async (history) => {
      const { messages, cut } = await fit().choose(questionFor(history, { window: 2000 }))
      if (cut && cut.report.leftOut > 0 && messages[0] !== history[0]) expect(messages[0]!.role).toBe('user')
    }),
    { numRuns: 40 },
  )
})
