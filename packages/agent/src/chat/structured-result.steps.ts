import type { Agent, ChatMessage, JsonSchema } from '@x/interfaces'
import { face, wait, XError, type Steps } from '@x/kernel'
import { schemaOf, type OutputOf, type Parameters } from '../schema/parameters.ts'
import { send } from './send.steps.ts'
import { openConversation, stateOf, type Conversation } from '../memory/state.ts'
import { scopeIn } from '../run/scope.ts'
import { issuesText, validation } from '../tool/tool.ts'

/** A question for a structured result. */
export interface ResultRequest<P extends Parameters> {
  readonly schema: P
  /** Times the agent may try again. */
  readonly repairs: number
}

/** What the agent is told of the shape of its answer. */
export const resultInstruction = (schema: JsonSchema): string =>
  `When you have the answer, give it as one JSON value and nothing else. It has to fit this JSON Schema:\n${JSON.stringify(schema)}`

/**
 * Reads the checked result out of the agent's last message; one that does not fit is sent back with what is wrong, up to
 * `repairs` times, and then fails with `invalid-result`.
 */
export function* structuredResult<P extends Parameters>(
  agent: Agent,
  user: Agent,
  { schema, repairs }: ResultRequest<P>,
): Steps<OutputOf<P>> {
  const check = validation(schema, schemaOf(schema, 'result'))
  const conversation = openConversation(stateOf(user), agent, scopeIn(yield* face()).chat)
  for (let attempt = 0; ; attempt++) {
    const problem = yield* read(agent, conversation, check)
    if ('value' in problem) return problem.value as OutputOf<P>
    if (attempt === repairs) {
      throw new XError(
        'invalid-result',
        `\`${agent.name}\` gave no result that fits after ${attempt + 1} attempts: ${problem.problem}; allow more \`resultRepairs\`, or a simpler schema`,
        { details: { attempts: attempt + 1, problem: problem.problem } },
      )
    }
    const again = `Your answer does not fit: ${problem.problem}. Give the whole JSON value again, corrected, and nothing else.`
    // One question and one answer: the user's side says nothing by itself.
    conversation.replyAtReceive = false
    yield* send(user, again, agent, { requestReply: true })
  }
}

type Read = { readonly value: unknown } | { readonly problem: string }

function* read(agent: Agent, { messages }: Conversation, check: ReturnType<typeof validation>): Steps<Read> {
  const last = messages.findLast(({ name }) => name === agent.name)
  const parsed = jsonOf(last)
  if ('problem' in parsed) return parsed
  const valid = yield* wait(check(parsed.value), 'the check of a result')
  return 'issues' in valid ? { problem: issuesText(valid.issues) } : { value: valid.value }
}

/** The JSON value of a message: bare, in a fence, or the outermost braces of its text. */
function jsonOf(message: ChatMessage | undefined): Read {
  const text = typeof message?.content === 'string' ? message.content.replaceAll('TERMINATE', '').trim() : ''
  if (text === '') return { problem: 'there is no text' }
  const fenced = /```(?:json)?\s*\n([\s\S]*?)```/u.exec(text)?.[1]
  const braces = /[[{][\s\S]*[\]}]/u.exec(text)?.[0]
  for (const candidate of [text, fenced, braces]) {
    if (candidate === undefined) continue
    try {
      return { value: JSON.parse(candidate) as unknown }
    } catch {
      // The next candidate may be the JSON.
    }
  }
  return { problem: 'it is not JSON' }
}
