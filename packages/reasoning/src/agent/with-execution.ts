import type { ChatMessage, MaybePromise, ReplyOutcome, Run, RunOptions } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { after } from '../ask/ask-model.ts'
import type { ProposedOption } from '../strategy/job.ts'
import type { Proposer } from '../search/parts.ts'
import { textOf } from './question.ts'

/** Runs the code of a text and gives what came of it; null when there was nothing to run. */
export type RunsCode = (text: string, run: Run) => MaybePromise<string | null>

const PYTHON = /```(?:python|py)\b/i

/** A proposer whose options are carried out: the result of their code becomes a part of the step, before it is graded. */
export function withExecution(proposer: Proposer, runsCode: RunsCode): Proposer {
  return {
    propose: (request, run) =>
      flat(
        after(proposer.propose(request, run), (proposal) =>
          after(
            eachInTurn(proposal.options, (option) => executed(option, runsCode, run)),
            (options) => ({
              ...proposal,
              options,
            }),
          ),
        ),
      ),
  }
}

function executed(option: ProposedOption, runsCode: RunsCode, run: Run): MaybePromise<ProposedOption> {
  if (!PYTHON.test(option.content)) return option
  return after(runsCode(option.content, run), (output) =>
    output === null ? option : { ...option, content: `${option.content}\n\n---\nCode Execution Result:\n${output}` },
  )
}

/** One after the other: an executor has one working folder. Stays plain as long as nothing has to be awaited. */
function eachInTurn<T, R>(
  items: readonly T[],
  make: (item: T) => MaybePromise<R>,
  done: readonly R[] = [],
): MaybePromise<R[]> {
  const results = [...done]
  for (let i = done.length; i < items.length; i++) {
    const made = make(items[i]!)
    if (isThenable(made)) {
      return made.then((result) => eachInTurn(items, make, [...results, result]))
    }
    results.push(made)
  }
  return results
}

const flat = <T>(value: MaybePromise<MaybePromise<T>>): MaybePromise<T> => value as MaybePromise<T>

/** What runs the code of a message, in either face. */
export interface CodeAgent {
  generateCodeExecutionReply(asked: AskedToRun & RunOptions): Promise<ReplyOutcome>
  generateCodeExecutionReplySync(asked: AskedToRun & Pick<RunOptions, 'emit'>): ReplyOutcome
}

interface AskedToRun {
  readonly messages: readonly ChatMessage[]
}

/** Runs code by an agent, one text after the other: branches that grow at once share its working folder. */
export function codeOf(agent: CodeAgent): RunsCode {
  let turn: PromiseLike<unknown> = Promise.resolve()
  return (text, { face, signal, emit }) => {
    const messages: ChatMessage[] = [{ role: 'user', content: text }]
    if (face === 'sync') return outputOf(agent.generateCodeExecutionReplySync({ messages, emit }))
    const run = (): Promise<ReplyOutcome> => agent.generateCodeExecutionReply({ messages, signal, emit })
    const ran = turn.then(run)
    turn = ran.then(ignored, ignored)
    return ran.then(outputOf)
  }
}

const ignored = (): void => {}

const outputOf = ([final, reply]: ReplyOutcome): string | null =>
  !final || reply === null ? null : typeof reply === 'string' ? reply : textOf(reply)
