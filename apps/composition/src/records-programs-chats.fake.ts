import type { AssistantAgent } from '@x/agent'
import { ConversableAgent, initiateChats, initiateChatsSync, UserProxyAgent } from '@x/agent'
import type { ScriptedReply } from '@x/testing'
import { clearToolResults, fit, limitMessages, limitTokens, pin, summarize } from '@x/history'
import type { ChatMessage, CodeBlock, QueuedChat, Reply } from '@x/interfaces'

import { ALL, CODE_READER, assistant, calls, never, outcomeOf, type Program, proxy } from './records-world.fake.ts'

/** A queue of which one chat fails, and stops the other one. How far that came is a matter of time. */
export const FAILING_QUEUE: Program = {
  isParallel: true,
  faces: ['async'],
  async run(world, given) {
    const late = async (): Promise<void> => {
      for (let turn = 0; turn < world.turns; turn++) await Promise.resolve()
    }
    const user = proxy('user', { defaultAutoReply: 'On.' })
    const chat = (chatId: number, name: string, ...lines: ScriptedReply[]): QueuedChat => ({
      chatId,
      sender: user,
      recipient: assistant(name, world.says(name, ...lines), {
        systemMessage: world.vary(`prompt of ${name}`, 'You talk.'),
      }),
      message: world.vary(`message to ${name}`, 'Go.'),
      maxTurns: 6,
    })
    const failing: ScriptedReply = {
      get delay() {
        return late()
      },
      reply: { error: 'server' },
    }
    const queue = [chat(1, 'ann', 'One.', failing), chat(2, 'bob', '1', '2', '3', '4', '5', '6')]
    return [...(await initiateChats(queue, given)).values()].map(outcomeOf)
  },
}

/** Programs of two agents and of chats in chats. */
export const CHAT_PROGRAMS: Readonly<Record<string, Program>> = {
  'two agents': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'One.', 'Two.', 'Three.'), {
        systemMessage: world.vary('prompt', 'You count.'),
      })
      const user = proxy('user', { defaultAutoReply: world.vary('auto reply', 'And then?') })
      const maxTurns = world.vary('maxTurns', 3)
      return world.chat(user, helper, { message: world.vary('message', 'Count.'), maxTurns, ...given })
    },
  },
  'nested chats': {
    faces: ALL,
    made: { 'code of message': 'message' },
    run(world, given) {
      const writer = assistant('writer', world.says('writer', 'A raincoat.', 'And boots.'))
      const critic = assistant('critic', world.says('critic', 'Name shoes.'), {
        systemMessage: world.vary('prompt of critic', 'You judge.'),
      })
      const user = proxy('user')
      user.registerNestedChats(
        [
          {
            recipient: critic,
            message: world.function(
              'message',
              (_: unknown, { messages }: { messages: readonly ChatMessage[] }) =>
                `${world.vary('code of message', 'Judge:')} ${messages.at(-1)?.content as string}`,
            ) as never,
            maxTurns: 1,
            summaryMethod: 'last_msg',
          },
        ],
        writer,
      )
      return world.chat(user, writer, { message: world.vary('message', 'What do I wear?'), maxTurns: 2, ...given })
    },
  },
  'a queue of chats': {
    isParallel: true,
    faces: ['sync', 'async'],
    differsByFace: true,
    async run(world, given) {
      const user = proxy('user')
      const once = { sender: user, maxTurns: world.vary('maxTurns', 1) }
      const chat = (chatId: number, name: string, message: string, more: object = {}): QueuedChat => ({
        ...once,
        chatId,
        recipient: assistant(name, world.says(name, `This is ${name}.`)),
        message,
        ...more,
      })
      const queue = [
        chat(1, 'geographer', world.vary('message', 'Where?')),
        chat(2, 'historian', 'When?'),
        chat(3, 'writer', 'Write.', { prerequisites: [1, 2], summaryMethod: 'reflection_with_llm' }),
      ]
      const results =
        world.face === 'sync' ? initiateChatsSync(queue, given) : [...(await initiateChats(queue, given)).values()]
      return results.map(outcomeOf)
    },
  },
  hooks: {
    faces: ALL,
    made: { 'code of a hook': 'hook' },
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'The secret is 7.', 'No.'))
      const user = proxy('user', { defaultAutoReply: 'More.' })
      const hooks = world.vary('order of hooks', [
        function mask(text: string) {
          return text.replaceAll('secret', '***')
        },
        function mark(text: string) {
          return `${text} ${world.vary('code of a hook', 'marked')}`
        },
      ])
      for (const hook of hooks) {
        helper.registerHook(
          'processMessageBeforeSend',
          {
            [hook.name]: ({ message }: { message: Reply }) => hook(message as string),
          }[hook.name]!,
        )
      }
      helper.registerHook(
        'processLastReceivedMessage',
        world.function('hook', (content: unknown) => `${String(content)} (read)`) as never,
      )
      helper.registerHook('processAllMessagesBeforeReply', (messages) => messages.slice(-2))
      helper.registerHook('updateAgentState', (agent, messages) => {
        ;(agent as AssistantAgent).updateSystemMessage(`${world.vary('prompt', 'Message')} ${messages.length}`)
      })
      return world.chat(user, helper, { message: world.vary('message', 'Tell.'), maxTurns: 2, ...given })
    },
  },
  'reply functions': {
    faces: ALL,
    made: { 'code of a reply': 'reply' },
    run(world, given) {
      const helper = new ConversableAgent({ name: 'helper', ...never })
      const user = proxy('user')
      const replies = world.vary('order of replies', [
        { answer: [false, null] as const, name: 'passesOn' },
        { answer: [true, `A reply, ${world.vary('code of a reply', 'made')}.`] as const, name: 'answers' },
      ])
      for (const { answer, name } of replies.toReversed()) {
        const reply = world.function('reply', () => answer)
        Object.defineProperty(reply, 'name', { value: name })
        helper.registerReply(ConversableAgent, reply)
      }
      return world.chat(user, helper, { message: world.vary('message', 'Say.'), maxTurns: 2, ...given })
    },
  },
  'functions for message, carryover and summary': {
    faces: ALL,
    made: { 'code of message': 'message', 'code of summary': 'summary' },
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'Yes.'))
      const message = world.function(
        'message',
        (_: unknown, __: unknown, args: { city?: string }) =>
          `${world.vary('code of message', 'Is it')} ${String(args.city)}?`,
      )
      const summaryMethod = world.function('summary', () => ({ said: world.vary('code of summary', 'yes') }))
      return world.chat(proxy('user'), helper, {
        message,
        messageArgs: { city: world.vary('argument of message', 'Oslo') },
        summaryMethod: summaryMethod,
        summaryArgs: { style: world.vary('argument of summary', 'short') },
        carryover: [world.vary('carryover', 'It rained.')],
        maxTurns: 1,
        ...given,
      })
    },
  },
  'a history that is cut': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'a', 'b', 'c', 'd', 'e', 'f'), {
        history: fit(limitMessages(world.vary('messages of the view', 3))),
      })
      const user = proxy('user', { defaultAutoReply: 'On.' })
      return world.chat(user, helper, { message: world.vary('message', 'Go.'), maxTurns: 6, ...given })
    },
  },
  'a history that a model summarizes': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', ...'abcdef'.split('').map((each) => each.repeat(400))), {
        systemMessage: 'Go on.',
        history: fit(
          limitTokens(400),
          limitMessages({ max: 40, to: world.vary('messages after a cut', 20) }),
          pin(world.vary('pinned messages', 1)),
          clearToolResults({ keep: world.vary('tool results', 3) }),
          summarize({
            model: world.says('summary', 'They said letters.'),
            prompt: world.vary('prompt of the summary', 'Sum up.'),
            maxTokens: world.vary('tokens of the summary', 100),
          }),
        ),
      })
      const user = proxy('user', { defaultAutoReply: 'On.' })
      return world.chat(user, helper, { message: world.vary('message', 'Go.'), maxTurns: 6, ...given })
    },
  },
  'a history whose model fails': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'a', { error: 'server' }), {
        history: fit(limitMessages(2)),
        systemMessage: world.vary('prompt', 'Be brief.'),
      })
      const user = proxy('user', { defaultAutoReply: world.vary('auto reply', 'On.') })
      return world.chat(user, helper, { message: world.vary('message', 'Go.'), maxTurns: 3, ...given })
    },
  },
  'a person in the chat': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'Hello.', 'Yes.', 'Bye.'))
      const io = world.person('Good morning.', 'Is it late?', '', 'exit')
      const user = new UserProxyAgent({
        name: 'user',
        humanInputMode: 'ALWAYS',
        io,
        silent: true,
        codeExecutionConfig: false,
      })
      return world.chat(user, helper, { maxTurns: world.vary('maxTurns', 4), ...given })
    },
  },
  'context variables': {
    faces: ALL,
    run(world, given) {
      const count = world.tool('count', (_, { contextVariables }) => {
        const seen = Number(contextVariables?.get('seen') ?? 0) + 1
        contextVariables?.set('seen', seen)
        return seen
      })
      const clerk = assistant('clerk', world.says('clerk', calls('count'), calls('count'), 'Twice.'), {
        contextVariables: { seen: world.vary('variable', 0) },
      })
      const user = proxy('user', { contextVariables: { seen: 1 } })
      clerk.registerForLlm(count)
      user.registerForExecution(count)
      return world.chat(user, clerk, { message: world.vary('message', 'Count.'), maxTurns: 3, ...given })
    },
  },
  'code that is run': {
    faces: ALL,
    run(world, given) {
      const code = (blocks: readonly CodeBlock[]) =>
        world.outside('code', () => ({ exitCode: 0, output: `ran ${blocks.length}`, codeFile: null }))
      const executor = {
        codeReader: CODE_READER,
        isolation: 'host',
        executeCodeBlocks: async (blocks: readonly CodeBlock[]) => code(blocks),
        executeCodeBlocksSync: code,
      }
      const coder = assistant('coder', world.says('coder', '```sh\nls\n```', 'Done.'))
      const machine = proxy('machine', { codeExecutionConfig: { executor } })
      return world.chat(machine, coder, { message: world.vary('message', 'List.'), maxTurns: 2, ...given })
    },
  },
  'a model that fails': {
    faces: ALL,
    run(world, given) {
      const helper = assistant('helper', world.says('helper', 'Once.', { error: 'rate-limit' }))
      const user = proxy('user', { defaultAutoReply: 'Again.' })
      return world.chat(user, helper, { message: world.vary('message', 'Go.'), maxTurns: 3, ...given })
    },
  },
}
