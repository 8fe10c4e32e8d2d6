import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import type { Node, TSType } from 'oxc-parser'
import { parseFile, type Source } from './conventions/source.ts'
import { root } from './workspace.ts'

/** The document that describes the events, and the program that has an example of each. */
export const EVENTS_DOCUMENT = 'docs/events.md'
const EXAMPLES_PROGRAM = 'examples/every-event.ts'
const EVENT_TYPES = 'packages/interfaces/src/event.ts'

/** Fields of an event, as JSON. */
export type Example = { readonly type: string } & Readonly<Record<string, unknown>>

/** An event type, as its declaration describes it. */
interface EventType {
  readonly name: string
  readonly when: string
  readonly fields: readonly Field[]
}

interface Field {
  readonly name: string
  readonly type: string
  readonly meaning: string
}

/** Returns the first event of each type that the program of the examples sends. */
export function readExamples(): Example[] {
  const args = ['--conditions=@x/source', join(root, EXAMPLES_PROGRAM)]
  const lines = execFileSync(process.execPath, args, { encoding: 'utf8' }).trim().split('\n')
  return lines.map((line) => JSON.parse(line) as Example)
}

const BLOCK = /(<!-- (?<kind>events|fields|declarations|example): (?<names>[\w, ]+) -->\n)[^]*?(?:<!-- end -->)/g

/**
 * Writes into a document the parts that are made from the types of events. Each stands between `<!-- kind: names -->` and
 * `<!-- end -->`: tables of `events`, with `chat` for `chatStart` and `chatEnd`; a table of the `fields` of an interface;
 * `declarations` of types; one `example` in whole.
 */
export function withEventTables(document: string, examples: readonly Example[]): string {
  const source = parseFile(EVENT_TYPES)
  const types = readEventTypes(source)
  const declared = declaredFields()
  const exampleOf = (name: string): Example => {
    const example = examples.find(({ type }) => type === name) ?? fail(`example of \`${name}\``)
    return inOrder(example, declared.get(name)!)
  }
  const envelope = namesIn(source, 'EventEnvelope').map((name) => name.replace('?', ''))
  const kinds: Readonly<Record<string, (names: readonly string[]) => string>> = {
    events: (names) => {
      const wanted = names.flatMap((name) => types.get(name) ?? fail(`event \`${name}\``))
      return tableOfEvents(wanted, (name) => without(exampleOf(name), ['type', ...envelope]))
    },
    fields: (names) => tableOfFields(fieldsTogether(names.map((name) => fieldsOf(source, name)))),
    declarations: (names) => fenced('ts', names.map((name) => declarationOf(source, name).text).join('\n\n')),
    example: (names) => fenced('json', names.map((name) => inLines(exampleOf(name))).join('\n')),
  }
  return document.replaceAll(BLOCK, (...match) => {
    const { kind = '', names = '' } = match.at(-1) as Record<string, string>
    return `${match[1]}\n${kinds[kind]!(names.split(', '))}\n\n<!-- end -->`
  })
}

/** Returns the events and spans that no table of a document has, or that several have. */
export function misplacedEvents(document: string): string[] {
  const placed = [...document.matchAll(BLOCK)]
    .filter(({ groups }) => groups!['kind'] === 'events')
    .flatMap(({ groups }) => groups!['names']!.split(', '))
  return [...readEventTypes(parseFile(EVENT_TYPES)).keys()].filter(
    (name) => placed.filter((each) => each === name).length !== 1,
  )
}

/** Returns the fields of each event type, with a question mark behind those that may be absent. */
export function declaredFields(): Map<string, string[]> {
  const source = parseFile(EVENT_TYPES)
  const envelope = ['type', ...namesIn(source, 'EventEnvelope')]
  const sides = { Start: namesIn(source, 'SpanStart'), End: namesIn(source, 'SpanEnd') }
  const declared = new Map<string, string[]>()
  for (const [group, types] of readEventTypes(source)) {
    for (const { name, fields } of types) {
      const ofSpan = name === group ? [] : sides[name.endsWith('Start') ? 'Start' : 'End']
      declared.set(name, [...new Set([...envelope, ...ofSpan, ...fields.map((field) => field.name)])])
    }
  }
  return declared
}

/** Reads the events by their names, without the fields of all spans; both events of a span stand under its name. */
function readEventTypes(source: Source): Map<string, EventType[]> {
  const types = new Map<string, EventType[]>()
  for (const member of membersOf(source, declarationOf(source, 'EventFields').node)) {
    types.set(member.name, [{ name: member.name, when: member.doc, fields: fieldsIn(source, member.type) }])
  }
  for (const { name, doc, type } of membersOf(source, declarationOf(source, 'SpanFields').node)) {
    const sides = membersOf(source, type).map((side) => ({
      name: `${name}${side.name === 'start' ? 'Start' : 'End'}`,
      when: side.name === 'start' ? doc : 'It ends.',
      fields: fieldsIn(source, side.type),
    }))
    types.set(name, sides)
  }
  return types
}

interface Member {
  readonly name: string
  readonly doc: string
  readonly type: TSType
}

/** The properties of an interface or of a literal type. */
function membersOf(source: Source, node: Node): Member[] {
  const members =
    node.type === 'TSInterfaceDeclaration' ? node.body.body : node.type === 'TSTypeLiteral' ? node.members : []
  return members.map((member) => {
    if (member.type !== 'TSPropertySignature' || member.key.type !== 'Identifier' || !member.typeAnnotation)
      throw new Error(`cannot read \`${textOf(source, member)}\` as a field with a name and a type`)
    const name = member.key.name + (member.optional ? '?' : '')
    return { name, doc: docAbove(source, member), type: member.typeAnnotation.typeAnnotation }
  })
}

const namesIn = (source: Source, type: string): string[] => fieldsOf(source, type).map(({ name }) => name)

const fieldsOf = (source: Source, name: string): Field[] => fieldsIn(source, declarationOf(source, name).node)

/** The fields of a type, with those of the types that it is made of. */
function fieldsIn(source: Source, node: Node): Field[] {
  if (node.type === 'TSIntersectionType') return node.types.flatMap((each) => fieldsIn(source, each))
  if (node.type === 'TSParenthesizedType') return fieldsIn(source, node.typeAnnotation)
  if (node.type === 'TSTypeReference') return fieldsOf(source, textOf(source, node))
  return membersOf(source, node).map(({ name, doc, type }) => ({
    name,
    type: shortened(textOf(source, type)),
    meaning: doc,
  }))
}

/** A type on one line, without what a reader of events does not need. */
function shortened(type: string): string {
  const values = type
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\breadonly /g, '')
    .replaceAll(/\bReadonly<(\w+<[^>]*>)>/g, '$1')
  // The question mark of the field says already that it may be absent.
  return values.replace(/ \| undefined$/, '').replace(/^\((.*)\)$/, '$1')
}

interface NamedDeclaration {
  readonly node: Node
  readonly text: string
}

function declarationOf(source: Source, name: string): NamedDeclaration {
  for (const statement of source.program.body) {
    const node = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    if (node?.type !== 'TSInterfaceDeclaration' && node?.type !== 'TSTypeAliasDeclaration') continue
    if (node.id.name !== name) continue
    const text = textOf(source, node)
    return { node: node.type === 'TSInterfaceDeclaration' ? node : node.typeAnnotation, text }
  }
  return fail(`type \`${name}\` in ${EVENT_TYPES}`)
}

const textOf = ({ text }: Source, { start, end }: Node): string => text.slice(start, end)

function docAbove({ text, comments }: Source, { start }: Node): string {
  const comment = comments.findLast(({ end }) => end <= start)
  if (!comment || text.slice(comment.end, start).trim() !== '') return ''
  return comment.value
    .replaceAll(/^\s*\* ?/gm, '')
    .trim()
    .replaceAll(/\s+/g, ' ')
}

function tableOfEvents(types: readonly EventType[], exampleOf: (name: string) => object): string {
  const rows = types.map(({ name, when, fields }) => [
    code(name),
    when,
    fields.map((each) => code(`${each.name}: ${each.type}`) + (each.meaning && ` ${each.meaning}`)).join('<br>'),
    code(JSON.stringify(exampleOf(name))),
  ])
  return table([['event', 'when', 'fields', 'example'], ...rows])
}

/** The fields of several types, each once: the one with a sentence, and none if no type has one. */
function fieldsTogether(types: readonly (readonly Field[])[]): Field[] {
  const fields = types.flat().filter(({ meaning }) => meaning)
  return fields.filter((field, index) => fields.findIndex(({ name }) => name === field.name) === index)
}

const tableOfFields = (fields: readonly Field[]): string =>
  table([['field', 'type', 'meaning'], ...fields.map(({ name, type, meaning }) => [code(name), code(type), meaning])])

/** A table as it stands in a document; the comment keeps the formatter from aligning its long cells. */
function table([head = [], ...rows]: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`
  return ['<!-- oxfmt-ignore -->', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** An event with a line for each field; lists of texts stand on one line. */
const inLines = (event: Example): string =>
  JSON.stringify(event, null, 2).replaceAll(
    /\[\s+([^[\]{}]*?)\s+\]/g,
    (_, list: string) => `[${list.replaceAll(/\s+/g, ' ')}]`,
  )

/** Text as code, also if it contains backticks. */
function code(text: string): string {
  const longest = Math.max(0, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const mark = '`'.repeat(longest + 1)
  return longest > 0 ? `${mark} ${text} ${mark}` : mark + text + mark
}

const fenced = (language: string, text: string): string => `\`\`\`${language}\n${text}\n\`\`\``

function without(value: Example, names: readonly string[]): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)))
}

/** An event with its fields in the order in which they are declared. */
function inOrder(event: Example, fields: readonly string[]): Example {
  const order = fields.map((name) => name.replace('?', ''))
  const sorted = Object.entries(event).toSorted(([a], [b]) => order.indexOf(a) - order.indexOf(b))
  return Object.fromEntries(sorted) as Example
}

function fail(missing: string): never {
  throw new Error(`cannot write ${EVENTS_DOCUMENT}: there is no ${missing}`)
}
