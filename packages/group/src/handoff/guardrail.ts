import type { LlmConfig, MaybePromise, RunContext } from '@x/interfaces'
import { XError } from '@x/kernel'
import { isTarget, type Target } from './target.ts'

/** Lets a model judge a text. */
export interface GuardrailByModel {
  /** What must not be, in words. */
  readonly condition: string
  readonly llmConfig: LlmConfig
}

/** Judges a text: false lets it pass, a text says why not. A journal keeps the answer. */
export type GuardrailFunction<C> = (
  text: string,
  variables: Readonly<C>,
  context: RunContext,
) => MaybePromise<false | string>

/** Guards what a member reads, or what it says: what is found gives the floor away. */
export interface Guardrail<C = Record<string, unknown>> {
  readonly name: string
  /** A regular expression that must not match, a condition for a model, or a function. */
  readonly check: RegExp | GuardrailByModel | GuardrailFunction<C>
  /** Who gets the floor. */
  readonly to: Target<C>
  /** What the member says in place of its reply; default `Guardrail '<name>' has been activated.` */
  readonly activationMessage?: string | undefined
}

/** Refuses a guardrail that cannot be. */
export function checkGuardrail(given: Guardrail<never>, attempt: string): void {
  const { name, check, to } = (given ?? {}) as Partial<Guardrail<never>>
  const problem =
    typeof name !== 'string' || name === ''
      ? 'a guardrail has no `name`; give it one'
      : !isCheck(check)
        ? `the \`check\` of the guardrail \`${name}\` is neither a regular expression, nor a function, nor \`{ condition, llmConfig }\``
        : isTarget(to)
          ? undefined
          : `the guardrail \`${name}\` leads nowhere: give it a target as \`to\``
  if (problem !== undefined) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
}

const isCheck = (check: unknown): boolean =>
  check instanceof RegExp ||
  typeof check === 'function' ||
  (typeof check === 'object' &&
    check !== null &&
    typeof (check as Partial<GuardrailByModel>).condition === 'string' &&
    typeof (check as Partial<GuardrailByModel>).llmConfig?.createModel === 'function')
