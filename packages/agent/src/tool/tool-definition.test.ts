import type { Tool } from '@x/interfaces'
import { functionModel } from '@x/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ConversableAgent, tool } from '../index.ts'
import { recordingIo } from '../recording-io.fake.ts'
import { mappedTool, sharedMappedTool, toolList } from './tool.ts'

const define = (definition: unknown): unknown => tool(definition as never)
const whole = { name: 'look', description: 'Looks', parameters: { type: 'object' }, execute: () => 1 }

describe('the definition of a tool', () => {
  it('needs no parameters where there are no arguments', async () => {
    const noon = tool({ name: 'noon', description: 'Tells the time', execute: () => '12:00' })
    expect(noon.parameters).toEqual({ type: 'object', properties: {} })
    const agent = new ConversableAgent({ name: 'user', io: recordingIo() })
    agent.registerForExecution(noon)
    expect(await agent.executeFunction({ name: 'noon', arguments: '{}' })).toMatchObject([true, { content: '12:00' }])
  })

  it.each([
    [{ execute: undefined }, 'it has no `execute`; give the function'],
    [{ execute: 'f' }, "`execute` is 'f'; give a function"],
    [{ inputSchema: {} }, 'the option `inputSchema` is unknown; write `parameters`'],
    [{ handler: () => 1 }, 'the option `handler` is unknown; write `execute`'],
    [{ input_schema: {} }, 'the option `input_schema` is unknown; write `parameters`'],
    [{ params: {} }, 'the option `params` is unknown; write `parameters`'],
    [{ function: () => 1 }, 'the option `function` is unknown; write `execute`'],
    [
      { function: { name: 'look' } },
      'that is the format of OpenAI: write `tool({ name, description, parameters, execute })`',
    ],
    [{ type: 'function', function: {} }, 'the option `type` is unknown; that is the format of OpenAI'],
    [{ type: 'function' }, 'leave it out: what `tool` makes is a function of the program'],
    [{ id: 'look' }, 'leave it out: a model calls a tool by its `name`'],
    [{ name: undefined, id: 'look' }, 'cannot make a tool: the option `id` is unknown; write `name`'],
    [{ outputSchema: {} }, 'leave it out: a model reads the result as text or JSON'],
    [{ strict: true }, 'leave it out: arguments are checked against `parameters` before every call'],
    [{ requireApproval: true }, 'write `needsApproval`'],
    [{ timeoutMs: 5 }, 'write `timeout`, in seconds'],
    [{ errorFunction: () => 1 }, 'leave it out: what `execute` throws is told to the model'],
    [{ toModelOutput: () => 1 }, 'return `toolContent(parts)` from `execute`'],
    [{ onInputAvailable: () => 1 }, 'read the events of `agent.runStream(question)`'],
    [{ returnDirect: true }, 'the `toolCalls` of the result of a run have what the tool returned'],
    [{ isEnabled: true }, 'as in `agent.run(question, { tools })`'],
    [{ description: undefined }, 'it has no `description`, and a model would not know when to call it; give one'],
    [{ parameters: { city: z.string() } }, 'they are an object of schemas; put them into z.object({ city: … })'],
    [{ descripton: 'x' }, 'did you mean `description`?'],
    [{ needs_approval: true }, 'did you mean `needsApproval`?'],
    [{ description: 1 }, '`description` is 1; give a text'],
    [{ timeout: '3' }, 'write `timeout: 3`, without quotes'],
    [{ parameters: null }, '`parameters` is null; give a schema'],
    [{ parameters: { type: 'strin' } }, 'the `type` of the schema is "strin"; did you mean \'string\'?'],
    [{ parameters: { type: 'record' } }, 'the `type` of the schema is "record"; give one of object, array, string'],
    [{ parameters: { type: 'string' } }, "their `type` is 'string'; the arguments of a call are an object"],
    [{ parameters: { city: { type: 'string' } } }, '`city` is not a keyword of JSON Schema; put the arguments into'],
    [{ parameters: { type: 'object', propertes: {} } }, 'unknown keyword `propertes`; did you mean `properties`?'],
    [{ parameters: { type: 'object', properties: [] } }, '`properties` of the schema is not an object'],
    [
      { parameters: { type: 'object', properties: { city: { type: 'object', required: true } } } },
      '`required` of `properties.city` is not a list of names',
    ],
    [
      { parameters: { type: 'object', properties: { list: { type: 'array', items: { anyOf: [{ type: 'int' }] } } } } },
      'the `type` of `properties.list.items.anyOf.0` is "int"',
    ],
    [{ parameters: { type: 'object', properties: { city: 'string' } } }, '`properties.city` is not a schema'],
    [{ parameters: z.string() }, "their `type` is 'string'"],
    [{ parameters: z.object({ at: z.date() }) }, 'have no JSON Schema: Date cannot be represented'],
  ])('is refused: %o', (change, text) => {
    expect(() => define({ ...whole, ...change })).toThrow(
      expect.objectContaining({ code: 'invalid-argument', message: expect.stringContaining(text) }),
    )
  })

  it.each([
    [undefined, 'it has no `name`; give one that a model calls it by'],
    [null, 'it has no `name`'],
    [7, 'its `name` is no text'],
    ['look at', '`look at` is no name for a function'],
  ])('has a name, and not %o', (name, text) => {
    expect(() => define({ ...whole, name })).toThrow(
      expect.objectContaining({ code: 'invalid-name', message: expect.stringContaining(text) }),
    )
  })

  it('is no function, whose name stands in the error', () => {
    const anonymous = [() => 1][0]
    expect(() => define(function look() {})).toThrow(
      "cannot make a tool: a function is not a tool: make one with `tool({ name: 'look', description, parameters, execute: look })`",
    )
    expect(() => define(anonymous)).toThrow('make one with `tool({ name, description, parameters, execute })`')
  })

  it.each([undefined, null, 'look'])('is an object, not %o', (definition) => {
    expect(() => define(definition)).toThrow(expect.objectContaining({ code: 'invalid-argument' }))
  })

  it.each([
    {},
    { type: 'object', properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { type: ['string', 'null'] } } },
    { type: 'object', additionalProperties: false, 'x-order': 1, strict: true },
    { anyOf: [{ type: 'object' }], properties: { type: { type: 'string' }, items: { enum: [1] } } },
  ])('takes the schema %j', (parameters) => {
    expect(define({ ...whole, parameters })).toMatchObject({ parameters })
  })

  it('takes a schema that holds itself', () => {
    const node: Record<string, unknown> = { type: 'object' }
    node['properties'] = { child: node }
    expect(define({ ...whole, parameters: node })).toMatchObject({ name: 'look' })
  })

  it('is warned of when it may take more than an hour, which is said in seconds', () => {
    const io = recordingIo()
    const agent = new ConversableAgent({ name: 'user', io })
    agent.registerForExecution(tool({ ...whole, timeout: 3600 }))
    expect(io.events).toEqual([])
    agent.registerForExecution(tool({ ...whole, name: 'stare', timeout: 60_000 }))
    expect(io.events).toMatchObject([
      { type: 'warning', text: expect.stringContaining('is 60000 seconds, which is 16.7 hours: it is in seconds') },
    ])
  })
})

describe('two tools of one name in a list', () => {
  const [one, other] = [define(whole), define({ ...whole, execute: () => 2 })] as never[]
  const options = { name: 'a', humanInputMode: 'NEVER', llmConfig: functionModel(() => 'TERMINATE') } as const

  it('are refused by `run`, with their places, and nothing is registered', async () => {
    const agent = new ConversableAgent({ ...options, silent: true })
    const run = agent.run('hi', { tools: [one!, other!], userInput: false, executorKwargs: { silent: true } })
    await expect(run).rejects.toThrow('cannot run `run` of `a`: tools 0 and 1 of the list are both named `look`')
    expect(agent.llmConfig).toMatchObject({ config: expect.not.objectContaining({ tools: expect.anything() }) })
  })

  it('are refused by the constructor', () => {
    expect(() => new ConversableAgent({ ...options, functions: [one!, other!] })).toThrow(
      'cannot create the agent `a`: tools 0 and 1',
    )
  })

  it('may be one tool, twice', async () => {
    const agent = new ConversableAgent({ ...options, silent: true, io: recordingIo() })
    const run = { tools: [one!, one!], userInput: false, executorKwargs: { silent: true, io: recordingIo() } }
    expect(await agent.run('hi', run)).toMatchObject({ text: expect.any(String) })
  })
})

describe('a list of tools', () => {
  const named = (name: string): Tool => tool({ ...whole, name })

  it('has each tool once, in its order, and says which two have one name', () => {
    const [a, b, other] = [named('a'), named('b'), named('b')]
    expect(toolList([b, a, b, a], 'try')).toEqual([b, a])
    expect(toolList(a, 'try')).toEqual([a])
    expect(() => toolList([a, a, b, other], 'try')).toThrow('tools 2 and 3 of the list are both named `b`')
    expect(() => toolList([a, a, b, other, null as never], 'try')).toThrow('tools 2 and 3')
    expect(() => toolList([a, undefined as never, a], 'try')).toThrow('cannot try: ')
  })

  it('is read once, however long it is', () => {
    let reads = 0
    const counted = (_: unknown, index: number): Tool =>
      Object.defineProperty({ ...named('x') }, 'name', { get: () => (reads++, `tool_${index}`) })
    for (const length of [10, 100]) {
      reads = 0
      toolList(Array.from({ length }, counted), 'try')
      expect(reads).toBe(length)
    }
  })
})

describe('the function of a tool for runs', () => {
  it('is made once for a tool that stays the same, and not that of its agent', () => {
    const look = tool(whole)
    expect(sharedMappedTool(look)).toBe(sharedMappedTool(look))
    expect(sharedMappedTool(tool(whole))).not.toBe(sharedMappedTool(look))
    expect(mappedTool(look)).not.toBe(sharedMappedTool(look))
  })

  it.each([{ execute: () => 2 }, { needsApproval: true }, { timeout: 5 }, { name: 'stare' }])(
    'is made anew once a tool of the program has another %j',
    (change) => {
      const made = { ...tool(whole) }
      const before = sharedMappedTool(made)
      Object.assign(made, change)
      const after = sharedMappedTool(made)
      expect(after).not.toBe(before)
      expect(after.needsApproval).toBe(made.needsApproval)
      expect(after({} as never, {} as never)).toBe(JSON.stringify(made.execute({}, {} as never)))
    },
  )
})
