import { camelCase, withKeys } from './spelling.ts'

type Values = Readonly<Record<string, unknown>>

/** The options that a chat knows; further ones go to a callable first message. */
const CHAT_OPTIONS: ReadonlySet<string> = new Set([
  'message',
  'clearHistory',
  'silent',
  'cache',
  'maxTurns',
  'summaryMethod',
  'summaryArgs',
  'carryover',
  'verbose',
  'sender',
  'recipient',
  'chatId',
  'prerequisites',
  'finishedChatIndexesToExcludeFromCarryover',
  'carryoverConfig',
])

/** Options of a chat whose own keys are spelt by the naming law too. */
const NESTED_OPTIONS: ReadonlySet<string> = new Set(['summaryArgs', 'carryoverConfig'])

/** Keys of a model's config that are ours; all others are the wire's and keep their names. */
const CONFIG_KEYS: ReadonlySet<string> = new Set([
  'agent',
  'allowFormatStrTemplate',
  'apiKey',
  'apiType',
  'apiVersion',
  'baseUrl',
  'cache',
  'cacheSeed',
  'configList',
  'context',
  'filterFunc',
  'maxRetries',
  'modelClientCls',
  'price',
  'sample',
  'tags',
  'timeout',
])

/** Options of an operation, or of a constructor. */
export const options = (values: Values): Record<string, unknown> => withKeys(values, camelCase)

/** Options of one chat, alone or in a queue. */
export function chatOptions(values: Values): Record<string, unknown> {
  const known: Record<string, unknown> = {}
  const messageArgs: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(values)) {
    const name = camelCase(key)
    if (!CHAT_OPTIONS.has(name)) messageArgs[key] = value
    else known[name] = NESTED_OPTIONS.has(name) && value ? nestedOptions(value as Values) : value
  }
  return Object.keys(messageArgs).length > 0 ? { ...known, messageArgs } : known
}

function nestedOptions(values: Values): Record<string, unknown> {
  const { summaryArgs, ...rest } = options(values)
  return summaryArgs ? { ...rest, summaryArgs: options(summaryArgs as Values) } : options(values)
}

/** Chats in a queue. */
export const chatQueue = (queue: unknown): unknown =>
  Array.isArray(queue) ? queue.map((chat) => chatOptions(chat as Values)) : queue

/**
 * A config of a model with its entries. A `ScriptedClient` stands for a provider that is there; other classes wait until
 * they are registered. Without a list the config is its own only entry.
 */
export function entries(values: Values): { configList: Record<string, unknown>[]; [key: string]: unknown } {
  const { configList, ...base } = config(values)
  const list = (configList ?? []) as Values[]
  return list.length > 0 ? { ...base, configList: list.map(entry) } : { ...entry(base), configList: [] }
}

function entry(values: Values): Record<string, unknown> {
  const { modelClientCls = 'ScriptedClient', ...rest } = config(values)
  if (modelClientCls !== 'ScriptedClient') return { ...rest, modelClientCls }
  const apiType = String(rest['apiType']).startsWith('azure') ? rest['apiType'] : 'scripted'
  // With a place of its own it may be told the model later.
  return { ...rest, apiType, ...(apiType === 'scripted' && { baseUrl: 'scripted:' }) }
}

/** A config of a model, or the parameters of a request. */
export function config(values: Values): Record<string, unknown> {
  return withKeys(values, (key) => (CONFIG_KEYS.has(camelCase(key)) ? camelCase(key) : key))
}
