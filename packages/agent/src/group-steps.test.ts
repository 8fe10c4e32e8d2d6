import type { SharedVariables, ToolSchema } from '@x/interfaces'
import type { Steps } from '@x/kernel'
import { functionModel } from '@x/testing'
import { expect, test } from 'vitest'
import { ConversableAgent, tool } from './index.ts'
import { recordingIo } from './recording-io.fake.ts'
import { callFor, functionOf, generateReply, internalsOf, operateSync, withVariables } from './steps.ts'

const agent = (name: string, options: object = {}): ConversableAgent =>
  new ConversableAgent({
    name,
    humanInputMode: 'NEVER',
    defaultAutoReply: `from ${name}`,
    io: recordingIo(),
    ...options,
  })

const run = <T>(its: ConversableAgent, steps: Steps<T>): T => operateSync(steps, internalsOf(its))

const LOOK: ToolSchema = { type: 'function', function: { name: 'look', description: 'Looks.' } }

test('additions hold for one reply of one agent to one sender', () => {
  const asked: unknown[] = []
  const llmConfig = functionModel(({ messages, tools }) => {
    asked.push([messages.map(({ content }) => content), tools.map((each) => each.function.name)])
    return 'well'
  })
  const [its, other] = [agent('its', { llmConfig }), agent('other')]
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ] as const
  const additions = { sees: () => messages.slice(-1), tools: () => [LOOK] }
  expect(run(its, generateReply(its, { messages, sender: other }, additions))).toBe('well')
  expect(run(its, generateReply(its, { messages, sender: other }))).toBe('well')
  const system = 'You are a helpful AI Assistant.'
  expect(asked).toEqual([
    [[system, 'two'], ['look']],
    [[system, 'one', 'two'], []],
  ])
})

test('steps before the reply functions may give the reply', () => {
  const [its, sender] = [agent('its'), agent('sender')]
  const messages = [{ role: 'user', content: 'hi' } as const]
  const answers = [true, false].map((final) =>
    run(
      its,
      generateReply(
        its,
        { messages, sender },
        {
          *begin() {
            yield { type: 'warning', agent: 'its', topic: 'test', text: 'begun' }
            return [final, 'first']
          },
        },
      ),
    ),
  )
  expect(answers).toEqual(['first', 'from its'])
})

test('a call is made for its caller, with the variables of the scope and its raw result', () => {
  const values = new Map<string, unknown>([['n', 1]])
  const variables = {
    get: (key: string) => values.get(key),
    set: (key: string, value: unknown) => void values.set(key, value),
  } as unknown as SharedVariables
  const look = tool({
    name: 'look',
    description: 'Looks.',
    execute: (_, { contextVariables, caller }) => {
      contextVariables!.set('n', 2)
      return { by: caller?.name, was: variables.get('n') }
    },
  })
  const [caller, owner] = [agent('caller', { functionMap: {} }), agent('owner')]
  caller.registerForExecution(look)
  const call = { id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } } as const
  const asked = callFor(caller, call, { mapped: functionOf(caller, 'look'), recipient: 'somebody' })
  const result = run(owner, withVariables(owner, { variables, values }, asked))
  expect(result).toEqual({ success: true, content: { by: 'caller', was: 2 }, arguments: {} })
  expect([owner.getContext('n'), caller.getContext('n')]).toEqual([2, null])
})
