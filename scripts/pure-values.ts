/**
 * Marks what the top level of a bundled module makes, so that the bundler of a program may leave out what the program does
 * not use. With a file for each module, `"sideEffects": false` lets a bundler leave out whole files; in a file of many
 * modules it keeps every call, spread and static block of the top level, and all that these reach. The marks are true since
 * an import does nothing: the top level only makes values.
 */
import { parseSync, type Class, type Expression, type ObjectPropertyKind } from 'oxc-parser'
import { RolldownMagicString } from 'rolldown'

const MARK = '/* @__PURE__ */ '

/** Marks the values that the top level of a module makes. The map, as JSON, leads from the marked text to the given one. */
export function markPureValues(file: string, code: string): { readonly code: string; readonly map: string } {
  const marked = new RolldownMagicString(code, { filename: file })
  for (const statement of parseSync(file, code).program.body) {
    if (statement.type === 'ClassDeclaration' && statement.id && !isPlainClass(statement)) {
      marked.appendLeft(statement.start, `const ${statement.id.name} = `)
      mark(marked, statement, statement.id.name)
    }
    for (const { id, init } of statement.type === 'VariableDeclaration' ? statement.declarations : [])
      if (init && id.type === 'Identifier' && !isPlain(init)) mark(marked, init, id.name)
  }
  return { code: marked.toString(), map: marked.generateMap({ source: file, hires: 'boundary' }).toString() }
}

/** Marks a value. One with values of its own in it goes into a function, since a mark on a call does not cover its arguments. */
function mark(marked: RolldownMagicString, value: Expression | Class, name: string): void {
  const { start, end, type } = value
  if ((type === 'NewExpression' || type === 'CallExpression') && value.callee.type === 'Identifier') {
    if (value.arguments.every((each) => each.type !== 'SpreadElement' && isPlain(each))) {
      if (!marked.original.slice(0, start).endsWith(MARK)) marked.appendLeft(start, MARK)
      return
    }
  }
  const isObject = type === 'ObjectExpression'
  marked.appendLeft(start, `${MARK}(() => ${isObject ? '(' : ''}`)
  // A class without a name has that of its variable, which the function would take from it.
  if (type === 'ClassExpression' && !value.id) marked.appendLeft(start + 'class'.length, ` ${name}`)
  marked.appendRight(end, `${isObject ? ')' : ''})()`)
}

/** True if every bundler sees that making a value does nothing else. */
function isPlain(value: Expression): boolean {
  switch (value.type) {
    case 'Literal':
    case 'Identifier':
    case 'ArrowFunctionExpression':
    case 'FunctionExpression':
      return true
    case 'ClassExpression':
      return isPlainClass(value)
    case 'TemplateLiteral':
      return value.expressions.length === 0
    case 'UnaryExpression':
      return value.argument.type === 'Literal'
    case 'ArrayExpression':
      return value.elements.every((each) => each !== null && each.type !== 'SpreadElement' && isPlain(each))
    case 'ObjectExpression':
      return value.properties.every(isPlainProperty)
    default:
      return false
  }
}

function isPlainProperty(property: ObjectPropertyKind): boolean {
  return property.type === 'Property' && !property.computed && isPlain(property.value)
}

/** True of a class that does nothing when it is made: no static block, value or computed name. */
function isPlainClass({ superClass, body }: Class): boolean {
  return (
    (superClass === null || superClass.type === 'Identifier') &&
    body.body.every((member) => {
      if (member.type === 'StaticBlock') return false
      if (member.type === 'TSIndexSignature') return true
      return !member.computed && !(member.static && 'value' in member && member.type === 'PropertyDefinition')
    })
  )
}
