import type { ChatMessage, ConfigEntry } from '@x/interfaces'
import { functionModel, scriptedModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { calling, groupOf, lines, member, members, recordingIo } from '../fakes.fake.ts'
import { countMentions } from './ask-model.steps.ts'

const auto = { speakerSelectionMethod: 'auto', maxRound: 2 }

describe('a model that chooses the next speaker', () => {
  it('falls back to eligible members only', () => {
    const [a, b, c] = members('a', 'b', 'c')
    const transitions = new Map([[a!, [c!, a!]]])
    const llmConfig = functionModel(() => 'b')
    const { group, manager } = groupOf(
      [a!, b!, c!],
      { ...auto, allowedOrDisallowedSpeakerTransitions: transitions, speakerTransitionsType: 'allowed' },
      { llmConfig },
    )
    a!.initiateChatSync(manager, { message: 'hi' })
    expect(lines(group.messages)).toEqual(['a: "hi"', 'c: "from c"'])
    expect(llmConfig.calls).toHaveLength(3)
  })

  it('reads the last call as an empty text', () => {
    const llmConfig = scriptedModel(['c'])
    const { group, manager } = groupOf(members('a', 'b', 'c'), { ...auto, funcCallFilter: false }, { llmConfig })
    group.agents[0]!.initiateChatSync(manager, { message: calling('f') })
    const shown = llmConfig.calls[0]!.messages.find(({ name }) => name === 'a')
    expect(shown).toMatchObject({ content: '' })
    expect(shown).not.toHaveProperty('tool_calls')
  })

  it('without a prompt is asked by the last message, as one of the user', () => {
    const llmConfig = scriptedModel(['c'])
    const options = { ...auto, funcCallFilter: false, selectSpeakerPromptTemplate: null }
    const { group, manager } = groupOf(members('a', 'b', 'c'), options, { llmConfig })
    group.agents[0]!.initiateChatSync(manager, { message: { ...calling('f'), content: 'I call.' } })
    const shown = llmConfig.calls[0]!.messages.slice(1).map(({ role, content }) => [role, content])
    expect(shown).toEqual([
      ['assistant', 'I call.'],
      ['user', 'I call.'],
    ])
  })

  it('is asked again below its answer as it was', () => {
    const llmConfig = scriptedModel([' Nobody.\n', 'b'])
    const { group, manager } = groupOf(members('a', 'b', 'c'), auto, { llmConfig })
    group.agents[0]!.initiateChatSync(manager, { message: 'hi' })
    expect(llmConfig.calls[1]!.messages.at(-2)).toMatchObject({ role: 'assistant', content: ' Nobody.\n' })
  })

  it('gets the prompt alone when the group has no messages', () => {
    const llmConfig = scriptedModel(['b'])
    const { group, manager } = groupOf(members('a', 'b'), auto, { llmConfig })
    expect(group.selectSpeakerSync(group.agents[0]!, manager)).toBe(group.agents[1])
    expect(llmConfig.calls[0]!.messages).toHaveLength(2)
  })

  it.each<[string, Record<string, unknown>, unknown]>([
    ['without a cache', {}, null],
    ['with the cache that its config names', { cacheSeed: 7 }, 7],
  ])('is asked %s', async (_, config, cacheSeed) => {
    const llmConfig = scriptedModel(['b'], { config })
    const changes: unknown[] = []
    const watched = {
      config: llmConfig.config,
      createModel: llmConfig.createModel,
      with(its: ConfigEntry) {
        changes.push(its)
        return llmConfig.with(its)
      },
    }
    const { group, manager } = groupOf(members('a', 'b', 'c'), {
      ...auto,
      selectSpeakerAutoLlmConfig: watched as never,
    })
    await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(changes).toEqual(cacheSeed === null ? [{ cacheSeed }] : [])
  })

  it('adds the usage of all attempts to the result', async () => {
    const llmConfig = scriptedModel(['nobody', 'b'], { model: 'chooser' })
    const { group, manager } = groupOf(members('a', 'b', 'c'), auto, { llmConfig })
    const chat = await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(chat.cost.usageIncludingCachedInference.models['chooser']).toMatchObject({ promptTokens: 20 })
  })

  it('adds its usage to the result when the manager has no model', async () => {
    const llmConfig = scriptedModel(['b'], { model: 'chooser' })
    const { group, manager } = groupOf(members('a', 'b', 'c'), { ...auto, selectSpeakerAutoLlmConfig: llmConfig })
    const { cost } = await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(cost.usageIncludingCachedInference.models['chooser']).toMatchObject({ promptTokens: 10 })
  })

  it('does not read messages that the transformation omits', async () => {
    const shown: number[] = []
    const llmConfig = functionModel(({ messages }) => {
      shown.push(messages.length)
      return 'b'
    })
    const keepLast = async (messages: readonly ChatMessage[]): Promise<readonly ChatMessage[]> => messages.slice(-1)
    const { group, manager } = groupOf(
      members('a', 'b'),
      { ...auto, selectSpeakerTransformMessages: keepLast },
      { llmConfig },
    )
    await group.agents[0]!.initiateChat(manager, { message: 'hi' })
    expect(shown).toEqual([2])
  })
})

it('warns once of a member without a description', () => {
  const io = recordingIo()
  const silent = member('b', { description: ' ' })
  const llmConfig = functionModel(() => 'b')
  const { group, manager } = groupOf([member('a'), silent, member('c')], { ...auto, maxRound: 4 }, { llmConfig, io })
  const asks = member('x', { io })
  asks.initiateChatSync(manager, { message: 'hi' })
  const warnings = io.events.filter(({ type }) => type === 'warning')
  expect(warnings.filter((event) => JSON.stringify(event).includes('empty description'))).toHaveLength(1)
  expect(group.messages).toHaveLength(4)
})

it.each<[string, string[], Record<string, number>]>([
  ['bob', ['bob', 'eve'], { bob: 1 }],
  ['"bob", **bob** and bob\'s', ['bob'], { bob: 3 }],
  ['bobby bob2 bobé bob_', ['bob'], {}],
  ['bob-next', ['bob'], { bob: 1 }],
  ['Bob', ['bob'], {}],
  ['bob or eve', ['bob', 'eve'], { bob: 1, eve: 1 }],
  ['story writer', ['story_writer', 'writer'], { story_writer: 1 }],
  ['story\\_writer', ['story_writer', 'writer'], { story_writer: 1 }],
  ['the writer, not the story_writer', ['story_writer', 'writer'], { writer: 1, story_writer: 1 }],
  ['editor-in-chief', ['editor', 'editor-in-chief'], { 'editor-in-chief': 1 }],
  ['axb', ['a.b'], {}],
  ['a.b', ['a', 'a.b'], { a: 1, 'a.b': 1 }],
  ['c++ (c)', ['c++', 'c'], { 'c++': 1, c: 2 }],
  ['', ['bob'], {}],
  ['bob', [], {}],
])('%j names of %j: %j', (text, names, mentions) => {
  expect(countMentions(text, names)).toEqual(mentions)
})

it('does not count a part of the name of an ineligible member', () => {
  expect(countMentions('story writer', ['writer'], ['story_writer'])).toEqual({})
})
