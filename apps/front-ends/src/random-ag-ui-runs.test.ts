import type { RunFinishedEvent } from '@ag-ui/core'
import type { ChatJournal, ConversableAgent, RunResult } from '@x/agent'
import type { EventStream } from '@x/interfaces'
import { fromAgUi, toAgUiResponse } from '@x/ui'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { AgUiPage, toolCallsIn, type WireEvent } from './ag-ui.ts'
import { agentOf, plans, stopBehind, textsIn } from './random-agents.fake.ts'

const SIGNING = { secret: 'a secret of the server with 32 characters', scope: 'ann' }

interface Outcome {
  readonly page: AgUiPage
  readonly events: readonly (readonly WireEvent[])[]
  readonly result: RunResult | null
  readonly errors: readonly unknown[]
}

/** Runs an agent for a page that decides on everything, until it has ended. */
async function runFor(agent: ConversableAgent, refuse: string): Promise<Outcome> {
  let journal: ChatJournal | null = null
  let run: EventStream<RunResult>
  const page = new AgUiPage(async (body) => {
    const request = await fromAgUi(body, SIGNING)
    if (journal) expect(await request.decideIn(journal)).toBe(journal.pending.length || request.decisions.length)
    run = agent.runStream('Go.', { journal: journal ?? undefined })
    return toAgUiResponse(run, { ...SIGNING, input: request.input })
  })
  const reads = [await page.say('Go.')]
  for (;;) {
    // eslint-disable-next-line no-await-in-loop -- one part of a run follows the other
    const result: RunResult | null = await run!.result.catch(() => null)
    if (result?.terminationReason !== 'suspended')
      return { page, result, events: reads.map(({ events }) => events), errors: reads.map(({ error }) => error) }
    journal = result.journal
    expect(page.agent.pendingInterrupts).toHaveLength(result.pending.length)
    // eslint-disable-next-line no-await-in-loop -- one part of a run follows the other
    reads.push(await page.decide({ refuse }))
  }
}

const countOf = (events: readonly WireEvent[], ...types: string[]): number =>
  events.filter(({ type }) => types.includes(type)).length
const tokensIn = (events: readonly WireEvent[]): number =>
  ((events.at(-1) as unknown as RunFinishedEvent).usage ?? []).reduce(
    (sum, { totalTokens = 0 }) => sum + totalTokens,
    0,
  )

/** Nothing that has ended looks as if it went on. */
function expectEnded({ messages }: AgUiPage['agent'], events: readonly WireEvent[]): void {
  const results = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []))
  expect(results.toSorted()).toEqual(
    toolCallsIn(messages)
      .map(({ id }) => id)
      .toSorted(),
  )
  expect(countOf(events, 'SUBAGENT_FINISHED', 'SUBAGENT_ERROR')).toBe(countOf(events, 'SUBAGENT_STARTED'))
}

it('is a run that the client of AG-UI takes, and that tells what the result tells', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.constantFrom('', 'approve'), async (plan, refuse) => {
      const { page, result, events, errors } = await runFor(agentOf(plan, 'main'), refuse)
      expect(errors.filter(Boolean)).toEqual([])
      const all = events.flat()
      expect(JSON.stringify(all)).not.toContain('a secret path')
      expect(events.map((each) => [each[0]?.type, each.at(-1)?.type])).toEqual(
        events.map((_, index) => ['RUN_STARTED', result || index < events.length - 1 ? 'RUN_FINISHED' : 'RUN_ERROR']),
      )
      const { messages } = page.agent
      expect(new Set(messages.map(({ id }) => id)).size).toBe(messages.length)
      expectEnded(page.agent, all)
      if (!result) return
      if (events.length === 1) expect(tokensIn(all)).toBe(result.usage.totalTokens)
      const own = messages.filter(({ subagentRunId }) => subagentRunId === undefined)
      expect(
        own.flatMap((message) => (message.role === 'assistant' && message.content ? [message.content] : [])),
      ).toEqual(textsIn(result.messages))
      expect(
        toolCallsIn(own)
          .map((call) => call.function.name)
          .toSorted(),
      ).toEqual(result.toolCalls.map(({ name }) => name).toSorted())
    }),
    { numRuns: 60 },
  )
})

it('ends as cancelled wherever its run is stopped', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 1, max: 60 }), async (plan, count) => {
      const stop = new AbortController()
      const run = agentOf(plan, 'main').runStream('Go.', { signal: stop.signal })
      const page = new AgUiPage(async (body) => {
        const { input } = await fromAgUi(body)
        return toAgUiResponse(stopBehind(run, count, stop), { ...SIGNING, input })
      })
      const { events, error } = await page.say('Go.')
      const result = await run.result.catch((failure: unknown) => failure)
      const isStopped = result instanceof Error && 'code' in result && result.code === 'aborted'
      expect(error).toBeUndefined()
      const last = events.at(-1)!
      if (!isStopped) return
      expect(last).toMatchObject({ type: 'RUN_FINISHED', outcome: { type: 'cancelled' } })
      expectEnded(page.agent, events)
    }),
    { numRuns: 60 },
  )
})
