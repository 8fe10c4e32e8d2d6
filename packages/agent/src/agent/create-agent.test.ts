import type { LlmConfig } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConversableAgent, createAgent, tool } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'

const model = functionModel(() => 'TERMINATE')
const weather = tool({ name: 'weather', description: 'Tells the weather.', execute: () => 'rain' })

/** Stands for `llmConfig`, which takes models of providers. */
const makeModels = (models: unknown): LlmConfig => {
  const refs = [models].flat() as { readonly provider?: unknown }[]
  if (refs.some((ref) => typeof ref?.provider !== 'object')) throw new Error('this is no model of a provider')
  return model
}
const ref = { provider: { createClient: () => {} }, model: 'gpt-5-mini', environment: [] }

const make = (options: object, make: unknown = makeModels) =>
  createAgent({ name: 'a', io: recordingIo(), ...options } as never, make as never)

const refused = (text: string): unknown =>
  expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) as string })

describe('`createAgent`', () => {
  it.each<[models: unknown, code: string]>([
    [
      'gpt-5-mini',
      "its `model` is a text; write `model: openai('gpt-5-mini')`, with `openai` of `@x/kit` or `@x/provider-openai`",
    ],
    ['openai:gpt-5-mini', "write `model: openai('gpt-5-mini')`"],
    ['openai/gpt-5-mini', "write `model: openai('gpt-5-mini')`"],
    [
      'anthropic/claude-sonnet-4-5',
      "`model: anthropic('claude-sonnet-4-5')`, with `anthropic` of `@x/kit` or `@x/provider-anthropic`",
    ],
    ['google_genai:gemini-2.5-flash', "`model: google('gemini-2.5-flash')`"],
    ['claude-sonnet-4-5', "`model: anthropic('claude-sonnet-4-5')`"],
    ['groq/llama-3.3-70b', "`model: openai('llama-3.3-70b', { baseUrl })`"],
    ['llama3', "`model: openai('…')`"],
    ['sk-0123456789abcdef', "`model: openai('…')`"],
    ['openai:sk-0123456789abcdef', "`model: openai('…')`"],
    ['https://user:sesame@host/v1', "`model: openai('…')`"],
    [
      Object.assign(() => {}, { apiTypes: ['openai'], createClient: () => {} }),
      "its `model` is a provider, and not a model of it; write `model: openai('gpt-5-mini')`",
    ],
    [Object.assign(() => {}, { apiTypes: ['anthropic'], createClient: () => {} }), "write `model: anthropic('…')`"],
    [() => {}, "its `model` is a function; write `model: openai('gpt-5-mini')`"],
    [{ provider: 'openai', name: 'gpt-5' }, "its `model` is an object; write `model: openai('gpt-5')`"],
    [{ provider: 'anthropic', model: 'sonnet' }, "write `model: anthropic('…')`"],
    [
      { model: 'gpt-5', api_key: 'sk-0123456789abcdef', base_url: 'https://x' },
      "write `model: openai('gpt-5', { apiKey, baseUrl })`",
    ],
    [
      { specificationVersion: 'v2', provider: 'google.generative-ai', modelId: 'gemini-2.5-flash' },
      "write `model: google('gemini-2.5-flash')`",
    ],
    [
      ['gpt-5', 'claude-sonnet-4-5'],
      "write `model: [openai('gpt-5'), anthropic('claude-sonnet-4-5')]`, with `openai` of `@x/kit` or `@x/provider-openai` and `anthropic` of",
    ],
    [[], "its list of models is empty; write `model: openai('gpt-5-mini')`"],
    [undefined, "it has no `model`; write `model: openai('gpt-5-mini')`"],
    [7, "its `model` is a number; write `model: openai('gpt-5-mini')`"],
  ])('refuses the model %j with the code of one', (models, text) => {
    const call = (): unknown => make({ model: models })
    expect(call).toThrow(refused(text))
    expect(call).toThrow(refused('cannot create the agent `a`: '))
    expect(call).not.toThrow(/sk-|sesame/u)
  })

  it('says how to give a model of a provider where `llmConfig` is not built in', () => {
    expect(() => createAgent({ name: 'a', model: ref } as never)).toThrow(
      refused(
        "its `model` is a model of a provider, which `createAgent` of `@x/kit` takes as it is; write `model: llmConfig(openai('gpt-5-mini'))`, with `llmConfig` of `@x/model`",
      ),
    )
    expect(make({ model: ref })).toBeInstanceOf(ConversableAgent)
  })

  it('passes on the error of models that name their provider', () => {
    const fails = (): never => {
      throw new Error('the entry has an unknown key')
    }
    expect(() => make({ model: ref }, fails)).toThrow('the entry has an unknown key')
    expect(() => make({ model: { providers: [], configList: [] } }, fails)).toThrow('the entry has an unknown key')
  })

  it.each<[options: object, text: string]>([
    [{ systemMessage: 'x' }, 'write `instructions`, which is its name here'],
    [{ system_prompt: 'x' }, 'write `instructions`, which is its name here'],
    [{ prompt: 'x' }, 'write `instructions`, which is its name here'],
    [{ goal: 'x' }, 'write it into `instructions`'],
    [{ llm: 'gpt-5' }, "write `model: openai('gpt-5')`"],
    [{ llmConfig: model }, 'write `model`, which takes it'],
    [{ llm_config: {} }, 'write `model`, which takes what `llmConfig` returns'],
    [{ functions: [] }, 'write `tools`, which the agent executes itself'],
    [{ temperature: 0 }, "it belongs to the model: write `model: openai('gpt-5-mini', { temperature: … })`"],
    [{ max_tokens: 9 }, "write `model: openai('gpt-5-mini', { max_tokens: … })`"],
    [{ apiKey: 'sk-0123456789abcdef' }, "write `model: openai('gpt-5-mini', { apiKey: … })`"],
    [{ base_url: 'x' }, "write `model: openai('gpt-5-mini', { baseUrl: … })`"],
    [{ modelSettings: {} }, "write its keys at the model, as in `model: openai('gpt-5-mini', { temperature: … })`"],
    [{ fallbacks: [] }, "give a list, as in `model: [openai('gpt-5'), openai('gpt-5-mini')]`"],
    [{ maxSteps: 3 }, '`agent.run(question, { maxTurns: 5 })`, where it is a cap'],
    [{ stopWhen: () => true }, '`agent.run(question, { maxTurns: 5 })`'],
    [{ output: {} }, '`agent.run(question, { result: schema })`'],
    [{ response_format: {} }, '`agent.run(question, { result: schema })`'],
    [{ abortSignal: {} }, '`agent.run(question, { signal })`'],
    [{ timeout: 30 }, '`agent.run(question, { signal: AbortSignal.timeout(milliseconds) })`'],
    [{ checkpointer: {} }, '`agent.run(question, { journal })`'],
    [{ memory: {} }, "`agent.run([...messages, { role: 'user', content }])`; `history: fit()`"],
    [{ session_id: 'x' }, "`agent.run([...messages, { role: 'user', content }])`"],
    [{ onStepFinish: () => {} }, 'give `emit` to a run'],
    [{ stream: true }, 'call `agent.runStream(question)`'],
    [{ middleware: [] }, 'use `beforeToolCall`, `history`, `agent.registerHook(…)`'],
    [{ inputGuardrails: [] }, 'write them at the member of a group'],
    [{ handoffs: [] }, '`{ agent, handoffs: [{ to, when }] }`'],
    [{ subagents: [] }, '`tools: [helper.asTool()]`'],
    [{ mcpServers: {} }, "`(await mcp({ name, url })).tools({ allow: 'all' })`"],
    [{ deps: {} }, 'write `contextVariables`'],
    [{ verbose: true }, '`agent.run(question, { silent: false })`'],
    [{ interruptOn: {} }, 'write `needsApproval: true` at the tool'],
    [{ codeExecutor: {} }, 'write `codeExecutionConfig: { executor: createCodeExecutor() }`'],
    [{ id: 'a' }, 'leave it out: an agent is known by its `name`'],
    [{ instruction: 'x' }, 'write `instructions`'],
    [
      { instructions: () => 'x' },
      '`instructions` is a function; for a text that changes, write `updateAgentStateBeforeReply',
    ],
    [{ instructions: ['x', 'y'] }, '`instructions` is a list; give one text'],
    [{ instructions: { role: 'system', content: 'x' } }, 'give the `content` of that message alone'],
    [{ history: 10 }, 'write `history: fit(limitMessages(10))`'],
    [{ history: () => {} }, 'write `history: fit()`'],
    [{ history: { name: 'limitTokens' } }, 'put the view into `fit`'],
    [
      { functionMap: { weather } },
      'give tools to the agent by `agent.registerForExecution(tool)` or `agent.use(tools)`',
    ],
    [{ functionMap: [() => 1] }, '`functionMap` is a list; give functions by their names'],
    [{ codeExecutionConfig: { executor: 'docker' } }, "write `{ executor: createCodeExecutor('container') }`"],
    [{ tools: { weather } }, 'an object of tools is not a tool: give a list, as in `[weather]`'],
    [{ tools: () => 1 }, 'a function is not a tool'],
  ])('refuses %j of other libraries, and says what to write', (options, text) => {
    const call = (): unknown => make({ model: ref, ...options })
    expect(call).toThrow(refused(text))
    expect(call).toThrow(refused('cannot create the agent `a`: '))
    expect(call).not.toThrow(/sk-/u)
  })

  it('says by `id` that a name is wanted, and shows a whole call where there are no options', () => {
    expect(() => createAgent({ id: 'a', model } as never)).toThrow(
      refused('cannot create an agent: the option `id` is unknown; write `name`'),
    )
    expect(() => createAgent(undefined as never)).toThrow(
      refused("write `createAgent({ name: 'assistant', model: llmConfig(openai('gpt-5-mini')), instructions: '…' })`"),
    )
  })

  it('takes no tools, one and several', () => {
    const names = (tools?: unknown): string[] => make({ model, tools }).tools.map(({ name }) => name)
    expect([names(), names([]), names(weather), names([weather])]).toEqual([[], [], ['weather'], ['weather']])
    expect(() => make({ model, tools: [z.object({})] })).toThrow(refused('an object is not a tool'))
  })
})
