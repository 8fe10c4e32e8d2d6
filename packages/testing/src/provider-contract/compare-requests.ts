import type { MissingFeature, PlainMessage, PlainPart, PlainRequest, WireMeaning } from './meaning.ts'

/** A part with the role of its message. */
type Item = { readonly role: PlainMessage['role'] } & PlainPart

/** Rules for comparing what was sent with what was asked. */
export interface CompareRules extends Pick<WireMeaning, 'ids' | 'names' | 'alternates'> {
  readonly lacks: ReadonlySet<MissingFeature>
}

/**
 * Compares a decoded request with what was asked. Returns the first difference with its place, or undefined. Wires may merge
 * neighbouring messages of a role, and texts by white space; identifiers and names may be changed to legal ones, the same
 * everywhere.
 */
export function findRequestDifference(
  given: PlainRequest,
  decoded: PlainRequest,
  rules: CompareRules,
): string | undefined {
  // Without tools, none can be called.
  const isWithoutTools = given.choice === 'none' && !decoded.tools?.length
  const asked: PlainRequest = isWithoutTools ? { ...given, tools: undefined } : given
  const sent: PlainRequest = isWithoutTools ? { ...decoded, tools: undefined, choice: 'none' } : decoded
  const names = alignWords(namesOf(asked), namesOf(sent), { what: 'name of a tool', legal: rules.names })
  const ids = alignWords(callIdsOf(asked), callIdsOf(sent), { what: 'identifier of a call', legal: rules.ids })
  const problem =
    names.problem ??
    (rules.lacks.has('call-ids') ? undefined : ids.problem) ??
    findRepeat(sent, rules) ??
    findStrangeChoice(sent) ??
    findEmpty(sent)
  if (problem !== undefined) return problem
  const known = renamed(sent, names.back, ids.back)
  return findDifference(canonical(asked, rules), canonical(known, rules), '')
}

/** Returns the first difference of two JSON values as a sentence with its place; undefined if they are equal. */
export function findDifference(asked: unknown, got: unknown, path: string): string | undefined {
  if (isObject(asked) && isObject(got) && Array.isArray(asked) === Array.isArray(got)) {
    const keys = new Set([...Object.keys(asked), ...Object.keys(got)])
    for (const key of keys) {
      const place = Array.isArray(asked) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`
      const found = findDifference(asked[key], got[key], place)
      if (found !== undefined) return found
    }
    return undefined
  }
  return Object.is(asked, got) ? undefined : `${path}: asked ${shown(asked)}, got ${shown(got)}`
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

/** Characters of a value in a failure. */
const MAX_SHOWN_CHARACTERS = 200

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value)
  return text.length > MAX_SHOWN_CHARACTERS ? `${text.slice(0, MAX_SHOWN_CHARACTERS)}…` : text
}

const namesOf = ({ tools = [], messages }: PlainRequest): string[] => [
  ...tools.map(({ name }) => name),
  ...messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.name] : []))),
]

const callIdsOf = ({ messages }: PlainRequest): (string | undefined)[] =>
  messages.flatMap(({ parts }) => parts.flatMap((part) => (part.type === 'call' ? [part.id] : [])))

/** Pairs asked words with sent words, in their order. */
function alignWords(
  asked: readonly (string | undefined)[],
  sent: readonly (string | undefined)[],
  { what, legal }: { readonly what: string; readonly legal: RegExp | undefined },
): { readonly back: ReadonlyMap<string, string>; readonly problem: string | undefined } {
  const there = new Map<string, string>()
  const back = new Map<string, string>()
  let problem: string | undefined
  const note = (text: string): void => void (problem ??= text)
  for (const [at, word] of asked.entries()) {
    const other = sent[at]
    if (word === undefined || other === undefined) continue
    if (legal && !legal.test(other)) note(`the ${what} ${shown(other)} was sent, which the provider refuses`)
    if (legal?.test(word) && other !== word) note(`the ${what} ${shown(word)} is legal, and ${shown(other)} was sent`)
    if ((there.get(word) ?? other) !== other || (back.get(other) ?? word) !== word) {
      note(`the ${what} ${shown(word)} was sent as ${shown(other)}, which stands for another one`)
    }
    there.set(word, other)
    back.set(other, word)
  }
  return { back, problem }
}

/** Finds neighbouring messages of the same role where the provider demands that roles alternate. */
function findRepeat({ messages }: PlainRequest, { alternates }: CompareRules): string | undefined {
  if (!alternates) return undefined
  const roles = messages.map(({ role }) => (role === 'tool' ? 'user' : role)).filter((role) => role !== 'system')
  const at = roles.findIndex((role, index) => index > 0 && role === roles[index - 1])
  return at === -1 ? undefined : `two messages of ${roles[at]!} follow each other, which the provider refuses`
}

/** Finds a choice of a tool that the request does not have. */
function findStrangeChoice({ choice, tools = [] }: PlainRequest): string | undefined {
  if (typeof choice !== 'object' || tools.some(({ name }) => name === choice.name)) return undefined
  return `choice: ${shown(choice.name)} has to be called, and is not among the tools`
}

/** Finds texts and lists without content, which providers refuse. */
export function findEmpty({ messages, tools }: PlainRequest): string | undefined {
  if (tools?.length === 0) return 'an empty list of tools was sent, which providers refuse'
  const isBlank = (part: PlainPart): boolean =>
    (part.type === 'text' && part.text.trim() === '') || (part.type === 'result' && part.parts.some(isBlank))
  for (const [at, { role, parts }] of messages.entries()) {
    if (parts.some(isBlank)) return `messages[${at}]: a blank text was sent, which providers refuse`
    if (parts.length === 0 && role !== 'system') return `messages[${at}]: a message without parts was sent`
  }
  return undefined
}

/** Returns a request with the asked words in place of the sent ones. */
function renamed(
  request: PlainRequest,
  names: ReadonlyMap<string, string>,
  ids: ReadonlyMap<string, string>,
): PlainRequest {
  const rename = (part: PlainPart): PlainPart => {
    if (part.type !== 'call' && part.type !== 'result') return part
    const { id, name } = part
    return {
      ...part,
      ...(id !== undefined && { id: ids.get(id) ?? id }),
      ...(name !== undefined && { name: names.get(name) ?? name }),
    }
  }
  const { choice } = request
  return {
    ...request,
    messages: request.messages.map(({ role, parts }) => ({ role, parts: parts.map(rename) })),
    ...(typeof choice === 'object' && { choice: { name: names.get(choice.name) ?? choice.name } }),
    ...(request.tools && {
      tools: request.tools.map((tool) => ({ ...tool, name: names.get(tool.name) ?? tool.name })),
    }),
  }
}

/** Returns a request in the one form in which two that mean the same are equal. */
function canonical(request: PlainRequest, rules: CompareRules): object {
  const { messages, tools = [], choice = 'auto', parallelCalls = true, n = 1, format, ...rest } = request
  return {
    ...rest,
    content: itemsOf(messages, rules),
    tools: tools.map(canonicalTool),
    choice,
    parallelCalls,
    n,
    format: typeof format === 'object' ? canonicalSchema(format) : format,
  }
}

const canonicalTool = ({ name, description, parameters }: NonNullable<PlainRequest['tools']>[number]): object => ({
  name,
  description: description === '' ? undefined : description,
  parameters: canonicalSchema(parameters ?? { type: 'object' }),
})

/** Leaves out of a schema what every wire may add. */
function canonicalSchema(schema: object): object {
  return JSON.parse(
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === 'additionalProperties' || key === '$schema') return undefined
      if (key === 'properties' && isObject(value) && Object.keys(value).length === 0) return undefined
      return key === 'required' && Array.isArray(value) && value.length === 0 ? undefined : value
    }),
  ) as object
}

/** Returns the parts of all messages, with neighbouring texts of a role as one text. */
function itemsOf(messages: readonly PlainMessage[], rules: CompareRules): object[] {
  const items = messages.flatMap(({ role, parts }): Item[] =>
    parts.map((part) => ({ ...part, role: part.type === 'result' ? 'tool' : role })),
  )
  return mergeTexts(inOrder(items, rules), rules).map((item) => canonicalItem(item, rules))
}

function canonicalItem(item: Item, rules: CompareRules): object {
  if (item.type === 'call') return rules.lacks.has('call-ids') ? { ...item, id: undefined } : item
  if (item.type !== 'result') return item
  const { role, type, id, name, failed = false, parts } = item
  return {
    ...{ role, type },
    ...(!rules.lacks.has('call-ids') && { id }),
    ...(!rules.lacks.has('result-names') && { name }),
    ...(!rules.lacks.has('result-failures') && { failed }),
    parts: mergeTexts(
      inOrder(
        parts.map((part): Item => ({ ...part, role })),
        rules,
      ),
      rules,
    ),
  }
}

/** Puts images behind the texts of the same role, for wires that have no place for them. */
function inOrder(items: Item[], { lacks }: CompareRules): Item[] {
  if (!lacks.has('image-order')) return items
  const isImage = ({ type }: Item): boolean => type === 'image' || type === 'link' || type === 'file'
  const out: Item[] = []
  const images: Item[] = []
  for (const item of items) {
    const isNext = item.role !== (images[0] ?? item).role || (!isImage(item) && item.type !== 'text')
    if (isNext) out.push(...images.splice(0))
    if (isImage(item)) images.push(item)
    else out.push(item)
  }
  return [...out, ...images]
}

function mergeTexts(items: readonly Item[], { lacks }: CompareRules): Item[] {
  const space = lacks.has('text-parts') ? '' : ' '
  const spaced = (text: string): string => text.replaceAll(/\s+/gu, space)
  const out: Item[] = []
  for (const item of items) {
    const last = out.at(-1)
    if (item.type === 'text' && last?.type === 'text' && last.role === item.role) {
      out[out.length - 1] = { ...last, text: `${last.text}${space}${spaced(item.text)}` }
    } else out.push(item.type === 'text' ? { ...item, text: spaced(item.text) } : item)
  }
  return out
}
