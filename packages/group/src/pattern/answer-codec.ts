import type { functionOfTool } from '@x/agent/steps'
import type { MaybePromise, ToolContext } from '@x/interfaces'
import { isThenable, XError } from '@x/kernel'
import { isAgent } from '../group/group.ts'
import { plainVariables } from '../handoff/context-variables.ts'
import { handoffText, isReplyResult, isTargetObject, type Target } from '../handoff/target.ts'

/** The function of a tool call. */
export type MappedFunction = NonNullable<ReturnType<typeof functionOfTool>>

/** The answer of a tool with a target, in the form that a journal keeps. */
interface EncodedAnswer {
  readonly '~answer': true
  readonly text: string
  /** Name of an agent, a target that is plain data, or the index of any other target. */
  readonly target?: string | object | undefined
  readonly variables?: Readonly<Record<string, unknown>> | undefined
}

/** The answer of a tool. */
export interface DecodedAnswer {
  readonly result?: unknown
  /** Text in place of the result. */
  readonly text?: string | undefined
  readonly target?: Target | undefined
  readonly variables?: Readonly<Record<string, unknown>> | undefined
}

/** Encodes the answers of tools as plain JSON, which a journal can keep, and decodes them. */
export class AnswerCodec {
  readonly #targets: Target[]
  readonly #isRecorded: boolean

  /** Takes the targets of the pattern that are not plain data, in the same order in every process. */
  constructor(knownTargets: readonly Target[], isRecorded: boolean) {
    this.#targets = [...knownTargets]
    this.#isRecorded = isRecorded
  }

  /** Makes a function whose answers are encoded. */
  wrap(mapped: MappedFunction): MappedFunction {
    const call = (mapped.raw ?? mapped) as (args: unknown, context: ToolContext) => MaybePromise<unknown>
    const encoding = (args: unknown, context: ToolContext): MaybePromise<unknown> => {
      const result = call(args, context)
      return isThenable(result) ? result.then((value) => this.encode(value)) : this.encode(result)
    }
    return Object.assign(encoding, { needsApproval: mapped.needsApproval }) as MappedFunction
  }

  /** Encodes an answer that names a target or sets variables; any other result is returned as it is. */
  encode(result: unknown): unknown {
    const answer = isReplyResult(result)
      ? result
      : isAgent(result) || isTargetObject(result)
        ? { target: result }
        : null
    if (!answer) {
      requireNoTarget(result)
      return result
    }
    const {
      target,
      message = target === undefined ? '' : handoffText(target),
      contextVariables: variables,
    } = answer as {
      target?: Target
      message?: string
      contextVariables?: Readonly<Record<string, unknown>>
    }
    return {
      '~answer': true,
      text: message,
      ...(target !== undefined && { target: this.#encodeTarget(target) }),
      ...(variables && { variables: plainVariables(variables) }),
    } satisfies EncodedAnswer
  }

  /** Decodes an answer; a target that only another process knew is refused. */
  decode(content: unknown): DecodedAnswer {
    // A fork may be given what a tool returns.
    const answer = (isReplyResult(content) ? this.encode(content) : content) as EncodedAnswer | null
    if (typeof answer !== 'object' || answer === null || !answer['~answer']) return { result: content }
    const { text, target, variables } = answer
    if (target === undefined) return { text, variables }
    if (typeof target !== 'object' || '~target' in target) return { text, variables, target: target as Target }
    const { agent, object: index } = target as { readonly agent?: string; readonly object: number }
    const known = this.#targets[index] ?? agent
    if (known !== undefined) return { text, variables, target: known }
    throw unrecordableTarget()
  }

  #encodeTarget(target: Target): EncodedAnswer['target'] {
    if (typeof target === 'string') return target
    // A journal finds an agent again by its name.
    if (!isTargetObject(target)) return { agent: target.name, object: this.#targets.push(target) - 1 }
    const kind = target['~target']
    switch (kind) {
      case 'stay':
      case 'revertToUser':
      case 'askUser':
        return { '~target': kind }
      case 'terminate':
        return { '~target': kind, ...(target.reason !== undefined && { reason: target.reason }) }
      case 'randomAgent':
        return { '~target': kind, agents: namesOf(target.agents) }
      case 'groupManager': {
        const { candidates, selectionMessage, allowRepeatSpeaker } = target
        return {
          '~target': kind,
          ...(candidates && { candidates: namesOf(candidates) }),
          ...(selectionMessage !== undefined && { selectionMessage }),
          ...(allowRepeatSpeaker !== undefined && { allowRepeatSpeaker }),
        }
      }
      default: {
        const index = this.#targets.indexOf(target)
        if (index !== -1) return { object: index }
        if (this.#isRecorded) throw unrecordableTarget()
        return { object: this.#targets.push(target) - 1 }
      }
    }
  }
}

/** Refuses an object with a target that `replyResult` did not make: nobody would be handed over to. */
function requireNoTarget(result: unknown): void {
  const target: unknown = (result as { readonly target?: unknown } | null | undefined)?.target
  if (!isAgent(target) && !isTargetObject(target)) return
  throw new XError(
    'invalid-argument',
    'a tool returned an object with a `target`, which hands over to nobody: return `replyResult({ message, target })`',
  )
}

const namesOf = (agents: readonly (string | { readonly name: string })[]): string[] =>
  agents.map((each) => (typeof each === 'string' ? each : each.name))

const unrecordableTarget = (): XError =>
  new XError(
    'invalid-state',
    'an answer names a nested chat, a group or a function as its target, which a journal cannot keep: list it in the `targets` of the pattern too, or make it a handoff of a member',
  )
