import type { AssistantAgent } from '@x/agent'
import { ConversableAgent } from '@x/agent'
import {
  terminate,
  defaultPattern,
  groupChat,
  GroupChat,
  GroupChatManager,
  type GroupChatOptions,
  type GroupChatResult,
  type GroupPattern,
  groupTool,
  initiateGroupChat,
  initiateGroupChatStream,
  initiateGroupChatSync,
  replyResult,
  roundRobinPattern,
} from '@x/group'
import type { LlmConfig } from '@x/interfaces'

import {
  ALL,
  assistant,
  calls,
  type Given,
  type Program,
  proxy,
  quiet,
  resultOf,
  type World,
} from './records-world.fake.ts'

/** Programs of groups. */
export const GROUP_PROGRAMS: Readonly<Record<string, Program>> = {
  'a group with a model that chooses': {
    faces: ALL,
    run: (world, given) =>
      groupOf(world, given, {
        speakerSelectionMethod: 'auto',
        selectSpeakerMessageTemplate: world.vary('template', 'Who of {agentlist} is next? {roles}'),
      }),
  },
  'a group led by a person': {
    faces: ALL,
    run: (world, given) => groupOf(world, given, { speakerSelectionMethod: 'manual', io: world.person('2', '1', '2') }),
  },
  'a group by chance': {
    faces: ALL,
    run: (world, given) =>
      groupOf(world, given, { speakerSelectionMethod: 'random', random: () => world.outside('speaker', () => 0.7) }),
  },
  'a group by a function': {
    faces: ALL,
    made: { choice: 'speaker' },
    run: (world, given) =>
      groupOf(world, given, {
        speakerSelectionMethod: world.function(
          'speaker',
          (last: unknown, group: { agents: readonly ConversableAgent[] }) => {
            const agents = world.vary('choice', group.agents)
            return agents[(agents.indexOf(last as never) + 1) % agents.length]!
          },
        ) as never,
      }),
  },
  'a pattern with a group inside': {
    faces: ALL,
    async run(world, given) {
      const speaks = (name: string): ConversableAgent =>
        assistant(name, world.says('members', `This is ${name}.`), {
          systemMessage: world.vary(`prompt of ${name}`, 'You speak.'),
        })
      const [host, guest, expert] = [speaks('host'), speaks('guest'), speaks('expert')]
      const inner = roundRobinPattern({ initialAgent: guest, agents: [guest, expert] })
      const outer = defaultPattern({
        initialAgent: host,
        agents: [host],
        groupAfterWork: groupChat(inner, { maxRounds: world.vary('rounds inside', 3) }),
      })
      const { contextVariables, chatHistory } = await held(world, outer, { maxRounds: 5, ...given })
      return { contextVariables, chatHistory }
    },
  },
  'a pattern with handoffs': {
    faces: ALL,
    async run(world, given) {
      const lookUp = groupTool<{ vip: boolean; invoice: number }>()({
        name: 'look_up',
        description: 'Looks it up.',
        parameters: { type: 'object', properties: { number: { type: 'number' } } },
        execute: ({ number }, { contextVariables }) =>
          world.outside('tool', () => {
            contextVariables.set('invoice', number as number)
            return replyResult<{ vip: boolean; invoice: number }>({ message: 'paid twice' })
          }),
      })
      const never2 = { humanInputMode: 'NEVER', silent: true, io: quiet } as const
      const triage = new ConversableAgent({
        name: 'triage',
        ...never2,
        llmConfig: world.says('triage', calls(['look_up', { number: 7 }]), calls(['transfer_to_billing_1', {}]), '?'),
        functions: lookUp,
        systemMessage: world.vary('prompt of triage', 'You sort.'),
      })
      const workers = world.says('workers', 'We have worked.')
      const agent = (name: string): ConversableAgent =>
        new ConversableAgent({ name, description: name, ...never2, llmConfig: workers })
      const [tech, billing] = [agent('tech'), agent('billing')]
      const pattern = defaultPattern({
        contextVariables: { vip: world.vary('variable', false), invoice: 0 },
        initialAgent: triage,
        userAgent: proxy('person', { io: world.person('Thank you.'), humanInputMode: 'ALWAYS' }),
        agents: [
          {
            agent: triage,
            handoffs: [
              { to: tech, when: (variables) => variables['vip'] },
              { to: billing, when: world.vary('condition', 'It is about the invoice {invoice}.') },
            ],
            inputGuardrails: [
              {
                name: 'secrets',
                check: world.function('handoff', () => false as const) as never,
                to: terminate('told'),
              },
            ],
          },
          tech,
          billing,
        ],
      })
      const options = { maxRounds: 8, ...given }
      const { contextVariables, terminationReason, chatHistory } = await held(world, pattern, options)
      return { contextVariables, terminationReason, chatHistory }
    },
  },
}

/** Holds the chat of a pattern in the face of the world. */
async function held<V extends object>(
  world: World,
  pattern: GroupPattern<V>,
  options: Given & { readonly maxRounds: number },
): Promise<GroupChatResult<V>> {
  const message = world.vary('message', 'My invoice is wrong.')
  if (world.face === 'sync') return initiateGroupChatSync(pattern, message, options)
  if (world.face === 'async') return await initiateGroupChat(pattern, message, options)
  return await resultOf(initiateGroupChatStream(pattern, message, options))
}

function groupOf(world: World, given: Given, options: Partial<GroupChatOptions>): Promise<unknown> {
  const isAuto = options.speakerSelectionMethod === 'auto'
  const speaks = world.says('members', 'I speak.')
  const member = (name: string): AssistantAgent => {
    const description = `Is ${name}.`
    return assistant(name, speaks, {
      description: isAuto ? world.vary(`description of ${name}`, description) : description,
    })
  }
  const agents = world.vary('order of agents', [member('ann'), member('bob'), member('eve')])
  const groupchat = new GroupChat({ agents, maxRound: world.vary('maxRound', 4), io: quiet, ...options })
  const chooses = (): LlmConfig =>
    world.model('chooser', ({ messages }) => (JSON.stringify(messages.at(-1)).length % 2 ? 'ann' : 'bob'))
  const manager = new GroupChatManager({
    groupchat,
    ...(isAuto && { llmConfig: chooses() }),
    silent: true,
    io: options.io ?? quiet,
  })
  return world.chat(proxy('user'), manager, { message: world.vary('message', 'A dinner.'), ...given })
}
