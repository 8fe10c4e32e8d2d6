import type { ClientOptions } from '@x/interfaces'
import { XError } from '@x/kernel'
import { kind, type OptionKinds } from '@x/kernel/options'
import type { Extra } from './split-options.ts'

const BUDGET = kind.having('a budget, such as `createBudget({ calls: 10 })`', 'reserve')

const LIMITER = kind.having("a limiter, such as `createLimiter({ 'gpt-5': { requests: 500 } })`", 'acquire')

const CACHE = kind.having('a cache, such as `createMemoryCache()`', 'get', 'set')

/** Kinds of the keys of an entry that are not request parameters; adapters check those. */
const KINDS: OptionKinds<ClientOptions & Extra> = {
  apiKey: kind.either(kind.text, kind.call),
  apiType: kind.text,
  baseUrl: kind.text,
  apiVersion: kind.text,
  timeout: kind.timeout,
  maxRetries: kind.whole(0),
  defaultHeaders: kind.object,
  fetch: kind.call,
  maxErrorBytes: kind.whole(1),
  maxEventBytes: kind.whole(1),
  maxBodyBytes: kind.whole(1),
  organization: kind.text,
  modelClientCls: kind.text,
  cache: kind.orNull(CACHE),
  cacheSeed: kind.orNull(kind.finite),
  cacheTimeout: kind.positive,
  cacheWait: kind.number(0),
  filterFunc: kind.orNull(kind.call),
  allowFormatStrTemplate: kind.orNull(kind.flag),
  context: kind.orNull(kind.object),
  tags: kind.list,
  // A price that is none is refused with what it means.
  price: kind.any,
  cacheMode: kind.oneOf('use', 'bypass', 'refresh'),
  failover: kind.object,
  maxRetryAfter: kind.number(0),
  budget: kind.orNull(BUDGET),
  limiter: kind.orNull(LIMITER),
  // The name is what is used; anything else counts as no agent.
  agent: kind.any,
  sample: kind.finite,
  answerSchema: kind.object,
  moreTools: kind.list,
}

/** Refuses a value of a wrong type without showing it: it may be a key. Null is as good as absent, as JSON has it. */
export function checkEntryValue(
  name: string,
  value: unknown,
  where: string,
  code: 'invalid-argument' | 'invalid-config' = 'invalid-config',
): void {
  if (value === null || value === undefined || !Object.hasOwn(KINDS, name)) return
  const { takes, expected } = KINDS[name as keyof typeof KINDS]
  if (takes(value as never)) return
  throw new XError(code, `\`${name}\` of ${where} is of a wrong kind; give ${expected}`, { details: { key: name } })
}
