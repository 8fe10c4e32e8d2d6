import type { ConversableAgent } from '@x/agent'
import { externalCall, isRecorded, say } from '@x/agent/steps'
import type { JsonSchema } from '@x/interfaces'
import { isThenable, XError, type Steps } from '@x/kernel'
import { isTarget, isTargetObject } from '../handoff/target-text.ts'
import { stay, type FunctionTarget, type FunctionTargetResult, type Target } from '../handoff/target.ts'
import { plainAnswers, readAnswer } from './call-answers.ts'
import { memberOf } from './check-targets.ts'
import { valuesIn, type PatternRun } from './pattern-run.ts'

/** What a function has decided, as a journal keeps it. */
interface KeptDecision {
  readonly answer: unknown
  readonly messages: readonly { readonly to: string | null; readonly content: string }[]
}

const DECISION: JsonSchema = {
  type: 'object',
  properties: { messages: { type: 'array', items: { type: 'object' } } },
  required: ['messages'],
}

/** Lets a function decide: sets its variables, hands its messages to their readers, and gives the target that it names. */
export function* askFunctionTarget(
  run: PatternRun,
  target: FunctionTarget<never>,
  current: ConversableAgent,
): Steps<Target> {
  const { name, fn } = target
  const answers = plainAnswers({ known: run.targets, isRecorded: yield* isRecorded() })
  const plain = (result: FunctionTargetResult<never>): KeptDecision => {
    const { message, messages, target: to = stay, contextVariables } = checked(name, result)
    const listed = messages ?? (message === undefined ? [] : [{ to: null, content: message }])
    return {
      answer: answers.plainOf({ '~replyResult': true, target: to, message: '', contextVariables }),
      messages: listed.map(({ to: reader, content }) => ({
        to: reader === null || typeof reader === 'string' ? reader : reader.name,
        content,
      })),
    }
  }
  const call = { kind: 'handoff', label: `the function ${name}`, shape: DECISION } as const
  const kept = yield* externalCall<KeptDecision>(call, ({ run: its, signal, emit, contextVariables }) => {
    const message = run.group.messages.at(-1) ?? {}
    const context = { run: its, signal, emit, contextVariables }
    const result = fn({ message, variables: valuesIn(run), ...context })
    return isThenable(result) ? result.then(plain) : plain(result)
  })
  const { target: to = stay, variables } = readAnswer(kept.answer, answers)
  if (variables) run.variables.update(variables)
  for (const { to: reader, content } of kept.messages) {
    const whom = reader ?? (isTargetObject(to) ? readerOf(run, to, current) : to)
    const agent = memberOf(run, whom, `a message of the function \`${name}\``)
    const text = `[FUNCTION_HANDOFF] - Reply from function ${name}: \n\n ${content}`
    yield* say(run.manager, { role: 'user', name, content: text }, agent, run.silent)
  }
  return to
}

/** Who reads a message to a target that is no agent. */
const readerOf = (run: PatternRun, target: Target, current: ConversableAgent): ConversableAgent =>
  isTargetObject(target) && target['~target'] === 'revertToUser' && run.userAgent ? run.userAgent : current

function checked(name: string, result: FunctionTargetResult<never>): FunctionTargetResult<never> {
  const given: unknown = result
  if (typeof given === 'object' && given !== null && (result.target === undefined || isTarget(result.target))) {
    return result
  }
  throw new XError(
    'invalid-argument',
    `the function target \`${name}\` gave ${JSON.stringify(given) ?? typeof given}, and not \`{ target, message, contextVariables }\`; return an object with a target`,
  )
}
