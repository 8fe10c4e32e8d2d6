type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

/** Replaces a method with one that may call the original; returns a function that restores it. */
export function replaceMethod(
  owner: object,
  name: string,
  instead: (original: () => unknown, self: unknown, args: readonly unknown[]) => unknown,
): () => void {
  const holder = owner as Record<string, AnyFunction | undefined>
  const original = holder[name]
  if (typeof original !== 'function') return () => {}
  let active = true
  const replaced: AnyFunction = function (...args) {
    const call = (): unknown => Reflect.apply(original, this, args)
    return active ? instead(call, this, args) : call()
  }
  // `util.promisify` reads its instructions from properties of the function.
  Object.defineProperties(replaced, Object.getOwnPropertyDescriptors(original))
  holder[name] = replaced
  return () => {
    active = false
    // Who has replaced it since keeps their own; underneath, this one only passes calls on.
    if (holder[name] === replaced) holder[name] = original
  }
}
