import { ConversableAgent } from '@x/agent'
import type { Io, XEvent } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { METHOD_NAMES } from '../methods/method-of.ts'
import { search } from '../search/search.ts'
import type { SearchParts } from '../search/search-options.ts'
import { ReasoningAgent } from '../index.ts'
import type { ReasonConfig } from './settings.ts'

/** Asks a silent reasoner of which some model calls fail; returns its answer and its warnings. */
async function ask(reasonConfig: ReasonConfig, fails: (role: string, call: number) => boolean) {
  const warnings: string[] = []
  const calls: Record<string, number> = {}
  const io: Io = {
    send: (event: XEvent) => void (event.type === 'warning' && warnings.push(event.text)),
    input: () => 'exit',
  }
  const llmConfig = functionModel(({ agent }) => {
    const role = agent ?? ''
    calls[role] = (calls[role] ?? 0) + 1
    if (fails(role, calls[role])) throw new Error(`call ${calls[role]} was refused`)
    if (role === 'tot_thinker') return 'Option 1: left\nOption 2: right'
    return role === 'tot_grader' ? 'Option 1: Rating: 7\nOption 2: Rating: 6' : 'It is 42.'
  })
  const user = new ConversableAgent({ name: 'user', humanInputMode: 'NEVER', llmConfig: false, silent: true, io })
  const reasoner = new ReasoningAgent({ name: 'reasoner', llmConfig, silent: true, io, reasonConfig })
  const { summary } = await user.initiateChat(reasoner, { message: 'What is it?', maxTurns: 1, silent: true })
  return { summary, warnings, calls }
}

describe('a silent reasoner', () => {
  it.each(METHOD_NAMES)('reports how many gradings of %s failed', async (method) => {
    const grading = await ask({ method, maxDepth: 2 }, (role) => role === 'tot_grader')
    const { tot_grader: gradings = 0 } = grading.calls
    expect(grading.summary).toBe('It is 42.')
    expect(grading.warnings).toEqual(
      gradings === 0 ? [] : [`${gradings} of ${gradings} gradings failed, the last with: call ${gradings} was refused`],
    )
    expect((await ask({ method, maxDepth: 2 }, () => false)).warnings).toEqual([])
  })

  it.each(METHOD_NAMES)('reports how many proposals of %s failed', async (method) => {
    const { summary, warnings, calls } = await ask({ method, maxDepth: 2 }, (role) => role === 'tot_thinker')
    const { tot_thinker: proposals = 0 } = calls
    expect(summary).toBe('It is 42.')
    expect(warnings).toEqual(
      proposals === 0
        ? []
        : [`${proposals} of ${proposals} proposals failed, the last with: call ${proposals} was refused`],
    )
  })

  it('names every kind of call, and counts the successful ones', async () => {
    const { warnings } = await ask({ method: 'best_by_reward', nsim: 3 }, (role, call) =>
      role === 'reasoner' ? call > 2 : call > 1,
    )
    expect(warnings).toEqual([
      '1 of 2 gradings failed, the last with: call 2 was refused',
      '1 of 3 answers failed, the last with: call 3 was refused',
    ])
  })
})

describe('a search', () => {
  const parts: SearchParts = {
    proposer: { propose: () => ({ text: '', reflection: '', options: [{ content: 'left' }, { content: 'right' }] }) },
    grader: { grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: 1, details: '' })) }) },
    answerer: { answer: () => ({ text: 'It is 42.' }) },
  }

  it('counts a reply that stays unreadable after a second attempt', async () => {
    const grader: SearchParts['grader'] = {
      grade: ({ nodes }) => ({ grades: nodes.map(() => ({ value: null, details: 'good' })) }),
    }
    const { warnings, failures } = await search('What is it?', { ...parts, grader })
    expect(warnings).toEqual([
      expect.stringMatching(
        /^(\d+) of \1 gradings failed, the last with: no rating could be read from the reply "good"$/,
      ),
    ])
    const once = await search('What is it?', { ...parts, grader, repair: false })
    expect([once.warnings, once.failures.length]).toEqual([[], failures.length / 2])
  })

  it('does not count a reply that the second attempt mended', async () => {
    const grader: SearchParts['grader'] = {
      grade: ({ nodes, repair }) => ({
        grades: nodes.map(() => ({ value: repair === null ? null : 1, details: 'good' })),
      }),
    }
    const { warnings, failures } = await search('What is it?', { ...parts, grader })
    expect([failures.length > 0, warnings]).toEqual([true, []])
  })
})
