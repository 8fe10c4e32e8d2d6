import type { LlmConfig, MaybePromise, RunContext } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, type OptionKinds } from '@x/kernel/options'
import { isTarget, type Target } from './target.ts'

/** A check of a text by a model. */
export interface GuardrailByModel {
  /** The forbidden condition, in words. */
  readonly condition: string
  readonly llmConfig: LlmConfig
}

/** Checks a text: false lets it pass, a string is the reason to stop it. A journal keeps the answer. */
export type GuardrailFunction<C> = (
  text: string,
  variables: Readonly<C>,
  context: RunContext,
) => MaybePromise<false | string>

/** Checks the messages that a member reads, or its replies; a finding hands over to another speaker. */
export interface Guardrail<C = Record<string, unknown>> {
  readonly name: string
  /** A regular expression that must not match, a forbidden condition for a model, or a function. */
  readonly check: RegExp | GuardrailByModel | GuardrailFunction<C>
  /** The next speaker after a finding. */
  readonly to: Target<C>
  /** Text that the member says in place of its reply; default `Guardrail '<name>' has been activated.` */
  readonly activationMessage?: string | undefined
}

/** Refuses an invalid guardrail. */
export function checkGuardrail(guardrail: Guardrail<never>, attempt: string): void {
  const { name, check, to } = (guardrail ?? {}) as Partial<Guardrail<never>>
  const problem =
    typeof name !== 'string' || name === ''
      ? 'a guardrail has no `name`; give it one'
      : !isCheck(check)
        ? `the \`check\` of the guardrail \`${name}\` is neither a regular expression, nor a function, nor \`{ condition, llmConfig }\``
        : isTarget(to)
          ? undefined
          : `the guardrail \`${name}\` has no target; give one as \`to\``
  if (problem !== undefined) throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
  checkOptions(guardrail, GUARDRAIL_KINDS, `${attempt} with the guardrail \`${name}\``)
}

const GUARDRAIL_KINDS: OptionKinds<Guardrail<never>> = {
  name: kind.text,
  check: kind.any,
  to: kind.any,
  activationMessage: kind.text,
}

const isCheck = (check: unknown): boolean =>
  check instanceof RegExp ||
  typeof check === 'function' ||
  (typeof check === 'object' &&
    check !== null &&
    typeof (check as Partial<GuardrailByModel>).condition === 'string' &&
    typeof (check as Partial<GuardrailByModel>).llmConfig?.createModel === 'function')
