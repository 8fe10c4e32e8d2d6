import type { ChatMessage, ContentPart } from '@x/interfaces'
import { expect, test } from 'vitest'
import { members, quiet } from '../fakes.fake.ts'
import { initiateGroupChat } from '../initiate-group-chat.ts'
import { defaultPattern } from './pattern.ts'
import { applyRule, findMatch, messageTexts, mapTexts, type PolicyRule, readPolicy } from './policy.ts'

const image: ContentPart = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const message: ChatMessage = {
  role: 'tool',
  content: 'joined',
  tool_responses: [{ role: 'tool', content: [{ type: 'text', text: 'the key is k-1' }, image] }],
}
const rule = (action: 'block' | 'mask'): PolicyRule => ({ action, check: /k-\d/u }) as unknown as PolicyRule

test('rules check the texts of results in parts; images stay unless the text is blocked', () => {
  const text = 'the key is k-1\n[image: image/png, 8 bytes]'
  expect(messageTexts(message)).toEqual(['joined', text])
  const after = (action: 'block' | 'mask') =>
    mapTexts(message, (each) => (each === text ? applyRule(rule(action), each, 'a key') : each)).tool_responses![0]!
      .content
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
  const found = (rules: readonly PolicyRule[]): (string | null)[] =>
    rules.map(({ check }) => findMatch(check as RegExp, 'SECRET PASSWORD'))
  expect(found(policy.between)).toEqual([null, 'Match found -> SECRET'])
  for (const rules of [policy.tools, policy.models, policy.users])
    expect(found(rules)).toEqual(['Match found -> PASSWORD'])
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
