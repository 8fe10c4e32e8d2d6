import type { MaybePromise, Run } from '@x/interfaces'
import { isThenable } from '@x/kernel'
import { after } from '../ask/ask-model.ts'
import type { ProposedOption } from '../job.ts'
import type { Proposer } from '../seams.ts'

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
