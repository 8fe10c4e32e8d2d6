import { functionModel } from '@x/testing'
// #region program
import { createAgent, tool, type RunResult } from '@x/kit'
import { fromUiMessages, RunBuffer, toUiMessageResponse } from '@x/ui'
// #endregion

/** Stands for a model: it calls the tool, then answers. */
const model = functionModel(({ messages }) => {
  const call = { id: `c${messages.length}`, function: { name: 'refund', arguments: '{"order":"17"}' } }
  if (messages.at(-1)?.role !== 'tool') return { tool_calls: [call] }
  return `You said: ${JSON.stringify(messages.flatMap(({ role, content }) => (role === 'user' ? [content] : [])))}`
})
export const refunded: string[] = []
const refund = tool({
  name: 'refund',
  description: 'Gives money back.',
  parameters: { type: 'object', properties: { order: { type: 'string' } }, required: ['order'] },
  needsApproval: true,
  execute: ({ order }) => `refund ${refunded.push(String(order))}`,
})
const secret = '32 random characters or bytes, of a server'

// #region program
const agent = createAgent({ name: 'clerk', model, tools: refund })

/** The chats of users, here in memory. */
const chats = new Map<string, Pick<RunResult, 'messages' | 'journal'> & { question: RunResult['messages'] }>()

/** A run goes on without its page, so that the history has what the page allowed. */
const runs = new RunBuffer()

export async function POST(request: Request): Promise<Response> {
  const signing = { secret, scope: userOf(request) }
  const page = await fromUiMessages(await request.json().catch(() => null), signing).catch(() => null)
  if (!page) return new Response('Send a message.', { status: 400 })
  const { message, continues, decideIn } = page
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
  return toUiMessageResponse(runs.keep(signing.scope, run, { onEnd }), { ...signing, continues })
}
// #endregion

/** Stands for the login of a server. */
const userOf = (request: Request): string => request.headers.get('authorization') ?? 'nobody'
