import type { Agent, ChatMessage, ConfigEntry, Hooks, Reply, ReplyInput, ReplyOutcome } from '@x/interfaces'
import { textOf } from './plain-records.ts'
import { GROUP_NAME, plain } from './plain.ts'
import { interrupted, nameOf, type Recorder } from './recorder.ts'
import { scriptTool } from './scripted-tool.ts'
import { snakeCase, withKeys } from './spelling.ts'
import { fill } from './template.ts'
import type { GroupChat } from './world.ts'
import { resolve, type References } from './references.ts'
import type { Facts, GivenFunction, TraceValue } from './trace.ts'

/** A scripted callable. */
export type ScriptedFunction = (...args: never[]) => unknown

type Kind = GivenFunction['kind']
type OfKind<K extends Kind> = Extract<GivenFunction, { kind: K }>
type Script<K extends Kind> = (
  given: OfKind<K>,
  name: string,
  recorder: Recorder,
  references: References,
) => ScriptedFunction

/** Makes a scripted callable of its kind. It carries the name that it has in the trace. */
export function scriptFunction(
  name: string,
  given: GivenFunction,
  recorder: Recorder,
  references: References,
): ScriptedFunction {
  const script = SCRIPTS[given.kind] as Script<Kind>
  return Object.defineProperty(script(given, name, recorder, references), 'name', { value: name })
}

/** A nested chat's own functions get who they answer for, beside the messages, as their second argument. */
type NestedInput = Pick<ReplyInput, 'messages' | 'sender'> & { readonly recipient: Agent }

const SCRIPTS: { readonly [K in Kind]: Script<K> } = {
  tool: (given, name, recorder) => scriptTool(name, given, recorder).execute,

  reply({ results, count_in_config: key, note_last_speaker: notes, async }, name, recorder) {
    let turn = 0
    const reply = (agent: Agent, { messages, sender, config }: ReplyInput<Record<string, number>>): ReplyOutcome => {
      recorder.callFunction(name, {
        recipient: agent.name,
        sender: nameOf(sender),
        config: config ?? null,
        messages: messages.length,
        ...(notes && { last_speaker: lastSpeakerOf(sender) }),
      })
      if (key) config[key] = (config[key] ?? 0) + 1
      const outcome = results[turn++] ?? results.at(-1)
      failIfFaulty(outcome, recorder)
      return outcome as ReplyOutcome
    }
    return async ? async (agent: Agent, input: ReplyInput<Record<string, number>>) => reply(agent, input) : reply
  },

  nested_reply({ result, async }, name, recorder) {
    const reply = (chatQueue: readonly unknown[], { sender }: NestedInput): unknown => {
      recorder.callFunction(name, { chats: chatQueue.length, sender: nameOf(sender) })
      return result
    }
    return async ? async (queue: readonly unknown[], input: NestedInput) => reply(queue, input) : reply
  },

  termination:
    ({ contains, ends_with: end }) =>
    ({ content }: ChatMessage) =>
      typeof content === 'string' &&
      (contains === undefined || content.includes(contains)) &&
      content.endsWith(end ?? ''),

  filter:
    ({ contains = '' }, name, recorder): NonNullable<ConfigEntry['filterFunc']> =>
    ({ context, response }) => {
      const text = textOf(response)
      recorder.callFunction(name, { context, text })
      return String(text).includes(contains)
    },

  trigger:
    ({ sender_in: names }) =>
    (sender: Agent | null) =>
      sender !== null && names.includes(sender.name),

  content_hook:
    ({ append }, name, recorder): Hooks['processLastReceivedMessage'] =>
    (content) => {
      recorder.callFunction(name, { content })
      return typeof content === 'string' ? content + append : content
    },

  send_hook:
    ({ append }, name, recorder): Hooks['processMessageBeforeSend'] =>
    ({ sender, message, recipient, silent }) => {
      recorder.callFunction(name, { sender: sender.name, recipient: recipient.name, silent })
      return typeof message === 'string' ? message + append : { ...message, content: appended(message.content, append) }
    },

  messages_hook:
    ({ keep_last: kept }, name, recorder): Hooks['processAllMessagesBeforeReply'] =>
    (messages) => {
      recorder.callFunction(name, { messages: messages.length })
      return messages.slice(-kept)
    },

  state_hook:
    ({ set_system_message: template }, name, recorder) =>
    (agent: Stateful, messages: readonly unknown[]) => {
      recorder.callFunction(name, { agent: agent.name, messages: messages.length })
      const context = Object.fromEntries(wanted(template).map((key) => [key, agent.getContext(key)]))
      agent.updateSystemMessage(fill(template, { ...context, n: messages.length }))
    },

  message:
    ({ template }) =>
    (sender: Agent, recipient: Agent, args: Record<string, unknown>): Reply =>
      fill(template, { ...args, sender: sender.name, recipient: recipient.name }),

  nested_message:
    ({ template }) =>
    (recipient: Agent, { messages, sender }: NestedInput): Reply =>
      fill(template, { sender: nameOf(sender), recipient: recipient.name, last: messages.at(-1)?.content }),

  summary:
    ({ template }) =>
    (sender: Talkative, recipient: Agent, summaryArgs: Record<string, unknown>): string =>
      fill(template, {
        sender: sender.name,
        recipient: recipient.name,
        last: sender.lastMessage(recipient)?.content,
        args: withKeys(plain(summaryArgs) as Facts, snakeCase),
      }),

  template:
    ({ template }) =>
    (context: Record<string, unknown>): string =>
      fill(template, context),

  reset_config:
    ({ to }, name, recorder) =>
    (config: Record<string, unknown>) => {
      recorder.callFunction(name, { config })
      for (const key of Object.keys(config)) delete config[key]
      Object.assign(config, to)
    },

  speaker_selection({ results }, name, recorder, references) {
    let turn = 0
    return (lastSpeaker: Agent, group: GroupChat) => {
      recorder.callFunction(name, {
        last_speaker: lastSpeaker.name,
        group: (group as { [GROUP_NAME]?: string })[GROUP_NAME],
        messages: group.messages.length,
      })
      const result = turn < results.length ? results[turn++] : results.at(-1)
      failIfFaulty(result, recorder)
      return resolve(result, references)
    }
  },

  transform:
    ({ keep_last: kept }, name, recorder) =>
    (messages: readonly ChatMessage[]) => {
      recorder.callFunction(name, { messages: messages.length })
      return messages.slice(-kept)
    },

  text:
    ({ replace, by }, name, recorder) =>
    (text: string) => {
      recorder.callFunction(name, { text })
      return text.replaceAll(replace, by)
    },
}

/** Throws where a script says so. */
function failIfFaulty(outcome: TraceValue | readonly unknown[] | undefined, recorder: Recorder): void {
  if (typeof outcome !== 'object' || outcome === null) return
  if ('interrupt' in outcome) throw interrupted()
  if (!('raise' in outcome)) return
  const error = new Error((outcome as { readonly raise: string }).raise)
  recorder.scriptedErrors.add(error)
  throw error
}

/** Who has spoken last in a group, as its manager knows it. */
const lastSpeakerOf = (manager: Agent | null): string | null =>
  nameOf((manager as { readonly lastSpeaker?: Agent | null } | null)?.lastSpeaker)

/** An agent with a context and a system message that can be changed. */
interface Stateful extends Agent {
  getContext(key: string): unknown
  updateSystemMessage(systemMessage: string): void
}

/** An agent that gives the last message of a conversation. */
interface Talkative extends Agent {
  lastMessage(agent: Agent): ChatMessage | null
}

/** A text with more at its end; other contents stay as they are. */
const appended = <C>(content: C, more: string): C | string => (typeof content === 'string' ? content + more : content)

const wanted = (template: string): string[] => [...template.matchAll(/\{(\w+)\}/gu)].map(([, key]) => key!)
