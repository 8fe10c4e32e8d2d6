import type { Face } from '@x/interfaces'
import { expect, test } from 'vitest'
import { compose } from '../compose.ts'
import type { Facts } from '../replay/trace.ts'
import { readDefects } from '../trace-files.ts'
import { replayHandoffs } from './replay.ts'

/** What is right, where the reference is wrong; what is absent is not looked at. */
interface Right {
  /** How each step ended: the code of an error, or null for a result. */
  readonly codes?: readonly (string | null)[]
  /** Who says what in each group. */
  readonly said?: readonly (readonly string[])[]
  readonly summaries?: readonly string[]
  /** Why the chats ended, in their order. */
  readonly reasons?: readonly string[]
  /** Tokens that all models have used for requests, of the last result. */
  readonly promptTokens?: number
  /** What the model of that name was asked, its last message of each call. */
  readonly asked?: Readonly<Record<string, readonly string[]>>
  /** Names of the tools of the first call. */
  readonly tools?: readonly string[]
  /** Values of the steps that are no chats. */
  readonly values?: readonly unknown[]
}

const START = '_User: Start'
const WORKED = 'wrapped_nested_a_1: x worked'
const TO_NESTED = ['a: -', '_Group_Tool_Executor: Transfer to wrapped_nested_a_1', WORKED]
const COUNT = 'a: Please count the apples.'
const TO_GROUP = [COUNT, '_Group_Tool_Executor: Transfer to wrapped_group_a_1', 'wrapped_group_a_1: x in group']
const RAIN = ['a: -', '_Group_Tool_Executor: Oslo: rain']
const NOT_FOUND = ['a: -', '_Group_Tool_Executor: Error: Function transfer_to_c_1 not found.']

const RIGHT: Readonly<Record<string, Right>> = {
  'agent-in-two-groups': {
    said: [
      [START, ...TO_GROUP, 'a: a took it up', 'x: [Handing off to y]', 'y: y in group'],
      ['_User: Please count the apples.', 'x: x in group'],
    ],
  },
  'async-loses-last-message': { summaries: ['all DONE here'], reasons: ['termination-message'] },
  'auto-falls-to-executor': { said: [['user: Start', 'a: from a', 'user: my word', 'a: a again']] },
  'auto-falls-to-temporary-user': { said: [[START, 'c: from c', 'a: from a', 'b: from b']] },
  'auto-names-executor': { said: [[START, 'a: from a', 'b: from b', 'b: b again']] },
  'auto-with-agent-models-only': { codes: ['invalid-argument'] },
  'call-ids-used-twice': { summaries: ['done'], asked: { b: ['Start', 'Oslo: rain'] } },
  'calls-tools-of-others': { said: [[START, ...[1, 2, 3, 4].flatMap(() => NOT_FOUND), 'a: -']] },
  'context-conditions-in-a-circle': { reasons: ['handoff-loop'] },
  'context-stay-for-ever': { codes: ['invalid-argument'] },
  'cost-forgets-with-handoffs': { promptTokens: 310 },
  'cost-without-selection': { promptTokens: 307 },
  'empty-context-is-another': { values: [{ n: 2 }] },
  expressions: { codes: ['invalid-argument'] },
  'function-target-in-llm': { said: [[START, 'a: -', '_Group_Tool_Executor: Transfer to tool decide', 'b: -']] },
  'group-manager-as-llm-target': { tools: ['transfer_to_group_manager_1'] },
  'group-target-cost': { promptTokens: 30 },
  'group-target-hides-failure': { codes: [null], reasons: [] },
  'group-target-messages-ignored': { asked: { x: ['Count the pears.'] } },
  'guardrail-nested': {
    said: [
      [
        START,
        "a: Guardrail 'g' has been activated.\nJustification: Match found -> Start",
        'wrapped_nested_a_1: y',
        'a: x',
      ],
    ],
  },
  'guardrail-to-stranger-unchecked': { codes: ['invalid-argument'] },
  'handoff-to-user-by-agent-target': { said: [['user: Start', 'a: from a', 'user: hi', 'a: a again']] },
  'input-guardrail-after-own-tool-call': { said: [[START, ...RAIN, 'a: done']] },
  'input-guardrail-fires-for-ever': {
    said: [
      [
        '_User: my password',
        "a: Guardrail 'g' has been activated.\nJustification: Match found -> password",
        'b: b handles it',
        'a: never',
      ],
    ],
  },
  'manual-executor-is-one': { said: [[START, 'a: from a', 'a: a again']] },
  'manual-q-needs-model': { said: [[START, 'a: from a', 'b: from b']] },
  'max-rounds-leaves-open-calls': { summaries: [''], reasons: ['max-rounds'] },
  'missing-variable-breaks-the-chat': { said: [[START, 'a: from a']] },
  'missing-variable-in-context-condition': { said: [[START, 'a: from a']] },
  'nested-gets-the-notice': { asked: { x: ['Start'] } },
  'nested-gets-the-notice-llm': { asked: { x: ['Start'] }, said: [[START, ...TO_NESTED, 'a: a took it up']] },
  'nested-in-after-work': { asked: { x: Array.from({ length: 4 }, () => 'from a') } },
  'nested-in-reply-result': { asked: { x: ['Start', 'x', 'x'] } },
  'nested-target-once-only': {
    said: [
      [START, ...TO_NESTED, 'a: one'],
      ['_User: Again', ...TO_NESTED, 'a: two'],
    ],
  },
  'output-guardrail-and-tool-call': { said: [[START, ...RAIN, 'a: done']] },
  'group-message-check-never-asked': { codes: ['invalid-argument'] },
  'policy-async-not-heeded': {
    said: [
      [START, 'a: -', '_Group_Tool_Executor: Oslo: [SENSITIVE_INFO]', 'a: it is 1234', 'b: b here', 'a: it is 1234'],
    ],
    asked: { b: ['🛡️ BLOCKED: Content blocked by safeguard'] },
  },
  'policy-for-models-does-nothing': {
    said: [[START, 'a: the code is [SENSITIVE_INFO]']],
    asked: { a: ['🛡️ BLOCKED: Content blocked by safeguard'] },
  },
  'policy-tool-input-block': {
    said: [[START, 'a: -', '_Group_Tool_Executor: 🛡️ BLOCKED: Content blocked by safeguard', 'a: done']],
  },
  'random-agent-as-llm-target': { tools: ['transfer_to_random_1'] },
  'random-agent-in-context-condition': { said: [[START, 'a: [Handing off to b]', 'b: from b']] },
  'random-of-one': { reasons: ['no-next-speaker'] },
  'resume-ignores-open-calls': {
    said: [['user: One', 'a: -', '_Group_Tool_Executor: Oslo: rain', 'a: a ignores it']],
  },
  'resume-temporary-user': {
    said: [
      [START, 'a: a first'],
      [START, 'a: a first', '_User: And now?', 'a: a second'],
    ],
  },
  'round-robin-changes-agents': {
    said: [
      [START, 'a: a0', 'b: b0', 'c: c0'],
      [START, 'a: a1'],
    ],
  },
  'selection-message-stays': { said: [[START, 'a: from a', 'b: from b', 'c: from c']] },
  'stay-after-tool-is-the-executor': { summaries: ['a once more'] },
  'stay-as-llm-condition': { summaries: ['a once more'] },
  'summary-none': { summaries: ['', ''] },
  'template-with-missing-variable': { summaries: ['from a', 'a again'] },
  'terminating-words-beside-calls': { said: [[START, 'a: DONE', '_Group_Tool_Executor: Oslo: rain', 'a: done']] },
  'tool-changes-a-copy': { values: [{ n: 2 }] },
  'two-chats-pile-up-hooks': {
    said: [
      [START, 'a: one'],
      ['_User: Again', 'a: two'],
    ],
  },
  'user-agent-conditions': { said: [['user: Start', 'a: from a', 'user: [Handing off to b]', 'b: from b']] },
  'wrapped-agents-own-context': { summaries: ['end'] },
}

const line = ({ name, content }: Facts): string => `${name as string}: ${(content as string) || '-'}`

const defects = (await readDefects()).map((trace) => ({ ...trace, name: trace.name.replace('defects/', '') }))
const replayed = defects.filter(({ name }) => Object.hasOwn(RIGHT, name))

test('for every recording of something wrong it is known what is right', () => {
  expect(defects.map(({ name }) => name).toSorted()).toEqual(Object.keys(RIGHT).toSorted())
})

const faces: readonly Face[] = ['sync', 'async', 'stream']

test.each(replayed.flatMap((trace) => faces.map((face) => ({ name: trace.name, face, trace }))))(
  '$name, $face',
  async ({ name, face, trace }) => {
    const right = RIGHT[name]!
    const seen = await replayHandoffs(trace, face, compose(), trace.recorded.both ?? trace.recorded.sync!)
    const { results, groups = [], events = [], model_calls: calls = [] } = seen
    const values = results.map(({ value }) => value as Facts | undefined)
    const chats = values.flatMap((value) => (value && 'chat_history' in value ? [value] : []))
    const said = groups.map(({ messages }) => (messages as readonly Facts[]).map(line))
    const lastOf = ({ messages }: Facts) => (messages as readonly Facts[]).at(-1)?.['content']
    if (right.codes) expect(results.map(({ code }) => code ?? null)).toEqual(right.codes)
    if (right.said) expect(said).toEqual(right.said)
    if (right.summaries) expect(chats.map(({ summary }) => summary)).toEqual(right.summaries)
    if (right.reasons) {
      expect(events.filter(({ type }) => type === 'termination').map(({ reason }) => reason)).toEqual(right.reasons)
    }
    if (right.promptTokens !== undefined) {
      const { total_cost: _, ...models } = (chats.at(-1)!['cost'] as Facts)['usage_including_cached_inference'] as Facts
      const used = Object.values(models).map((each) => (each as Facts)['prompt_tokens'] as number)
      expect(used.reduce((sum, each) => sum + each, 0)).toBe(right.promptTokens)
    }
    for (const [model, asked] of Object.entries(right.asked ?? {})) {
      expect(calls.filter((call) => call.model === model).map(({ params }) => lastOf(params))).toEqual(asked)
    }
    if (right.tools) {
      const tools = calls[0]!.params['tools'] as readonly { function: { name: string } }[]
      expect(tools.map((tool) => tool.function.name)).toEqual(right.tools)
    }
    if (right.values) expect(values.filter((value) => value && !('chat_history' in value))).toEqual(right.values)
  },
)
