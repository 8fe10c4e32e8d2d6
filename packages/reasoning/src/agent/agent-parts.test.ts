import type { ChatMessage, Run } from '@x/interfaces'
import { describe, expect, it } from 'vitest'
import type { ProposeRequest } from '../search/parts.ts'
import { thinkerMessage } from '../ask/prompts.ts'
import { readPrompt } from './prompt.ts'
import { settingsFrom, usesDeprecated } from './settings.ts'
import { withExecution } from './with-execution.ts'

const user = (content: ChatMessage['content']): ChatMessage[] => [{ role: 'user', content }]

describe('readPrompt', () => {
  it.each<[ChatMessage[], string, string | null]>([
    [user(' What? '), 'What?', null],
    [user('What is 6*7? GROUND_TRUTH: 42'), 'What is 6*7?', 'GROUND_TRUTH: 42'],
    [user('What does GROUND_TRUTH mean?'), 'What does GROUND_TRUTH mean?', null],
    [user('What is MY_GROUND_TRUTH: 3?'), 'What is MY_GROUND_TRUTH: 3?', null],
    [user('GROUND_TRUTH: 42'), '', 'GROUND_TRUTH: 42'],
    [
      user([
        { type: 'text', text: 'What is ' },
        { type: 'image_url', image_url: { url: 'data:,' } },
        { type: 'text', text: 'this?' },
      ]),
      'What is this?',
      null,
    ],
    [user(null), '', null],
    [user('   '), '', null],
    [[], '', null],
  ])('reads %j', (messages, question, groundTruth) => {
    expect(readPrompt(messages)).toEqual({ question, groundTruth })
  })
})

describe('settingsFrom', () => {
  it('has the defaults of the spec', () => {
    expect(settingsFrom({}, {})).toEqual({ maxDepth: 4, beamSize: 3, ratingScale: 10, answerApproach: 'pool' })
  })

  it('prefers reasonConfig to the deprecated parameters, and keeps dfs to one path', () => {
    expect(settingsFrom({ maxDepth: 2 }, { maxDepth: 5, beamSize: 6, answerApproach: 'best' })).toMatchObject({
      maxDepth: 2,
      beamSize: 6,
      answerApproach: 'best',
    })
    expect(settingsFrom({ method: 'dfs', beamSize: 5 }, {}).beamSize).toBe(1)
  })

  it('refuses values that cannot work', () => {
    expect(() => settingsFrom({ answerApproach: 'vote' as never }, {})).toThrow(/answerApproach: 'vote'/)
    expect(() => settingsFrom({ ratingScale: 1 }, {})).toThrow(/`ratingScale` is 1; give a number of at least 2/)
    expect(() => settingsFrom({ method: 'mcts', answerApproach: 'vote' as never }, {})).not.toThrow()
    expect(() => settingsFrom({ method: 'guess' as never }, {})).not.toThrow()
  })

  it('distinguishes deprecated parameters from explicit defaults', () => {
    expect(usesDeprecated({ maxDepth: 4, beamSize: 3, answerApproach: 'pool' })).toBe(false)
    expect(usesDeprecated({})).toBe(false)
    expect(usesDeprecated({ beamSize: 2 })).toBe(true)
  })
})

describe('thinkerMessage', () => {
  it('speaks of code only to a thinker whose code is run', () => {
    expect(thinkerMessage({ code: true })).toMatch(/python[\s\S]*```/)
    expect(thinkerMessage({ code: false })).not.toMatch(/python|```|print/)
    expect(thinkerMessage({ code: false })).toContain('TERMINATE')
  })
})

describe('withExecution', () => {
  const request = {} as ProposeRequest
  const run = {} as Run
  const options = [
    { content: 'compute\n```python\nprint(6*7)\n```' },
    { content: 'think' },
    { content: '```py\n1\n```' },
  ]
  const proposer = { propose: () => ({ text: '', reflection: '', options }) }

  it('appends the output of code to each step, one after another', async () => {
    const ran: string[] = []
    const runCode = async (text: string): Promise<string> => {
      ran.push(text)
      await Promise.resolve()
      return `result ${ran.length}`
    }
    const made = await withExecution(proposer, runCode).propose(request, run)
    expect(made.options.map(({ content }) => content)).toEqual([
      `${options[0]!.content}\n\n---\nCode Execution Result:\nresult 1`,
      'think',
      `${options[2]!.content}\n\n---\nCode Execution Result:\nresult 2`,
    ])
    expect(ran).toHaveLength(2)
  })

  it('stays synchronous if all its calls are, and keeps a step without output unchanged', () => {
    const made = withExecution(proposer, () => null).propose(request, run)
    expect(made).toEqual({ text: '', reflection: '', options })
  })
})
