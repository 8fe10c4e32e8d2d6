import type { ChatJournal, ConversableAgent, RunResult } from '@x/agent'
import type { EventStream } from '@x/interfaces'
import { fromUiMessages, toUiMessageResponse, type UiAgentMessage } from '@x/ui'
import { isToolUIPart, type UIMessage } from 'ai'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { decideOn, type Read, readResponse } from './ai-sdk.ts'
import { agentOf, plans, stopBehind, textsIn } from './random-agents.fake.ts'

const SIGNING = { secret: 'a secret of the server with 32 characters', scope: 'ann' }

const toolParts = (message: UIMessage): { type: string; state: string; toolCallId: string }[] =>
  message.parts.filter(isToolUIPart).map(({ type, state, toolCallId }) => ({ type, state, toolCallId }))

interface Outcome {
  readonly reads: readonly Read[]
  readonly result: RunResult | null
  readonly usage: number
}

/** Runs an agent for a page that decides on everything, until it has ended. */
async function runFor(agent: ConversableAgent, refuse: string): Promise<Outcome> {
  const reads: Read[] = []
  let journal: ChatJournal | null = null
  let continues: Awaited<ReturnType<typeof fromUiMessages>>['continues']
  let earlier: UIMessage | undefined
  let usage = 0
  for (;;) {
    const run: EventStream<RunResult> = agent.runStream('Go.', { journal: journal ?? undefined })
    /* eslint-disable no-await-in-loop -- one part of a run follows the other */
    const read = await readResponse(toUiMessageResponse(run, { ...SIGNING, continues }), earlier)
    reads.push(read)
    const result: RunResult | null = await run.result.catch(() => null)
    usage += (read.message!.metadata as { usage: { totalTokens: number } }).usage.totalTokens
    if (result?.terminationReason !== 'suspended') return { reads, result, usage }
    earlier = decideOn(read.message!, { refuse })
    const page = await fromUiMessages([earlier], SIGNING)
    const { pending } = result
    expect(await page.decideIn(result.journal!)).toBe(pending.length)
    /* eslint-enable no-await-in-loop */
    journal = result.journal
    continues = page.continues
  }
}

/** Nothing in a message that has ended looks as if it went on. */
function expectEnded(message: UIMessage): void {
  const states = message.parts.flatMap((part) => ('state' in part ? [part.state] : []))
  expect(states.filter((state) => state !== 'done' && !state?.startsWith('output-'))).toEqual([])
  const agents = message.parts.flatMap((part) => (part.type === 'data-agent' ? [part.data as UiAgentMessage] : []))
  const inner = agents.flatMap(({ metadata, parts }) => [metadata.state, ...parts.map(({ state }) => state)])
  expect(inner.filter((state) => state === 'running' || state === 'waiting' || state === 'input-available')).toEqual([])
}

it('is a message that the AI SDK takes, and that tells what the result tells', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.constantFrom('', 'tool-approve'), async (plan, refuse) => {
      const { reads, result, usage } = await runFor(agentOf(plan, 'main'), refuse)
      const { message, errors, chunks } = reads.at(-1)!
      const all = reads.flatMap((read) => read.chunks)
      expect(JSON.stringify(all)).not.toContain('a secret path')
      expect(chunks.filter(({ type }) => type === 'finish')).toHaveLength(1)
      expect(new Set(reads.map((read) => read.message!.id)).size).toBe(1)
      const parts = toolParts(message!)
      expect(new Set(parts.map(({ toolCallId }) => toolCallId)).size).toBe(parts.length)
      expectEnded(message!)
      expect(errors).toEqual(result ? [] : [new Error('Something went wrong.')])
      if (!result) return
      if (reads.length === 1) expect(usage).toBe(result.usage.totalTokens)
      expect(message!.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))).toEqual(
        textsIn(result.messages),
      )
      const own = parts.filter(({ toolCallId }) => !toolCallId.startsWith('1.'))
      expect(own.map(({ type }) => type).toSorted()).toEqual(
        result.toolCalls.map(({ name }) => `tool-${name}`).toSorted(),
      )
    }),
    { numRuns: 60 },
  )
})

it('ends as stopped wherever its run is stopped', { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(plans, fc.integer({ min: 1, max: 60 }), async (plan, count) => {
      const stop = new AbortController()
      const run = agentOf(plan, 'main').runStream('Go.', { signal: stop.signal })
      const { message, chunks, errors } = await readResponse(toUiMessageResponse(stopBehind(run, count, stop), SIGNING))
      const result = await run.result.catch((error: unknown) => error)
      const isStopped = result instanceof Error && 'code' in result && result.code === 'aborted'
      expect(chunks.at(-1)?.type).toBe(isStopped ? 'abort' : 'finish')
      if (!isStopped) return
      expect(errors).toEqual([])
      expectEnded(message!)
    }),
    { numRuns: 60 },
  )
})
