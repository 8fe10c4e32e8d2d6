import type { functionOfTool } from '@x/agent/steps'
import type { MaybePromise, ToolContext } from '@x/interfaces'
import { XError, isThenable } from '@x/kernel'
import { handoffText, isAgent, isReplyResult, isTargetObject, type Target } from '../handoff/target.ts'

/** A function that a call names. */
export type MappedFunction = NonNullable<ReturnType<typeof functionOfTool>>

/** A tool's answer with a target, as a journal keeps it. */
interface PlainAnswer {
  readonly '~answer': true
  readonly text: string
  /** Name of an agent, a target that is plain, or the place of one that is not. */
  readonly target?: string | object | undefined
  readonly variables?: Readonly<Record<string, unknown>> | undefined
}

/** The answer of a tool. */
export interface ReadAnswer {
  readonly result?: unknown
  /** Text in place of the result. */
  readonly text?: string | undefined
  readonly target?: Target | undefined
  readonly variables?: Readonly<Record<string, unknown>> | undefined
}

/** Makes answers plain JSON, and keeps the targets that are not. */
export interface PlainAnswers {
  /** The function, with an answer that a journal can keep. */
  plain(mapped: MappedFunction): MappedFunction
  /** An answer that a journal can keep. */
  plainOf(result: unknown): unknown
  readonly objects: readonly Target[]
}

/** What answers may name. */
interface AnswerWorld {
  /** The targets of the pattern that are not plain; those of every process alike. */
  readonly known: readonly Target[]
  /** Whether a journal keeps the answers. */
  readonly isRecorded: boolean
}

/** Begins to make answers plain. */
export function plainAnswers({ known, isRecorded }: AnswerWorld): PlainAnswers {
  const objects: Target[] = [...known]
  const plainOf = (result: unknown): unknown => {
    const given = isReplyResult(result) ? result : isAgent(result) || isTargetObject(result) ? { target: result } : null
    if (!given) return result
    const {
      target,
      message = target === undefined ? '' : handoffText(target),
      contextVariables: variables,
    } = given as {
      target?: Target
      message?: string
      contextVariables?: Readonly<Record<string, unknown>>
    }
    const answer: PlainAnswer = {
      '~answer': true,
      text: message,
      ...(target !== undefined && { target: plainTarget(target, objects, isRecorded) }),
      ...(variables && { variables }),
    }
    return answer
  }
  return {
    objects,
    plainOf,
    plain(mapped) {
      const call = (mapped.raw ?? mapped) as (args: unknown, context: ToolContext) => MaybePromise<unknown>
      const its = (args: unknown, context: ToolContext): MaybePromise<unknown> => {
        const result = call(args, context)
        return isThenable(result) ? result.then(plainOf) : plainOf(result)
      }
      return Object.assign(its, { needsApproval: mapped.needsApproval }) as MappedFunction
    },
  }
}

function plainTarget(target: Target, objects: Target[], isRecorded: boolean): PlainAnswer['target'] {
  if (typeof target === 'string') return target
  // An agent is known by its name to a journal.
  if (!isTargetObject(target)) return { agent: target.name, object: objects.push(target) - 1 }
  const kind = target['~target']
  const names = (list: readonly (string | { readonly name: string })[]) =>
    list.map((each) => (typeof each === 'string' ? each : each.name))
  if (kind === 'terminate') return { '~target': kind, ...(target.reason !== undefined && { reason: target.reason }) }
  if (kind === 'randomAgent') return { '~target': kind, agents: names(target.agents) }
  if (kind === 'groupManager') {
    const { candidates, selectionMessage, allowRepeatSpeaker } = target
    return {
      '~target': kind,
      ...(candidates && { candidates: names(candidates) }),
      ...(selectionMessage !== undefined && { selectionMessage }),
      ...(allowRepeatSpeaker !== undefined && { allowRepeatSpeaker }),
    }
  }
  if (kind === 'stay' || kind === 'revertToUser' || kind === 'askUser') return { '~target': kind }
  const index = objects.indexOf(target)
  if (index !== -1) return { object: index }
  if (isRecorded) throw unknownTarget()
  return { object: objects.push(target) - 1 }
}

const unknownTarget = (): XError =>
  new XError(
    'invalid-state',
    'an answer names a nested chat, a group or a function as target, which a journal cannot keep: name it in the `targets` of the pattern too, or make it a handoff of a member',
  )

/** Reads an answer; one that names a target that only the process before had is refused. */
export function readAnswer(content: unknown, { objects }: PlainAnswers): ReadAnswer {
  const answer = content as PlainAnswer | null
  if (typeof answer !== 'object' || answer === null || !answer['~answer']) return { result: content }
  const { text, target, variables } = answer
  if (target === undefined) return { text, variables }
  if (typeof target !== 'object' || '~target' in target) return { text, variables, target: target as Target }
  const { agent, object: at } = target as { readonly agent?: string; readonly object: number }
  const object = objects[at] ?? agent
  if (object !== undefined) return { text, variables, target: object }
  throw unknownTarget()
}
