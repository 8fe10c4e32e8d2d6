import { contentText } from '@x/kernel/tool-content'
import { functionModel } from '@x/testing'
// #region program
import { createAgent, tool, type RunResult } from '@x/kit'
import { fromAgUi, RunBuffer, toAgUiResponse } from '@x/ui'
// #endregion

/** Stands for a model: it calls the tool, then answers. */
const model = functionModel(({ messages }) => {
  const call = { id: `c${messages.length}`, function: { name: 'refund', arguments: '{"order":"17"}' } }
  return messages.at(-1)?.role === 'tool' ? `It says: ${contentText(messages.at(-1)?.content)}` : { tool_calls: [call] }
})
export const paid: string[] = []
const refund = tool({
  name: 'refund',
  description: 'Gives money back.',
  parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  needsApproval: true,
  execute: ({ order }) => `refund ${paid.push(String(order))}`,
})
const secret = '32 random characters or bytes, of a server'

// #region program
const agent = createAgent({ name: 'clerk', model, tools: refund })

/** The chats of users, here in memory: the messages so far, and a run that waits. */
const chats = new Map<string, Pick<RunResult, 'messages' | 'journal'> & { question: RunResult['messages'] }>()

/** A run goes on without its page, so that the history has what the page allowed. */
const runs = new RunBuffer()

export async function POST(request: Request): Promise<Response> {
  const signing = { secret, scope: userOf(request) }
  const page = await fromAgUi(await request.json().catch(() => null), signing).catch(() => null)
  if (!page) return new Response('Send a message.', { status: 400 })
  const { message, input, decideIn } = page
  const chat = chats.get(signing.scope) ?? { messages: [], journal: null, question: [] }
  // A new message gives up what was still to be decided.
  const journal = message ? null : chat.journal
  if (!message && !(journal && (await decideIn(journal))))
    return new Response('Nothing waits for this decision.', { status: 400 })
  const question = message ? [...chat.messages, message] : chat.question
  const run = agent.runStream(question, journal ? { journal } : {})
  const onEnd = async (): Promise<void> => {
    const { messages, journal: open } = await run.result
    chats.set(signing.scope, { messages: open ? chat.messages : messages, journal: open, question })
  }
  return toAgUiResponse(runs.keep(signing.scope, run, { onEnd }), { ...signing, input })
}
// #endregion

/** Stands for the login of a server. */
const userOf = (request: Request): string => request.headers.get('authorization') ?? 'nobody'
