import type { ChatMessage, MaybePromise, ReplyOutcome, Run, RunOptions } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { chain } from '../search/chain.ts'
import type { ProposedOption } from '../strategy/job.ts'
import type { Proposer } from '../search/parts.ts'
import { settingsOf, withSettings } from '../strategy/fingerprint.ts'
import { messageText } from './prompt.ts'

/** Runs the code blocks of a text and returns their output; null if there is no code. */
export type RunCode = (text: string, run: Run) => MaybePromise<string | null>

const PYTHON_BLOCK = /```(?:python|py)\b/i

/** Wraps a proposer: runs the code of every option, and appends the output to the option before it is graded. */
export function withExecution(proposer: Proposer, runCode: RunCode): Proposer {
  const executing: Proposer = {
    ...(proposer.modelName !== undefined && { modelName: proposer.modelName }),
    requestSettings: proposer.requestSettings,
    ...(proposer.fingerprint !== undefined && { fingerprint: `${proposer.fingerprint}-with-code` }),
    propose: (request, run) =>
      chain(proposer.propose(request, run), (proposal) =>
        chain(
          mapInTurn(proposal.options, (option) => executeOption(option, runCode, run)),
          (options) => ({ ...proposal, options }),
        ),
      ),
  }
  return withSettings(executing, settingsOf(proposer))
}

function executeOption(option: ProposedOption, runCode: RunCode, run: Run): MaybePromise<ProposedOption> {
  if (!PYTHON_BLOCK.test(option.content)) return option
  return chain(runCode(option.content, run), (output) =>
    output === null ? option : { ...option, content: `${option.content}\n\n---\nCode Execution Result:\n${output}` },
  )
}

/** Maps items one after another, since an executor has one working folder; returns a plain value if all results are plain. */
function mapInTurn<T, R>(
  items: readonly T[],
  make: (item: T) => MaybePromise<R>,
  done: readonly R[] = [],
): MaybePromise<R[]> {
  const results = [...done]
  for (let i = done.length; i < items.length; i++) {
    const result = make(items[i]!)
    if (isThenable(result)) {
      return result.then((settled) => mapInTurn(items, make, [...results, settled]))
    }
    results.push(result)
  }
  return results
}

/** An agent that runs the code of a message, blocking or not. */
export interface CodeRunningAgent {
  generateCodeExecutionReply(request: CodeRequest & RunOptions): Promise<ReplyOutcome>
  generateCodeExecutionReplySync(request: CodeRequest & Pick<RunOptions, 'run'>): ReplyOutcome
}

interface CodeRequest {
  readonly messages: readonly ChatMessage[]
}

/** Runs code with an agent, one text after another, since concurrent branches share its working folder. */
export function runCodeWith(agent: CodeRunningAgent): RunCode {
  let turn: PromiseLike<unknown> = Promise.resolve()
  return (text, run) => {
    const messages: ChatMessage[] = [{ role: 'user', content: text }]
    if (run.face === 'sync') return outputOf(agent.generateCodeExecutionReplySync({ messages, run }))
    const runCode = (): Promise<ReplyOutcome> => agent.generateCodeExecutionReply({ messages, run })
    const result = turn.then(runCode)
    turn = result.then(ignore, ignore)
    return result.then(outputOf)
  }
}

const ignore = (): void => {}

const outputOf = ([final, reply]: ReplyOutcome): string | null =>
  !final || reply === null ? null : typeof reply === 'string' ? reply : messageText(reply)
