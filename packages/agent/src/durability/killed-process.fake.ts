import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type { ChatMessage, ReplyInput, ReplyOutcome, ToolCall, ToolContext, XEvent } from '@x/interfaces'
import { functionModel, type ScriptedReply } from '@x/testing'
import { ChatJournal, ConversableAgent, tool, type NestedChat } from '../index.ts'

/**
 * One process of a chat that goes on by a file: `<journal> <effects> [<moments>]`. It says the result, unless it has come to
 * the moment of that number: every event and every effect is one, and it then kills itself.
 */
const [journalFile = '', effectsFile = '', moments = 'Infinity'] = process.argv.slice(2)
let left = Number(moments)
const reach = (): void => {
  if (--left === 0) process.kill(process.pid, 'SIGKILL')
}
const io = { send: () => {}, input: (): string => 'exit' }

const agent = (name: string, reply: (messages: readonly ChatMessage[]) => ScriptedReply): ConversableAgent =>
  new ConversableAgent({
    name,
    io,
    humanInputMode: 'NEVER',
    llmConfig: functionModel(({ messages }) => reply(messages)),
  })

const textOf = (message: ChatMessage | undefined): string =>
  typeof message?.content === 'string' ? message.content : ''

/** Calls that have other identifiers in every chat and turn. */
const calls = (at: string, names: readonly string[]): { content: null; tool_calls: ToolCall[] } => ({
  content: null,
  tool_calls: names.map((name, index) => ({
    id: `${name}-${at}-${index}`,
    type: 'function',
    function: { name, arguments: '{}' },
  })),
})

const worker = (name: string, asks: readonly string[]): ConversableAgent =>
  agent(name, (messages) =>
    messages.at(-1)!.role === 'tool'
      ? `${name} has it at ${messages.length}`
      : calls(`${textOf(messages[1])} ${messages.length}`, asks),
  )

/** A tool whose effects are counted. */
function give(
  to: ConversableAgent,
  name: string,
  needsApproval: boolean,
  act: (context: ToolContext) => unknown,
): void {
  const execute = async (_: unknown, context: ToolContext): Promise<unknown> => {
    appendFileSync(effectsFile, `${to.name} ${name} ${context.callId}\n`)
    reach()
    await new Promise((resolve) => setImmediate(resolve))
    return await act(context)
  }
  const parameters = { type: 'object' as const }
  to.registerForExecution(tool({ name, description: name, parameters, needsApproval, execute }))
}

const [user, assistant] = [agent('user', () => 'more, please'), agent('assistant', () => 'nothing')]
give(user, 'look', false, () => 'seen')
give(user, 'ask', true, async ({ callId = '', run }) => {
  const [clerk, expert] = [agent('user', () => 'and?'), worker('expert', ['look', 'look'])]
  give(clerk, 'look', false, () => 'seen closely')
  return (await clerk.initiateChat(expert, { message: callId, maxTurns: 4, run })).summary
})
give(assistant, 'look', false, () => 'seen by the critic')
const so: NestedChat['message'] = (_, { messages }) => `so ${messages.length}`
const critic = worker('critic', ['look'])
assistant.registerNestedChats([{ recipient: critic, maxTurns: 2, message: so }], user, { position: 2 })
assistant.registerReply(
  () => true,
  (_: ConversableAgent, { messages }: ReplyInput): ReplyOutcome =>
    messages.length % 4 === 1 ? [true, calls(`turn ${messages.length}`, ['look', 'ask', 'look'])] : [false, null],
  { position: 2 },
)

const journal = ChatJournal.parse(existsSync(journalFile) ? readFileSync(journalFile, 'utf8') : '', {
  onEntry: (entry) => appendFileSync(journalFile, `\n${JSON.stringify(entry)}`),
})
for (;;) {
  for (const { id } of journal.pending) await journal.decide(id, { allow: true })
  // Starts and ends would make a process of each of their moments, too.
  const emit = ({ type }: XEvent): void => void (/Start$|End$/u.test(type) || reach())
  const result = await user.initiateChat(assistant, { message: 'hi', maxTurns: 5, journal, emit })
  if (result.terminationReason === 'suspended') continue
  const { chatHistory, summary, cost } = result
  process.stdout.write(JSON.stringify({ chatHistory, summary, cost }))
  break
}
