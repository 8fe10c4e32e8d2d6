import type { CacheStore, Io, LlmConfig, Logger, Provider, RunOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { checkRunOptions } from '@x/kernel/run'
import { doubtfulTimeouts, isProvider } from '../config/entry.ts'
import { type ModelRuntime, sendToIo, type WrapperParts } from '../call/wrapper-parts.ts'

/** Options of a wrapper that are not keys of an entry. */
interface WrapperOptions {
  readonly providers?: readonly Provider[] | undefined
  readonly defaultCache?: ((seed: number) => CacheStore) | undefined
  readonly io?: Io | undefined
  readonly logger?: Logger | null | undefined
  readonly runtime?: Partial<ModelRuntime> | undefined
}

const IO_KIND = kind.having('an `io` with `send` and `input`', 'send')
const LOGGER_KIND = kind.orNull(kind.having('a logger with `log`', 'log'))

const WRAPPER_KINDS: OptionKinds<WrapperOptions> = {
  providers: { ...kind.list, expected: 'a list, such as [openai] with `openai` of `@x/provider-openai`' },
  defaultCache: kind.call,
  io: IO_KIND,
  logger: LOGGER_KIND,
  runtime: kind.object,
}

const RUNTIME_KINDS: OptionKinds<ModelRuntime> = { now: kind.call, newId: kind.call, random: kind.call }

const CREATE_MODEL_KINDS: OptionKinds<NonNullable<Parameters<LlmConfig['createModel']>[0]>> = {
  io: IO_KIND,
  logger: LOGGER_KIND,
  replaces: kind.object,
}

const NAMES_KIND = { ...kind.either(kind.text, kind.list), expected: 'a text or a list of texts' }

const FILTER_KINDS: OptionKinds<Parameters<LlmConfig['where']>[0]> = { model: NAMES_KIND, tags: NAMES_KIND }

/** Checks the options of a wrapper that are not keys of an entry; entries are checked by `checkEntry`. */
export function checkWrapperOptions(options: object, attempt: string): void {
  checkPlatform(attempt)
  const isGivenProvider = isProvider(options)
  if (isGivenProvider || !kind.object.takes(options)) {
    const example = "`llmConfig(openai('gpt-5-mini'))`"
    const problem = isGivenProvider
      ? `it is a provider; name a model, as in ${example}`
      : `its options are not an object; write ${example}, with \`openai\` of \`@x/provider-openai\``
    throw new XError('invalid-argument', `cannot ${attempt}: ${problem}`)
  }
  const { providers, defaultCache, io, logger, runtime } = options as WrapperOptions
  checkOptions({ providers, defaultCache, io, logger, runtime }, WRAPPER_KINDS, attempt)
  checkOptions(runtime, RUNTIME_KINDS, `${attempt} with this \`runtime\``)
  for (const [index, provider] of (providers ?? []).entries()) checkProvider(provider, index, attempt)
}

/** Refuses an older Node by its version: a call would fail in the middle, at a function that it does not have. */
function checkPlatform(attempt: string): void {
  if ('withResolvers' in Promise) return
  const version = globalThis.process?.versions?.node
  const found = version ? `this is Node ${version}` : 'this platform is too old'
  throw new XError('invalid-state', `cannot ${attempt}: ${found}; install Node 22.19 or newer`)
}

function checkProvider(provider: unknown, index: number, attempt: string): void {
  if (isProvider(provider)) return
  const problem = isProvider((provider as { provider?: unknown } | null)?.provider)
    ? 'is a model of a provider; put it into `configList`'
    : `is not a provider; ${typeof provider === 'function' ? 'call it' : 'give one such as `openai` of `@x/provider-openai`'}`
  throw new XError('invalid-argument', `cannot ${attempt}: \`providers[${index}]\` ${problem}`)
}

/** Checks the options of `createModel`. */
export const checkModelOptions = (options: unknown): void =>
  checkOptions(options, CREATE_MODEL_KINDS, 'run `createModel`')

/** Checks the filter of `where`. */
export const checkFilter = (filter: unknown): void => checkOptions(filter ?? null, FILTER_KINDS, 'run `where`')

/** Checks the options of a call beside its request. */
export function checkCall(options: RunOptions): void {
  checkOptions(options, runOptionKinds, 'ask the model')
  checkRunOptions(options)
}

/** Checks the options of a blocking call, and refuses a signal, which could not stop it. */
export function checkBlockingCall(options: RunOptions, call: 'create' | 'countTokens' | 'embed'): void {
  checkCall(options)
  if (!options.signal || options.run) return
  throw new XError(
    'invalid-argument',
    `cannot run \`${call}Sync\`: no \`signal\` can stop a blocking call; leave it out and set \`timeout\`, or call \`${call}\``,
  )
}

/** Warns about timeouts of entries that were probably meant in milliseconds. */
export function warnOfTimeouts(parts: WrapperParts): void {
  const { plan, memory } = parts
  for (const { index, client, stored } of plan.slots) {
    const limits = { timeout: client.timeout, timeouts: stored.extra.timeouts }
    for (const text of doubtfulTimeouts(limits, `entry ${index} of \`configList\``)) {
      if (!memory.isNewWarning(text)) continue
      void sendToIo(parts, { type: 'warning', agent: null, topic: 'timeout', text })
    }
  }
}
