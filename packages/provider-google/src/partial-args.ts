import { isRecord } from '@x/provider-kit'
import type { WirePartialArg } from './wire-types.ts'

/** Adds a piece of a call's arguments at its place; pieces of one text are joined. */
export function addPartialArg(args: Record<string, unknown>, piece: WirePartialArg): void {
  const path = pathOf(piece.jsonPath ?? '')
  const last = path.pop()
  if (last === undefined) return
  let at: Record<string, unknown> | unknown[] = args
  for (const [n, key] of path.entries()) {
    const inner: unknown = read(at, key)
    const next = isRecord(inner) || Array.isArray(inner) ? inner : typeof (path[n + 1] ?? last) === 'number' ? [] : {}
    write(at, key, next)
    at = next
  }
  const { stringValue, numberValue, boolValue } = piece
  const before: unknown = read(at, last)
  if (stringValue !== undefined) write(at, last, typeof before === 'string' ? before + stringValue : stringValue)
  else write(at, last, numberValue ?? boolValue ?? null)
}

/** Splits `$.a[0]['b c']` into its steps. */
function pathOf(path: string): (string | number)[] {
  const steps: (string | number)[] = []
  for (const [, index, quoted, plain] of path.matchAll(/\[(\d+)\]|\[['"]([^'"]*)['"]\]|([^.[\]$]+)/gu)) {
    steps.push(index === undefined ? (quoted ?? plain!) : Number(index))
  }
  return steps
}

function read(at: Record<string, unknown> | unknown[], key: string | number): unknown {
  return Object.hasOwn(at, key) ? (at as Record<string | number, unknown>)[key] : undefined
}

/** Sets a key as its own, whatever its name: a path of the provider must not reach a prototype. */
function write(at: object, key: string | number, value: unknown): void {
  Object.defineProperty(at, key, { value, writable: true, enumerable: true, configurable: true })
}
