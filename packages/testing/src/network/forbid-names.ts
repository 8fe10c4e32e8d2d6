import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import type { XError } from '@x/kernel'
import { replaceMethod } from './replace-method.ts'

/** Makes look-ups fail for which `refuse` returns an error; returns a function that undoes it. */
export function forbidNames(refuse: (host: string) => XError | undefined): () => void {
  const called = (original: () => unknown, _: unknown, args: readonly unknown[]): unknown => {
    const error = refuse(String(args[0]))
    if (!error) return original()
    const callback = args.at(-1)
    if (typeof callback !== 'function') throw error
    process.nextTick(callback, error)
    return undefined
  }
  const promised = (original: () => unknown, _: unknown, args: readonly unknown[]): unknown => {
    const error = refuse(String(args[0]))
    return error ? Promise.reject(error) : original()
  }
  const undo = [
    ...namesOf(dns).map((name) => replaceMethod(dns, name, called)),
    ...namesOf(dns.Resolver.prototype).map((name) => replaceMethod(dns.Resolver.prototype, name, called)),
    ...namesOf(dns.promises).map((name) => replaceMethod(dns.promises, name, promised)),
    ...namesOf(dns.promises.Resolver.prototype).map((name) =>
      replaceMethod(dns.promises.Resolver.prototype, name, promised),
    ),
  ]
  // Named imports of `node:dns` are copies until they are told.
  syncBuiltinESMExports()
  return () => {
    for (const each of undo) each()
    syncBuiltinESMExports()
  }
}

/** The functions that ask a name server; `lookupService` asks too, by address. */
function namesOf(owner: object): string[] {
  const names = new Set<string>()
  for (let at: object | null = owner; at && at !== Object.prototype; at = Object.getPrototypeOf(at) as object | null)
    for (const name of Object.getOwnPropertyNames(at)) if (/^(?:lookup|resolve|reverse)/u.test(name)) names.add(name)
  return [...names]
}
