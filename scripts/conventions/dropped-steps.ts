import type { Expression, Node, TSType } from 'oxc-parser'
import { lineOf, walk, type Source } from './source.ts'

/** Collects the names of functions and methods that return steps, in all files: a call alone does nothing. */
export function stepNames(sources: readonly Source[]): Set<string> {
  const names = new Set<string>()
  for (const { program } of sources) {
    walk(program, (node) => {
      const name = nameOfSteps(node)
      if (name) names.add(name)
    })
  }
  return names
}

/** Finds generators of steps outside `*.steps.ts`, as `file:line`. */
export function strayGenerators(source: Source): string[] {
  const stray: string[] = []
  if (/(?:^|[./])steps\.ts$/.test(source.file)) return stray
  walk(source.program, (node) => {
    if (!('generator' in node) || !node.generator || node.async) return
    if (isSteps(node.returnType?.typeAnnotation)) stray.push(`${source.file}:${lineOf(source, node)}`)
  })
  return stray
}

/** Finds calls of steps without `yield*`, so that the steps never run, as `file:line name`. */
export function droppedSteps(source: Source, names: ReadonlySet<string>): string[] {
  const dropped: string[] = []
  walk(source.program, (node) => {
    if (node.type !== 'ExpressionStatement') return
    for (const call of discarded(node.expression)) {
      if (names.has(call)) dropped.push(`${source.file}:${lineOf(source, node)} ${call}`)
    }
  })
  return dropped
}

/** The names of functions that an expression calls and discards the value of. */
function discarded(expression: Expression): string[] {
  switch (expression.type) {
    case 'CallExpression': {
      const { callee } = expression
      if (callee.type === 'Identifier') return [callee.name]
      return callee.type === 'MemberExpression' && callee.property.type === 'Identifier' ? [callee.property.name] : []
    }
    case 'ParenthesizedExpression':
    case 'ChainExpression':
    case 'TSNonNullExpression':
    case 'TSAsExpression':
      return discarded(expression.expression)
    case 'AwaitExpression':
    case 'UnaryExpression':
      return discarded(expression.argument)
    case 'LogicalExpression':
      return discarded(expression.right)
    case 'ConditionalExpression':
      return [...discarded(expression.consequent), ...discarded(expression.alternate)]
    case 'SequenceExpression':
      return expression.expressions.flatMap(discarded)
    default:
      return []
  }
}

function nameOfSteps(node: Node): string | undefined {
  switch (node.type) {
    case 'FunctionDeclaration':
    case 'TSDeclareFunction':
      return (node.generator && !node.async) || isSteps(node.returnType?.typeAnnotation) ? node.id?.name : undefined
    case 'MethodDefinition':
    case 'TSAbstractMethodDefinition':
    case 'Property':
    case 'VariableDeclarator': {
      const value = 'init' in node ? node.init : node.value
      const key = 'id' in node ? node.id : node.key
      if (value?.type !== 'FunctionExpression' && value?.type !== 'ArrowFunctionExpression') return undefined
      if (!value.generator && !isSteps(value.returnType?.typeAnnotation)) return undefined
      return key.type === 'Identifier' && !value.async ? key.name : undefined
    }
    case 'TSMethodSignature':
      return isSteps(node.returnType?.typeAnnotation) && node.key.type === 'Identifier' ? node.key.name : undefined
    case 'TSPropertySignature': {
      const type = node.typeAnnotation?.typeAnnotation
      if (type?.type !== 'TSFunctionType' || node.key.type !== 'Identifier') return undefined
      return isSteps(type.returnType.typeAnnotation) ? node.key.name : undefined
    }
    default:
      return undefined
  }
}

function isSteps(type: TSType | undefined): boolean {
  return type?.type === 'TSTypeReference' && type.typeName.type === 'Identifier' && type.typeName.name.endsWith('Steps')
}
