import type { CacheStore, ConfigFilter, Io, LlmConfig, Logger, Provider, RunOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { checkOptions, kind, runOptionKinds, type OptionKinds } from '@x/kernel/options'
import { checkRunOptions } from '@x/kernel/run'
import type { ModelRuntime, WrapperParts } from '../call/wrapper-parts.ts'

/** Options that stand beside the entries. */
interface OwnOptions {
  readonly providers?: readonly Provider[] | undefined
  readonly defaultCache?: ((seed: number) => CacheStore) | undefined
  readonly io?: Io | undefined
  readonly logger?: Logger | null | undefined
  readonly runtime?: Partial<ModelRuntime> | undefined
}

const IO = kind.having('an `io` with `send` and `input`', 'send')
const LOGGER = kind.orNull(kind.having('a logger with `log`', 'log'))

const OWN: OptionKinds<OwnOptions> = {
  providers: { ...kind.list, expected: 'a list, such as [openai] with `openai` of `@x/provider-openai`' },
  defaultCache: kind.call,
  io: IO,
  logger: LOGGER,
  runtime: kind.object,
}

const RUNTIME: OptionKinds<ModelRuntime> = { now: kind.call, newId: kind.call }

const MODEL: OptionKinds<NonNullable<Parameters<LlmConfig['createModel']>[0]>> = {
  io: IO,
  logger: LOGGER,
  replaces: kind.object,
}

const NAMES = { ...kind.either(kind.text, kind.list), expected: 'a text or a list of texts' }

const FILTER: OptionKinds<ConfigFilter> = { model: NAMES, tags: NAMES }

/** Refuses options that stand beside the entries with a wrong value; entries are checked with their keys. */
export function checkWrapperOptions(options: unknown, attempt: string): void {
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new XError(
      'invalid-argument',
      `cannot ${attempt}: its options are not an object; write { providers: [openai], configList: [{ model: 'gpt-5' }] }, with \`openai\` of \`@x/provider-openai\``,
    )
  }
  const { providers, defaultCache, io, logger, runtime } = options as OwnOptions
  checkOptions({ providers, defaultCache, io, logger, runtime }, OWN, attempt)
  checkOptions(runtime, RUNTIME, `${attempt} with this \`runtime\``)
  for (const [index, provider] of (providers ?? []).entries()) checkProvider(provider, index, attempt)
}

function checkProvider(provider: unknown, index: number, attempt: string): void {
  if (typeof (provider as Partial<Provider> | null)?.createClient === 'function') return
  const remedy = typeof provider === 'function' ? 'call it' : 'give one such as `openai` of `@x/provider-openai`'
  throw new XError('invalid-argument', `cannot ${attempt}: \`providers[${index}]\` is not a provider; ${remedy}`)
}

/** Refuses a wrong option of `createModel`. */
export const checkModelOptions = (options: unknown): void => checkOptions(options, MODEL, 'run `createModel`')

/** Refuses a wrong filter of `where`. */
export const checkFilter = (filter: unknown): void => checkOptions(filter ?? null, FILTER, 'run `where`')

/** Refuses a wrong option of a call beside its request. */
export function checkCall(options: RunOptions): void {
  checkOptions(options, runOptionKinds, 'ask the model')
  checkRunOptions(options)
}

/** Checks the options of a blocking call like {@link checkCall}; a signal of the caller's, which could not stop it, is refused. */
export function checkBlockingCall(options: RunOptions): void {
  checkCall(options)
  if (!options.signal || options.run) return
  throw new XError(
    'invalid-argument',
    'cannot run `createSync`: no `signal` can stop a blocking call; leave it out and set `timeout`, or call `create`',
  )
}

/** Warns of time-outs of entries that were probably meant in milliseconds. */
export function warnOfTimeouts({ plan, memory, io }: WrapperParts): void {
  for (const { index, client } of plan.slots) {
    const { timeout } = client
    if (timeout === undefined) continue
    const text = kind.timeout.warning(`\`timeout\` of entry ${index} of \`configList\``, timeout)
    if (text === undefined || !memory.isNewWarning(text)) continue
    void io.send({ type: 'warning', agent: null, chatId: null, agentPath: null, topic: 'timeout', text })
  }
}
