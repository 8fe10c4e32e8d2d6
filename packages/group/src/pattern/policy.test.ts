import type { ChatMessage, ContentPart } from '@x/interfaces'
import { expect, test } from 'vitest'
import { calling, members, quiet } from '../fakes.fake.ts'
import { nestedChat } from '../handoff/target.ts'
import { initiateGroupChat } from '../initiate-group-chat.ts'
import { defaultPattern } from './pattern.ts'
import { applyRule, messageTexts, mapTexts, type PolicyRule, readPolicy } from './policy.ts'

const BLOCKED = '🛡️ BLOCKED: Content blocked by safeguard'

const image: ContentPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const message: ChatMessage = {
  role: 'tool',
  content: 'joined',
  tool_responses: [{ role: 'tool', content: [{ type: 'text', text: 'the key is k-1' }, image] }],
}
const rule = (action: 'block' | 'mask'): PolicyRule =>
  ({ action, check: /k-\d/u, message: 'a key' }) as unknown as PolicyRule

test('rules check the texts of results in parts; images stay unless the text is blocked', () => {
  const text = 'the key is k-1\n[image: image/png, 8 bytes]'
  expect(messageTexts(message)).toEqual(['joined', text])
  const after = (action: 'block' | 'mask') =>
    mapTexts(message, (each) => (each === text ? applyRule(rule(action), each) : each)).tool_responses![0]!.content
  expect(after('mask')).toEqual([
    { type: 'text', text: 'the key is [SENSITIVE_INFO]\n[image: image/png, 8 bytes]' },
    image,
  ])
  expect(after('block')).toBe('🛡️ BLOCKED: a key')
  expect(mapTexts(message, (each) => each).tool_responses![0]!.content).toBe(message.tool_responses![0]!.content)
})

test('patterns ignore case, as in AG2, but for those between agents without `(?i)`', () => {
  const rule = { message_source: 'a', check_method: 'regex', violation_response: 'mask' }
  const outside = (pattern: string): object => ({ ...rule, message_destination: 'a', pattern })
  const between = (pattern: string): object => ({ ...rule, message_destination: '*', pattern })
  const policy = readPolicy(
    {
      inter_agent_safeguards: { agent_transitions: [between('secret'), between('(?i)secret')] },
      agent_environment_safeguards: {
        tool_interaction: [outside('password')],
        llm_interaction: [outside('password')],
        user_interaction: [outside('password')],
      },
    },
    { agents: ['a'], tools: [] },
  )
  const found = (rules: readonly PolicyRule[]): boolean[] =>
    rules.map(({ check }) => (check as RegExp).test('SECRET PASSWORD'))
  expect(found(policy.between)).toEqual([false, true])
  for (const rules of [policy.tools, policy.models, policy.users]) expect(found(rules)).toEqual([true])
})

test('the summary of a chat is what its sender was shown', async () => {
  const [a, user] = members('a', 'user')
  const pattern = defaultPattern({ initialAgent: a!, agents: [a!], userAgent: user!, groupManagerArgs: { io: quiet } })
  const route = { message_source: 'a', message_destination: 'user' }
  const masks = { ...route, check_method: 'regex', pattern: 'from', violation_response: 'mask' }
  const safeguardPolicy = { inter_agent_safeguards: { agent_transitions: [masks] } }
  const { summary, messages } = await initiateGroupChat(pattern, 'Start', { safeguardPolicy })
  expect([summary, messages.at(-1)!.content]).toEqual(['[SENSITIVE_INFO] a', 'from a'])
})

test('rules hold for the earlier messages of a chat that goes on, and a blocked text tells nothing of itself', async () => {
  const [a, b] = members('a', 'b')
  const pattern = defaultPattern({ initialAgent: b!, agents: [a!, b!], groupManagerArgs: { io: quiet } })
  const route = { message_source: 'a', message_destination: 'b' }
  const blocks = { ...route, check_method: 'regex', pattern: 'k-\\d', violation_response: 'block' }
  const safeguardPolicy = { inter_agent_safeguards: { agent_transitions: [blocks] } }
  const answer = { tool_call_id: 'c', role: 'tool' as const, content: 'k-2' }
  const earlier: ChatMessage[] = [
    { role: 'user', content: 'the key is k-1', name: 'a' },
    { ...calling('f'), name: 'a' },
    { role: 'tool', content: 'k-2', tool_responses: [answer], name: '_Group_Tool_Executor' },
    { role: 'user', content: 'Go on.', name: 'a' },
  ]
  const { messages } = await initiateGroupChat(pattern, earlier, { safeguardPolicy })
  const [read] = [...b!.chatMessages.values()]
  expect(read!.slice(0, 3).map(({ content }) => content)).toEqual([BLOCKED, null, BLOCKED])
  expect(messages.slice(0, 3).map(({ content }) => content)).toEqual(['the key is k-1', null, 'k-2'])
})

test.each<[what: string, chat: object, told: string]>([
  ['by the last message', {}, '[SENSITIVE_INFO] c'],
  ['by all messages', { carryoverConfig: { summaryMethod: 'all' } }, 'Context:\nStart\n[SENSITIVE_INFO] a'],
])('chats inside are told %s what the agent was shown, and their answer is its own', async (_, chat, told) => {
  const [a, b, c, x] = members('a', 'b', 'c', 'x')
  const agents = [
    { agent: a!, handoffs: [{ to: c!, after: true as const }] },
    { agent: c!, handoffs: [{ to: b!, after: true as const }] },
    { agent: b!, handoffs: [{ to: nestedChat([{ recipient: x!, maxTurns: 1, ...chat }]), when: () => true }] },
  ]
  const pattern = defaultPattern({ initialAgent: a!, agents, groupManagerArgs: { io: quiet } })
  const masks = { check_method: 'regex', pattern: 'from', violation_response: 'mask' }
  const rules = [
    { message_source: '*', message_destination: 'b', ...masks },
    { message_source: 'b', message_destination: 'a', ...masks },
  ]
  const safeguardPolicy = { inter_agent_safeguards: { agent_transitions: rules } }
  await initiateGroupChat(pattern, 'Start', { safeguardPolicy, maxRounds: 5 })
  const read = (agent: typeof a) => [...agent!.chatMessages.values()][0]!.map(({ content }) => content)
  expect([read(x)[0], read(a).at(-1)]).toEqual([told, '[SENSITIVE_INFO] x'])
})
